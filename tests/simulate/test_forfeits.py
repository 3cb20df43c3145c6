"""What programs forfeit in many games is counted by program and fault, and said."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tenlog.bots.base import Forfeit
from tenlog.simulate import run
from tenlog.simulate.forfeits import ProgramAnswers
from tenlog.simulate.journal import NAME
from tenlog.simulate.run import Outcome, run_plan
from tenlog.simulate.tables import TournamentPlan
from tenlog_cli.simulate import tell_forfeits
from tests.bots.test_programs import BODY, HELLO
from tests.support import run_cli

# Two programs: one that ends at its first question of every second game, one that always passes.
ENDS = """
        if int(ask["view"]["game"], 16) % 2: sys.exit("what a pity")
        say(**{**ask["legal"][-1], "id": ask["id"]})
"""
PASSES = """
        say(id=ask["id"], type="Pass")
"""


@pytest.fixture
def specs(tmp_path: Path) -> tuple[str, str]:
    found = []
    for name, body in (("ends", ENDS), ("passes", PASSES)):
        path = tmp_path / f"{name}.py"
        path.write_text(BODY.replace("{hello}", HELLO).replace("{body}", body))
        found.append(f"cmd,ms=60000,start=60000:{sys.executable} {name}.py")
    return found[0], found[1]


def _plain(outcome: Outcome) -> Outcome:
    return msgspec.structs.replace(outcome, resumed=0)


def test_counts_are_the_same_however_the_run_was_cut(
    tmp_path: Path, specs: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    plan = TournamentPlan(4, "f", (*specs, "cautious"), (2,))
    monkeypatch.setattr(run, "chunk_size", lambda *_: 2)
    whole = run_plan(plan, tmp_path / "whole", "summary", jobs=2)
    assert [program.bot for program in whole.programs] == list(specs)  # built-in bots forfeit none
    for program in whole.programs:
        assert sum(program.faults.values()) == program.forfeits <= program.decisions
    assert whole.programs[0].faults.keys() == {"closed", "gone"}
    assert whole.programs[1].faults.keys() == {"illegal", "gone"}
    assert whole.forfeits == sum(program.forfeits for program in whole.programs)

    class Stop(Exception):
        pass

    def stop(games: int, _: int) -> None:
        if games >= 12:
            raise Stop

    with pytest.raises(Stop):
        run_plan(plan, tmp_path / "cut", "summary", progress=stop)
    again = run_plan(plan, tmp_path / "cut", "summary")
    assert again.resumed == 12
    assert _plain(again) == whole
    monkeypatch.setattr(run, "chunk_size", lambda *_: 5)
    other = run_plan(plan, tmp_path / "other", "summary")
    assert (other.forfeits, other.programs) == (whole.forfeits, whole.programs)


@pytest.mark.parametrize("command", ["simulate", "tournament"])
def test_forfeits_are_said(tmp_path: Path, specs: tuple[str, str], command: str) -> None:
    args = (
        command, "-n", "4", "--seed", "f", "--bots", specs[0], "--bots", specs[1], "--out", "out",
        *(("--no-ratings",) if command == "tournament" else ()),
    )  # fmt: skip
    done = run_cli(*args, "--json", cwd=tmp_path)
    assert done.returncode == 0
    said = msgspec.json.decode(done.stdout)
    manifest = msgspec.json.decode((tmp_path / "out" / "run.json").read_bytes())
    assert said["forfeits"] == manifest["forfeits"] > 20
    assert said["programs"] == manifest["programs"]
    assert len(said["programs"]) == 2
    lines = done.stderr.decode().splitlines()
    assert len(lines) == 2
    for line, program in zip(lines, said["programs"], strict=True):
        assert line.startswith(f"{program['bot']} forfeited {program['forfeits']} of its ")
        for fault, count in program["faults"].items():
            assert f"{fault} {count}" in line
    assert "; the first: seat " in lines[0]
    assert "its standard error ends: what a pity" in lines[0]
    counted: Counter[str] = Counter()
    for program in said["programs"]:
        counted.update(program["faults"])
    assert sum(counted.values()) == said["forfeits"]
    # Resumed, they are said again; quiet, nobody is told.
    assert (
        msgspec.json.decode(run_cli(*args, "--json", cwd=tmp_path).stdout)["programs"]
        == (said["programs"])
    )
    assert run_cli(*args, "-q", cwd=tmp_path).stderr == b""


def test_a_single_forfeit_is_said_as_one() -> None:
    first = Forfeit("g", "s/0", 7, 1, "cmd:a", "slow", "no answer within 5 ms", "Pass")
    programs = [
        ProgramAnswers("cmd:a", 1, 1, {"slow": 1}, first),
        ProgramAnswers("cmd:b", 40, 0, {}, None),
        ProgramAnswers("cmd:c", 30_000, 1, {"illegal": 1}, first),
    ]
    example = "the first: seat 1 of 's/0', slow: no answer within 5 ms"
    told: list[str] = []
    tell_forfeits(Outcome(1, 1, "", [], [], [], forfeits=2, programs=programs), told.append)
    assert told == [
        "cmd:a forfeited 1 of its 1 decision (100 %): slow 1; " + example,
        "cmd:c forfeited 1 of its 30,000 decisions (0.00333 %): illegal 1; " + example,
    ]


def test_a_journal_that_does_not_count_them_is_refused_in_words(
    tmp_path: Path,
) -> None:
    args = ("simulate", "-n", "2", "--seed", "f", "--bots", "random,random", "--out", "out", "-q")
    assert run_cli(*args, cwd=tmp_path).returncode == 0
    journal = tmp_path / "out" / NAME
    lines = journal.read_bytes().splitlines(keepends=True)
    header: dict[str, Any] = msgspec.json.decode(lines[0])
    header["journal"] = 3
    journal.write_bytes(msgspec.json.encode(header) + b"\n" + b"".join(lines[1:]))
    done = run_cli(*args, cwd=tmp_path)
    assert done.returncode == 2
    assert b"(journal 3; this one is " in done.stderr
    assert b"which can't be gone on with: choose another folder" in done.stderr
