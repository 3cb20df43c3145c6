"""The odds of the next card against counting and playing every card that may come."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tenlog.bots.check import odd_ruleset
from tenlog.bots.rand import RandomBot
from tenlog.bots.stream import Stream, stream_key
from tenlog.game.cards import CARDS, KINDS, NUMBERS_END, OWNED_END
from tenlog.game.decide import Deck, advance, forced, numbers_in, others_gain, own_gain
from tenlog.game.events import Busted, CardDrawn, NumbersTaken
from tenlog.game.evolve import evolve
from tenlog.game.legal import options
from tenlog.game.odds import Odds, odds
from tenlog.game.scoring import best_total
from tenlog.game.state import AUCTION, BUST, DRAW, OVER, State, start_state
from tenlog.game.view import View
from tenlog.play.session import start_event


def positions(seed: str, players: int, odd: bool) -> list[State]:
    """Every position of a random game in which somebody is asked."""
    names = [f"p{seat}" for seat in range(players)]
    start = start_event(names, seed, game="g", ruleset=odd_ruleset() if odd else None)
    state = start_state(start)
    deck = Deck(state.rules, seed)
    found = []
    while state.phase is not OVER:
        found.append(state.copy())
        stream = Stream(stream_key(seed, state.to_act), state.n)
        advance(state, RandomBot().decide(View(state), stream), deck, [])
    return [*found, state]


def next_cards(state: State) -> list[tuple[int, State]]:
    """Each kind that may come, and the table after it."""
    seat = state.active
    return [
        (kind, evolve(state, CardDrawn(seat, CARDS[kind])))
        for kind in range(KINDS)
        if state.unseen[kind]
    ]


@settings(max_examples=25, deadline=None)
@given(st.text("ab", min_size=1, max_size=6), st.integers(1, 5), st.booleans(), st.integers(0, 999))
def test_the_counts_are_those_of_every_card_drawn(
    seed: str, players: int, odd: bool, at: int
) -> None:
    table = positions(seed, players, odd)
    state = table[at % len(table)]
    found = odds(state)
    assert found.safe + found.wild + found.bust_numbers + found.bust_currency == found.deck_left
    assert found.deck_left == state.deck_left
    if state.phase is not DRAW:
        return
    by_numbers = by_currency = wild = 0
    for kind, after in next_cards(state):
        count = state.unseen[kind]
        wild += count * (after.phase is AUCTION)
        if after.phase is BUST:
            bust = forced(after, None)
            assert isinstance(bust, Busted)
            by_numbers += count * (bust.cause == "numbers")
            by_currency += count * (bust.cause == "currency")
    assert (found.wild, found.bust_numbers, found.bust_currency) == (wild, by_numbers, by_currency)
    assert found.bust == pytest.approx((by_numbers + by_currency) / max(found.deck_left, 1))


def worths(state: State, token: float) -> list[float]:
    """What each reward is worth, told by the events that they would lead to."""
    seat = state.active
    bonus = state.rules.bonus
    others = max(state.rules.players - 1, 1)
    may = options(state)
    found = []
    if may.take_numbers:
        gains = others_gain(state)
        after = evolve(state, NumbersTaken(seat, numbers_in(state.tableau), gains))
        own, now = after.cards[seat], state.cards[seat]
        worth = best_total(own, bonus) - best_total(now, bonus) - token * sum(gains) / others
        worth += token * (spare(own) - spare(now))
        money = state.tokens[seat] + state.busts[seat] * state.rules.bust_value
        buys = [0.0]
        for kind in range(NUMBERS_END):
            if after.market[kind] and not own[kind] and kind % 9 + 1 <= money:
                more = bytearray(own)
                more[kind] += 1
                gain = best_total(bytes(more), bonus) - best_total(own, bonus)
                buys.append(gain - token * (kind % 9 + 1))
        found.append(worth + max(buys))
    if may.take_currency:
        found.append(token * own_gain(state))
    return found


def spare(counts: bytes) -> int:
    return sum(max(count - 1, 0) for count in counts[:NUMBERS_END])


@settings(max_examples=20, deadline=None)
@given(st.text("ab", min_size=1, max_size=6), st.integers(1, 5), st.booleans(), st.integers(0, 999))
def test_drawing_is_worth_the_mean_over_every_card(
    seed: str, players: int, odd: bool, at: int
) -> None:
    table = [state for state in positions(seed, players, odd) if state.phase is DRAW]
    state = table[at % len(table)]
    token = 0.25
    found = odds(state, token)
    stops = worths(state, token)
    shown = [worth for worth in (found.numbers, found.currency) if worth is not None]
    assert shown == pytest.approx(stops)
    if not state.deck_left:
        assert found.draw is None
        return
    total = 0.0
    others = max(players - 1, 1)
    for kind, after in next_cards(state):
        if after.phase is AUCTION:
            worth = max(stops, default=0.0)
        elif after.phase is BUST:
            bust = forced(after, None)
            assert isinstance(bust, Busted)
            worth = token * state.rules.bust_value * bust.bust_tokens
            worth -= token * sum(bust.gains) / others
        else:
            worth = max(worths(after, token))
        total += state.unseen[kind] * worth
    assert found.draw == pytest.approx(total / state.deck_left)
    assert found.best is not None
    assert getattr(found, found.best) == pytest.approx(max([*stops, found.draw or 0.0]))


def test_a_position_worked_out_by_hand() -> None:
    # Two players, first turn: R5 and R4 are out, total 9: 1s are safe, 2-9 bust.
    state = start_state(start_event(["a", "b"], "x", game="g"))
    for card in ("R5", "R4"):
        state = evolve(state, CardDrawn(0, card))
    # Left: 4 ones; 36 numbers - 2 - 4 that bust; 18 wilds; 9 currency cards (2,2,2,2,1).
    found = odds(state, token=0.0)
    assert (found.safe, found.wild, found.bust_numbers, found.bust_currency) == (13, 18, 30, 0)
    assert found.bust == 30 / 61
    # Numbers: a run of two, three points with a 1 of another colour, two with R1. A wild or a coin
    # changes nothing; a bust loses all.
    assert found.numbers == 2.0
    assert found.draw == pytest.approx((3 * 3 + 1 * 2 + 18 * 2 + 9 * 2) / 61)
    assert found.best == "numbers"


def test_once_the_turn_is_decided_the_odds_are_the_next_players() -> None:
    for state in positions("s", 3, odd=False):
        found = odds(state)
        if state.phase in (DRAW, AUCTION):
            assert found.seat == state.active
        else:
            assert found.seat == (state.active + 1) % 3
            assert (found.draw, found.numbers, found.currency, found.best) == (None,) * 4
            assert found.bust == 0.0


def test_a_state_is_not_changed_by_asking() -> None:
    for state in positions("s", 4, odd=True):
        before = state.copy()
        assert isinstance(odds(state), Odds)
        assert state == before
    assert OWNED_END == 50
