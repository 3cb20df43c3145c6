"""What the tables, views and reports say, against an independent count over the events."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from tenlog.archive import get_game
from tenlog.archive import open as open_archive
from tenlog.archive.read import list_games
from tenlog.archive.reports import NAMES, find_report, run_report
from tenlog.archive.schema import COLUMNS, VIEW_COLUMNS, ddl
from tenlog.game.cards import KIND, NUMBERS_END, VALUE, is_wild
from tenlog.game.events import (
    AuctionWon,
    BidPlaced,
    Busted,
    CardBought,
    CardDrawn,
    CurrencyTaken,
    Event,
    GameFinished,
    GameStarted,
    NothingTaken,
    NumbersTaken,
)
from tenlog.game.scoring import best_score
from tenlog.game.state import FINAL_BUY, State
from tenlog.log.read import read_game
from tenlog.log.replay import replay
from tenlog.log.source import GameText
from tests.support import ROOT, run_cli

Table = list[tuple[Any, ...]]


class Counted:
    """Everything counted in Python, from the logs and the engine's own fold."""

    def __init__(self, root: Path) -> None:
        self.states: Table = []
        self.turns: Table = []
        self.auctions: Table = []
        self.purchases: Table = []
        self.busts: Table = []
        self.seats: list[dict[str, Any]] = []
        self.games: list[dict[str, Any]] = []
        self.decisions: list[tuple[int, str | None]] = []  # total at a draw, bust cause
        for row in list_games(root):
            self.count(row.game, get_game(root, row.game))

    def count(self, game: str, data: bytes) -> None:
        self.game, self.auction, self.draws = game, 0, 0
        self.bids: list[int] = []
        self.before: State | None = None
        log = read_game(GameText(data, 1, 0))
        found = replay(log, watch=self.see)
        assert found.fault is None
        assert found.state is not None
        end = log.lines[-1].ev
        assert isinstance(end, GameFinished)
        self.finish(found.state, end, log.bots)

    def see(self, event: Event, state: State) -> None:
        n = state.n - 1
        before = self.before
        turn = 0 if before is None else before.turn
        kind = type(event).__name__
        for seat in range(len(state.players)):
            held = (state.tokens[seat], state.busts[seat], sum(state.cards[seat]))
            self.states.append((self.game, n, turn, kind, seat, *held))
        if before is not None:
            self.see_turn(event, before, n)
        self.before = state.copy()

    def see_turn(self, event: Event, before: State, n: int) -> None:
        game, turn = self.game, before.turn
        active = before.active
        match event:
            case CardDrawn():
                self.draws += 1
                if before.tableau:
                    self.decisions.append((max(before.total, 0), None))
                if is_wild(KIND[event.card]):
                    self.auction += 1
                    self.bids = []
                    self.drawn_at = n
            case BidPlaced():
                self.bids.append(event.amount)
            case Busted():
                assert before.tableau
                if self.decisions and len(before.tableau) > 1:
                    self.decisions[-1] = (self.decisions[-1][0], event.cause)
                ended = f"bust by {event.cause}"
                row = (game, turn, active, self.draws, before.total, before.currency, ended)
                self.turns.append((*row, list(event.gains), None, n))
                self.busts.append((game, n, turn, active, event.cause, self.draws))
            case NumbersTaken():
                row = (game, turn, active, self.draws, before.total, before.currency, "numbers")
                self.turns.append((*row, list(event.gains), None, n))
            case CurrencyTaken():
                row = (game, turn, active, self.draws, before.total, before.currency, "currency")
                self.turns.append((*row, None, event.tokens, n))
            case NothingTaken():
                self.turns.append((game, turn, active, self.draws, 0, 0, "nothing", None, None, n))
            case CardBought():
                paid = event.payment
                final = before.phase is FINAL_BUY
                head = (game, n, turn, event.seat, event.card, event.price)
                self.purchases.append((*head, paid.tokens, paid.busts, list(paid.cards), final))
        if isinstance(event, Busted | NumbersTaken | CurrencyTaken | NothingTaken):
            self.draws = 0
        if type(event).__name__ in ("AuctionWon", "AuctionUnsold"):
            bids = sorted(self.bids)
            second = bids[-2] if len(bids) > 1 else None
            sold: tuple[Any, ...] = (None, None, second, None, None, None)
            if isinstance(event, AuctionWon):
                paid = event.payment
                sold = (event.price, event.seat, second, paid.tokens, paid.busts, list(paid.cards))
            card = getattr(event, "card", None)
            auction = (game, self.auction, self.drawn_at, turn, active, card, len(bids))
            self.auctions.append((*auction, *sold))

    def finish(self, state: State, end: GameFinished, bots: tuple[str | None, ...]) -> None:
        order = [
            (-end.scores[seat], -state.tokens[seat], sum(state.cards[seat]))
            for seat in range(len(end.scores))
        ]
        for seat, key in enumerate(order):
            self.seats.append(
                {
                    "game": state.game,
                    "players": len(order),
                    "ruleset": state.rules.ruleset.name,
                    "seat": seat,
                    "bot": (bots[seat] if bots else None) or "(person)",
                    "score": end.scores[seat],
                    "tokens": state.tokens[seat],
                    "busts": state.busts[seat],
                    "cards": key[2],
                    "colours": best_score(state.cards[seat], state.rules.bonus).colours,
                    "won": (seat in end.winners) / len(end.winners),
                }
            )
        first = sorted(order)[:2]
        decided = "solo"
        if len(order) > 1:
            parts = zip(("points", "tokens", "cards"), *first, strict=True)
            decided = next((name for name, a, b in parts if a != b), "shared")
        scores = sorted(end.scores, reverse=True)
        self.games.append(
            {
                "game": state.game,
                "players": len(order),
                "ruleset": state.rules.ruleset.name,
                "turns": state.turn,
                "events": state.n,
                "score": scores[0],
                "margin": scores[0] - scores[1] if len(scores) > 1 else None,
                "decided": decided,
                "shared": len(end.winners) > 1,
            }
        )


