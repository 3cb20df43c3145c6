"""What people see of many games, and what they are told when something is in the way."""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from tests.cli.terminal import Terminal
from tests.support import ROOT, run_cli

LONG = "greedy:risk=0.2,token=0.1"


@pytest.mark.parametrize(
    "args",
    [
        ("tournament", "--bots", f"{LONG},cautious,random", "-n", "8", "--seed", "w"),
        ("simulate", "--bots", f"{LONG},cautious", "-n", "8", "--seed", "w", "--rules", "ten/1",
         "--rules", "long.toml"),
    ],
)  # fmt: skip
def test_figures_are_whole_on_a_terminal(tmp_path: Path, args: tuple[str, ...]) -> None:
    (tmp_path / "long.toml").write_text('name = "long"\nbust_limit = 12\n')
    terminal = Terminal(*args, "--jobs", "1", "--out", "out", home=tmp_path, lines=60)
    assert terminal.finish() == 0
    row = next(line for line in terminal.shown if line.startswith(" cautious"))
    spans = r"(\s+-?[\d.]+\s+-?[\d.]+ to -?[\d.]+){2}(\s+-?[\d.]+ ±[\d.]+)?"
    assert re.fullmatch(r" cautious\s+\d+" + spans, row)


def test_tournament_in_ascii(tmp_path: Path) -> None:
    done = run_cli(
        "tournament", "--bots", "cautious,random", "-n", "4", "--seed", "a", cwd=tmp_path,
        env={"PYTHONIOENCODING": "ascii", "TENLOG_HOME": str(tmp_path)},
    )  # fmt: skip
    assert done.returncode == 0
    assert b"?" not in done.stdout
    assert b" +-" in done.stdout
    assert max(map(len, done.stdout.splitlines()[:-1])) <= 80


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_full_disk_is_said_and_the_run_goes_on(tmp_path: Path, jobs: str) -> None:
    args = [
        "simulate", "-n", "60", "--bots", "random,random", "--seed", "f", "-q", "--out", "out",
        "--jobs", jobs,
    ]  # fmt: skip
    for room in (100, 10_000):  # bytes that a file may have: the journal, a file of games
        done = subprocess.run(
            [sys.executable, "-m", "tenlog", *args],
            capture_output=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "cli")])},
            preexec_fn=partial(resource.setrlimit, resource.RLIMIT_FSIZE, (room, room)),
            cwd=tmp_path,
            timeout=120,
            check=False,
        )
        assert done.returncode == 3
        assert done.stderr.startswith(b"tenlog: can't write out/")
        assert done.stderr.endswith(b": file too large\n")
        assert done.stderr.count(b"\n") == 1
        assert [path.name for path in (tmp_path / "out").iterdir()] == ["run.journal"]
    assert run_cli(*args, cwd=tmp_path).returncode == 0
    assert len(list((tmp_path / "out").glob("games-*"))) == 3
