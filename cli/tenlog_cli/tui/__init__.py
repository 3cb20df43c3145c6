"""The full screen, for a terminal: a game that is played, and a game that is stepped through.

Textual draws it; what is drawn is made of the same lines as everywhere else (:mod:`.panes`), and
what is decided goes through the same :mod:`tenlog.play`. Nothing here is imported before a full
screen is wanted and possible; where it is not, the plain lines do the same.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

LEAST: Final = (36, 16)  # columns and lines that a full screen needs
ENDED: Final = 128 + signal.SIGTERM  # the exit code of a program that a signal ended


def possible(plain: bool = False) -> bool:
    """Whether a full screen is wanted and can be had: on a terminal that is large enough, unless
    ``plain``, TENLOG_PLAIN (as for a screen reader), or TERM=dumb says otherwise."""
    from importlib.util import find_spec

    from tenlog_cli.output import ascii_only, on_terminal

    if plain or os.environ.get("TENLOG_PLAIN", "") not in ("", "0"):
        return False
    if not (on_terminal() and sys.stdin.isatty()) or ascii_only():
        return False
    size = os.get_terminal_size(sys.stdout.fileno())
    large = size.columns >= LEAST[0] and size.lines >= LEAST[1]
    return large and find_spec("textual") is not None


@contextmanager
def real_size() -> Iterator[None]:
    """COLUMNS and LINES put aside: a full screen goes by the window that is there, and follows it
    when it changes."""
    kept = {name: os.environ.pop(name, None) for name in ("COLUMNS", "LINES")}
    try:
        yield
    finally:
        os.environ.update({name: value for name, value in kept.items() if value is not None})


def motion() -> bool:
    """Whether something may flash: not with TENLOG_MOTION=0, nor if the settings say no."""
    from tenlog.errors import LogError
    from tenlog.play.player import read_settings
    from tenlog_cli.output import home

    if os.environ.get("TENLOG_MOTION") == "0":
        return False
    try:
        return read_settings(home()).motion
    except LogError:
        return True
