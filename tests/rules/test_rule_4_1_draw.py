"""RULES 4.1: the first draw of a turn is obligatory, further cards come one by one."""

from __future__ import annotations

from tenlog.game.events import CardDrawn
from tests.rules.table import Draw, Given, TakeCurrency, TakeNumbers


def test_the_first_draw_is_obligatory() -> None:
    table = Given(2, "R1 R2")
    assert table.may() == ["Draw"]
    table.refuses(TakeNumbers(0), "5.2")
    table.refuses(TakeCurrency(0), "5.2")
    assert table.when(Draw(0)) == [CardDrawn(0, "R1")]
    assert table.when(Draw(0)) == [CardDrawn(0, "R2")]


def test_only_the_active_player_draws() -> None:
    table = Given(3, "R1 R2 C1").after(Draw(0))
    for seat in (1, 2, 3):
        table.refuses(Draw(seat), "4.1")
