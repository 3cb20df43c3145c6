"""The questions that a designer asks, each a file of SQL that can be printed and asked by hand.

A file begins with comments: the first line is its title, the others explain, ``picture:`` says
which column is drawn by which (``bar VALUE by LABEL within GROUP``), and ``games:`` which games it
counts, if not all, as a condition on their rows. A column ``x_low`` and ``x_high`` is the 95 %
confidence interval of a mean (normal) or of a share (Wilson).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from tenlog.archive.engine import rows
from tenlog.archive.formats import plain_value
from tenlog.archive.reports.only import Only
from tenlog.errors import QueryError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_ALL: Final = Only()

NAMES: Final = (
    "games", "seats", "bots", "rulesets", "scores", "runs", "ties",
    "draws", "busts", "auctions", "market",
)  # fmt: skip

_PICTURE = re.compile(r"-- picture: bar (\w+) by (\w+)(?: within (\w+))?\s*$")
_GAMES = re.compile(r"-- games: (.+)$")

# The 97.5 % quantile of the normal distribution.
_Z: Final = 1.959963984540054

_MACROS: Final = {
    # Where several seats (or draws, or sales) of a game count, the game is the sample: its total
    # and its number of seats. ``rate`` is the sum of totals by that of seats, the others are sums
    # over the samples. First the sum of (total - rate * seats)²; games in which there was nothing
    # to be counted add nothing to it.
    "spread": (
        "rate, totals_2, products, seats_2",
        "greatest(0, totals_2 - 2 * rate * products + rate * rate * seats_2)",
    ),
    # From it the deviation of the rate, as if each sample were one of its values.
    "ratio_deviation": ("spread, n, seats", "sqrt(n * n * spread / nullif(n - 1, 0)) / seats"),
    # How many seats that don't depend on each other would make a share vary as it does.
    "alone": (
        "rate, deviation, n, seats",
        "case when seats = n then n when n < 2 then null when rate in (0, 1) then n"
        " when deviation ** 2 < 1e-12 then 1e12"
        " else rate * (1 - rate) * n / deviation ** 2 end",
    ),
    # A victory in 2520 parts, so that one shared by up to ten stays a whole number: then the order
    # of adding up can't change a figure.
    "victory": ("won, winners", "won::INTEGER * 2520 // len(winners)"),
    "mean_error": ("deviation, n", "{z} * deviation / sqrt(n)"),
    # DuckDB's greatest and least leave out what is null: the interval of one sample is none.
    "wilson_low": (
        "hits, n",
        "case when n > 0 then greatest(0, (hits + {z2} / 2"
        " - {z} * sqrt(hits * (n - hits) / n + {z2} / 4)) / (n + {z2})) end",
    ),
    "wilson_high": (
        "hits, n",
        "case when n > 0 then least(1, (hits + {z2} / 2"
        " + {z} * sqrt(hits * (n - hits) / n + {z2} / 4)) / (n + {z2})) end",
    ),
}


def macro_statements() -> list[str]:
    """What the reports call besides DuckDB's own functions: intervals at 95 %."""
    return [
        f"create macro {name}({arguments}) as {body.format(z=_Z, z2=_Z * _Z)};"
        for name, (arguments, body) in _MACROS.items()
    ]


class Picture(msgspec.Struct, frozen=True):
    """What a picture of a report shows: a bar for each row."""

    value: str
    label: str
    group: str | None


class Report(msgspec.Struct, frozen=True):
    """A question: its name, its title, what more there is to say, its SQL, its picture, and which
    games it counts, as SQL."""

    name: str
    title: str
    notes: str
    sql: str
    picture: Picture
    games: str


class ReportAnswer(msgspec.Struct, frozen=True):
    """The answer to a report.

    Attributes:
        report: its name.
        title: the question.
        notes: what its columns mean.
        rulesets: those of the games that were counted.
        players: the numbers of players of these games.
        columns: the columns, in their order.
        rows: column → value.
    """

    report: str
    title: str
    notes: str
    rulesets: list[str]
    players: list[int]
    columns: list[str]
    rows: list[dict[str, Any]]


def intervals(columns: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Which columns of an answer are the bounds of which: column → (low, high). Bounds belong to
    the column of their name, or to the first whose name begins so.

    >>> intervals(["win_rate", "win_low", "win_high"])
    {'win_rate': ('win_low', 'win_high')}
    """
    found = {}
    for low in columns:
        if low.endswith("_low"):
            bound = low.removesuffix("_low")
            owner = (
                bound
                if bound in columns
                else next(c for c in columns if c.startswith(bound) and c != low)
            )
            found[owner] = (low, f"{bound}_high")
    return found


@cache
def find_report(name: str, only: Only = _ALL) -> Report:
    """A report by its name, of some games.

    Raises:
        QueryError: there is none of this name.
    """
    if name not in NAMES:
        raise QueryError(f"no report {name!r}: there are {', '.join(NAMES)}")
    sql = files(__name__).joinpath(f"{name}.sql").read_text(encoding="utf-8")
    head = []
    picture = None
    games = "true"
    for line in sql.splitlines():
        if not line.startswith("-- "):
            break
        if found := _PICTURE.match(line):
            picture = Picture(found[1], found[2], found[3])
        elif found := _GAMES.match(line):
            games = found[1]
        else:
            head.append(line.removeprefix("-- "))
    assert picture is not None
    return Report(name, head[0], " ".join(head[1:]), only.narrow(sql), picture, games)


def run_report(
    root: str | Path,
    name: str,
    only: Only = _ALL,
    *,
    memory: str | None = None,
    threads: int | None = None,
) -> ReportAnswer:
    """The answer to a report, of some games. Errors are those of :func:`run_reports`."""
    return run_reports(root, (name,), only, memory=memory, threads=threads)[0]


def run_reports(
    root: str | Path,
    names: Sequence[str],
    only: Only = _ALL,
    *,
    memory: str | None = None,
    threads: int | None = None,
) -> list[ReportAnswer]:
    """The answers to some reports, all of one state of the archive.

    Raises:
        QueryError: there is no such report, there are no such games, or it needs more memory.
        ArchiveError: the archive is not there or can't be read.
    """
    from tenlog.archive.ask import session

    reports = [find_report(name, only) for name in names]
    with session(root, memory=memory, threads=threads) as con:
        if only:
            only.check(rows(con, "select distinct ruleset, players from games"), str(root))
        return [_answer(con, report, only) for report in reports]


def _answer(con: DuckDBPyConnection, report: Report, only: Only) -> ReportAnswer:
    kinds = rows(
        con,
        "select distinct ruleset, players from games "
        f"where {only.condition()} and {report.games} order by all",
    )
    found = con.execute(report.sql)
    columns = [str(column[0]) for column in found.description or ()]
    return ReportAnswer(
        report.name,
        report.title,
        report.notes,
        [*dict.fromkeys([ruleset for ruleset, _ in kinds])],
        sorted({players for _, players in kinds}),
        columns,
        [dict(zip(columns, map(plain_value, row), strict=True)) for row in found.fetchall()],
    )
