"""DuckDB as the archive uses it: connections with bounds, SQL text, and its errors."""

from __future__ import annotations

import re
import signal
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

from tenlog.errors import ArchiveError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


WRITING: Final = "96MiB"  # of DuckDB's, while it writes; more is spilled


def hears_interrupts() -> bool:
    """Whether Ctrl-C becomes Python's KeyboardInterrupt here: in the main thread, if nobody has put
    something else in its place."""
    return (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )


@contextmanager
def undisturbed() -> Iterator[None]:
    """Ctrl-C waits until this is over: what imports or starts DuckDB may swallow it."""
    if not hears_interrupts():
        yield
        return
    came = False

    def note(*_: object) -> None:
        nonlocal came
        came = True

    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if came:
        raise KeyboardInterrupt


def connect(
    folder: Path | None = None, threads: int | None = None, memory: str = WRITING
) -> DuckDBPyConnection:
    """A connection in memory, that fetches nothing from anywhere; with a ``folder``, its ``memory``
    is bounded, and the folder takes what does not fit."""
    config: dict[str, str | bool | int | float | list[str]] = {
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "temp_directory": "" if folder is None else str(folder / "spill"),
        "python_enable_replacements": False,
    }
    if folder is not None:
        config["memory_limit"] = memory
    if threads is not None:
        config["threads"] = threads
    with undisturbed():
        import duckdb

        return duckdb.connect(":memory:", config=config)


@cache
def _kept() -> DuckDBPyConnection:
    con = connect(threads=1)
    con.execute("set enable_external_file_cache = false")
    return con


def asking() -> DuckDBPyConnection:
    """A connection for a short question: of a database in memory that this process keeps, which is
    had a hundred times sooner than one of its own."""
    return _kept().cursor()


def quote(text: str | Path) -> str:
    """A text as SQL writes it; a path so that DuckDB takes a ~ at its beginning for no home.

    >>> quote("it's")
    "'it''s'"
    """
    if isinstance(text, Path) and str(text).startswith("~"):
        text = text.absolute()
    return "'" + str(text).replace("'", "''") + "'"


def quote_list(texts: Iterable[str | Path]) -> str:
    """A list of texts as SQL writes it."""
    return "[" + ", ".join(map(quote, texts)) + "]"


DAMAGED: Final = "whether it is damaged tells tenlog archive verify"

# What went wrong where something was written in the background stands in JSON.
_INNER: Final = re.compile(r'"exception_message":"((?:[^"\\]|\\.)*)"')


def plainly(error: BaseException) -> str:
    """What DuckDB says, as text."""
    said = _INNER.search(str(error))
    return said[1].replace('\\"', '"') if said else str(error).strip()


def parquet(files: Iterable[str | Path], more: str = "") -> str:
    """What to select from Parquet files. A folder named ``players=9`` above them is only a folder:
    by itself, DuckDB would take it for a column."""
    return f"read_parquet({quote_list(files)}, hive_partitioning = false{more})"


def reraise(error: RuntimeError) -> NoReturn:
    """What DuckDB makes of Ctrl-C as what it was; any other error as it is."""
    if "interrupted" in str(error).lower():
        raise KeyboardInterrupt from None
    raise error


@contextmanager
def speaking(root: Path, what: str) -> Iterator[None]:
    """DuckDB's errors, and the system's, as the archive's."""
    with undisturbed():
        import duckdb

    try:
        yield
    except duckdb.InterruptException:
        raise KeyboardInterrupt from None
    except RuntimeError as error:
        reraise(error)
    except duckdb.Error as error:
        first = plainly(error).split("\n", 1)[0]
        hint = f"; {DAMAGED}" if what == "read" else ""
        raise ArchiveError(f"can't {what} {root}: {first}{hint}") from None
    except OSError as error:
        raise ArchiveError(
            f"can't {what} {root}: {(error.strerror or str(error)).lower()}"
        ) from None


def rows(con: DuckDBPyConnection, sql: str, params: Any = None) -> list[tuple[Any, ...]]:
    """All rows of a question."""
    result: list[tuple[Any, ...]] = con.execute(sql, params).fetchall()
    return result


def one(con: DuckDBPyConnection, sql: str, params: Any = None) -> tuple[Any, ...]:
    """The only row of a question."""
    return rows(con, sql, params)[0]
