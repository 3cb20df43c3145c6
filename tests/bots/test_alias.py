"""The id under which bots see a game: it tells neither the seed nor the log's id."""

from __future__ import annotations

import re
import sys
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest

from tenlog.bots.stream import alias_of
from tests.bots.test_programs import HELLO
from tests.support import run_cli

# Plays what is last on the list, and keeps all that it is told.
LISTENER = f"""
import json, sys
with open("heard.txt", "a") as heard:
    for line in sys.stdin:
        heard.write(line)
        heard.flush()
        ask = json.loads(line)
        if ask["type"] == "hello":
            print('{HELLO}', flush=True)
        if ask["type"] == "decide":
            print(json.dumps({{**ask["legal"][-1], "id": ask["id"]}}), flush=True)
"""

SEED = "Zq4x"  # in nothing else that a program is told


def _listen(folder: Path, *command: str) -> list[str]:
    """What a program hears of games in a command."""
    (folder / "listener.py").write_text(LISTENER)
    (folder / "heard.txt").unlink(missing_ok=True)
    spec = f"cmd,ms=60000,start=60000:{sys.executable} listener.py"
    home = {"TENLOG_HOME": str(folder / "home")}
    run = run_cli(*[word.replace("{bot}", spec) for word in command], cwd=folder, env=home)
    assert run.returncode == 0, run.stderr
    heard = (folder / "heard.txt").read_text("utf-8").splitlines()
    return [line for line in heard if not line.startswith(('{"type":"hello"', '{"type":"bye"'))]


def _games(heard: list[str]) -> list[str]:
    found = [msgspec.json.decode(line) for line in heard if '"start"' in line]
    return [message["game"] for message in found if message["type"] == "start"]


def test_the_alias_is_what_the_format_says() -> None:
    assert alias_of("study/7") == sha256(b"tenlog/alias/1:study/7").hexdigest()[:16]


@pytest.mark.parametrize(
    ("command", "log_ids"),
    [
        ("simulate -n 2 --jobs 1", rf"{SEED}-\d"),
        ("tournament -n 1 --jobs 1", rf"{SEED}-\d-\d-\d"),
        ("bots check -n 1", r"check-\d"),
    ],
)
def test_a_program_hears_neither_the_seed_nor_the_id_of_the_log(
    tmp_path: Path, command: str, log_ids: str
) -> None:
    words = command.split()
    words += ["{bot}"] if words[0] == "bots" else ["--bots", "{bot},random"]
    heard = _listen(tmp_path, *words, "--seed", SEED)
    assert [line for line in heard if SEED in line or re.search(log_ids, line)] == []
    games = _games(heard)
    assert len(games) > 1
    assert all(re.fullmatch("[0-9a-f]{16}", game) for game in games)
    assert f'"game":"{games[-1]}"' in heard[-1]  # in the view, too


def test_a_program_that_is_asked_again_hears_the_same(tmp_path: Path) -> None:
    first = _listen(
        tmp_path, "simulate", "-n", "1", "--jobs", "1", "--seed", SEED, "--bots", "{bot},random",
        "--out", "out",
    )  # fmt: skip
    log = next((tmp_path / "out").glob("games-*.jsonl"))
    again = _listen(tmp_path, "diff", "--bots", "--trust", str(log))
    assert SEED in log.read_text("utf-8")
    assert again == first
    assert _games(again) == [alias_of(f"{SEED}/0")]
