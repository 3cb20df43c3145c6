"""How the bots that come with tenlog are asked when they play among themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Protocol, cast

from tenlog.bots.base import Bot
from tenlog.bots.stream import Stream
from tenlog.game.commands import Command
from tenlog.game.state import State

Choice = Callable[[State, Stream], Command]


class HouseBot(Protocol):
    """A bot that also chooses by the table itself.

    A table holds nothing but what everybody sees, so nothing is hidden by keeping it from a bot; a
    view only keeps strangers from changing it. Bots of the house only look, and what they choose is
    not checked where they play among themselves (:mod:`tenlog.bots.table`): they make it from what
    :mod:`tenlog.game.legal` says of the table.
    """

    house: ClassVar[bool]

    def choose(self, table: State, stream: Stream, /) -> Command:
        """What the seat that is asked does now; the table must not be changed."""
        ...


def choice_of(mind: Bot) -> Choice | None:
    """How to ask a bot of the house; None for any other bot."""
    return cast(HouseBot, mind).choose if getattr(mind, "house", False) else None
