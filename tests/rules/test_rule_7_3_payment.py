"""RULES 7.3: a bid says how it would be paid; the highest bidder pays so and gets the wild."""

from __future__ import annotations

from tenlog.game.events import AuctionWon, BidPassed, BidPlaced
from tenlog.game.state import Phase
from tests.rules.table import Bid, Draw, Given, Pass, pays


def test_the_winner_pays_as_said() -> None:
    table = Given(3, "GW R1", busts=(0, 0, 1), cards=["", "", "B1"]).after(Draw(0))
    table.after(Bid(1, 2, pays(2)), Bid(2, 4, pays(0, 1, "B1")))
    assert table.when(Pass(0)) == [BidPassed(0), AuctionWon(2, "GW", 4, pays(0, 1, "B1"))]
    assert table.owned(2) == ["GW"]
    assert table.discard() == ["B1"]
    assert (table.state.tokens, table.state.busts) == ((5, 5, 5), (0, 0, 0))
    assert table.phase() == (Phase.DRAW, 0)


def test_the_payment_is_legal_under_6() -> None:
    table = Given(2, "GW R1", busts=(0, 1), cards=["R9", "B1"]).after(Draw(0))
    table.refuses(Bid(1, 3, pays(2)), "6.4")
    table.refuses(Bid(1, 3, pays(1, 1)), "6.4")
    table.refuses(Bid(1, 6, pays(6)), "6.3")
    table.refuses(Bid(1, 3, pays(2, 0, "R9")), "6.3")
    table.after(Bid(1, 2, pays(0, 1)))


def test_the_drawer_may_win() -> None:
    table = Given(2, "GW R1").after(Draw(0), Bid(1, 1, pays(1)))
    assert table.when(Bid(0, 2, pays(2))) == [
        BidPlaced(0, 2, pays(2)),
        AuctionWon(0, "GW", 2, pays(2)),
    ]
