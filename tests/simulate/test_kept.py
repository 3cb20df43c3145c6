"""What is done counts as long as its games are there: else it is played again, and that is said."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pytest

from tenlog.archive.read import archive_info
from tenlog.errors import ArchiveError, LogError, SimulationError
from tenlog.simulate.journal import NAME
from tenlog.simulate.plan import SimulationPlan
from tenlog.simulate.run import Outcome, run_plan
from tenlog.simulate.tables import TournamentPlan
from tests.support import run_cli

PLAN = SimulationPlan(60, "kept", ("random", "cautious"), (2,))


class _Stop(Exception):
    pass


def _cut(folder: Path, archive: Path, after: int = 40) -> None:
    """A run that was interrupted."""

    def stop(games: int, _: int) -> None:
        if games >= after:
            raise _Stop

    with pytest.raises(_Stop):
        run_plan(PLAN, folder, "archive", archive=archive, progress=stop)


def _plain(outcome: Outcome) -> Outcome:
    return msgspec.structs.replace(outcome, resumed=0, redone=0)


def test_chunks_of_a_deleted_archive_are_played_again(tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    whole = run_plan(PLAN, tmp_path / "whole", "summary")
    _cut(tmp_path / "run", archive)
    shutil.rmtree(archive)
    told: list[int] = []
    outcome = run_plan(
        PLAN, tmp_path / "run", "archive", archive=archive, progress=lambda n, _: told.append(n)
    )
    assert (outcome.resumed, outcome.redone) == (0, 40)
    assert told == [0, 20, 40, 60]
    assert _plain(outcome) == whole
    assert archive_info(archive).games == 60
    # A run that is complete is looked at too.
    shutil.rmtree(archive)
    assert run_plan(PLAN, tmp_path / "run", "archive", archive=archive, jobs=2).redone == 60
    assert archive_info(archive).games == 60
    assert run_plan(PLAN, tmp_path / "run", "archive", archive=archive).resumed == 60


def test_chunks_that_an_older_copy_lacks_are_played_again(tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    _cut(tmp_path / "run", archive, after=20)
    shutil.copytree(archive, tmp_path / "older")
    _cut(tmp_path / "run", archive, after=40)
    shutil.rmtree(archive)
    shutil.move(tmp_path / "older", archive)
    outcome = run_plan(PLAN, tmp_path / "run", "archive", archive=archive)
    assert (outcome.resumed, outcome.redone) == (20, 20)
    assert archive_info(archive).games == 60


def test_a_damaged_archive_is_said(tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    _cut(tmp_path / "run", archive)
    next((archive / "parts").glob("*.events.parquet")).unlink()
    with pytest.raises(ArchiveError, match="is missing; restore it from a copy"):
        run_plan(PLAN, tmp_path / "run", "archive", archive=archive)


def test_an_archive_that_goes_while_the_run_goes_on_is_said(tmp_path: Path) -> None:
    archive = tmp_path / "archive"

    def take_away(games: int, _: int) -> None:
        if games == 40:
            shutil.rmtree(archive)

    with pytest.raises(LogError, match=r"taken away.*the same command plays them again"):
        run_plan(PLAN, tmp_path / "run", "archive", archive=archive, progress=take_away)
    assert run_plan(PLAN, tmp_path / "run", "archive", archive=archive).redone == 40
    assert archive_info(archive).games == 60


def test_files_that_are_gone_or_cut_are_written_again(tmp_path: Path) -> None:
    whole = run_plan(PLAN, tmp_path, "jsonl")
    before = {path.name: path.read_bytes() for path in tmp_path.glob("games-*")}
    (tmp_path / "games-000000.jsonl").unlink()
    (tmp_path / "games-000002.jsonl").write_bytes(b"half")
    again = run_plan(PLAN, tmp_path, "jsonl", jobs=2)
    assert (again.resumed, again.redone) == (20, 40)
    assert _plain(again) == whole
    assert {path.name: path.read_bytes() for path in tmp_path.glob("games-*")} == before


FICKLE = """
import os

class MyBot:
    version = "1"
    def decide(self, view, stream):
        if os.environ.get("FICKLE"):
            from tenlog.bots.rand import RandomBot
            return RandomBot().decide(view, stream)
        from tenlog.bots.cautious import CautiousBot
        return CautiousBot().decide(view, stream)
