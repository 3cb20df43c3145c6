"""RULES 5.1: currency cards go to the discard every time."""

from __future__ import annotations

import pytest

from tests.rules.table import Draw, Given, TakeCurrency, TakeNumbers


@pytest.mark.parametrize("how", ["numbers", "currency", "bust by numbers", "bust by currency"])
def test_currency_goes_to_the_discard(how: str) -> None:
    last = {"bust by numbers": "G9", "bust by currency": "C5"}.get(how, "G1")
    table = Given(2, f"R8 C4 C3 {last} B1").after(Draw(0), Draw(0), Draw(0))
    assert table.discard() == []
    if how == "numbers":
        table.after(TakeNumbers(0))
    elif how == "currency":
        table.after(TakeCurrency(0))
    else:
        table.after(Draw(0))
        if how == "bust by numbers":
            table = Given(2, "R9 C1 B9 G3 B1").after(Draw(0), Draw(0), Draw(0))
            assert table.discard() == ["C1"]
            return
        assert table.discard() == ["C3", "C4", "C5"]
        return
    assert table.discard() == ["C3", "C4"]
