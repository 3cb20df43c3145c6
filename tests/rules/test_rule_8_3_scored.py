"""RULES 8.3: then the game is scored; what is left in the market counts for nobody."""

from __future__ import annotations

from tenlog.game.events import BuyDeclined, GameFinished
from tests.rules.table import Buy, Decline, Draw, Given, Pass, TakeNumbers, pays


def test_the_end() -> None:
    table = Given(2, "R1 R2", market="R3 R4").after(Draw(0), Draw(0), TakeNumbers(0), Decline(0))
    table.after(Decline(1))
    assert table.when(Decline(0)) == [BuyDeclined(0), GameFinished((2, 0), (0,), "stacked")]
    assert table.may() == []
    for command in (Draw(0), TakeNumbers(0), Pass(1), Decline(1), Buy(0, "R3", pays(3))):
        table.refuses(command, "8.3")
