"""Files that are named to be written: in folders that are there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tenlog.log.store import encode_game
from tests.support import play_game, run_cli


@pytest.mark.parametrize(
    "words",
    [
        "new --log",
        "play --log",
        "demo --log",
        "branch g.jsonl --at 20 --out",
        "import TEN --out",
        "archive get g --out",
        "replay g.jsonl --html",
    ],
)
def test_no_folder_is_made_on_the_way_to_a_file(tmp_path: Path, words: str) -> None:
    env = {"TENLOG_HOME": str(tmp_path / "home")}
    (tmp_path / "g.jsonl").write_bytes(encode_game(play_game("s", game="g")[0]))
    if words.startswith("archive"):
        assert run_cli("archive", "add", "g.jsonl", env=env, cwd=tmp_path).returncode == 0
    line = run_cli("export", "g.jsonl", "--line", env=env, cwd=tmp_path).stdout.decode().strip()
    args = [line if word == "TEN" else word for word in words.split()]
    done = run_cli(*args, "no/such/x.jsonl", stdin="q\n", env=env, cwd=tmp_path)
    assert done.returncode == 3
    assert done.stdout == b""
    assert done.stderr.decode() == (
        "tenlog: can't write no/such/x.jsonl: there is no folder no/such: make it first\n"
    )
    assert not (tmp_path / "no").exists()
    (tmp_path / "no" / "such").mkdir(parents=True)
    done = run_cli(*args, "no/such/x.jsonl", stdin="q\n", env=env, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "no" / "such" / "x.jsonl").is_file()


def test_our_own_folders_are_made(tmp_path: Path) -> None:
    env = {"TENLOG_HOME": str(tmp_path / "new" / "home")}
    assert run_cli("new", "--game", "g", "-q", env=env).returncode == 0
    assert run_cli("demo", "--game", "d", "-q", env=env).returncode == 0
    made = (tmp_path / "new" / "home").rglob("*.jsonl")
    assert sorted(path.name for path in made) == ["d.jsonl", "g.jsonl"]


def test_the_help_of_a_demo_says_where_its_log_is(tmp_path: Path) -> None:
    env = {"TENLOG_HOME": str(tmp_path), "COLUMNS": "200"}
    told = run_cli("demo", "--help", env=env).stdout.decode()
    assert "else among your demos, which tenlog ls does not list" in " ".join(told.split())
    assert run_cli("demo", "--game", "d", "-q", env=env).returncode == 0
    assert (tmp_path / "demos" / "d.jsonl").is_file()
    assert b"No game yet" in run_cli("ls", env=env).stdout
