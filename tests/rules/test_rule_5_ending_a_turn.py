"""RULES 5: the four ways in which a turn ends."""

from __future__ import annotations

from tenlog.game.events import Busted, CardDrawn, CurrencyTaken, NumbersTaken
from tenlog.game.state import Phase
from tests.rules.table import Draw, Given, TakeCurrency, TakeNumbers


def test_taking_the_numbers() -> None:
    table = Given(3, "R3 C4 B5 G1 G2").after(Draw(0), Draw(0), Draw(0))
    assert table.when(TakeNumbers(0)) == [NumbersTaken(0, ("R3", "B5"), (0, 4, 4))]
    assert table.owned(0) == ["R3", "B5"]
    assert table.state.tokens == (5, 9, 9)
    assert table.phase() == (Phase.BUY, 0)


def test_taking_the_currency() -> None:
    table = Given(3, "B5 C4 R3 G1 G2").after(Draw(0), Draw(0), Draw(0))
    assert table.when(TakeCurrency(0)) == [CurrencyTaken(0, 4, ("B5", "R3"))]
    assert table.market() == ["R3", "B5"]
    assert table.state.tokens == (9, 5, 5)
    assert table.phase() == (Phase.DRAW, 1)


def test_bust_by_numbers() -> None:
    table = Given(3, "R9 C3 B6 G9 G2").after(Draw(0), Draw(0))
    assert table.when(Draw(0)) == [CardDrawn(0, "B6"), Busted(0, "numbers", (0, 3, 3), 1)]
    assert table.market() == ["R9", "B6"]
    assert (table.state.tokens, table.state.busts) == ((5, 8, 8), (1, 0, 0))
    assert table.phase() == (Phase.DRAW, 1)


def test_bust_by_currency() -> None:
    table = Given(3, "R9 C5 C5 C1 G2").after(Draw(0), Draw(0), Draw(0))
    assert table.when(Draw(0)) == [CardDrawn(0, "C1"), Busted(0, "currency", (0, 0, 0), 1)]
    assert table.market() == ["R9"]
    assert (table.state.tokens, table.state.busts) == ((5, 5, 5), (1, 0, 0))
    assert table.phase() == (Phase.DRAW, 1)
