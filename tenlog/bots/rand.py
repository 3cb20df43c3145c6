"""``random``: whatever is allowed, each kind of decision as likely as another.

The yardstick of all other bots, and the fastest of them.
"""

from __future__ import annotations

from typing import ClassVar

from tenlog.bots.stream import Stream
from tenlog.game.cards import CARDS
from tenlog.game.commands import Bid, Buy, Command
from tenlog.game.legal import DECLINES, PASSES, buyable, turn_commands, worth
from tenlog.game.payments import any_payment
from tenlog.game.state import AUCTION, DRAW, State
from tenlog.game.view import View


class RandomBot:
    """Draws or takes, bids or passes, buys or declines at random."""

    version = "1"
    house: ClassVar[bool] = True

    def decide(self, view: View, stream: Stream) -> Command:
        """:meth:`choose`, as every bot is asked."""
        return self.choose(view.what_if(), stream)

    def choose(self, table: State, stream: Stream) -> Command:
        """A legal decision, uniformly among kinds, then among amounts or cards."""
        phase = table.phase
        seat = table.to_act
        if phase is DRAW:
            may = turn_commands(table)
            return may[stream.below(len(may))] if len(may) > 1 else may[0]
        # The coin is tossed first: where it says no, what else is allowed need not be asked.
        yes = stream.coin()
        if phase is AUCTION:
            if yes:
                least = table.bid + 1
                most = worth(table, seat, True)
                if most >= least:
                    amount = least + stream.below(most - least + 1)
                    return Bid(seat, amount, any_payment(table, seat, amount, auction=True))
            return PASSES[seat]
        if yes:
            kinds = buyable(table)
            if kinds:
                kind = kinds[stream.below(len(kinds))]
                return Buy(seat, CARDS[kind], any_payment(table, seat, kind % 9 + 1))
        return DECLINES[seat]
