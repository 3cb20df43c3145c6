"""Law 1: what is written is read back, and writing it again gives the same bytes."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tenlog.game.cards import CARDS
from tenlog.game.events import EVENT_TYPES, BidPassed, Event, GameStarted, Payment
from tenlog.game.ruleset import Ruleset
from tenlog.log.codec import (
    NO_SEAL,
    CodecError,
    Line,
    Origin,
    decode_event,
    decode_line,
    encode,
    encode_event,
)
from tenlog.log.read import read_game
from tenlog.log.source import GameText
from tenlog.log.store import encode_game, encoded_game, game_lines, seal_block
from tests.laws.games import odd_game, rulesets, seeds
from tests.referee.referee import encode as encode_plainly
from tests.support import play_game

counts = st.integers(0, 2**31 - 1)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
cards = st.sampled_from(CARDS)
lists = st.lists(counts, max_size=4).map(tuple)
card_lists = st.lists(cards, max_size=4).map(tuple)

FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "seat": counts,
    "card": cards,
    "amount": counts,
    "price": counts,
    "payment": st.builds(Payment, counts, counts, card_lists),
    "cause": st.sampled_from(["numbers", "currency"]),
    "gains": lists,
    "bust_tokens": counts,
    "cards": card_lists,
    "tokens": counts,
    "scores": lists,
    "winners": lists,
    "seed": texts,
}


@st.composite
def events(draw: st.DrawFn) -> Event:
    """Any event that has its shape, whether it could ever happen or not."""
    kind = draw(st.sampled_from(EVENT_TYPES))
    if kind is GameStarted:
        rules: str | Ruleset = draw(texts)
        custom = draw(rulesets())
        rules = custom if custom is not None else rules
        names = tuple(draw(st.lists(texts, max_size=6)))
        return GameStarted(draw(counts), draw(texts), rules, names, draw(texts), draw(texts))
    return kind(**{field: draw(FIELDS[field]) for field in kind.__struct_fields__})


@settings(max_examples=150, deadline=None)
@given(events())
def test_events(event: Event) -> None:
    data = encode_event(event)
    assert decode_event(data) == event
    assert encode_event(decode_event(data)) == data
    # Plain JSON, compact, as any other program writes it.
    assert encode_plainly(json.loads(data)) == data


@settings(max_examples=100, deadline=None)
@given(
    events(),
    counts,
    st.none() | st.integers(0, 2**53),
    st.none() | st.lists(st.none() | texts, max_size=5),
    st.none() | counts,
    st.booleans(),
)
def test_lines(
    event: Event,
    n: int,
    at: int | None,
    bots: list[str | None] | None,
    origin: int | None,
    sealed: bool,
) -> None:
    line = Line(
        n,
        event,
        at=msgspec.UNSET if at is None else at,
        bots=msgspec.UNSET if bots is None else tuple(bots),
        origin=msgspec.UNSET if origin is None else Origin("0" * 32, origin),
        h="a" * 32 if sealed else msgspec.UNSET,
    )
    data = encode(line)
    assert decode_line(data) == line
    assert encode(decode_line(data)) == data
    assert encode_plainly(json.loads(data)) == data
    assert b"\n" not in data


@settings(max_examples=40, deadline=None)
@given(events(), st.data())
def test_any_other_spelling_is_refused(event: Event, data: st.DataObject) -> None:
    line = encode(Line(3, event))
    value = json.loads(line)
    spelling = data.draw(
        st.sampled_from(
            [
                json.dumps(value, ensure_ascii=False).encode(),
                json.dumps(value, separators=(",", ":")).encode(),
                json.dumps(value, ensure_ascii=False, indent=0).encode(),
                json.dumps(dict(reversed(value.items())), separators=(",", ":")).encode(),
                line + b" ",
                b"\xef\xbb\xbf" + line,
            ]
        )
    )
    if spelling != line:
        with pytest.raises(CodecError) as error:
            decode_line(spelling)
        assert error.value.code == "not-canonical"


@settings(max_examples=20, deadline=None)
@given(seeds(), st.integers(1, 5), rulesets(), st.integers(0, 99), st.booleans())
def test_whole_games(
    seed: str, players: int, ruleset: Ruleset | None, choices: int, sealed: bool
) -> None:
    game = odd_game(seed, players, ruleset, choices=choices, sealed=sealed)
    data = encode_game(game)
    log = read_game(GameText(data, 1, 0))
    assert log.fault is None
    assert log.events == game
    assert encode_game(log.events) == data


@settings(max_examples=20, deadline=None)
@given(seeds(), st.integers(1, 5), st.integers(0, 99), st.integers(1, 400), st.booleans())
def test_a_game_at_once_is_the_game_line_by_line(
    seed: str, players: int, choices: int, length: int, named: bool
) -> None:
    events = odd_game(seed, players, None, choices=choices, sealed=False)[:length]
    bots = ["ran,dom", None, "é\n", "", "x"][:players] if named else None
    data, seal = seal_block(NO_SEAL, game_lines(events, bots=bots))
    assert encode_game(events, bots=bots) == data
    if length > 1:
        game = encoded_game(events, bots=bots)
        assert (game.data, game.seal) == (data, seal)
        assert [game.first, *map(decode_line, data.splitlines()[1:-1]), game.last] == [
            decode_line(line) for line in data.splitlines()
        ]
        assert game.bodies == [encode_event(event) for event in events[1:-1]]


def test_a_very_long_game_at_once() -> None:
    events = [*play_game("1", 2)[0][:1], *(BidPassed(n % 2) for n in range(5000))]
    assert encode_game(events) == seal_block(NO_SEAL, game_lines(events))[0]
