"""What the next card may do, and what it is worth to draw it: from public cards alone.

The chances are exact: what is left in the deck is known to everybody, only its order is not, so
that each card of it is as likely as another to come next.

The worths are a model, all in points of RULES 9, and all measured against leaving the table as it
is. It looks one card ahead and says so; a player who looks further will at times know better.

- *Own points*: what the active player's collection scores with the cards minus what it scores now,
  wilds assigned best, as if the game ended here.
- *A token* is worth ``token`` points, whoever gets it; a bust token as much as the tokens that it
  pays for; a second copy of a number card, which can't score but pays 1, as much as a token. What
  the others receive counts against the player, as the mean over the others: that is how far the
  player falls behind each of them. Only tokens really received count (RULES 5.3).
- *Taking the numbers*: own points and second copies, minus what the others get, plus the best buy
  that it allows: its own points minus its price in tokens, if that gains and the player's tokens
  and bust tokens reach (RULES 6).
- *Taking the currency*: the tokens. The number cards go to the market, where they count for
  nobody: whoever wants one must still pay for it.
- *Busting*: a bust token, minus what the others get if numbers did it (RULES 5).
- *Drawing*: the mean over all cards that may come of the better reward after exactly one more
  card, or of the bust. A wild is taken to be sold for what it is worth, so it changes nothing; with
  an empty tableau that is 0.
"""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from tenlog.game.cards import CURRENCY, KINDS, NUMBERS_END, VALUE
from tenlog.game.decide import others_gain, own_gain
from tenlog.game.scoring import best_total
from tenlog.game.state import AUCTION, DRAW, SOLD, State

TOKEN: Final = 0.3  # points that a token is taken to be worth; right for few players, much for many

Choice = Literal["draw", "numbers", "currency"]


class Odds(msgspec.Struct, frozen=True):
    """The odds of the next card and the worth of drawing it.

    Attributes:
        seat: whose draw it would be: the active player, or the next one once the turn is decided.
        deck_left: how many cards the deck still has; the four counts below add up to it.
        safe: how many of them are number or currency cards that do not bust.
        wild: how many of them are wilds: an auction, and the turn goes on (RULES 4.4).
        bust_numbers: how many of them bust by numbers (RULES 4.3).
        bust_currency: how many of them bust by currency (RULES 4.3).
        bust: the chance that the next card busts, 0 to 1; 0 with an empty deck.
        token: the points that a token is taken to be worth below.
        draw: the worth, in points, of drawing one more card and then stopping at best; None where
            nobody may draw.
        numbers: the worth, in points, of taking the numbers now; None where that is not allowed.
        currency: the worth, in points, of taking the currency now; None where it is not allowed.
        best: what is worth most of these, the earlier of two equals in the order numbers, currency,
            draw; None where nobody is to draw or take.
    """

    seat: int
    deck_left: int
    safe: int
    wild: int
    bust_numbers: int
    bust_currency: int
    bust: float
    token: float
    draw: float | None
    numbers: float | None
    currency: float | None
    best: Choice | None


def odds(state: State, token: float = TOKEN) -> Odds:
    """The odds of the next card at a table, and what drawing is worth against stopping.

    In an auction the worths are those of the active player, as if the wild were gone already. Once
    a turn is decided (the buy phases, a bust), the chances are those of the next player's first
    card, and there are no worths.

    ``token`` is what a token is worth, in points (0 or more).
    """
    turn_goes_on = state.phase is DRAW or state.phase is AUCTION or state.phase is SOLD
    seats = state.rules.players
    seat = state.active if turn_goes_on else (state.active + 1) % seats
    total, currency = (state.total, state.currency) if turn_goes_on else (0, 0)
    unseen = state.unseen
    limit = state.rules.bust_limit
    by_numbers = sum(unseen[k] for k in range(NUMBERS_END) if total + VALUE[k] > limit)
    by_currency = sum(unseen[k] for k in range(CURRENCY, KINDS) if currency + VALUE[k] > limit)
    wild = sum(unseen[NUMBERS_END:CURRENCY])
    left = sum(unseen)
    draw = numbers = take = None
    best: Choice | None = None
    if turn_goes_on:
        model = _Model(state, token)
        numbers, take = model.rewards(state.tableau, state.currency)
        draw = model.draw(unseen, left) if left else None
        ranked: list[tuple[Choice, float | None]] = [
            ("numbers", numbers),
            ("currency", take),
            ("draw", draw),
        ]
        allowed = [(name, worth) for name, worth in ranked if worth is not None]
        if allowed:
            best = max(allowed, key=lambda choice: choice[1])[0]
    return Odds(
        seat=seat,
        deck_left=left,
        safe=left - wild - by_numbers - by_currency,
        wild=wild,
        bust_numbers=by_numbers,
        bust_currency=by_currency,
        bust=(by_numbers + by_currency) / left if left else 0.0,
        token=token,
        draw=draw,
        numbers=numbers,
        currency=take,
        best=best,
    )


