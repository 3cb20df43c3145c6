"""The command line: one table of commands, each in a module that is loaded when it is called.

Exit codes: 0 fine; 1 a finding (a difference, a fault, an illegal move); 2 wrong usage;
3 something unreadable or unwritable. Errors go to standard error. As with other programs, 130 is
Ctrl-C, and 141 a reader that went before the end (``| head``).
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Final, NoReturn

import typer

from tenlog import errors
from tenlog_cli.helping import Command, Group

INTERRUPTED: Final = 130  # 128 and the number of SIGINT, as a shell has it
UNREAD: Final = 141  # 128 and the number of SIGPIPE

_PLAY = "Play"
_LOOK = "Look at games"
_JUDGE = "Judge and share"
_MANY = "Many games"

# Command → module of this package, what it is called there (a function, or a Typer group), its one
# line of help, and its panel.
COMMANDS: Final[dict[str, tuple[str, str, str, str]]] = {
    "demo": ("demo", "demo", "A whole game between bots: shown, logged, verified.", _PLAY),
    "play": ("play", "play", "Play a game in the terminal.", _PLAY),
    "resume": ("play", "resume", "Go on with a game that was left.", _PLAY),
    "new": ("moves", "new", "Start a game to be played by single commands.", _PLAY),
    "draw": ("moves", "draw", "Draw a card.", _PLAY),
    "take": ("moves", "take", "Stop, and take the numbers or the currency.", _PLAY),
    "bid": ("moves", "bid", "Bid for the wild.", _PLAY),
    "pass": ("moves", "pass_", "Do not bid.", _PLAY),
    "buy": ("moves", "buy", "Buy a card from the market.", _PLAY),
    "decline": ("moves", "decline", "Do not buy.", _PLAY),
    "show": ("look", "show", "The table of a game.", _LOOK),
    "legal": ("look", "legal", "What may be done now.", _LOOK),
    "odds": ("look", "odds", "The odds of the next card, and what it is worth.", _LOOK),
    "replay": ("replay", "replay", "The story of a game, turn by turn.", _LOOK),
    "ls": ("look", "ls", "The games that are kept here.", _LOOK),
    "rules": ("reference", "rules", "The rules, the format, a ruleset.", _LOOK),
    "bots": ("bots", "app", "The bots that there are, and whether one behaves.", _LOOK),
    "audit": ("audit", "audit", "Judge logs that one need not trust.", _JUDGE),
    "seal": ("audit", "seal", "The last seal of a game, for writing down.", _JUDGE),
    "sign": ("audit", "sign", "Sign games, or make a key for it.", _JUDGE),
    "diff": ("diff", "diff", "Where two games part, and what it led to.", _JUDGE),
    "branch": ("branch", "branch", "A new game that shares the start of another one.", _JUDGE),
    "export": ("share", "export", "A game as one line, text, JSON or CSV.", _JUDGE),
    "import": ("share", "import_", "A log from a one-line game.", _JUDGE),
    "schema": ("schema", "schema", "JSON Schemas of logs, rulesets and outputs.", _JUDGE),
    "simulate": ("simulate", "simulate", "Many games between bots, repeatable.", _MANY),
    "tournament": ("tournament", "tournament", "Rate bots against each other.", _MANY),
    "archive": ("archive", "app", "Keep finished games to be asked.", _MANY),
    "query": ("query", "query", "Ask the archive in SQL.", _MANY),
    "report": ("report", "report", "What a designer asks of many games.", _MANY),
}


class LazyGroup(Group):
    """A group whose commands are imported when they are called, so that start-up stays fast."""

    def __init__(self, **attrs: Any) -> None:
        super().__init__(**attrs)
        for name, (_, _, text, panel) in COMMANDS.items():
            self.commands[name] = Command(name, help=text, rich_help_panel=panel)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] in COMMANDS:
            self.commands[args[0]] = load_command(args[0])
        return super().resolve_command(ctx, args)

    def make_context(self, *args: Any, **more: Any) -> Any:
        """Read the words after ``tenlog``; asking for help prints it here already."""
        with _ended_quietly():
            return super().make_context(*args, **more)

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        with _ended_quietly():
            return super().invoke(ctx)


@contextmanager
def _ended_quietly() -> Iterator[None]:
    """What a command has no use for ends it without a word: Ctrl-C, and a reader that has gone."""
    try:
        yield
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None
    except BrokenPipeError:
        raise SystemExit(UNREAD) from None


def load_command(name: str) -> Any:
    """The real command behind a name of the table."""
    module, attribute, text, _ = COMMANDS[name]
    room = import_module(f"tenlog_cli.{module}")
    found = getattr(room, attribute)
    if isinstance(found, typer.Typer):
        group = found
    else:
        group = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
        # A command may be of a class of its own, such as one that knows the order of its options.
        kind = getattr(room, "CLASSES", {}).get(attribute, Command)
        group.command(name, cls=kind, short_help=text)(found)
    command = typer.main.get_command(group)
    command.name = name
    return command


app = typer.Typer(
    name="tenlog",
    cls=LazyGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from tenlog import __version__

        typer.echo(f"tenlog {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version."
    ),
) -> None:
    """TEN in the terminal: play, replay, audit, diff and query games."""


def exit_code(error: errors.TenlogError) -> int:
    """The exit code that an error deserves: 1 a finding, 3 unreadable, unwritable
    or killed, else 2."""
    found = errors.IllegalMove | errors.UndoRefused | errors.LogFault | errors.SimulationError
    if isinstance(error, found):
        return 1
    if isinstance(error, errors.LogOver):  # nothing is wrong with that log
        return 2
    if isinstance(error, errors.LogError | errors.WorkerDied):
        return 3
    if isinstance(error, errors.ArchiveError) and not isinstance(error, errors.QueryError):
        return 3
    return 2


def main() -> NoReturn:
    """Run the command line; every error that a user can cause ends in a line on standard error."""
    from tenlog_cli.begin import open_streams

    open_streams()
    code = 0
    try:
        done = typer.main.get_command(app).main(prog_name="tenlog", standalone_mode=False)
        code = done if isinstance(done, int) else 0
    except typer.TyperException as error:
        _misused(error)
        code = 2
    except errors.TenlogError as error:
        rule = f" (rule {error.rule})" if isinstance(error, errors.IllegalMove) else ""
        _say(f"tenlog: {error}{rule}")
        _leave(exit_code(error))
    except SystemExit as leaving:
        _leave(leaving.code if isinstance(leaving.code, int) else 0)
    except (KeyboardInterrupt, typer.Abort):
        _leave(INTERRUPTED)
    except OSError as error:
        _mute(sys.stdout)
        _say(f"tenlog: {_failed(error)}")
        code = 3
    _leave(code)


def _misused(error: typer.TyperException) -> None:
    """What was wrong with the words after ``tenlog``; where there were none, what there is."""
    context = getattr(error, "ctx", None)
    message = error.format_message().strip().rstrip(".")
    if context is not None and context.get_help().startswith(message):
        sys.stdout.write(context.get_help() + "\n")
        return
    hint = "" if context is None else f"\n{context.command_path} --help says what there is"
    _say(f"tenlog: {message[:1].lower()}{message[1:]}{hint}")


def _failed(error: OSError) -> str:
    """What the system refused, where nobody could say it better."""
    reason = (error.strerror or str(error)).lower()
    if error.filename is not None:
        return f"can't read or write {error.filename}: {reason}"
    full = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)
    return f"can't {'write the output' if error.errno in full else 'go on'}: {reason}"


def _say(text: str) -> None:
    """One line on standard error; what a log says can't steer the terminal or be unencodable."""
    from tenlog_cli.output import folded, harmless

    stream = sys.stderr
    encoding = stream.encoding or "ascii"
    try:
        stream.write(folded(harmless(text)).encode(encoding, "replace").decode(encoding) + "\n")
        stream.flush()
    except OSError:
        _mute(stream)


def _mute(stream: Any) -> None:
    """A stream that failed leads nowhere from now on: what waits in it can't fail again at exit."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, stream.fileno())
    os.close(null)


def _leave(code: int) -> NoReturn:
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read has gone: nothing to say, and nothing left to flush at exit.
        _mute(sys.stdout)
        code = UNREAD
    except OSError as error:
        _mute(sys.stdout)
        _say(f"tenlog: {_failed(error)}")
        code = 3
    raise SystemExit(code)