@pytest.fixture(scope="module")
def counted(kept: Path) -> Counted:
    return Counted(kept)


def table(root: Path, sql: str) -> Table:
    with open_archive(root) as con:
        return con.execute(sql).fetchall()


def test_states(kept: Path, counted: Counted) -> None:
    assert table(kept, "select * from states order by game, n, seat") == counted.states


def test_turns(kept: Path, counted: Counted) -> None:
    assert table(kept, "select * from turns order by game, turn") == counted.turns


def test_auctions(kept: Path, counted: Counted) -> None:
    assert table(kept, "select * from auctions order by game, auction") == counted.auctions


def test_purchases(kept: Path, counted: Counted) -> None:
    assert table(kept, "select * from purchases order by game, n") == counted.purchases


def test_busts(kept: Path, counted: Counted) -> None:
    sql = "select game, n, turn, seat, cause, draws from busts order by game, n"
    assert table(kept, sql) == counted.busts


def test_columns_are_as_documented(kept: Path) -> None:
    with open_archive(kept) as con:
        for name, columns in {**COLUMNS, **VIEW_COLUMNS}.items():
            found = con.execute(
                "select column_name, data_type, comment from duckdb_columns() "
                "where table_name = ? order by column_index",
                [name],
            ).fetchall()
            assert found == [tuple(column) for column in columns], name


def test_the_published_schema() -> None:
    """``tenlog query --schema > schemas/archive.sql``"""
    assert (ROOT / "schemas" / "archive.sql").read_text() == ddl()
    import duckdb

    con = duckdb.connect()
    con.execute(ddl())
    assert con.execute("select count(*) from states").fetchall() == [(0,)]


def mean(values: Iterable[float | None]) -> float:
    told = [value for value in values if value is not None]
    return sum(told) / len(told)


def error(values: list[float]) -> float:
    middle = mean(values)
    deviation = math.sqrt(sum((x - middle) ** 2 for x in values) / (len(values) - 1))
    return 1.959963984540054 * deviation / math.sqrt(len(values))


