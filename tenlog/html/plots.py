"""Charts of reports: columns, rows or lines, with intervals; as part of a page, or files of SVG.

One drawing serves both: a *pen* knows whether places across are per cent (a page, which may be
narrow) or pixels (a file). Every chart also says what it shows in words, and has its table beside
it; series differ in pattern and mark, not in colour alone.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Final, Literal

import msgspec

from tenlog.html.chart import number, percent, ticks, tidy
from tenlog.html.words import plain

HEIGHT: Final = 230  # of the plot, in pixels
WIDTH: Final = 600  # of the plot in a file
ROW: Final = 34  # of a row of a ``rows`` chart
SERIES: Final = 5  # looks that can be told apart

_Scale = Callable[[float], float]  # a value's place down the plot, in pixels


class Point(msgspec.Struct, frozen=True):
    """A value at a place: ``x`` is a number, or the name of a category. ``low`` and ``high`` are
    the ends of its interval, if it has one."""

    x: float | str
    y: float
    low: float | None = None
    high: float | None = None


class Series(msgspec.Struct, frozen=True):
    """Points of one kind, in order. ``name`` may be empty if there is only one series."""

    name: str
    points: tuple[Point, ...]


class Chart(msgspec.Struct, frozen=True):
    """What to draw.

    Attributes:
        kind: ``columns`` (upright, from 0), ``rows`` (one below the other, for long names), or
            ``line`` (places are numbers).
        x: what the places are, with the unit.
        y: what the values are, with the unit.
        series: at least one, with at least one point; at most five.
        level: what the intervals are, as in ``95 % interval``; empty if there are none.
        base: a value to compare with, drawn as a line, or None.
    """

    kind: Literal["columns", "rows", "line"]
    x: str
    y: str
    series: tuple[Series, ...]
    level: str = ""
    base: float | None = None


class _Pen:
    """Places across a plot; ``wide`` is its width in pixels, or None for per cent of a page."""

    def __init__(self, wide: int | None) -> None:
        self.wide = wide

    def x(self, part: float) -> str:
        return percent(part, 1) if self.wide is None else number(part * self.wide)

    def at(self, part: float, y: float, drawn: str) -> str:
        """Something drawn in pixels around a place."""
        if self.wide is None:
            x = percent(part, 1)
            return f'<svg x="{x}" y="{number(y)}" overflow="visible">{drawn}</svg>'
        return f'<g transform="translate({number(part * self.wide)} {number(y)})">{drawn}</g>'

    def line(self, cls: str, x1: float, y1: float, x2: float, y2: float) -> str:
        return (
            f'<line class="{cls}" x1="{self.x(x1)}" y1="{number(y1)}" '
            f'x2="{self.x(x2)}" y2="{number(y2)}"/>'
        )


MARKS: Final = (
    '<circle r="3.6"/>',
    '<path d="M-3.4-3.4H3.4V3.4H-3.4Z"/>',
    '<path d="M0-4.6L4.4 3.4H-4.4Z"/>',
    '<path d="M0-4.8L4.8 0L0 4.8L-4.8 0Z"/>',
    '<path d="M0 4.6L4.4-3.4H-4.4Z"/>',
)


def escape(text: str, most: int = 80) -> str:
    """A text for SVG."""
    text = plain(text, most).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace('"', "&quot;")


def describe_chart(chart: Chart) -> str:
    """What a chart shows, in a sentence."""
    count = sum(len(series.points) for series in chart.series)
    values = [point.y for series in chart.series for point in series.points]
    low, high = tidy(round(min(values), 4)), tidy(round(max(values), 4))
    level = f", with {chart.level}" if chart.level else ""
    return plain(f"{chart.y} by {chart.x}{level}: {count} values from {low} to {high}", 300)


def drawing(chart: Chart, wide: int | None = None) -> tuple[str, int]:
    """The inside of a plot and its height in pixels; ``wide`` as for the pen."""
    pen = _Pen(wide)
    if chart.kind == "rows":
        return _rows(chart, pen)
    return _upright(chart, pen), HEIGHT


def _reach(chart: Chart, from_zero: bool) -> list[float]:
    """The ticks of the axis of values."""
    ends = [0.0] if from_zero else []
    if chart.base is not None:
        ends.append(chart.base)
    for series in chart.series:
        for point in series.points:
            ends += [point.y, point.y if point.low is None else point.low]
            ends.append(point.y if point.high is None else point.high)
    return ticks(min(ends), max(ends))


def _look(chart: Chart, i: int) -> str:
    return f"s{i % SERIES}" if len(chart.series) > 1 else "s0"


def _upright(chart: Chart, pen: _Pen) -> str:
    marks = _reach(chart, chart.kind == "columns")
    low, high = marks[0], marks[-1]

    def y(value: float) -> float:
        return HEIGHT - HEIGHT * (value - low) / (high - low)

    parts = []
    for mark in marks:
        parts.append(pen.line("axis" if mark == 0 else "grid", 0, y(mark), 1, y(mark)))
        parts.append(f'<text class="tick" x="-7" y="{number(y(mark))}" dy="4">{mark:,}</text>')
    if chart.base is not None:
        parts.append(pen.line("base", 0, y(chart.base), 1, y(chart.base)))
    xs = list(dict.fromkeys(point.x for series in chart.series for point in series.points))
    if chart.kind == "columns":
        places = {x: (i + 0.5) / len(xs) for i, x in enumerate(xs)}
        labelled = xs[:: -(-len(xs) // 12)]
        bottom = [(places[x], _named(x)) for x in labelled]
        parts += _columns(chart, pen, places, y)
    else:
        values = [x for x in xs if not isinstance(x, str)]
        across = ticks(min(values), max(values), 6)
        left, right = across[0], across[-1]
        spots = {x: (x - left) / (right - left) for x in values}
        bottom = [((x - left) / (right - left), _named(x)) for x in across]
        parts += _lines(chart, pen, spots, y)
    for part, text in bottom:
        parts.append(
            f'<text class="under" x="{pen.x(part)}" y="{HEIGHT}" dy="17">{escape(text, 14)}</text>'
        )
    return "".join(parts)


def _named(x: float | str) -> str:
    return x if isinstance(x, str) else f"{tidy(round(x, 6)):,}"


def _columns(chart: Chart, pen: _Pen, places: dict[float | str, float], y: _Scale) -> list[str]:
    parts: list[str] = []
    slot = 1 / len(places)
    width = slot * 0.72 / len(chart.series)
    for i, series in enumerate(chart.series):
        for point in series.points:
            middle = places[point.x] + width * (i - (len(chart.series) - 1) / 2)
            top, foot = sorted((y(point.y), y(0)))
            parts.append(
                f'<rect class="col {_look(chart, i)}" x="{pen.x(middle - width * 0.46)}" '
                f'y="{number(top)}" width="{pen.x(width * 0.92)}" '
                f'height="{number(max(foot - top, 0.5))}"/>'
            )
            parts.append(_interval(pen, middle, point, y))
    return parts


def _lines(chart: Chart, pen: _Pen, places: dict[float, float], y: _Scale) -> list[str]:
    parts: list[str] = []
    for i, series in enumerate(chart.series):
        look = _look(chart, i)
        spots = [(places[p.x], p) for p in series.points if not isinstance(p.x, str)]
        for (a, before), (b, after) in pairwise(spots):
            parts.append(pen.line(f"run {look}", a, y(before.y), b, y(after.y)))
        for part, point in spots:
            parts.append(_interval(pen, part, point, y))
            mark = MARKS[i % SERIES]
            parts.append(pen.at(part, y(point.y), f'<g class="mark {look}">{mark}</g>'))
    return parts


def _interval(pen: _Pen, part: float, point: Point, y: _Scale) -> str:
    if point.low is None or point.high is None:
        return ""
    down = y(point.low) - y(point.high)
    path = f'<path class="bar" d="M-4 0H4M0 0V{number(down)}M-4 {number(down)}H4"/>'
    return pen.at(part, y(point.high), path)


def _rows(chart: Chart, pen: _Pen) -> tuple[str, int]:
    marks = _reach(chart, False)
    low, high = marks[0], marks[-1]
    xs = list(dict.fromkeys(point.x for series in chart.series for point in series.points))
    step = 14 * len(chart.series) + ROW - 14
    height = step * len(xs) + 8

    def part(value: float) -> float:
        return (value - low) / (high - low)

    parts = []
    for mark in marks:
        parts.append(pen.line("grid", part(mark), 0, part(mark), height))
        across = pen.x(part(mark))
        parts.append(f'<text class="under" x="{across}" y="{height}" dy="17">{mark:,}</text>')
    if chart.base is not None:
        parts.append(pen.line("base", part(chart.base), 0, part(chart.base), height))
    for row, x in enumerate(xs):
        top = step * row + 14
        parts.append(f'<text class="row" x="0" y="{top}">{escape(_named(x), 60)}</text>')
        for i, series in enumerate(chart.series):
            level = top + 11 + 14 * i
            for point in series.points:
                if point.x != x:
                    continue
                if point.low is not None and point.high is not None:
                    a, b = part(point.low), part(point.high)
                    parts.append(pen.line("bar", a, level, b, level))
                    parts += [pen.line("bar", at, level - 4, at, level + 4) for at in (a, b)]
                dot = f'<g class="mark {_look(chart, i)}">{MARKS[i % SERIES]}</g>'
                parts.append(pen.at(part(point.y), level, dot))
    return "".join(parts), height


def key(chart: Chart, i: int) -> str:
    """A sample of a series for the legend, 22 by 12 pixels."""
    look = _look(chart, i)
    if chart.kind == "columns":
        return f'<rect class="col {look}" x="1" y="0" width="20" height="12"/>'
    line = (
        f'<line class="run {look}" x1="0" x2="22" y1="6" y2="6"/>' if chart.kind == "line" else ""
    )
    return f'{line}<g transform="translate(11 6)" class="mark {look}">{MARKS[i % SERIES]}</g>'


HATCH: Final = (
    '<pattern id="hatch2" width="6" height="6" patternUnits="userSpaceOnUse" '
    'patternTransform="rotate(45)"><path class="h2" d="M0 0V6"/></pattern>'
    '<pattern id="hatch3" width="6" height="6" patternUnits="userSpaceOnUse" '
    'patternTransform="rotate(-45)"><path class="h3" d="M0 0V6"/></pattern>'
    '<pattern id="hatch4" width="5" height="5" patternUnits="userSpaceOnUse">'
    '<circle class="h4" cx="2.5" cy="2.5" r="1.4"/></pattern>'
)
