"""A game on a log: played, interrupted, resumed, finished."""

from __future__ import annotations

from pathlib import Path

import pytest

from tenlog.errors import LogError, LogLocked
from tenlog.log.read import read_one
from tenlog.log.replay import replay_strictly
from tenlog.play.session import new_session, resume_session
from tests.support import play_game

BOTS = ("random",) * 3
NAMES = ("p0", "p1", "p2")


def _play_on(path: Path, decisions: int) -> None:
    with resume_session(path) as session:
        for _, _ in zip(range(decisions), session.bots_move(), strict=False):
            pass


@pytest.mark.parametrize("sealed", [False, True])
def test_interrupted_game_is_the_unbroken_game(tmp_path: Path, sealed: bool) -> None:
    unbroken, _ = play_game("s", 3, sealed=sealed)
    path = tmp_path / "g.jsonl"
    new_session(path, NAMES, game="g", seed="s", bots=BOTS, sealed=sealed).close()
    seed_file = tmp_path / "g.jsonl.seed"
    assert seed_file.exists() == sealed
    if sealed:
        assert seed_file.stat().st_mode & 0o777 == 0o600
    while not read_one(path).finished:
        _play_on(path, 7)
    log = read_one(path)
    assert log.events == unbroken
    assert not seed_file.exists()
    assert replay_strictly(log, path).fault is None
    with pytest.raises(LogError, match="finished"):
        resume_session(path)


def test_second_writer_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "g.jsonl"
    with new_session(path, NAMES, game="g", seed="s", bots=BOTS):
        with pytest.raises(LogLocked, match=r"g\.jsonl"):
            resume_session(path)
        assert read_one(path).game == "g"
    with pytest.raises(LogError, match="already"):
        new_session(path, NAMES, game="g", seed="s", bots=BOTS)
