"""Law 4: legality has one source; what it allows works, what it refuses changes nothing."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tenlog.errors import IllegalMove
from tenlog.game.commands import Bid, Buy
from tenlog.game.decide import Deck, advance, decide, forced
from tenlog.game.events import Event
from tenlog.game.evolve import fold
from tenlog.game.legal import is_legal, legal, options, refusal, worth
from tenlog.game.payments import any_payment, suggest
from tenlog.game.ruleset import Ruleset
from tenlog.game.state import AUCTION, OVER, State, start_state
from tenlog.game.view import View
from tenlog.play.session import start_event
from tests.laws.games import (
    NAMES,
    any_command,
    odd_decision,
    odd_payment,
    random_ruleset,
    rulesets,
    seeds,
)


def check_commands(rng: Random, state: State, deck: Deck) -> None:
    """Many commands, most of them illegal, on one table."""
    listed = legal(state)
    assert all(is_legal(state, command) for command in listed)
    may = options(state)
    assert (may.seat == -1) == (state.phase is OVER) == (not listed)
    for command in [any_command(rng, state) for _ in range(8)] + listed[:3]:
        before = state.copy()
        refused = refusal(state, command)
        assert is_legal(state, command) == (refused is None)
        assert View(state).refusal(command) == refused
        events: list[Event] = []
        if refused is None:
            follows = decide(state, command, deck)
            assert follows
            after = fold(follows, state)
            assert after.n == state.n + len(follows)
            # Whatever must follow has followed.
            assert forced(after, deck.seed) is None
            if isinstance(command, Bid):
                assert may.min_bid <= command.amount <= may.max_bid
            if isinstance(command, Buy):
                assert command.card in [c.card for c in listed if isinstance(c, Buy)]
        else:
            assert refused.rule
            assert (
                refused.message[0].islower()
                or refused.message.startswith(state.players)
                or refused.message[0].isdigit()
                or "is" in (refused.message)
            )
            with pytest.raises(IllegalMove) as error:
                decide(state, command, deck)
            assert (error.value.rule, str(error.value)) == (refused.rule, refused.message)
            with pytest.raises(IllegalMove):
                advance(state, command, deck, events)
        assert state == before
        assert events == []


@settings(max_examples=25, deadline=None)
@given(seeds(), st.integers(1, 5), rulesets(), st.integers(0, 2**32))
def test_legal_is_what_decide_accepts(
    seed: str, players: int, ruleset: Ruleset | None, choices: int
) -> None:
    rng = Random(choices)
    start = start_event(NAMES[:players], seed, game="g", ruleset=ruleset)
    state = start_state(start)
    deck = Deck(state.rules, seed)
    events: list[Event] = [start]
    while state.phase is not OVER:
        if rng.random() < 0.4:
            check_commands(rng, state, deck)
        advance(state, odd_decision(rng, state), deck, events)
    check_commands(rng, state, deck)


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 5), rulesets(), st.integers(0, 2**32))
def test_every_price_within_means_can_be_paid(
    players: int, ruleset: Ruleset | None, choices: int
) -> None:
    """Bids up to what is owned are payable; both payers find a legal payment; beyond it nobody."""
    rng = Random(choices)
    start = start_event(NAMES[:players], "s", game="g", ruleset=ruleset)
    state = start_state(start)
    deck = Deck(state.rules, "s")
    events: list[Event] = []
    while state.phase is not OVER:
        if state.phase is AUCTION and rng.random() < 0.5:
            seat = state.to_act
            most = worth(state, seat, auction=True)
            for amount in range(state.bid + 1, most + 1):
                assert is_legal(
                    state, Bid(seat, amount, suggest(state, seat, amount, auction=True))
                )
                payment = any_payment(state, seat, amount, auction=True)
                assert is_legal(state, Bid(seat, amount, payment))
            assert odd_payment(rng, state, seat, most + 1, auction=True) is None
            for payer in (suggest, any_payment):
                with pytest.raises(IllegalMove):
                    payer(state, seat, most + 1, auction=True)
        advance(state, odd_decision(rng, state), deck, events)


class Table(RuleBasedStateMachine):
    """A table at which anybody says anything at any time."""

    @initialize(players=st.integers(1, 5), number=st.integers(0, 2**32), seed=seeds())
    def start(self, players: int, number: int, seed: str) -> None:
        ruleset = random_ruleset(Random(number), small=True)
        start = start_event(NAMES[:players], seed, game="g", ruleset=ruleset)
        self.state = start_state(start)
        self.deck = Deck(self.state.rules, seed)
        self.events: list[Event] = [start]

    @rule(number=st.integers(0, 2**32))
    def says_anything(self, number: int) -> None:
        command = any_command(Random(number), self.state)
        before, count = self.state.copy(), len(self.events)
        try:
            advance(self.state, command, self.deck, self.events)
        except IllegalMove:
            assert self.state == before
            assert len(self.events) == count
        else:
            assert is_legal(before, command)
            assert len(self.events) > count

    @rule(number=st.integers(0, 2**32))
    def does_something_legal(self, number: int) -> None:
        if self.state.phase is not OVER:
            command = odd_decision(Random(number), self.state)
            assert is_legal(self.state, command)
            advance(self.state, command, self.deck, self.events)

    @invariant()
    def events_tell_it_all(self) -> None:
        if hasattr(self, "state"):
            assert fold(self.events) == self.state


TestTable = Table.TestCase
TestTable.settings = settings(max_examples=15, stateful_step_count=40, deadline=None)
