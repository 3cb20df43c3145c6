"""Law 3: folding the log gives the table that play reached; deciding again gives the log."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from tenlog.game.commands import Bid, Buy, Command, Decline, Draw, Pass, TakeCurrency, TakeNumbers
from tenlog.game.decide import Deck, advance, decide
from tenlog.game.events import (
    BidPassed,
    BidPlaced,
    BuyDeclined,
    CardBought,
    CardDrawn,
    CurrencyTaken,
    Event,
    NumbersTaken,
)
from tenlog.game.evolve import evolve, fold
from tenlog.game.judge import Judge
from tenlog.game.ruleset import Ruleset
from tenlog.game.start import check_start
from tenlog.game.state import OVER, start_state
from tenlog.play.session import start_event
from tests.laws.games import NAMES, odd_decision, rulesets, seeds


def decision(event: Event) -> Command | None:
    """What a player wanted, if the event is a decision (FORMAT 3)."""
    match event:
        case CardDrawn():
            return Draw(event.seat)
        case NumbersTaken():
            return TakeNumbers(event.seat)
        case CurrencyTaken():
            return TakeCurrency(event.seat)
        case BidPlaced():
            return Bid(event.seat, event.amount, event.payment)
        case BidPassed():
            return Pass(event.seat)
        case CardBought():
            return Buy(event.seat, event.card, event.payment)
        case BuyDeclined():
            return Decline(event.seat)
        case _:
            return None


@settings(max_examples=40, deadline=None)
@given(seeds(), st.integers(1, 5), rulesets(), st.integers(0, 2**32), st.booleans())
def test_fold_and_decide_again(
    seed: str, players: int, ruleset: Ruleset | None, choices: int, sealed: bool
) -> None:
    rng = Random(choices)
    start = start_event(NAMES[:players], seed, game="g", ruleset=ruleset, sealed=sealed)
    state = start_state(start)
    deck = Deck(state.rules, seed)
    events: list[Event] = [start]
    while state.phase is not OVER:
        command = odd_decision(rng, state)
        before = state.copy()
        follows = decide(state, command, deck)
        assert state == before, "decide leaves the state alone"
        count = len(events)
        advance(state, command, deck, events)
        assert tuple(events[count:]) == follows, "decide and advance agree"
    assert fold(events) == state
    cut = rng.randrange(1, len(events))
    assert fold(events[cut:], fold(events[:cut])) == state

    # Event by event, as somebody who reads it does.
    assert check_start(start) is None
    judge = Judge(start, seed)
    by_hand = evolve(None, start)
    again: list[Event] = [start]
    table = start_state(start)
    for event in events[1:]:
        assert judge.see(event) is None
        earlier = by_hand
        kept = earlier.copy()
        by_hand = evolve(earlier, event)
        assert earlier == kept, "evolve leaves the state before alone"
        wanted = decision(event)
        if wanted is not None:
            advance(table, wanted, deck, again)
    assert judge.state == by_hand == table == state
    assert again == events
