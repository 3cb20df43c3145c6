"""From an answer of the archive to a section of a report page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from tenlog.archive.reports import Report, ReportAnswer, intervals
from tenlog.archive.reports.only import pooled
from tenlog.html.plots import SERIES, Chart, Point, Series
from tenlog.html.report_page import ReportSection

_MANY = 12  # places from which on a line is easier to read than columns
_LONG = 8  # characters of a name that still fits below a column


def section_of(report: Report, answer: ReportAnswer) -> ReportSection:
    """The question, the answer as a table and as a picture, and the SQL."""
    together = pooled(answer.rulesets, answer.players, answer.columns)
    return ReportSection(
        report.name,
        report.title,
        tuple(filter(None, [together, report.notes])),
        tuple(answer.columns),
        tuple(tuple(row[column] for column in answer.columns) for row in answer.rows),
        report.sql,
        _chart(report, answer),
    )


def _chart(report: Report, answer: ReportAnswer) -> Chart | None:
    wanted = report.picture
    low, high = intervals(answer.columns).get(wanted.value, (None, None))
    groups: dict[str, list[Point]] = {}
    for row in answer.rows:
        if row[wanted.value] is None:
            continue
        name = "" if wanted.group is None else f"{wanted.group} {row[wanted.group]}"
        point = Point(
            _place(row[wanted.label]),
            float(row[wanted.value]),
            None if low is None or row[low] is None else float(row[low]),
            None if high is None or row[high] is None else float(row[high]),
        )
        groups.setdefault(name, []).append(point)
    if not groups or len(groups) > SERIES:
        return None
    places = [point.x for points in groups.values() for point in points]
    return Chart(
        _kind(places),
        wanted.label.replace("_", " "),
        wanted.value.replace("_", " "),
        tuple(Series(name, tuple(points)) for name, points in groups.items()),
        "" if low is None else "95 % interval",
    )


def _place(value: Any) -> float | str:
    return float(value) if isinstance(value, int | float) else str(value)


def _kind(places: Sequence[float | str]) -> Literal["columns", "rows", "line"]:
    if all(isinstance(place, float) for place in places):
        return "line" if len(set(places)) > _MANY else "columns"
    return "rows" if max(len(str(place)) for place in places) > _LONG else "columns"
