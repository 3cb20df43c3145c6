"""Asking the archive in SQL that one need not trust: it can read the archive, and nothing else.

What keeps a question from doing more, each for itself:

- It is one statement, and DuckDB's own parser calls it SELECT or EXPLAIN (of a SELECT).
- Its syntax tree, printed by DuckDB, has only nodes that read. This is needed: since 2.0 a SELECT
  may hold ``with x as (copy … to …)``, and ``query('…')`` runs SQL from a text. Unknown nodes,
  unknown table functions and what can't be printed are refused.
- External access is off but for the very files of the archive, the configuration is locked, no
  extension is loaded, Python's variables are not seen, nothing spills to a disk.
- The files of the archive are read-only (which binds everybody but root).
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import msgspec

from tenlog.archive.catalogue import check_path, is_inside, os_error, part_path
from tenlog.archive.engine import (
    DAMAGED,
    connect,
    one,
    plainly,
    quote,
    quote_list,
    reraise,
    undisturbed,
)
from tenlog.archive.schema import COLUMNS, VIEWS
from tenlog.archive.stop import Stop, memory_taken
from tenlog.archive.store import open_with
from tenlog.errors import ArchiveError, QueryError
from tenlog.log.whole import part_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_NODES: Final = frozenset({"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"})
_TABLE_FUNCTIONS: Final = frozenset(
    {
        "unnest", "range", "generate_series", "repeat", "repeat_row", "json_each", "json_tree",
        "duckdb_columns", "duckdb_functions", "duckdb_keywords", "duckdb_settings",
        "duckdb_tables", "duckdb_types", "duckdb_views", "pragma_version", "summary",
    }
)  # fmt: skip
_EXPLAIN = re.compile(r"explain\b\s*(analyze\b)?", re.IGNORECASE)
_COMMENT = re.compile(r"(\s+|--[^\n]*(\n|$)|/\*.*?\*/)*", re.DOTALL)

_SIZE = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?\s*[KMGT]i?B", re.IGNORECASE | re.ASCII)
_THREADS: Final = 256
_END = re.compile(r";(\s+|--[^\n]*(\n|$)|/\*.*?\*/)*\Z", re.DOTALL)

GiveUp: TypeAlias = Callable[[Stop], object]

ONLY_READS: Final = "a question can only read: "


class Answer:
    """The rows of a question, as they come.

    Attributes:
        columns: their names.
        types: DuckDB's names of their types.
    """

    def __init__(self, con: DuckDBPyConnection) -> None:
        self._con = con
        described = con.description or []
        self.columns: list[str] = [str(column[0]) for column in described]
        self.types: list[str] = [str(column[1]) for column in described]

    def batches(self, size: int = 128) -> Iterator[list[tuple[Any, ...]]]:
        """All rows, some at a time, and few of them, as a row may be large; memory does not grow.

        Raises:
            QueryError: the question went wrong, or took too long.
        """
        while batch := self._con.fetchmany(size):
            yield batch


def checked(sql: str) -> str:
    """The statement, if it is one that only reads.

    Raises:
        QueryError: it is not; the message says why.
    """
    with connect() as con, undisturbed():
        import duckdb

        try:
            statements = con.extract_statements(sql)
        except duckdb.Error as error:
            raise QueryError(message_of(error)) from None
        if not statements:
            raise QueryError("there is no question: give one statement of SQL")
        if len(statements) > 1:
            raise QueryError(f"{len(statements)} statements: ask one at a time")
        kind = statements[0].type.name
        if kind == "EXPLAIN":
            return _explained(sql)
        if kind != "SELECT":
            what = "PIVOT" if kind == "MULTI" else kind.replace("_", " ")
            raise QueryError(f"{ONLY_READS}{what} is not allowed here, only SELECT and EXPLAIN")
        tree = con.execute("select json_serialize_sql(?::VARCHAR)", [sql]).fetchall()[0][0]
    try:
        _check_tree(msgspec.json.decode(tree))
    except RecursionError:
        raise QueryError("the question is nested too deeply: write it flatter") from None
    return sql


def _explained(sql: str) -> str:
    comment = _COMMENT.match(sql)
    start = comment.end() if comment is not None else 0
    head = _EXPLAIN.match(sql, start)
    if head is None:
        raise QueryError(f"{ONLY_READS}EXPLAIN needs a SELECT after it")
    inner = checked(sql[head.end() :])
    return f"explain {'analyze ' if head[1] else ''}{inner}"


def _check_tree(tree: Any) -> None:
    if tree.get("error"):
        raise QueryError(f"{ONLY_READS}{tree.get('error_message', 'not a plain SELECT')}")
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting += node
        elif isinstance(node, dict):
            _check_node(node)
            waiting += node.values()


def _check_node(node: dict[str, Any]) -> None:
    kind = node.get("type")
    query = node.get("query_node", node.get("node"))
    inner = query.get("type") if isinstance(query, dict) else None
    for name in (kind, inner, node.get("info_type")):
        refused = str(name).endswith(("_NODE", "_INFO")) or name is inner is not None
        if name is not None and refused and name not in _NODES:
            what = str(name).removesuffix("_INFO").removesuffix("_NODE").removesuffix("_QUERY")
            raise QueryError(f"{ONLY_READS}{what} is not allowed here, only SELECT and EXPLAIN")
    if kind == "TABLE_FUNCTION":
        function = node.get("function") or {}
        name = str(function.get("function_name", "?")).lower()
        if name not in _TABLE_FUNCTIONS:
            raise QueryError(
                f"{ONLY_READS}the table function {name} is not allowed here; {_tables()}"
            )


def _tables() -> str:
    return f"there are {', '.join([*COLUMNS, *VIEWS])} (see tenlog query --schema)"


def message_of(error: BaseException) -> str:
    """DuckDB's words, with the line and the place in it, without the kind of error; where it finds
    no such table, which ones there are."""
    text = plainly(error)
    head, _, rest = text.partition(": ")
    if text.startswith("Catalog Error: Table with name "):
        rest += f"\n{_tables()}"
    return rest if head.endswith(" Error") and rest else text


@contextmanager
def sandbox(
    root: Path, memory: str | None = None, threads: int | None = None, extra: tuple[Path, ...] = ()
) -> Iterator[DuckDBPyConnection]:
    """A connection that can touch the archive's files and nothing else, its configuration locked.

    ``extra`` are files that it may touch besides. Raises:
        ArchiveError: the archive is not there or can't be read.
        QueryError: no such memory or threads.
    """
    if memory is not None and not (_SIZE.fullmatch(memory) and re.search("[1-9]", memory)):
        raise QueryError(f"--memory {memory!r} is not a size, such as 2GB or 512MiB")
    if threads is not None and not 1 <= threads <= _THREADS:
        raise QueryError(f"--threads {threads} is not 1 to {_THREADS}")
    with connect(threads=threads) as con:
        with undisturbed():
            _lock(con, root, memory, extra)
        yield con


def _lock(con: DuckDBPyConnection, root: Path, memory: str | None, extra: tuple[Path, ...]) -> None:
    import duckdb

    if memory is not None:
        try:
            con.execute("set memory_limit = ?", [memory])
        except duckdb.Error as error:
            raise QueryError(f"--memory {memory}: {message_of(error)}") from None
    _, catalogue = open_with(root, con)
    files = [part_path(root, part, table) for part in catalogue.parts for table in part.files]
    con.execute(f"set allowed_paths = {quote_list([*files, *extra])}")
    con.execute("set enable_external_access = false")
    con.execute("set lock_configuration = true")


# How DuckDB tells of a Parquet file that is not what it should be.
_DAMAGE: Final = re.compile("(?i)corrupt|parquet|zstd|thrift|out of buffer|tprotocol")


def _damaged(root: Path, error: Exception) -> ArchiveError:
    return ArchiveError(f"can't read {root}: {message_of(error)}; {DAMAGED}")


@contextmanager
def _bounded(
    con: DuckDBPyConnection, root: Path, timeout: float | None, give_up: GiveUp | None
) -> Iterator[None]:
    """DuckDB's errors as ours, Ctrl-C as Python's, and an end after ``timeout`` seconds or with too
    much memory."""
    import duckdb

    (memory,) = one(con, "select parse_formatted_bytes(current_setting('memory_limit'))")
    stop = Stop(con, give_up)
    with stop.watching(timeout, memory):
        try:
            yield
        except (duckdb.IOException, duckdb.SerializationException) as error:
            if "writ" in str(error):
                raise ArchiveError(f"can't write the answer: {message_of(error)}") from None
            raise _damaged(root, error) from None  # a question can open nothing but the archive
        except duckdb.Error as error:
            if stop.interrupted:
                raise KeyboardInterrupt from None
            if isinstance(error, duckdb.InvalidInputException) and _DAMAGE.search(str(error)):
                raise _damaged(root, error) from None
            if stop.late or stop.greedy:
                raise QueryError(stopped(stop)) from None
            raise QueryError(message_of(error)) from None
        except RuntimeError as error:
            reraise(error)


def stopped(stop: Stop) -> str:
    """Why a question was stopped, for people."""
    if stop.greedy:
        return f"stopped at {memory_taken() >> 20:,} MB of memory (--memory)"
    return f"stopped after {stop.seconds:g} seconds (--timeout)"


@contextmanager
def session(
    root: str | Path,
    *,
    memory: str | None = None,
    threads: int | None = None,
    timeout: float | None = None,
    give_up: GiveUp | None = None,
    extra: tuple[Path, ...] = (),
) -> Iterator[DuckDBPyConnection]:
    """What questions of the house itself are put to, one after another: all see one state of the
    archive. Those of others are to be :func:`checked`. ``extra`` is that of :func:`sandbox`, other
    arguments and errors are those of :func:`ask`."""
    root = Path(root)
    with sandbox(root, memory, threads, extra) as con, _bounded(con, root, timeout, give_up):
        yield con


@contextmanager
def ask(
    root: str | Path,
    sql: str,
    params: Mapping[str, str] | None = None,
    *,
    memory: str | None = None,
    threads: int | None = None,
    timeout: float | None = None,
    give_up: GiveUp | None = None,
) -> Iterator[Answer]:
    """The answer to a question, while it is being read.

    Args:
        root: the archive.
        sql: one SELECT or EXPLAIN.
        params: values of ``$name``; texts, never pasted into the SQL.
        memory: as DuckDB says it, such as ``2GB``.
        threads: how many.
        timeout: seconds, for the whole answer.
        give_up: called, from another thread, where DuckDB does not hear that it is to stop, as it
            does not while it plans a question or makes one large value; else it is waited for.

    Raises:
        QueryError: it is refused, wrong, or took too long.
        ArchiveError: the archive is not there or can't be read.
    """
    statement = checked(sql)
    with session(root, memory=memory, threads=threads, timeout=timeout, give_up=give_up) as con:
        con.execute(statement, dict(params) if params else None)
        yield Answer(con)


def ask_to_parquet(
    root: str | Path,
    sql: str,
    out: Path,
    params: Mapping[str, str] | None = None,
    *,
    memory: str | None = None,
    threads: int | None = None,
    timeout: float | None = None,
    give_up: GiveUp | None = None,
    overwrite: bool = False,
) -> int:
    """The answer to a question as a Parquet file; returns the number of rows.

    ``out`` appears whole or not at all (see :func:`answer_file`). Raises: as :func:`ask` does, and
        ArchiveError: the file is there (without ``overwrite``), or can't be written.
    """
    statement = _END.sub("", checked(sql))
    if statement.lower().startswith("explain"):
        raise QueryError("an EXPLAIN has no Parquet: take another --format")
    with (
        answer_file(Path(root), out, overwrite=overwrite, seeking=True) as part,
        session(
            root, memory=memory, threads=threads, timeout=timeout, give_up=give_up, extra=(part,)
        ) as con,
    ):
        copied = con.execute(
            f"copy (\n{statement}\n) to {quote(part)} "
            "(format parquet, compression zstd, use_tmp_file false)",
            dict(params) if params else None,
        ).fetchall()
    return int(copied[0][0])


@contextmanager
def answer_file(
    root: Path, out: Path, *, overwrite: bool = False, seeking: bool = False
) -> Iterator[Path]:
    """Where to write what is to become ``out``: a new file beside it, which takes its name when all
    went well. A device or a pipe is written to itself; with ``seeking``, at the end, at once.

    Raises:
        ArchiveError: the file is there (without ``overwrite``), is in the archive, or can't be
            written.
    """
    if seeking:
        check_path(out, "\\")
    if is_inside(root, out):
        raise ArchiveError(f"can't write {out}: it is inside the archive; name another file")
    try:
        real = Path(os.path.realpath(out))
        if real.is_dir():
            raise ArchiveError(f"can't write {out}: it is a folder")
        if real.exists() and not real.is_file():
            if not seeking:
                yield out
                return
            with tempfile.TemporaryDirectory(prefix="tenlog-") as folder:
                part = Path(os.path.realpath(folder)) / "answer"
                yield part
                with part.open("rb") as file, out.open("wb") as into:
                    shutil.copyfileobj(file, into)
            return
        if real.exists() and not overwrite:
            raise FileExistsError
        with part_of(real, replace=overwrite) as part:
            yield part
    except FileExistsError:
        raise ArchiveError(
            f"{out} is there already: name another file, or replace it with --overwrite"
        ) from None
    except BrokenPipeError:
        raise  # whoever read has gone
    except OSError as error:
        raise os_error(out, error, "write") from None
