"""``greedy``: counts the cards that are out, and takes what adds most to its own final score.

Everything is measured in points: a card by what it adds to the outlook of the collection
(:mod:`tenlog.bots.outlook`), a token by what it is likely to buy: the more others there are who pay
tokens out to all, the less that is. It draws as long as the mean over the cards that may come, each
exactly as likely as it is, is better than stopping.
"""

from __future__ import annotations

from functools import lru_cache
from typing import ClassVar, Final

from tenlog.bots.base import need_between
from tenlog.bots.counting import bust_cards, unseen_cards
from tenlog.bots.outlook import BITS, LEVELS, Holding, Table, Tables, wild_gain
from tenlog.bots.stream import Stream
from tenlog.game.cards import CARDS, CURRENCY, KIND, KINDS, NUMBERS_END, Card
from tenlog.game.commands import Bid, Buy, Command, Decline, Draw, Pass, TakeCurrency, TakeNumbers
from tenlog.game.events import Payment
from tenlog.game.payments import suggest
from tenlog.game.ruleset import Rules
from tenlog.game.scoring import best_total
from tenlog.game.state import AUCTION, BUY, DRAW, OVER, State
from tenlog.game.view import View

# What things came to: a token in points if there is one other player, bust tokens and spare copies
# in tokens.
_TOKEN: Final = 0.45
_BUST: Final = 2.5
_SPARE: Final = 2.0


