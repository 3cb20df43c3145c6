"""Counting the cards that are out: what the deck still holds, and how much of it busts."""

from __future__ import annotations

from tenlog.game.cards import CURRENCY, KINDS, NUMBERS_END, OWNED_END
from tenlog.game.state import State

_from = int.from_bytes
_NUMBER_BYTES = tuple(256**kind for kind in range(KINDS))


def unseen_cards(table: State) -> bytes:
    """What the deck still holds, as 55 counts by kind: :attr:`State.unseen`, sooner.

    All counts of a collection are subtracted at once, as the digits of one number in base 256: no
    digit ever borrows, because no more cards are out than there are.
    """
    left = _from(table.rules.counts, "little") - _from(table.discard, "little")
    left -= _from(table.market, "little")
    for counts in table.cards:
        left -= _from(counts, "little")
    for kind in table.tableau:
        left -= _NUMBER_BYTES[kind]
    if table.wild >= 0:
        left -= _NUMBER_BYTES[table.wild]
    return left.to_bytes(KINDS, "little")


def bust_cards(unseen: bytes, limit: int, total: int, currency: int) -> tuple[int, int]:
    """How many unseen cards bust by numbers and by currency (RULES 4.3)."""
    numbers = coins = 0
    safe = limit - total  # numbers up to this are safe
    if safe < 9:
        # Numbers of one colour stand together: the ones that bust are the end of each nine.
        first = max(safe, 0)
        numbers = (
            sum(unseen[first:9])
            + sum(unseen[9 + first : 18])
            + sum(unseen[18 + first : 27])
            + sum(unseen[27 + first : NUMBERS_END])
        )
    safe = limit - currency
    if safe < 5:
        coins = sum(unseen[CURRENCY + max(safe, 0) : KINDS])
    return numbers, coins


def wilds_left(unseen: bytes) -> int:
    """How many wilds the deck still holds."""
    return sum(unseen[NUMBERS_END:OWNED_END])
