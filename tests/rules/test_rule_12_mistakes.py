"""RULES 12: the ten mistakes that people make with these rules."""

from __future__ import annotations

from tenlog.game.decide import winners
from tenlog.game.events import (
    Busted,
    BuyDeclined,
    CardDrawn,
    CurrencyTaken,
    GameFinished,
    NumbersTaken,
)
from tenlog.game.scoring import score_cards
from tenlog.game.state import Phase
from tests.rules.table import Bid, Buy, Decline, Draw, Given, Pass, TakeCurrency, TakeNumbers, pays


def test_1_exactly_ten_is_no_bust() -> None:
    table = Given(2, "R9 R1 B1").after(Draw(0), Draw(0))
    assert table.may() == ["Draw", "TakeNumbers"]
    table = Given(2, "C5 C5 B1").after(Draw(0), Draw(0))
    assert table.may() == ["Draw", "TakeCurrency"]


def test_2_the_currency_limit_is_not_judged_on_the_total() -> None:
    table = Given(2, "R3 C5 C5 C1 R1").after(Draw(0), Draw(0), Draw(0))
    assert table.when(Draw(0)) == [CardDrawn(0, "C1"), Busted(0, "currency", (0, 0), 1)]


def test_3_no_buying_after_the_currency() -> None:
    table = Given(2, "C1 R1", market="B1").after(Draw(0), TakeCurrency(0))
    table.refuses(Buy(0, "B1", pays(1)), "4.1")
    table.refuses(Decline(0), "4.1")
    assert table.phase() == (Phase.DRAW, 1)


def test_4_a_currency_bust_pays_nobody() -> None:
    table = Given(3, "C5 C5 C1 R1").after(Draw(0), Draw(0), Draw(0))
    assert table.state.tokens == (5, 5, 5)


def test_5_each_other_player_gets_the_full_value() -> None:
    table = Given(4, "R1 C4 R2").after(Draw(0), Draw(0))
    assert table.when(TakeNumbers(0)) == [NumbersTaken(0, ("R1",), (0, 4, 4, 4))]


def test_6_a_buster_chooses_no_reward() -> None:
    table = Given(2, "R9 C1 R5 R1").after(Draw(0), Draw(0))
    # The bust follows the draw by itself; there is no moment for a choice.
    assert table.when(Draw(0)) == [CardDrawn(0, "R5"), Busted(0, "numbers", (0, 1), 1)]
    table.refuses(TakeNumbers(0), "4.1")
    table.refuses(TakeCurrency(0), "4.1")


def test_7_bust_tokens_count_neither_for_the_limit_nor_in_a_tie() -> None:
    table = Given(2, "C5 R1", tokens=(6, 6), busts=(9, 0)).after(Draw(0))
    assert table.when(TakeCurrency(0)) == [CurrencyTaken(0, 4, ())]
    tied = Given(2, "R1", tokens=(5, 5), busts=(9, 0))
    assert winners(tied.state, (3, 3)) == (0, 1)


def test_8_the_drawer_bids_last_and_once() -> None:
    table = Given(3, "WW R1").after(Draw(0))
    table.refuses(Bid(0, 1, pays(1)), "7.2")
    table.after(Bid(1, 1, pays(1)), Pass(2))
    table.after(Bid(0, 2, pays(2)))
    table.refuses(Bid(0, 3, pays(3)), "4.5")
    table.refuses(Bid(1, 3, pays(3)), "4.1")


def test_9_the_final_buys_leave_nobody_out() -> None:
    table = Given(3, "R1 R2 C1").after(Draw(0), TakeNumbers(0), Decline(0))
    table.after(Draw(1), TakeNumbers(1), Decline(1), Draw(2), TakeCurrency(2))
    for seat in (0, 1):
        assert table.when(Decline(seat)) == [BuyDeclined(seat)]
    assert table.when(Decline(2)) == [BuyDeclined(2), GameFinished((1, 1, 0), (0, 1), "stacked")]


def test_10_one_wild_is_one_card() -> None:
    assert score_cards(["R1", "R3", "B1", "B3", "W2"]).total == 4
    assert score_cards(["R1", "R3", "B1", "B3", "WW"]).total == 4
