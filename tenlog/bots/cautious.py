"""``cautious``: stops on good odds, takes what it sees, pays little. No plan beyond this turn."""

from __future__ import annotations

from tenlog.bots.base import need_between
from tenlog.bots.counting import bust_cards, unseen_cards
from tenlog.bots.stream import Stream
from tenlog.game.cards import CARDS, NUMBERS_END
from tenlog.game.commands import Bid, Buy, Command, Decline, Draw, Pass, TakeCurrency, TakeNumbers
from tenlog.game.scoring import best_total
from tenlog.game.state import AUCTION, DRAW
from tenlog.game.view import View


class CautiousBot:
    """Draws while the chance to bust is small; bids and buys what scores at once.

    Parameters:
        odds: the highest chance to bust that it still takes, 0 to 1.
        purse: the most that it bids, in tokens, 0 or more.
    """

    version = "1"

    def __init__(self, odds: float = 0.15, purse: int = 4) -> None:
        self.odds = need_between("odds", odds, 0, 1)
        self.purse = need_between("purse", purse, 0, 1000)

    def decide(self, view: View, stream: Stream) -> Command:
        """Its decision; it never needs randomness."""
        phase = view.phase
        if phase is DRAW:
            return self._turn(view)
        if phase is AUCTION:
            return self._bid(view)
        return self._buy(view)

    def _turn(self, view: View) -> Command:
        seat = view.seat
        tableau = view.tableau
        if view.deck_left:
            unseen = unseen_cards(view)
            busts = sum(bust_cards(unseen, view.rules.bust_limit, view.total, view.currency))
            if not tableau or busts <= self.odds * view.deck_left:
                return Draw(seat)
        own = view.cards[seat]
        new = {kind for kind in tableau if kind < NUMBERS_END and not own[kind]}
        room = view.rules.token_limit - view.tokens[seat]
        if view.currency and min(view.currency, room) > 2 * len(new):
            return TakeCurrency(seat)
        if new or not view.currency:
            return TakeNumbers(seat)
        return TakeCurrency(seat)

    def _gain(self, view: View, kind: int) -> int:
        own = bytearray(view.cards[view.seat])
        bonus = view.rules.bonus
        before = best_total(bytes(own), bonus)
        own[kind] += 1
        return best_total(bytes(own), bonus) - before

    def _bid(self, view: View) -> Command:
        seat = view.seat
        amount = view.bid + 1
        if amount <= min(self.purse, view.tokens[seat]) and self._gain(view, view.wild) > 0:
            return Bid(seat, amount, view.suggest(amount, auction=True, bought=view.wild))
        return Pass(seat)

    def _buy(self, view: View) -> Command:
        seat = view.seat
        best, kept = -1, 0
        money = view.tokens[seat] + view.busts[seat] * view.rules.bust_value
        for kind in view.options.buys:
            price = kind % 9 + 1
            # The cheapest of the cards that add the most.
            if price <= money:
                gain = self._gain(view, kind) * 10 - price
                if gain > kept:
                    best, kept = kind, gain
        if best < 0:
            return Decline(seat)
        return Buy(seat, CARDS[best], view.suggest(best % 9 + 1, bought=best))
