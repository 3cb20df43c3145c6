"""``tenlog query``: ask the archive in SQL."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from tenlog.errors import QueryError
from tenlog.story import counted
from tenlog_cli.output import harmless, home, note, on_terminal
from tenlog_cli.shelf import (
    ArchiveOption,
    MemoryOption,
    ThreadsOption,
    archive_path,
    say,
    show_table,
)

if TYPE_CHECKING:
    from tenlog.archive.ask import Answer
    from tenlog.archive.stop import Stop

MOST_SECONDS = 1e6  # of a timeout
_MOST_SQL = 1 << 24  # bytes of a question in a file
SCREEN_ROWS = 200  # rows of a table on a terminal, if nobody says

Form = Literal["table", "json", "jsonl", "csv", "markdown", "parquet"]


def _give_up(stop: Stop) -> None:
    """The question must end, and DuckDB does not hear it: the process ends."""
    from tenlog.archive.ask import stopped

    note("stopped" if stop.interrupted else f"tenlog: {stopped(stop)}")
    os._exit(130 if stop.interrupted else 2)


class _Asking:
    """How questions are asked in this run."""

    def __init__(
        self,
        root: Path,
        params: dict[str, str],
        memory: str | None,
        threads: int | None,
        timeout: float | None,
        limit: int | None,
        over: bool,
    ) -> None:
        self.root = root
        self.params = params
        self.memory = memory
        self.threads = threads
        self.timeout = timeout
        self.limit = limit
        self.over = over

    def show(self, sql: str) -> None:
        """Ask, and show the answer to people."""
        from tenlog.archive.formats import is_number, lines_of, shown

        with self._ask(sql) as answer:
            if answer.columns[:2] == ["explain_key", "explain_value"]:
                for row in self._rows(answer):
                    say(str(row[1]).rstrip())
                return
            if not on_terminal():
                # Columns that are as wide as their first thousand rows; the rest streams.
                for line in lines_of("plain", answer.columns, answer.types, self._rows(answer)):
                    say(line.removesuffix("\n"))
                return
            most = SCREEN_ROWS if self.limit is None else self.limit
            rows = self._rows(answer)
            first = list(islice(rows, most))
            more = next(rows, None) is not None
        right = [is_number(kind) for kind in answer.types]
        show_table(answer.columns, right, [[shown(value) for value in row] for row in first])
        told = f"first {counted(len(first), 'row')}" if more else counted(len(first), "row")
        note(f"({told}{'; --limit shows more' if more else ''})")

    def _ask(self, sql: str) -> Any:
        from tenlog.archive.ask import ask

        return ask(
            self.root,
            sql,
            self.params,
            memory=self.memory,
            threads=self.threads,
            timeout=self.timeout,
            give_up=_give_up,
        )

    def _rows(self, answer: Answer) -> Iterator[tuple[Any, ...]]:
        return islice(chain.from_iterable(answer.batches()), self.limit)

    def write(self, sql: str, form: Form, out: Path | None) -> None:
        """Ask, and write the answer for programs, to a file or to standard output."""
        if form == "parquet":
            self._write_parquet(sql, out)
            return
        from tenlog.archive.formats import lines_of, write_lines

        text = "plain" if form == "table" else form
        with self._file(out) as file, self._ask(sql) as answer:
            lines = lines_of(text, answer.columns, answer.types, self._rows(answer))
            if file is None:
                if sys.stdout.isatty():
                    lines = map(harmless, lines)
                write_lines(sys.stdout.buffer, lines)
                return
            with file.open("wb") as into:
                write_lines(into, lines)

    def _file(self, out: Path | None) -> AbstractContextManager[Path | None]:
        from tenlog.archive.ask import answer_file

        return nullcontext() if out is None else answer_file(self.root, out, overwrite=self.over)

    def _write_parquet(self, sql: str, out: Path | None) -> None:
        if out is None:
            raise QueryError("--format parquet needs --out FILE")
        from tenlog.archive.ask import ask_to_parquet

        if self.limit is not None:
            raise QueryError("--format parquet takes no --limit: say limit in the SQL")
        ask_to_parquet(
            self.root,
            sql,
            out,
            self.params,
            memory=self.memory,
            threads=self.threads,
            timeout=self.timeout,
            give_up=_give_up,
            overwrite=self.over,
        )


def query(
    sql: Annotated[
        str | None, typer.Argument(metavar="[SQL]", help="The question; - for standard input.")
    ] = None,
    file: Annotated[
        Path | None, typer.Option("--file", "-f", metavar="FILE", help="The question in a file.")
    ] = None,
    param: Annotated[
        list[str] | None,
        typer.Option(
            "--param",
            metavar="NAME=VALUE",
            help="The value of $NAME in the SQL, a text (write $NAME::int for a number). "
            "Repeatable.",
        ),
    ] = None,
    form: Annotated[
        Form | None,
        typer.Option(
            "--format", metavar="table|json|jsonl|csv|markdown|parquet", help="How to answer."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="Write to a file, whole or not at all."),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace the file of --out if it is there.")
    ] = False,
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", min=0, help="At most so many rows.")
    ] = None,
    schema: Annotated[
        bool, typer.Option("--schema", help="Show the tables and columns, and what they mean.")
    ] = False,
    memory: MemoryOption = None,
    threads: ThreadsOption = None,
    timeout: Annotated[
        float | None,
        typer.Option("--timeout", metavar="SECONDS", help="Stop after so long."),
    ] = None,
    archive: ArchiveOption = None,
) -> None:
    """Ask the archive in SQL (DuckDB's). A question can only read, and only the archive.

    Without a question, a prompt on a terminal, else standard input. The tables are games, players,
    events; turns, auctions, purchases, busts and states are derived from them.
    """
    root = archive_path(archive)
    if timeout is not None and not 0 < timeout <= MOST_SECONDS:
        raise QueryError(f"--timeout {timeout:g} is not more than 0 and at most 1000000 seconds")
    if schema:
        _show_schema(form)
        return
    asking = _Asking(root, _params(param or []), memory, threads, timeout, limit, overwrite)
    try:
        text = _question(sql, file)
        if text is None:
            _prompt(asking)
        elif form is None and out is None:
            asking.show(text)
        else:
            asking.write(text, form or _form_of(out), out)
    except KeyboardInterrupt:
        note("stopped")
        raise typer.Exit(130) from None


def _form_of(out: Path | None) -> Form:
    """The format that a file name asks for."""
    forms: dict[str, Form] = {
        ".json": "json",
        ".jsonl": "jsonl",
        ".csv": "csv",
        ".md": "markdown",
        ".parquet": "parquet",
    }
    return forms.get(out.suffix if out is not None else "", "table")


def _params(said: list[str]) -> dict[str, str]:
    params: dict[str, str] = {}
    for text in said:
        name, equals, value = text.partition("=")
        if not equals or not name.isidentifier():
            raise QueryError(f"--param {text!r} is not NAME=VALUE")
        _check_text(text, f"--param {name}")
        params[name] = value
    return params


def _question(sql: str | None, file: Path | None) -> str | None:
    """The SQL that was given; None for the prompt."""
    from tenlog.log.opening import read_small

    if sql is not None and file is not None:
        raise QueryError("give the question as an argument or with --file, not both")
    try:
        if file is not None:
            return read_small(file, _MOST_SQL, piped=True).decode()
        if sql == "-" or (sql is None and not sys.stdin.isatty()):
            return sys.stdin.buffer.read().decode()
    except OSError as error:
        raise QueryError(f"can't read {file or 'standard input'}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise QueryError(f"{file or 'standard input'} is not UTF-8 text") from None
    if sql is not None:
        _check_text(sql, "the question")
    return sql


def _check_text(text: str, what: str) -> None:
    """Refuse an argument of bytes that are no text."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise QueryError(f"{what} is not UTF-8 text") from None


def _show_schema(form: Form | None) -> None:
    from tenlog.archive.schema import (
        COLUMNS,
        TABLE_COMMENTS,
        VIEW_COLUMNS,
        VIEW_COMMENTS,
        ddl,
    )

    if not on_terminal() or form is not None:
        sys.stdout.write(ddl())
        return
    for name, columns in {**COLUMNS, **VIEW_COLUMNS}.items():
        say(f"{name}: {TABLE_COMMENTS.get(name) or VIEW_COMMENTS[name]}")
        for column in columns:
            say(f"  {column.name:<14}{column.type.lower():<10}{column.comment}")
        say("")


def _prompt(asking: _Asking) -> None:
    """A prompt with a history, until Ctrl-D; Ctrl-C stops a question, or clears what was typed."""
    from tenlog.archive.store import read_catalogue

    catalogue = read_catalogue(asking.root)
    note(
        f"{counted(catalogue.games, 'game')}, {counted(catalogue.events, 'event')}\n"
        "End a question with ; or an empty line. .schema shows the tables, Ctrl-D leaves."
    )
    with _history():
        lines: list[str] = []
        while True:
            try:
                line = input("   ...> " if lines else "tenlog> ")
            except EOFError:
                sys.stdout.write("\n")
                return
            except KeyboardInterrupt:
                lines = []
                sys.stdout.write("\n")
                continue
            if not lines and line.strip() in (".quit", ".exit", "quit", "exit"):
                return
            if not lines and line.strip() == ".schema":
                _show_schema(None)
                continue
            lines.append(line)
            text = "\n".join(lines).strip()
            if text and (not line.strip() or line.rstrip().endswith(";")):
                _answer(asking, text)
                lines = []
            elif not text:
                lines = []


def _answer(asking: _Asking, text: str) -> None:
    from tenlog.errors import ArchiveError

    try:
        asking.show(text)
    except ArchiveError as error:
        note(str(error))
    except KeyboardInterrupt:
        note("stopped")


class _history:  # noqa: N801 - a context manager, used as one
    """The history of the prompt, in the tenlog home; without readline, or where the home can't be
    written, there is none."""

    def __enter__(self) -> None:
        try:
            import readline
        except ImportError:
            return
        try:
            home().mkdir(parents=True, exist_ok=True)
            readline.set_history_length(1000)
            readline.read_history_file(home() / "query_history")
        except OSError:
            pass

    def __exit__(self, *_: object) -> None:
        try:
            import readline

            readline.write_history_file(home() / "query_history")
        except (ImportError, OSError):
            pass
