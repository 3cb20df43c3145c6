"""RULES 9.1: a point a card in the longest run of each colour; a full run one more; at most 40."""

from __future__ import annotations

import pytest

from tenlog.game.cards import CARDS
from tenlog.game.scoring import score_cards


@pytest.mark.parametrize(
    ("cards", "points"),
    [
        ("", 0),
        ("R5", 1),
        ("B1 B2 B3 B5 B7", 3),
        ("R3 R3", 1),
        ("R1 R2 R3 R7 R8 R9", 3),
        ("R1 R2 R8 R9 R7", 3),
        ("R9 R1", 1),
        ("R1 B2 O3 G4", 4),
        ("R1 R2 R3 R4 R5 B1 B2 B3 O4 O5 G9 G7 G9", 11),
        ("R1 R2 R3 R4 R5 R6 R7 R8", 8),
        ("R1 R2 R3 R4 R5 R6 R7 R8 R9", 10),
    ],
)
def test_points(cards: str, points: int) -> None:
    assert score_cards(cards.split()).total == points


def test_the_most_is_forty() -> None:
    every = [card for card in CARDS if not card.startswith("C")]
    assert score_cards(every).total == 40
