"""RULES 4.5: after a card that did not bust: draw again, or stop; not with an empty tableau."""

from __future__ import annotations

from tests.rules.table import Draw, Given, Pass, TakeCurrency, TakeNumbers


def test_draw_or_stop() -> None:
    table = Given(2, "R1 C1 R2").after(Draw(0))
    assert table.may() == ["Draw", "TakeNumbers"]
    table.after(Draw(0))
    assert table.may() == ["Draw", "TakeNumbers", "TakeCurrency"]
    table.after(Draw(0))
    assert table.may() == ["TakeNumbers", "TakeCurrency"]
    table.refuses(Draw(0), "8.1")


def test_only_wilds_oblige_to_draw() -> None:
    table = Given(1, "WW C1").after(Draw(0), Pass(0))
    assert table.may() == ["Draw"]
    table.refuses(TakeNumbers(0), "5.2")
    table.refuses(TakeCurrency(0), "5.2")
