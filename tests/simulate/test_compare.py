"""Rulesets on the same deals: the figures are those of the logs, whoever played the games."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import msgspec
import pytest

from tenlog.errors import SetupError
from tenlog.game.ruleset import ruleset_from
from tenlog.simulate import run
from tenlog.simulate.compare import Change, Changed, Comparison, Figures, no_games
from tenlog.simulate.journal import NAME
from tenlog.simulate.manifest import make_manifest, read_manifest, write_manifest
from tenlog.simulate.plan import SimulationPlan
from tenlog.simulate.report import summarise
from tenlog.simulate.run import Outcome, run_plan
from tests.support import run_cli

LONG = ruleset_from({"name": "long", "bust_limit": 12})
POOR = ruleset_from({"name": "poor", "tokens": {"start": 1}})
PLAN = SimulationPlan(24, "pair", ("random", "cautious", "cautious"), (3, 4), ("ten/1", LONG, POOR))
ENDS = ("Busted", "NumbersTaken", "CurrencyTaken", "NothingTaken")

Game = tuple[list[str], list[dict[str, Any]]]
# Number of players, ruleset and seed of a game → its bots and events.
Games = dict[tuple[int, str], dict[str, Game]]


def _logged(folder: Path) -> Games:
    """The games of a folder, read as what they are: lines of JSON."""
    games: Games = defaultdict(dict)
    for path in sorted(folder.glob("games-*.jsonl")):
        for line in path.read_text().splitlines():
            said = json.loads(line)
            event = said["ev"]
            if said["n"] == 0:
                rules = event["rules"]
                name = rules if isinstance(rules, str) else rules["name"]
                game: Game = (said["bots"], [])
                games[len(event["players"]), name][event["seed"]] = game
            game[1].append(event)
    return games


def _won(game: Game, bot: str) -> float:
    winners = game[1][-1]["winners"]
    return sum(seat in winners for seat, it in enumerate(game[0]) if it == bot) / len(winners)


def _check(found: Changed, games: Games, pair: Comparison, of: Callable[[Game], float]) -> None:
    one = games[pair.players, pair.first]
    two = games[pair.players, pair.other]
    seeds = one.keys() & two.keys()
    assert len(seeds) == pair.games
    first = [of(one[seed]) for seed in seeds]
    other = [of(two[seed]) for seed in seeds]
    differences = [b - a for a, b in zip(first, other, strict=True)]
    half = 1.959963984540054 * stdev(differences) / math.sqrt(len(differences))
    assert found.first == pytest.approx(mean(first), abs=1e-9)
    assert found.other == pytest.approx(mean(other), abs=1e-9)
    assert found.difference.value == pytest.approx(mean(differences), abs=1e-9)
    assert found.difference.low == pytest.approx(mean(differences) - half, abs=1e-9)
    assert found.difference.high == pytest.approx(mean(differences) + half, abs=1e-9)


def _check_all(outcome: Outcome, folder: Path) -> None:
    games = _logged(folder)
    for pair in outcome.comparisons:
        for bot in pair.bots:
            seats = next(iter(games[pair.players, "ten/1"].values()))[0].count(bot.name)
            _check(bot.won, games, pair, lambda g, b=bot.name, s=seats: _won(g, b) / s)  # type: ignore[misc]
            _check(
                bot.score,
                games,
                pair,
                lambda g, b=bot.name: mean(  # type: ignore[misc]
                    s for s, it in zip(g[1][-1]["scores"], g[0], strict=True) if it == b
                ),
            )
        _check(pair.winning_score, games, pair, lambda g: max(g[1][-1]["scores"]))
        _check(pair.events, games, pair, lambda g: len(g[1]))
        _check(pair.turns, games, pair, _turns)
        _check(
            pair.bust_rate,
            games,
            pair,
            lambda g: sum(event["type"] == "Busted" for event in g[1]) / _turns(g),
        )
        _check(pair.first_seat, games, pair, _first_seat)


def _turns(game: Game) -> int:
    return sum(event["type"] in ENDS for event in game[1])


def _first_seat(game: Game) -> float:
    winners = game[1][-1]["winners"]
    return (0 in winners) / len(winners) - 1 / len(game[0])


def test_differences_are_those_of_the_logs(tmp_path: Path) -> None:
    outcome = run_plan(PLAN, tmp_path, "jsonl")
    said = [(pair.players, pair.first, pair.other, pair.games) for pair in outcome.comparisons]
    assert said == [
        (3, "ten/1", "long", 24), (4, "ten/1", "long", 24),
        (3, "ten/1", "poor", 24), (4, "ten/1", "poor", 24),
    ]  # fmt: skip
    assert [bot.name for bot in outcome.comparisons[0].bots] == ["random", "cautious"]
    _check_all(outcome, tmp_path)
    assert outcome.comparisons[0].turns.difference.high is not None
    assert outcome.comparisons[0].turns.difference.high < 0  # a higher limit, fewer turns


def test_whoever_plays_the_differences_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = run_plan(PLAN, tmp_path / "whole", "summary").comparisons

    class Stop(Exception):
        pass

    def stop(games: int, _: int) -> None:
        if games >= 40:
            raise Stop

    with pytest.raises(Stop):
        run_plan(PLAN, tmp_path / "cut", "summary", progress=stop)
    again = run_plan(PLAN, tmp_path / "cut", "summary", jobs=2)
    assert 0 < again.resumed < PLAN.total
    assert again.comparisons == whole
    monkeypatch.setattr(run, "chunk_size", lambda *_: 7)
    assert run_plan(PLAN, tmp_path / "other", "summary").comparisons == whole


BREAKS = """
class MyBot:
    def decide(self, view, stream):
        if view.rules.bust_limit == 12 and view.n > 40 and view.tokens[0] % 2:
            raise ZeroDivisionError("my bot fell over")
        from tenlog.bots.rand import RandomBot
        return RandomBot().decide(view, stream)
