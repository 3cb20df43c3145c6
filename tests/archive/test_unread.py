"""Games of which nobody has read the lines: what is not good in them is found when their columns
are proved, and they stay out; good ones beside them go in."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tenlog.archive import Added, ArchiveWriter, add_logs, get_game
from tenlog.archive import open as open_archive
from tenlog.archive.admit import Audit
from tenlog.archive.bodies import Bodies, Otherwise
from tenlog.archive.build import Builder
from tenlog.archive.catalogue import load
from tenlog.archive.engine import connect
from tenlog.archive.fill import Suspects, faulty_games, try_part, write_part
from tenlog.archive.lines import NotKept
from tenlog.archive.parts import wrongly_derived
from tenlog.archive.verify import verify_archive
from tenlog.errors import ArchiveError
from tenlog.game.cards import CARDS, Card
from tenlog.game.events import (
    AuctionUnsold,
    AuctionWon,
    BidPassed,
    BidPlaced,
    Busted,
    BuyDeclined,
    CardBought,
    CardDrawn,
    CurrencyTaken,
    Event,
    NothingTaken,
    NumbersTaken,
    Payment,
)
from tenlog.game.ruleset import ruleset_from
from tenlog.log.codec import NO_SEAL, SEAL_KEY, seal_of
from tenlog.log.store import encode_game
from tests.archive.conftest import ODD_RULES, played_bytes
from tests.support import play_game


def resealed(data: bytes) -> bytes:
    """A game sealed at its end, with the seal that its bytes need."""
    body = data[: data.rindex(SEAL_KEY)]
    return body + SEAL_KEY + seal_of(NO_SEAL, body).encode() + b'"}\n'


def good(game: str) -> bytes:
    return encode_game(play_game(game, 3, game=game)[0], bots=["random"] * 3)


_GOOD = good("bad")
_LINES = _GOOD.split(b"\n")


def _nth(kind: bytes) -> int:
    return next(n for n, line in enumerate(_LINES) if b'"type":"%b"' % kind in line)


def _with(n: int, old: bytes, new: bytes) -> bytes:
    assert old in _LINES[n]
    return b"\n".join([*_LINES[:n], _LINES[n].replace(old, new, 1), *_LINES[n + 1 :]])


def _line(n: int, text: bytes) -> bytes:
    return b"\n".join([*_LINES[:n], text, *_LINES[n + 1 :]])


DRAWN, TAKEN = _nth(b"CardDrawn"), _nth(b"NumbersTaken")
BID, WON, BUST = _nth(b"BidPlaced"), _nth(b"AuctionWon"), _nth(b"Busted")
WRONG: dict[str, bytes] = {
    "another field": _with(DRAWN, b'"seat":0', b'"seat":0,"amount":1'),
    "another field of the line": _with(DRAWN, b"}}", b'},"x":{}}'),
    "no field": _with(DRAWN, b'"seat":0,', b""),
    "null": _with(DRAWN, b'"seat":0', b'"seat":null'),
    "a field twice": _with(DRAWN, b'"seat":0', b'"seat":0,"seat":0'),
    "another order": _with(BID, b'"payment":{"tokens":', b'"payment":{"busts":0,"tokens":'),
    "a space": _with(DRAWN, b'"seat":0', b'"seat": 0'),
    "a space at the end": _with(DRAWN, b"}}", b"}} "),
    "a carriage return": _with(DRAWN, b"}}", b"}}\r"),
    "a carriage return inside": _with(DRAWN, b'"seat":0', b'"seat":\r0'),
    "two events": _with(DRAWN, b"}}", b'}{"type":"BidPassed","seat":0}}'),
    "an empty event": _line(DRAWN, b'{"n":%d,"ev":{}}' % DRAWN),
    "an event in the event": _with(DRAWN, b'"seat":0', b'"ev":{"seat":0},"seat":0'),
    "no brace at the end": _with(DRAWN, b"}}", b"}"),
    "braces": _with(DRAWN, b"}}", b"}}}"),
    "deep brackets": _with(DRAWN, b'"seat":0', b'"seat":' + b"[" * 999 + b"]" * 999),
    "a number that begins with 0": _with(DRAWN, b"}}", b'},"at":01}'),
    "n that begins with 0": _with(DRAWN, b'{"n":', b'{"n":0'),
    "a tab": _with(DRAWN, b'"card":"', b'"card":"\t'),
    "a control character": _with(DRAWN, b'"card":"', b'"card":"\x01'),
    "no UTF-8": _with(DRAWN, b'"card":"', b'"card":"\xff'),
    "an escape": _with(DRAWN, b'"type":"CardDrawn"', b'"type":"Card\\u0044rawn"'),
    "no such type": _with(DRAWN, b'"CardDrawn"', b'"CardDrown"'),
    "no such card": _with(DRAWN, b'"card":"', b'"card":"X'),
    "no such cause": _with(BUST, b'"cause":"', b'"cause":"no'),
    "no such card in a list": _with(TAKEN, b'"cards":["', b'"cards":["ZZ","'),
    "a number as text": _with(DRAWN, b'"seat":0', b'"seat":"0"'),
    "a number as a fraction": _with(DRAWN, b'"seat":0', b'"seat":0.0'),
    "a truth": _with(DRAWN, b'"seat":0', b'"seat":false'),
    "below zero": _with(BID, b'"tokens":', b'"tokens":-'),
    "a huge number": _with(BID, b'"tokens":', b'"tokens":9999999999'),
    "a huge gain": _with(TAKEN, b'"gains":[', b'"gains":[9999999999,'),
    "a seat too many": _with(DRAWN, b'"seat":0', b'"seat":3'),
    "gains of too few": _with(TAKEN, b'"gains":[0,', b'"gains":['),
    "gains of too many": _with(TAKEN, b'"gains":[', b'"gains":[0,'),
    "a line twice": _line(DRAWN, _LINES[DRAWN] + b"\n" + _LINES[DRAWN]),
    "a line less": b"\n".join([*_LINES[:DRAWN], *_LINES[DRAWN + 1 :]]),
    "an empty line": _line(DRAWN, _LINES[DRAWN] + b"\n"),
    "two lines the other way round": b"\n".join(
        [*_LINES[:DRAWN], _LINES[DRAWN + 1], _LINES[DRAWN], *_LINES[DRAWN + 2 :]]
    ),
    "n 0 in the middle": _with(DRAWN, b'{"n":%d,' % DRAWN, b'{"n":0,'),
    "an end in the middle": _line(DRAWN, b'{"n":%d,"ev":{"type":"GameFinished"}}' % DRAWN),
    "a start in the middle": _line(DRAWN, b'{"n":%d,"ev":{"type":"GameStarted"}}' % DRAWN),
    "no JSON": _with(DRAWN, b'"card"', b'"card'),
    "an array": _line(DRAWN, b"[]"),
    "a moment below zero": _with(DRAWN, b"}}", b'},"at":-1}'),
    "a moment as a fraction": _with(DRAWN, b"}}", b'},"at":1.5}'),
    "a seal that is none": _with(DRAWN, b"}}", b'},"h":"%b"}' % (b"0" * 32)),
    "a seal twice": _with(DRAWN, b"}}", b'},"h":true}'),
    "no event": _line(DRAWN, b'{"n":%d}' % DRAWN),
    "a long name": _with(DRAWN, b'"card":"', b'"card":"' + b"x" * 300_000),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_line_keeps_its_game_out(tmp_path: Path, what: str) -> None:
    wrong = resealed(WRONG[what])
    log = tmp_path / "g.jsonl"
    log.write_bytes(good("one") + wrong + good("two"))
    added = add_logs(tmp_path / "a", [str(log)], audit="none")
    assert (added.games, added.faulty, added.unfinished) == (2, 1, 0), added.kept_out
    [out] = added.kept_out
    before = good("one").count(b"\n")
    assert before < out.line <= before + wrong.count(b"\n") + 1
    assert out.game == "bad"
    assert get_game(tmp_path / "a", "two") == good("two")


def test_all_that_is_wrong_at_once(tmp_path: Path) -> None:
    log = tmp_path / "g.jsonl"
    data = b""
    for number, wrong in enumerate(WRONG.values()):
        name = b"bad-%d" % number
        data += resealed(wrong.replace(b'"game":"bad"', b'"game":"%b"' % name, 1))
        data += good(f"good-{number}")
    log.write_bytes(data)
    added = add_logs(tmp_path / "a", [str(log)], audit="none")
    assert (added.games, added.faulty) == (len(WRONG), len(WRONG))
    assert sorted(str(out.game) for out in added.kept_out) == sorted(
        f"bad-{number}" for number in range(len(WRONG))
    )
    for number in range(len(WRONG)):
        assert get_game(tmp_path / "a", f"good-{number}") == good(f"good-{number}")


def test_nothing_but_wrong_games(tmp_path: Path) -> None:
    log = tmp_path / "g.jsonl"
    log.write_bytes(resealed(WRONG["another field"]))
    added = add_logs(tmp_path / "a", [str(log)], audit="none")
    assert (added.games, added.faulty) == (0, 1)
    assert load(tmp_path / "a").parts == ()


@pytest.mark.parametrize("twice", [False, True])
def test_a_wrong_game_does_not_stand_in_the_way_of_a_good_one(tmp_path: Path, twice: bool) -> None:
    log = tmp_path / "g.jsonl"
    wrong = resealed(WRONG["another field"])
    log.write_bytes(wrong + _GOOD + (encode_game(play_game("x", 2, game="bad")[0]) * twice))
    added = add_logs(tmp_path / "a", [str(log)], audit="none")
    assert (added.games, added.faulty, added.clashes) == (1, 1, int(twice))
    assert get_game(tmp_path / "a", "bad") == _GOOD


def test_a_game_in_which_somebody_gets_more_than_a_column_holds(tmp_path: Path) -> None:
    events, _ = play_game("x", 2, game="x")
    much = [CurrencyTaken(1, 2**31 - 1, ())] * 2
    log = tmp_path / "g.jsonl"
    wrong = resealed(WRONG["another field"])
    log.write_bytes(good("a") + encode_game([events[0], *much, events[-1]]) + wrong + good("b"))
    added = add_logs(tmp_path / "a", [str(log)], audit="none")
    assert (added.games, added.faulty) == (2, 2)
    assert [(out.game, out.code) for out in added.kept_out] == [
        ("bad", "bad-shape"),
        ("x", "bad-amount"),
    ]
    assert get_game(tmp_path / "a", "b") == good("b")


def test_what_is_dropped_leaves_no_trace(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    kinds = {name: good(name) for name in ("a", "b", "c")}
    kinds["b"] = played_bytes(play_game("b", 2, game="b")[0])
    parts = []
    for folder, drop in ((one, "b"), (two, "")):
        folder.mkdir()
        builder = Builder(folder)
        for name, data in kinds.items():
            if drop or name != "b":
                builder.keep(builder.examine(data, "none"))
        if drop:
            assert builder.bytes_of("b") == kinds["b"]
            builder.drop(drop)
        parts.append(write_part(tmp_path, builder))
        assert builder.bytes_of("c") == kinds["c"]
    assert parts[0] == parts[1]


def test_lines_of_a_game_that_stays_out_harm_no_other(tmp_path: Path) -> None:
    builder = Builder(tmp_path)
    odd = WRONG["another field"]  # and its seal is wrong, so that it is no candidate
    with pytest.raises(NotKept, match="seal"):
        builder.examine(odd, "none")
    builder.keep(builder.examine(good("one"), "none"))
    assert write_part(tmp_path, builder).games == 1


@pytest.mark.parametrize("bad", [b"{", b'{"a":1}\n{', b"}\n", b'{"type":"GameFinished"}'])
def test_what_is_no_body_takes_no_number(bad: bytes) -> None:
    bodies = Bodies()
    first = bodies.of([b'{"a":1}', b'{"a":2}', b'{"a":1}'])
    assert first == [2, 3, 2]
    with pytest.raises(Otherwise):
        bodies.of([b'{"a":3}', bad, b'{"a":4}'])
    assert bodies.of([b'{"a":5}', b'{"a":2}']) == [4, 3]
    assert [bodies.texts[number] for number in (2, 3, 4)] == [b'{"a":1}', b'{"a":2}', b'{"a":5}']


@pytest.mark.parametrize("count", [0, 1, 9, 10, 9_999, 10_000, 10_001, 12_345])
def test_games_of_any_length_come_back(tmp_path: Path, count: int) -> None:
    start, *_, end = play_game("x", 2, game="x")[0]
    events = [start, *(BidPassed(n % 2) for n in range(count)), end]
    plain = encode_game(events)
    told = played_bytes(events, every=1000)
    for data in (plain, told):
        builder = Builder(tmp_path)
        builder.keep(builder.examine(data, "none"))
        assert builder.bytes_of("x") == data
    with ArchiveWriter(tmp_path / "a") as writer:
        writer.add_log(told, "none")
        writer.commit()
    assert get_game(tmp_path / "a", "x") == told


def test_many_lines_that_are_all_different_fill_a_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is kept of them in memory has a bound."""
    monkeypatch.setattr("tenlog.archive.stage.HELD", 1 << 20)
    monkeypatch.setattr("tenlog.archive.stage._BATCH_GAMES", 1)
    start, *_, end = play_game("x", 3, game="x")[0]
    logs = []
    for game in range(4):
        bids = [BidPlaced(0, 5000 * game + n, Payment(n, 0, ())) for n in range(5000)]
        logs.append(encode_game([msgspec.structs.replace(start, game=f"g{game}"), *bids, end]))
    assert added(tmp_path, b"".join(logs)).games == 4
    assert len(load(tmp_path / "a").parts) == 4
    assert [get_game(tmp_path / "a", f"g{game}") for game in range(4)] == logs


