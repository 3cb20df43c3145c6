"""What a bot is, and how one is named: ``greedy``, ``greedy:risk=0.2``."""

from __future__ import annotations

from typing import Protocol, TypeVar

from tenlog.bots.stream import Stream
from tenlog.errors import BotError
from tenlog.game.commands import Command
from tenlog.game.view import View


class Bot(Protocol):
    """Somebody who decides for a seat.

    What is decided should depend on the view and the stream alone: then a game can be resumed, and
    repeated to the byte.
    """

    def decide(self, view: View, stream: Stream) -> Command:
        """What the viewer does now; it must be one of the things that ``view.options`` allows."""
        ...


_Number = TypeVar("_Number", int, float)


def need_between(name: str, value: _Number, low: float, high: float) -> _Number:
    """A parameter itself, if it lies between two bounds, both included.

    Raises:
        BotError: it does not.
    """
    if not low <= value <= high:
        raise BotError(f"{name} must be {low} to {high}, not {value}")
    return value
