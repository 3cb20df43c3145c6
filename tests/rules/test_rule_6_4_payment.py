"""RULES 6.4: enough, and no single item superfluous; excess is lost."""

from __future__ import annotations

import pytest

from tests.rules.table import Buy, Draw, Given, Payment, TakeNumbers, pays


@pytest.mark.parametrize(
    ("price", "payment"),
    [
        (4, pays(1, 1)),
        (4, pays(0, 2)),
        (1, pays(0, 1)),
        (2, pays(0, 1)),
        (7, pays(0, 3)),
        (7, pays(4, 1)),
        (6, pays(0, 2)),
        (3, pays(2, 0, "G5")),
    ],
)
def test_needed_items(price: int, payment: Payment) -> None:
    table = Given(
        2, "R1 R2", market=f"B{price}", tokens=(9, 5), busts=(3, 0), cards=["G5 G6"]
    ).after(Draw(0), TakeNumbers(0))
    supply, tokens = table.state.supply, table.state.tokens[0]
    table.after(Buy(0, f"B{price}", payment))  # type: ignore[arg-type]
    # What is paid above the price is lost: nothing comes back.
    assert table.state.tokens[0] == tokens - payment.tokens
    assert table.state.supply == supply + payment.tokens


@pytest.mark.parametrize(
    ("price", "payment"),
    [
        (4, pays(2, 1)),
        (4, pays(1, 2)),
        (4, pays(0, 3)),
        (4, pays(5, 0)),
        (3, pays(1, 1)),
        (2, pays(0, 1, "G5")),
        (4, pays(3, 0)),
        (4, pays(0, 1)),
        (4, pays(0, 0)),
        (9, pays(2, 2)),
    ],
)
def test_short_or_superfluous(price: int, payment: Payment) -> None:
    Given(2, "R1 R2", market=f"B{price}", tokens=(9, 5), busts=(3, 0), cards=["G5 G6"]).after(
        Draw(0), TakeNumbers(0)
    ).refuses(Buy(0, f"B{price}", payment), "6.4")  # type: ignore[arg-type]
