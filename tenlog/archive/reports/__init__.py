"""The questions that a designer asks, each a file of SQL that can be printed and asked by hand.

A file begins with comments: the first line is its title, the others explain, and ``picture:`` says
which column is drawn by which (``bar VALUE by LABEL within GROUP``). A column ``x_low`` and
``x_high`` is the 95 % confidence interval of a mean (normal) or of a share (Wilson).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import msgspec

from tenlog.archive.formats import plain_value
from tenlog.errors import QueryError

NAMES: Final = (
    "games", "seats", "bots", "rulesets", "scores", "runs", "ties",
    "draws", "busts", "auctions", "market",
)  # fmt: skip

_PICTURE = re.compile(r"-- picture: bar (\w+) by (\w+)(?: within (\w+))?\s*$")

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
    """A question: its name, its title, what more there is to say, its SQL and its picture."""

    name: str
    title: str
    notes: str
    sql: str
    picture: Picture


class ReportAnswer(msgspec.Struct, frozen=True):
    """The answer to a report: its name, its title, and its rows as column → value."""

    report: str
    title: str
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
def find_report(name: str) -> Report:
    """A report by its name.

    Raises:
        QueryError: there is none of this name.
    """
    if name not in NAMES:
        raise QueryError(f"no report {name!r}: there are {', '.join(NAMES)}")
    sql = files(__name__).joinpath(f"{name}.sql").read_text(encoding="utf-8")
    head = []
    picture = None
    for line in sql.splitlines():
        if not line.startswith("-- "):
            break
        if found := _PICTURE.match(line):
            picture = Picture(found[1], found[2], found[3])
        else:
            head.append(line.removeprefix("-- "))
    assert picture is not None
    return Report(name, head[0], " ".join(head[1:]), sql, picture)


def run_report(
    root: str | Path, name: str, *, memory: str | None = None, threads: int | None = None
) -> ReportAnswer:
    """The answer to a report.

    Raises:
        QueryError: there is no such report, or it needs more memory.
        ArchiveError: the archive is not there or can't be read.
    """
    from tenlog.archive.ask import ask

    report = find_report(name)
    with ask(root, report.sql, memory=memory, threads=threads) as answer:
        rows = [
            dict(zip(answer.columns, map(plain_value, row), strict=True))
            for batch in answer.batches()
            for row in batch
        ]
        return ReportAnswer(name, report.title, answer.columns, rows)
