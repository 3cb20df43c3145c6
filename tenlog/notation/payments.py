"""How a one-line game says what was paid; two ways of paying need hardly a character.

The two rules below belong to the notation ``TEN1`` and are frozen with it: a line must mean the
same for ever, whatever becomes of :mod:`tenlog.game.payments` and of the bots that use it. They are
described in ``docs/notation.md`` and depend on nothing but the rules of the game.
"""

from __future__ import annotations

import re
from typing import Final

from tenlog.errors import IllegalMove
from tenlog.game.cards import CARDS, KIND, NUMBERS_END, Card
from tenlog.game.events import Payment
from tenlog.game.legal import worth
from tenlog.game.scoring import best_total
from tenlog.game.state import State, who

# What giving up one of these is taken to cost in the thrifty payment.
_COPY: Final = 1
_TOKEN: Final = 3
_BUST: Final = 7
MOST_VALUED: Final = 8  # cards whose loss is valued one by one; beyond that, the plain payment

_ITEMS = re.compile(r"(?:([1-9][0-9]{0,3})t)?(?:([1-9][0-9]{0,3})b)?((?:[RBOGW][1-9W])*)\Z")


def write_payment(payment: Payment) -> str:
    """A payment in full: tokens, bust tokens, cards in their order.

    >>> write_payment(Payment(2, 1, ("R4", "W7")))
    '2t1bR4W7'
    """
    tokens = f"{payment.tokens}t" if payment.tokens else ""
    busts = f"{payment.busts}b" if payment.busts else ""
    return tokens + busts + "".join(payment.cards)


def read_payment(text: str) -> Payment | None:
    """What :func:`write_payment` wrote, or None if the text is not of this form."""
    found = _ITEMS.match(text)
    if found is None:
        return None
    tokens, busts, pairs = found.groups()
    cards = [pairs[i : i + 2] for i in range(0, len(pairs), 2)]
    owned: list[Card] = [CARDS[KIND[card]] for card in cards if card in KIND]
    return Payment(int(tokens or 0), int(busts or 0), tuple(owned))


def plain(state: State, seat: int, price: int, *, auction: bool) -> Payment:
    """Bust tokens that fit into the price, then tokens, then cards in the order of the kinds; but
    one more bust token alone instead, if there is one and the tokens do not reach.

    Raises:
        IllegalMove: the seat can't pay so much.
    """
    value = state.rules.bust_value
    busts = min(state.busts[seat], price // value)
    rest = price - busts * value
    tokens = min(state.tokens[seat], rest)
    rest -= tokens
    if not rest:
        return Payment(tokens, busts, ())
    if state.busts[seat] > busts:
        return Payment(0, busts + 1, ())
    cards: list[Card] = []
    if state.rules.auction_cards or not auction:
        for kind, count in enumerate(state.cards[seat]):
            take = min(count, rest - len(cards))
            cards += [CARDS[kind]] * take
    if len(cards) < rest:
        most = worth(state, seat, auction)
        raise IllegalMove("6.3", f"{who(state, seat)} can pay {most} at most, not {price}")
    return Payment(tokens, busts, tuple(cards))


def thrifty(state: State, seat: int, price: int, *, auction: bool, bought: int = -1) -> Payment:
    """The payment that costs least, by the table of costs above; see ``docs/notation.md``.

    ``bought`` is the kind that is paid for in a buy phase, -1 in an auction.

    Raises:
        IllegalMove: the seat can't pay so much.
    """
    most = worth(state, seat, auction)
    if price > most:
        raise IllegalMove("6.3", f"{who(state, seat)} can pay {most} at most, not {price}")
    value = state.rules.bust_value
    tokens, busts = state.tokens[seat], state.busts[seat]
    spare: list[int] = []
    if state.rules.auction_cards or not auction:
        own = state.cards[seat]
        spare = [kind for kind in range(NUMBERS_END) for _ in range(own[kind] - 1)]
    missing = price - tokens - len(spare) - busts * value
    if missing > MOST_VALUED:
        return plain(state, seat, price, auction=auction)
    if missing > 0:
        cards = spare + _least_missed(state, seat, missing, bought, spare)
        return Payment(tokens, busts, tuple([CARDS[kind] for kind in cards]))
    offers: list[tuple[int, int, int, int]] = []
    for b in range(min(busts, -(-price // value)) + 1):
        rest = price - b * value
        if rest <= 0:
            offers.append((b * _BUST - rest * _TOKEN, b, 0, 0))
            continue
        for k in range(max(0, rest - tokens), min(len(spare), rest) + 1):
            t = rest - k
            offers.append((b * _BUST + k * _COPY + t * _TOKEN, b, t, k))
    _, b, t, k = min(offers)
    return Payment(t, b, tuple([CARDS[kind] for kind in spare[:k]]))


def _least_missed(state: State, seat: int, count: int, bought: int, spare: list[int]) -> list[int]:
    """Further cards, one by one: each time the one whose loss takes the fewest points from the
    collection as it would be after the purchase; at equal points number cards before wilds, then
    the lower kind."""
    bonus = state.rules.bonus
    left = bytearray(state.cards[seat])
    for kind in spare:
        left[kind] -= 1
    if bought >= 0:
        left[bought] += 1
    chosen: list[int] = []
    for _ in range(count):
        found: list[tuple[int, bool, int]] = []
        for kind, have in enumerate(left):
            if have > (kind == bought):
                left[kind] -= 1
                found.append((-best_total(bytes(left), bonus), kind >= NUMBERS_END, kind))
                left[kind] += 1
        kind = min(found)[2]
        left[kind] -= 1
        chosen.append(kind)
    return chosen
