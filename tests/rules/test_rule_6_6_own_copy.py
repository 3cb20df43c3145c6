"""RULES 6.6: no card of the same colour and number as one in the collection."""

from __future__ import annotations

from tenlog.game.events import CardBought
from tests.rules.table import Buy, Draw, Given, TakeNumbers, pays


def test_no_second_copy() -> None:
    table = Given(2, "R1 R2", market="B3 R1 G3", cards=["B3", "R3"]).after(Draw(0), TakeNumbers(0))
    table.refuses(Buy(0, "B3", pays(3)), "6.6")
    table.refuses(Buy(0, "R1", pays(1)), "6.6")  # just taken


def test_paying_with_the_copy_does_not_lift_the_ban() -> None:
    table = Given(2, "R1 R2", market="B3", cards=["B3"]).after(Draw(0), TakeNumbers(0))
    table.refuses(Buy(0, "B3", pays(2, 0, "B3")), "6.6")
    assert table.may() == ["Decline"]


def test_wilds_never_count_as_a_copy() -> None:
    table = Given(2, "R1 R2", market="B3", cards=["BW W3 WW"]).after(Draw(0), TakeNumbers(0))
    assert table.when(Buy(0, "B3", pays(3))) == [CardBought(0, "B3", 3, pays(3))]


def test_two_copies_may_come_by_taking() -> None:
    table = Given(1, "R1 R1 R2").after(Draw(0), Draw(0), TakeNumbers(0))
    assert table.owned(0) == ["R1", "R1"]
