"""``tenlog report``: what a designer asks of many games."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
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
    html: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write the reports with their pictures as one page."),
    ] = None,
    svg: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write the pictures as SVG files.")
    ] = None,
    png: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write the pictures as PNG files.")
    ] = None,
    run: Annotated[
        Path | None,
        typer.Option(metavar="run.json", help="The manifest of the run, to be told on the page."),
    ] = None,
    memory: MemoryOption = None,
    threads: ThreadsOption = None,
    archive: ArchiveOption = None,
    as_json: JsonOption = False,
) -> None:
    """Answer a question that a designer asks: seats, bots, busts, auctions and so on.

    A column x_low and x_high is the 95 % confidence interval of x.
    """
    from tenlog.archive.reports import NAMES, find_report, run_report

    if html is not None or svg is not None or png is not None:
        names = NAMES if name is None else (find_report(name).name,)
        _publish(names, archive_path(archive), html, svg, png, run, memory, threads)
        return
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


def _publish(
    names: Sequence[str],
    archive: Path,
    html: str | None,
    svg: Path | None,
    png: Path | None,
    run: Path | None,
    memory: str | None,
    threads: int | None,
) -> None:
    """Reports as a page and as pictures."""
    from tenlog.archive.reports import find_report, run_report
    from tenlog.html.from_reports import section_of
    from tenlog.html.report_page import render_report
    from tenlog_cli.html import write_page, write_pictures
    from tenlog_cli.output import note

    answers = [run_report(archive, name, memory=memory, threads=threads) for name in names]
    sections = [section_of(find_report(answer.report), answer) for answer in answers if answer.rows]
    if not sections:
        note(f"tenlog: no games in {archive} that tell")
        raise typer.Exit(1)
    if html is not None:
        manifest = {"archive": archive.name, **({} if run is None else _told(run))}
        write_page(html, render_report(sections, manifest=manifest))
    if svg is not None:
        write_pictures(svg, sections)
    if png is not None:
        write_pictures(png, sections, png=True)


def _told(path: Path) -> dict[str, str]:
    """A manifest, label by label."""
    import shlex

    from tenlog.simulate.manifest import read_manifest

    manifest = read_manifest(path)
    bots = ", ".join(f"{bot.spec} (version {bot.version})" for bot in manifest.bots)
    return {
        "command": shlex.join(manifest.command),
        "seed": manifest.plan.seed,
        "bots": bots,
        "games": f"{manifest.games:,}",
        "events": f"{manifest.events:,}",
        "digest": manifest.digest,
        "tenlog": manifest.tenlog,
        "python": manifest.python,
    }


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
    from tenlog.archive.reports import intervals

    bounds = intervals(answer.columns)
    hidden = {bound for pair in bounds.values() for bound in pair}
    columns = [column for column in answer.columns if column not in hidden]
    sign = "+-" if ascii_only() else "±"
    rows = []
    for row in answer.rows:
        cells = []
        for column in columns:
            text = figure(row[column])
            low, high = bounds.get(column, ("", ""))
            if low and row[low] is not None:
                half = (row[high] - row[low]) / 2
                digits = 4 if abs(row[column]) < 1 else 3
                text += f" {sign}{half:.{digits}f}" if half > 1e-5 else " no spread"
            cells.append(text)
        rows.append(cells)
    return columns, rows


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
