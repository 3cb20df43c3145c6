"""RULES 4.3: a total, or a currency total, of 11 or more busts; exactly 10 is safe."""

from __future__ import annotations

from tenlog.game.events import Busted, CardDrawn
from tenlog.game.state import Phase
from tests.rules.table import Draw, Given


def test_bust_by_numbers() -> None:
    table = Given(2, "R9 R1 B1 G1").after(Draw(0), Draw(0))
    assert table.state.total == 10
    assert table.phase() == (Phase.DRAW, 0)
    assert table.when(Draw(0)) == [CardDrawn(0, "B1"), Busted(0, "numbers", (0, 0), 1)]
    assert table.phase() == (Phase.DRAW, 1)


def test_bust_by_currency() -> None:
    table = Given(2, "C5 B5 C1 C4 C1 G1").after(Draw(0), Draw(0), Draw(0), Draw(0))
    assert table.state.currency == 10
    assert table.when(Draw(0)) == [CardDrawn(0, "C1"), Busted(0, "currency", (0, 0), 1)]


def test_currency_makes_room_for_numbers() -> None:
    table = Given(2, "R9 C2 B3 G1 R2").after(Draw(0), Draw(0), Draw(0))
    assert table.state.total == 10
    assert table.when(Draw(0)) == [CardDrawn(0, "G1"), Busted(0, "numbers", (0, 2), 1)]


def test_a_total_below_zero_is_safe() -> None:
    table = Given(2, "C5 C5 R1").after(Draw(0), Draw(0))
    assert table.state.total == -10
    assert table.may() == ["Draw", "TakeCurrency"]
