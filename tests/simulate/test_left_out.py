"""What a bot breaks is left out with --keep-going: single games, or whole deals of a tournament."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from tenlog.archive.read import archive_info
from tenlog.log.read import read_games
from tenlog.simulate import run
from tenlog.simulate.run import run_plan
from tenlog.simulate.tables import TournamentPlan
from tests.support import run_cli

# It breaks some games, in the midst of them; the other one all.
BREAKS = """
from tenlog.bots.rand import RandomBot


class Some:
    def decide(self, view, stream):
        if view.n > 40 and int(view.game, 16) % 3 == 0 and view.seat == 1:
            raise ZeroDivisionError("my bot fell over")
        return RandomBot().decide(view, stream)


class All:
    def decide(self, view, stream):
        raise ZeroDivisionError("my bot fell over")
"""
BOTS = ("partbot:Some", "random", "cautious")
ARGS = ("tournament", "--bots", ",".join(BOTS), "-n", "9", "--seed", "k", "--no-ratings")


@pytest.fixture(autouse=True)
def _bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "partbot.py").write_text(BREAKS)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)


def test_deals_are_left_out_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = TournamentPlan(9, "k", BOTS, (2, 3))
    outcome = run_plan(plan, tmp_path / "out", "jsonl", keep_going=True)
    assert plan.per_deal == 9
    assert outcome.games + outcome.skips == plan.total
    deals = outcome.games // plan.per_deal
    assert 0 < deals < 9
    assert outcome.games == deals * plan.per_deal
    assert len(outcome.skipped) == 9 - deals
    seats: dict[tuple[str, int, int], int] = {}
    for part in outcome.parts:
        for log in read_games(tmp_path / "out" / part.file):
            for seat, bot in enumerate(log.bots):
                key = str(bot), len(log.bots), seat
                seats[key] = seats.get(key, 0) + 1
    assert set(seats.values()) == {deals, 2 * deals}
    for (_, players, _), count in seats.items():
        assert count == (2 * deals if players == 2 else deals)
    (tally,) = outcome.tallies
    assert {pair.samples for pair in tally.pairs.values()} == {deals}
    monkeypatch.setattr(run, "chunk_size", lambda *_: 2)
    other = run_plan(plan, tmp_path / "other", "jsonl", keep_going=True, jobs=2)
    assert msgspec.structs.replace(other, parts=outcome.parts) == outcome


def test_it_is_said_and_can_be_repeated(tmp_path: Path) -> None:
    done = run_cli(*ARGS, "--out", "stopped", cwd=tmp_path)
    assert done.returncode == 1
    assert b"fell over" in done.stderr
    done = run_cli(*ARGS, "--keep-going", "--out", "out", "--json", cwd=tmp_path)
    assert done.returncode == 1
    result = msgspec.json.decode(done.stdout)
    left = 9 - result["deals"]
    assert left > 1
    assert result["skipped"] == 6 * left
    assert {row["games"] for row in result["standings"]} == {4 * result["deals"]}
    assert done.stderr.startswith(f"{left} deals ({6 * left} games) left out; the first: ".encode())
    assert done.stderr.count(b"\n") == 1
    told = run_cli(*ARGS, "--keep-going", "--out", "out", cwd=tmp_path).stdout.decode()
    last = told.splitlines()[-1]
    assert last == "repeat with: tenlog simulate --repeat out/run.json --trust"
    again = run_cli("simulate", "--repeat", "out/run.json", "--trust", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert f"({6 * left} skipped, as before)".encode() in again.stdout


def test_a_tournament_without_any_deal_has_nothing_to_say(tmp_path: Path) -> None:
    args = (*ARGS[:1], "--bots", "partbot:All,random", *ARGS[3:])
    for more in ("--out", "out"), ("--archive", "a"):
        done = run_cli(*args, "--keep-going", *more, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (1, b"")
        assert done.stderr.startswith(
            b"tenlog: no deal could be played: 9 deals (18 games) left out; the first: game 0"
        )
        assert done.stderr.count(b"\n") == 1
    assert archive_info(tmp_path / "a").games == 0


@pytest.mark.parametrize("zst", [(), ("--zst",)])
def test_no_empty_file_is_left(tmp_path: Path, zst: tuple[str, ...]) -> None:
    args = ("simulate", "-n", "3", "--bots", "partbot:All,random", "--seed", "k", "--keep-going")
    for _ in range(2):  # the second goes on with the first
        done = run_cli(*args, "--out", "out", *zst, cwd=tmp_path)
        assert done.returncode == 1
        names = {path.name for path in (tmp_path / "out").iterdir()}
        assert names == {"run.json", "run.journal"}
    assert msgspec.json.decode((tmp_path / "out" / "run.json").read_bytes())["parts"] == []
