"""What every bot that comes with tenlog has to keep."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tenlog.bots import table
from tenlog.bots.base import Bot, BotFault
from tenlog.bots.check import odd_ruleset
from tenlog.bots.counting import bust_cards, unseen_cards
from tenlog.bots.greedy import GreedyBot
from tenlog.bots.outlook import LEVELS, Holding, Tables
from tenlog.bots.registry import BUILT_IN, make_bot
from tenlog.bots.safe import safe_command
from tenlog.bots.seats import Seated, Seats
from tenlog.bots.stream import WORDS, Stream, stream_key
from tenlog.errors import BotError
from tenlog.game.cards import NUMBERS_END
from tenlog.game.commands import Command, Decline, Draw
from tenlog.game.decide import Deck, advance
from tenlog.game.events import Event
from tenlog.game.legal import is_legal
from tenlog.game.odds import odds
from tenlog.game.ruleset import rules_for
from tenlog.game.scoring import best_total
from tenlog.game.state import DRAW, OVER, State, start_state
from tenlog.game.view import View
from tenlog.play.session import start_event
from tests.support import ROOT, play_game

QUICK = {"planner": "planner:nodes=600"}
SPECS = [QUICK.get(name, name) for name in BUILT_IN]
BOTS: dict[str, Bot] = {spec: make_bot(spec) for spec in SPECS}


def positions(seed: str, players: int, odd: bool, every: int = 1) -> list[State]:
    """Positions of a game that is played sensibly by turns, and at random by turns."""
    names = [f"p{seat}" for seat in range(players)]
    start = start_event(names, seed, game="g", ruleset=odd_ruleset() if odd else None)
    state = start_state(start)
    deck = Deck(state.rules, seed)
    minds = [BOTS["random"], BOTS["greedy"]]
    found: list[State] = []
    while state.phase is not OVER:
        if state.n % every == 0:
            found.append(state.copy())
        stream = Stream(stream_key(seed, state.to_act), state.n)
        mind = minds[(state.n // 7) % 2]
        advance(state, mind.decide(View(state), stream), deck, [])
    return found


@pytest.mark.parametrize("spec", SPECS)
@settings(max_examples=12, deadline=None)
@given(st.text("abc", min_size=1, max_size=8), st.integers(1, 5), st.booleans())
def test_every_decision_is_legal_and_always_the_same(
    spec: str, seed: str, players: int, odd: bool
) -> None:
    every = 29 if spec.startswith("planner") else 1
    fresh = make_bot(spec)
    for state in positions(seed, players, odd, every):
        before = state.copy()
        command = BOTS[spec].decide(View(state), Stream(7, state.n))
        assert is_legal(state, command), (state, command)
        assert state == before
        # Neither what it did before nor whose instance it is makes a difference.
        assert fresh.decide(View(state), Stream(7, state.n)) == command


@settings(max_examples=10, deadline=None)
@given(st.text("abc", min_size=1, max_size=8), st.integers(1, 5), st.booleans())
def test_the_safe_decision_is_legal_and_costs_nothing(seed: str, players: int, odd: bool) -> None:
    for state in positions(seed, players, odd):
        command = safe_command(state)
        assert is_legal(state, command)
        if isinstance(command, Draw):
            assert not state.tableau


@settings(max_examples=10, deadline=None)
@given(st.text("abc", min_size=1, max_size=8), st.integers(1, 5), st.booleans())
def test_counting_is_exact(seed: str, players: int, odd: bool) -> None:
    for state in positions(seed, players, odd):
        unseen = unseen_cards(state)
        assert unseen == state.unseen
        if state.phase is DRAW:
            found = odds(state)
            limit = state.rules.bust_limit
            busts = bust_cards(unseen, limit, state.total, state.currency)
            assert busts == (found.bust_numbers, found.bust_currency)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(0, 49), max_size=25))
def test_the_outlook_ends_at_the_score(kinds: list[int]) -> None:
    counts = bytearray(50)
    for kind in kinds:
        counts[kind] += 1
    cards = bytes(counts)
    tables = Tables(rules_for("ten/1", 4), 0.4, 0.7)
    values = [Holding(cards, tables[level]).value for level in range(LEVELS + 1)]
    score = best_total(cards)
    # With an empty deck the outlook is a score that can be reached; without number and full wilds
    # and with few colour wilds, the best.
    assert values[0] <= score
    if not any(counts[40:]) and max(counts[36:40]) <= 4:
        assert values[0] == score
        # More cards to come are never worse.
        assert all(a <= b + 1e-9 for a, b in pairwise(values))
    assert Holding(cards, tables[3]).spare == sum(max(c - 1, 0) for c in counts[:NUMBERS_END])


def test_the_same_bytes_whatever_the_hash_seed() -> None:
    code = (
        "from tests.support import play_game\n"
        "from tenlog.log.store import encode_game\n"
        "from hashlib import sha256\n"
        "bots = ('greedy', 'planner:nodes=600', 'cautious', 'random')\n"
        "print(sha256(encode_game(play_game('h', 4, bots)[0])).hexdigest())"
    )
    seen = set()
    for seed in ("0", "1", "random"):
        run = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": f"{ROOT}:{ROOT}/cli"},
            capture_output=True,
            check=True,
        )
        seen.add(run.stdout)
    assert len(seen) == 1


def _reachable(start: object) -> list[object]:
    """Everything that can be reached from an object, code and modules left out."""
    seen: dict[int, object] = {}
    todo = [start]
    while todo:
        thing = todo.pop()
        if id(thing) in seen or isinstance(thing, type) or type(thing).__name__ in SKIPPED:
            continue
        seen[id(thing)] = thing
        todo += gc.get_referents(thing)
        for slot in getattr(type(thing), "__slots__", ()):
            if hasattr(thing, slot):
                todo.append(getattr(thing, slot))
    return list(seen.values())


SKIPPED = {"module", "function", "builtin_function_or_method", "method_descriptor"}


class _Spy:
    """Looks for secrets in all that it is given; the log's id of the game is one."""

    def __init__(self, seed: str, game: str, order: tuple[int, ...]) -> None:
        self.seed = seed
        self.game = game
        self.order = order
        self.looked = 0

    def start(self, seat: int, view: View) -> None:
        self.look(view, Stream(0, 0))

    def end(self, seat: int, view: View) -> None:
        self.look(view, Stream(0, 0))

    def decide(self, view: View, stream: Stream) -> Command:
        self.look(view, stream)
        return safe_command(view.what_if())

    def look(self, view: View, stream: Stream) -> None:
        for given_thing in (view, view.what_if(), stream):
            for thing in _reachable(given_thing):
                self.looked += 1
                assert not isinstance(thing, Deck)
                assert not (isinstance(thing, str) and self.seed in thing)
                assert not (isinstance(thing, str) and self.game in thing)
                if (
                    isinstance(thing, list | tuple | bytes)
                    and len(thing) > view.rules.deck_size // 2
                ):
                    assert tuple(thing) != self.order
                    assert tuple(thing) != self.order[-view.deck_left :]