class _Model:
    """The worths of the module's docstring, for the active player of one table."""

    def __init__(self, state: State, token: float) -> None:
        self.state = state.copy()  # to ask what other tableaus would give
        self.token = token
        self.own = state.cards[state.active]
        self.bonus = state.rules.bonus
        self.now = best_total(self.own, self.bonus)
        seat, rules = state.active, state.rules
        money = state.tokens[seat] + state.busts[seat] * rules.bust_value
        self.for_sale = [
            kind
            for kind, count in enumerate(state.market)
            if count and not self.own[kind] and VALUE[kind] <= money
        ]
        bust_token = rules.bust_value if state.bust_supply else 0
        self.consolation = bust_token * token

    def _lost_to_others(self, currency: int) -> float:
        others = self.state.rules.players - 1
        if not others or not currency:
            return 0.0
        self.state.currency = currency
        return self.token * sum(others_gain(self.state)) / others

    def rewards(self, tableau: tuple[int, ...], currency: int) -> tuple[float | None, float | None]:
        """What taking the numbers and taking the currency are worth, None where not allowed."""
        taken = [kind for kind in tableau if kind < NUMBERS_END]
        numbers = take = None
        if taken:
            cards = bytearray(self.own)
            copies = 0
            for kind in taken:
                copies += cards[kind] > 0
                cards[kind] += 1
            points = best_total(bytes(cards), self.bonus)
            gain = points - self.now + self.token * copies + self._best_buy(cards, points)
            numbers = gain - self._lost_to_others(currency)
        if currency:
            self.state.currency = currency
            take = self.token * own_gain(self.state)
        return numbers, take

    def _best_buy(self, cards: bytearray, points: int) -> float:
        best = 0.0
        for kind in self.for_sale:
            if cards[kind]:
                continue  # just taken: no second copy may be bought (RULES 6.6)
            cards[kind] = 1
            gain = best_total(bytes(cards), self.bonus) - points - VALUE[kind] * self.token
            cards[kind] = 0
            best = max(best, gain)
        return best

    def draw(self, unseen: bytes, left: int) -> float:
        """The mean over the cards that may come; there is at least one."""
        state = self.state
        tableau, total, currency = state.tableau, state.total, state.currency
        limit = state.rules.bust_limit
        as_it_is = self._better(tableau, currency)
        sum_of_worths = as_it_is * sum(unseen[NUMBERS_END:CURRENCY])
        for kind, count in enumerate(unseen):
            if not count or NUMBERS_END <= kind < CURRENCY:
                continue
            if kind < NUMBERS_END:
                if total + VALUE[kind] > limit:
                    worth = self.consolation - self._lost_to_others(currency)
                else:
                    worth = self._better((*tableau, kind), currency)
            elif currency + VALUE[kind] > limit:
                worth = self.consolation
            else:
                worth = self._better((*tableau, kind), currency + VALUE[kind])
            sum_of_worths += count * worth
        return sum_of_worths / left

    def _better(self, tableau: tuple[int, ...], currency: int) -> float:
        numbers, take = self.rewards(tableau, currency)
        return max([worth for worth in (numbers, take) if worth is not None], default=0.0)
