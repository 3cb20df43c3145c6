"""One line for one game: round trips, frozen lines, and every kind of broken line."""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tenlog.errors import NotationError
from tenlog.game.cards import KIND
from tenlog.game.events import Event, GameStarted
from tenlog.game.payments import any_payment, suggest
from tenlog.game.ruleset import ruleset_from
from tenlog.game.start import check_players
from tenlog.game.state import State
from tenlog.log.codec import encode_events
from tenlog.log.read import read_game
from tenlog.log.replay import replay
from tenlog.log.source import GameText
from tenlog.notation import read_line, write_line
from tenlog.notation.fields import checksum
from tenlog.notation.payments import plain, thrifty, write_payment
from tests.referee.generate import generate
from tests.referee.referee import read_rules, rules_as_object
from tests.support import ROOT, play_game

SAFE = re.compile(r"[A-Za-z0-9._%+,:/-]+\Z")

CUSTOM: list[dict[str, Any]] = [
    {"name": "small", "deck": {"R1": [], "WW": [1, 1, 1]}, "tokens": {"start": 3, "limit": 12}},
    {"name": "harsh", "bust_limit": 6, "busts": {"value": 1, "supply": 2}, "auction_cards": False},
    {"name": "odd", "unsold_wild": "drawer", "spent_cards": "market", "busts": {"value": 5}},
    {"name": "rich", "tokens": {"start": 70, "limit": 90, "supply": 900}},
]

NAMES = st.lists(
    st.text(min_size=1, max_size=12).filter(lambda name: check_players((name,)) is None),
    min_size=5,
    max_size=5,
    unique=True,
)


def made(
    seed: str, players: int, sealed: bool = False, custom: int | None = None, choice: int = 0
) -> list[Event]:
    """A game of the independent generator: any legal decisions, any legal payments."""
    rules = None
    if custom is not None:
        rules = read_rules(msgspec.json.decode(msgspec.json.encode(ruleset_from(CUSTOM[custom]))))
        assert rules_as_object(rules)["name"] == CUSTOM[custom]["name"]
    data = generate(seed, players, "end", sealed, rules, choice)
    found = replay(read_game(GameText(data, 1, 0)))
    assert found.fault is None, found.fault
    return found.events


def check_round_trip(events: list[Event]) -> str:
    line = write_line(events)
    assert SAFE.match(line), line
    assert encode_events(read_line(line)) == encode_events(events)
    return line


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**9).map(str),
    players=st.integers(1, 5),
    sealed=st.booleans(),
    custom=st.none() | st.integers(0, len(CUSTOM) - 1),
    names=NAMES,
    cut=st.none() | st.floats(0, 1),
)
def test_line_gives_the_game_back(
    seed: str, players: int, sealed: bool, custom: int | None, names: list[str], cut: float | None
) -> None:
    events = made(seed, players, sealed, custom)
    start = events[0]
    assert isinstance(start, GameStarted)
    events[0] = msgspec.structs.replace(start, players=tuple(names[:players]))
    if cut is not None:
        events = events[: max(1, int(cut * (len(events) - 1)))]
    check_round_trip(events)


@pytest.mark.parametrize("sealed", [False, True])
def test_every_cut_of_a_game(sealed: bool) -> None:
    """Also inside decisions: between a draw and its bust, between a last pass and the sale."""
    events = made("cuts", 2, sealed)
    for n in range(1, len(events) + 1):
        check_round_trip(events[:n])


def test_hostile_seeds_and_decks_with_gaps() -> None:
    ruleset = ruleset_from({"name": "a/b_c-d.e"})
    fewer = ruleset_from({"name": "f", "deck": {"R1": [], "C5": [2, 2], "GW": [1]}})
    gaps = msgspec.structs.replace(ruleset, deck={**ruleset.deck, "R1": ()})
    for rules in (ruleset, fewer, gaps):
        for seed in ("a b:c,d%/+", "++", "\u202e🂡", "-", "/9", "%41"):
            events, _ = play_game(seed, 2, ruleset=rules, sealed=seed == "++")
            check_round_trip(events)
    events, _ = play_game("42", 2)
    shipped = ruleset_from({"name": "ten/1"})
    start = events[0]
    assert isinstance(start, GameStarted)
    events[0] = msgspec.structs.replace(start, rules=shipped)  # embedded although it is shipped
    check_round_trip(events)


