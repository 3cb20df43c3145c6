"""Reports by bot and by ruleset: the sample of their intervals is the game, not the seat."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import pytest

from tenlog.archive import open as open_archive
from tenlog.archive.reports import run_report

Z = 1.959963984540054

# What a seat got: its game, whether it won, its points.
Seat = tuple[str, bool, int]


def seats_by(kept: Path, key: str) -> dict[Any, list[Seat]]:
    found: dict[Hashable, list[Seat]] = defaultdict(list)
    with open_archive(kept) as con:
        rows = con.execute(
            f"select ({key}), p.game, p.won, p.score from players p join games g using (game)"
        ).fetchall()
    for of, *seat in rows:
        found[of].append((seat[0], seat[1], seat[2]))
    return found


def games_of(seats: list[Seat], value: int) -> list[list[int]]:
    """By game what its seats have: 1 whether they won, 2 their points."""
    games: dict[str, list[int]] = defaultdict(list)
    for seat in seats:
        games[seat[0]].append(int(seat[value]))
    return list(games.values())


def error(games: list[list[int]]) -> float:
    """Half of the interval of the mean of a seat, from what differs between games."""
    seats = sum(map(len, games))
    middle = sum(map(sum, games)) / seats
    spread = sum((sum(game) - middle * len(game)) ** 2 for game in games)
    return Z * math.sqrt(len(games) / (len(games) - 1) * spread) / seats


def wilson(share: float, n: float) -> tuple[float, float]:
    """The two roots of (p − share)² = z² p (1 − p) / n."""
    a, b, c = 1 + Z * Z / n, -(2 * share + Z * Z / n), share * share
    root = math.sqrt(max(b * b - 4 * a * c, 0))
    return (-b - root) / (2 * a), (-b + root) / (2 * a)


def test_report_bots(kept: Path) -> None:
    # Games of one player don't count.
    groups = seats_by(kept, "g.players > 1, coalesce(p.bot, '(person)')")
    rows = run_report(kept, "bots").rows
    for row in rows:
        won, points = (games_of(groups[True, row["bot"]], value) for value in (1, 2))
        assert (row["games"], row["seats"]) == (len(won), sum(map(len, won)))
        share = row["win_rate"]
        if len(won) == 1:
            assert row["score_low"] is None
            assert (row["win_low"] is None) == (row["seats"] > 1 and 0 < share < 1)
            continue
        assert row["score_low"] == pytest.approx(row["score"] - error(points))
        assert row["score_high"] == pytest.approx(row["score"] + error(points))
        alone = row["seats"] == row["games"] or share in (0, 1)
        # Else as many games as would vary alone as much.
        n = len(won) if alone else Z * Z * share * (1 - share) / error(won) ** 2
        assert (row["win_low"], row["win_high"]) == pytest.approx(wilson(share, n), abs=1e-9)
    assert any(1 < row["games"] < row["seats"] and 0 < row["win_rate"] < 1 for row in rows)


def test_report_rulesets(kept: Path) -> None:
    groups = seats_by(kept, "g.players, g.ruleset")
    several = 0
    for row in run_report(kept, "rulesets").rows:
        games = [mean(game) for game in games_of(groups[row["players"], row["ruleset"]], 2)]
        assert row["games"] == len(games)
        assert row["score"] == pytest.approx(mean(games))
        if len(games) > 1:
            half = Z * stdev(games) / math.sqrt(len(games))
            assert row["score_low"] == pytest.approx(row["score"] - half)
            assert row["score_high"] == pytest.approx(row["score"] + half)
            several += row["players"] > 1
    assert several
