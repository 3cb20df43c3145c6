"""Ids of new games: none that hides its log or is taken for an option."""

from __future__ import annotations

from pathlib import Path

import pytest

from tenlog.log.store import encode_game
from tests.support import play_game, run_cli


@pytest.mark.parametrize("game", [".hidden", "..", "-x", "--json"])
def test_refused(tmp_path: Path, game: str) -> None:
    log = tmp_path / "old.jsonl"
    log.write_bytes(encode_game(play_game("s", game=game)[0]))
    assert run_cli("audit", log).returncode == 0  # a log from elsewhere may have it
    env = {"TENLOG_HOME": str(tmp_path / "home")}
    for args in (("new", f"--game={game}"), ("play", f"--game={game}"),
                 ("branch", log, "--at", "5", f"--id={game}")):  # fmt: skip
        done = run_cli(*args, env=env)
        assert done.returncode == 2
        assert b"begins with a letter, a digit or _" in done.stderr
    assert [path.name for path in tmp_path.iterdir() if path.name != "home"] == ["old.jsonl"]
