"""``tenlog report`` for people: the table, and the bars under it."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from tenlog_cli.output import ascii_only
from tenlog_cli.paint import width
from tenlog_cli.shelf import bar, figure, say, show_table

if TYPE_CHECKING:
    from tenlog.archive.reports import Report, ReportAnswer


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
    columns, rows = _with_intervals(answer)
    right = [isinstance(answer.rows[0].get(column), int | float) for column in columns]
    show_table(columns, right, rows)
    if picture:
        _draw(found, answer.rows)


def _say_wrapped(text: str) -> None:
    """A sentence in lines as wide as the screen, also where it is piped."""
    for line in wrap(text, width(), break_on_hyphens=False):
        say(line)


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
