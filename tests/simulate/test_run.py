"""Runs: the same games whatever the processes, interruptions and hash seeds."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

import tenlog.archive
from tenlog.archive import get_game
from tenlog.errors import LogLocked, SetupError, SimulationError
from tenlog.game.events import GameFinished
from tenlog.log.read import read_games
from tenlog.log.replay import replay
from tenlog.play.setup import load_ruleset
from tenlog.simulate.journal import NAME, Journal
from tenlog.simulate.plan import SimulationPlan
from tenlog.simulate.report import summarise
from tenlog.simulate.run import header_of, run_plan
from tenlog.simulate.tables import TournamentPlan
from tenlog.simulate.tally import VICTORY
from tests.support import run_cli

PLAN = SimulationPlan(60, "run", ("random", "cautious"), (2,))


def _bytes(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.glob("games-*.jsonl")))


def test_any_number_of_processes_gives_the_same_bytes(tmp_path: Path) -> None:
    one = run_plan(PLAN, tmp_path / "1", "jsonl", jobs=1)
    two = run_plan(PLAN, tmp_path / "2", "jsonl", jobs=2)
    none = run_plan(PLAN, tmp_path / "s", "summary", jobs=1)
    packed = run_plan(PLAN, tmp_path / "z", "zst", jobs=1)
    assert _bytes(tmp_path / "1") == _bytes(tmp_path / "2")
    assert one == two
    assert one.digest == none.digest == packed.digest
    games = [
        log.text.data for part in packed.parts for log in read_games(tmp_path / "z" / part.file)
    ]
    assert b"".join(games) == _bytes(tmp_path / "1")


def test_figures_are_those_of_the_logs(tmp_path: Path) -> None:
    outcome = run_plan(PLAN, tmp_path, "jsonl")
    games = events = 0
    wins = {"random": 0.0, "cautious": 0.0}
    scores: dict[str, list[int]] = {"random": [], "cautious": []}
    for part in outcome.parts:
        for log in read_games(tmp_path / part.file):
            result = replay(log)
            assert result.fault is None
            end = result.events[-1]
            assert isinstance(end, GameFinished)
            games += 1
            events += len(result.events)
            for seat, bot in enumerate(log.bots):
                assert bot is not None
                scores[bot].append(end.scores[seat])
                wins[bot] += (seat in end.winners) / len(end.winners)
    summary = summarise(outcome, "")
    (group,) = summary.groups
    assert (summary.games, summary.events) == (games, events) == (60, outcome.events)
    for row in group.bots:
        assert row.won.value == pytest.approx(wins[row.name] / 60)
        assert row.score.value == pytest.approx(sum(scores[row.name]) / 60)
        assert row.won.low is not None
        assert row.won.high is not None
        assert row.won.low <= row.won.value <= row.won.high
    assert sum(s.victories for s in outcome.tallies[0].bots.values()) == 60 * VICTORY


def test_interrupted_run_goes_on(tmp_path: Path) -> None:
    whole = run_plan(PLAN, tmp_path / "whole", "jsonl")

    class Stop(Exception):
        pass

    def stop(games: int, _: int) -> None:
        if games >= 20:
            raise Stop

    folder = tmp_path / "cut"
    with pytest.raises(Stop):
        run_plan(PLAN, folder, "jsonl", progress=stop)
    before = {path.name: path.stat().st_mtime_ns for path in folder.glob("games-*.jsonl")}
    assert before
    # A chunk that was being noted when the power went.
    with (folder / NAME).open("ab") as file:
        file.write(b'{"chunk":1,"games":2')
    stale = folder / ".games-000002.jsonl.0123456789abcdef.part"
    stale.write_bytes(b"half a game")
    (folder / ".games-000002.jsonl.part").mkdir()  # no name that is needed
    after = run_plan(PLAN, folder, "jsonl")
    assert after.resumed == 20
    assert msgspec.structs.replace(after, resumed=0) == whole
    assert _bytes(folder) == _bytes(tmp_path / "whole")
    for name, moment in before.items():
        assert (folder / name).stat().st_mtime_ns == moment
    assert run_plan(PLAN, folder, "jsonl").resumed == 60
    assert [path.name for path in folder.glob(".*.part")] == [".games-000002.jsonl.part"]


def test_what_was_being_written_when_a_run_failed_is_removed(tmp_path: Path) -> None:
    """By the process that failed, and by others, which were ended."""
    stale = tmp_path / ".games-000002.jsonl.0123456789abcdef.part"

    def fail(games: int, _: int) -> None:
        if games >= 20:
            stale.write_bytes(b"half a game")
            raise SimulationError("no")

    with pytest.raises(SimulationError):
        run_plan(PLAN, tmp_path, "jsonl", progress=fail)
    assert (tmp_path / "games-000000.jsonl").exists()
    assert not list(tmp_path.glob(".*"))


def test_another_run_in_the_folder_is_refused(tmp_path: Path) -> None:
    run_plan(PLAN, tmp_path, "jsonl")
    with pytest.raises(SetupError, match="another run"):
        run_plan(msgspec.structs.replace(PLAN, seed="other"), tmp_path, "jsonl")


def test_games_whose_journal_is_gone_are_refused(tmp_path: Path) -> None:
    run_plan(PLAN, tmp_path, "zst")
    (tmp_path / NAME).unlink()
    before = sorted(tmp_path.iterdir())
    with pytest.raises(SetupError, match=r"games of another run, such as games-000000.jsonl.zst"):
        run_plan(PLAN, tmp_path, "jsonl")
    assert sorted(tmp_path.iterdir()) == before


def test_the_same_run_twice_at_once_is_refused(tmp_path: Path) -> None:
    header = header_of(PLAN, "jsonl")
    journal = Journal(tmp_path, header)
    with pytest.raises(LogLocked):
        Journal(tmp_path, header)
    journal.close()


BROKEN = """
class MyBot:
    def decide(self, view, stream):
        if view.n > 40 and view.seat == 0:
            raise ZeroDivisionError("my bot fell over")
        from tenlog.bots.rand import RandomBot
        return RandomBot().decide(view, stream)
