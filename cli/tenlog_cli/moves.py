"""A game by single commands: for scripts, and for playing through a shared folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from tenlog_cli.asked import (
    AloneOption,
    BotOption,
    JsonOption,
    LogArgument,
    NewGameOption,
    NewLogOption,
    NoArchiveOption,
    PayOption,
    PlayerOption,
    QuietOption,
    RulesOption,
    SealedOption,
    SeatCommand,
    SeatOption,
    SeedOption,
    TrustOption,
    complete_card,
    complete_reward,
    seats_asked,
)
from tenlog_cli.output import home, new_file, note, print_json, shown_path

if TYPE_CHECKING:
    from tenlog.game.commands import Command
    from tenlog.game.events import Event
    from tenlog.game.state import State
    from tenlog.play.session import Session

# Commands that are of a class of their own.
CLASSES: Final = {"new": SeatCommand}


def open_new(
    seats: list[tuple[str, str]],
    *,
    alone: bool,
    seed: str | None,
    rules: str | None,
    log: str | None,
    game: str | None,
    sealed: bool,
) -> Session:
    """A new game as the options ask for it."""
    from tenlog.errors import SetupError
    from tenlog.play.home import log_path, name_of, new_game_id
    from tenlog.play.session import new_session
    from tenlog.play.setup import load_ruleset, new_id_refused, seat_players

    table = seat_players(seats, alone=alone)
    ruleset = None if rules is None else load_ruleset(rules)
    if game is None and log is not None and new_id_refused(name_of(Path(log))) is None:
        game = name_of(Path(log))
    game = game or new_game_id()
    refused = new_id_refused(game)
    if refused is not None:
        raise SetupError(refused)
    path = log_path(home(), game) if log is None else new_file(log)
    if log is not None and path.name.endswith((".gz", ".zst")):
        raise SetupError(f"{log}: a game can't be played on a compressed log; use .jsonl")
    return new_session(
        path,
        table.names,
        game=game,
        seed=seed,
        bots=table.bots if any(table.bots) else (),
        ruleset=ruleset,
        sealed=sealed,
    )


def warn_of_seed(seed: str | None, sealed: bool) -> None:
    """Say so if a sealed game has a seed that hides nothing."""
    from tenlog.shuffle import is_guessable

    if sealed and seed is not None and is_guessable(seed):
        note(
            f"tenlog: seed {seed} can be found by trying, as the log has its commitment, and who "
            "finds it sees the deck: leave --seed out for a random one"
        )


def new(
    ctx: typer.Context,
    player: PlayerOption = None,
    bot: BotOption = None,
    alone: AloneOption = False,
    seed: SeedOption = None,
    rules: RulesOption = None,
    log: NewLogOption = None,
    game: NewGameOption = None,
    sealed: SealedOption = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Start a game to be played by single commands: draw, take, bid, pass, buy, decline.

    Without --bot and with at most one --player, three greedy bots join. Bots answer by themselves
    until a person is asked.
    """
    session = open_new(
        seats_asked(ctx), alone=alone, seed=seed, rules=rules, log=log, game=game, sealed=sealed
    )
    if not quiet:
        warn_of_seed(seed, sealed)
    with session:
        events = list(session.events)
        for _, more in session.bots_move():
            events += more
    _answer(session, session.writer.path, events, as_json, quiet, told=0)


def _answer(
    session: Session, path: Path, events: list[Event], as_json: bool, quiet: bool, told: int
) -> None:
    """Say what a command led to; ``told`` events were there before it."""
    if as_json:
        from tenlog.play.answers import move_answer

        print_json(move_answer(str(path), session.state, events))
        return
    if quiet:
        return
    from tenlog.game.events import GameStarted
    from tenlog_cli.paint import put, say, say_path, width
    from tenlog_cli.screen import standings, waiting
    from tenlog_cli.telling import Teller

    teller = Teller()
    teller.skip(session.events[:told])
    teller.tell(session.events[told:])
    teller.flush()
    put([[]])
    if session.over:
        from tenlog_cli.guide import record_lines

        put(standings(session.state, width()))
        put(record_lines(session, width()))
    else:
        put(waiting(session.state, width()))
    if not told:
        say_path("log:", shown_path(path))
        start = session.events[0]
        if isinstance(start, GameStarted) and start.seed is None:
            say_path("seal:", session.writer.seal)
            say(
                "Who notes the seal now can tell afterwards that seed, players and rules were not "
                "chosen later: tenlog audit --noted SEAL",
                "dim",
            )


def check_seat(state: State, seat: int | None) -> None:
    """Refuse a seat that the table does not have."""
    from tenlog.errors import SetupError

    if seat is not None and not 0 <= seat < len(state.players):
        raise SetupError(f"no seat {seat}: the seats are 0 to {len(state.players) - 1}")


