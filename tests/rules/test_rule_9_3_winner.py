"""RULES 9.3: most points, then most tokens, then fewest cards, else shared."""

from __future__ import annotations

import pytest

from tenlog.game.decide import winners
from tenlog.game.scoring import score_cards
from tests.rules.table import Draw, Given


@pytest.mark.parametrize(
    ("cards", "tokens", "busts", "expected"),
    [
        (("R1 R2", "R3", ""), (0, 9, 10), (0, 0, 0), (0,)),
        (("R1", "B1", ""), (5, 6, 10), (0, 0, 0), (1,)),
        (("R1", "B1", "O1"), (6, 6, 5), (0, 0, 9), (0, 1)),
        (("R1 R1", "B1", "O1 O3"), (6, 6, 6), (0, 0, 0), (1,)),
        (("R1 R5", "B1", "WW"), (6, 6, 6), (0, 0, 0), (1, 2)),
        (("", "", ""), (5, 5, 5), (3, 0, 0), (0, 1, 2)),
    ],
)
def test_winners(
    cards: tuple[str, ...],
    tokens: tuple[int, ...],
    busts: tuple[int, ...],
    expected: tuple[int, ...],
) -> None:
    table = Given(3, "G8", cards=cards, tokens=tokens, busts=busts)
    table.after(Draw(0))
    state = table.state.copy()
    scores = tuple(score_cards(table.owned(seat)).total for seat in range(3))
    assert winners(state, scores) == expected
