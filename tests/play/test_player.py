"""What is remembered of a player, and the seed of a rematch."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tenlog.errors import LogError
from tenlog.log.store import create_log
from tenlog.play.home import games_folder
from tenlog.play.player import (
    Settings,
    has_finished,
    next_seed,
    read_settings,
    settings_path,
    write_settings,
)
from tenlog.shuffle import check_seed
from tests.support import play_game


def test_settings_are_kept(tmp_path: Path) -> None:
    home = tmp_path / "new" / "home"
    assert read_settings(home) == Settings()
    write_settings(home, Settings("Änn 🂡", motion=False))
    assert read_settings(home) == Settings("Änn 🂡", motion=False)
    assert [path.name for path in home.iterdir()] == ["settings.json"]  # nothing half-written


@pytest.mark.parametrize("data", [b"", b"{", b'{"name": 3}', b"\xff", b"[]"])
def test_settings_that_make_no_sense_are_named(tmp_path: Path, data: bytes) -> None:
    settings_path(tmp_path).write_bytes(data)
    with pytest.raises(LogError, match=r"settings\.json"):
        read_settings(tmp_path)


def test_settings_that_cannot_be_written_leave_the_old_ones(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(LogError, match="can't write"):
        write_settings(tmp_path / "file", Settings("Ann"))


def test_who_has_finished_a_game(tmp_path: Path) -> None:
    events, _ = play_game("1", 2)
    folder = games_folder(tmp_path)
    folder.mkdir()
    assert not has_finished(tmp_path, "p0")
    create_log(folder / "part.jsonl", events[:40]).close()
    assert not has_finished(tmp_path, "p0")
    (folder / "broken.jsonl").write_bytes(os.urandom(50))
    create_log(folder / "whole.jsonl", events).close()
    assert has_finished(tmp_path, "p0")
    assert not has_finished(tmp_path, "Ann")


@settings(max_examples=30, deadline=None)
@given(st.text("ab/ 19é🂡", min_size=1, max_size=128))
def test_each_rematch_has_a_seed_of_its_own(seed: str) -> None:
    seen = {seed}
    for _ in range(12):
        seed = next_seed(seed)
        check_seed(seed)
        assert seed not in seen
        seen.add(seed)
