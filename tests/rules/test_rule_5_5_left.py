"""RULES 5.5: the turn passes to the left."""

from __future__ import annotations

from tenlog.game.state import Phase
from tests.rules.table import Decline, Draw, Given, TakeCurrency, TakeNumbers


def test_the_turn_goes_round() -> None:
    table = Given(3, "C1 C2 R9 R2 R1 C3 R3")
    assert table.after(Draw(0), TakeCurrency(0)).phase() == (Phase.DRAW, 1)
    assert table.after(Draw(1), TakeCurrency(1)).phase() == (Phase.DRAW, 2)
    assert table.after(Draw(2), Draw(2)).phase() == (Phase.DRAW, 0)
    assert table.after(Draw(0), TakeNumbers(0)).phase() == (Phase.BUY, 0)
    assert table.after(Decline(0)).phase() == (Phase.DRAW, 1)
    assert table.state.turn == 5
