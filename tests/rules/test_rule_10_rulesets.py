"""RULES 10: rulesets are data, and each field does what it says."""

from __future__ import annotations

import pytest

from tenlog.errors import RulesetError, SetupError
from tenlog.game.cards import CARDS
from tenlog.game.events import AuctionUnsold, BidPassed, Busted, CardDrawn
from tenlog.game.ruleset import Rules, ruleset_from
from tests.rules.table import Bid, Buy, Draw, Given, Pass, TakeNumbers, pays


def test_unsold_wilds_to_the_drawer() -> None:
    table = Given(2, "WW R1", rules={"unsold_wild": "drawer"}).after(Draw(0), Pass(1))
    assert table.when(Pass(0)) == [BidPassed(0), AuctionUnsold("WW")]
    assert (table.owned(0), table.discard()) == (["WW"], [])


def test_spent_number_cards_to_the_market() -> None:
    table = Given(2, "R1 R2", market="B4", cards=["G5 W1"], rules={"spent_cards": "market"})
    table.after(Draw(0), TakeNumbers(0), Buy(0, "B4", pays(1, 0, "R1 G5 W1")))
    assert (table.market(), table.discard(), table.owned(0)) == (["R1", "G5"], ["W1"], ["B4"])


def test_a_card_spent_at_an_auction_is_in_the_market_at_once() -> None:
    table = Given(2, "R1 WW", cards=["", "G5"], rules={"spent_cards": "market"})
    table.after(Draw(0), Draw(0), Bid(1, 1, pays(0, 0, "G5")), Pass(0), TakeNumbers(0))
    table.after(Buy(0, "G5", pays(5)))


def test_cards_that_cannot_pay_in_auctions() -> None:
    table = Given(2, "R1 WW R2", cards=["", "G5 G6"], market="B2", rules={"auction_cards": False})
    table.after(Draw(0), Draw(0))
    table.refuses(Bid(1, 1, pays(0, 0, "G5")), "10")
    table.refuses(Bid(1, 6, pays(5, 0, "G5")), "7.2")
    table.after(Bid(1, 5, pays(5)), Pass(0), TakeNumbers(0))
    table.after(Buy(0, "B2", pays(1, 0, "R1")))  # a buy phase is not affected


def test_limits_and_values() -> None:
    rules = {
        "bust_limit": 4,
        "full_run_bonus": 7,
        "tokens": {"start": 2, "limit": 3},
        "busts": {"value": 2},
    }
    table = Given(2, "R4 C1 R2 R1", market="B3", busts=(0, 2), rules=rules)
    assert table.state.tokens == (2, 2)
    table.after(Draw(0), Draw(0))
    assert table.when(Draw(0)) == [CardDrawn(0, "R2"), Busted(0, "numbers", (0, 1), 1)]
    table.after(Draw(1), TakeNumbers(1))
    table.refuses(Buy(1, "B3", pays(2, 1)), "6.4")
    table.after(Buy(1, "B3", pays(0, 2)))


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("deck", {"deck": {card: [] for card in CARDS}}),
        ("deck.X1", {"deck": {"X1": [1]}}),
        ("deck.R1", {"deck": {"R1": [0]}}),
        ("deck.R1", {"deck": {"R1": [11]}}),
        ("deck.R1 (copies)", {"deck": {"R1": [1] * 100}}),
        ("bust_limit", {"bust_limit": -1}),
        ("bust_limit", {"bust_limit": 0}),
        ("busts.value", {"busts": {"value": 0}}),
        ("busts.supply", {"busts": {"supply": -1}}),
        ("full_run_bonus", {"full_run_bonus": 1001}),
        ("tokens.start", {"tokens": {"supply": 24}}),
        ("tokens.start", {"tokens": {"start": 11}}),
        ("tokens.limit", {"tokens": {"limit": -1}}),
        ("seats.min", {"seats": {"min": 0}}),
        ("seats.max", {"seats": {"min": 3, "max": 2}}),
        ("unsold_wild", {"unsold_wild": "nobody"}),
        ("spent_cards", {"spent_cards": 3}),
        ("auction_cards", {"auction_cards": "yes"}),
        ("name", {"name": ""}),
        ("name", {"name": "ten/1", "bust_limit": 9}),
    ],
)
def test_what_cannot_work_is_refused(field: str, change: dict[str, object]) -> None:
    with pytest.raises(RulesetError) as error:
        ruleset_from({"name": "mine", **change})
    assert error.value.field == field
    assert f"ruleset field {field}: " in str(error.value)


def test_unknown_fields_are_refused() -> None:
    with pytest.raises(RulesetError, match="bust_limits"):
        ruleset_from({"name": "mine", "bust_limits": 9})


def test_only_for_so_many_players() -> None:
    ruleset = ruleset_from({"name": "mine", "seats": {"min": 2, "max": 3}})
    for players in (1, 4):
        with pytest.raises(SetupError, match=f"2 to 3 players, not {players}"):
            Rules(ruleset, players)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"deck": {"G9": [1], "R1": 3}}, "deck.R1: expected `array`, got `int`"),
        ({"deck": {"R2": [1, "a"]}}, "deck.R2[1]: expected `int`, got `str`"),
        ({"unsold_wild": "burn"}, "unsold_wild: must be discard or drawer, is 'burn'"),
        ({"spent_cards": 3}, "spent_cards: must be discard or market, is 3"),
    ],
)
def test_a_message_names_the_card_and_what_is_allowed(
    change: dict[str, object], message: str
) -> None:
    with pytest.raises(RulesetError) as caught:
        ruleset_from({"name": "mine", **change})
    assert str(caught.value) == f"ruleset field {message}"
