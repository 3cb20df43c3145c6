"""RULES 9.2: each wild once, as one card that it can stand for; the highest total."""

from __future__ import annotations

import pytest

from tenlog.game.scoring import score_cards


@pytest.mark.parametrize(
    ("cards", "points"),
    [
        ("B1 B2 B3 B5 B7 BW", 5),
        ("B1 B2 B3 B5 B7 BW W6", 7),
        ("RW", 1),
        ("R1 RW RW", 3),
        ("R1 BW", 2),
        ("W5 W6", 2),
        ("R1 B1 W2", 3),
        ("R1 B1 WW", 3),
        ("R1 R2 R4 B1 B3 W3", 5),
        ("R1 R2 R3 R4 WW R6 R7 R8 R9", 10),
        ("R1 R3 R5 RW B7 W4", 6),
    ],
)
def test_the_best_assignment(cards: str, points: int) -> None:
    score = score_cards(cards.split())
    assert score.total == points
    assert len(score.wilds) <= sum("W" in card for card in cards.split())


def test_always_the_same_one() -> None:
    cards = ["R1", "R3", "B1", "B3", "O7", "W2", "WW", "RW"]
    assert score_cards(cards) == score_cards(cards[::-1])
