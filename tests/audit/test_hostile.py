"""Hostile input: bounded memory, bounded time, no way out but a verdict."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import time
from collections.abc import Iterable
from io import BytesIO
from pathlib import Path
from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tenlog.audit import CODES, Judged, Settings, judge_game
from tenlog.log.codec import NO_SEAL, SEAL_KEY, START, seal_of
from tenlog.log.source import split_games, zstd_module
from tenlog.log.store import encode_game
from tests.audit.forgers import events_of, sealed
from tests.laws.games import odd_game, small_ruleset
from tests.referee.generate import seal_lines
from tests.support import ROOT

GAME = encode_game(odd_game("1", 2, small_ruleset(), choices=1, game="g1"))
EVENTS = events_of(GAME)
EACH = seal_lines([{"n": n, "ev": event} for n, event in enumerate(EVENTS)], "each")
MB = 1 << 20

_MEASURE = """
import re, resource, sys
from pathlib import Path
from tenlog.audit import audit, Judged, Settings, Unread
if __name__ == "__main__":
    paths, level, jobs = sys.argv[3:], sys.argv[1], int(sys.argv[2])
    games = faulty = unread = 0
    for item in audit(paths, Settings(level=level), jobs=jobs):
        games += isinstance(item, Judged)
        faulty += isinstance(item, Judged) and item.verdict == "faulty"
        unread += isinstance(item, Unread)
    # Not ru_maxrss, which begins with what the process had that started this one.
    here = int(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1])
    there = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(games, faulty, unread, max(here, there) // 1024)
"""


def measured(*paths: Path, level: str = "full", jobs: int = 1) -> tuple[int, int, int]:
    """Games, faulty ones, files unread; the largest process stayed below 300 MB."""
    done = subprocess.run(
        [sys.executable, "-c", _MEASURE, level, str(jobs), *map(str, paths)],
        capture_output=True,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        timeout=200,
        check=True,
    )
    games, faulty, unread, peak = map(int, done.stdout.split())
    assert peak < 300, f"{peak} MB"
    return games, faulty, unread


def write(path: Path, blocks: Iterable[bytes]) -> Path:
    with path.open("wb") as file:
        for block in blocks:
            file.write(block)
    return path


def test_a_line_of_100_mb_and_a_game_of_100_mb(tmp_path: Path) -> None:
    line = write(tmp_path / "line.jsonl", [GAME, *[b"x" * MB] * 100, b"\n", GAME])
    first = GAME.split(b"\n")[0] + b"\n"
    passes = b"".join(b'{"n":%d,"ev":{"type":"BidPassed","seat":0}}\n' % n for n in range(20_000))
    game = write(tmp_path / "game.jsonl", [first, *[passes] * 100, GAME])
    assert measured(line, game) == (4, 2, 0)
    assert measured(line, game, level="seals", jobs=2) == (4, 2, 0)


def test_of_more_than_a_game_the_first_thing_that_is_wrong_is_blamed(tmp_path: Path) -> None:
    def faults(data: bytes) -> list[tuple[str, int]]:
        (text,) = split_games(BytesIO(data))
        assert text.too_long is not None
        levels = Settings(), Settings(everything=True), Settings(level="seals")
        return [
            (fault.code, fault.event)
            for level in levels
            for fault in judge_game(text, "f", level).faults
        ]

    junk = b"y\n" * 9 * MB
    assert faults(junk) == [("not-json", 0), ("not-json", 0), ("no-start", 0)]
    cut = GAME.splitlines(keepends=True)[1:]
    assert faults(b"".join(cut) + junk) == [("no-start", 0)] * 3
    first = GAME.split(b"\n")[0] + b"\n"
    assert faults(first + junk)[:2] == [("not-json", 1)] * 2
    n = len(EVENTS)
    assert faults(GAME + junk) == [("not-json", n), ("not-json", n), ("after-end", n)]
    hit = GAME.replace(b'"seat":0', b'"seat":1', 1)
    assert faults(hit + junk)[2] == ("bad-seal", n - 1)
    line = b"x" * (2 * MB)
    assert faults(line) == [("too-long", 0)] * 3


def test_the_largest_games_that_are_read(tmp_path: Path) -> None:
    """Just below 16 MiB, of the shortest lines that there are, sealed at the end."""
    passes = [b'{"n":%d,"ev":{"type":"BidPassed","seat":0}}\n' % n for n in range(1, 345_000)]
    body = GAME.split(b"\n")[0] + b"\n" + b"".join(passes)[:-2]
    data = body + SEAL_KEY + seal_of(NO_SEAL, body).encode() + b'"}\n'
    assert 15 * MB < len(data) < 16 * MB
    path = write(tmp_path / "a.jsonl", [data, data.replace(b'"n":9,', b'"n":8,', 1)])
    assert measured(path) == (2, 2, 0)


def test_many_tiny_games(tmp_path: Path) -> None:
    path = write(tmp_path / "tiny.jsonl", [(START + b"\n") * 10_000] * 10)
    assert measured(path, level="seals") == (100_000, 0, 0)
    packed = tmp_path / "tiny.jsonl.zst"
    packed.write_bytes(zstd_module().compress(path.read_bytes()))
    assert measured(packed) == (100_000, 0, 0)


@pytest.mark.parametrize("suffix", ["gz", "zst"])
def test_bombs(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"bomb.jsonl.{suffix}"
    block = (GAME[:200] + b"\n") * 4000
    if suffix == "gz":
        part = gzip.compress(b"\n" * (40 * MB), 9)
        write(path, [gzip.compress(block, 9), *[part] * 10])
    else:
        part = zstd_module().compress(b"\n" * (40 * MB))
        write(path, [zstd_module().compress(block), *[part] * 8])
    began = time.monotonic()
    games, _, unread = measured(path)
    assert unread == 1
    assert games >= 1
    assert time.monotonic() - began < 120
    good = tmp_path / f"good.jsonl.{suffix}"
    packed = gzip.compress(GAME * 3000) if suffix == "gz" else zstd_module().compress(GAME * 3000)
    good.write_bytes(packed)
    assert measured(good) == (3000, 0, 0)  # alike as its games are


# --- any bytes at all ----------------------------------------------------------------------------


def everything(data: bytes) -> None:
    """Judge bytes in every way; what is said is well-formed, whatever they are."""
    size = 0
    for text in split_games(BytesIO(data)):
        size += 1
        games = [
            judge_game(text, "f", Settings()),
            judge_game(text, "f", Settings(everything=True, table=True)),
            judge_game(text, "f", Settings(level="no-seed")),
            judge_game(text, "f", Settings(level="seals")),
        ]
        for game in games:
            well_formed(game, data)
        plain, many, _, seals = games
        assert (plain.verdict, plain.events) == (many.verdict, many.events)
        assert many.faults[: len(plain.faults)] == plain.faults
        if plain.verdict != "faulty":
            # Seals alone never see more than the full audit does.
            assert (seals.verdict, seals.seal, seals.end) == (plain.verdict, plain.seal, plain.end)
    assert size or not data


def well_formed(game: Judged, data: bytes) -> None:
    assert (game.verdict == "faulty") == bool(game.faults)
    for line in game.lines():
        assert msgspec.json.decode(msgspec.json.encode(line))["verdict"] == game.verdict
    for fault in game.faults:
        assert fault.code in CODES
        assert len(fault.message) < 2000
        assert 0 <= fault.offset <= len(data)
        assert data.count(b"\n", 0, fault.offset) + 1 == fault.line
    table = game.table()
    assert table is None or table.n == game.events


NASTY = (
    "-1", "0", "1.0", "1e999", "1e-9", "99999999999999999999999999", "9" * 5000, "true", "null",
    '""', '"\\ud800"', '"\\u0000"', '"\u202e"', "[]", "{}", "[[[[]]]]", "[" * 2000, '{"a":1,"a":2}',
    '"R5"', '"C9"', "NaN", "-0", '"ten/1"', '"GameStarted"', "2147483648",
)  # fmt: skip


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A game, with some of its bytes or some of its JSON values replaced by others."""
    data = bytearray(draw(st.sampled_from((GAME, EACH, EACH + GAME, GAME[:-40] + b"\n" + EACH))))
    for _ in range(draw(st.integers(1, 4))):
        way = draw(st.integers(0, 5))
        at = draw(st.integers(0, max(0, len(data) - 1)))
        if way == 0:
            data[at : at + 1] = draw(st.binary(min_size=0, max_size=3))
        elif way == 1:
            other = draw(st.integers(0, max(0, len(data) - 1)))
            del data[min(at, other) : max(at, other)]
        elif way == 2:
            other = draw(st.integers(0, max(0, len(data) - 1)))
            data[at:at] = data[min(at, other) : max(at, other)][:3000]
        else:
            colon = data.find(b":", at)
            end = min(
                (i for i in (data.find(b",", colon), data.find(b"}", colon)) if i > 0), default=0
            )
            if 0 < colon < end:
                data[colon + 1 : end] = draw(st.sampled_from(NASTY)).encode("utf-8", "replace")
    return bytes(data)


@settings(max_examples=300, deadline=None)
@given(mutated())
def test_mutated_games(data: bytes) -> None:
    everything(data)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_mutated_values_sealed_anew(data: st.DataObject) -> None:
    """Values replaced inside events, and the whole sealed by somebody who knows how."""
    lines = [line.rstrip() for line in EACH.splitlines()]
    n = data.draw(st.integers(0, len(lines) - 1))
    event = json.dumps(EVENTS[n], ensure_ascii=False, separators=(",", ":"))
    spots = [i for i, c in enumerate(event) if c == ":"]
    colon = data.draw(st.sampled_from(spots))
    end = min(i for i in (event.find(",", colon), event.find("}", colon)) if i > 0)
    event = event[: colon + 1] + data.draw(st.sampled_from(NASTY)) + event[end:]
    out = b""
    seal = NO_SEAL
    for i, old in enumerate(EVENTS):
        text = event if i == n else json.dumps(old, ensure_ascii=False, separators=(",", ":"))
        body = b'{"n":%d,"ev":' % i + text.encode("utf-8", "replace")
        seal = seal_of(seal, body)
        out += body + b',"h":"' + seal.encode() + b'"}\n'
    everything(out)


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.binary(max_size=300), st.binary(max_size=200).map(lambda b: START + b)))
def test_any_bytes(data: bytes) -> None:
    everything(data)


def test_every_cut_of_a_game() -> None:
    for cut in range(0, len(EACH), 7):
        everything(EACH[:cut])
    everything(sealed(EVENTS, Random(1))[:-1])


def test_a_last_line_that_is_none() -> None:
    """An end of the game that another line was written into is no end without a seal."""
    cut = GAME.rindex(b'"scores"')
    body = GAME[: GAME.index(SEAL_KEY)]
    for data in (
        GAME[:cut] + body + b"}\n",
        GAME[:cut] + b'"scores":[]}\n',
        GAME[:cut] + b'"scores":[2,2],"winners":[0],"seed":"1"}},\n',
    ):
        everything(data)
    everything(body + b"}\n")


@pytest.mark.parametrize("hit", range(1, 36))
def test_a_last_seal_that_was_hit_without_its_newline(hit: int) -> None:
    """At the end of a file that is a torn line, in every way of judging."""
    lines = EACH.split(b"\n")
    data = b"\n".join(lines[:3])
    everything(data[:-hit] + b"\xd9" + data[len(data) - hit + 1 :])
