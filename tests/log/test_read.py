"""Reading: games, tails, faults and their places, and everything that is no log at all."""

from __future__ import annotations

import gzip
import resource
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest

from tenlog.errors import LogError, SetupError
from tenlog.log.codec import MAX_GAME, MAX_LINE, NO_SEAL
from tenlog.log.read import GameLog, read_game, read_games, read_one
from tenlog.log.replay import replay
from tenlog.log.source import BLOCK, GameText, open_source, split_games, zstd_module
from tenlog.log.store import encode_game, game_lines, seal_block
from tests.laws.games import engine_verdicts, odd_game, small_ruleset
from tests.support import ROOT, play_game

EVENTS = odd_game("0123456789abcdef0123456789abcdef", 2, small_ruleset(), choices=3)
SEALED = odd_game("0123456789abcdef0123456789abcdef", 2, small_ruleset(), choices=3, sealed=True)
GAME = encode_game(EVENTS)


def per_line(events: list[object]) -> bytes:
    """A game sealed on every line."""
    out, seal = b"", NO_SEAL
    for line in game_lines(events):  # type: ignore[arg-type]
        data, seal = seal_block(seal, [line])
        out += data
    return out


EACH = per_line([*EVENTS])


def read(data: bytes) -> list[GameLog]:
    return [read_game(text) for text in split_games(BytesIO(data))]


def faults(data: bytes) -> list[tuple[str, int, int] | None]:
    """By game: code, event and line of the first fault, or None."""
    found = []
    for log in read(data):
        fault = replay(log).fault
        found.append(None if fault is None else (fault.code, fault.event, fault.line))
    return found


# --- several games, tails, damage ----------------------------------------------------------------


def test_several_games_in_a_file() -> None:
    logs = read(GAME + EACH + GAME)
    assert [(log.finished, log.text.line, log.text.offset) for log in logs] == [
        (True, 1, 0),
        (True, 1 + len(EVENTS), len(GAME)),
        (True, 1 + 2 * len(EVENTS), len(GAME) + len(EACH)),
    ]
    assert all(log.events == EVENTS and log.fault is None for log in logs)


def test_games_are_the_same_however_the_blocks_fall() -> None:
    data = GAME + EACH + GAME

    class Dripping(BytesIO):
        step = 1

        def read(self, size: int | None = -1, /) -> bytes:
            return super().read(self.step)

    for step in (1, 7, 33, 1000):
        stream = Dripping(data)
        stream.step = step
        assert [text.data for text in split_games(stream)] == [GAME, EACH, GAME]


def test_a_tail_is_reported_and_ignored() -> None:
    lines = EACH.splitlines(keepends=True)
    unsealed = [line[: line.index(b',"h"')] + b"}\n" for line in lines]
    start = b"".join(lines[:9])
    for tail in (b"", unsealed[9], unsealed[9] + unsealed[10][:30], b"rubbish\n\xff", b"\n", b"{"):
        [log] = read(start + tail)
        assert (log.fault, log.tail, len(log.lines)) == (None, tail, 9)
        # FORMAT 2: also where another game follows in the same file.
        if tail.endswith(b"\n"):
            first, second = read(start + tail + GAME)
            assert (first.fault, first.tail) == (None, tail)
            assert second.finished
    assert faults(start + unsealed[9] + lines[10]) == [("bad-seal", 10, 11)]


@pytest.mark.parametrize("events", [EVENTS, SEALED], ids=["open", "sealed"])
@pytest.mark.parametrize("sealing", ["each", "end"])
def test_cut_at_every_byte_is_torn_never_faulty(events: list[object], sealing: str) -> None:
    data = per_line(events) if sealing == "each" else encode_game(events)  # type: ignore[arg-type]
    ends = [i for i, byte in enumerate(data) if byte == ord("\n")]
    for cut in range(1, len(data)):
        [log] = read(data[:cut])
        assert log.fault is None, (cut, log.fault)
        whole = sum(end <= cut for end in ends)
        assert len(log.lines) == (whole if sealing == "each" else len(events) * (cut == ends[-1]))


def test_the_start_of_a_next_game_may_be_torn() -> None:
    first = GAME.split(b"\n")[0]
    for cut in range(1, len(first)):
        logs = read(GAME + first[:cut])
        assert [log.fault for log in logs] == [None] * len(logs), cut
        assert logs[0].finished
    assert faults(GAME + b"x") == [("after-end", len(EVENTS), len(EVENTS) + 1)]
    assert faults(GAME + b"\n") == [("after-end", len(EVENTS), len(EVENTS) + 1)]
    assert faults(GAME + b'{"n":0}\n') == [("after-end", len(EVENTS), len(EVENTS) + 1)]


