"""RULES 8.1: the player of the last card finishes the turn as usual, without drawing."""

from __future__ import annotations

from tenlog.game.events import (
    AuctionUnsold,
    AuctionWon,
    BidPassed,
    BidPlaced,
    Busted,
    CardDrawn,
    NothingTaken,
)
from tenlog.game.state import Phase
from tests.rules.table import Bid, Decline, Draw, Given, Pass, TakeNumbers, pays


def test_a_reward_and_a_buy_phase() -> None:
    table = Given(2, "C1 R1", market="B2").after(Draw(0), Draw(0))
    assert table.may() == ["TakeNumbers", "TakeCurrency"]
    table.refuses(Draw(0), "8.1")
    table.after(TakeNumbers(0))
    assert table.phase() == (Phase.BUY, 0)
    assert table.after(Decline(0)).phase() == (Phase.FINAL_BUY, 1)


def test_a_bust_with_the_last_card() -> None:
    table = Given(2, "R9 R8").after(Draw(0))
    assert table.when(Draw(0)) == [CardDrawn(0, "R8"), Busted(0, "numbers", (0, 0), 1)]
    assert table.phase() == (Phase.FINAL_BUY, 1)


def test_an_auction_with_the_last_card() -> None:
    table = Given(2, "R9 WW").after(Draw(0), Draw(0), Pass(1), Pass(0))
    assert table.may() == ["TakeNumbers"]


def test_an_empty_tableau_ends_the_turn() -> None:
    table = Given(2, "WW").after(Draw(0), Pass(1))
    assert table.when(Pass(0)) == [BidPassed(0), AuctionUnsold("WW"), NothingTaken(0)]
    assert table.phase() == (Phase.FINAL_BUY, 1)
    table = Given(2, "WW").after(Draw(0), Pass(1))
    assert table.when(Bid(0, 1, pays(1))) == [
        BidPlaced(0, 1, pays(1)),
        AuctionWon(0, "WW", 1, pays(1)),
        NothingTaken(0),
    ]
