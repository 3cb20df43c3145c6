"""What the planner rests on: fair deals, sound comparisons, and no deviation on noise."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from math import inf, sqrt

import pytest

from tenlog.bots.deals import OWN, Deals, to_bottom
from tenlog.bots.greedy import GreedyBot
from tenlog.bots.planner import PlannerBot, _lead
from tenlog.bots.stream import Stream, stream_key
from tenlog.game.decide import Deck, perform
from tenlog.game.events import CardDrawn, Event
from tenlog.game.state import OVER, State, start_state
from tenlog.play.session import start_event
from tests.support import play_game


def positions(seed: str, players: int, every: int) -> list[State]:
    """Every so many decisions of a game between greedy bots."""
    state = start_state(start_event([f"p{seat}" for seat in range(players)], seed, game="g"))
    deck = Deck(state.rules, seed)
    greedy = GreedyBot()
    found: list[State] = []
    count = 0
    while state.phase is not OVER:
        if count % every == 0:
            found.append(state.copy())
        perform(state, greedy.choose(state, Stream(0, 0)), deck, [])
        count += 1
    return found


@pytest.mark.parametrize("players", [1, 2, 4])
def test_deals_are_the_unseen_cards_each_of_them_first_once(players: int) -> None:
    for state in positions("deals", players, 17):
        unseen = Counter(dict(enumerate(state.unseen)))
        deals = Deals(state, Stream(3, state.n))
        firsts: Counter[int] = Counter()
        for _ in range(state.deck_left):
            order = deals.deal().order
            assert len(order) == state.rules.deck_size
            assert Counter(order[state.drawn :]) == +unseen
            firsts[order[state.drawn]] += 1
        assert firsts == +unseen


def test_cards_that_a_turn_leaves_go_to_the_bottom() -> None:
    state = start_state(start_event(["a", "b"], "s", game="g"))
    order = Deck(state.rules, "s").order
    moved = to_bottom(state.rules, Deck(state.rules, "?", order), 3, 6)
    assert moved.order == order[:3] + order[6:] + order[3:6]
    last = to_bottom(state.rules, Deck(state.rules, "?", order), len(order) - 2, len(order) + 4)
    assert last.order == order


def test_the_next_turn_draws_the_same_cards_however_many_this_one_drew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn: list[tuple[list[str], list[str]]] = []  # by candidate: in this turn, in the next

    def watched(state: State, command: object, deck: Deck, events: list[Event]) -> None:
        turn = state.turn
        fresh: list[Event] = []
        perform(state, command, deck, fresh)  # type: ignore[arg-type]
        if turn <= start.turn + 1:
            cards = [event.card for event in fresh if isinstance(event, CardDrawn)]
            drawn[-1][turn - start.turn].extend(cards)
        events += fresh

    monkeypatch.setattr("tenlog.bots.planner.perform", watched)
    planner = PlannerBot()
    compared = 0
    for start in positions("same", 3, 5):
        candidates = planner._candidates(start, GreedyBot().choose(start, Stream(0, 0)))
        deal = Deals(start, Stream(9, start.n)).deal()
        if not start.tableau or len(candidates) < 2 or start.deck_left < 3 * OWN:
            continue
        drawn.clear()
        for command in candidates:
            drawn.append(([], []))
            planner._play_out(start, command, deal, start.turn + 3)
        if max(len(now) for now, _ in drawn) <= OWN:
            assert {following[0] for _, following in drawn} == {deal.cards[start.drawn + OWN]}
            compared += len({len(now) for now, _ in drawn}) > 1
    assert compared > 5


def test_a_lead_is_counted_in_standard_errors_of_the_paired_differences() -> None:
    better, worse = [5, 9, 4, 8], [4, 6, 3, 5]  # by 1, 3, 1, 3: mean 2, deviation 2/sqrt(3)
    assert _lead(better, worse) == pytest.approx(2 / (2 / sqrt(3) / sqrt(4)))
    assert _lead(worse, better) == 0.0
    assert _lead([3, 4], [1, 2]) == inf
    assert _lead([1, 2], [1, 2]) == 0.0


@pytest.mark.parametrize("players", [1, 2, 3, 4, 5])
def test_a_few_nodes_are_as_good_as_none(players: int) -> None:
    planner = PlannerBot(nodes=10)
    first = planner._bolder if players > 3 else GreedyBot()
    for state in positions("few", players, 3):
        stream = Stream(1, state.n)
        assert planner.choose(state, stream) == first.choose(state, stream)


def test_it_changes_its_mind_where_the_lead_is_clear_and_less_with_more_doubt() -> None:
    changed = dict.fromkeys((0.5, 10.0), 0)
    for doubt in changed:
        planner = PlannerBot(nodes=1500, doubt=doubt)
        for state in islice(positions("mind", 4, 2), 60):
            stream = Stream(stream_key("mind", state.to_act), state.n)
            first = planner._bolder.choose(state, stream)
            changed[doubt] += planner.choose(state, stream) != first
    assert changed[0.5] > changed[10.0]


@pytest.mark.parametrize(("players", "deals"), [(2, 6), (4, 4)])
def test_planner_beats_greedy(players: int, deals: int) -> None:
    """On fixed seeds, so this never depends on chance; every deal from every seat."""
    bots = ("planner:nodes=500", *["greedy"] * (players - 1))
    won = 0.0
    for number in range(deals * players):
        turn = number % players
        order = bots[turn:] + bots[:turn]
        _, state = play_game(f"strength/{number // players}", players, order)
        if (-turn) % players in state.winners:
            won += 1 / len(state.winners)
    assert won > deals  # an even share
