"""Intervals: the sample is the game, in a tournament the deal; recomputed from the logs."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from pathlib import Path

import msgspec
import pytest

from tenlog.game.ruleset import ruleset_from
from tenlog.simulate import run
from tenlog.simulate.plan import SimulationPlan
from tenlog.simulate.report import summarise
from tenlog.simulate.run import AnyPlan, run_plan
from tenlog.simulate.tables import TournamentPlan
from tenlog.simulate.tally import VICTORY, Interval, Sums
from tenlog.tournament import result
from tests.support import run_cli

Z = 1.959963984540054
TWICE = SimulationPlan(60, "two", ("greedy", "greedy", "cautious"), (3, 4))
PLANS: tuple[AnyPlan, ...] = (
    TWICE,
    TournamentPlan(20, "t", ("cautious", "random", "greedy"), (2, 3)),
)
# Of a game: its seed, and what each bot's seats got: (victories, points).
Game = tuple[str, dict[str, list[tuple[float, int]]]]


def _logged(folder: Path) -> list[Game]:
    games: list[Game] = []
    for path in sorted(folder.glob("games-*.jsonl")):
        for line in path.read_text().splitlines():
            said = json.loads(line)
            if said["n"] == 0:
                seed, bots = said["ev"]["seed"], said["bots"]
            if said["ev"]["type"] == "GameFinished":
                won, scores = said["ev"]["winners"], said["ev"]["scores"]
                got = defaultdict(list)
                for seat, bot in enumerate(bots):
                    got[bot].append(((seat in won) / len(won), scores[seat]))
                games.append((seed, dict(got)))
    return games


def _ratio(samples: list[tuple[int, float]]) -> tuple[float, float]:
    """Of totals over seats: the mean of a seat, and the variance of this mean (linearised)."""
    n, seats = len(samples), sum(count for count, _ in samples)
    mean = sum(total for _, total in samples) / seats
    spread = sum((total - mean * count) ** 2 for count, total in samples)
    return mean, n / (n - 1) * spread / seats**2


def _wilson(share: float, n: float) -> tuple[float, float]:
    """The two roots of (p − share)² = z² p (1 − p) / n."""
    a, b, c = 1 + Z * Z / n, -(2 * share + Z * Z / n), share * share
    root = math.sqrt(max(b * b - 4 * a * c, 0))
    return (-b - root) / (2 * a), (-b + root) / (2 * a)


def _check(won: Interval, score: Interval, samples: list[list[tuple[float, int]]]) -> None:
    share, variance = _ratio([(len(seats), sum(v for v, _ in seats)) for seats in samples])
    one_seat = all(len(seats) == 1 for seats in samples)
    n = len(samples) if one_seat or share in (0, 1) else share * (1 - share) / variance
    low, high = _wilson(share, n)
    assert (won.value, won.low, won.high) == pytest.approx((share, low, high))
    mean, variance = _ratio([(len(seats), sum(s for _, s in seats)) for seats in samples])
    half = Z * math.sqrt(variance)
    assert (score.value, score.low, score.high) == pytest.approx((mean, mean - half, mean + half))


def test_a_simulation_samples_games(tmp_path: Path) -> None:
    groups = summarise(run_plan(TWICE, tmp_path, "jsonl"), "").groups
    games = _logged(tmp_path)
    for group in groups:
        here = [got for _, got in games if sum(map(len, got.values())) == group.players]
        for row in group.bots:
            assert row.games == len(here) == 60
            _check(row.won, row.score, [got[row.name] for got in here])


def test_bots_that_take_turns_are_counted_where_they_sat(tmp_path: Path) -> None:
    long = ruleset_from({"name": "long", "bust_limit": 12})
    plan = SimulationPlan(30, "turns", ("greedy", "cautious", "greedy"), (2, 3), ("ten/1", long))
    outcome = run_plan(plan, tmp_path, "jsonl")
    games = [got for _, got in _logged(tmp_path)]
    first, other = games[0:60:2], games[1:60:2]  # each deal under both, tables of 2 first
    for row in summarise(outcome, "").groups[0].bots:
        sat = [got[row.name] for got in first if row.name in got]
        assert row.games == len(sat) == (30 if row.name == "greedy" else 20)
        _check(row.won, row.score, sat)
    (pair, _) = outcome.comparisons
    assert [bot.name for bot in pair.bots] == ["greedy", "cautious"]
    for bot in pair.bots:
        for found, of in ((bot.won, 0), (bot.score, 1)):
            both = [
                (len(a[bot.name]), sum(x[of] for x in a[bot.name]), sum(x[of] for x in b[bot.name]))
                for a, b in zip(first, other, strict=True)
                if bot.name in a
            ]
            mean, variance = _ratio([(seats, two - one) for seats, one, two in both])
            assert found.difference.value == pytest.approx(mean)
            assert found.difference.high == pytest.approx(mean + Z * math.sqrt(variance))
            assert found.first == pytest.approx(_ratio([(n, one) for n, one, _ in both])[0])
            assert found.other == pytest.approx(_ratio([(n, two) for n, _, two in both])[0])


def test_bots_without_a_seat_are_named(tmp_path: Path) -> None:
    args = ("simulate", "-n", "2", "--bots", "random,cautious,greedy", "--seed", "s")
    env = {"TENLOG_HOME": str(tmp_path)}
    fixed = run_cli(*args, "--players", "1..3", "--fixed-seats", env=env)
    assert fixed.stderr == (
        b"with --fixed-seats there is no seat at the smallest table for cautious, greedy: "
        b"without it all take turns\n"
    )
    assert run_cli(*args, "--players", "1..3", env=env).stderr == b""


def test_a_bot_in_all_seats_wins_its_part_exactly(tmp_path: Path) -> None:
    plan = SimulationPlan(60, "all", ("random",), (4,))
    outcome = run_plan(plan, tmp_path, "jsonl")
    (row,) = summarise(outcome, "").groups[0].bots
    assert row.won == Interval(0.25, 0.25, 0.25)
    assert row.games == 60
    shown = run_cli(
        "simulate", "-n", "60", "--bots", "random,random,random,random", "--seed", "all",
        env={"TENLOG_HOME": str(tmp_path)},
    )  # fmt: skip
    line = shown.stdout.decode().splitlines()[2]
    assert line.split()[:5] == ["random", "60", "25.0", "no", "spread"]


@pytest.mark.parametrize(
    ("bots", "players", "form"),
    [
        (("cautious", "random", "greedy"), (2,), "round-robin"),
        (("cautious", "random", "greedy"), (2, 3), "round-robin"),
        (("cautious", "random", "greedy", "greedy:risk=0.2"), (2, 3), "pools"),
    ],
)
def test_a_tournament_samples_deals(
    tmp_path: Path, bots: tuple[str, ...], players: tuple[int, ...], form: str
) -> None:
    plan = TournamentPlan(12, "t", bots, players, form=form)  # type: ignore[arg-type]
    found = result.summarise(plan, run_plan(plan, tmp_path, "jsonl"), None, 0.95)
    deals: dict[str, list[dict[str, list[tuple[float, int]]]]] = defaultdict(list)
    for seed, got in _logged(tmp_path):
        deals[seed].append(got)
    for row in found.standings:
        here = [[seat for got in deal for seat in got.get(row.bot, [])] for deal in deals.values()]
        assert row.games == sum(map(len, here))
        _check(row.won, row.score, [seats for seats in here if seats])
    for pair in found.differences:
        both = [
            [
                (got[pair.first][0], got[pair.second][0])
                for got in deal
                if {pair.first, pair.second} <= got.keys()
            ]
            for deal in deals.values()
        ]
        both = [games for games in both if games]
        assert pair.units == len(both)
        for interval, of in ((pair.won, 0), (pair.score, 1)):
            mean, variance = _ratio([(len(g), sum(a[of] - b[of] for a, b in g)) for g in both])
            half = Z * math.sqrt(variance)
            assert interval.value == pytest.approx(mean)
            assert interval.low == pytest.approx(max(mean - half, -1) if of == 0 else mean - half)


def _result(*units: int, decided: bool) -> result.Result:
    """Of a leader ``a`` and others that it met on so many deals."""
    some = Interval(0.5, 0.2, 0.8)
    standings = [result.Standing(name, 10, some, some, None) for name in ("a", "b", "c")]
    differences = [
        result.Difference("a", other, count, some, some, decided)
        for other, count in zip("bc", units, strict=False)
    ]
    return result.Result(
        1, 1, 1, "", "ten/1", [2], standings, differences, "a", False, 0.95, 0, 0, []
    )


def test_why_a_tournament_is_not_decided(tmp_path: Path) -> None:
    assert result.why_open(_result(40, decided=True)) == "it did not meet all others"
    few = "too few deals: 29, and it takes at least 30"
    assert result.why_open(_result(40, 29, decided=False)) == few
    chance = "the difference to b may be chance"
    assert result.why_open(_result(40, 40, decided=False)) == chance
    assert "all of them at once" in result.why_open(_result(40, 40, decided=True))
    args = ("tournament", "--bots", "cautious,random", "--seed", "t", "--no-ratings", "-n")
    env = {"TENLOG_HOME": str(tmp_path)}
    shown = run_cli(*args, "5", env=env).stdout.decode().splitlines()
    assert shown[-6].split()[-2:] == ["too", "few"]
    assert shown[-4:-2] == [
        "cautious leads, but that is not decided (95 % confidence)",
        "too few deals: 5, and it takes at least 30",
    ]
    shown = run_cli(*args, "40", env=env).stdout.decode().splitlines()
    assert shown[-3] == "cautious is ahead of all others (95 % confidence)"


def test_whoever_counts_the_intervals_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, plan in enumerate(PLANS):
        whole = run_plan(plan, tmp_path / f"{number}-whole", "summary").tallies

        class Stop(Exception):
            pass

        def stop(games: int, _: int) -> None:
            if games >= 40:
                raise Stop

        cut = tmp_path / f"{number}-cut"
        with pytest.raises(Stop):
            run_plan(plan, cut, "summary", progress=stop)
        again = run_plan(plan, cut, "summary", jobs=2)
        assert 0 < again.resumed < plan.total
        assert again.tallies == whole
        with monkeypatch.context() as patch:
            patch.setattr(run, "chunk_size", lambda *_: 7)
            assert run_plan(plan, tmp_path / f"{number}-other", "summary").tallies == whole


def test_sums_are_whole_numbers_however_they_are_added() -> None:
    samples = [(i % 3 + 1, i * 7 % 11 * VICTORY, i - 20) for i in range(40)]

    def total(order: list[tuple[int, int, int]], cut: int) -> bytes:
        whole = Sums()
        for start in range(0, len(order), cut):
            part = Sums()
            for sample in order[start : start + cut]:
                part.add(*sample)
            whole.merge(msgspec.json.decode(msgspec.json.encode(part), type=Sums))
        return msgspec.json.encode(whole)

    assert len({total(samples, 5), total(samples[::-1], 5), total(samples, 40)}) == 1


def test_few_samples_are_not_sure() -> None:
    assert Sums().win_rate()[1:] == (0, 1)
    one = Sums()
    one.add(2, VICTORY, 10)
    assert Interval.of(one.win_rate()) == Interval(0.5, None, None)
    assert Interval.of(one.mean_score()) == Interval(5.0, None, None)
    never = Sums()
    for _ in range(10):
        never.add(2, 0, 0)
    _, low, high = never.win_rate()
    assert (low, high) == pytest.approx((0, _wilson(0, 10)[1]))  # not certain after ten games
