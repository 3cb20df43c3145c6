"""``cautious``: stops on good odds, takes what it sees, pays little. No plan beyond this turn."""

from __future__ import annotations

from typing import ClassVar

from tenlog.bots.base import need_between
from tenlog.bots.counting import bust_cards, unseen_cards
from tenlog.bots.stream import Stream
from tenlog.game.cards import CARDS, NUMBERS_END
from tenlog.game.commands import Bid, Buy, Command, Decline, Draw, Pass, TakeCurrency, TakeNumbers
from tenlog.game.legal import buyable
from tenlog.game.payments import suggest
from tenlog.game.scoring import best_total
from tenlog.game.state import AUCTION, DRAW, State
from tenlog.game.view import View


class CautiousBot:
    """Draws while the chance to bust is small; bids and buys what scores at once.

    Parameters:
        odds: the highest chance to bust that it still takes, 0 to 1.
        purse: the most that it bids, in tokens, 0 or more.
    """

    version = "1"
    house: ClassVar[bool] = True

    def __init__(self, odds: float = 0.15, purse: int = 4) -> None:
        self.odds = need_between("odds", odds, 0, 1)
        self.purse = need_between("purse", purse, 0, 1000)

    def decide(self, view: View, stream: Stream) -> Command:
        """:meth:`choose`, as every bot is asked."""
        return self.choose(view.what_if(), stream)

    def choose(self, table: State, stream: Stream) -> Command:
        """Its decision; it never needs randomness."""
        phase = table.phase
        if phase is DRAW:
            return self._turn(table)
        if phase is AUCTION:
            return self._bid(table)
        return self._buy(table)

    def _turn(self, table: State) -> Command:
        seat = table.to_act
        tableau = table.tableau
        if table.deck_left:
            unseen = unseen_cards(table)
            busts = sum(bust_cards(unseen, table.rules.bust_limit, table.total, table.currency))
            if not tableau or busts <= self.odds * table.deck_left:
                return Draw(seat)
        own = table.cards[seat]
        new = {kind for kind in tableau if kind < NUMBERS_END and not own[kind]}
        room = table.rules.token_limit - table.tokens[seat]
        if table.currency and min(table.currency, room) > 2 * len(new):
            return TakeCurrency(seat)
        if new or not table.currency:
            return TakeNumbers(seat)
        return TakeCurrency(seat)

    def _gain(self, table: State, kind: int) -> int:
        own = bytearray(table.cards[table.to_act])
        bonus = table.rules.bonus
        before = best_total(bytes(own), bonus)
        own[kind] += 1
        return best_total(bytes(own), bonus) - before

    def _bid(self, table: State) -> Command:
        seat = table.to_act
        amount = table.bid + 1
        if amount <= min(self.purse, table.tokens[seat]) and self._gain(table, table.wild) > 0:
            return Bid(seat, amount, suggest(table, seat, amount, auction=True, bought=table.wild))
        return Pass(seat)

    def _buy(self, table: State) -> Command:
        seat = table.to_act
        best, kept = -1, 0
        money = table.tokens[seat] + table.busts[seat] * table.rules.bust_value
        for kind in buyable(table):
            price = kind % 9 + 1
            # The cheapest of the cards that add the most.
            if price <= money:
                gain = self._gain(table, kind) * 10 - price
                if gain > kept:
                    best, kept = kind, gain
        if best < 0:
            return Decline(seat)
        return Buy(seat, CARDS[best], suggest(table, seat, best % 9 + 1, bought=best))