def test_n_0_alone_starts_no_game() -> None:
    """A line with n 0 in the middle is a gap in that game, not another game (FORMAT 2)."""
    lines = game_lines(EVENTS)
    broken = [line if line.n != 5 else type(line)(0, line.ev) for line in lines]
    assert faults(seal_block(NO_SEAL, broken)[0]) == [("bad-sequence", 5, 6)]


def test_damage_is_found_where_it_is() -> None:
    lines = EACH.splitlines(keepends=True)

    def with_line(i: int, change: bytes) -> bytes:
        return b"".join([*lines[:i], change, *lines[i + 1 :]])

    seat = lines[4].replace(b'"seat":', b'"seat":1')
    assert faults(with_line(4, seat)) == [("bad-seal", 4, 5)]
    assert faults(with_line(4, b"{" + lines[4])) == [("not-json", 4, 5)]
    assert faults(with_line(4, b"\n" + lines[4])) == [("not-json", 4, 5)]
    assert faults(with_line(4, lines[4][:-1] + b"\r\n")) == [("not-canonical", 4, 5)]
    assert faults(with_line(4, b"")) == [("bad-sequence", 4, 5)]
    assert faults(with_line(4, lines[4] * 2)) == [("bad-sequence", 5, 6)]
    assert faults(with_line(4, lines[4].replace(b',"h":', b',"g":'))) == [("bad-shape", 4, 5)]
    unsealed = lines[-1][: lines[-1].index(b',"h"')] + b"}\n"
    assert faults(with_line(len(lines) - 1, unsealed)) == [
        ("missing-seal", len(lines) - 1, len(lines))
    ]
    assert faults(EACH + lines[-2]) == [("bad-sequence", len(lines), len(lines) + 1)]
    # An end without a seal before another end that has one.
    twice = game_lines([*EVENTS, EVENTS[-1]])
    assert faults(seal_block(NO_SEAL, twice)[0]) == [("missing-seal", len(lines) - 1, len(lines))]
    # The last acknowledged decision: its seal was hit, which is no torn write.
    hurt = b"".join(lines[:9]) + lines[9].replace(b',"h":"', b',"i":"')
    assert faults(hurt) == [("bad-shape", 9, 10)]


def test_of_two_faults_the_first_is_told() -> None:
    lines = EACH.splitlines(keepends=True)
    broken = [*lines]
    broken[4] = lines[4].replace(b'"seat":', b'"seat":1')
    broken[8] = b"{" + lines[8]
    assert faults(b"".join(broken)) == [("bad-seal", 4, 5)]
    start = EVENTS[0]
    changed = [type(start)(1, "g", "ten/1", ("a", "a"), "x", "0" * 64), *EVENTS[1:9]]  # type: ignore[call-arg, arg-type]
    data = per_line(changed) + b"{" + lines[9]  # type: ignore[arg-type]
    assert faults(data) == [("bad-players", 0, 1)]


def test_a_newer_format_is_told_as_such() -> None:
    for line in (
        b'{"n":0,"ev":{"type":"GameStarted","format":2,"game":"g","deal":[1]},"h":"' + b"0" * 32,
        GAME.split(b"\n")[0].replace(b'"format":1', b'"format":7')[:-1] + b',"h":"' + b"0" * 32,
    ):
        [log] = read(line + b'"}\n{"n":1,"ev":{"type":"Strange"},"h":"' + b"0" * 32 + b'"}\n')
        assert log.fault is not None
        assert (log.fault.code, log.fault.event) == ("newer-format", 0)
        assert "update tenlog" in log.fault.message
        assert replay(log).fault == log.fault


# --- what is no log ------------------------------------------------------------------------------

NO_LOGS: dict[str, tuple[bytes, str]] = {
    "text": (b"hello\nworld\n", "not-json"),
    "text without a newline": (b"hello", "not-json"),
    "an empty line": (b"\n", "not-json"),
    "empty lines before a game": (b"\n\n" + GAME, "not-json"),
    "a byte order mark": (b"\xef\xbb\xbf" + GAME, "not-canonical"),
    "UTF-16": (GAME.decode().encode("utf-16"), "not-utf8"),
    "JSON": (b'{"a":1}\n', "bad-shape"),
    "JSON over lines": (b'{\n"a": 1\n}\n', "not-json"),
    "zeros": (bytes(5000), "not-json"),
    "a later line first": (GAME.split(b"\n", 1)[1], "no-start"),
    "CRLF everywhere": (GAME.replace(b"\n", b"\r\n"), "not-canonical"),
    "nested": (b"[" * 200_000, "not-json"),
}


