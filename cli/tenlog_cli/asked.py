"""Arguments and options that many commands share, and how the shell completes them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from tenlog.errors import TenlogError
from tenlog_cli.helping import Command
from tenlog_cli.output import home


def complete_log(incomplete: str) -> Iterator[str]:
    """Games of the home by id, the latest first."""
    from tenlog.play.home import logs, name_of

    try:
        names = [name_of(path) for path in logs(home())]
    except TenlogError:
        return
    yield from (name for name in names if name.startswith(incomplete))


def complete_bot(incomplete: str) -> Iterator[tuple[str, str]]:
    """Bots that come with tenlog."""
    from tenlog.bots.registry import BUILT_IN

    for name, (_, _, text) in BUILT_IN.items():
        if name.startswith(incomplete):
            yield name, text


def complete_card(ctx: typer.Context, incomplete: str) -> Iterator[str]:
    """Cards that may be bought now in the game that is meant."""
    from tenlog.game.cards import CARDS
    from tenlog.game.legal import options
    from tenlog.log.read import read_one
    from tenlog.log.replay import replay
    from tenlog.play.home import find_log

    try:
        log = read_one(find_log(home(), ctx.params.get("log")))
    except TenlogError:
        return
    state = replay(log).state
    if state is None:
        return
    for kind in options(state).buys:
        if CARDS[kind].startswith(incomplete.upper()):
            yield CARDS[kind]


def complete_reward(incomplete: str) -> Iterator[str]:
    """What may be taken."""
    yield from (word for word in ("numbers", "currency") if word.startswith(incomplete))


LogArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="[LOG]",
        help="A log, or a game of the home by its id or a part of it; the latest game in "
        "progress if left out.",
        autocompletion=complete_log,
    ),
]
SeenLog = Annotated[
    str | None,
    typer.Argument(
        metavar="[LOG]",
        help="A log (.jsonl, .jsonl.gz, .jsonl.zst), - for standard input, or a game of the home "
        "by its id or a part of it; the latest game in progress if left out.",
        autocompletion=complete_log,
    ),
]
GameOption = Annotated[
    str | None,
    typer.Option("--game", metavar="ID", help="Which game of a log of many; else the last."),
]
SeatOption = Annotated[
    int | None,
    typer.Option("--seat", metavar="N", help="Who is moving: refused if it is not their turn."),
]
PayOption = Annotated[
    str | None,
    typer.Option(
        "--pay",
        metavar="PAYMENT",
        help="How it is paid, such as 2t+1b+R4: two tokens, a bust token and a red 4. Else so "
        "that what is worth most is kept.",
    ),
]


def _folder(text: str) -> Path:
    """A folder by its name; an empty one would be the current folder, which nobody meant."""
    if not text:
        raise typer.BadParameter("the name is empty: a folder is wanted")
    return Path(text)


OutOption = Annotated[
    Path | None,
    typer.Option(
        "--out", metavar="DIR", parser=_folder, help="Folder for the games, as .jsonl files."
    ),
]
IntoOption = Annotated[
    Path | None,
    typer.Option(
        "--archive", metavar="DIR", parser=_folder, help="Archive that the games go into."
    ),
]
JobsOption = Annotated[
    int | None,
    typer.Option("--jobs", "-j", metavar="N", min=1, help="Processes; all cores if left out."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Answer as one line of JSON.")]
QuietOption = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print nothing; the exit code tells.")
]
PlayerOption = Annotated[
    list[str] | None,
    typer.Option("--player", metavar="NAME", help="A person; repeatable, in seat order."),
]
BotOption = Annotated[
    list[str] | None,
    typer.Option(
        "--bot",
        metavar="KIND",
        help="A bot, such as greedy; repeatable, in seat order.",
        autocompletion=complete_bot,
    ),
]
AloneOption = Annotated[
    bool, typer.Option("--alone", help="No bots join: a game for one, or for the named persons.")
]
SeedOption = Annotated[
    str | None,
    typer.Option("--seed", metavar="TEXT", help="The seed of the shuffle; else a random one."),
]
RulesOption = Annotated[
    str | None,
    typer.Option("--rules", metavar="NAME|FILE", help="A ruleset: ten/1, or a .toml or .json."),
]
NewLogOption = Annotated[
    str | None,
    typer.Option("--log", metavar="FILE", help="Where the log goes; else among your games."),
]
NewGameOption = Annotated[
    str | None,
    typer.Option("--game", metavar="ID", help="The game's id; else the day and four characters."),
]
SealedOption = Annotated[
    bool,
    typer.Option("--sealed", help="Keep the seed out of the log until the game is finished."),
]
SpeedOption = Annotated[
    str,
    typer.Option(
        "--speed",
        metavar="SPEED",
        help="How long to pause on a terminal: slow, normal, fast, none, or seconds.",
    ),
]
HintsOption = Annotated[
    bool | None,
    typer.Option(
        "--hints/--no-hints",
        help="Say what each choice would lead to; by default until a first game is finished.",
    ),
]
PlainOption = Annotated[
    bool,
    typer.Option(
        "--plain",
        help="Lines instead of a full screen, also on a terminal; as with TENLOG_PLAIN=1.",
    ),
]
TrustOption = Annotated[
    bool,
    typer.Option(
        "--trust",
        envvar="TENLOG_TRUST",
        show_envvar=False,
        help="Run the programs and Python bots that the log names.",
    ),
]
NoArchiveOption = Annotated[
    bool, typer.Option("--no-archive", help="Do not add the finished game to your archive.")
]


def cores() -> int:
    """The processors that there are for us."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class SeatCommand(Command):
    """A command that has --player and --bot, and must know the order in which they were given."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        values, _, order = self.make_parser(ctx).parse_args(args=list(args))
        left = {name: iter(values.get(name) or ()) for name in ("player", "bot")}
        ctx.meta["tenlog.seats"] = [
            (param.name, next(left[param.name])) for param in order if param.name in left
        ]
        return super().parse_args(ctx, args)


def seats_asked(ctx: typer.Context) -> list[tuple[str, str]]:
    """What --player and --bot said, in the order in which they were given."""
    asked: list[tuple[str, str]] = ctx.meta.get("tenlog.seats", [])
    return asked
