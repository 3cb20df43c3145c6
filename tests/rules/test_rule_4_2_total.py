"""RULES 4.2: number and currency cards join the tableau; the total is numbers minus currency."""

from __future__ import annotations

from tenlog.game.cards import CARDS
from tests.rules.table import Draw, Given


def test_total_and_currency_total() -> None:
    table = Given(2, "R3 C5 B2 C2").after(Draw(0), Draw(0))
    assert (table.state.total, table.state.currency) == (-2, 5)
    table.after(Draw(0), Draw(0))
    assert (table.state.total, table.state.currency) == (-2, 7)
    assert [CARDS[kind] for kind in table.state.tableau] == ["R3", "C5", "B2", "C2"]
