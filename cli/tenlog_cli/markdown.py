"""Pages of Markdown as lines of words: the same on a terminal, in a full screen and in a pipe.

It knows what our own pages use: headlines, paragraphs, lists, tables, text that stays as it is,
and comments, which are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from tenlog.story import Role, Span, Words
from tenlog_cli.paint import NARROW, Line, cells, colours, line_cells, rule, wrap

_INLINE: Final = re.compile(
    r"`(?P<code>[^`]+)`|\*\*(?P<strong>.+?)\*\*|\*(?P<stress>[^*\s][^*]*)\*"
    r"|\[(?P<link>[^\]]+)\]\([^)]+\)"
)
_ITEM: Final = re.compile(r"(?P<mark>\d+\.\d*|-) +(?P<text>.*)")
_RULER: Final = re.compile(r"\|[ :|-]+\|$")
_GAP: Final = 2  # blanks between two columns of a table


def markdown_lines(text: str, room: int) -> list[Line]:
    """A page, or a part of one, in lines of at most ``room`` columns; only text that stays as it
    is (programs, logs) may be wider.

    >>> from tenlog.story import plain
    >>> [plain(line) for line in markdown_lines("1. one *two* three\\n- four", 11)]
    ['1. one two', '   three', '- four']
    """
    lines: list[Line] = []
    kind = ""
    count = 0
    for kind_now, block in _blocks(text):
        if lines and not (kind_now == kind == "item"):
            lines.append([])
        count = count + 1 if kind_now == kind == "item" else 1
        kind = kind_now
        if kind == "head":
            lines += _headline(block[0], room)
        elif kind == "table":
            lines += _table(block, room)
        elif kind == "as it is":
            lines += [[Span(text)] for text in block]
        elif kind == "item":
            lines += _item(" ".join(block), count, room)
        else:
            lines += wrap(inline(" ".join(block)), room)
    return lines


def inline(text: str) -> Words:
    """A paragraph: what is marked in it stands out; code keeps its marks where nothing else shows
    it."""
    words: Words = []
    end = 0
    for found in _INLINE.finditer(text):
        words.append(Span(text[end : found.start()]))
        end = found.end()
        kind = found.lastgroup or ""
        part = found[kind]
        if kind == "code" and not colours():
            words.append(Span(f"`{part}`"))
        elif kind == "link":
            words += inline(part)
        else:
            roles: dict[str, Role] = {"code": "key", "strong": "strong", "stress": "strong"}
            words.append(Span(part, roles[kind]))
    words.append(Span(text[end:]))
    return [span for span in words if span.text]


def _blocks(text: str) -> Iterator[tuple[str, list[str]]]:
    """What a page consists of: a kind, and its lines."""
    kind, block, fenced = "", [""], False
    for line in [*text.splitlines(), ""]:
        if line.startswith("<!--"):
            continue
        fence = line.startswith("```")
        fenced ^= fence
        now = "as it is" if fenced else "" if fence else _kind(line, kind)
        begins = now == "head" or (now == "item" and _ITEM.match(line))
        if now == kind and not begins:
            block.append(line)
            continue
        if kind:
            yield kind, block
        kind, block = now, [] if fence else [line]


def _kind(line: str, before: str) -> str:
    """What a line is, after one of another kind; nothing, if it is blank."""
    if not line.strip():
        return ""
    if line.startswith("    ") and before != "item":
        return "as it is"
    if line.startswith("#"):
        return "head"
    if line.startswith("|"):
        return "table"
    if _ITEM.match(line):
        return "item"
    return before if before in ("text", "item") else "text"


def _headline(line: str, room: int) -> list[Line]:
    text = line.lstrip("#").strip()
    lines: list[Line] = [*wrap([Span(text, "strong")], room)]
    return [*lines, rule(min(room, max(map(line_cells, lines))))]


def _item(text: str, count: int, room: int) -> list[Line]:
    """An item of a list, hung below its own mark; ``1.`` everywhere is counted."""
    found = _ITEM.match(text)
    assert found is not None
    mark = found["mark"]
    mark = f"{count}." if mark == "1." else mark
    lines = wrap(inline(found["text"]), room - len(mark) - 1)
    indent = Span(" " * (len(mark) + 1))
    return [[Span(f"{mark} "), *lines[0]], *[[indent, *line] for line in lines[1:]]]


def _table(rows: Sequence[str], room: int) -> list[Line]:
    """A table; where it is too narrow for columns, one row below the other."""
    texts = [
        [cell.strip() for cell in row.strip().strip("|").replace(r"\|", "\0").split("|")]
        for row in rows
        if not _RULER.match(row)
    ]
    table = [[inline(cell.replace("\0", "|")) for cell in row] for row in texts]
    widths = _widths(table, room)
    if not widths:
        return _stacked(table, room)
    head = [[Span(span.text, "strong") for span in cell] for cell in table[0]]
    lines = [*_row(head, widths), rule(min(room, sum(widths) + _GAP * (len(widths) - 1)))]
    tall = any(
        sum(line_cells(cell) > size for cell, size in zip(row, widths, strict=True)) > 1
        for row in table[1:]
    )
    for number, row in enumerate(table[1:]):
        lines += [[]] if tall and number else []
        lines += _row(row, widths)
    return lines


def _widths(table: Sequence[Sequence[Line]], room: int) -> list[int]:
    """How wide the columns are: as wide as they want, or the widest ones cut down to what is there;
    nothing, if that is too little."""
    wanted = [max(map(line_cells, column)) for column in zip(*table, strict=True)]
    room -= _GAP * (len(wanted) - 1)
    if sum(wanted) <= room:
        return wanted
    most = max(wanted)
    while sum(min(size, most) for size in wanted) > room:
        most -= 1
    words = [
        max([cells(word) for cell in column for word in _plain(cell).split()] or [0])
        for column in zip(*table, strict=True)
    ]
    enough = room >= NARROW - 8 and all(
        min(size, most) >= word for size, word in zip(wanted, words, strict=True)
    )
    return [min(size, most) for size in wanted] if enough else []


def _plain(cell: Line) -> str:
    return "".join([span.text for span in cell])


def _row(row: Sequence[Line], widths: Sequence[int]) -> list[Line]:
    columns = [wrap(cell, size) for cell, size in zip(row, widths, strict=True)]
    lines: list[Line] = []
    for height in range(max(map(len, columns))):
        line: Words = []
        blank = 0
        for column, size in zip(columns, widths, strict=True):
            part = column[height] if height < len(column) else []
            if part:
                line += [Span(" " * blank), *part]
                blank = 0
            blank += size - line_cells(part) + _GAP
        lines.append(line)
    return lines


def _stacked(table: Sequence[Sequence[Line]], room: int) -> list[Line]:
    """Each row below the other: what it is about, and below it the rest, named where that is more
    than one thing."""
    names = [_plain(cell) for cell in table[0]]
    lines: list[Line] = []
    for row in table[1:]:
        lines += wrap([Span(span.text, "strong") for span in row[0]], room)
        for name, cell in zip(names[1:], row[1:], strict=True):
            label = [Span(f"{name}: ", "dim")] if len(names) > 2 else []
            lines += wrap([*label, *cell], room, 4 if label else 2, 2)
    return lines
