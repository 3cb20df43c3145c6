"""A game that is being played: the log, the table, the deck and the bots, kept together.

Every decision is on the disk before it counts. Bots answer from what is on the table and from the
stream of their decision, so that a game that was interrupted goes on as it would have.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from tenlog.bots.base import Forfeit
from tenlog.bots.seats import Seats
from tenlog.bots.spec import parse_spec
from tenlog.errors import BotError, LogError, LogOver, SetupError
from tenlog.game.commands import Command
from tenlog.game.decide import Deck, advance, settle
from tenlog.game.events import FORMAT, Event, GameFinished, GameStarted
from tenlog.game.ruleset import Ruleset, find_ruleset, rules_field
from tenlog.game.start import check_start
from tenlog.game.state import OVER, State, start_state
from tenlog.log.codec import Origin
from tenlog.log.replay import replay_strictly
from tenlog.log.store import LogWriter, create_log, forget_revealed, now_ms, open_log, read_seed
from tenlog.shuffle import check_seed, commitment, random_seed


def start_event(
    players: Sequence[str],
    seed: str,
    *,
    game: str,
    ruleset: Ruleset | None = None,
    sealed: bool = False,
) -> GameStarted:
    """The first event of a game.

    Raises:
        SeedError: the seed may not be one.
        SetupError: the names, their number or the id may not be so.
        RulesetError: the ruleset cannot work.
    """
    check_seed(seed)
    event = GameStarted(
        format=FORMAT,
        game=game,
        rules=rules_field(ruleset or find_ruleset("ten/1")),
        players=tuple(players),
        seed=None if sealed else seed,
        commitment=commitment(seed),
    )
    refused = check_start(event)
    if refused is not None:
        raise SetupError(refused.message)
    return event


class Session:
    """A game in progress on a log that is locked for it.

    Attributes:
        state: the table; to look at only.
        bots: by seat: the bot's specification, or None for a person.
        events: all events so far.
    """

    def __init__(
        self,
        writer: LogWriter,
        events: list[Event],
        state: State,
        seed: str,
        bots: Sequence[str | None],
        seats: Seats,
    ) -> None:
        self.writer = writer
        self.events = events
        self.state = state
        self.bots = tuple(bots) if bots else (None,) * len(state.players)
        self._deck = Deck(state.rules, seed)
        self._seats = seats

    @property
    def over(self) -> bool:
        """Whether the game is finished."""
        return self.state.phase is OVER

    @property
    def seed(self) -> str:
        """The seed: not to be shown to a player of a sealed game."""
        return self._deck.seed

    def bot_to_act(self) -> bool:
        """Whether a bot is asked now."""
        return not self.over and self._seats.is_bot(self.state.to_act)

    @property
    def forfeits(self) -> list[Forfeit]:
        """Decisions that were made for bots that made none, in this sitting."""
        return self._seats.forfeits

    def do(self, command: Command, *, at: int | None = None) -> list[Event]:
        """Carry a decision out: on the disk, then on the table. Returns what happened.

        ``at`` is when a person decided, in milliseconds since the Unix epoch.

        Raises:
            IllegalMove: the rules refuse it; nothing has changed.
            LogError: it could not be written; nothing has changed.
        """
        events: list[Event] = []
        after = self.state.copy()
        advance(after, command, self._deck, events)
        self.writer.append(events, at=at)
        self.state = after
        self.events += events
        return events

    def bot_decision(self) -> Command:
        """What the bot that is asked now decides; for a program that makes no decision, the safe
        one is made and recorded in ``forfeits``.

        Raises:
            BotError: a Python object failed, or wants what the rules refuse.
        """
        return self._seats.decide(self.state)

    def bots_move(self) -> Iterator[tuple[Command, list[Event]]]:
        """Let bots decide until a person is asked or the game is over, one decision at a time."""
        while self.bot_to_act():
            command = self.bot_decision()
            yield command, self.do(command)

    def close(self) -> None:
        """Give the log back and end the bots; a game in progress can be resumed."""
        self.writer.close()
        try:
            self._seats.end(self.state)
        finally:
            self._seats.close()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def new_session(
    path: Path,
    players: Sequence[str],
    *,
    game: str,
    seed: str | None = None,
    bots: Sequence[str | None] = (),
    ruleset: Ruleset | None = None,
    sealed: bool = False,
    origin: Origin | None = None,
) -> Session:
    """A new game on a new log. Without a seed, a random one is taken (FORMAT 4).

    Raises:
        SeedError, SetupError, RulesetError, BotError: it can't be started like this.
        LogError: the log exists already or cannot be written.
    """
    if bots and len(bots) != len(players):
        raise SetupError(f"{len(bots)} bots or persons for {len(players)} players")
    seed = random_seed() if seed is None else seed
    event = start_event(players, seed, game=game, ruleset=ruleset, sealed=sealed)
    state = start_state(event)
    # Bots that can't be started must not leave a log behind.
    seats = Seats(bots or (None,) * len(players))
    try:
        seats.start(seed, state)
        writer = create_log(
            path,
            [event],
            seed=seed if sealed else None,
            bots=bots or None,
            origin=origin,
            at=now_ms() if None in (bots or (None,)) else None,
        )
    except BaseException:
        seats.close()
        raise
    return Session(writer, [event], state, seed, bots, seats)


def resume_session(path: Path, *, foreign: bool = False) -> Session:
    """The last game of a log, to go on with: torn tail put aside, what was forced completed.

    A log names its bots, and may come from anybody: programs and Python objects that it names are
    only run if ``foreign`` says so.

    Raises:
        BotError: the log names such a bot and ``foreign`` is not set, or a bot can't be made.
        LogLocked: somebody else is writing it.
        LogOver: the game is finished.
        LogError: it has a fault, its seed is missing, or it cannot be written.
    """
    writer, log = open_log(path)
    try:
        start = log.start
        seed = None
        if start is not None and start.seed is None and not log.finished:
            seed = read_seed(path)
            if seed is not None and commitment(seed) != start.commitment:
                raise LogError(f"{path}.seed is not the seed that the game is committed to")
        found = replay_strictly(log, path, seed=seed)
        state = found.state
        assert state is not None
        if state.phase is OVER:
            forget_revealed(path, log)  # whoever ended the game was killed before that
            again = f"tenlog replay {shlex.quote(str(path))}"
            raise LogOver(f"{path}: the game is finished; look at it with {again}")
        if found.seed is None:
            raise LogError(
                f"{path}: the game is sealed and its seed is not here: {path.name}.seed is needed"
            )
        for spec in log.bots:
            if spec is not None and parse_spec(spec).foreign and not foreign:
                raise BotError(
                    f"{path}: the log names the bot {spec!r}, which would run code of its own; "
                    "look at it, and go on with --trust if you trust it"
                )
        events = list(found.events)
        follows: list[Event] = []
        settle(state, found.seed, follows)
        if follows:
            writer.append(follows)
            events += follows
        seats = Seats(log.bots or (None,) * len(state.players))
        try:
            seats.start(found.seed, state)
        except BaseException:
            seats.close()
            raise
        session = Session(writer, events, state, found.seed, log.bots, seats)
    except BaseException:
        writer.close()
        raise
    return session


def result(events: Sequence[Event]) -> GameFinished | None:
    """How a game ended, or None if it has not."""
    last = events[-1] if events else None
    return last if isinstance(last, GameFinished) else None
