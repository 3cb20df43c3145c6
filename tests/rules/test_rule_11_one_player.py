"""RULES 11: with one seat the rules hold as written."""

from __future__ import annotations

from tenlog.game.events import AuctionWon, BidPlaced, CardBought, GameFinished, NumbersTaken
from tenlog.game.state import Phase
from tests.rules.table import Bid, Buy, Decline, Draw, Given, TakeNumbers, pays
from tests.support import play_game


def test_nobody_else_receives() -> None:
    table = Given(1, "R1 C5 R2").after(Draw(0), Draw(0))
    assert table.when(TakeNumbers(0)) == [NumbersTaken(0, ("R1",), (0,))]
    assert table.after(Decline(0)).phase() == (Phase.DRAW, 0)


def test_an_auction_with_one_bidder() -> None:
    table = Given(1, "WW R1").after(Draw(0))
    assert table.phase() == (Phase.AUCTION, 0)
    assert table.when(Bid(0, 1, pays(1))) == [
        BidPlaced(0, 1, pays(1)),
        AuctionWon(0, "WW", 1, pays(1)),
    ]


def test_one_final_buy() -> None:
    table = Given(1, "R1", market="R2").after(Draw(0), TakeNumbers(0), Decline(0))
    assert table.phase() == (Phase.FINAL_BUY, 0)
    assert table.when(Buy(0, "R2", pays(2))) == [
        CardBought(0, "R2", 2, pays(2)),
        GameFinished((2,), (0,), "stacked"),
    ]


def test_a_whole_game() -> None:
    events, state = play_game("solo", 1)
    assert state.phase is Phase.OVER
    assert state.winners == (0,)
    assert len(events) > 63
