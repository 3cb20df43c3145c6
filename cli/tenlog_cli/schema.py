"""``tenlog schema``: JSON Schemas of logs, rulesets and outputs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer


def complete_schema(incomplete: str) -> Iterator[tuple[str, str]]:
    """Names of schemas."""
    from tenlog.schemas import SCHEMAS

    yield from ((name, s.about) for name, s in SCHEMAS.items() if name.startswith(incomplete))


def schema(
    name: Annotated[
        str | None,
        typer.Argument(
            help="Which schema; without one, all are listed.",
            autocompletion=complete_schema,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="DIR", help="Write all of them, or the named one, as NAME.json to DIR."
        ),
    ] = None,
) -> None:
    """Print the JSON Schema of a line, an event, a ruleset, or what a command answers by --json."""
    from tenlog.errors import LogError
    from tenlog.schemas import SCHEMAS, schema_text

    if out is not None:
        try:
            out.mkdir(parents=True, exist_ok=True)
            for each in [name] if name is not None else SCHEMAS:
                text = schema_text(each)
                (out / f"{each}.json").write_text(text, encoding="utf-8")
        except OSError as error:
            raise LogError(f"can't write {error.filename or out}: {error.strerror}") from None
    elif name is not None:
        sys.stdout.write(schema_text(name))
    else:
        from tenlog.story import Span
        from tenlog_cli.paint import put, width, wrap

        for each, found in SCHEMAS.items():
            put(wrap([Span(f"{each:<16}", "strong"), Span(found.about)], width(), 16))
