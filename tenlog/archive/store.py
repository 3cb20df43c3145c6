"""Opening an archive to ask it: a connection whose views stand on the last committed parts."""

from __future__ import annotations

import os
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tenlog.archive.catalogue import TABLES, Catalogue, Part, hold, load, part_path
from tenlog.archive.engine import connect, speaking
from tenlog.archive.parts import hash_file, select
from tenlog.archive.reports import macro_statements
from tenlog.archive.schema import table_statements, view_statements
from tenlog.errors import ArchiveError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def read_catalogue(root: Path) -> Catalogue:
    """The last committed list of an archive that has to be there.

    Raises:
        ArchiveError: it is not there, or can't be read.
    """
    catalogue = load(root)
    if not catalogue.generation:
        where = "is empty" if root.is_dir() else "is not there"
        raise ArchiveError(f"the archive {root} {where}: add games with tenlog archive add")
    return catalogue


def open_archive(path: str | Path) -> DuckDBPyConnection:
    """A DuckDB connection to the archive as it was committed last: tables ``games``, ``players``,
    ``events`` and what follows from them, for DuckDB's own tools, pandas, Polars, a notebook.

    It sees one state of the archive however long it is open, and keeps nobody from writing. It is
    not a sandbox: for SQL that one need not trust see :mod:`tenlog.archive.ask`.

    Raises:
        ArchiveError: the archive is not there or can't be read.
    """
    con, _ = open_with(Path(path), connect())
    return con


def open_with(root: Path, con: DuckDBPyConnection) -> tuple[DuckDBPyConnection, Catalogue]:
    """The views on a connection of the caller's, and the list that they stand on.

    Raises:
        ArchiveError: the archive is not there or can't be read.
    """
    handle = hold(root) if root.is_dir() else None
    if handle is not None:
        weakref.finalize(con, os.close, handle)
    catalogue = read_catalogue(root)
    check_sizes(root, catalogue.parts)
    with speaking(root, "read"):
        sources = {table: select(root, table, catalogue.parts) for table in TABLES}
        con.execute(
            "\n".join([*macro_statements(), *table_statements(sources), *view_statements()])
        )
    return con, catalogue


def check_hashes(root: Path, parts: Sequence[Part]) -> None:
    """That every file is what it was, to the bit.

    Raises:
        ArchiveError: one is not.
    """
    for part in parts:
        for table, file in part.files.items():
            path = part_path(root, part, table)
            with speaking(root, "read"):
                found = hash_file(path)
            if found != file:
                raise ArchiveError(
                    f"the archive is damaged: {path} is not what was written; restore it from a "
                    "copy, or take what is whole with tenlog archive recover"
                )


def check_sizes(root: Path, parts: tuple[Part, ...]) -> None:
    """That every file is there in its full length; bits are :mod:`tenlog.archive.verify`'s.

    Raises:
        ArchiveError: one is not.
    """
    for part in parts:
        for table, file in part.files.items():
            path = part_path(root, part, table)
            try:
                size = path.stat().st_size
            except OSError:
                size = -1
            if size != file.size:
                what = "is missing" if size < 0 else f"has {size} bytes, not {file.size}"
                raise ArchiveError(
                    f"the archive is damaged: {path} {what}; restore it from a copy, or take what "
                    "is whole with tenlog archive recover"
                )
