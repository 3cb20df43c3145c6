"""How runs end: killed, interrupted, with bots that never answer; and how they go on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from tenlog.errors import SimulationError
from tenlog.simulate.journal import NAME
from tenlog.simulate.plan import SimulationPlan
from tenlog.simulate.run import run_plan
from tests.support import ROOT, run_cli


def _bytes(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.glob("games-*.jsonl")))


def _start(folder: Path, *more: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "tenlog", "simulate", "-n", "400", "--bots", "random,cautious",
         "--seed", "kill", "--out", str(folder), *more],
        env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'cli'}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )  # fmt: skip


def _wait_for_chunk(folder: Path) -> None:
    end = time.monotonic() + 60
    journal = folder / NAME
    while time.monotonic() < end:
        if journal.exists() and journal.read_bytes().count(b"\n") > 1:
            return
        time.sleep(0.02)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_killed_run_goes_on_and_gives_the_same(tmp_path: Path, how: signal.Signals) -> None:
    folder = tmp_path / "out"
    process = _start(folder, "--jobs", "2")
    _wait_for_chunk(folder)
    os.killpg(process.pid, how) if how is signal.SIGKILL else process.send_signal(how)
    _, error = process.communicate(timeout=60)
    assert b"Traceback" not in error
    assert not (folder / "run.json").exists()
    first = run_cli(
        "simulate", "-n", "400", "--bots", "random,cautious", "--seed", "kill", "--out", folder,
        "--json", env={"PYTHONHASHSEED": "1"},
    )  # fmt: skip
    other = run_cli(
        "simulate", "-n", "400", "--bots", "random,cautious", "--seed", "kill", "--out",
        tmp_path / "other", "--json", "--jobs", "1", env={"PYTHONHASHSEED": "2"},
    )  # fmt: skip
    a, b = msgspec.json.decode(first.stdout), msgspec.json.decode(other.stdout)
    assert a["resumed"] > 0
    assert a["groups"] == b["groups"]
    assert a["digest"] == b["digest"]
    assert _bytes(folder) == _bytes(tmp_path / "other")


def test_dead_worker_is_said_and_the_run_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    process = _start(folder, "--jobs", "2")
    _wait_for_chunk(folder)
    found = subprocess.run(
        ["pgrep", "-P", str(process.pid), "-f", "spawn_main"], capture_output=True, check=False
    ).stdout.split()
    os.kill(int(found[0]), signal.SIGKILL)
    _, error = process.communicate(timeout=60)
    assert process.returncode == 3
    assert b"worker process died" in error
    assert b"Traceback" not in error
    again = _start(folder, "--jobs", "1")
    again.communicate(timeout=100)
    assert again.returncode == 0


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_processes_do_not_outlive_the_command(tmp_path: Path, how: signal.Signals) -> None:
    folder = tmp_path / "out"
    process = _start(folder, "--jobs", "2")
    _wait_for_chunk(folder)
    os.kill(process.pid, how)
    _, error = process.communicate(timeout=30)  # its pipes are closed by all who held them
    if how is signal.SIGTERM:
        assert process.returncode == 128 + how
        assert error == b"interrupted; what is done is kept: the same command goes on from there\n"
    else:
        assert process.returncode == -how
        assert error == b""


def test_a_single_process_ends_at_once(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    process = _start(folder, "--jobs", "1")
    _wait_for_chunk(folder)
    process.send_signal(signal.SIGTERM)
    assert process.communicate(timeout=30) == (b"", b"")
    assert process.returncode == -signal.SIGTERM


ENDLESS = """
import os


class Loops:
    def decide(self, view, stream):
        os.write(2, b"asked\\n")
        while True:
            pass


class Sleeps:
    def decide(self, view, stream):
        import time

        os.write(2, b"asked\\n")
        while True:
            try:
                time.sleep(60)
            except BaseException:
                pass


class Leaves:
    def decide(self, view, stream):
        raise SystemExit("I am off")
"""


@pytest.mark.parametrize(("bot", "jobs"), [("Loops", "1"), ("Loops", "2"), ("Sleeps", "2")])
def test_endless_bot_can_be_interrupted(tmp_path: Path, bot: str, jobs: str) -> None:
    (tmp_path / "endlessbot.py").write_text(ENDLESS)
    process = subprocess.Popen(
        [sys.executable, "-m", "tenlog", "simulate", "-n", "60", "--bots",
         f"endlessbot:{bot},random", "--seed", "e", "--out", "out", "--jobs", jobs],
        env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'cli'}"},
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )  # fmt: skip
    try:
        assert process.stderr is not None
        assert process.stderr.readline() == b"asked\n"
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=30)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    assert process.returncode == 130
    told = error.replace(b"asked\n", b"")  # by the other process
    assert told == b"interrupted; what is done is kept: the same command goes on from there\n"
    if bot == "Loops":  # tidied up
        assert [path.name for path in (tmp_path / "out").iterdir()] == [NAME]


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_bot_can_not_leave(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int) -> None:
    (tmp_path / "endlessbot.py").write_text(ENDLESS)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    plan = SimulationPlan(60, "b", ("endlessbot:Leaves", "random"), (2,))
    with pytest.raises(SimulationError, match=r"endlessbot:Leaves.*'b/0'.*SystemExit: I am off"):
        run_plan(plan, tmp_path / "out", "summary", jobs=jobs)
