"""RULES 2.3: 27 currency cards, six of each value 1-4 and three of value 5."""

from __future__ import annotations

from tenlog.game.cards import CARDS, is_currency
from tenlog.game.ruleset import Rules, find_ruleset


def test_currency_cards() -> None:
    counts = Rules(find_ruleset("ten/1"), 5).counts
    currency = [counts[kind] for kind in range(len(CARDS)) if is_currency(kind)]
    assert currency == [6, 6, 6, 6, 3]
    assert sum(currency) == 27
