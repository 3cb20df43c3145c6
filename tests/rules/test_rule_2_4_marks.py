"""RULES 2.4: 63 cards with 1 or 2 players, 96 with 3, 129 with 4 or 5."""

from __future__ import annotations

from tenlog.game.cards import CARDS, is_currency, is_number
from tenlog.game.ruleset import Rules, find_ruleset


def test_deck_sizes() -> None:
    sizes = [Rules(find_ruleset("ten/1"), players).deck_size for players in range(1, 6)]
    assert sizes == [63, 63, 96, 129, 129]


def test_what_is_marked() -> None:
    small, middle, large = (Rules(find_ruleset("ten/1"), players).counts for players in (2, 3, 4))
    for kind, card in enumerate(CARDS):
        copies = (small[kind], middle[kind], large[kind])
        if is_currency(kind):
            assert copies == ((1, 2, 3) if card == "C5" else (2, 4, 6))
        elif is_number(kind) and card[1] in "123456":
            assert copies == (1, 2, 3)
        else:
            assert len(set(copies)) == 1, "all other cards bear no mark"
