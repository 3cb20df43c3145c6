"""``tenlog report``: what a designer asks of many games."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tenlog.errors import SetupError
from tenlog_cli.asked import JsonOption
from tenlog_cli.output import print_json
from tenlog_cli.shelf import (
    ArchiveOption,
    MemoryOption,
    ThreadsOption,
    archive_path,
    say,
)

if TYPE_CHECKING:
    from tenlog.archive.reports.only import Only


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
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace pages and pictures that are there.")
    ] = False,
    ruleset: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only games of this ruleset; again for more."),
    ] = None,
    players: Annotated[
        str | None,
        typer.Option(metavar="LIST", help="Only games of so many players: 4, 2..5 or 2,4."),
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
    from tenlog_cli.report_table import show_answer

    only = _only(ruleset, players)
    written = html is not None or svg is not None or png is not None
    if written + sql + as_json > 1:
        raise SetupError("choose one of --sql, --json, and files (--html, --svg, --png)")
    if run is not None and html is None:
        raise SetupError("--run is told on a page: give --html FILE too")
    if overwrite and not written:
        raise SetupError("--overwrite replaces files: give --html, --svg or --png too")
    if written:
        names = NAMES if name is None else (find_report(name).name,)
        if not overwrite:  # told before anything is asked, which may take long
            _refuse_to_replace(names, html, svg, png)
        _publish(names, only, archive_path(archive), html, svg, png, run, memory, threads)
        return
    if name is None:
        if sql or only:
            raise SetupError("say which report: " + ", ".join(NAMES))
        reports = [find_report(each) for each in NAMES]
        if as_json:
            print_json({each.name: each.title for each in reports})
            return
        for each in reports:
            say(f"{each.name:<10}{each.title}")
        return
    found = find_report(name, only)
    if sql:
        sys.stdout.write(found.sql)
        return
    answer = run_report(archive_path(archive), name, only, memory=memory, threads=threads)
    if as_json:
        print_json(answer)
        return
    show_answer(found, answer, picture)


def _only(rulesets: list[str] | None, players: str | None) -> Only:
    """The games that are meant."""
    from tenlog.archive.reports.only import Only
    from tenlog.simulate.plan import parse_players

    return Only(tuple(rulesets or ()), () if players is None else parse_players(players))


def _refuse_to_replace(
    names: Sequence[str], html: str | None, svg: Path | None, png: Path | None
) -> None:
    """That nothing is there yet of what is going to be written."""
    from tenlog_cli.html import refuse_to_replace

    if html is not None and html != "-":
        refuse_to_replace(Path(html))
    for folder, form in ((svg, "svg"), (png, "png")):
        if folder is not None:
            refuse_to_replace(*[folder / f"{name}.{form}" for name in names])


def _publish(
    names: Sequence[str],
    only: Only,
    archive: Path,
    html: str | None,
    svg: Path | None,
    png: Path | None,
    run: Path | None,
    memory: str | None,
    threads: int | None,
) -> None:
    """Reports as a page and as pictures."""
    from tenlog.archive.reports import find_report, run_reports
    from tenlog.html.from_reports import section_of
    from tenlog.html.report_page import render_report
    from tenlog_cli.html import write_page, write_pictures
    from tenlog_cli.output import note

    manifest = {"archive": archive.name, **({} if run is None else _told(run))}
    answers = run_reports(archive, names, only, memory=memory, threads=threads)
    sections = [
        section_of(find_report(answer.report, only), answer) for answer in answers if answer.rows
    ]
    if not sections:
        note(f"tenlog: no games in {archive} that tell")
        raise typer.Exit(1)
    if html is not None:
        intro = f"Only games {only}." if only else ""
        write_page(html, render_report(sections, intro=intro, manifest=manifest))
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
