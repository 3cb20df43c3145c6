"""Charts as inline SVG, drawn here so that a page needs no library and no script for them.

Across, a chart is laid out in per cent of its width and down in pixels; so it fits a phone as it
fits a desk without its text getting small.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil, floor, log10
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markupsafe import Markup


def ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Round values (1, 2 or 5 times a power of ten apart) from at most ``low`` to at least
    ``high``, about ``most`` of them.

    >>> ticks(0, 23), ticks(0, 0), ticks(0.31, 0.38, 4)
    ([0, 5, 10, 15, 20, 25], [0, 1], [0.3, 0.32, 0.34, 0.36, 0.38])
    """
    span = high - low
    if span <= 1e-6:
        high, span = low + 1, 1
    rough = span / most
    power = 10.0 ** floor(log10(rough))
    step = next(power * k for k in (1, 2, 5, 10) if power * k >= rough * 0.999)
    if span >= 1 and float(low).is_integer() and float(high).is_integer():
        step = max(step, 1)
    first = floor(low / step + 1e-9)
    last = ceil(high / step - 1e-9)
    return [tidy(i * step) for i in range(first, last + 1)]


def tidy(value: float) -> float:
    """Without the dust of binary fractions; whole numbers as such."""
    value = round(value, 10)
    return int(value) if value == int(value) else value


def percent(part: float, whole: float) -> str:
    """A place across the chart.

    >>> percent(1, 3), percent(0, 0)
    ('33.333%', '0%')
    """
    return f"{tidy(round(100 * part / whole, 3)) if whole else 0}%"


def number(value: float) -> str:
    """A coordinate, as short as it can be."""
    return f"{tidy(round(value, 2))}"


def step_line(values: Sequence[int]) -> str:
    """The path of a value that holds until it changes: x in steps of 1, y upwards."""
    path = f"M0 {-values[0]}"
    last = values[0]
    for x, value in enumerate(values):
        if value != last:
            path += f"H{x}V{-value}"
            last = value
    return f"{path}H{len(values) - 1}"


def spread(places: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places moved apart to at least ``gap`` (as far as ``low`` to ``high`` has room), in order.

    >>> spread([10, 10, 50], 12, 0, 60)
    [4.0, 16.0, 50]
    """
    order = sorted(range(len(places)), key=lambda i: (places[i], i))
    gap = min(gap, (high - low) / max(1, len(places) - 1))
    groups: list[tuple[list[int], float]] = []  # members, where the first one stands
    for i in order:
        members, first = [i], places[i]
        while groups and groups[-1][1] + gap * len(groups[-1][0]) > first:
            members = groups.pop()[0] + members
            first = sum(places[k] for k in members) / len(members) - gap * (len(members) - 1) / 2
        groups.append((members, first))
    moved = [0.0] * len(places)
    least = low
    for members, first in groups:
        for k, member in enumerate(members):
            moved[member] = least = max(first + gap * k, least)
            least += gap
    most = high
    for member in reversed(order):
        moved[member] = most = min(moved[member], most)
        most -= gap
    return moved


def score_chart(points: Sequence[Sequence[int]], height: int = 150) -> Markup:
    """The score of every seat over the events: ``points[n][seat]``; decoration for people who see
    (the same numbers stand on the page as text)."""
    from markupsafe import Markup

    seats = len(points[0])
    marks = ticks(0, max(max(row) for row in points), 4)
    top = marks[-1]
    parts = [f'<svg class="chart scores" id="scores" height="{height}" aria-hidden="true">']
    for mark in marks:
        y = number(height - height * mark / top)
        parts.append(f'<line class="grid" x1="0" x2="100%" y1="{y}" y2="{y}"/>')
        parts.append(f'<text x="-6" y="{y}" dy="4" text-anchor="end">{mark}</text>')
    last = len(points) - 1
    view = f'viewBox="0 {-top} {max(last, 1)} {top}" preserveAspectRatio="none"'
    for seat in range(seats):
        # Lines that run together stand beside each other.
        y = number((seat - (seats - 1) / 2) * 1.5)
        path = step_line([row[seat] for row in points])
        parts.append(
            f'<svg {view} width="100%" height="{height}" y="{y}" overflow="visible">'
            f'<path class="line seat{seat % 5} dash{seat}" d="{path}"/></svg>'
        )
    ends = spread(
        [height - height * value / top for value in points[-1]], 15, 0, max(height, 15 * seats - 15)
    )
    parts.append('<rect id="later" y="-4" height="' + str(height + 8) + '" x="0" width="100%"/>')
    for seat, end in enumerate(ends):
        parts.append(
            f'<svg x="100%" y="{number(end)}" overflow="visible">'
            f'<circle class="end seat{seat % 5}" cx="12" r="7"/>'
            f'<text class="end" x="12" dy="3.5">{seat}</text></svg>'
        )
    parts.append(f'<line id="cursor" x1="0" x2="0" y1="-4" y2="{height + 4}"/></svg>')
    return Markup("".join(parts))


def lane(name: str, events: Iterable[int], last: int, height: int = 12) -> Markup:
    """Marks along a timeline from 0 to ``last``; the shape is the page's symbol ``#mark-name``."""
    from markupsafe import Markup

    uses = "".join(
        f'<use href="#mark-{name}" x="{percent(n, last)}" y="{height // 2}"/>' for n in events
    )
    return Markup(f'<svg class="lane {name}" height="{height}" aria-hidden="true">{uses}</svg>')
