"""``tenlog report``: what a designer asks of many games."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tenlog_cli.asked import JsonOption
from tenlog_cli.output import ascii_only, on_terminal, print_json
from tenlog_cli.shelf import (
    ArchiveOption,
    MemoryOption,
    ThreadsOption,
    archive_path,
    bar,
    figure,
    say,
    show_table,
)

if TYPE_CHECKING:
    from tenlog.archive.reports import Report, ReportAnswer


def complete_report(incomplete: str) -> list[str]:
    """Reports by name."""
    from tenlog.archive.reports import NAMES

    return [name for name in NAMES if name.startswith(incomplete)]


def report(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[REPORT]",
            help="Which one; the list of all if left out.",
            autocompletion=complete_report,
        ),
    ] = None,
    sql: Annotated[
        bool, typer.Option("--sql", help="Print the SQL of the report, to be changed and asked.")
    ] = False,
    picture: Annotated[
        bool, typer.Option("--picture/--no-picture", help="Draw bars under the table.")
    ] = True,
    memory: MemoryOption = None,
    threads: ThreadsOption = None,
    archive: ArchiveOption = None,
    as_json: JsonOption = False,
) -> None:
    """Answer a question that a designer asks: seats, bots, busts, auctions and so on.

    A column x_low and x_high is the 95 % confidence interval of x.
    """
    from tenlog.archive.reports import NAMES, find_report, run_report

    if name is None:
        reports = [find_report(each) for each in NAMES]
        if as_json:
            print_json({each.name: each.title for each in reports})
            return
        for each in reports:
            say(f"{each.name:<10}{each.title}")
        return
    found = find_report(name)
    if sql:
        sys.stdout.write(found.sql)
        return
    answer = run_report(archive_path(archive), name, memory=memory, threads=threads)
    if as_json:
        print_json(answer)
        return
    _show(found, answer, picture)


def _show(found: Report, answer: ReportAnswer, picture: bool) -> None:
    say(found.title)
    if found.notes and on_terminal():
        say(found.notes)
    say("")
    if not answer.rows:
        say("No games in the archive that tell.")
        return
    columns, rows = _with_intervals(answer)
    right = [isinstance(answer.rows[0].get(column), int | float) for column in columns]
    show_table(columns, right, rows)
    if picture:
        _draw(found, answer.rows)


def _with_intervals(answer: ReportAnswer) -> tuple[list[str], list[list[str]]]:
    """The columns for people: an interval is shown behind what it is of."""
    bounds = [column.removesuffix("_low") for column in answer.columns if column.endswith("_low")]
    of = {bound: _owner(bound, answer.columns) for bound in bounds}
    hidden = {f"{bound}_{end}" for bound in bounds for end in ("low", "high")}
    columns = [column for column in answer.columns if column not in hidden]
    sign = "+-" if ascii_only() else "±"
    rows = []
    for row in answer.rows:
        cells = []
        for column in columns:
            text = figure(row[column])
            for bound in bounds:
                if of[bound] == column and row[f"{bound}_low"] is not None:
                    text += f" {sign}{(row[f'{bound}_high'] - row[f'{bound}_low']) / 2:.3f}"
            cells.append(text)
        rows.append(cells)
    return columns, rows


def _owner(bound: str, columns: Sequence[str]) -> str:
    """Which column an interval belongs to: the one of its name, or the first that begins so."""
    if bound in columns:
        return bound
    return next(column for column in columns if column.startswith(bound) and "_low" not in column)


def _draw(found: Report, rows: Sequence[dict[str, Any]]) -> None:
    wanted = found.picture
    most = max([float(row[wanted.value] or 0) for row in rows])
    if most <= 0:
        return
    labels = [str(row[wanted.label]) for row in rows]
    wide = max(map(len, labels))
    numbers = [figure(row[wanted.value]) for row in rows]
    figures = max(map(len, numbers))
    from tenlog_cli.paint import width

    room = max(10, width() - wide - figures - 4)
    group = None
    say("")
    say(f"{wanted.value} by {wanted.label}")
    for row, label, number in zip(rows, labels, numbers, strict=True):
        if wanted.group is not None and row[wanted.group] != group:
            group = row[wanted.group]
            say(f"{wanted.group} {group}")
        drawn = bar(float(row[wanted.value] or 0) / most, room)
        say(f"{label.rjust(wide)}  {number.rjust(figures)}  {drawn}".rstrip())