"""


@pytest.fixture
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "brokenbot.py").write_text(BROKEN)
    monkeypatch.syspath_prepend(str(tmp_path))
    return "brokenbot:MyBot"


def test_failing_bot_stops_the_run_and_is_named(tmp_path: Path, broken: str) -> None:
    plan = SimulationPlan(30, "b", (broken, "random"), (2,))
    with pytest.raises(
        SimulationError, match=r"game 0: .*brokenbot:MyBot' at seat 0.*'b/0'.*fell over"
    ):
        run_plan(plan, tmp_path / "out", "jsonl")
    assert not list((tmp_path / "out").glob("games-*"))
    args = ("simulate", "-n", "3", "--bots", f"{broken},random", "--seed", "b", "-q")
    for jobs in ("1", "2"):
        done = run_cli(*args, "--jobs", jobs, cwd=tmp_path)
        assert (done.returncode, done.stderr.count(b"\n")) == (1, 1)


def test_keep_going_counts_and_skips(tmp_path: Path, broken: str) -> None:
    plan = SimulationPlan(30, "b", (broken, "random"), (2,), fixed_seats=True)
    outcome = run_plan(plan, tmp_path / "out", "jsonl", keep_going=True)
    assert outcome.skips + outcome.games == 30
    assert 0 < len(outcome.skipped) == min(outcome.skips, 20)
    assert "fell over" in outcome.skipped[0].message


def test_games_go_straight_into_an_archive_once(tmp_path: Path) -> None:
    archive = tmp_path / "archive"

    class Stop(Exception):
        pass

    def stop(games: int, _: int) -> None:
        if games >= 40:
            raise Stop

    with pytest.raises(Stop):
        run_plan(PLAN, tmp_path / "run", "archive", archive=archive, progress=stop)
    # As if the machine had died between the archive's commit and the journal's note.
    journal = tmp_path / "run" / NAME
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:2]))
    outcome = run_plan(PLAN, tmp_path / "run", "archive", archive=archive)
    whole = run_plan(PLAN, tmp_path / "files", "jsonl")
    assert (outcome.digest, outcome.games) == (whole.digest, 60)
    connection = tenlog.archive.open(archive)
    counted = connection.sql("select count(*), sum(events) from games")
    assert counted.fetchall() == [(60, whole.events)]
    connection.close()
    for log in read_games(tmp_path / "files" / whole.parts[0].file):
        assert log.game is not None
        assert get_game(archive, log.game) == log.text.data


def test_repeat_finds_a_difference(tmp_path: Path) -> None:
    args = ("simulate", "-n", "20", "--bots", "random,random", "--seed", "r", "--out")
    assert run_cli(*args, tmp_path / "a", "-q").returncode == 0
    manifest = tmp_path / "a" / "run.json"
    good = run_cli("simulate", "--repeat", manifest)
    assert (good.returncode, good.stdout[:8]) == (0, b"the same")
    data = msgspec.json.decode(manifest.read_bytes())
    data["plan"]["seed"] = "s"
    manifest.write_bytes(msgspec.json.encode(data))
    bad = run_cli("simulate", "--repeat", manifest)
    assert bad.returncode == 1
    assert bad.stdout.startswith(b"not the same")
    assert b"digest" in bad.stdout
    missing = run_cli("simulate", "--repeat", tmp_path / "none.json")
    assert missing.returncode == 3
    assert b"Traceback" not in missing.stderr


@pytest.mark.parametrize(
    "args",
    [
        ("--bots", "nobody"),
        ("--bots", "random", "--players", "0"),
        ("--bots", "random", "--rules", "no.toml"),
        ("-n", "0"),
        ("--zst",),
        ("--summary", "--out", "x"),
    ],
)
def test_wrong_usage(tmp_path: Path, args: tuple[str, ...]) -> None:
    done = run_cli("simulate", *args, cwd=tmp_path)
    assert done.returncode in (2, 3)
    assert b"Traceback" not in done.stderr
    assert done.stderr.strip()
    assert list(tmp_path.iterdir()) == []


def test_tournament_runs_resumes_and_decides(tmp_path: Path) -> None:
    args = (
        "tournament", "--bots", "cautious,random", "-n", "400", "--until", "0.95",
        "--seed", "t", "--json", "--out", tmp_path / "t",
    )  # fmt: skip
    done = run_cli(*args)
    assert done.returncode == 0, done.stderr
    result = msgspec.json.decode(done.stdout)
    assert result["leader"] == "cautious"
    assert result["decided"]
    assert result["deals"] < 400
    again = msgspec.json.decode(run_cli(*args).stdout)
    assert again == result
    assert result["differences"][0]["won"]["low"] > 0


def test_tournament_differences_are_those_of_the_logs(tmp_path: Path) -> None:
    plan = TournamentPlan(10, "d", ("cautious", "random"), (2,))
    outcome = run_plan(plan, tmp_path, "jsonl")
    difference = 0
    for part in outcome.parts:
        for log in read_games(tmp_path / part.file):
            end = log.lines[-1].ev
            assert isinstance(end, GameFinished)
            by_bot = dict(zip(log.bots, end.scores, strict=True))
            difference += by_bot["cautious"] - by_bot["random"]
    pair = outcome.tallies[0].pairs["0-1"]
    assert pair.samples == 10
    assert pair.games == 20
    assert pair.score == difference
    assert pair.mean_score()[0] == pytest.approx(difference / 20)


def test_custom_rulesets_go_to_other_processes(tmp_path: Path) -> None:
    """The same games under two rulesets, whatever the number of processes."""
    (tmp_path / "long.toml").write_text('name = "long"\nbust_limit = 12\n')
    plan = SimulationPlan(
        8, "r", ("random", "cautious"), (2,), ("ten/1", load_ruleset(str(tmp_path / "long.toml")))
    )
    one = run_plan(plan, tmp_path / "1", "jsonl", jobs=1)
    two = run_plan(plan, tmp_path / "2", "jsonl", jobs=2)
    assert one == two
    assert one.games == 16
