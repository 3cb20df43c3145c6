"""What the bots that come with tenlog share."""

from __future__ import annotations

from tenlog.bots.stream import Stream
from tenlog.game.commands import Command
from tenlog.game.state import State
from tenlog.game.view import View


class HouseBot:
    """A bot that comes with tenlog: it chooses by the table itself.

    A table holds nothing but what everybody sees, so nothing is hidden by keeping it from a bot; a
    view keeps strangers from changing it. Bots of the house only look, and what they choose is not
    checked where they play among themselves (:mod:`tenlog.bots.table`): they must make it from what
    :mod:`tenlog.game.legal` says of the table.
    """

    def choose(self, table: State, stream: Stream) -> Command:
        """What the seat that is asked does now; the table must not be changed."""
        raise NotImplementedError

    def decide(self, view: View, stream: Stream) -> Command:
        """:meth:`choose`, as every bot is asked."""
        return self.choose(view.what_if(), stream)
