"""Stepping through a game: in full screen, or line by line where there is none."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal, get_args

if TYPE_CHECKING:
    from tenlog.game.events import Event
    from tenlog.game.state import State

Way = Literal[
    "forward", "back", "next turn", "turn before", "next auction", "auction before", "first", "last"
]
WAYS: Final[tuple[Way, ...]] = get_args(Way)

_LINES: Final[dict[str, Way]] = {
    "": "forward", "f": "forward", "b": "back", "n": "next turn", "p": "turn before",
    "a": "next auction", "A": "auction before", "0": "first", "$": "last",
}  # fmt: skip
_HELP: Final = (
    "enter next event, b back, n next turn, p turn before, a next auction, A auction before, "
    "0 first, $ last, a number goes to that event, t the table, q quit"
)


def step_through(
    events: Sequence[Event],
    states: Sequence[State],
    *,
    you: Sequence[int] = (),
    plain: bool = False,
    verdict: str = "",
) -> None:
    """Show one event after another; forward, back, by turns, to auctions, to a number.

    ``verdict``: what is wrong with the log after the last event, in a few words.
    """
    from tenlog_cli import tui

    if tui.possible(plain):
        from tenlog_cli.tui.replay import run_replay

        run_replay(events, states, you=you, verdict=verdict)
    else:
        _in_lines(events, states, you)


def move(states: Sequence[State], at: int, way: Way) -> int:
    """Where a step leads to from event ``at``; where it leads nowhere, ``at`` itself."""
    last = len(states) - 1
    if way == "forward":
        return min(last, at + 1)
    if way == "back":
        return max(0, at - 1)
    if way == "first":
        return 0
    if way == "last":
        return last
    if way == "next turn":
        later = (n for n in range(at + 1, last + 1) if states[n].turn > states[at].turn)
        return next(later, last)
    if way == "turn before":
        starts = [n for n in range(at) if n == 0 or states[n].turn > states[n - 1].turn]
        return starts[-1] if starts else 0
    if way == "next auction":
        return next((n for n in range(at + 1, last + 1) if _opens_auction(states, n)), at)
    return next((n for n in range(at - 1, 0, -1) if _opens_auction(states, n)), at)


def _opens_auction(states: Sequence[State], n: int) -> bool:
    from tenlog.game.state import AUCTION

    return states[n].phase is AUCTION and states[n - 1].phase is not AUCTION


def _in_lines(events: Sequence[Event], states: Sequence[State], you: Sequence[int]) -> None:
    from tenlog_cli.paint import put, say, width
    from tenlog_cli.screen import table

    last = len(states) - 1
    say(_HELP, "dim")
    at = 0
    _tell(events, states, at)
    while True:
        try:
            typed = input(f"{at}/{last}> ").strip()
        except (EOFError, KeyboardInterrupt):
            sys.stdout.write("\n")
            return
        if not sys.stdin.isatty():
            sys.stdout.write("\n")
        if typed == "q":
            return
        if typed == "t":
            put(table(states[at], width(), you=you))
        elif typed in _LINES:
            at = move(states, at, _LINES[typed])
            _tell(events, states, at)
        elif typed.isascii() and typed.isdigit() and len(typed) < 10:
            at = min(last, int(typed))
            _tell(events, states, at)
        else:
            say(_HELP, "dim")


def _tell(events: Sequence[Event], states: Sequence[State], at: int) -> None:
    from tenlog.story import Span
    from tenlog_cli.paint import put, width, wrap
    from tenlog_cli.screen import event_lines

    before = states[at - 1] if at else None
    told = event_lines(events[at], before, states[at], 10_000)
    head = Span(f"{at} · turn {states[at].turn} · ", "dim")
    put(wrap([head, *(told[0] if told else [])], width(), 2))
