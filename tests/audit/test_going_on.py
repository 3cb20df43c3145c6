"""``--all``: what is said after the first fault of a game, and what is not."""

from __future__ import annotations

from io import BytesIO
from random import Random
from typing import Any

from tenlog.audit import Judged, Settings, judge_game
from tenlog.audit.resync import MAX_FAULTS
from tenlog.log.codec import SEAL_KEY
from tenlog.log.source import split_games
from tenlog.log.store import encode_game
from tests.audit.forgers import Events, events_of
from tests.laws.games import odd_game, small_ruleset
from tests.referee.generate import seal_lines

GAMES = [events_of(encode_game(odd_game(str(i), 3, small_ruleset(), choices=i))) for i in range(30)]


def each(events: Events) -> bytes:
    return seal_lines([{"n": n, "ev": event} for n, event in enumerate(events)], "each")


def told(data: bytes) -> list[tuple[int, str]]:
    """Event and code of every fault of the first game."""
    text = next(split_games(BytesIO(data)))
    game: Judged = judge_game(text, "f", Settings(everything=True))
    for fault in game.faults:
        assert data[: fault.offset].count(b"\n") == fault.line - 1 == fault.event
    return [(fault.event, fault.code) for fault in game.faults]


def with_two(kind: str) -> tuple[Events, int, int]:
    """A copy of a game with two events of a kind, and where they are."""
    for events in GAMES:
        found = [n for n, event in enumerate(events) if event["type"] == kind]
        if len(found) > 1:
            return [dict(event) for event in events], found[0], found[1]
    raise LookupError(kind)


def test_each_wrong_number_is_one_fault() -> None:
    for kind, field, value, code in (
        ("NumbersTaken", "gains", [9, 9, 9], "wrong-gains"),
        ("NumbersTaken", "cards", [], "wrong-cards"),
        ("CurrencyTaken", "tokens", 99, "wrong-gains"),
        ("Busted", "bust_tokens", 7, "wrong-bust-tokens"),
        ("Busted", "cause", None, "wrong-cause"),
        ("CardBought", "price", 77, "wrong-price"),
        ("AuctionWon", "price", 77, "wrong-price"),
        ("BidPassed", "seat", None, "wrong-seat"),
        ("BuyDeclined", "seat", None, "wrong-seat"),
        ("CardDrawn", "card", None, "wrong-card"),
    ):
        events, first, second = with_two(kind)
        for n in (first, second):
            new: Any = value
            if new is None:
                old = events[n][field]
                new = {"cause": "numbers" if old == "currency" else "currency"}.get(field)
                new = (old + 1) % 3 if field == "seat" else new
                new = ("R2" if old != "R2" else "G2") if field == "card" else new
            events[n][field] = new
        assert told(each(events)) == [(first, code), (second, code)], kind


def test_what_was_left_out_or_put_in_is_one_fault() -> None:
    for kind in ("Busted", "AuctionWon"):
        events, first, _ = with_two(kind)
        del events[first]
        assert told(each(events)) == [(first, "not-due")]
    for kind in ("Busted", "NumbersTaken", "CurrencyTaken"):
        events, first, _ = with_two(kind)
        events.insert(first + 1, events[first])
        ((n, code),) = told(each(events))
        assert n == first + 1
        assert code in ("not-due", "wrong-seat")


def test_the_end_is_judged_by_itself() -> None:
    events = [dict(event) for event in GAMES[0]]
    n = next(i for i, event in enumerate(events) if event["type"] == "NumbersTaken")
    events[n]["gains"] = [8, 8, 8]
    events[-1]["scores"] = [99, 0, 0]
    assert told(each(events)) == [(n, "wrong-gains"), (len(events) - 1, "wrong-scores")]


def test_lines_and_seals_go_on_behind_a_lost_line() -> None:
    lines = each(GAMES[1]).splitlines(keepends=True)
    lines[3] = b"?" + lines[3][1:]
    lines[6] = lines[6].replace(b'"seat":', b'"seau":') if b'"seat":' in lines[6] else b"{}\n"
    lines[9] = lines[9].replace(b'"n":9', b'"n":8')
    flip = lines[12]
    at = flip.index(SEAL_KEY) + len(SEAL_KEY)
    lines[12] = flip[:at] + (b"0" if flip[at : at + 1] != b"0" else b"1") + flip[at + 1 :]
    found = told(b"".join(lines))
    assert found[:4] == [
        (3, "not-json"),
        (6, "bad-shape"),
        (9, "bad-sequence"),
        (10, "bad-sequence"),
    ]
    assert (12, "bad-seal") in found
    # The seal after it was made over the one that stood there.
    assert [n for n, code in found if code == "bad-seal"] == [12, 13]


def test_where_the_table_means_nothing_any_more_it_stops() -> None:
    events = [
        GAMES[2][0],
        {"type": "BuyDeclined", "seat": 0},
        {"type": "AuctionUnsold", "card": "R1"},
        {"type": "NothingTaken", "seat": 2},
        *GAMES[2][1:],
    ]
    assert [n for n, _ in told(each(events))] == [1, 2, 3]


def test_no_more_than_a_hundred() -> None:
    rng = Random(0)
    lines = each(GAMES[3]).splitlines(keepends=True)
    junk = [b"junk %d\n" % rng.randrange(10) for _ in range(500)]
    assert len(told(b"".join([*lines[:5], *junk, *lines[5:]]))) == MAX_FAULTS
