"""The story of a game while it happens: what was told already, and what comes next."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Final

from tenlog.errors import SetupError
from tenlog.game.events import Event
from tenlog.game.evolve import evolve
from tenlog.game.state import State
from tenlog.story import Narrator, Passage
from tenlog_cli.output import on_terminal
from tenlog_cli.paint import put, width
from tenlog_cli.screen import passage_lines

PACES: Final = {"slow": 0.6, "normal": 0.2, "fast": 0.05, "none": 0.0}
LONGEST: Final = 60.0  # seconds that may be asked for


def pace_of(speed: str) -> float:
    """Seconds to wait after a passage, from a word or a number of seconds; none into a pipe.

    Raises:
        SetupError: there is no such speed.
    """
    pace = PACES.get(speed)
    if pace is None:
        try:
            pace = float(speed)
        except ValueError:
            pace = -1.0
    if not 0 <= pace <= LONGEST:
        raise SetupError(
            f"no speed {speed[:20]!r}: there are {', '.join(PACES)}, or seconds from 0 to "
            f"{LONGEST:g}"
        )
    return pace if on_terminal() else 0.0


class Teller:
    """Prints the story of a game, event by event."""

    def __init__(self, *, hide_seed: bool = False, pace: float = 0.0) -> None:
        self.narrator = Narrator(hide_seed=hide_seed)
        self.state: State | None = None
        self.pace = pace

    def skip(self, events: Iterable[Event]) -> None:
        """Take events as told."""
        for event in events:
            self.state = evolve(self.state, event)
            self.narrator.feed(event, self.state)
        self.narrator.flush()

    def tell(self, events: Iterable[Event]) -> None:
        """Print what these events were; bids and draws may be held back until they are complete."""
        for event in events:
            self.state = evolve(self.state, event)
            self._print(self.narrator.feed(event, self.state))

    def flush(self) -> None:
        """Print what was held back."""
        self._print(self.narrator.flush())

    def _print(self, passages: Iterable[Passage]) -> None:
        for passage in passages:
            if passage.kind in ("turn", "end"):
                put([[]])
            put(passage_lines(passage, width()))
            if self.pace and passage.kind != "game":
                time.sleep(self.pace * (3 if passage.kind == "bust" else 1))
