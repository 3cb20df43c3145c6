"""What ``archive``, ``query`` and ``report`` share: which archive is meant, progress, tables."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import typer

from tenlog_cli.output import ascii_only, console, harmless, home, make_console, on_terminal

ArchiveOption = Annotated[
    Path | None,
    typer.Option(
        "--archive", metavar="DIR", help="Which archive; the one of the tenlog home if left out."
    ),
]
MemoryOption = Annotated[
    str | None,
    typer.Option("--memory", metavar="SIZE", help="The most memory to use, such as 2GB."),
]
ThreadsOption = Annotated[
    int | None,
    typer.Option("--threads", metavar="N", min=1, max=256, help="How many threads to use."),
]

_GAP: Final = 2  # columns between those of a table
_NAME: Final = 24  # of a name that is worth leaving figures out for


def archive_path(said: Path | None) -> Path:
    """The archive that is meant."""
    from tenlog.archive import default_archive

    return said if said is not None else default_archive(home())


@contextmanager
def progress_bar(what: str, quiet: bool) -> Iterator[Callable[[int, int, str], None]]:
    """A bar on standard error while something long runs; nothing where nobody looks. What it is
    given: how much is done, of how much, and a word about it."""
    if quiet or not sys.stderr.isatty():
        yield lambda done, total, word: None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    bar = Progress(
        TextColumn(what),
        BarColumn(20),
        TextColumn("{task.percentage:>3.0f}%"),
        TextColumn("{task.fields[word]}"),
        TimeRemainingColumn(compact=True),
        console=make_console(stderr=True),
        transient=True,
        refresh_per_second=4,
    )
    with bar:
        task = bar.add_task(what, total=None, word="")

        def show(done: int, total: int, word: str) -> None:
            bar.update(task, completed=done, total=total or None, word=word)

        yield show


def _wide(texts: Sequence[int]) -> int:
    return sum(texts) + _GAP * (len(texts) - 1)


def _headings(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """What stands above: broken at underscores where that makes a column narrower."""
    return [
        column.replace("_", "_\n")
        if len(column) > max([len(row[i]) for row in rows], default=0)
        else column
        for i, column in enumerate(columns)
    ]


def _widths(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    lines = [max(map(len, column.split("\n"))) for column in columns]
    return [max([line, *[len(row[i]) for row in rows]]) for i, line in enumerate(lines)]


def room() -> int:
    """How wide a line may be: as the terminal is; as it likes where there is none."""
    return console().width if on_terminal() else 10**6


def columns_that_fit(
    columns: Sequence[str], right: Sequence[bool], rows: Sequence[Sequence[str]]
) -> int:
    """How many of the first columns find room beside each other, with all their figures."""
    widths = _widths(_headings(columns, rows), rows)
    needed = [w if flush else min(w, _NAME) for w, flush in zip(widths, right, strict=True)]
    fit = len(needed)
    while fit > 1 and _wide(needed[:fit]) > room():
        fit -= 1
    return fit


def show_table(
    columns: Sequence[str], right: Sequence[bool], rows: Sequence[Sequence[str]]
) -> None:
    """Rows for people: a table where it fits the screen, else one block a row; plain if piped."""
    columns = [harmless(column) for column in columns]
    rows = [[harmless(text).replace("\n", " ") for text in row] for row in rows]
    if not on_terminal():
        _show_plain(columns, right, rows)
        return
    if _wide(_widths(columns, rows)) > room():
        columns = _headings(columns, rows)
    least = [min(width, 12) for width in _widths(columns, rows[:200])]
    if _wide(least) > room():
        _show_blocks([column.replace("\n", "") for column in columns], rows)
        return
    from rich.box import Box
    from rich.table import Table
    from rich.text import Text

    rule = "--" if ascii_only() else "──"
    table = Table(
        box=Box("    \n    \n" + f" {rule} \n" + "    \n" * 5, ascii=ascii_only()),
        show_edge=False,
        pad_edge=False,
        header_style="bold",
        padding=(0, _GAP - 1, 0, 0),
    )
    figures = [
        width if flush else min(width, 8)
        for width, flush in zip(_widths(columns, rows), right, strict=True)
    ]
    whole = _wide(figures) <= room()  # then names are folded, and no figures
    for column, flush in zip(columns, right, strict=True):
        justify: Literal["right", "left"] = "right" if flush else "left"
        table.add_column(column, justify=justify, overflow="fold", no_wrap=flush and whole)
    for row in rows:
        table.add_row(*[Text(text) for text in row])
    console().print(table)


def _show_plain(
    columns: Sequence[str], right: Sequence[bool], rows: Sequence[Sequence[str]]
) -> None:
    widths = [max(map(len, texts)) for texts in zip(columns, *rows, strict=True)]
    for row in (columns, *rows):
        cells = [
            text.rjust(width) if flush else text.ljust(width)
            for text, width, flush in zip(row, widths, right, strict=True)
        ]
        say("  ".join(cells).rstrip())


def _show_blocks(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    wide = max(map(len, columns))
    for number, row in enumerate(rows, 1):
        say(f"-- row {number}")
        for column, text in zip(columns, row, strict=True):
            if text:
                say(f"{column.rjust(wide)}  {text}")


def say(text: str) -> None:
    """A line on standard output, in the characters that it has, no wider than a terminal."""
    encoding = sys.stdout.encoding or "ascii"
    text = harmless(text).encode(encoding, "replace").decode(encoding)
    if on_terminal():
        console().print(text, overflow="fold", no_wrap=False)
    else:
        sys.stdout.write(text + "\n")


def bar(share: float, room: int) -> str:
    """A bar of so many columns at most, for a share of 0 to 1."""
    filled = max(0.0, min(1.0, share)) * room
    if ascii_only():
        return "#" * round(filled)
    whole = int(filled)
    eighths = int((filled - whole) * 8)
    return "█" * whole + ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")[eighths]


def figure(value: Any) -> str:
    """A number for people: four digits after the point at most, none where there is nothing."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4f}" if abs(value) < 1 else f"{value:.2f}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return str(value)
