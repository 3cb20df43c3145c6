"""Law 6: folding redacted events = redacting the folded state; a view shows no secret."""

from __future__ import annotations

import gc
from enum import Enum
from random import Random
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tenlog.bots.stream import Stream, stream_key
from tenlog.game.cards import CARDS
from tenlog.game.decide import Deck, advance
from tenlog.game.evolve import fold
from tenlog.game.ruleset import Ruleset
from tenlog.game.state import OVER, start_state
from tenlog.game.view import View, public, redact
from tenlog.play.session import start_event
from tests.laws.games import NAMES, odd_decision, odd_game, rulesets, seeds

_CODE = (type, ModuleType, FunctionType, BuiltinFunctionType, MethodType, Enum)


def reachable(*roots: object) -> list[object]:
    """Every object that is data and can be got at from the roots, by attribute, item or referent;
    not the program's own code, which every object can reach."""
    found: list[object] = []
    seen: set[int] = set()
    left = list(roots)
    while left:
        thing = left.pop()
        if id(thing) in seen or isinstance(thing, _CODE):
            continue
        seen.add(id(thing))
        found.append(thing)
        left += gc.get_referents(thing)
        for cls in type(thing).__mro__:
            slots = cls.__dict__.get("__slots__", ())
            names = [slots] if isinstance(slots, str) else [*slots]
            left += [getattr(thing, name) for name in names if hasattr(thing, name)]
        if isinstance(thing, msgspec.Struct):
            left += [getattr(thing, name) for name in thing.__struct_fields__]
        left += [*getattr(thing, "__dict__", {}).values()]
        if isinstance(thing, View):
            names = [name for name in dir(View) if not name.startswith("__")]
            left += [value for name in names if not callable(value := getattr(thing, name))]
            left.append(thing.what_if())
    return found


def orders(order: tuple[int, ...]) -> list[Any]:
    """The order of the deck in whatever form it could be kept."""
    texts = tuple(CARDS[kind] for kind in order)
    return [order, bytes(order), texts, " ".join(texts), "".join(texts)]


def shows(thing: object, seed: str, order: tuple[int, ...], drawn: int) -> bool:
    """Whether one object gives the seed or the cards to come away."""
    if isinstance(thing, str) and seed in thing:
        return True
    if isinstance(thing, bytes) and seed.encode() in thing:
        return True
    if isinstance(thing, int) and thing in (stream_key(seed, 0), stream_key(seed, 1)):
        return True
    rest = order[drawn:]
    if len(rest) < 8:
        return False
    if isinstance(thing, list | tuple) and all(isinstance(item, int) for item in thing):
        return any(tuple(thing[i : i + 8]) == rest[:8] for i in range(len(thing) - 7))
    return any(
        type(thing) is type(form) and thing == form
        for whole in (order, rest)
        for form in orders(whole)
    )


@settings(max_examples=30, deadline=None)
@given(seeds(), st.integers(1, 5), rulesets(), st.integers(0, 2**32), st.booleans())
def test_redacted_events_fold_to_the_same_table(
    seed: str, players: int, ruleset: Ruleset | None, choices: int, sealed: bool
) -> None:
    events = odd_game(seed, players, ruleset, choices=choices, sealed=sealed)
    cut = Random(choices).randrange(1, len(events) + 1)
    redacted = [redact(event) for event in events]
    assert fold(redacted[:cut]) == fold(events[:cut])
    assert public(fold(redacted[:cut])) == public(fold(events[:cut]))
    assert [redact(event) for event in redacted] == redacted
    assert redacted[1:] == events[1:]
    # While the game goes on nobody can tell the seed from what a player is shown.
    told = msgspec.json.encode(redacted[:-1])
    assert b'"seed":null' in told
    assert len(seed) < 8 or msgspec.json.encode(seed) not in told


def test_neither_seed_nor_deck_can_be_reached_from_a_view() -> None:
    for number, sealed in ((1, False), (4, True), (5, False)):
        seed = f"the seed that nobody may see {number}"
        rng = Random(number)
        start = start_event(NAMES[:number], seed, game="g", sealed=sealed)
        state = start_state(start)
        deck = Deck(state.rules, seed)
        events: list[Any] = [start]
        steps = 0
        while state.phase is not OVER:
            if steps % 40 == 0:
                view = View(state)
                stream = Stream(stream_key(seed, state.to_act), state.n)
                found = reachable(view, public(state), view.options)
                assert len(found) > 100
                told = [thing for thing in found if shows(thing, seed, deck.order, state.drawn)]
                assert told == []
                # The stream of a decision gives neither away.
                assert not any(
                    shows(thing, seed, deck.order, state.drawn)
                    for thing in reachable(stream)
                    if not isinstance(thing, int)
                )
            advance(state, odd_decision(rng, state), deck, events)
            steps += 1


def test_the_walk_would_find_a_secret() -> None:
    seed = "the seed that nobody may see"
    start = start_event(NAMES[:3], seed, game="g")
    state = start_state(start)
    deck = Deck(state.rules, seed)
    for leak in (seed, deck, start, deck.order, (deck.order,), {"x": bytes(deck.order)}):
        state.winners = (leak,)  # type: ignore[assignment]
        found = reachable(View(state))
        assert any(shows(thing, seed, deck.order, 0) for thing in found), leak


def test_a_view_cannot_be_changed() -> None:
    state = start_state(start_event(NAMES[:3], "s", game="g"))
    view, before = View(state), state.copy()
    for name in ("_state", "tokens", "new"):
        with pytest.raises(AttributeError):
            setattr(view, name, None)
        with pytest.raises(AttributeError):
            delattr(view, name)
    copy = view.what_if()
    copy.tokens = (0, 0, 0)
    assert state == before
