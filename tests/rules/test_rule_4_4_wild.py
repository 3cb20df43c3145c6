"""RULES 4.4: a wild never joins the tableau; after its auction the same player goes on."""

from __future__ import annotations

import pytest

from tenlog.game.events import CardDrawn
from tenlog.game.state import Phase
from tests.rules.table import Draw, Given, Pass


@pytest.mark.parametrize("wild", ["RW", "W7", "WW"])
def test_a_wild_interrupts(wild: str) -> None:
    table = Given(2, f"R9 {wild} B2").after(Draw(0))
    assert table.when(Draw(0)) == [CardDrawn(0, wild)]  # type: ignore[arg-type]
    assert table.state.total == 9
    assert table.phase() == (Phase.AUCTION, 1)
    table.refuses(Draw(0), "7.2")
    table.refuses(Draw(1), "7.2")
    table.after(Pass(1), Pass(0))
    assert table.phase() == (Phase.DRAW, 0)
    assert table.may() == ["Draw", "TakeNumbers"]