def wilson(hits: float, n: int) -> tuple[float, float]:
    """The two roots of (p − hits/n)² = z² p (1 − p) / n."""
    z2, share = 1.959963984540054**2, hits / n
    a, b, c = 1 + z2 / n, -(2 * share + z2 / n), share * share
    root = math.sqrt(max(b * b - 4 * a * c, 0))
    return (-b - root) / (2 * a), (-b + root) / (2 * a)


def rows_of(kept: Path, name: str) -> list[dict[str, Any]]:
    return run_report(kept, name).rows


def grouped(rows: list[dict[str, Any]], *keys: str) -> dict[tuple[Any, ...], list[dict[str, Any]]]:
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        groups[tuple(row[key] for key in keys)].append(row)
    return dict(sorted(groups.items()))


def near(found: Any, due: float | None) -> None:
    assert float(found) == pytest.approx(due, abs=1e-9)


def test_report_seats(kept: Path, counted: Counted) -> None:
    groups = grouped(counted.seats, "players", "seat")
    rows = rows_of(kept, "seats")
    assert [(row["players"], row["seat"]) for row in rows] == list(groups)
    together: dict[int, float] = defaultdict(float)
    for row, group in zip(rows, groups.values(), strict=True):
        wins = sum(one["won"] for one in group)
        low, high = wilson(wins, len(group))
        near(row["win_rate"], wins / len(group))
        together[row["players"]] += row["win_rate"]
        near(row["win_low"], low)
        near(row["win_high"], high)
        scores = [float(one["score"]) for one in group]
        near(row["score"], mean(scores))
        if len(scores) > 1:
            near(row["score_high"], mean(scores) + error(scores))
    assert any(0 < one["won"] < 1 for one in counted.seats)  # a shared victory counts in part
    assert [*together.values()] == pytest.approx([1] * len(together))


def test_report_bots(kept: Path, counted: Counted) -> None:
    groups = grouped([one for one in counted.seats if one["players"] > 1], "bot")
    rows = rows_of(kept, "bots")
    assert {(row["bot"],) for row in rows} == set(groups)
    for row in rows:
        group = groups[(row["bot"],)]
        assert row["seats"] == len(group)
        for column in ("score", "tokens", "busts", "cards"):
            near(row[column], mean(one[column] for one in group))
    assert [row["win_rate"] for row in rows] == sorted((r["win_rate"] for r in rows), reverse=True)


def test_reports_of_whole_games(kept: Path, counted: Counted) -> None:
    groups = grouped(counted.games, "players")
    for row in rows_of(kept, "games"):
        group = groups.pop((row["players"],))
        assert row["games"] == len(group)
        for column, of in (("turns", "turns"), ("events", "events"), ("winning_score", "score")):
            near(row[column], mean(one[of] for one in group))
        near(row["shared"], mean(one["shared"] for one in group))
        if row["players"] > 1:
            near(row["margin"], mean(one["margin"] for one in group))
    assert not groups
    seats = grouped(counted.seats, "players", "ruleset")
    for row in rows_of(kept, "rulesets"):
        sat = seats.pop((row["players"], row["ruleset"]))
        assert row["games"] == len({one["game"] for one in sat})
        near(row["score"], mean(one["score"] for one in sat))
    assert not seats
    ties = Counter((one["players"], one["decided"]) for one in counted.games)
    found = {(row["players"], row["decided_by"]): row["games"] for row in rows_of(kept, "ties")}
    assert found == ties


def test_report_scores_and_runs(kept: Path, counted: Counted) -> None:
    scores = Counter(one["score"] for one in counted.seats)
    found = rows_of(kept, "scores")
    assert [(row["score"], row["seats"]) for row in found] == sorted(scores.items())
    near(sum(row["share"] for row in found), 1)
    runs = Counter(points for one in counted.seats for points in one["colours"])
    assert {row["points"]: row["colours"] for row in rows_of(kept, "runs")} == runs


