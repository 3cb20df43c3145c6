"""RULES 7.4: if all pass, the wild goes to the discard."""

from __future__ import annotations

from tenlog.game.events import AuctionUnsold, BidPassed
from tenlog.game.state import Phase
from tests.rules.table import Draw, Given, Pass


def test_all_pass() -> None:
    table = Given(3, "W4 R1").after(Draw(0), Pass(1), Pass(2))
    assert table.when(Pass(0)) == [BidPassed(0), AuctionUnsold("W4")]
    assert table.discard() == ["W4"]
    assert table.phase() == (Phase.DRAW, 0)
