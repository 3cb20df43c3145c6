"""RULES 8.2: then each player, from the left round to the last one, has one more buy phase."""

from __future__ import annotations

from tenlog.game.events import CardBought, GameFinished
from tenlog.game.state import Phase
from tests.rules.table import Buy, Decline, Draw, Given, TakeCurrency, TakeNumbers, pays


def test_everyone_once() -> None:
    table = Given(3, "R1 R2", market="B1 B2 B3", cards=["", "", "G1"])
    table.after(Draw(0), TakeNumbers(0), Buy(0, "B1", pays(1)), Draw(1), TakeNumbers(1))
    table.after(Decline(1))
    assert table.phase() == (Phase.FINAL_BUY, 2)
    table.refuses(Decline(1), "8.2")
    assert table.when(Buy(2, "B2", pays(1, 0, "G1"))) == [CardBought(2, "B2", 2, pays(1, 0, "G1"))]
    assert table.phase() == (Phase.FINAL_BUY, 0)
    table.refuses(Draw(0), "8.2")
    table.after(Decline(0))
    assert table.phase() == (Phase.FINAL_BUY, 1)
    ends = table.when(Buy(1, "B3", pays(3)))
    assert ends[0] == CardBought(1, "B3", 3, pays(3))
    assert isinstance(ends[1], GameFinished)
    assert table.phase()[0] is Phase.OVER


def test_after_a_bust_and_after_currency_too() -> None:
    table = Given(2, "R9 R2", market="B1").after(Draw(0), Draw(0))
    table.after(Decline(1))
    assert table.may() == ["Buy", "Decline"]
    table = Given(2, "C1", market="B1").after(Draw(0), TakeCurrency(0), Decline(1))
    table.after(Buy(0, "B1", pays(1)))
