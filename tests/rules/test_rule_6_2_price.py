"""RULES 6.2: the price is the card's number."""

from __future__ import annotations

import pytest

from tenlog.game.events import CardBought
from tests.rules.table import Buy, Draw, Given, TakeNumbers, pays


@pytest.mark.parametrize("number", range(1, 10))
def test_the_price_is_the_number(number: int) -> None:
    card = f"B{number}"
    table = Given(2, "R1 R2", market=card, tokens=(10, 5)).after(Draw(0), TakeNumbers(0))
    table.refuses(Buy(0, card, pays(number - 1)), "6.4")  # type: ignore[arg-type]
    table.refuses(Buy(0, card, pays(number + 1)), "6.4")  # type: ignore[arg-type]
    [bought] = table.when(Buy(0, card, pays(number)))  # type: ignore[arg-type]
    assert bought == CardBought(0, card, number, pays(number))  # type: ignore[arg-type]