def test_a_view_holds_no_secret() -> None:
    seed = "a very secret seed"
    start = start_event(["a", "b", "c"], seed, game="the-id-of-the-log", sealed=True)
    state = start_state(start)
    deck = Deck(state.rules, seed)
    spy = _Spy(seed, state.game, deck.order)
    with Seats([Seated("spy", spy), "random", Seated("spy", spy)]) as seats:
        seats.start(seed, state)
        while state.phase is not OVER:
            advance(state, seats.decide(state), deck, [])
        seats.end(state)
    assert spy.looked > 1000
    assert state.game == "the-id-of-the-log"


def test_a_game_played_in_one_go_shows_no_secret_either() -> None:
    seed = "a very secret seed"
    start = start_event(["a", "b"], seed, game="the-id-of-the-log", sealed=True)
    spy = _Spy(seed, start.game, Deck(rules_for("ten/1", 2), seed).order)
    _, state = table.play_game(start, seed, [spy, BOTS["random"]])
    assert spy.looked > 1000
    assert state.game == "the-id-of-the-log"


def test_the_spy_can_see() -> None:
    class Box:
        def __init__(self, thing: object) -> None:
            self.thing = [{"x": (thing,)}]

    assert "secret" in _reachable(Box("secret"))


def _one_decision(bot: object) -> None:
    state = start_state(start_event(["a", "b"], "seed-9", game="g"))
    with Seats([Seated("mine:Bot", bot), None]) as seats:  # type: ignore[arg-type]
        seats.start("seed-9", state)
        before = state.copy()
        try:
            seats.decide(state)
        finally:
            assert state == before


@pytest.mark.parametrize("kind", ["failed", "garbled", "illegal"])
def test_an_object_that_fails_is_named_with_seed_and_place(kind: str) -> None:
    class Bad:
        def decide(self, view: View, stream: Stream) -> object:
            if kind == "failed":
                raise ZeroDivisionError("oh")
            return Decline(0) if kind == "illegal" else 7

    with pytest.raises(BotFault, match=r"bot 'mine:Bot' at seat 0 after event 0 of 'seed-9'") as e:
        _one_decision(Bad())
    assert e.value.fault == kind


