"""RULES 7.5: the wild itself, and the tableau, can't be used to pay."""

from __future__ import annotations

from tests.rules.table import Bid, Draw, Given, pays


def test_neither_wild_nor_tableau_pays() -> None:
    table = Given(1, "R1 C2 WW R2", tokens=(0,)).after(Draw(0), Draw(0), Draw(0))
    for card in ("WW", "R1", "C2"):
        table.refuses(Bid(0, 1, pays(0, 0, card)), "7.2")
    table = Given(1, "R1 C2 WW R2").after(Draw(0), Draw(0), Draw(0))
    for card in ("WW", "R1", "C2"):
        table.refuses(Bid(0, 1, pays(0, 0, card)), "6.3")
