"""Answers as text: JSON, JSON Lines, CSV, Markdown and plain columns, written as the rows come."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterable, Iterator
from decimal import Decimal
from itertools import islice
from typing import IO, Any, Final

import msgspec

TEXT_FORMATS: Final = ("json", "jsonl", "csv", "markdown", "plain")

Rows = Iterable[tuple[Any, ...]]

_encode = msgspec.json.Encoder().encode
_SIZED: Final = 1000  # rows that plain columns are sized by


def plain_value(value: Any) -> Any:
    """A value of DuckDB's as JSON has it: numbers stay numbers however long, what is not finite
    is null, bytes are hex, moments are ISO 8601."""
    match value:
        case None | bool() | str():
            return value
        case int():
            return value if -(2**63) <= value < 2**64 else msgspec.Raw(str(value).encode())
        case float():
            return value if math.isfinite(value) else None
        case Decimal():
            return msgspec.Raw(f"{value:f}".encode()) if value.is_finite() else None
        case list() | tuple():
            return [plain_value(item) for item in value]
        case dict():
            return {str(key): plain_value(item) for key, item in value.items()}
        case bytes():
            return value.hex()
        case datetime.datetime() | datetime.date() | datetime.time():
            return value.isoformat()
    return str(value)


def shown(value: Any) -> str:
    """A value for people: an empty text for null, JSON for lists and structures."""
    value = plain_value(value)
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, float):
        return f"{value:.6g}" if abs(value) < 1e15 else repr(value)
    return _encode(value).decode()


def _csv(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if any(c in text for c in ',"\r\n') else text


def _exact(value: Any) -> str:
    value = plain_value(value)
    return "" if value is None else value if isinstance(value, str) else _encode(value).decode()


def _markdown(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ")


def lines_of(form: str, columns: list[str], types: list[str], rows: Rows) -> Iterator[str]:
    """The lines of an answer in one of TEXT_FORMATS, each with its newline."""
    if form.startswith("json"):
        columns = _distinct(columns)
    if form == "jsonl":
        for row in rows:
            yield _object(columns, row) + "\n"
    elif form == "json":
        before = "["
        for row in rows:
            yield before + "\n" + _object(columns, row)
            before = ","
        yield "[]\n" if before == "[" else "\n]\n"
    elif form == "csv":
        yield ",".join(map(_csv, columns)) + "\n"
        for row in rows:
            yield ",".join([_csv(_exact(value)) for value in row]) + "\n"
    elif form == "markdown":
        yield "| " + " | ".join(map(_markdown, columns)) + " |\n"
        yield "|" + "|".join(["---:" if is_number(kind) else "---" for kind in types]) + "|\n"
        for row in rows:
            yield "| " + " | ".join([_markdown(shown(value)) for value in row]) + " |\n"
    else:
        yield from _columns(columns, types, rows)


def _distinct(columns: list[str]) -> list[str]:
    """Names that an object can have, as DuckDB gives them to Parquet: ``a``, ``a_1``, ``a_2``."""
    names: list[str] = []
    for column in columns:
        name, number = column, 0
        while name in names or (number and name in columns):
            number += 1
            name = f"{column}_{number}"
        names.append(name)
    return names


def _object(columns: list[str], row: tuple[Any, ...]) -> str:
    return _encode(
        {name: plain_value(value) for name, value in zip(columns, row, strict=True)}
    ).decode()


def is_number(kind: str) -> bool:
    """Whether a type of DuckDB's is a number, to be set flush right."""
    return kind.endswith("INT") or kind in ("INTEGER", "DOUBLE", "FLOAT") or kind.startswith("DEC")


def _columns(columns: list[str], types: list[str], rows: Rows) -> Iterator[str]:
    left = iter(rows)
    first = [[shown(value) for value in row] for row in islice(left, _SIZED)]
    widths = [max([len(name), *[len(row[i]) for row in first]]) for i, name in enumerate(columns)]
    right = [is_number(kind) for kind in types]

    def line(texts: list[str]) -> str:
        cells = [
            text.rjust(width) if flush else text.ljust(width)
            for text, width, flush in zip(texts, widths, right, strict=True)
        ]
        return "  ".join(cells).rstrip() + "\n"

    yield line(columns)
    for texts in first:
        yield line([text.replace("\n", " ") for text in texts])
    for row in left:
        yield line([shown(value).replace("\n", " ") for value in row])


def write_lines(out: IO[bytes], lines: Iterable[str]) -> None:
    """Text to a binary stream, a good many lines at a time."""
    left = iter(lines)
    while block := list(islice(left, 4096)):
        out.write("".join(block).encode())
