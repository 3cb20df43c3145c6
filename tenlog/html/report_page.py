"""The page of many games: reports with pictures, numbers and SQL, and the run's manifest."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

import msgspec

from tenlog import __version__
from tenlog.errors import TenlogError, extra_hint
from tenlog.html.page import asset, environment, render
from tenlog.html.plots import HATCH, WIDTH, Chart, describe_chart, drawing, escape, key
from tenlog.html.words import plain

Cell = str | int | float | bool | None

_NAME: Final = re.compile(r"[a-z][a-z0-9-]{0,40}\Z")


class PngExtraMissing(TenlogError):
    """What turns SVG into PNG (the extra ``png``) is not installed."""


class ReportSection(msgspec.Struct, frozen=True):
    """One named report.

    Attributes:
        name: ``[a-z][a-z0-9-]*``: its place on the page and the name of its files.
        title: the question that it answers.
        text: what to know about the numbers, by paragraph.
        columns: headings of the table.
        rows: the table, cell by cell.
        sql: what was asked of the archive.
        chart: its picture, or None.
    """

    name: str
    title: str
    text: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    sql: str
    chart: Chart | None = None


def render_report(
    sections: Sequence[ReportSection],
    *,
    title: str = "TEN: what many games say",
    intro: str = "",
    manifest: Mapping[str, str] | None = None,
) -> str:
    """One self-contained HTML page of reports. ``manifest``: what the run was, label by label.

    Raises:
        HtmlExtraMissing: the template engine is not installed.
        ValueError: two sections have the same name, or one has a name that is none.
    """
    environment()
    names = [section.name for section in sections]
    if len({*names}) < len(names) or not all(map(_NAME.match, names)):
        raise ValueError(f"names of sections must differ and match {_NAME.pattern}: {names}")
    from markupsafe import Markup

    return render(
        "report.html.jinja",
        style="report.css",
        extra=("chart.css",),
        script=None,
        data=None,
        version=__version__,
        title=plain(title),
        intro=plain(intro, 1000),
        hatch=Markup(HATCH),
        sections=[_shown(section) for section in sections],
        manifest=[(plain(k), plain(v, 600)) for k, v in (manifest or {}).items()],
    )


def _shown(section: ReportSection) -> dict[str, Any]:
    chart = section.chart
    return {
        "name": section.name,
        "title": plain(section.title),
        "text": [plain(paragraph, 1000) for paragraph in section.text],
        "columns": [plain(column) for column in section.columns],
        "rows": [[_cell(value) for value in row] for row in section.rows],
        "sql": "\n".join([plain(line, 2000) for line in section.sql.strip().splitlines()]),
        "chart": None if chart is None else _chart(chart),
    }


def _chart(chart: Chart) -> dict[str, Any]:
    from markupsafe import Markup

    drawn, height = drawing(chart)
    legend = [(Markup(key(chart, i)), plain(s.name)) for i, s in enumerate(chart.series)]
    return {
        "kind": chart.kind,
        "drawn": Markup(drawn),
        "height": height,
        "alt": describe_chart(chart),
        "caption": _caption(chart),
        "legend": legend if len(legend) > 1 or legend[0][1] else [],
    }


def _caption(chart: Chart) -> str:
    level = f" ({chart.level})" if chart.level else ""
    return plain(f"{chart.y} by {chart.x}{level}", 300)


def _cell(value: Cell) -> tuple[str, bool]:
    """A cell's text, and whether it is a number."""
    if value is None:
        return "–", True
    if isinstance(value, bool):
        return "yes" if value else "no", False
    if isinstance(value, int):
        return f"{value:,}", True
    if isinstance(value, float):
        return f"{value:,.4g}" if abs(value) < 1e4 else f"{value:,.0f}", True
    return plain(value), False


@cache
def _file_css() -> str:
    """The styles of a chart for programs that know no CSS variables: the light colours set in."""
    colours = dict(re.findall(r"--([\w-]+): ([^;]+);", asset("base.css").partition("}")[0]))
    css = re.sub(r"var\(--([\w-]+)\)", lambda found: colours[found[1]], asset("chart.css"))
    return css + "text { font-family: 'DejaVu Sans', Arial, Helvetica, sans-serif; }\n"


def svg_file(section: ReportSection) -> str:
    """The picture of a report as an SVG file of its own, for papers.

    Raises:
        ValueError: the report has no chart.
    """
    chart = section.chart
    if chart is None:
        raise ValueError(f"report {section.name} has no chart")
    drawn, height = drawing(chart, WIDTH)
    named = [series for series in chart.series if series.name]
    left = 20 if chart.kind == "rows" else 60
    foot = 66 + height + 34
    total = foot + (20 * len(named) if named else 0)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH + 100}" height="{total}" '
        f'viewBox="0 0 {WIDTH + 100} {total}" role="img">',
        f"<title>{escape(section.title, 200)}</title>",
        f"<desc>{escape(describe_chart(chart), 400)}</desc>",
        f"<style>{_file_css()}</style><defs>{HATCH}</defs>",
        '<rect width="100%" height="100%" fill="#ffffff"/>',
        f'<text x="20" y="26" font-size="15" font-weight="bold">{escape(section.title)}</text>',
        f'<text x="20" y="45" font-size="12" fill="#565c66">{escape(_caption(chart), 100)}</text>',
        f'<g class="plotted" transform="translate({left} 66)">{drawn}</g>',
    ]
    for i, series in enumerate(named):
        y = foot + 20 * i
        parts.append(f'<g transform="translate({left} {y})">{key(chart, i)}</g>')
        name = escape(series.name)
        parts.append(f'<text x="{left + 30}" y="{y + 10}" font-size="12">{name}</text>')
    parts.append("</svg>\n")
    return "".join(parts)


def png_file(section: ReportSection, zoom: int = 2) -> bytes:
    """The picture of a report as PNG, ``zoom`` times 700 pixels wide.

    Raises:
        PngExtraMissing: what draws it is not installed; the message says how to get it.
        ValueError: the report has no chart.
    """
    try:
        import resvg_py
    except ImportError:
        raise PngExtraMissing(f"a PNG file {extra_hint('png')}") from None
    return bytes(resvg_py.svg_to_bytes(svg_string=svg_file(section), zoom=zoom))
