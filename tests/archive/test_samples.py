"""Reports in which several seats, draws, sales or colours of a game count: the sample of their
intervals is the game."""

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

# What a seat got: its game, its part of the victory, its points.
Seat = tuple[str, float, int]


def seats_by(kept: Path, key: str) -> dict[Any, list[Seat]]:
    found: dict[Hashable, list[Seat]] = defaultdict(list)
    with open_archive(kept) as con:
        rows = con.execute(
            f"select ({key}), p.game, p.won::int / len(g.winners), p.score "
            "from players p join games g using (game)"
        ).fetchall()
    for of, *seat in rows:
        found[of].append((seat[0], seat[1], seat[2]))
    return found


def games_of(seats: list[Seat], value: int) -> list[list[float]]:
    """By game what its seats have: 1 their part of the victory, 2 their points."""
    games: dict[str, list[float]] = defaultdict(list)
    for seat in seats:
        games[seat[0]].append(float(seat[value]))
    return list(games.values())


def error(games: list[list[float]]) -> float:
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


def check_share(row: dict[str, Any], name: str, bound: str, games: list[list[float]]) -> None:
    """A share of what is counted in some games, each a list of 0 to 1, and its interval."""
    counted = sum(map(len, games))
    share = sum(map(sum, games)) / counted
    assert row[name] == pytest.approx(share)
    if len(games) == 1 < counted:
        assert row[f"{bound}_low"] is None
        return
    alone = counted == len(games) or share in (0, 1)
    # Else as many games as would vary alone as much.
    n = len(games) if alone else Z * Z * share * (1 - share) / error(games) ** 2
    due = wilson(share, n)
    assert (row[f"{bound}_low"], row[f"{bound}_high"]) == pytest.approx(due, abs=1e-9)


def check_mean(row: dict[str, Any], name: str, games: list[list[float]]) -> None:
    """A mean of what is counted in some games, and its interval."""
    middle = sum(map(sum, games)) / sum(map(len, games))
    assert row[name] == pytest.approx(middle)
    if len(games) == 1:
        assert row[f"{name}_low"] is None
        return
    half = error(games)
    due = (middle - half, middle + half)
    assert (row[f"{name}_low"], row[f"{name}_high"]) == pytest.approx(due)


def test_report_bots(kept: Path) -> None:
    # Games of one player don't count.
    groups = seats_by(kept, "g.players > 1, coalesce(p.bot, '(person)')")
    rows = run_report(kept, "bots").rows
    for row in rows:
        won, points = (games_of(groups[True, row["bot"]], value) for value in (1, 2))
        assert (row["games"], row["seats"]) == (len(won), sum(map(len, won)))
        check_share(row, "win_rate", "win", won)
        check_mean(row, "score", points)
    assert any(1 < row["games"] < row["seats"] and 0 < row["win_rate"] < 1 for row in rows)


def games_by(kept: Path, sql: str) -> dict[Any, list[list[float]]]:
    """From rows of a key, a game and a value: the values of each game, by key."""
    found: dict[Any, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    with open_archive(kept) as con:
        for *key, game, value in con.execute(sql).fetchall():
            found[tuple(key)][game].append(int(value))
    return {key: list(games.values()) for key, games in found.items()}


def test_report_busts(kept: Path) -> None:
    found = games_by(
        kept, "select greatest(total, 0), game, bust is not null from draws where tableau > 0"
    )
    rows = run_report(kept, "busts").rows
    for row in rows:
        games = found.pop((row["total"],))
        assert row["draws"] == sum(map(len, games))
        check_share(row, "bust_rate", "bust", games)
    assert not found
    assert sum(0 < row["bust_rate"] < 1 for row in rows) > 5


def test_report_auctions(kept: Path) -> None:
    found = games_by(
        kept,
        """select case when card = 'WW' then 'full' when card[1] = 'W' then 'number'
            else 'colour' end, least(1 + 3 * (turn - 1) // turns, 3), game, price
        from auctions a join (select game, turns from games) using (game)
        where price is not null""",
    )
    for row in run_report(kept, "auctions").rows:
        if row["sold"]:
            check_mean(row, "price", found.pop((row["kind"], row["phase"])))
        else:
            assert (row["price"], row["price_low"]) == (None, None)
    assert not found


def test_report_market(kept: Path) -> None:
    finals = games_by(kept, "select card[2]::int, game, final from purchases")
    each = games_by(
        kept,
        """select number, g.game, count(p.game)
        from games g cross join range(1, 10) numbers(number)
        left join purchases p on p.game = g.game and p.card[2]::int = number
        group by all""",
    )
    for row in run_report(kept, "market").rows:
        check_mean(row, "per_game", each[(row["number"],)])
        check_share(row, "final", "final", finals.pop((row["number"],)))
    assert not finals


def test_report_runs(kept: Path) -> None:
    # Every colour of every seat counts, also in games that have none of so many points.
    found = games_by(
        kept,
        """select due, p.game, points = due from
            (select game, unnest([red, blue, orange, green]) as points from players) p,
            (select distinct unnest([red, blue, orange, green]) as due from players)
        where points is not null and due is not null""",
    )
    for row in run_report(kept, "runs").rows:
        games = found.pop((row["points"],))
        assert row["colours"] == sum(map(sum, games))
        check_share(row, "share", "share", games)
    assert not found


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
