"""RULES 3.2: the deck is shuffled as FORMAT 4 says; seat 0 takes the first turn."""

from __future__ import annotations

from collections import Counter

from tenlog.game.cards import CARDS
from tenlog.game.decide import Deck
from tenlog.game.events import CardDrawn
from tenlog.game.ruleset import Rules, find_ruleset
from tenlog.game.state import Phase
from tenlog.shuffle import shuffle
from tests.rules.table import Draw, Given


def test_the_deck_comes_from_the_seed() -> None:
    rules = Rules(find_ruleset("ten/1"), 2)
    deck = Deck(rules, "42")
    assert list(deck.order) == [rules.deck[place] for place in shuffle("42", 63)]
    # The example of FORMAT 4.
    assert [CARDS[kind] for kind in deck.order[:12]] == (
        ["C3", "W2", "B1", "C5", "OW", "R4", "W7", "C2", "R2", "G6", "O6", "R7"]
    )
    assert Counter(deck.order) == Counter(rules.deck)
    assert "42" not in repr(deck)


def test_seat_0_begins() -> None:
    table = Given(3, "R1 R2")
    assert table.phase() == (Phase.DRAW, 0)
    table.refuses(Draw(1), "4.1")
    assert table.when(Draw(0)) == [CardDrawn(0, "R1")]
