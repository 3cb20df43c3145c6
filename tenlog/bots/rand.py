"""``random``: whatever is allowed, each kind of decision as likely as another.

The yardstick of all other bots, and the fastest of them.
"""

from __future__ import annotations

from tenlog.bots.stream import Stream
from tenlog.game.cards import CARDS
from tenlog.game.commands import Bid, Buy, Command, Decline, Draw, Pass, TakeCurrency, TakeNumbers
from tenlog.game.view import View


class RandomBot:
    """Draws or takes, bids or passes, buys or declines at random."""

    version = "1"

    def decide(self, view: View, stream: Stream) -> Command:
        """A legal decision, uniformly among kinds, then among amounts or cards."""
        may = view.options
        seat = may.seat
        if may.draw or may.take_numbers or may.take_currency:
            if may.take_numbers:
                if may.take_currency:
                    chosen = stream.below(3) if may.draw else 1 + stream.below(2)
                else:
                    chosen = stream.below(2) if may.draw else 1
            elif may.take_currency:
                chosen = 2 * stream.below(2) if may.draw else 2
            else:
                chosen = 0
            if chosen == 0:
                return Draw(seat)
            return TakeNumbers(seat) if chosen == 1 else TakeCurrency(seat)
        if may.passing:
            if may.max_bid and stream.below(2):
                amount = may.min_bid + stream.below(may.max_bid - may.min_bid + 1)
                return Bid(seat, amount, view.any_payment(amount, auction=True))
            return Pass(seat)
        if may.buys and stream.below(2):
            kind = stream.choice(may.buys)
            return Buy(seat, CARDS[kind], view.any_payment(kind % 9 + 1))
        return Decline(seat)
