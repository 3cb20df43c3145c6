"""Stepping through a game with keys, on a terminal."""

from __future__ import annotations

import contextlib
import os
import select
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tenlog.game.events import Event
    from tenlog.game.state import State

_KEYS: Final = {
    "\x1b[C": "forward", " ": "forward", "l": "forward", "j": "forward", "\r": "forward",
    "\x1b[D": "back", "h": "back", "k": "back", "\x7f": "back",
    "\x1b[B": "next turn", "n": "next turn",
    "\x1b[A": "turn before", "p": "turn before",
    "a": "next auction", "g": "go to",
    "\x1b[H": "first", "0": "first", "\x1b[F": "last", "$": "last", "G": "last",
    "q": "quit", "\x1b": "quit", "\x03": "quit", "\x04": "quit", "": "quit",
}  # fmt: skip


def step_through(
    events: Sequence[Event], states: Sequence[State], *, you: Sequence[int] = ()
) -> None:
    """Show one event after another; forward, back, by turns, to auctions, to a number.

    Raises:
        SetupError: not on a terminal.
    """
    from tenlog.errors import SetupError
    from tenlog_cli.output import on_terminal

    if not (on_terminal() and sys.stdin.isatty()):
        raise SetupError("--step needs a terminal; --at N and --turn N show a table anywhere")
    at = 0
    with _raw_screen():
        while True:
            _draw(events, states, at, you)
            what = _KEYS.get(_key(), "")
            if what == "quit":
                return
            if what == "go to":
                at = _ask_number(len(states), at)
            else:
                at = move(states, at, what)


def move(states: Sequence[State], at: int, what: str) -> int:
    """Where a key leads to from event ``at``; where it leads nowhere, ``at`` itself."""
    last = len(states) - 1
    if what == "forward":
        return min(last, at + 1)
    if what == "back":
        return max(0, at - 1)
    if what == "first":
        return 0
    if what == "last":
        return last
    if what == "next turn":
        later = (n for n in range(at + 1, last + 1) if states[n].turn > states[at].turn)
        return next(later, last)
    if what == "turn before":
        starts = [n for n in range(at) if n == 0 or states[n].turn > states[n - 1].turn]
        return starts[-1] if starts else 0
    if what == "next auction":
        opens = (n for n in range(at + 1, last + 1) if _opens_auction(states, n))
        return next(opens, at)
    return at


def _opens_auction(states: Sequence[State], n: int) -> bool:
    from tenlog.game.state import AUCTION

    return states[n].phase is AUCTION and states[n - 1].phase is not AUCTION


@contextlib.contextmanager
def _raw_screen() -> Iterator[None]:
    """Keys one by one and unseen, on a screen of our own; all as it was afterwards."""
    import termios
    import tty

    handle = sys.stdin.fileno()
    before = termios.tcgetattr(handle)
    sys.stdout.write("\x1b[?1049h\x1b[?25l")
    sys.stdout.flush()
    try:
        tty.setraw(handle, termios.TCSADRAIN)
        # Line ends of what is printed still return the carriage.
        mode = termios.tcgetattr(handle)
        mode[1] |= termios.OPOST
        termios.tcsetattr(handle, termios.TCSADRAIN, mode)
        yield
    finally:
        termios.tcsetattr(handle, termios.TCSADRAIN, before)
        sys.stdout.write("\x1b[?25h\x1b[?1049l")
        sys.stdout.flush()


def _key() -> str:
    """The next key: a character, or an escape sequence as a whole."""
    handle = sys.stdin.fileno()
    data = os.read(handle, 1)
    if data == b"\x1b":
        while select.select([handle], [], [], 0.05)[0]:
            more = os.read(handle, 1)
            data += more
            if not more or more.isalpha() or more == b"~":
                break
        if data.startswith(b"\x1bO"):
            data = b"\x1b[" + data[2:]
    return data.decode("ascii", "replace")


def _draw(
    events: Sequence[Event], states: Sequence[State], at: int, you: Sequence[int], ask: str = ""
) -> None:
    from tenlog.story import Span
    from tenlog_cli.paint import colours, joined, painted, rule, width, wrap
    from tenlog_cli.screen import event_lines, table

    room = width()
    height = max(6, os.get_terminal_size(sys.stdout.fileno()).lines)
    state = states[at]
    foot = ask or (
        f"{at}/{len(states) - 1}  →← step  ↓↑ turn  a auction  g go to  q quit"
        if room >= 60
        else f"{at}/{len(states) - 1} →← ↓↑ a g q"
    )
    told = event_lines(events[at], states[at - 1] if at else None, state, room)
    lines = [*table(state, room, you=you), rule(room), *told]
    lines = [*lines[: height - 2], rule(room), *wrap([Span(foot, "key")], room)[:1]]
    depth = colours()
    text = "\r\n".join(painted(joined(line), depth) + "\x1b[K" for line in lines)
    sys.stdout.write("\x1b[H" + text + "\x1b[J")
    sys.stdout.flush()


def _ask_number(count: int, at: int) -> int:
    """The number of an event, typed; anything else leaves all as it is."""
    typed = ""
    while True:
        _prompt(f"go to event (0 to {count - 1}): {typed}")
        key = _key()
        if key in ("\r", "\n"):
            return min(count - 1, int(typed)) if typed else at
        if key in ("\x1b", "\x03", "\x04", "", "q"):
            return at
        if key == "\x7f":
            typed = typed[:-1]
        elif key.isdigit() and len(typed) < 9:
            typed += key


def _prompt(text: str) -> None:
    from tenlog_cli.paint import cut, width

    height = os.get_terminal_size(sys.stdout.fileno()).lines
    sys.stdout.write(f"\x1b[{height};1H\x1b[2K{cut(text, width())}")
    sys.stdout.flush()