@pytest.mark.parametrize("name", NO_LOGS)
def test_what_is_no_log_is_a_fault(name: str) -> None:
    data, code = NO_LOGS[name]
    found = faults(data)
    assert found[0] == (code, 0, 1)


def test_nothing_is_no_game() -> None:
    assert read(b"") == []


def test_any_bytes_are_answered() -> None:
    """Single bytes changed, dropped and doubled: always an answer, and never 'clean'."""
    for i in range(0, len(GAME) - 1, 13):
        for data in (
            GAME[:i] + bytes([GAME[i] ^ 1]) + GAME[i + 1 :],
            GAME[:i] + GAME[i + 1 :],
            GAME[:i] + GAME[i : i + 1] + GAME[i:],
        ):
            if data != GAME:
                assert engine_verdicts(data)[0].verdict != "clean"


# --- sources -------------------------------------------------------------------------------------


def test_files_of_all_kinds(tmp_path: Path) -> None:
    plain = tmp_path / "g.jsonl"
    plain.write_bytes(GAME + EACH)
    zipped = tmp_path / "g.jsonl.gz"
    zipped.write_bytes(gzip.compress(GAME) + gzip.compress(EACH))
    packed = tmp_path / "g.jsonl.zst"
    packed.write_bytes(zstd_module().compress(GAME) + zstd_module().compress(EACH))
    for path in (plain, zipped, packed):
        assert [log.events for log in read_games(path)] == [EVENTS, EVENTS]
        assert read_one(path).text.line == len(EVENTS) + 1
    for path in (zipped, packed):
        whole = path.read_bytes()
        for cut in (len(whole) - 1, len(whole) // 2, 20, 5):
            path.write_bytes(whole[:cut])
            with pytest.raises(LogError, match=rf"can't read .*{path.name}"):
                list(read_games(path))
        path.write_bytes(whole[:60] + b"\xff\xff\xff\xff" + whole[64:])
        with pytest.raises(LogError, match=path.name):
            list(read_games(path))


def test_what_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="is a directory"):
        list(read_games(tmp_path))
    with pytest.raises(LogError, match="no such file"):
        list(read_games(tmp_path / "none.jsonl"))
    (tmp_path / "empty.jsonl").write_bytes(b"")
    with pytest.raises(LogError, match="has no game in it"):
        read_one(tmp_path / "empty.jsonl")
    (tmp_path / "g.jsonl").write_bytes(GAME)
    with pytest.raises(SetupError, match="has no game 'x'"):
        read_one(tmp_path / "g.jsonl", "x")


_READ = """
import re
from pathlib import Path
from tenlog.log.read import read_games
games = [(log.text.line, None if log.fault is None else log.fault.code) for log in read_games("-")]
# Not ru_maxrss, which begins with what the process had that started this one.
peak = re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1]
print(games[-1][0], len(games), games[-1][1], peak)
"""


def _read_in_process(chunks: Iterator[bytes]) -> list[str]:
    """Last game's line, games, last fault, peak KiB of a process that reads standard input."""
    process = subprocess.Popen(
        [sys.executable, "-c", _READ], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT
    )
    assert process.stdin is not None
    assert process.stdout is not None
    for chunk in chunks:
        process.stdin.write(chunk)
    process.stdin.close()
    words = process.stdout.read().decode().split()
    assert process.wait() == 0
    return words


def test_memory_does_not_grow_with_games_or_lines() -> None:
    few = _read_in_process(iter([GAME] * 10))
    many = _read_in_process(iter([GAME * 10] * 200))
    assert (few[1], many[1], many[2]) == ("10", "2000", "None")
    assert int(many[3]) < int(few[3]) + 8_000
    # A line of 100 MB: skipped, and the game behind it is read.
    huge = [GAME, GAME[:300], *[b"x" * MAX_LINE] * 100, b"\n", GAME]
    line, games, fault, peak = _read_in_process(iter(huge))
    assert (line, games, fault) == (str(len(EVENTS) + 2), "3", "None")
    assert int(peak) < int(few[3]) + 24_000
    endless = _read_in_process(iter([b"x" * MAX_LINE] * 40))
    assert endless[:3] == ["1", "1", "too-long"]


