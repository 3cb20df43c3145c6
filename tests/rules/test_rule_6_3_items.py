"""RULES 6.3: tokens, bust tokens and own cards pay, wilds and cards just taken included."""

from __future__ import annotations

import pytest

from tenlog.game.events import CardBought
from tests.rules.table import Buy, Draw, Given, Payment, TakeNumbers, pays


def given() -> Given:
    return Given(
        2, "R1 R2", market="B7", tokens=(4, 5), busts=(2, 3), cards=["G1 G1 W5 RW", "G9"]
    ).after(Draw(0), TakeNumbers(0))


@pytest.mark.parametrize(
    "payment",
    [
        pays(4, 1),
        pays(1, 2),
        pays(0, 2, "R1"),
        pays(4, 0, "G1 W5 RW"),
        pays(3, 0, "G1 G1 W5 R1"),
        pays(2, 0, "R1 G1 W5 RW G1"),
        pays(0, 1, "R1 G1 W5 RW"),
    ],
)
def test_any_mix(payment: Payment) -> None:
    table = given()
    assert table.when(Buy(0, "B7", payment)) == [CardBought(0, "B7", 7, payment)]


@pytest.mark.parametrize(
    "payment",
    [
        pays(5, 0, "G1 G1"),
        pays(0, 3),
        pays(4, 0, "G1 G1 G1"),
        pays(4, 0, "W5 W5 RW"),
        pays(4, 0, "G9 G1 G1"),
        pays(4, 0, "B7 G1 G1"),
        pays(4, 0, "C1 G1 G1"),
    ],
)
def test_only_what_one_owns(payment: Payment) -> None:
    given().refuses(Buy(0, "B7", payment), "6.3")