class GreedyBot:
    """Values cards, bids and buys by what they add to its own final score.

    Parameters:
        risk: how many points worse than stopping a draw may look and still be made, -5 to 5.
        token: what a token is worth in points if there is one other player, 0 to 5; with more of
            them as many times less.
        hope: the chance to get a given copy of a card while a whole deck is drawn, 0 to 1.
        bend: how that chance shrinks with the deck, as the power of what is left, 0.1 to 10.
        bust: how many tokens a bust token is felt to be worth, 0 to 10.
        bid: the part of a wild's worth that it bids at most, 0 to 2.
        late: from how many rounds before the end tokens lose their worth, 0 to 20.
        envy: what a token of each other player counts against it, as a part of token, 0 to 2.
    """

    version = "2"
    house: ClassVar[bool] = True

    def __init__(
        self,
        risk: float = 0.0,
        token: float = 0.4,
        hope: float = 0.25,
        bend: float = 0.6,
        bust: float = 1.0,
        bid: float = 1.0,
        late: float = 4.0,
        envy: float = 0.5,
    ) -> None:
        self.risk = need_between("risk", risk, -5, 5)
        self.token = need_between("token", token, 0, 5)
        self.hope = need_between("hope", hope, 0, 1)
        self.bend = need_between("bend", bend, 0.1, 10)
        self.bust = need_between("bust", bust, 0, 10)
        self.bid = need_between("bid", bid, 0, 2)
        self.late = need_between("late", late, 0, 20)
        self.envy = need_between("envy", envy, 0, 2)
        self._rules: Rules | None = None
        self._tables: dict[int, Table] = {}
        self._hold = lru_cache(maxsize=4096)(self._read)

    def decide(self, view: View, stream: Stream) -> Command:
        """:meth:`choose`, as every bot is asked."""
        return self.choose(view.what_if(), stream)

    def choose(self, state: State, stream: Stream) -> Command:
        """Its decision; it never needs randomness."""
        self._know(state)
        phase = state.phase
        if phase is DRAW:
            return self._turn(state)
        if phase is AUCTION:
            return self._auction(state)
        if phase is BUY:
            return self._buy(state)
        return self._last_buy(state)

    def standings(self, state: State) -> list[float]:
        """By seat: what collection, spare copies, tokens and bust tokens come to, in points.

        Not what it decides by: fitted to how games of ``greedy`` at 2 to 5 seats ended.
        """
        self._know(state)
        if state.phase is OVER:
            # Tokens break ties, then fewer cards do (RULES 9.3).
            return [
                score + tokens / 1000 - sum(cards) / 1_000_000
                for score, tokens, cards in zip(
                    state.scores, state.tokens, state.cards, strict=True
                )
            ]
        level = self._level(state)
        seats = state.rules.players
        token = _TOKEN / (seats - 1) if seats > 1 else _TOKEN
        rounds = state.deck_left / (3.0 * seats)
        if rounds < 4.0:
            token *= (rounds + 3.0) / 7.0  # there is one more purchase at the end
        found: list[float] = []
        for seat, cards in enumerate(state.cards):
            held = self._hold(cards, level)
            money = state.tokens[seat] + _BUST * state.busts[seat] + _SPARE * held.spare
            found.append(held.value + token * money)
        return found

    def _know(self, state: State) -> None:
        if state.rules is not self._rules:
            self._rules = state.rules
            self._tables = Tables(state.rules, self.hope, self.bend)
            self._hold.cache_clear()

    def _read(self, counts: bytes, level: int) -> Holding:
        return Holding(counts, self._tables[level])

    def _level(self, state: State) -> int:
        return -(-state.deck_left * LEVELS // state.rules.deck_size)

    def _token_worth(self, state: State) -> float:
        """What a token is likely to buy, in points.

        Whoever takes numbers pays each of the others (RULES 5), so what comes in by the round grows
        with the number of others, and so do the prices: there are as many wilds as ever. A token
        that can't be spent any more is worth nothing: in the last rounds it fades.
        """
        seats = state.rules.players
        token = self.token / (seats - 1) if seats > 1 else self.token
        rounds = state.deck_left / (3.0 * seats)
        return token if rounds >= self.late else token * (rounds + 1) / (self.late + 1)

    # The turn (RULES 4, 5)

    def _turn(self, state: State) -> Command:
        seat = state.to_act
        left = state.deck_left
        tableau = state.tableau
        if not tableau:
            return Draw(seat)
        rules = state.rules
        total, currency = state.total, state.currency
        by_numbers = by_currency = 0
        unseen = b""
        if left:
            limit = rules.bust_limit
            if total <= limit - 9 and currency <= limit - 5:
                return Draw(seat)
            unseen = unseen_cards(state)
            by_numbers, by_currency = bust_cards(unseen, limit, total, currency)
            if not by_numbers and not by_currency:
                return Draw(seat)
        level = self._level(state)
        table = self._tables[level]
        held = self._hold(state.cards[seat], level)
        token = self._token_worth(state)
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
        tokens = state.tokens
        most = rules.token_limit
        others = rules.players - 1
        envy = self.envy * token / others if others else 0.0
        rooms = [most - has for has in tokens]
        room = rooms.pop(seat)
        loss = envy * sum([min(currency, other) for other in rooms]) if currency else 0.0
        numbers = value - held.value + spare * token - loss if has_numbers else -99.0
        money = token * min(currency, room) if currency else -99.0
        stop = numbers if numbers >= money else money
        if left:
            # The mean of the better reward after one more card.
            consolation = self.bust * token if state.bust_supply else 0.0
            mean = by_numbers * (consolation - loss) + by_currency * consolation
            mean += stop * sum(unseen[NUMBERS_END:CURRENCY])
            base = numbers if has_numbers else -loss
            reach = min(max(rules.bust_limit - total, 0), 9)  # the highest number that is safe
            kind = 0
            for colour in range(4):
                row, mask = rows[colour], masks[colour]
                now = base - row[mask]
                for count, bit in zip(unseen[kind : kind + reach], BITS, strict=False):
                    if count:
                        after = base + token if mask & bit else now + row[mask | bit]
                        mean += count * (after if after > money else money)
                kind += 9
            base = numbers + loss
            for kind in range(CURRENCY, KINDS):
                amount = currency + kind - CURRENCY + 1
                if unseen[kind] and amount <= rules.bust_limit:
                    after = token * (amount if amount < room else room)
                    if has_numbers:
                        keep = base - envy * sum([min(amount, other) for other in rooms])
                        if keep > after:
                            after = keep
                    mean += unseen[kind] * after
            if mean / left > stop - self.risk:
                return Draw(seat)
        return TakeNumbers(seat) if numbers >= money else TakeCurrency(seat)

    # The auction (RULES 7)

    def _auction(self, state: State) -> Command:
        seat = state.to_act
        level = self._level(state)
        token = self._token_worth(state)
        least = state.bid + 1
        mine = self._limit(state, seat, level, token)
        if mine < least:
            return Pass(seat)
        amount = least
        # Those asked later bid the same way: to top them is enough, and they can't be topped twice.
        seats = state.rules.players
        for later in range(state.asked + 1, seats):
            if amount >= mine:
                break
            rival = self._limit(state, (state.active + 1 + later) % seats, level, token)
            if rival >= amount:
                amount = rival + 1
        amount = min(amount, mine)
        return Bid(seat, amount, suggest(state, seat, amount, auction=True, bought=state.wild))

    def _limit(self, state: State, seat: int, level: int, token: float) -> int:
        """The most that a seat would bid, without giving cards that may score."""
        rules = state.rules
        held = self._hold(state.cards[seat], level)
        gain = wild_gain(self._tables[level], held, state.wild)
        if gain <= 0:
            return 0
        purse = state.tokens[seat] + state.busts[seat] * rules.bust_value
        if rules.auction_cards:
            purse += held.spare
        most = self.bid * gain
        return purse if most >= purse * token else int(most / token)

    # The market (RULES 6)

    def _buy(self, state: State) -> Command:
        seat = state.to_act
        level = self._level(state)
        table = self._tables[level]
        own = state.cards[seat]
        held = self._hold(own, level)
        token = self._token_worth(state)
        purse = held.spare + state.tokens[seat] + state.busts[seat] * state.rules.bust_value
        best, most = -1, 0.0
        for kind, count in enumerate(state.market):
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
        return Buy(seat, CARDS[best], suggest(state, seat, best % 9 + 1, bought=best))

    def _last_buy(self, state: State) -> Command:
        """Nothing counts but the score now, and cards that are of no use pay (RULES 8.2)."""
        seat = state.to_act
        own = state.cards[seat]
        table = self._tables[0]
        held = self._hold(own, 0)
        purse = state.tokens[seat] + state.busts[seat] * state.rules.bust_value + sum(own)
        wanted: list[tuple[float, int, int]] = []
        for kind, count in enumerate(state.market):
            price = kind % 9 + 1
            if count and not own[kind] and price <= purse:
                colour = kind // 9
                row, mask = table[held.free[colour]], held.masks[colour]
                gain = row[mask | BITS[kind]] - row[mask]
                if gain > 0:
                    wanted.append((-gain, price, kind))
        wanted.sort()
        score = best_total(own, state.rules.bonus)
        best: Buy | None = None
        most = 0
        for less, price, kind in wanted[:3]:
            if -less <= most:
                break
            payment = self._last_payment(state, held, kind, price)
            if payment is None:
                continue
            cards = bytearray(own)
            cards[kind] += 1
            for card in payment.cards:
                cards[KIND[card]] -= 1
            net = best_total(bytes(cards), state.rules.bonus) - score
            if net > most:
                best, most = Buy(seat, CARDS[kind], payment), net
        return best if best is not None else Decline(seat)

    def _last_payment(self, state: State, held: Holding, bought: int, price: int) -> Payment | None:
        """How to pay at the end: cards that might score only where all else does not reach."""
        seat = state.to_act
        tokens, busts = state.tokens[seat], state.busts[seat]
        short = price - held.spare - tokens - busts * state.rules.bust_value
        if short <= 0:
            return suggest(state, seat, price, bought=bought)
        own = state.cards[seat]
        table = self._tables[0]
        masks = list(held.masks)
        masks[bought // 9] |= BITS[bought]
        cards: list[Card] = []
        givable: list[int] = []
        for kind in range(NUMBERS_END):
            if own[kind]:
                cards += [CARDS[kind]] * (own[kind] - 1)
                givable.append(kind)
        for _ in range(short):
            found, least = -1, 1.0
            for kind in givable:
                row, mask = table[held.free[kind // 9]], masks[kind // 9]
                loss = row[mask] - row[mask & ~BITS[kind]]
                if loss < least:
                    found, least = kind, loss
            if found < 0:
                return None  # every card that is left would cost a point
            givable.remove(found)
            masks[found // 9] &= ~BITS[found]
            cards.append(CARDS[found])
        return Payment(tokens, busts, tuple(cards))
