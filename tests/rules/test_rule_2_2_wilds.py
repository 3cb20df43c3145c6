"""RULES 2.2: 18 wilds: two colour wilds a colour, nine number wilds, one full wild."""

from __future__ import annotations

from tenlog.game.cards import CARDS, is_wild
from tenlog.game.ruleset import Rules, find_ruleset


def test_wilds() -> None:
    counts = Rules(find_ruleset("ten/1"), 5).counts
    wilds = {card: counts[kind] for kind, card in enumerate(CARDS) if is_wild(kind)}
    expected = dict.fromkeys(("RW", "BW", "OW", "GW"), 2)
    expected |= {f"W{number}": 1 for number in range(1, 10)} | {"WW": 1}
    assert wilds == expected
    assert sum(wilds.values()) == 18
