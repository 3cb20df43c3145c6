"""RULES 5.3: nobody holds more than 10 tokens; others receive as far as the supply goes."""

from __future__ import annotations

from tenlog.game.events import Busted, CardDrawn, CurrencyTaken, NumbersTaken
from tests.rules.table import Decline, Draw, Given, TakeCurrency, TakeNumbers


def test_what_would_exceed_ten_is_not_taken() -> None:
    table = Given(4, "R1 C4 R2", tokens=(10, 10, 7, 0), busts=(0, 0, 5, 0)).after(Draw(0), Draw(0))
    assert table.when(TakeNumbers(0)) == [NumbersTaken(0, ("R1",), (0, 0, 3, 4))]
    table = Given(2, "C5 R2", tokens=(8, 5), busts=(4, 0)).after(Draw(0))
    assert table.when(TakeCurrency(0)) == [CurrencyTaken(0, 2, ())]


def test_the_supply_goes_clockwise_from_the_left() -> None:
    rules = {"tokens": {"start": 1, "limit": 10, "supply": 9}}
    table = Given(4, "G1 G2 C4 R1 R2", rules=rules)
    table.after(Draw(0), TakeNumbers(0), Decline(0))
    table.after(Draw(1), Draw(1))
    assert table.when(TakeNumbers(1)) == [NumbersTaken(1, ("G2",), (0, 0, 4, 1))]
    assert table.state.supply == 0


def test_an_empty_supply_gives_nothing() -> None:
    rules = {"seats": {"max": 2}, "tokens": {"start": 5, "limit": 10, "supply": 10}}
    table = Given(2, "C4 R1", rules=rules).after(Draw(0))
    assert table.when(TakeCurrency(0)) == [CurrencyTaken(0, 0, ())]


def test_a_bust_by_numbers_keeps_to_the_limit_too() -> None:
    table = Given(2, "C2 R9 R4 R1", tokens=(5, 9)).after(Draw(0), Draw(0))
    assert table.when(Draw(0)) == [CardDrawn(0, "R4"), Busted(0, "numbers", (0, 1), 1)]
