"""Payments as text, and the payment that a sensible player would choose."""

from __future__ import annotations

import re
from itertools import compress
from typing import Final

from tenlog.errors import IllegalMove
from tenlog.game.cards import CARDS, NUMBERS_END, OWNED_END, Card, card_of, kind_of
from tenlog.game.events import Payment
from tenlog.game.legal import worth
from tenlog.game.scoring import best_total
from tenlog.game.state import State, who

# What giving something up is felt to cost. A second copy of a number card can never score; a bust
# token used for its whole value is worth nothing at the end; a token breaks ties and is small
# change; any other card may yet become part of a run; a point is what the game is about.
_COPY: Final = 1
_BUST: Final = 7
_TOKEN: Final = 3
_CARD: Final = 8
_POINT: Final = 50

_OWNED_KINDS: Final = tuple(range(OWNED_END))

_ITEM = re.compile(r"(\d{1,4})([tb])|(\d{0,2})([RBOGWrbogw][1-9Ww])")


def payment_text(payment: Payment) -> str:
    """A payment in short: ``2t+1b+R4``; nothing paid is ``0``.

    >>> payment_text(Payment(2, 1, ("R4",)))
    '2t+1b+R4'
    """
    parts = []
    if payment.tokens:
        parts.append(f"{payment.tokens}t")
    if payment.busts:
        parts.append(f"{payment.busts}b")
    parts += payment.cards
    return "+".join(parts) or "0"


def short_payment(payment: Payment, room: int) -> str:
    """A payment in short; where so many characters can't name all cards, they are counted.

    >>> short_payment(Payment(2, 1, ("R4", "R5", "R6")), 13)
    '2t+1b+3 cards'
    """
    text = payment_text(payment)
    if len(text) <= room or len(payment.cards) < 2:
        return text
    money = payment_text(Payment(payment.tokens, payment.busts, ()))
    count = f"{len(payment.cards)} cards"
    return count if money == "0" else f"{money}+{count}"


def parse_payment(text: str) -> Payment:
    """The payment that a text names: tokens ``2t``, bust tokens ``1b``, cards ``R4``, with ``+``.

    Raises:
        IllegalMove: the text is not of this form.

    >>> parse_payment("2t+1b+R4")
    Payment(tokens=2, busts=1, cards=('R4',))
    """
    tokens = busts = 0
    cards: list[Card] = []
    if text != "0":
        for part in text.split("+"):
            item = _ITEM.fullmatch(part.strip())
            if item is None:
                raise IllegalMove(
                    "6.3",
                    f"no payment {part[:20]!r}: write tokens as 2t, bust tokens as 1b, "
                    "cards as R4, joined by +, such as 2t+1b+R4",
                )
            if item[2] == "t":
                tokens += int(item[1])
            elif item[2] == "b":
                busts += int(item[1])
            else:
                cards += [card_of(kind_of(item[4]))] * int(item[3] or 1)
    return Payment(tokens, busts, tuple(cards))


def suggest(
    state: State, seat: int, price: int, *, auction: bool = False, bought: int = -1
) -> Payment:
    """A legal payment that keeps what is worth most to the payer, always the same one.

    ``bought`` is the kind that the payment is for: cards are valued as if it were owned already.
    In an auction that is the wild that is up for it.

    Raises:
        IllegalMove: the seat can't pay so much (RULES 6.3).
    """
    most = worth(state, seat, auction)
    if price > most:
        raise IllegalMove("6.3", f"{who(state, seat)} can pay {most} at most, not {price}")
    if auction:
        bought = state.wild
    rules = state.rules
    tokens, busts = state.tokens[seat], state.busts[seat]
    cards_pay = rules.auction_cards or not auction
    spare = _spare_copies(state.cards[seat]) if cards_pay else []
    # Cards that might score are given only if everything else does not reach.
    free = tokens + len(spare) + busts * rules.bust_value
    cards = list(spare)
    costs = [_COPY] * len(spare)
    if free < price:
        extra, extra_costs = _least_missed(state, seat, price - free, spare, bought)
        cards += extra
        costs += extra_costs
    best: tuple[int, int, int, int] | None = None
    for b in range(min(busts, -(-price // rules.bust_value)) + 1):
        rest = price - b * rules.bust_value
        if rest <= 0:
            # No change is given: what is lost is felt like the tokens that it might have saved.
            candidate = (b * _BUST - rest * _TOKEN, b, 0, 0)
            if best is None or candidate < best:
                best = candidate
            continue
        felt = b * _BUST
        for k in range(min(len(cards), rest) + 1):
            if k:
                felt += costs[k - 1]
            t = rest - k
            if t <= tokens:
                candidate = (felt + t * _TOKEN, b, t, k)
                if best is None or candidate < best:
                    best = candidate
    assert best is not None
    _, b, t, k = best
    return Payment(t, b, tuple([CARDS[kind] for kind in cards[:k]]))


def any_payment(state: State, seat: int, price: int, *, auction: bool = False) -> Payment:
    """A legal payment that is found at once: bust tokens, then tokens, then cards in the order of
    the kinds. For who doesn't care what is kept; :func:`suggest` does.

    Raises:
        IllegalMove: the seat can't pay so much (RULES 6.3).
    """
    value = state.rules.bust_value
    owned = state.busts[seat]
    busts = min(owned, price // value) if owned else 0
    rest = price - busts * value
    tokens = state.tokens[seat]
    if tokens >= rest:
        return Payment(rest, busts, ())
    rest -= tokens
    if owned > busts:
        # One more bust token pays the rest by itself; tokens beside it would be superfluous.
        return Payment(0, busts + 1, ())
    cards: list[Card] = []
    if state.rules.auction_cards or not auction:
        own = state.cards[seat]
        for kind in compress(_OWNED_KINDS, own):
            take = min(own[kind], rest)
            cards += [CARDS[kind]] * take
            rest -= take
            if not rest:
                return Payment(tokens, busts, tuple(cards))
    most = worth(state, seat, auction)
    raise IllegalMove("6.3", f"{who(state, seat)} can pay {most} at most, not {price}")


def _spare_copies(own: bytes) -> list[int]:
    """Kinds of the second and further copies of number cards."""
    return [kind for kind in range(NUMBERS_END) if own[kind] > 1 for _ in range(own[kind] - 1)]


def _least_missed(
    state: State, seat: int, count: int, spare: list[int], bought: int
) -> tuple[list[int], list[int]]:
    """``count`` further cards of a collection in the order in which they are missed least, and what
    giving each up is felt to cost."""
    left = bytearray(state.cards[seat])
    for kind in spare:
        left[kind] -= 1
    if bought >= 0:
        left[bought] += 1
    bonus = state.rules.bonus
    kinds: list[int] = []
    costs: list[int] = []
    score = best_total(bytes(left), bonus)
    for _ in range(count):
        found: tuple[int, int, int] | None = None
        for kind, have in enumerate(bytes(left)):
            if not have or (kind == bought and have == 1):
                continue
            left[kind] -= 1
            loss = score - best_total(bytes(left), bonus)
            left[kind] += 1
            # At equal points, wilds are kept longer than number cards.
            candidate = (loss, int(kind >= NUMBERS_END), kind)
            if found is None or candidate < found:
                found = candidate
        assert found is not None
        loss, _, kind = found
        left[kind] -= 1
        score -= loss
        kinds.append(kind)
        costs.append(_CARD + _POINT * loss)
    return kinds, costs
