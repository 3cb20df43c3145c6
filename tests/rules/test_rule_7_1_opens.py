"""RULES 7.1: turning up a wild of any kind opens an auction at once."""

from __future__ import annotations

import pytest

from tenlog.game.cards import CARDS, is_wild
from tenlog.game.events import CardDrawn
from tenlog.game.state import Phase
from tests.rules.table import Draw, Given


@pytest.mark.parametrize("wild", [card for card in CARDS if is_wild(CARDS.index(card))])
def test_every_wild(wild: str) -> None:
    table = Given(3, f"{wild} R1")
    assert table.when(Draw(0)) == [CardDrawn(0, wild)]  # type: ignore[arg-type]
    assert table.phase() == (Phase.AUCTION, 1)
    assert table.may() == ["Pass", "Bid"]