@pytest.mark.parametrize("between", [b',"ev":', b'}\n"ev":', b'},"ev":', b'}}\n{"n":3,"ev":'])
@pytest.mark.parametrize("skipped", [0, 1])
def test_two_events_in_one_line_are_not_two_lines(
    tmp_path: Path, between: bytes, skipped: int
) -> None:
    """Also where the numbers behind it are as if they were."""
    event = b'{"type":"CardDrawn","seat":0,"card":"R1"}'  # longer than the shortest one
    lines = [
        passed(1),
        b'{"n":2,"ev":' + event + between + event + b"}",
        *(b'{"n":%d,"ev":%b}' % (n + skipped, event) for n in range(3, 9)),
    ]
    data = made("bad", lines, n=9 + skipped)
    done = added(tmp_path, good("one") + data)
    assert (done.games, done.faulty) == (1, 1)


_JOINTS = (
    *(b',"ev":', b"}", b"{", b"\n", b"}\n", b'}\n{"n":', b'"n":', b",", b'"', b"0", b"1", b"\r"),
)


def _jumbled(rng: random.Random, data: bytes) -> bytes:
    """A game cut at the joints of its lines and put together otherwise, numbered so that counting
    alone does not notice, and sealed."""
    lines = data.splitlines(keepends=True)
    middle = lines[1:-1]
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(middle))
        line, joint = middle[at], rng.choice(_JOINTS)
        cut = rng.choice([m.start() for m in re.finditer(re.escape(joint), line)] or [9])
        change = rng.randrange(5)
        if change == 0:
            middle[at] = line[:cut] + rng.choice(_JOINTS) + line[cut:]
        elif change == 1:
            middle[at] = line[:cut] + line[cut + len(joint) :]
        elif change == 2:
            middle.insert(at, rng.choice(middle))
        elif len(middle) > at + 1:  # two lines in one, whose numbers are kept by the others
            event = middle.pop(at + 1).partition(b',"ev":')[2]
            middle[at] = line[:-2] + rng.choice(_JOINTS) + event
    if rng.random() < 0.5:
        for at, line in enumerate(middle):
            middle[at] = re.sub(rb'^\{"n":\d+', b'{"n":%d' % (at + 1), line)
    numbers = re.findall(rb'\{"n":(\d+)', b"".join(middle)) or [b"0"]
    end = re.sub(rb'^\{"n":\d+', b'{"n":%d' % (int(numbers[-1]) + 1), lines[-1])
    return resealed(b"".join([lines[0], *middle, end]))


