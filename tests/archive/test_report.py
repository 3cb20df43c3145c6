"""``tenlog report``: which games it is about, what it says of its figures, and how they fit."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tenlog.archive import add_logs
from tenlog.archive import open as open_archive
from tenlog.archive.reports import NAMES, find_report, intervals, run_report, run_reports
from tenlog.archive.reports.only import Only
from tenlog.errors import QueryError
from tenlog.game.ruleset import ruleset_from
from tenlog.log.store import encode_game
from tests.cli.terminal import Terminal
from tests.support import play_game, run_cli

ODD = Only(("odd/1",))
SOME = [Only(("ten/1",), (4,)), Only(players=(2, 3)), ODD]


@pytest.fixture(scope="session")
def two_rulesets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten games under each of two rulesets, one of a usual name, at tables of 2 and 4."""
    folder = tmp_path_factory.mktemp("rulesets")
    fast = ruleset_from({"name": "house/fast", "bust_limit": 12})
    games = []
    for i in range(10):
        for rules, name in ((None, "ten"), (fast, "fast")):
            players = 2 + 2 * (i % 2)
            events, _ = play_game(f"r/{i}", players, ("random", "cautious"), rules, f"{name}-{i}")
            games.append(encode_game(events, bots=["random", "cautious"] * (players // 2)))
    (folder / "games.jsonl").write_bytes(b"".join(games))
    assert add_logs(folder / "a", [str(folder / "games.jsonl")]).games == 20
    return folder / "a"


@pytest.mark.parametrize("only", SOME, ids=str)
def test_some_games_are_answered_as_an_archive_of_them_alone(
    kept: Path, games: dict[str, bytes], tmp_path: Path, only: Only
) -> None:
    log = tmp_path / "some.jsonl"
    with open_archive(kept) as con:
        meant = con.execute(f"select game from games where {only.condition()}").fetchall()
    assert 0 < len(meant) < len(games) + 20
    from tenlog.archive import get_game

    log.write_bytes(b"".join([get_game(kept, game) for (game,) in meant]))
    add_logs(tmp_path / "a", [str(log)])
    for found, alone in zip(
        run_reports(kept, NAMES, only), run_reports(tmp_path / "a", NAMES), strict=True
    ):
        assert (found.rulesets, found.players) == (alone.rulesets, alone.players)
        assert len(found.rows) == len(alone.rows), found.report
        for row, due in zip(found.rows, alone.rows, strict=True):
            assert row == pytest.approx(due), found.report


@pytest.mark.parametrize("name", NAMES)
def test_the_sql_of_some_games_can_be_asked_by_hand(kept: Path, name: str) -> None:
    options = ("--ruleset", "ten/1", "--players", "2..4", "--archive", kept)
    sql = run_cli("report", name, "--sql", *options)
    assert sql.returncode == 0, sql.stderr
    asked = run_cli("query", "--archive", kept, "--format", "json", stdin=sql.stdout)
    assert asked.returncode == 0, asked.stderr
    answer = json.loads(run_cli("report", name, "--json", *options).stdout)
    assert (answer["rulesets"], answer["players"]) == (["ten/1"], [2, 3, 4])
    for row, due in zip(json.loads(asked.stdout), answer["rows"], strict=True):
        assert row == pytest.approx(due)


@pytest.mark.parametrize(
    ("options", "missing"),
    [
        (("--ruleset", "ten/2"), "of ruleset 'ten/2'"),
        (("--ruleset", "ten/1", "--players", "4..99"), "at tables of 6 to 99"),
        (("--ruleset", "odd/1", "--players", "2"), "of odd/1 at tables of 2"),
    ],
)
def test_games_that_are_not_there(kept: Path, options: tuple[str, ...], missing: str) -> None:
    there = "there are odd/1 (tables of 4), ten/1 (tables of 1 to 5)"
    for how in ((), ("--json",), ("--html", "-")):
        done = run_cli("report", "busts", *options, *how, "--archive", kept)
        assert (done.returncode, done.stdout) == (2, b"")
        assert done.stderr.decode() == f"tenlog: no games {missing} in {kept}: {there}\n"
    with pytest.raises(QueryError, match="called"):
        find_report("busts", Only(("\udcff",)))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("busts", "--run", "nosuch.json"), "--html"),
        (("busts", "--run", "nosuch.json", "--svg", "x"), "--html"),
        (("busts", "--overwrite"), "--html"),
        (("busts", "--sql", "--json"), "choose one"),
        (("busts", "--html", "x.html", "--json"), "choose one"),
        (("--players", "2"), "which report"),
        (("--sql",), "which report"),
        (("busts", "--players", "few"), "2..5"),
    ],
)
def test_options_that_would_do_nothing(
    kept: Path, tmp_path: Path, options: tuple[str, ...], said: str
) -> None:
    done = run_cli("report", *options, "--archive", kept, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, b"")
    assert said in done.stderr.decode()
    assert not [*tmp_path.iterdir()]


