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
    row = next(line for line in terminal.shown if line.startswith("cautious"))
    spans = r"(\s+-?[\d.]+\s+-?[\d.]+ to -?[\d.]+){2}(\s+-?[\d.]+ ±[\d.]+)?"
    assert re.fullmatch(r"cautious\s+\d+" + spans, row)


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


@pytest.mark.parametrize(
    ("args", "code", "told"),
    [
        (("--bots", "cmd:./plain"), 2, "'./plain' may not be run: make it executable (chmod +x)"),
        (("--bots", "cmd:./folder"), 2, "'./folder' is a folder, not a program"),
        (("--bots", "cmd:./none"), 2, "there is no program './none' to run"),
        (("--seed", b"\xff"), 2, "a seed is text in UTF-8, this one is not: '\\udcff'"),
        (("--out", "plain"), 3, "plain is a file, and a folder is wanted: choose another name"),
        (("--out", ""), 2, "the name is empty: a folder is wanted"),
        (("--archive", ""), 2, "the name is empty: a folder is wanted"),
        (("--rules", "twice.json"), 2, "ruleset field start: is given twice"),
        (("--bots", "random,random"), 2, "2 bots for 1 seat at most: the largest table needs"),
        (("--players", "0"), 2, "a game needs at least one player"),
    ],
)
def test_what_is_in_the_way_is_said(
    tmp_path: Path, args: tuple[str, str | bytes], code: int, told: str
) -> None:
    (tmp_path / "plain").write_text("nothing\n")
    (tmp_path / "folder").mkdir()
    (tmp_path / "twice.json").write_text(
        '{"name": "twice", "tokens": {"start": 4, "limit": 9, "start": 5}}'
    )
    before = sorted(tmp_path.iterdir())
    more = () if args[0] == "--players" else ("--players", "1")
    done = subprocess.run(
        [sys.executable, "-m", "tenlog", "simulate", "-n", "1", *more, *args],
        capture_output=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "cli")])},
        cwd=tmp_path,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout) == (code, b"")
    assert told in done.stderr.decode()
    assert sorted(tmp_path.iterdir()) == before


def test_one_of_anything_is_one(tmp_path: Path) -> None:
    args = ("-n", "1", "--seed", "s", "--out")
    shown = run_cli("simulate", "--players", "1", *args, "s", cwd=tmp_path).stdout.decode()
    assert shown.startswith("ten/1, 1 player, 1 game\n")
    assert re.search(r"^greedy  ", shown, re.MULTILINE)  # who plays if nobody is named fits
    assert re.search(r"^1 game, \d+ events$", shown, re.MULTILINE)
    again = run_cli("simulate", "--repeat", "s/run.json", cwd=tmp_path).stdout
    assert again.startswith(b"the same: 1 game, digest")
    bots = ("--bots", "random,cautious")
    shown = run_cli("tournament", *bots, *args, "t", cwd=tmp_path).stdout.decode()
    assert shown.startswith("ten/1, tables of 2: 2 games, 1 deal\n")
    refused = run_cli("tournament", *bots, "--players", "3", cwd=tmp_path).stderr
    assert refused == b"tenlog: tables of 3 can't be formed from 2 bots: only 2 fits\n"


def test_other_rules_in_an_archive_are_said(tmp_path: Path) -> None:
    (tmp_path / "long.toml").write_text('name = "long"\nbust_limit = 12\n')
    args = ("simulate", "-n", "2", "--bots", "random,random", "--archive", "a", "--seed", "c")
    assert run_cli(*args, cwd=tmp_path).returncode == 0
    rules = run_cli(*args, "--rules", "long.toml", cwd=tmp_path)
    assert (rules.returncode, rules.stderr) == (
        2,
        b"tenlog: 2 games are in a with other content under the same id, such as c-0, played by "
        b"other rules: to compare rulesets, play them in one command with --rules for each; else "
        b"choose another seed, or another archive\n",
    )
    bots = run_cli(*args[:2], "1", *args[3:4], "cautious,random", *args[5:], cwd=tmp_path)
    assert (bots.returncode, bots.stderr) == (
        2,
        b"tenlog: 1 game is in a with other content under the same id, such as c-0: choose another "
        b"seed, or another archive\n",
    )


def test_what_is_advised_for_a_damaged_journal_helps(tmp_path: Path) -> None:
    args = ("simulate", "-n", "2", "--bots", "random,random", "--seed", "d", "--out", "out")
    out = tmp_path / "out"
    journal = out / "run.journal"
    assert run_cli(*args, cwd=tmp_path).returncode == 0
    lines = journal.read_bytes().splitlines(keepends=True)
    for damaged in ([*lines, b"garbage\n"], [b"garbage\n", *lines[1:]], [*lines, lines[1]]):
        journal.write_bytes(b"".join(damaged))
        done = run_cli(*args, cwd=tmp_path)
        assert done.returncode == 3
        assert done.stderr.startswith(b"tenlog: out/run.journal is damaged: ")
        advice = "; to begin anew remove it, and the games beside it (games-000000.jsonl and so on)"
        assert done.stderr.decode().endswith(advice + "\n")
    journal.unlink()
    for path in out.glob("games-*"):
        path.unlink()
    assert run_cli(*args, cwd=tmp_path).returncode == 0


def test_a_contestant_without_a_game_has_no_figures(tmp_path: Path) -> None:
    bots = "greedy,cautious,random,greedy:risk=0.3,greedy:risk=0.1,cautious:purse=2"
    args = ("tournament", "--form", "pools", "--players", "3", "-n", "1", "--seed", "p")
    specs = [part for bot in f"{bots},greedy:risk=0.15,greedy:risk=0.05".split(",")
             for part in ("--bots", bot)]  # fmt: skip
    done = run_cli(*args, *specs, "--no-ratings", cwd=tmp_path)
    assert done.returncode == 0
    out = done.stdout.decode()
    assert re.search(r"^\S+ +0 +\? .* \?", out, re.MULTILINE)
    assert "nan" not in out.lower()
    assert not re.search(r"-0\.0+\b", out)