@pytest.mark.parametrize("seed", range(4))
def test_what_is_taken_apart_is_put_together_again_or_refused(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    first, *lines, last = good("bad").splitlines(keepends=True)
    taken = 0
    for _ in range(500):
        some = lines[: rng.randrange(1, 30)]
        data = _jumbled(rng, b"".join([first, *some, last]))
        builder = Builder(tmp_path)
        try:
            builder.keep(builder.examine(data, "none"))
        except NotKept:
            continue
        assert builder.bytes_of("bad") == data
        taken += 1
    assert 5 < taken < 450, taken


@pytest.mark.parametrize("audit", ["none", "seals", "full"])
def test_a_game_that_stays_out_for_its_sums_stands_in_nobodys_way(
    tmp_path: Path, audit: Audit
) -> None:
    start, *_, end = play_game("x", 3, game="bad")[0]
    much = encode_game([start, *([CurrencyTaken(0, 2**31 - 1, ())] * 3), end])
    done = added(tmp_path, much + _GOOD + good("other"), audit=audit)
    assert (done.games, done.faulty, done.clashes) == (2, 1, 0)
    assert get_game(tmp_path / "a", "bad") == _GOOD


@pytest.mark.parametrize("chunk", [1, 1 << 20])
def test_a_game_that_comes_again_is_known_whatever_came_between(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    """Also where the other one is only turned away at the commit."""
    monkeypatch.setattr("tenlog.archive.chunks.LEAST", chunk)
    monkeypatch.setattr("tenlog.archive.chunks._SHARES", 2)
    other = encode_game(play_game("x", 2, game="bad")[0])
    filler = b"".join(good(f"f{n}") for n in range(3))
    done = added(tmp_path, _GOOD + filler + other + _GOOD)
    assert (done.games, done.known, done.clashes) == (4, 1, 1)
    again = added(tmp_path, _GOOD + filler + other + _GOOD)
    assert (again.games, again.known, again.clashes) == (0, 5, 1)


_LONG = [
    NumbersTaken(0, ("R1",), (0,) * 300_000),
    NumbersTaken(0, ("R1",) * 150_000, (0, 0, 0)),
    CurrencyTaken(0, 1, ("C1",) * 150_000),
]


@pytest.mark.parametrize("event", _LONG)
def test_an_event_that_is_longer_than_any_deck_stays_out(tmp_path: Path, event: Event) -> None:
    """Lists cost many times their bytes as columns."""
    start, *_, end = play_game("x", 3, game="bad")[0]
    done = added(tmp_path, encode_game([start, event, end]) + good("one"))
    assert (done.games, done.faulty) == (1, 1)
    assert done.kept_out[0].code == "bad-shape"
    assert "an event takes more than" in done.kept_out[0].reason


def test_a_writer_refuses_an_event_that_is_longer_than_any_deck(tmp_path: Path) -> None:
    events, state = play_game("x", 3, game="x")
    long = CurrencyTaken(0, 1, ("C1",) * 2000)
    with ArchiveWriter(tmp_path / "a") as writer, pytest.raises(ArchiveError, match="6000 bytes"):
        writer.add([events[0], long, *events[1:]], state=state)


def test_lines_that_are_too_short_are_not_taken_apart(tmp_path: Path) -> None:
    first, *_, last, _ = good("bad").split(b"\n")
    short = [first, *[b"ab"] * 20_000, last.replace(last[: last.index(b",")], b'{"n":20001'), b""]
    done = added(tmp_path, resealed(b"\n".join(short)) + good("one"))
    assert (done.games, done.faulty) == (1, 1)
    with pytest.raises(NotKept, match="too short"):
        Builder(tmp_path).examine(resealed(b"\n".join(short)), "none")


def test_games_are_suspected_by_name(tmp_path: Path) -> None:
    builder = Builder(tmp_path)
    for data in (good("one"), resealed(WRONG["another field"]), good("two")):
        builder.keep(builder.examine(data, "none"))
    with pytest.raises(Suspects) as suspects:
        try_part(tmp_path, builder)
    assert suspects.value.games == ["bad"]
    assert list(faulty_games(builder, suspects.value)) == ["bad"]


def test_a_writer_refuses_events_that_are_no_game(tmp_path: Path) -> None:
    events, state = play_game("x", 3, game="x")
    wrong = [msgspec.structs.replace(event, seat=9) for event in events if type(event) is CardDrawn]
    with ArchiveWriter(tmp_path / "a") as writer:
        with pytest.raises(ArchiveError, match="names seats"):
            writer.add([events[0], wrong[0], *events[2:]])
        writer.add([events[0], wrong[0], *events[2:]], state=state)  # as if judged
        with pytest.raises(ArchiveError, match=r"don't come back from their columns \(x\)"):
            writer.commit()
    assert not load(tmp_path / "a").parts


def _nonsense(rng: random.Random, seats: int) -> Event:
    def cards(most: int) -> tuple[Card, ...]:
        return tuple(rng.choices(CARDS, k=rng.randrange(most)))

    seat, card = rng.randrange(seats), rng.choice(CARDS)
    paid = Payment(rng.randrange(5), rng.randrange(3), cards(3))
    gains = tuple(rng.randrange(3) for _ in range(seats))
    kinds: Sequence[Event] = (
        CardDrawn(seat, card),
        CardDrawn(seat, rng.choice(CARDS)),
        BidPlaced(seat, rng.randrange(4), paid),
        BidPassed(seat),
        AuctionWon(seat, card, rng.randrange(9), paid),
        AuctionUnsold(card),
        Busted(seat, rng.choice(("numbers", "currency")), gains, rng.randrange(2)),
        NumbersTaken(seat, cards(4), gains),
        CurrencyTaken(seat, rng.randrange(5), cards(4)),
        NothingTaken(seat),
        CardBought(seat, card, rng.randrange(9), paid),
        BuyDeclined(seat),
    )
    return rng.choice(kinds)


@pytest.mark.parametrize("seed", range(6))
def test_what_follows_from_nonsense(tmp_path: Path, seed: int) -> None:
    """Events that are well formed but make no game: the tables say of them what SQL says."""
    rng = random.Random(seed)
    data = b""
    for number in range(30):
        seats = rng.randrange(1, 6)
        events, _ = play_game(f"{number}", seats, game=f"g{number}")
        middle = [_nonsense(rng, seats) for _ in range(rng.choice((0, 1, 2, 5, 40)))]
        data += encode_game([events[0], *middle, events[-1]])
    log = tmp_path / "g.jsonl"
    log.write_bytes(data)
    added = add_logs(tmp_path / "a", [str(log)], audit="none")
    assert added.games == 30, added.kept_out
    with connect() as con:
        [part] = load(tmp_path / "a").parts
        assert wrongly_derived(con, tmp_path / "a", part) == []


def test_the_tables_say_the_same_of_games_that_nobody_judged(
    tmp_path: Path, games: dict[str, bytes]
) -> None:
    """Save the points by colour, which only judging tells, and how they were judged."""
    log = tmp_path / "g.jsonl"
    odd = ruleset_from(ODD_RULES)
    more = [play_game(f"{i}", 3, game=f"odd-{i}", ruleset=odd)[0] for i in range(5)]
    assert any(type(event) is AuctionUnsold for events in more for event in events)
    log.write_bytes(b"".join([*games.values(), *map(encode_game, more)]))
    found = []
    for audit in ("full", "seals", "none"):
        add_logs(tmp_path / audit, [str(log)], audit=audit)
        with open_archive(tmp_path / audit) as con:
            found.append(
                [
                    con.execute(f"from {table} order by all").fetchall()
                    for table in (
                        "(select * exclude audit from games)",
                        "(select * exclude (red, blue, orange, green) from players)",
                        *("events", "turns", "draws", "auctions"),
                    )
                ]
            )
    assert found[0] == found[1] == found[2]
    assert found[0][0]


def made(game: str, lines: Sequence[bytes], n: int | None = None) -> bytes:
    """A game of some lines between its first and its last one, which has this n; sealed."""
    first, *_, last, _ = good(game).split(b"\n")
    end = b'{"n":%d,' % (len(lines) + 1 if n is None else n)
    return resealed(b"\n".join([first, *lines, end + last.split(b",", 1)[1], b""]))


def passed(n: int, more: bytes = b"") -> bytes:
    return b'{"n":%d,"ev":{"type":"BidPassed","seat":0}%b}' % (n, more)


def end_mark(n: int) -> bytes:
    return b'{"n":%d,"ev":{"type":"GameFinished"},"h":true}' % n


def added(tmp_path: Path, *logs: bytes, audit: Audit = "none") -> Added:
    """What adding some logs did; all of it verified."""
    for number, data in enumerate(logs):
        (tmp_path / f"{number}.jsonl").write_bytes(data)
    files = [str(tmp_path / f"{number}.jsonl") for number in range(len(logs))]
    done = add_logs(tmp_path / "a", files, audit=audit)
    if load(tmp_path / "a").parts:
        codes = {finding.code for finding in verify_archive(tmp_path / "a").findings}
        assert not codes & {"bad-digest", "bad-columns", "bad-rows", "damaged-file", "missing-file"}
    return done


@pytest.mark.parametrize("audit", ["none", "seals", "full"])
@pytest.mark.parametrize(
    "data",
    [b"x\n", b"\n", b"{", good("a")[:-60] + b"\n", good("a").replace(b'"h":"', b'"h":"0')],
)
def test_where_no_game_is_left_there_is_no_part(tmp_path: Path, data: bytes, audit: Audit) -> None:
    assert added(tmp_path, data, audit=audit).games == 0
    assert added(tmp_path, good("b")).games == 1


@pytest.mark.parametrize("before", [b"", good("one")])
@pytest.mark.parametrize("behind", [b"", good("two")])
def test_lines_behind_an_end_in_the_middle(tmp_path: Path, before: bytes, behind: bytes) -> None:
    hidden = [b'{"n":0,"ev":{"type":"GameStarted"} }', b'{"n":1 }']
    wrong = made("A", [passed(1), passed(2), passed(3), end_mark(4), *hidden], n=4)
    bad = resealed(WRONG["another field"])
    done = added(tmp_path, before + wrong + bad + behind)
    assert (done.games, done.faulty) == (bool(before) + bool(behind), 2)


def test_lines_in_the_name_of_another_game(tmp_path: Path) -> None:
    victim = good("two")
    size = victim.count(b"\n")
    lines = [passed(n) for n in range(1, size - 1)]
    lines += [end_mark(size - 1), b'{"n":0,"ev":{"type":"GameStarted"},"at":5}']
    lines += [passed(n, b',"at":5') for n in range(1, size - 1)]
    told = played_bytes(play_game("c", 2, game="c")[0])
    done = added(tmp_path, told + made("A", lines, n=size - 1) + victim)
    assert (done.games, [out.game for out in done.kept_out]) == (2, ["A"])
    assert get_game(tmp_path / "a", "two") == victim


@pytest.mark.parametrize("told", [False, True])
@pytest.mark.parametrize(
    "more", [b',"bots":["a","b","c"]', b',"from":{"seal":"%b","n":1}' % (b"ab" * 16)]
)
def test_the_last_line_says_what_only_the_first_may(
    tmp_path: Path, more: bytes, told: bool
) -> None:
    data = made("A", [passed(1, b',"at":5' if told else b"")])
    wrong = resealed(data.replace(b',"h":', more + b',"h":'))
    done = added(tmp_path, good("one") + wrong)
    assert (done.games, done.faulty) == (1, 1)


def test_lines_with_equal_hashes(tmp_path: Path) -> None:
    """As DuckDB hashes texts; the proof does not fall for them."""
    other = passed(1).replace(b"0}", b'0,"zzzz":"5wywf28bpmhmyvdt$sJ.[*,"}')
    with connect() as con:
        same = con.execute("select hash($1) = hash($2)", [other.decode(), passed(1).decode()])
        assert same.fetchall() == [(True,)]
    done = added(tmp_path, made("A", [other, passed(2)]) + good("one"))
    assert (done.games, done.faulty) == (1, 1)


@pytest.mark.parametrize("at", ["9" * 5000, "9007199254740993", "9223372036854775807", "01"])
def test_moments_that_are_none(tmp_path: Path, at: str) -> None:
    wrong = made("A", [passed(1, b',"at":' + at.encode()), passed(2)])
    done = added(tmp_path, good("one") + wrong)
    assert (done.games, done.faulty) == (1, 1)


def test_the_latest_moment(tmp_path: Path) -> None:
    log = made("A", [passed(1, b',"at":9007199254740992'), passed(2)])
    assert added(tmp_path, log).games == 1
    assert get_game(tmp_path / "a", "A") == log


def test_more_than_columns_hold_stays_out_though_it_flows_out_again(tmp_path: Path) -> None:
    """Between, ``states`` would show it."""
    events, _ = play_game("x", 2, game="x")
    for much, games in ((2**29, 1), (2**30, 0)):
        flow: list[Event] = [
            CurrencyTaken(1, much, ()),
            CardBought(1, CARDS[0], 1, Payment(much, 0, ())),
        ]
        data = encode_game([events[0], *flow, events[-1]])
        assert added(tmp_path, data + good("other")).games == games + (much == 2**29)
    with open_archive(tmp_path / "a") as con:
        [most] = con.execute("select max(tokens) from states where game = 'x'").fetchone() or [0]
    assert most > 2**29


def test_a_game_that_others_clash_with_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = 0

    def counted(*args: Any) -> Any:
        nonlocal calls
        calls += 1
        return faulty_games(*args)

    monkeypatch.setattr("tenlog.archive.stage.faulty_games", counted)
    others = [encode_game(play_game(f"{i}", 2, game="bad")[0]) for i in range(5)]
    done = added(tmp_path, _GOOD + b"".join(others))
    assert (done.games, done.clashes, calls) == (1, 5, 1)


@pytest.mark.parametrize("tail", [b"{", b'{"n":0,"ev":{"ty'])
@pytest.mark.parametrize("audit", ["none", "seals", "full"])
def test_a_torn_write_behind_a_finished_game(tmp_path: Path, tail: bytes, audit: Audit) -> None:
    assert added(tmp_path, good("one") + good("two") + tail, audit=audit).games == 2
    assert get_game(tmp_path / "a", "two") == good("two")


@pytest.mark.parametrize("audit", ["none", "seals", "full"])
def test_a_torn_write_behind_a_game_that_is_not_good(tmp_path: Path, audit: Audit) -> None:
    body = good("two")[: good("two").rindex(b',"winners"')] + b',"winners":[9],"seed":"two"}'
    wrong = body + SEAL_KEY + seal_of(NO_SEAL, body).encode() + b'"}\n'
    done = added(tmp_path, good("one") + wrong + b'{"n":0,"ev":{"ty', audit=audit)
    assert (done.games, done.faulty) == (1, 1)


def test_the_same_wrong_game_again(tmp_path: Path) -> None:
    wrong = resealed(WRONG["another field"])
    done = added(tmp_path, wrong + good("one") + wrong, wrong + good("one"))
    assert (done.games, done.known, done.faulty) == (1, 1, 3)
    assert len({(out.file, out.line) for out in done.kept_out}) == 3


def test_long_first_lines_make_a_part_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tenlog.archive.stage.HELD", 1000)
    data = b"".join(good(f"g{i}") for i in range(9))
    monkeypatch.setattr("tenlog.archive.stage._BATCH_GAMES", 2)
    assert added(tmp_path, data).games == 9
    assert len(load(tmp_path / "a").parts) > 1
