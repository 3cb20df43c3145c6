"""RULES 5.2: numbers need a number card in the tableau, currency a currency card."""

from __future__ import annotations

from tenlog.game.events import CurrencyTaken, NumbersTaken
from tests.rules.table import Draw, Given, TakeCurrency, TakeNumbers


def test_numbers_need_a_number() -> None:
    table = Given(2, "C1 R1").after(Draw(0))
    table.refuses(TakeNumbers(0), "5.2")
    assert table.when(TakeCurrency(0)) == [CurrencyTaken(0, 1, ())]


def test_currency_needs_currency() -> None:
    table = Given(2, "R1 C1").after(Draw(0))
    table.refuses(TakeCurrency(0), "5.2")
    table.refuses(TakeNumbers(1), "4.1")
    assert table.when(TakeNumbers(0)) == [NumbersTaken(0, ("R1",), (0, 0))]
