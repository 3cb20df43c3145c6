"""What all commands share when they print: consoles, JSON, and text that a log can't misuse."""

from __future__ import annotations

import os
import shlex
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console


def harmless(text: str) -> str:
    """A text from a log, a file name or a seed, so that it can't steer the terminal: control and
    direction-changing characters become visible escapes.

    >>> harmless("a\\x1b[31mb")
    'a\\\\x1b[31mb'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in text)


def on_terminal() -> bool:
    """Whether standard output is a terminal that can be drawn on."""
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def make_console(*, stderr: bool = False, soft_wrap: bool = False) -> Console:
    """A console that prints what it is given, as it is. Where its reader has gone it says so, as
    any other stream does: rich's own would end the command, with a code that means a finding."""
    from rich.console import Console

    class Plain(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return Plain(highlight=False, markup=False, emoji=False, stderr=stderr, soft_wrap=soft_wrap)


@cache
def console() -> Console:
    """Standard output: colours only on a terminal, and unless NO_COLOR is set."""
    return make_console(soft_wrap=not on_terminal())


@cache
def ascii_only() -> bool:
    """Whether the output's encoding has no box-drawing characters."""
    try:
        "─│●×".encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return True
    return False


def print_json(value: Any) -> None:
    """A value as one line of JSON on standard output."""
    import msgspec

    sys.stdout.buffer.write(msgspec.json.encode(value) + b"\n")


def folded(text: str) -> str:
    """What is said on standard error: folded between words where that is a terminal, and one line
    where a program reads it."""
    if not sys.stderr.isatty():
        return text
    from textwrap import wrap

    from tenlog_cli.paint import width

    # What is too long to be folded, as a path may be, stands behind its first word all the same.
    stuck = text.replace("tenlog: ", "tenlog:\0", 1)
    lines: list[str] = []
    for line in stuck.split("\n"):
        lines += wrap(line, width(), break_long_words=False, break_on_hyphens=False) or [""]
    return "\n".join(lines).replace("\0", " ")


def note(text: str) -> None:
    """A line for people on standard error."""
    sys.stderr.write(folded(harmless(text)) + "\n")


def home() -> Path:
    """Where tenlog keeps its things: TENLOG_HOME, or the user's folder for applications."""
    from pathlib import Path

    import typer

    return Path(os.environ.get("TENLOG_HOME") or typer.get_app_dir("tenlog"))


def shown_path(path: Path) -> str:
    """A path for people: the home folder as ~."""
    try:
        return f"~/{path.absolute().relative_to(type(path).home())}"
    except (ValueError, RuntimeError):
        return str(path)


def new_file(named: str | Path) -> Path:
    """A file that is to be written, as it was named: in a folder that is there, as no command makes
    one on the way to a file. (Our own folders are made where they are missing.)

    Raises:
        LogError: there is no such folder.
    """
    from pathlib import Path

    from tenlog.errors import LogError

    path = Path(named)
    if not os.path.lexists(path.parent):
        raise LogError(f"can't write {path}: there is no folder {path.parent}: make it first")
    return path


def in_shell(path: Path) -> str:
    """A path as a shell takes it: quoted where it has to be, the home folder as ~."""
    shown = shown_path(path)
    if shown.startswith("~/"):
        return "~/" + shlex.quote(shown[2:])
    return shlex.quote(f"./{shown}" if shown.startswith(("-", "~")) else shown)