"""


def test_what_comes_out_otherwise_is_not_mixed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ficklebot.py").write_text(FICKLE)
    monkeypatch.syspath_prepend(str(tmp_path))
    plan = msgspec.structs.replace(PLAN, bots=("ficklebot:MyBot", "random"))
    run_plan(plan, tmp_path / "out", "jsonl")
    (tmp_path / "out" / "games-000001.jsonl").unlink()
    monkeypatch.setenv("FICKLE", "1")
    with pytest.raises(SimulationError, match=r"chunk 1 of .*came out otherwise.*choose another"):
        run_plan(plan, tmp_path / "out", "jsonl")


def test_another_version_of_a_bot_is_another_run(tmp_path: Path) -> None:
    bot = tmp_path / "versionbot.py"
    bot.write_text(FICKLE)
    args = (
        "simulate", "-n", "3", "--bots", "versionbot:MyBot", "--seed", "v", "--json",
    )  # fmt: skip
    env = {"TENLOG_HOME": str(tmp_path / "home")}
    first = run_cli(*args, env=env, cwd=tmp_path)
    again = run_cli(*args, env=env, cwd=tmp_path)
    assert b"3 games of 3 had been played before (remove " in again.stderr
    assert first.stderr == b""
    bot.write_text(FICKLE.replace('"1"', '"2"', 1))
    new = run_cli(*args, env=env, cwd=tmp_path)
    assert msgspec.json.decode(new.stdout)["resumed"] == 0
    assert len(list((tmp_path / "home" / "runs").iterdir())) == 2


def test_what_was_played_again_is_said(tmp_path: Path) -> None:
    args = ("simulate", "-n", "20", "--bots", "random", "--players", "2", "--seed", "k")
    assert run_cli(*args, "--archive", "a", cwd=tmp_path).returncode == 0
    shutil.rmtree(tmp_path / "a")
    done = run_cli(*args, "--archive", "a", cwd=tmp_path)
    assert done.returncode == 0
    assert b"20 games had been played before, but were not in a any more: played" in done.stderr
    assert archive_info(tmp_path / "a").games == 20


class _First:
    """Ends a tournament after its first chunk."""

    def __call__(self, *_: object) -> bool:
        return True

    def may_end(self, chunk: int) -> bool:
        return chunk == 0


@pytest.mark.parametrize(
    "args",
    [
        ("simulate", "--players", "1,2", "--fixed-seats", "--keep-going"),
        ("tournament", "--players", "2"),
    ],
)
def test_quiet_is_quiet(tmp_path: Path, args: tuple[str, ...]) -> None:
    more = ("--bots", "random,cautious", "-n", "4")
    for seed in ((), ("--seed", "q"), ("--seed", "q")):
        folder = "out" if seed else "other"
        done = run_cli(*args, *more, *seed, "-q", "--out", folder, cwd=tmp_path)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    loud = run_cli(*args, *more, "--seed", "q", "--out", "out", cwd=tmp_path)
    assert b"had been played before" in loud.stderr


def test_a_decided_tournament_is_looked_at_too(tmp_path: Path) -> None:
    plan = TournamentPlan(60, "k", ("cautious", "random"), (2,))
    archive = tmp_path / "a"
    first = run_plan(plan, tmp_path / "t", "archive", archive=archive, watch=_First(), jobs=2)
    assert first.games == 20
    assert archive_info(archive).games == 20  # no chunk more than was counted
    shutil.rmtree(archive)
    again = run_plan(plan, tmp_path / "t", "archive", archive=archive, watch=_First())
    assert (again.games, again.redone) == (20, 20)
    assert (tmp_path / "t" / NAME).read_bytes().count(b"\n") == 2
    assert archive_info(archive).games == 20


def test_a_decided_tournament_keeps_the_same_with_any_number_of_processes(tmp_path: Path) -> None:
    kept = []
    for jobs in ("1", "4"):
        folder = tmp_path / jobs
        run_cli(
            "tournament", "--bots", "cautious,random", "-n", "400", "--until", "0.95", "--seed",
            "t", "--out", folder, "--jobs", jobs, "-q",
        )  # fmt: skip
        kept.append({path.name: path.read_bytes() for path in folder.glob("games-*")})
    assert len(kept[0]) == 4
    assert kept[0] == kept[1]
