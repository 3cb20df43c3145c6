"""What a choice would lead to is what it then leads to."""

from __future__ import annotations

import random

from tenlog.game.cards import KIND, NUMBERS_END, VALUE
from tenlog.game.commands import Bid, Buy, Decline, Draw, Pass, TakeCurrency, TakeNumbers
from tenlog.game.decide import Deck, advance
from tenlog.game.events import Busted, Event
from tenlog.game.legal import legal, options, worth
from tenlog.game.ruleset import find_ruleset, ruleset_from
from tenlog.game.scoring import best_score, best_total
from tenlog.game.state import AUCTION, DRAW, OVER, State, start_state
from tenlog.play.advice import (
    after_payment,
    as_hints,
    choices,
    full_runs,
    own_numbers,
    rules_here,
)
from tenlog.play.prompt import Hint
from tenlog.play.session import start_event
from tenlog.story import payment_words, plain
from tenlog_cli.screen import hint_lines
from tenlog_cli.tui.menu import Menu
from tests.rules.table import Given


def tables(seed: str, players: int = 3, *, bold: bool = False) -> list[tuple[State, Deck]]:
    """The tables of a game in which everybody does anything, or (``bold``) draws while they can."""
    start = start_event([f"p{i}" for i in range(players)], seed, game="g")
    state = start_state(start)
    deck = Deck(state.rules, seed)
    dice = random.Random(seed)
    found = []
    while state.phase is not OVER:
        found.append((state.copy(), deck))
        draws = [move for move in legal(state) if isinstance(move, Draw)]
        move = draws[0] if bold and draws else dice.choice(legal(state))
        advance(state, move, deck, [])
    return [*found, (state.copy(), deck)]


def test_what_is_said_comes_true() -> None:
    checked = {"numbers": 0, "currency": 0, "buy": 0}
    for state, deck in tables("advice", 3) + tables("advice/2", 4):
        for choice in choices(state):
            after = state.copy()
            advance(after, choice.command, deck, [])
            said = plain(choice.words)
            seat = state.to_act
            bonus = state.rules.bonus
            gain = best_total(after.cards[seat], bonus) - best_total(state.cards[seat], bonus)
            sign = "+" if gain >= 0 else "−"
            if isinstance(choice.command, TakeNumbers | Buy):
                assert said.startswith(f"{sign}{abs(gain)} point"), said
                checked["numbers" if isinstance(choice.command, TakeNumbers) else "buy"] += 1
            elif isinstance(choice.command, TakeCurrency):
                assert said.startswith(f"+{after.tokens[seat] - state.tokens[seat]}"), said
                checked["currency"] += 1
    assert min(checked.values()) > 5, checked


def test_a_bid_says_what_it_would_bring_with_its_payment_gone() -> None:
    """In a line of 80 columns, and as the full screen says it."""
    paid_with_cards = 0
    for state, _ in [*tables("bids", 4), *tables("bids/2", 3), *tables("bids/3", 2)]:
        if not options(state).max_bid:
            continue
        (bid,) = (c.command for c in choices(state) if isinstance(c.command, Bid))
        before, after = best_total(state.cards[bid.seat], 1), after_payment(state, bid.seat, bid)
        gain = best_total(after, 1) - before
        points = f"{'+' if gain >= 0 else '−'}{abs(gain)} point"
        for advice in (True, False):
            hint = next(hint for hint in as_hints(state, advice=advice) if hint.does == "bid")
            said = plain(hint.words)
            assert f"{bid.amount} for {plain(payment_words(bid.payment))}" in said
            assert (f": {points}" in said) == advice
            assert len(hint_lines([hint, Hint("p", "pass")], 80)) == 2
            screen = plain(Menu(state, hints=advice).lines(100, 3)[0])
            assert (f"· {points}" in screen) == advice
            assert f"for {plain(payment_words(bid.payment))}" in screen
        paid_with_cards += len(bid.payment.cards) > 1
    assert paid_with_cards > 3


def test_who_can_only_bid_everything_is_told_so() -> None:
    own = "R1 R2 R3 R4 R5 R6 B1 B2 B3 G5 G6"
    table = Given(3, "GW R1", tokens=(5, 10, 0), cards=["", "", own]).after(Draw(0)).state
    outbid = table.copy()
    outbid.bid, outbid.bidder, outbid.to_act = 10, 1, 2
    (hint, _) = as_hints(outbid, advice=True)
    assert plain(hint.words) == "11 for 11 cards: −10 points (GW +1)"
    (hint, _) = as_hints(outbid, advice=False)
    assert plain(hint.words) == "11 for 11 cards"
    narrow, wide = (plain(Menu(outbid, hints=True).lines(room, 3)[0]) for room in (40, 80))
    assert narrow.endswith("11 · for 11 cards")
    assert wide.endswith(f"11 · −10 points (GW +1) · for {own}")


