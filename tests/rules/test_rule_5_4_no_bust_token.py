"""RULES 5.4: if no bust token is left in the supply, none is given."""

from __future__ import annotations

from tenlog.game.events import Busted, CardDrawn
from tests.rules.table import Draw, Given


def test_no_bust_token_left() -> None:
    table = Given(2, "R9 R2 B9 B2 G1", rules={"busts": {"supply": 1}}).after(Draw(0))
    assert table.when(Draw(0)) == [CardDrawn(0, "R2"), Busted(0, "numbers", (0, 0), 1)]
    table.after(Draw(1))
    assert table.when(Draw(1)) == [CardDrawn(1, "B2"), Busted(1, "numbers", (0, 0), 0)]
    assert (table.state.busts, table.state.bust_supply) == ((1, 0), 0)
