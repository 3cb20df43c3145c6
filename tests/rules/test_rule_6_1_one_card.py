"""RULES 6.1: after taking the numbers: exactly one card from the market, or decline."""

from __future__ import annotations

from tenlog.game.events import BuyDeclined, CardBought
from tests.rules.table import Buy, Decline, Draw, Given, TakeNumbers, pays


def test_buy_one_or_decline() -> None:
    table = Given(2, "R1 R2", market="B3 B3 G2").after(Draw(0), TakeNumbers(0))
    assert table.may() == ["Buy", "Decline"]
    assert table.when(Buy(0, "G2", pays(2))) == [CardBought(0, "G2", 2, pays(2))]
    assert table.market() == ["B3", "B3"]
    assert table.owned(0) == ["R1", "G2"]
    table.refuses(Buy(0, "B3", pays(3)), "4.1")


def test_decline() -> None:
    table = Given(2, "R1 R2").after(Draw(0), TakeNumbers(0))
    assert table.may() == ["Decline"]
    table.refuses(Decline(1), "6.1")
    assert table.when(Decline(0)) == [BuyDeclined(0)]


def test_only_what_is_in_the_market() -> None:
    table = Given(2, "R1 R2", market="B3", cards=["", "G2 WW"]).after(Draw(0), TakeNumbers(0))
    for card in ("G2", "WW", "C1", "R2"):
        table.refuses(Buy(0, card, pays(2)), "6.1")


def test_only_after_taking_the_numbers() -> None:
    table = Given(2, "R1 C1 R2", market="B3").after(Draw(0))
    table.refuses(Buy(0, "B3", pays(3)), "4.5")
    table.refuses(Decline(0), "4.5")