def test_why_there_is_nothing_else_to_do() -> None:
    told: dict[str, int] = {}
    for state, _ in tables("why", 3) + tables("why/2", 2) + tables("why/3", 3):
        may = options(state)
        last = choices(state)[-1] if state.phase is not OVER else None
        if last is None or not isinstance(last.command, Pass | Decline):
            continue
        said = plain(last.words)
        assert bool(said) == (not may.max_bid and not may.buys)
        new = [card for card, kind in KIND.items() if kind < NUMBERS_END and state.market[kind]
               and not state.cards[may.seat][kind]]  # fmt: skip
        if said == "the market is empty":
            assert not any(state.market)
        elif said == "all that is for sale is owned already":
            assert not new
        elif said == "what is new there costs too much":
            assert new
            assert all(VALUE[KIND[card]] > worth(state, may.seat) for card in new)
        elif said:
            assert said.startswith(f"a bid must be at least {state.bid + 1} now, ")
            assert int(said.split(" ")[-1]) <= state.bid
            said = "a bid"
        told[said] = told.get(said, 0) + 1
        owned = [kind for kind in range(NUMBERS_END) if state.cards[may.seat][kind]]
        if may.decline and owned:
            # Rare in a game: the only card for sale is one of which the buyer has a copy.
            state.market = bytes(kind == owned[0] for kind in range(NUMBERS_END))
            assert plain(choices(state)[-1].words) == "all that is for sale is owned already"
    assert set(told) >= {"the market is empty", "what is new there costs too much", "a bid", ""}


def test_the_chance_to_bust_is_exact() -> None:
    """Every card that may come is tried: those that bust are as many as was said."""
    seen = by_currency = 0
    for state, deck in tables("chances", 2) + tables("bold/1", 2, bold=True):
        if state.phase is not DRAW or not state.deck_left or not state.tableau:
            continue
        busts = 0
        for place in range(state.drawn, len(deck.cards)):
            other = Deck(state.rules, deck.seed)
            cards = list(other.cards)
            cards[state.drawn], cards[place] = cards[place], cards[state.drawn]
            other.cards = tuple(cards)
            events: list[Event] = []
            advance(state.copy(), Draw(state.to_act), other, events)
            causes = [event.cause for event in events if isinstance(event, Busted)]
            busts += len(causes)
            by_currency += "currency" in causes
        said = plain(choices(state)[0].words)
        if busts:
            assert f"({busts} of {state.deck_left})" in said
        else:
            assert said.startswith("can't bust")
        seen += 1
    assert seen > 10
    assert by_currency


def test_choices_are_the_legal_ones_and_what_adds_most_is_first() -> None:
    for state, _ in tables("order", 4):
        found = choices(state)
        kinds = {type(choice.command) for choice in found}
        assert kinds == {type(command) for command in legal(state)}
        buys = [choice for choice in found if isinstance(choice.command, Buy)]
        gains = [int(plain(c.words).split(" ")[0].replace("−", "-")) for c in buys]
        assert gains == sorted(gains, reverse=True)
        if found and isinstance(found[-1].command, Decline):
            assert found[-1].key == "x"


def test_hints_are_shorter_without_advice() -> None:
    for state, _ in tables("short", 2):
        short = as_hints(state, advice=False)
        assert len(short) <= max(1, len(as_hints(state, advice=True)))
        assert all("bust" not in plain(hint.words) for hint in short if hint.does == "draw")


def test_a_rule_for_every_phase_in_which_somebody_is_asked() -> None:
    from tenlog.docs import find_section

    phases = set()
    for state, _ in tables("rules", 3):
        numbers = rules_here(state)
        phases.add(state.phase)
        assert numbers
        for number in numbers:
            section = find_section("rules", number)
            assert section is not None
            assert section.number == number
    assert {DRAW, AUCTION, OVER} <= phases


def test_a_full_run_is_noticed_once() -> None:
    state = start_state(start_event(["Ann", "Bob"], "1", game="g"))
    cards = bytearray(state.cards[0])
    for kind in range(8):
        cards[kind] = 1
    before = state.copy()
    before.cards = (bytes(cards), state.cards[1])
    cards[8] = 1
    after = before.copy()
    after.cards = (bytes(cards), state.cards[1])
    assert full_runs(before, after) == [(0, 0)]
    more = after.copy()
    cards[8] = 2
    more.cards = (bytes(cards), state.cards[1])
    assert full_runs(after, more) == []
    assert best_score(after.cards[0], 1).total == 10


def test_what_a_ruleset_says_otherwise() -> None:
    assert own_numbers(find_ruleset("ten/1")) == ()
    (text,) = own_numbers(ruleset_from({"name": "own", "bust_limit": 12}))
    assert text == "13 or more busts, exactly 12 is safe (4.3)"
    other = {
        "tokens": {"start": 4, "limit": 9, "supply": 40},
        "busts": {"supply": 5, "value": 2},
        "bust_limit": 11,
        "full_run_bonus": 2,
        "unsold_wild": "drawer",
        "spent_cards": "market",
        "auction_cards": False,
    }
    assert len(own_numbers(ruleset_from({"name": "own", **other}))) == 10
