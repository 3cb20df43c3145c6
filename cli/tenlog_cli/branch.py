"""``tenlog branch``: a new game that shares the start of another one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tenlog_cli.asked import JsonOption, QuietOption, complete_log
from tenlog_cli.output import home, new_file, print_json, shown_path

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tenlog.play.branch import BranchReport


def branch(
    log: Annotated[
        str,
        typer.Argument(
            help="A log, or a game of the home by its id or a part of it.",
            autocompletion=complete_log,
        ),
    ],
    at: Annotated[
        int,
        typer.Option(
            "--at",
            metavar="N",
            help="Share the first N events: 0 to N - 1, as replay numbers them.",
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", "--log", metavar="FILE", help="The new log; else one beside LOG."),
    ] = None,
    game: Annotated[
        str | None, typer.Option("--game", metavar="ID", help="Which game of a log of many.")
    ] = None,
    new_id: Annotated[
        str | None,
        typer.Option("--id", metavar="ID", help="The new game's id; else the old one's and -atN."),
    ] = None,
    bot: Annotated[
        list[str] | None,
        typer.Option(
            "--bot", metavar="SEAT=KIND", help="A bot for a seat, such as 1=greedy; repeatable."
        ),
    ] = None,
    person: Annotated[
        list[int] | None,
        typer.Option("--person", metavar="SEAT", help="A person for a seat; repeatable."),
    ] = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Make a new game that shares the first N events of another one, and goes on by itself.

    The old game is not touched. Whoever played a seat goes on playing it, unless --bot or --person
    say otherwise; tenlog resume plays on. Where N lies inside a decision (between a card and the
    bust that it causes, say), what has to follow is completed.
    """
    from tenlog.log.read import read_one
    from tenlog.play.branch import make_branch
    from tenlog.play.home import demos_folder, find_log, games_folder

    path = find_log(home(), log)
    found = read_one(path, game)
    start = found.start
    seats = len(start.players) if start is not None else 0
    bots = _seats(found.bots or (None,) * seats, bot or [], person or [])
    # What a person makes of a demo is a game of theirs.
    folder = games_folder(home()) if path.parent == demos_folder(home()) else None
    out = None if out is None else new_file(out)
    report = make_branch(found, path, at, out=out, folder=folder, game=new_id, bots=bots)
    if as_json:
        print_json(report)
    elif not quiet:
        _show(report, start.players if start is not None else ())


def _seats(
    now: Sequence[str | None], bots: Sequence[str], persons: Sequence[int]
) -> tuple[str | None, ...]:
    from tenlog.bots.registry import make_bot
    from tenlog.errors import SetupError

    seats = list(now)
    changes: list[tuple[int, str | None]] = [(seat, None) for seat in persons]
    for text in bots:
        seat, equals, spec = text.partition("=")
        if not equals or not seat.isdecimal() or not spec:
            raise SetupError(f"--bot {text!r} is not SEAT=KIND, such as 1=greedy")
        make_bot(spec)
        changes.append((int(seat), spec))
    for number, change in changes:
        if not 0 <= number < len(seats):
            raise SetupError(f"there is no seat {number}: there are 0 to {len(seats) - 1}")
        seats[number] = change
    return tuple(seats)


def _show(report: BranchReport, players: Sequence[str]) -> None:
    from tenlog_cli.guide import called
    from tenlog_cli.paint import say, say_path

    last = report.origin.n
    which = f"events 0 to {last}" if last else "event 0"
    say(f"Game {report.game} shares {which} of {report.parent_game}.")
    if report.completed:
        names = ", ".join(type(event).__name__ for event in report.completed)
        say(f"That point lies inside a decision; what had to follow was completed: {names}.")
    file = Path(report.file)
    say_path("log:", shown_path(file))
    name = f"{players[report.to_act]} (seat {report.to_act})"
    say_path(f"{name} is to decide. Go on with", f"tenlog resume {called(file)}")