def test_report_draws_and_busts(kept: Path, counted: Counted) -> None:
    draws = Counter(row[3] for row in counted.turns)
    found = rows_of(kept, "draws")
    assert {row["draws"]: row["turns"] for row in found} == draws
    for row in found:
        ended = [turn[6] for turn in counted.turns if turn[3] == row["draws"]]
        near(row["bust_numbers"], mean(end == "bust by numbers" for end in ended))
        near(row["currency"], mean(end == "currency" for end in ended))
        near(row["nothing"], mean(end == "nothing" for end in ended))
        ends = ("numbers", "currency", "bust_numbers", "bust_currency", "nothing")
        near(sum(row[end] for end in ends), 1)
    assert any(row["nothing"] for row in found)
    totals: dict[int, list[str | None]] = defaultdict(list)
    for total, cause in counted.decisions:
        totals[total].append(cause)
    busts = rows_of(kept, "busts")
    assert {row["total"]: row["draws"] for row in busts} == {
        total: len(causes) for total, causes in totals.items()
    }
    for row in busts:
        causes = totals[row["total"]]
        near(row["bust_rate"], mean(cause is not None for cause in causes))
        near(row["by_currency"], mean(cause == "currency" for cause in causes))


def test_report_auctions_and_market(kept: Path, counted: Counted) -> None:
    turns = {one["game"]: one["turns"] for one in counted.games}
    groups: dict[tuple[int, str], list[tuple[Any, ...]]] = defaultdict(list)
    for row in counted.auctions:
        kind = "full" if row[5] == "WW" else "number" if row[5][0] == "W" else "colour"
        phase = min(1 + 3 * (row[3] - 1) // turns[row[0]], 3)
        groups[phase, kind].append(row)
    for found in rows_of(kept, "auctions"):
        group = groups.pop((found["phase"], found["kind"]))
        assert found["auctions"] == len(group)
        near(found["sold"], mean(row[7] is not None for row in group))
        if any(row[7] is not None for row in group):
            near(found["price"], mean(row[7] for row in group))
            sold = [row for row in group if row[8] is not None]
            near(found["to_drawer"], mean(row[8] == row[4] for row in sold))
    assert not groups
    bought = Counter(VALUE[KIND[row[4]]] for row in counted.purchases)
    assert all(KIND[row[4]] < NUMBERS_END for row in counted.purchases)
    market = rows_of(kept, "market")
    assert {row["number"]: row["bought"] for row in market} == bought
    for number in market:
        paid = [one for one in counted.purchases if VALUE[KIND[one[4]]] == number["number"]]
        near(number["final"], mean(one[9] for one in paid))
        near(number["cards"], mean(len(one[8]) for one in paid))


@pytest.mark.parametrize("name", NAMES)
def test_every_report_prints(kept: Path, name: str) -> None:
    report = find_report(name)
    assert len(report.title) <= 69
    with open_archive(kept) as con:
        columns = [str(column[0]) for column in con.execute(report.sql).description or ()]
    assert report.picture.value in columns
    assert report.picture.label in columns


def test_the_report_command(kept: Path) -> None:
    shown = run_cli("report", "seats", "--archive", kept)
    assert shown.returncode == 0, shown.stderr
    assert "±" in shown.stdout.decode()
    plain = run_cli("report", "busts", "--archive", kept, env={"PYTHONIOENCODING": "ascii"})
    assert plain.returncode == 0, plain.stderr
    assert b"#" in plain.stdout
    sql = run_cli("report", "busts", "--sql")
    assert sql.stdout.decode() == find_report("busts").sql
    again = run_cli("query", "--archive", kept, "--format", "json", stdin=sql.stdout)
    assert again.returncode == 0, again.stderr
    wrong = run_cli("report", "weather")
    assert (wrong.returncode, wrong.stdout) == (2, b"")
    assert run_cli("report").stdout.count(b"\n") == len(NAMES)


def test_start_events_are_in_turn_zero(kept: Path) -> None:
    found = table(kept, "select distinct type, n from events where turn = 0")
    assert found == [(GameStarted.__name__, 0)]