def test_too_long_is_told_where_it_is() -> None:
    lines = EACH.splitlines(keepends=True)
    data = b"".join(lines[:6]) + b"x" * (3 * MAX_LINE) + b"\n" + b"".join(lines[6:]) + GAME
    first, second = read(data)
    assert first.fault is not None
    assert (first.fault.code, first.fault.event, first.fault.line) == ("too-long", 6, 7)
    assert first.fault.offset == sum(map(len, lines[:6]))
    assert second.finished
    assert second.text.line == len(EVENTS) + 2
    assert second.text.offset == len(data) - len(GAME)
    passes = [b'{"n":%d,"ev":{"type":"BidPassed","seat":0}}\n' % n for n in range(1, 400_000)]
    long_game = lines[0] + b"".join(passes)
    assert len(long_game) > MAX_GAME
    first, second = read(long_game + GAME)
    assert first.fault is not None
    assert first.fault.code == "too-long"
    assert first.fault.event == long_game[:MAX_GAME].count(b"\n")
    assert second.finished


def test_a_line_is_as_long_wherever_the_bytes_are_cut() -> None:
    lines = EACH.splitlines(keepends=True)
    for size, code in ((MAX_LINE, "not-json"), (MAX_LINE + 1, "too-long")):
        line = b"x" * (size - 1) + b"\n"
        data = b"".join([*lines[:6], line, *lines[6:], GAME])
        for before in (0, 1, BLOCK // 2, BLOCK - len(data) % BLOCK):
            # A piece that is no game puts the others elsewhere in the blocks that are read.
            found = read(b"z" * before + b"\n" + data)
            assert [log.fault.code if log.fault else None for log in found[1:]] == [code, None]
            fault = found[1].fault
            assert fault is not None
            assert (fault.event, fault.line) == (6, 8)


def test_limits_are_far_above_what_games_need() -> None:
    assert max(map(len, GAME.split(b"\n"))) * 20 < MAX_LINE
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > 0
    assert read_game(GameText(GAME, 1, 0)).finished


HOSTILE = {
    "empty lines": b"\n",
    "empty objects": b"{}\n",
    "lines without an event": b'{"n":1,"h":"00000000000000000000000000000000"}\n',
    "broken ends": b'{"type":"GameFinished",\n',
}


@pytest.mark.parametrize("line", HOSTILE.values(), ids=HOSTILE)
def test_many_broken_lines_cost_no_more_than_a_few(line: bytes) -> None:
    """A game of the largest size made of tiny broken lines takes neither minutes nor gigabytes."""
    start = GAME.split(b"\n")[0] + b"\n"
    data = start + line * (MAX_GAME // len(line))
    tracemalloc.start()
    try:
        log = read_game(GameText(data, 1, 0))
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 4 * MAX_GAME
    assert log.fault is None or log.fault.code == "bad-shape"


def test_games_behind_a_game_that_is_too_long_are_found_at_the_end_of_a_file() -> None:
    game = GAME
    data = game + b"x" * (3 * MAX_LINE) + b"\n" + game + game
    found = [read_game(text) for text in split_games(BytesIO(data))]
    assert [log.fault.code if log.fault else None for log in found] == [
        "too-long",
        None,
        None,
    ]
    assert found[2].text.offset == len(data) - len(game)
    assert found[2].text.line == data[: -len(game)].count(b"\n") + 1


@pytest.mark.parametrize("suffix", ["gz", "zst"])
def test_what_expands_without_end_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    monkeypatch.setattr("tenlog.log.source.EXPANDS_FREELY", BLOCK)
    path = tmp_path / f"bomb.jsonl.{suffix}"
    opener = gzip.open if suffix == "gz" else zstd_module().open
    with opener(path, "wb") as bomb:
        for _ in range(8):
            bomb.write(b"\n" * BLOCK)
    with pytest.raises(LogError, match="expands more than 200 times"):
        for _ in read_games(path):
            pass


@pytest.mark.parametrize("kind", ["gz", "zst"])
@pytest.mark.parametrize("wrong", ["cut", "junk behind"])
def test_what_comes_before_something_wrong_is_read(tmp_path: Path, kind: str, wrong: str) -> None:
    """A compressed file gives every game that is whole in it and has another one behind it."""
    data = b"".join(encode_game(play_game(str(i), 2, game=f"g{i}")[0]) for i in range(80))
    packed = gzip.compress(data) if kind == "gz" else zstd_module().compress(data)
    path = tmp_path / f"a.jsonl.{kind}"
    path.write_bytes(packed[: len(packed) * 7 // 8] if wrong == "cut" else packed + b"junk")
    found: list[bytes] = []
    with pytest.raises(LogError), open_source(path) as stream:
        found.extend(text.data for text in split_games(stream))
    assert data.startswith(b"".join(found))
    assert len(found) >= (60 if wrong == "cut" else 79)
