"""``tenlog demo``: a whole game between bots, shown, logged, replayed and verified."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tenlog_cli.asked import (
    JsonOption,
    NewGameOption,
    QuietOption,
    SeedOption,
    SpeedOption,
)
from tenlog_cli.output import home, new_file, print_json, shown_path

if TYPE_CHECKING:
    from tenlog.play.answers import CheckAnswer
    from tenlog.play.session import Session
    from tenlog_cli.paint import Line

_PICTURE_TURNS = 3  # how many turns the picture shows before it leaves some out


def demo(
    seed: SeedOption = None,
    players: Annotated[
        int, typer.Option("--players", metavar="N", help="How many bots play: 1 to 5.")
    ] = 4,
    bot: Annotated[
        list[str] | None,
        typer.Option("--bot", metavar="KIND", help="Which bots; repeatable, in seat order."),
    ] = None,
    log: Annotated[
        str | None,
        typer.Option(
            "--log",
            metavar="FILE",
            help="Where the log goes; else among your demos, which tenlog ls does not list.",
        ),
    ] = None,
    game: NewGameOption = None,
    speed: SpeedOption = "fast",
    as_json: JsonOption = False,
    quiet: QuietOption = False,
    svg: Annotated[
        str | None, typer.Option("--svg", metavar="FILE", hidden=True, help="Keep a picture.")
    ] = None,
) -> None:
    """Play a whole game between bots: told turn by turn, logged, replayed from the log, verified.

    Exits with 0 if everything holds.
    """
    from tenlog.errors import SetupError
    from tenlog.play.answers import DemoAnswer
    from tenlog.play.home import demos_folder, new_game_id
    from tenlog.play.session import new_session
    from tenlog.play.setup import name_seats
    from tenlog.play.verify import verify_game
    from tenlog_cli.paint import Recorder, record
    from tenlog_cli.telling import pace_of

    pace = pace_of(speed)
    if svg is not None and (quiet or as_json):
        raise SetupError("--svg keeps a picture of what is shown: leave --quiet and --json out")
    if not 1 <= players <= 5:
        raise SetupError(f"a demo has 1 to 5 players, not {players}")
    kinds = list(bot or ("greedy", "cautious", "greedy", "random", "cautious")[:players])
    seats = name_seats([("bot", kind) for kind in kinds])
    game = game or f"demo-{new_game_id()}"
    path = new_file(log) if log is not None else demos_folder(home()) / f"{game}.jsonl"
    recorder = Recorder()
    if svg is not None:
        record(recorder)
    with new_session(path, seats.names, game=game, seed=seed, bots=seats.bots) as session:
        if quiet or as_json:
            for _ in session.bots_move():
                pass
        else:
            _tell(session, pace)
        checks = verify_game(path, session.events, session.state)
        state = session.state
        if as_json:
            print_json(
                DemoAnswer(
                    state.game, str(path), session.seed, state.players, state.n, state.turn,
                    state.scores, state.winners, tuple(checks),
                )
            )  # fmt: skip
        elif not quiet:
            _close(session, checks, path)
    if svg is not None:
        _keep_picture(svg, recorder.lines, f"tenlog demo --seed {session.seed}")


def _tell(session: Session, pace: float) -> None:
    from tenlog.story import Span
    from tenlog_cli.paint import put, width, wrap
    from tenlog_cli.telling import Teller

    teller = Teller(pace=pace)
    teller.tell(session.events)
    names = ", ".join(f"{seat} {name}" for seat, name in enumerate(session.state.players))
    put(wrap([Span("seats: " + names, "dim")], width(), 7))
    for _, events in session.bots_move():
        teller.tell(events)
    teller.flush()


def _close(session: Session, checks: list[CheckAnswer], path: Path) -> None:
    from tenlog.story import Span
    from tenlog_cli.guide import called
    from tenlog_cli.paint import put, say_path, width, wrap
    from tenlog_cli.screen import standings

    put([[]])
    put(standings(session.state, width()))
    put([[], [Span("Verified from the log", "title")]])
    for check in checks:
        put(wrap([Span("✓ ", "good"), Span(f"{check.what:<7}"), Span(check.found)], width(), 9))
    put([[]])
    say_path("log:", shown_path(path))
    say_path("Your turn: tenlog play. This game again:", f"tenlog replay {called(path)}")


def _keep_picture(file: str, lines: list[Line], command: str) -> None:
    """The first turns and the end of what was printed, as a terminal window."""
    from tenlog.errors import LogError
    from tenlog.story import Span, plain
    from tenlog_cli.paint import to_svg, width

    turns = [i for i, line in enumerate(lines) if plain(line).startswith("Turn ")]
    end = next(i for i, line in enumerate(lines) if plain(line).startswith("The end"))
    cut = turns[_PICTURE_TURNS] if len(turns) > _PICTURE_TURNS else end
    kept: list[Line] = [[Span("$ ", "dim"), Span(command, "strong")], *lines[:cut]]
    if cut < end:
        kept += [[Span(f"⋮ {len(turns) - _PICTURE_TURNS} more turns", "dim")], []]
    kept += lines[end:]
    try:
        new_file(file).write_text(to_svg(kept, "tenlog", width()), encoding="utf-8")
    except OSError as error:
        raise LogError(f"can't write {file}: {error.strerror}") from None
