"""Law 8: a log cut at any byte resumes to the log that an uncut game gives."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

from tenlog.errors import LogError
from tenlog.game.cards import CARDS
from tenlog.game.events import Event
from tenlog.game.ruleset import Ruleset, ruleset_from
from tenlog.log.codec import NO_SEAL
from tenlog.log.making import seed_path, write_private
from tenlog.log.read import read_one
from tenlog.log.replay import replay_strictly
from tenlog.log.store import game_lines, seal_block
from tenlog.play.session import new_session, resume_session
from tests.support import ROOT, play_game

NAMES = ("p0", "p1")
BOTS = ("random", "random")
SEED = "0123456789abcdef0123456789abcdef"  # as random seeds are: a cut behind it looks like a seal


def tiny() -> Ruleset:
    """A game with all kinds of turns and a short log."""
    none: dict[str, list[int]] = {card: [] for card in CARDS}
    deck = {**none, "R1": [1], "R9": [1, 1], "C2": [1], "C5": [1], "WW": [1, 1]}
    return ruleset_from({"name": "tiny", "deck": deck})


def unbroken(sealed: bool) -> list[Event]:
    return play_game(SEED, 2, ruleset=tiny(), sealed=sealed)[0]


def played(folder: Path, sealed: bool) -> bytes:
    """The log of a whole game that was played through a session, a seal for each decision."""
    path = folder / "whole.jsonl"
    with new_session(
        path, NAMES, game="g", seed=SEED, bots=BOTS, ruleset=tiny(), sealed=sealed
    ) as session:
        for _ in session.bots_move():
            pass
    return path.read_bytes()


def sealed_on_each_line(events: list[Event]) -> bytes:
    """The same game as another program may write it: what is forced can be cut off by itself."""
    data, seal = b"", NO_SEAL
    for line in game_lines(events, bots=BOTS):
        piece, seal = seal_block(seal, [line])
        data += piece
    return data


@pytest.mark.parametrize(
    ("sealed", "writer", "step"),
    [
        (False, "each line", 1),
        (True, "session", 1),
        # The same bytes otherwise sealed: every fifth cut will do.
        (True, "each line", 5),
        (False, "session", 5),
    ],
)
def test_cut_at_every_byte(
    tmp_path: Path, sealed: bool, writer: str, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Thousands of files that no power cut threatens; tests/log/test_store.py looks at the syncs.
    monkeypatch.setattr(os, "fsync", lambda handle: None)
    events = unbroken(sealed)
    data = played(tmp_path, sealed) if writer == "session" else sealed_on_each_line(events)
    path = tmp_path / "cut.jsonl"
    torn = tmp_path / "cut.jsonl.torn"
    finished: set[bytes] = set()
    first = data.index(b"\n")
    ends = [match.end() for match in re.finditer(rb',"h":"[0-9a-f]{32}"\}\n', data)]
    for cut in range(1, len(data), step):
        piece = data[:cut]
        path.write_bytes(piece)
        torn.unlink(missing_ok=True)
        seed_path(path).unlink(missing_ok=True)
        if sealed:
            write_private(seed_path(path), SEED + "\n")
        if cut < first:
            # No game yet: there is nothing to go on with, and the piece is left as it is.
            with pytest.raises(LogError, match="first line"):
                resume_session(path)
            assert path.read_bytes() == piece
            continue
        if cut == len(data) - 1:
            with pytest.raises(LogError, match="finished"):
                resume_session(path)
            assert read_one(path).events == events
            continue
        session = resume_session(path)
        now = path.read_bytes()
        log = read_one(path)
        # Committed lines stay; the tail is kept beside the log; what was forced is complete.
        kept = data[: max(end for end in ends if end <= cut + 1)]
        assert now.startswith(kept)
        assert (torn.read_bytes() if torn.exists() else b"") == piece[len(kept) :]
        assert log.events == session.events == events[: len(log.lines)]
        assert log.tail == b""
        if now not in finished:
            # What a log becomes depends on its bytes: equal ones need to be played on once.
            finished.add(now)
            for _ in session.bots_move():
                pass
            session.close()
            log = read_one(path)
            assert log.events == events
            assert replay_strictly(log, path).fault is None
            assert not seed_path(path).exists()
        session.close()
    assert len(finished) > 10


def test_a_bulk_game_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    """One seal at the end: whatever is cut leaves nothing committed, and nothing is touched."""
    data, _ = seal_block(NO_SEAL, game_lines(unbroken(False), bots=BOTS))
    path = tmp_path / "cut.jsonl"
    for cut in range(1, len(data) - 1, 7):
        path.write_bytes(data[:cut])
        with pytest.raises(LogError, match="no game to go on with"):
            resume_session(path)
        assert path.read_bytes() == data[:cut]


_PLAY_ON = """
import sys, time
from pathlib import Path
from tenlog.errors import LogError
from tenlog.play.session import resume_session
print("ready", flush=True)
try:
    with resume_session(Path(sys.argv[1])) as session:
        for _ in session.bots_move():
            print(len(session.events), flush=True)
            time.sleep(0.002)
except LogError as error:
    print(error)
"""


@pytest.mark.parametrize("sealed", [False, True], ids=["open", "sealed"])
def test_killed_again_and_again(tmp_path: Path, sealed: bool) -> None:
    """A real process that plays between bots, killed at any moment, until the game is over."""
    path = tmp_path / "g.jsonl"
    events = play_game(SEED, 2, sealed=sealed)[0]
    new_session(path, NAMES, game="g", seed=SEED, bots=BOTS, sealed=sealed).close()
    rng = Random(sealed)
    kills = 0
    acknowledged = 1
    while not read_one(path).finished:
        process = subprocess.Popen(
            [sys.executable, "-c", _PLAY_ON, str(path)],
            stdout=subprocess.PIPE,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        time.sleep(rng.random() * 0.12)
        if kills < 8:
            process.send_signal(signal.SIGKILL)
            kills += 1
        told = process.stdout.read().split(b"\n")
        process.wait()
        # A last line may be cut, but what was told whole had been on the disk before.
        acknowledged = max([acknowledged, *[int(word) for word in told[:-1] if word.isdigit()]])
        log = read_one(path)
        assert log.fault is None
        assert len(log.events) >= acknowledged
        assert log.events == events[: len(log.events)]
    assert kills > 3
    assert read_one(path).events == events
    assert not seed_path(path).exists()