@settings(max_examples=80, deadline=None)
@given(
    tokens=st.integers(0, 10),
    busts=st.integers(0, 4),
    cards=st.dictionaries(st.integers(0, 49), st.integers(1, 3), max_size=8),
    price=st.integers(1, 14),
    auction=st.booleans(),
    kind=st.integers(0, 35),
)
def test_payments_that_cost_nothing_are_those_of_the_engine(
    tokens: int, busts: int, cards: dict[int, int], price: int, auction: bool, kind: int
) -> None:
    """The frozen rules agree with the engine's present ones, where both are defined."""
    _, table = play_game("42", 2)
    state: State = table.copy()
    own = bytearray(50)
    for owned, count in cards.items():
        own[owned] = count
    state.tokens, state.busts, state.cards = (tokens, 0), (busts, 0), (bytes(own), bytes(50))
    bought = -1 if auction else kind
    price = min(price if auction else kind % 9 + 1, tokens + 3 * busts + sum(own))
    if price < 1:
        return
    assert plain(state, 0, price, auction=auction) == any_payment(state, 0, price, auction=auction)
    spare = sum(count - 1 for owned, count in cards.items() if owned < 36)
    if price - tokens - 3 * busts - spare <= 8:
        assert thrifty(state, 0, price, auction=auction, bought=bought) == suggest(
            state, 0, price, auction=auction, bought=bought
        )


def test_payments_are_frozen() -> None:
    """Both ways of paying as they were published: a line must mean the same for ever."""
    vectors = json.loads((ROOT / "fixtures" / "share" / "payments.json").read_text())
    assert len(vectors) >= 100
    _, table = play_game("42", 2)
    for vector in vectors:
        state: State = table.copy()
        own = bytearray(50)
        for card in vector["cards"].split():
            own[KIND[card]] += 1
        state.tokens, state.busts = (vector["tokens"], 0), (vector["busts"], 0)
        state.cards = (bytes(own), bytes(50))
        auction, price = vector["buys"] is None, vector["price"]
        bought = -1 if auction else KIND[vector["buys"]]
        paid = thrifty(state, 0, price, auction=auction, bought=bought)
        assert write_payment(paid) == vector["thrifty"], vector
        paid = plain(state, 0, price, auction=auction)
        assert write_payment(paid) == vector["plain"], vector


TINY = "TEN1:tiny:ten/1:Ada,Bob:42:/2"


def line(text: str) -> str:
    """The text with the checksum that fits it."""
    return f"{text}:{checksum(text)}"


BROKEN = [
    ("", 1, "a game begins with TEN1:"),
    ("hello", 1, "no notation"),
    ("TEN2:tiny", 1, "update"),
    ("TEN1:tiny:ten/1:Ada,Bob:42", 27, "the moves is missing"),
    (TINY, 30, "the checksum is missing"),
    (TINY + ":5DAE8E", 31, "6 of 0-9 a-f"),
    (TINY + ":5dae8e:", 37, "nothing may follow"),
    (TINY + ":5dae8f", 31, "the checksum over what stands before it is 5dae8e"),
    (line("TEN1:t!ny:ten/1:Ada,Bob:42:/2"), 6, "a game id is"),
    (line("TEN1:tiny:ten/2:Ada,Bob:42:/2"), 11, "no ruleset 'ten/2'"),
    (line("TEN1:tiny:+!:Ada,Bob:42:/2"), 12, "base64"),
    (line("TEN1:tiny:+bm8:Ada,Bob:42:/2"), 12, "can't be read"),
    (line("TEN1:tiny:+WzFd:Ada,Bob:42:/2"), 12, "not a table"),
    (line("TEN1:tiny:+eyJuYW1lIjoiIn0:Ada,Bob:42:/2"), 12, "can't work"),
    (line("TEN1:tiny:ten/1:Ada,Ada:42:/2"), 17, "two players"),
    (line("TEN1:tiny:ten/1:Ada,B b:42:/2"), 22, "can't stand in a name"),
    (line("TEN1:tiny:ten/1:Ada,B%4:42:/2"), 22, "after %"),
    (line("TEN1:tiny:ten/1:Ada,B%FF:42:/2"), 21, "not UTF-8"),
    (line("TEN1:tiny:ten/1:Ada,B%0A:42:/2"), 17, "control character"),
    (line("TEN1:tiny:ten/1:Ada,:42:/2"), 17, "a name has 1 to 64"),
    (line("TEN1:tiny:ten/1:a,b,c,d,e,f:42:/2"), 17, "1 to 5 players"),
    (line("TEN1:tiny:ten/1:Ada,Bob::/2"), 25, "a seed has 1 to 128"),
    (line("TEN1:tiny:ten/1:Ada,Bob:++abc:/2"), 27, "43 characters"),
    (line("TEN1:tiny:ten/1:Ada,Bob:++a:/2"), 27, "base64"),
    (line("TEN1:tiny:ten/1:Ada,Bob:++" + "A" * 43 + ":C3"), 25, "in progress"),
    (line("TEN1:tiny:ten/1:Ada,Bob:++" + "A" * 43 + ":C9/2"), 71, "no move here"),
    (line("TEN1:tiny:ten/1:Ada,Bob:++" + "A" * 43 + ":C5C5C5C5/5"), 73, "no C5 left"),
    (line("TEN1:tiny:ten/1:Ada,Bob:+42:/2"), 25, "is finished"),
    (line("TEN1:tiny:ten/1:Ada,Bob:42:"), 28, "the moves end here"),
    (line("TEN1:tiny:ten/1:Ada,Bob:42:/999"), 28, "the moves end here"),
    (line("TEN1:tiny:ten/1:Ada,Bob:42:x/9"), 28, "'x' is no move here"),
    (line("TEN1:tiny:ten/1:Ada,Bob:42:n/3"), 28, "no number card"),
    (line("TEN1:tiny:ten/1:Ada,Bob:42:4/9"), 28, "more draws, but Bob (seat 1) is to bid"),
    (line("TEN1:tiny:ten/1:Ada,Bob:42:c/2"), 28, "2 events end before this move"),
    (line("TEN1:tiny:ten/1:Ada,Bob:42:1%/9"), 29, "'%' is no move here"),
    (line("TEN1:tiny:ten/1:Ada,Bob:42:10/9"), 29, "at least 1"),
    (line("TEN1:tiny:ten/1:Ada,Bob:42:1_9/9"), 29, "between underscores"),
    (line("TEN1:tiny:ten/1:Ada,Bob:42:1_999_/9"), 29, "can pay 5 at most"),
    (line("TEN1:tiny:ten/1:Ada,Bob:42:12+9t+/9"), 29, "more than 5 owned"),
    (line("TEN1:tiny:ten/1:Ada,Bob:42:12+3t+/9"), 29, "superfluous"),
    (line("TEN1:tiny:ten/1:Ada,Bob:42:12+2t/9"), 30, "a payment is"),
    (line("TEN1:tiny:ten/1:Ada,Bob:42:12+RB+/9"), 30, "a payment is"),
    (line("TEN1:tiny:ten/1:Ada,Bob:42:12+2t+/4"), 30, "one way to write"),
    (line("TEN1:tiny:ten/1:Ada,Bob:42:12,/4"), 30, "one way to write"),
    (line("TEN1:tiny:ten/1:Ada,Bob:42:1--/6"), 29, "one way to write"),
]


