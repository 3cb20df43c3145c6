"""RULES 6.5: tokens and bust tokens return to the supply, cards paid go to the discard."""

from __future__ import annotations

from tests.rules.table import Buy, Draw, Given, TakeNumbers, pays


def test_where_payments_go() -> None:
    table = Given(2, "R1 R2", market="B7", busts=(1, 0), cards=["G4 WW"])
    table.after(Draw(0), TakeNumbers(0))
    assert (table.state.supply, table.state.bust_supply) == (40, 14)
    table.after(Buy(0, "B7", pays(1, 1, "R1 WW G4")))
    assert (table.state.supply, table.state.bust_supply) == (41, 15)
    assert table.discard() == ["R1", "G4", "WW"]
    assert table.owned(0) == ["B7"]
