"""Parts: some games in one Parquet file for each table, which never change.

How logs become one stands in :mod:`tenlog.archive.fill`; here is how files are written and read
back, and how several parts become one.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from tenlog.archive.catalogue import LOGGED, SCHEMA, TABLES, Part, PartFile, part_path
from tenlog.archive.derived import DERIVED, derived
from tenlog.archive.engine import asking, connect, one, parquet, quote, quote_list, rows, speaking
from tenlog.archive.schema import UPGRADES, column_names, empty_table
from tenlog.errors import ArchiveError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_COPY: Final = "(format parquet, compression zstd)"


def _sum(con: DuckDBPyConnection, table: str, source: str) -> tuple[int, int]:
    """How many rows there are, and the sum of their hashes: equal for equal sets of rows."""
    row = f"hash({column_names(table)})"
    found = one(con, f"select count(*), sum({row})::VARCHAR from {source}")
    return int(found[0]), int(found[1] or 0)


def merge_parts(root: Path, folder: Path, parts: Sequence[Part], without: Sequence[str]) -> Part:
    """One part with the games of several, save those of some ids; in ``folder``, proved and synced.
    ``root`` is where the parts lie: the archive, or the folder itself.

    Raises:
        ArchiveError: the parts can't be read or the new one can't be written.
    """
    with speaking(root, "write to"), connect(folder) as con:
        con.execute(
            f"create table without as select unnest({quote_list(without)}::VARCHAR[]) as game"
        )
        writing = Writing(folder, con)
        for table in LOGGED:
            writing.write(
                table,
                f"""select {column_names(table)} from ({select(root, table, parts)})
                where game not in (from without) order by game{ORDER[table]}""",
            )
        return writing.part({table: derived(table, f"from {writing.events}") for table in DERIVED})


ORDER: Final = {"games": "", "players": ", seat", "events": ", n"}


class Writing:
    """The files of a part while they are written."""

    def __init__(self, folder: Path, con: DuckDBPyConnection) -> None:
        self._con = con
        self._folder = folder
        self._parts = folder / "parts"
        self._parts.mkdir(exist_ok=True)
        self._files: dict[str, PartFile] = {}

    def _file(self, table: str) -> Path:
        return self._parts / f"{table}.parquet"

    @property
    def events(self) -> str:
        """What to select the events from, once they are written."""
        return parquet([self._file("events")])

    @property
    def placed(self) -> str:
        """The same with the place of each row, from 0: ``file_row_number``."""
        return parquet([self._file("events")], ", file_row_number = true")

    def copy(self, table: str, source: str) -> None:
        """The rows of a table into its file."""
        columns = column_names(table)
        file = quote(self._file(table))
        self._con.execute(f"copy (select {columns} from ({source})) to {file} {_COPY}")

    def keep(self, table: str) -> None:
        """The file is good: it is hashed and synced."""
        self._files[table] = _hash_and_sync(self._file(table))

    def write(self, table: str, source: str) -> None:
        """The rows of a table into its file, read back and compared with what they must be.

        Raises:
            ArchiveError: they are not.
        """
        meant = _sum(self._con, table, f"({source})")
        self.copy(table, source)
        if meant != _sum(self._con, table, parquet([self._file(table)])):
            file = self._file(table)
            raise ArchiveError(f"{file}: the disk gave back other rows than were written")
        self.keep(table)

    def part(self, following: Mapping[str, str]) -> Part:
        """The part, with the tables that follow from its events, and what gives their rows. These
        are not read back: the logs need nothing of them, and ``archive verify`` holds them against
        the events."""
        for table, source in following.items():
            self.copy(table, source)
            self.keep(table)
        games, first, last, events = measured(self._con, self._file("games"))
        files = {table: self._files[table] for table in TABLES}
        part = Part(named_after(files), SCHEMA, games, events, first, last, files)
        for table in TABLES:
            self._file(table).rename(part_path(self._folder, part, table))
        return part


def measured(con: DuckDBPyConnection, games: Path) -> tuple[int, str, str, int]:
    """What the file of a part's games says of it: how many there are, the least and the greatest
    id, and how many events."""
    count, first, last, events = one(
        con,
        f"""select count(*), min(game), max(game), sum(events)::BIGINT
        from {parquet([games])}""",
    )
    return count, first, last, events


def named_after(files: Mapping[str, PartFile]) -> str:
    """The name of the part with some files, given in the order of the tables."""
    hashes = "".join(file.sha256 for file in files.values())
    return sha256(hashes.encode()).hexdigest()[:32]


def hash_file(path: Path) -> PartFile:
    """The SHA-256 and the size of a file, without ever holding it."""
    digest = sha256()
    size = 0
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
            size += len(block)
    return PartFile(digest.hexdigest(), size)


def _hash_and_sync(path: Path) -> PartFile:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fchmod(handle, 0o444)  # a part never changes
        os.fsync(handle)
    finally:
        os.close(handle)
    return hash_file(path)


def staged_files(folder: Path, part: Part) -> list[Path]:
    """The files of a part that waits in a folder to be committed."""
    return [part_path(folder, part, table) for table in TABLES]


def scan(root: Path, table: str, parts: Sequence[Part]) -> str:
    """What to select a table's rows from."""
    if not parts:
        return f"({empty_table(table)})"
    return parquet([part_path(root, part, table) for part in parts])


def select(root: Path, table: str, parts: Sequence[Part]) -> str:
    """What to select to get a table's rows, parts of older schemas made like today's."""
    kinds = sorted({(part.schema, table in part.files) for part in parts}) or [(SCHEMA, True)]
    pieces = []
    for schema, stored in kinds:
        of_it = [p for p in parts if (p.schema, table in p.files) == (schema, stored)]
        columns = UPGRADES.get(schema, {}).get(table, column_names(table))
        if stored or table in LOGGED:
            pieces.append(f"select {columns} from {scan(root, table, of_it)}")
        else:
            made = derived(table, select(root, "events", of_it))
            pieces.append(f"select {columns} from ({made})")
    return " union all ".join(pieces)


class Held(NamedTuple):
    """What the parts hold of a game: the digest of its log, and how it was judged."""

    digest: str
    audit: str


def present(root: Path, parts: Sequence[Part], ids: Sequence[str]) -> dict[str, Held]:
    """Which of some ids the parts hold.

    Raises:
        ArchiveError: the parts can't be read.
    """
    if not ids:
        return {}
    least, most = min(ids), max(ids)
    parts = [part for part in parts if part.first <= most and least <= part.last]
    if not parts:
        return {}
    with speaking(root, "read"), asking() as con:
        found = rows(
            con,
            f"""select game, digest, audit from {scan(root, "games", parts)}
            where game in (select unnest(?::VARCHAR[]))""",
            [list(ids)],
        )
    return {game: Held(digest, audit) for game, digest, audit in found}


def wrongly_derived(con: DuckDBPyConnection, root: Path, part: Part) -> list[tuple[str, str]]:
    """The games of a part, each with the table, where a derived table is not what follows from the
    events."""
    found: list[tuple[str, str]] = []
    events = select(root, "events", [part])
    for table in DERIVED:
        if table not in part.files:
            continue
        names = column_names(table)
        kept = f"select {names} from ({select(root, table, [part])})"
        due = f"select {names} from ({derived(table, events)})"
        if _sum(con, table, f"({kept})") != _sum(con, table, f"({due})"):
            wrong = f"""select distinct game from (
                (({kept}) except all ({due})) union all (({due}) except all ({kept}))) order by 1"""
            found += [(str(game), table) for (game,) in rows(con, wrong)]
    return found
