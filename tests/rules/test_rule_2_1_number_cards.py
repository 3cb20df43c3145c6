"""RULES 2.1: 84 number cards, three copies of each 1-6 and one of each 7-9 in four colours."""

from __future__ import annotations

from tenlog.game.cards import CARDS, is_number
from tenlog.game.ruleset import Rules, find_ruleset


def test_number_cards() -> None:
    counts = Rules(find_ruleset("ten/1"), 5).counts
    numbers = {card: counts[kind] for kind, card in enumerate(CARDS) if is_number(kind)}
    assert sum(numbers.values()) == 84
    for card, copies in numbers.items():
        assert card[0] in "RBOG"
        assert copies == (3 if card[1] in "123456" else 1)
