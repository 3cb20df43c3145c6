"""``tenlog report`` for people: the table that fits the screen, and the bars under it."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final

from tenlog_cli.output import ascii_only
from tenlog_cli.paint import width
from tenlog_cli.shelf import bar, columns_that_fit, figure, say, show_table

if TYPE_CHECKING:
    from tenlog.archive.reports import Report, ReportAnswer

_INTERVAL: Final = "95 %"  # what stands above the bounds of what stands before it


def show_answer(found: Report, answer: ReportAnswer, picture: bool) -> None:
    """A title, what to know of it, the table, and bars if a ``picture`` is wanted."""
    from tenlog.archive.reports.only import pooled

    _say_wrapped(found.title)
    if together := pooled(answer.rulesets, answer.players, answer.columns):
        _say_wrapped(f"{together} Look at some of them with --ruleset and --players.")
    if found.notes:
        _say_wrapped(found.notes)
    say("")
    if not answer.rows:
        say("No games in the archive that tell.")
        return
    columns, right, rows = _with_intervals(answer)
    fit = columns_that_fit(columns, right, rows)
    show_table(columns[:fit], right[:fit], [row[:fit] for row in rows])
    left = [
        f"{column} of {columns[i - 1]}" if column == _INTERVAL else column
        for i, column in enumerate(columns)
        if i >= fit
    ]
    if left:
        _say_wrapped(f"No room for {', '.join(left)}: see a wider terminal, or --json.")
    if picture:
        _draw(found, answer.rows)


def _say_wrapped(text: str) -> None:
    """A sentence in lines as wide as the screen, also where it is piped."""
    for line in wrap(text, width(), break_on_hyphens=False):
        say(line)


def _with_intervals(answer: ReportAnswer) -> tuple[list[str], list[bool], list[list[str]]]:
    """The columns for people, which are figures, and the rows. An interval is shown behind what it
    is of: ± half of it where that is true, else its bounds in a column of their own."""
    from tenlog.archive.reports import intervals

    bounds = intervals(answer.columns)
    hidden = {bound for pair in bounds.values() for bound in pair}
    columns, right, cells = [], [], []
    for column in answer.columns:
        if column in hidden:
            continue
        values = [row[column] for row in answer.rows]
        texts = [figure(value) for value in values]
        columns.append(column)
        right.append(any(isinstance(value, int | float) for value in values))
        cells.append(texts)
        if column not in bounds:
            continue
        spans = [(row[bounds[column][0]], row[bounds[column][1]]) for row in answer.rows]
        if all(map(_symmetric, values, spans)):
            cells[-1] = [
                f"{text} {half}" if (half := _half(value, *span)) else text
                for text, value, span in zip(texts, values, spans, strict=True)
            ]
        else:
            columns.append(_INTERVAL)
            right.append(True)
            cells.append([_bounds(*span) for span in spans])
    return columns, right, [list(row) for row in zip(*cells, strict=True)]


def _symmetric(value: float | None, span: tuple[float | None, float | None]) -> bool:
    low, high = span
    if value is None or low is None or high is None:
        return True
    return abs(low + high - 2 * value) <= 1e-9 * max(1, abs(value))


def _alike(low: float, high: float) -> bool:
    """Whether an interval is so narrow that its samples do not differ."""
    return high - low <= 2e-5


def _half(value: float | None, low: float | None, high: float | None) -> str:
    if value is None or low is None or high is None:
        return ""
    if _alike(low, high):
        return "no spread"
    sign = "+-" if ascii_only() else "±"
    return f"{sign}{(high - low) / 2:.{4 if abs(value) < 1 else 3}f}"


def _bounds(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return ""
    return "no spread" if _alike(low, high) else f"{figure(low)} to {figure(high)}"


def _draw(found: Report, rows: Sequence[dict[str, Any]]) -> None:
    wanted = found.picture
    most = max([float(row[wanted.value] or 0) for row in rows])
    if most <= 0:
        return
    labels = [str(row[wanted.label]) for row in rows]
    wide = max(map(len, labels))
    numbers = [figure(row[wanted.value]) for row in rows]
    figures = max(map(len, numbers))
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