"""


def test_only_games_that_both_have_are_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "breaksbot.py").write_text(BREAKS)
    monkeypatch.syspath_prepend(str(tmp_path))
    bots = ("breaksbot:MyBot", "random")
    for rulesets in (("ten/1", LONG, POOR), (LONG, "ten/1", POOR)):
        plan = SimulationPlan(30, "b", bots, (2,), rulesets)
        folder = tmp_path / f"{rulesets.index(LONG)}"
        outcome = run_plan(plan, folder, "jsonl", keep_going=True)
        assert 0 < outcome.skips < 30
        first, second = outcome.comparisons
        assert first.games == 30 - outcome.skips
        assert second.games == (30 if rulesets[0] == "ten/1" else first.games)
        _check_all(outcome, folder)


def test_a_bot_that_breaks_everything_leaves_nothing_to_compare(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "neverbot.py").write_text("class MyBot:\n    def decide(self, *_): 1 / 0\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    plan = SimulationPlan(30, "b", ("neverbot:MyBot",), (2,), ("ten/1", LONG))
    outcome = run_plan(plan, tmp_path / "out", "summary", keep_going=True)
    assert (outcome.games, outcome.skips, outcome.comparisons) == (0, 60, [])
    assert len(outcome.skipped) == 20


def test_a_single_game_has_no_interval(tmp_path: Path) -> None:
    plan = SimulationPlan(1, "one", ("random",), (1,), ("ten/1", LONG))
    (pair,) = run_plan(plan, tmp_path, "summary").comparisons
    assert pair.turns.difference.low is None
    assert (pair.first_seat.first, pair.first_seat.difference.value) == (0, 0)


def test_sums_are_whole_numbers_however_they_are_added() -> None:
    figures = [
        Figures({"a": (i % 2 + 1, i * 7 % 11, i)}, i, i + 1, 10**12 // (i + 1), i * 3, i % 2)
        for i in range(40)
    ]
    pairs = list(pairwise(figures))

    def total(order: list[tuple[Figures, Figures]], cut: int) -> bytes:
        whole = no_games()
        for start in range(0, len(order), cut):
            part = no_games()
            for pair in order[start : start + cut]:
                part.add(*pair)
            whole.merge(msgspec.json.decode(msgspec.json.encode(part), type=type(part)))
        return msgspec.json.encode(whole)

    assert len({total(pairs, 5), total(pairs[::-1], 5), total(pairs, 40), total(pairs, 1)}) == 1
    big = Change(10**30, -(10**30), 10**40)
    assert msgspec.json.decode(msgspec.json.encode(big), type=Change) == big


def test_the_manifest_and_the_summary_have_them(tmp_path: Path) -> None:
    outcome = run_plan(PLAN, tmp_path, "summary")
    path = write_manifest(tmp_path, make_manifest(PLAN, "summary", outcome, []))
    assert read_manifest(path).comparisons == outcome.comparisons
    assert summarise(outcome, "").comparisons == outcome.comparisons
    one = msgspec.structs.replace(PLAN, rulesets=("ten/1",))
    assert run_plan(one, tmp_path / "one", "summary").comparisons == []


def test_a_journal_that_lacks_them_is_refused(tmp_path: Path) -> None:
    run_plan(PLAN, tmp_path, "summary")
    journal = tmp_path / NAME
    journal.write_bytes(journal.read_bytes().replace(b',"journal":4}', b"}", 1))
    with pytest.raises(SetupError, match=r"tenlog 0.*\(journal 1.*can't be gone on with.*remove"):
        run_plan(PLAN, tmp_path, "summary")


def test_people_see_both_and_the_difference(tmp_path: Path) -> None:
    (tmp_path / "long.toml").write_text('name = "long"\nbust_limit = 12\n')
    done = run_cli(
        "simulate", "-n", "20", "--bots", "random,cautious", "--seed", "c", "--rules", "ten/1",
        "--rules", "long.toml", "--out", "out", cwd=tmp_path,
    )  # fmt: skip
    lines = done.stdout.decode().splitlines()
    at = lines.index("first ten/1, other long: the same 20 deals, 2 players")
    names = [line[:24].strip() for line in lines[at + 2 : at + 11]]
    assert names == [
        "random won %", "cautious won %", "random score", "cautious score", "winning score",
        "turns", "events", "bust % of turns", "first seat % above fair",
    ]  # fmt: skip
    turns = next(line for line in lines if line.startswith("turns")).split()
    manifest = read_manifest(tmp_path / "out" / "run.json")
    (pair,) = manifest.comparisons
    assert turns[1:4] == [
        f"{pair.turns.first:.2f}", f"{pair.turns.other:.2f}", f"{pair.turns.difference.value:+.2f}",
    ]  # fmt: skip
    assert max(map(len, lines[at:-1])) <= 80