def test_what_is_pooled_is_said(two_rulesets: Path) -> None:
    def told(*options: str) -> str:
        done = run_cli("report", *options, "--no-picture", "--archive", two_rulesets)
        assert done.returncode == 0, done.stderr
        return " ".join(done.stdout.decode().split())

    rulesets = "Pools 2 rulesets (house/fast, ten/1)"
    assert f"{rulesets} and tables of 2, 4. Look at some of them with --r" in told("busts")
    assert f"{rulesets}. Look" in told("seats")
    assert f"{rulesets}. Look" in told("busts", "--players", "2")
    assert "Pools tables of 2, 4. Look" in told("busts", "--ruleset", "ten/1")
    assert "Pools" not in told("rulesets")
    assert "Pools" not in told("busts", "--ruleset", "ten/1", "--players", "4")


def test_games_that_a_report_leaves_out_are_not_pooled(kept: Path) -> None:
    assert run_report(kept, "busts").players == [1, 2, 3, 4, 5]
    assert run_report(kept, "bots").players == [2, 3, 4, 5]
    assert not run_report(kept, "bots", Only(players=(1,))).rows


def test_notes_are_for_all(kept: Path) -> None:
    notes = find_report("busts").notes
    assert "Totals below zero count as 0." in notes
    done = run_cli("report", "busts", "--archive", kept)
    assert notes in " ".join(done.stdout.decode().split())
    assert max(map(len, done.stdout.decode().splitlines())) <= 80
    answer = json.loads(run_cli("report", "busts", "--json", "--archive", kept).stdout)
    assert answer["notes"] == notes


# In an interval's own column, and behind ±.
BOUNDS = re.compile(r"([\d.]+)\s+([\d.]+) to ([\d.]+)")
HALF = re.compile(r"([\d.]+) (?:±|\+-)([\d.]+)")
SHARES = ("seats", "bots", "runs", "ties", "busts")


@pytest.mark.parametrize("name", SHARES)
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_bounds_are_those_of_the_answer(kept: Path, name: str, encoding: str) -> None:
    shown = run_cli(
        "report", name, "--no-picture", "--archive", kept, env={"PYTHONIOENCODING": encoding}
    )
    assert shown.returncode == 0, shown.stderr
    answer = run_report(kept, name)
    share, (low, high) = next(iter(intervals(answer.columns).items()))

    def texts(row: dict[str, Any]) -> tuple[str, ...]:
        values = (row[share], row[low], row[high])
        return tuple([f"{value:.4f}" if value < 1 else f"{value:.2f}" for value in values])

    due = [texts(row) for row in answer.rows if row[low] is not None]
    found = BOUNDS.findall(shown.stdout.decode())
    assert found == due
    assert all(float(low) <= float(value) <= float(high) for value, low, high in found)


def test_half_of_an_interval_is_only_told_of_means(kept: Path) -> None:
    def halves(name: str) -> list[Any]:
        done = run_cli("report", name, "--no-picture", "--archive", kept)
        return HALF.findall(done.stdout.decode())

    assert halves("rulesets")
    assert halves("auctions")
    assert not halves("busts")
    assert not halves("ties")
    assert len(halves("bots")) == sum(r["score_low"] is not None for r in rows(kept, "bots"))


def rows(root: Path, name: str) -> list[dict[str, Any]]:
    return run_report(root, name).rows


@pytest.mark.parametrize("name", NAMES)
def test_tables_fit_80_columns(two_rulesets: Path, tmp_path: Path, name: str) -> None:
    terminal = Terminal(
        "report", name, "--no-picture", "--archive", str(two_rulesets), home=tmp_path, lines=80
    )
    assert terminal.finish() == 0
    answer = run_report(two_rulesets, name)
    rule = next(i for i, line in enumerate(terminal.shown) if line.startswith("──"))
    table = terminal.shown[rule + 1 : rule + 1 + len(answer.rows)]
    first = {str(row[answer.columns[0]]) for row in answer.rows}
    assert {line.split()[0] for line in table} == first  # no row in two lines
    assert terminal.shown[rule + 1 + len(answer.rows)][:4] in ("", "No r")
    if name == "rulesets":
        assert any("house/fast " in line for line in table)
    if name in ("games", "rulesets", "seats", "draws", "auctions"):
        assert "No room" not in "".join(terminal.shown)


def test_columns_that_have_no_room_are_named(two_rulesets: Path, tmp_path: Path) -> None:
    args = ("report", "bots", "--no-picture", "--archive", str(two_rulesets))
    terminal = Terminal(*args, home=tmp_path, columns=50, lines=40)
    assert terminal.finish() == 0
    text = " ".join(" ".join(terminal.shown).split())
    assert "No room for score, tokens, busts, cards: see a wider terminal, or --json." in text
    terminal = Terminal(*args, home=tmp_path, columns=34, lines=40)
    assert terminal.finish() == 0
    assert "No room for 95 % of win_rate, score," in " ".join(" ".join(terminal.shown).split())