def _move(
    log: str | None,
    seat: int | None,
    as_json: bool,
    quiet: bool,
    trust: bool,
    no_archive: bool,
    decide: Callable[[State, int], Command],
) -> None:
    """Open the log, let bots answer, carry the decision out, let bots answer again."""
    from tenlog.errors import IllegalMove
    from tenlog.log.read import read_one
    from tenlog.log.store import now_ms
    from tenlog.play.home import find_log
    from tenlog.play.session import resume_session

    path = find_log(home(), log)
    found = read_one(path)
    if found.finished and found.fault is None:
        from tenlog_cli.guide import called, finish_up

        finish_up(path, found, archive=not no_archive)
        raise IllegalMove("8.3", f"the game is over: tenlog replay {called(path)} tells it")
    with resume_session(path, foreign=trust) as session:
        told = len(session.events)
        for _ in session.bots_move():
            pass
        if not session.over:
            state = session.state
            check_seat(state, seat)
            session.do(decide(state, state.to_act if seat is None else seat), at=now_ms())
            for _ in session.bots_move():
                pass
    if session.over and not no_archive:
        from tenlog_cli.guide import keep

        keep(path)
    _answer(session, path, session.events[told:], as_json, quiet, told)


def draw(
    log: LogArgument = None,
    seat: SeatOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
    trust: TrustOption = False,
    no_archive: NoArchiveOption = False,
) -> None:
    """Draw a card."""
    from tenlog.game.commands import Draw

    _move(log, seat, as_json, quiet, trust, no_archive, lambda state, who: Draw(who))


def take(
    what: Annotated[
        str,
        typer.Argument(
            metavar="numbers|currency", help="What to take.", autocompletion=complete_reward
        ),
    ],
    log: LogArgument = None,
    seat: SeatOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
    trust: TrustOption = False,
    no_archive: NoArchiveOption = False,
) -> None:
    """Stop, and take the numbers or the currency of the tableau."""
    from tenlog.errors import SetupError
    from tenlog.game.commands import TakeCurrency, TakeNumbers

    kinds: dict[str, type[TakeNumbers | TakeCurrency]] = {
        "numbers": TakeNumbers,
        "currency": TakeCurrency,
    }
    if what not in kinds:
        raise SetupError(f"take numbers or currency, not {what[:30]!r}")
    _move(log, seat, as_json, quiet, trust, no_archive, lambda state, who: kinds[what](who))


def bid(
    amount: Annotated[str, typer.Argument(metavar="N", help="How much to bid.")],
    log: LogArgument = None,
    pay: PayOption = None,
    seat: SeatOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
    trust: TrustOption = False,
    no_archive: NoArchiveOption = False,
) -> None:
    """Bid for the wild."""
    from tenlog.errors import SetupError
    from tenlog.game.payments import parse_payment
    from tenlog.play.prompt import make_bid, read_amount

    number = read_amount(amount)
    if number is None:
        raise SetupError(f"bid how much? a whole number, such as tenlog bid 3, not {amount[:30]!r}")
    payment = None if pay is None else parse_payment(pay)
    _move(
        log,
        seat,
        as_json,
        quiet,
        trust,
        no_archive,
        lambda state, who: make_bid(state, who, number, payment),
    )


def pass_(
    log: LogArgument = None,
    seat: SeatOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
    trust: TrustOption = False,
    no_archive: NoArchiveOption = False,
) -> None:
    """Do not bid."""
    from tenlog.game.commands import Pass

    _move(log, seat, as_json, quiet, trust, no_archive, lambda state, who: Pass(who))


def buy(
    card: Annotated[
        str,
        typer.Argument(
            metavar="CARD", help="A card of the market, such as R4.", autocompletion=complete_card
        ),
    ],
    log: LogArgument = None,
    pay: PayOption = None,
    seat: SeatOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
    trust: TrustOption = False,
    no_archive: NoArchiveOption = False,
) -> None:
    """Buy a card from the market."""
    from tenlog.game.cards import kind_of
    from tenlog.game.payments import parse_payment
    from tenlog.play.prompt import make_buy

    kind_of(card)
    payment = None if pay is None else parse_payment(pay)
    _move(
        log,
        seat,
        as_json,
        quiet,
        trust,
        no_archive,
        lambda state, who: make_buy(state, who, card, payment),
    )


def decline(
    log: LogArgument = None,
    seat: SeatOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
    trust: TrustOption = False,
    no_archive: NoArchiveOption = False,
) -> None:
    """Do not buy."""
    from tenlog.game.commands import Decline

    _move(log, seat, as_json, quiet, trust, no_archive, lambda state, who: Decline(who))