@pytest.mark.parametrize(("text", "position", "message"), BROKEN)
def test_broken_line_says_where(text: str, position: int, message: str) -> None:
    with pytest.raises(NotationError) as caught:
        read_line(text)
    assert message in str(caught.value)
    assert caught.value.position == position, caught.value
    assert str(caught.value).startswith(f"character {position}: ")


def test_every_wrong_character_of_a_line_is_found() -> None:
    events, _ = play_game("typo", 1, game="t")
    right = write_line(events)
    for i, old in enumerate(right):
        for new in ("x", "1", ":", " ", old.swapcase()):
            wrong = right[:i] + new + right[i + 1 :]
            if new != old:
                with pytest.raises(NotationError):
                    read_line(wrong)
        with pytest.raises(NotationError):
            read_line(right[:i])
        with pytest.raises(NotationError):
            read_line(right[:i] + right[i + 1 :])


@settings(max_examples=80, deadline=None)
@given(
    st.text(max_size=60)
    | st.from_regex(r"TEN1:g:ten/1:a,b:42:[0-9a-zA-Z,+._-]{0,30}(/[0-9]{1,3})?", fullmatch=True)
)
def test_no_line_breaks_the_reader(text: str) -> None:
    for attempt in (text, line(text)):
        position, events = 1, None
        try:
            events = read_line(attempt)
        except NotationError as error:
            position = error.position
        assert 1 <= position <= len(attempt) + 1
        assert events is None or write_line(events) == attempt


def test_length_for_four_players() -> None:
    """Typically under 400 bytes: a random 128-bit seed, an id and names of ordinary length."""
    lengths = []
    for i in range(12):
        events, _ = play_game(checksum(str(i)) * 5 + "00", 4, game="20261130-7f3a")
        start = events[0]
        assert isinstance(start, GameStarted)
        assert read_line(write_line(events)) == events
        lengths.append(len(write_line(events)) + len("Ada,Bob,Cleo,Dan") - len("p0,p1,p2,p3"))
    assert sorted(lengths)[len(lengths) // 2] < 350
    assert max(lengths) < 400


def test_notation_page_agrees() -> None:
    """Every line that the page shows is read, and means what stands there."""
    page = (ROOT / "tenlog" / "docs" / "notation.md").read_text()
    shown = re.findall(r"^    (TEN1:\S+)$", page, re.M)
    assert len(shown) >= 2
    for text in shown:
        assert write_line(read_line(text)) == text