@pytest.mark.parametrize("extra", [0, 1])
def test_an_object_can_not_take_the_words_of_the_next_decision(extra: int) -> None:
    class Greedy:
        def decide(self, view: View, stream: Stream) -> Command:
            for _ in range(WORDS + extra):
                stream.word()
            return Draw(0)

    if not extra:
        _one_decision(Greedy())
        return
    with pytest.raises(BotFault, match=r"of 'seed-9' took more than 65,536 random numbers"):
        _one_decision(Greedy())


def test_a_stream_knows_how_much_of_it_was_used() -> None:
    stream = Stream(stream_key("s", 1), 300)
    assert stream.used(300) == 0
    stream.shuffled(range(10))
    stream.coin()
    assert stream.used(300) == 10


def test_an_object_gets_a_snapshot() -> None:
    class Meddler:
        def decide(self, view: View, stream: Stream) -> Command:
            view._state.tokens = (99, 0)
            view._state.phase = OVER
            return Draw(0)

    _one_decision(Meddler())
    with pytest.raises(AttributeError):
        View(start_state(start_event(["a"], "s", game="g"))).n = 5  # type: ignore[misc]


def test_hooks_are_called_in_order() -> None:
    calls: list[object] = []

    class Hooked:
        def start(self, seat: int, view: View) -> None:
            calls.append(("start", seat, view.n))

        def decide(self, view: View, stream: Stream) -> Command:
            return safe_command(view.what_if())

        def end(self, seat: int, view: View) -> None:
            calls.append(("end", seat, view.phase))

        def close(self) -> None:
            calls.append("close")

    state = start_state(start_event(["a", "b"], "s", game="g"))
    deck = Deck(state.rules, "s")
    events: list[Event] = []
    with Seats(["random", Seated("hooked", Hooked())]) as seats:
        seats.start("s", state)
        while state.phase is not OVER:
            advance(state, seats.decide(state), deck, events)
        seats.end(state)
        seats.end(state)
    assert calls == [("start", 1, 1), ("end", 1, OVER), "close"]


def test_a_failing_hook_is_named() -> None:
    class Bad:
        def start(self, seat: int, view: View) -> None:
            raise OSError("no disk")

        def decide(self, view: View, stream: Stream) -> Command:
            return Draw(0)

    with pytest.raises(BotError, match="'mine:Bot' failed in start: OSError: no disk"):
        _one_decision(Bad())


def _wins(bots: tuple[str, ...], deals: int) -> dict[str, float]:
    """Wins by bot, the mean over its seats, as parts of an even share (1: as good as the others).

    Every deal is played with every rotation of the seats.
    """
    seats = len(bots)
    wins = dict.fromkeys(bots, 0.0)
    for number in range(deals * seats):
        turn = number % seats
        order = bots[turn:] + bots[:turn]
        _, state = play_game(f"strength/{number // seats}", seats, order)
        for seat in state.winners:
            wins[order[seat]] += 1 / len(state.winners)
    return {bot: won / bots.count(bot) / deals for bot, won in wins.items()}


# Fixed seeds, so these never depend on chance; bench_bots.py has the figures of many games.


@pytest.mark.parametrize(
    ("bots", "deals"),
    [
        (("greedy", "cautious"), 20),
        (("greedy", "cautious", "random"), 20),
        (("greedy", "cautious", "greedy", "cautious"), 10),
        (("greedy", "cautious", "greedy", "cautious", "random"), 10),
    ],
)
def test_greedy_beats_cautious_beats_random(bots: tuple[str, ...], deals: int) -> None:
    found = _wins(bots, deals)
    assert found["greedy"] > 2 * found["cautious"]
    assert found["cautious"] > found.get("random", 0.0)


def test_cautious_beats_random() -> None:
    found = _wins(("cautious", "random"), 20)
    assert found["cautious"] > 1.5 > found["random"]


def test_a_token_is_worth_less_the_more_others_pay_them_out() -> None:
    starts = [start_state(start_event([*"abcde"[:n]], "s", game="g")) for n in range(1, 6)]
    worth = [GreedyBot(token=0.6)._token_worth(state) for state in starts]
    assert worth == pytest.approx([0.6, 0.6, 0.3, 0.2, 0.15])
