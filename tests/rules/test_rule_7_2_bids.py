"""RULES 7.2: once each, from the left of the active player; higher, and within means."""

from __future__ import annotations

from tenlog.game.events import BidPassed, BidPlaced
from tenlog.game.state import Phase
from tests.rules.table import Bid, Draw, Given, Pass, TakeCurrency, pays


def test_the_order() -> None:
    table = Given(3, "C1 WW R1").after(Draw(0), TakeCurrency(0), Draw(1))
    for seat in (2, 0, 1):
        for other in {0, 1, 2} - {seat}:
            table.refuses(Pass(other), "7.2")
            table.refuses(Bid(other, 1, pays(1)), "7.2")
        assert table.when(Pass(seat))[0] == BidPassed(seat)
    assert table.phase() == (Phase.DRAW, 1)


def test_higher_than_every_earlier_bid() -> None:
    table = Given(3, "WW R1").after(Draw(0))
    table.refuses(Bid(1, 0, pays(0)), "7.2")
    assert table.when(Bid(1, 2, pays(2))) == [BidPlaced(1, 2, pays(2))]
    for amount in (0, 1, 2):
        table.refuses(Bid(2, amount, pays(amount)), "7.2")
    table.after(Pass(2))
    table.refuses(Bid(0, 2, pays(2)), "7.2")
    table.after(Bid(0, 3, pays(3)))


def test_no_higher_than_what_the_bidder_owns() -> None:
    table = Given(2, "WW R1", tokens=(0, 2), busts=(0, 1), cards=["", "R3 W1"]).after(Draw(0))
    table.refuses(Bid(1, 8, pays(2, 1, "R3 W1")), "7.2")
    assert [c.amount for c in table.bids()] == list(range(1, 8))
    table.after(Bid(1, 7, pays(2, 1, "R3 W1")))
    table.refuses(Bid(0, 8, pays(0)), "7.2")
    assert table.may() == ["Pass"]
