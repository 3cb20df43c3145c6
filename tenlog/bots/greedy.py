"""``greedy``: counts the cards that are out, and takes what adds most to its own final score.

Everything is measured in points: a card by what it adds to the outlook of the collection
(:mod:`tenlog.bots.outlook`), a token by what it is likely to buy. It draws as long as the mean
over the cards that may come, each exactly as likely as it is, is better than stopping.
"""

from __future__ import annotations

from functools import lru_cache

from tenlog.bots.base import need_between
from tenlog.bots.counting import bust_cards, unseen_cards
from tenlog.bots.outlook import BITS, LEVELS, Holding, Table, tables, wild_gain
from tenlog.bots.stream import Stream
from tenlog.game.cards import CARDS, CURRENCY, KIND, KINDS, NUMBERS_END
from tenlog.game.commands import Bid, Buy, Command, Decline, Draw, Pass, TakeCurrency, TakeNumbers
from tenlog.game.ruleset import Rules
from tenlog.game.scoring import best_total
from tenlog.game.state import AUCTION, BUY, DRAW
from tenlog.game.view import View


class GreedyBot:
    """Values cards, bids and buys by what they add to its own final score.

    Parameters:
        risk: how many points worse than stopping a draw may look and still be made, -5 to 5.
        token: what a token is worth in points, 0 to 5.
        hope: the chance to get a given card yet while a whole deck is drawn, 0 to 1.
        bid: the part of a wild's worth that it bids at most, 0 to 2.
        late: from how many rounds before the end tokens lose their worth, 0 to 20.
        envy: what a token of each other player counts against it, as a part of token, 0 to 2.
    """

    version = "1"

    def __init__(
        self,
        risk: float = 0.1,
        token: float = 0.3,
        hope: float = 0.25,
        bid: float = 0.8,
        late: float = 2.0,
        envy: float = 0.5,
    ) -> None:
        self.risk = need_between("risk", risk, -5, 5)
        self.token = need_between("token", token, 0, 5)
        self.hope = need_between("hope", hope, 0, 1)
        self.bid = need_between("bid", bid, 0, 2)
        self.late = need_between("late", late, 0, 20)
        self.envy = need_between("envy", envy, 0, 2)
        self._rules: Rules | None = None
        self._tables: list[Table] = []
        self._hold = lru_cache(maxsize=4096)(self._read)

    def decide(self, view: View, stream: Stream) -> Command:
        """Its decision; it never needs randomness."""
        if view.rules is not self._rules:
            self._rules = view.rules
            self._tables = tables(view.rules, self.hope)
            self._hold.cache_clear()
        phase = view.phase
        if phase is DRAW:
            return self._turn(view)
        if phase is AUCTION:
            return self._auction(view)
        if phase is BUY:
            return self._buy(view)
        return self._last_buy(view)

    def _read(self, counts: bytes, level: int) -> Holding:
        return Holding(counts, self._tables[level])

    def _level(self, view: View) -> int:
        return -(-view.deck_left * LEVELS // view.rules.deck_size)

    def _token_worth(self, view: View) -> float:
        """A token that can't be spent any more is worth nothing: in the last rounds it fades."""
        rules = view.rules
        rounds = view.deck_left / (3.0 * rules.players)
        return self.token if rounds >= self.late else self.token * (rounds + 1) / (self.late + 1)

    # The turn (RULES 4, 5)

    def _turn(self, view: View) -> Command:
        seat = view.seat
        left = view.deck_left
        tableau = view.tableau
        if not tableau:
            return Draw(seat)
        rules = view.rules
        total, currency = view.total, view.currency
        by_numbers = by_currency = 0
        unseen = b""
        if left:
            limit = rules.bust_limit
            if total <= limit - 9 and currency <= limit - 5:
                return Draw(seat)
            unseen = unseen_cards(view)
            by_numbers, by_currency = bust_cards(unseen, limit, total, currency)
            if not by_numbers and not by_currency:
                return Draw(seat)
        level = self._level(view)
        table = self._tables[level]
        held = self._hold(view.cards[seat], level)
        token = self._token_worth(view)
        masks = list(held.masks)
        free = held.free
        spare = 0
        has_numbers = False
        for kind in tableau:
            if kind < NUMBERS_END:
                has_numbers = True
                colour = kind // 9
                if masks[colour] & BITS[kind]:
                    spare += 1
                else:
                    masks[colour] |= BITS[kind]
        rows = (table[free[0]], table[free[1]], table[free[2]], table[free[3]])
        value = rows[0][masks[0]] + rows[1][masks[1]] + rows[2][masks[2]] + rows[3][masks[3]]
        tokens = view.tokens
        most = rules.token_limit
        others = rules.players - 1
        envy = self.envy * token / others if others else 0.0

        def lost(amount: int) -> float:
            gains = 0
            if amount:
                for other, has in enumerate(tokens):
                    if other != seat:
                        gains += amount if has + amount <= most else most - has
            return gains * envy

        room = most - tokens[seat]
        loss = lost(currency)
        numbers = value - held.value + spare * token - loss if has_numbers else -99.0
        money = token * min(currency, room) if currency else -99.0
        stop = numbers if numbers >= money else money
        if left:
            # The mean of the better reward after one more card.
            consolation = rules.bust_value * token if view.bust_supply else 0.0
            mean = by_numbers * (consolation - loss) + by_currency * consolation
            mean += stop * sum(unseen[NUMBERS_END:CURRENCY])
            base = numbers if has_numbers else -loss
            safe = rules.bust_limit - total
            kind = 0
            for colour in range(4):
                row, mask = rows[colour], masks[colour]
                now = base - row[mask]
                for number in range(9 if safe > 9 else safe):
                    count = unseen[kind + number]
                    if count:
                        bit = 1 << number
                        after = base + token if mask & bit else now + row[mask | bit]
                        mean += count * (after if after > money else money)
                kind += 9
            base = numbers + loss
            for kind in range(CURRENCY, KINDS):
                amount = currency + kind - CURRENCY + 1
                if unseen[kind] and amount <= rules.bust_limit:
                    after = token * min(amount, room)
                    if has_numbers:
                        after = max(after, base - lost(amount))
                    mean += unseen[kind] * after
            if mean / left > stop - self.risk:
                return Draw(seat)
        return TakeNumbers(seat) if numbers >= money else TakeCurrency(seat)

    # The auction (RULES 7)

    def _auction(self, view: View) -> Command:
        seat = view.seat
        least = view.bid + 1
        mine = self._limit(view, seat)
        if mine < least:
            return Pass(seat)
        amount = least
        # Those asked later bid the same way: to top them is enough, and they can't be topped twice.
        rules = view.rules
        for later in range(view.asked + 1, rules.players):
            other = (view.active + 1 + later) % rules.players
            rival = self._limit(view, other)
            if rival >= amount:
                amount = rival + 1
        amount = min(amount, mine)
        return Bid(seat, amount, view.suggest(amount, auction=True, bought=view.wild))

    def _limit(self, view: View, seat: int) -> int:
        """The most that a seat would bid, without giving cards that may score."""
        rules = view.rules
        level = self._level(view)
        held = self._hold(view.cards[seat], level)
        purse = view.tokens[seat] + view.busts[seat] * rules.bust_value
        if rules.auction_cards:
            purse += held.spare
        gain = wild_gain(self._tables[level], held, view.wild)
        token = self._token_worth(view)
        if gain >= purse * token:
            return purse if gain > 0 else 0
        return min(purse, int(self.bid * gain / token))

    # The market (RULES 6)

    def _buy(self, view: View) -> Command:
        seat = view.seat
        level = self._level(view)
        table = self._tables[level]
        own = view.cards[seat]
        held = self._hold(own, level)
        token = self._token_worth(view)
        purse = held.spare + view.tokens[seat] + view.busts[seat] * view.rules.bust_value
        best, most = -1, 0.0
        for kind, count in enumerate(view.market):
            if count and not own[kind]:
                price = kind % 9 + 1
                if price <= purse:
                    colour = kind // 9
                    row, mask = table[held.free[colour]], held.masks[colour]
                    gain = row[mask | BITS[kind]] - row[mask] - price * token
                    if gain > most:
                        best, most = kind, gain
        if best < 0:
            return Decline(seat)
        return Buy(seat, CARDS[best], view.suggest(best % 9 + 1, bought=best))

    def _last_buy(self, view: View) -> Command:
        """Nothing counts but the score now, and cards that are of no use pay (RULES 8.2)."""
        seat = view.seat
        own = view.cards[seat]
        bonus = view.rules.bonus
        score = best_total(own, bonus)
        gains: list[tuple[int, int, int]] = []
        for kind in view.options.buys:
            cards = bytearray(own)
            cards[kind] += 1
            gain = best_total(bytes(cards), bonus) - score
            if gain > 0:
                gains.append((-gain, kind % 9 + 1, kind))
        gains.sort()
        best: Buy | None = None
        most = 0
        for gain, price, kind in gains:
            if -gain <= most:
                break
            payment = view.suggest(price, bought=kind)
            cards = bytearray(own)
            cards[kind] += 1
            for card in payment.cards:
                cards[KIND[card]] -= 1
            net = best_total(bytes(cards), bonus) - score
            if net > most:
                best, most = Buy(seat, CARDS[kind], payment), net
        return best if best is not None else Decline(seat)
