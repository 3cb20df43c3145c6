"""What is left of a damaged archive, in a new one: every game that still comes back exactly.

The damaged archive is only read. A part all of whose files are what was written is taken as it is;
of any other one, those games whose bytes still have the digest that was kept for them, and nothing
else of it is believed. Where games are missing, files are looked at, too, that the list of the
parts does not name; where the list is damaged or gone, all files: what is written under a name that
is made of its content is what was written.
"""

from __future__ import annotations

import os
import shutil
import stat
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from tenlog.archive.build import Builder
from tenlog.archive.catalogue import (
    LOGGED,
    SCHEMA,
    TABLES,
    Catalogue,
    ListDamaged,
    Part,
    PartFile,
    commit,
    is_inside,
    os_error,
    part_path,
    reading,
    staging,
)
from tenlog.archive.engine import connect, one, parquet, rows, speaking
from tenlog.archive.fill import write_part
from tenlog.archive.lines import NotKept
from tenlog.archive.parts import hash_file, named_after, staged_files
from tenlog.archive.read import Kept, find_game
from tenlog.archive.store import read_catalogue
from tenlog.errors import ArchiveError
from tenlog.log.read import read_game
from tenlog.log.replay import replay
from tenlog.log.source import GameText
from tenlog.log.whole import beside

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

TOLD: Final = 1000  # lost games that a report names


class Recovered(msgspec.Struct):
    """What recovering did.

    Attributes:
        parts: how many parts were looked at.
        damaged: how many of them were not what was written.
        listed: whether the list of the parts could be read; else nobody can tell whether there were
            more.
        unlisted: how many games were taken from files that the list does not name; some may have
            been taken out before.
        lost: how many games of the list are lost; without the list, how many are known to be.
        lost_games: the ids of the first thousand of them, as far as they can be told.
        games, events: what the new archive holds.
        seconds: how long it took.
    """

    parts: int = 0
    damaged: int = 0
    listed: bool = True
    unlisted: int = 0
    lost: int = 0
    lost_games: list[str] = msgspec.field(default_factory=list)
    games: int = 0
    events: int = 0
    seconds: float = 0.0


def recover_archive(
    root: str | Path, out: Path, progress: Callable[[int, int], None] = lambda done, total: None
) -> Recovered:
    """Write what is whole of an archive to a new one, and tell what is lost. ``out`` must not be
    there yet; it appears when all is done. ``progress`` hears how many games are there so far,
    and how many there may be.

    Raises:
        ArchiveError: there is no archive, a newer tenlog wrote it, nothing of it is whole, or the
            new one can't be written.
    """
    began = time.monotonic()
    root = Path(root)
    if os.path.lexists(out):
        raise ArchiveError(f"{out} is there already: choose another folder")
    if is_inside(root, out):
        raise ArchiveError(f"{out} is inside the archive: choose another folder")
    with reading(root):  # nothing is swept meanwhile
        catalogue = _catalogue(root)
        fresh = beside(out)
        total = 0 if catalogue is None else catalogue.games
        recovering = _Recovering(root, fresh, lambda games: progress(games, max(games, total)))
        try:
            fresh.mkdir(parents=True)
            result = recovering.run(catalogue)
            if not result.games:
                raise ArchiveError(f"no game of the archive {root} is whole")
            fresh.rename(out)
        except OSError as error:
            raise os_error(out, error, "write to") from None
        finally:
            shutil.rmtree(fresh, ignore_errors=True)
    result.seconds = time.monotonic() - began
    return result


def _catalogue(root: Path) -> Catalogue | None:
    """The list of the parts, or None if it is damaged."""
    try:
        return read_catalogue(root)
    except ListDamaged:
        return None


class _Recovering:
    """One run of :func:`recover_archive`."""

    def __init__(self, root: Path, out: Path, progress: Callable[[int], None]) -> None:
        self._root = root
        self._out = out
        self._progress = progress
        self._result = Recovered()
        self._there: set[str] = set()  # ids in the new archive
        self._missed: set[str] = set()  # ids that did not come back

    def run(self, catalogue: Catalogue | None) -> Recovered:
        """Recover what the list names, or everything without one."""
        result = self._result
        result.listed = catalogue is not None
        due = 0
        for part in catalogue.parts if catalogue is not None else ():
            due += part.games
            result.parts += 1
            result.damaged += not self._take(part, _is_whole(self._root, part))
        if catalogue is None or len(self._there) < due:
            self._take_unlisted(catalogue)
        gone = sorted(self._missed - self._there)
        result.lost_games = gone[:TOLD]
        result.lost = max(due - len(self._there), len(gone))
        keys = catalogue.keys if catalogue is not None and not result.lost else ()
        after = commit(
            self._out,
            # Without its key, a run that put a chunk here plays it again, and adds what is missing.
            lambda before: (msgspec.structs.replace(before, keys=keys), []),
        )
        result.games, result.events = after.games, after.events
        return result

    def _take_unlisted(self, catalogue: Catalogue | None) -> None:
        """Games of files that the list does not name, those that were written last first."""
        named = {part.name for part in catalogue.parts} if catalogue is not None else set()
        before = len(self._there)
        for part, whole in _unlisted(self._root, named):
            if catalogue is None:
                self._result.parts += 1
                self._result.damaged += not whole
            self._take(part, whole)
        if catalogue is not None:
            self._result.unlisted = len(self._there) - before

    def _take(self, part: Part, whole: bool) -> bool:
        """What is good of a part; returns whether it is ``whole``."""
        ids = _ids_of(self._root, part, ("games",) if whole else TABLES)
        wanted = [game for game in ids if game not in self._there]
        if whole and len(wanted) == len(ids) == part.games:
            self._link(part)
            self._there.update(wanted)
        elif wanted:
            self._salvage(part, wanted)
            self._missed.update(game for game in wanted if game not in self._there)
        self._progress(len(self._there))
        return whole

    def _link(self, part: Part) -> None:
        """A part as it is: parts never change."""
        with staging(self._out) as folder:
            (folder / "parts").mkdir()
            for table, file in part.files.items():
                source, copy = part_path(self._root, part, table), part_path(folder, part, table)
                try:
                    os.link(source, copy)
                except OSError:  # another disk, or one that has no links
                    shutil.copyfile(source, copy)
                    copy.chmod(0o444)
                    if hash_file(copy) != file:
                        message = f"{copy}: the disk gave back another file than was copied"
                        raise ArchiveError(message) from None
            self._commit(folder, part)

    def _salvage(self, part: Part, games: Sequence[str]) -> None:
        """Some games of a part, one by one."""
        found: list[str] = []
        with staging(self._out) as folder, closing(_back(self._root, part, games)) as kept:
            builder = Builder(folder)
            for number, game in enumerate(kept):
                if number % 16 == 0:
                    self._progress(len(self._there) + len(found))
                if game is not None and _judge(game, builder):
                    found.append(game.game.game)
            if builder.games:
                self._commit(folder, write_part(self._root, builder))
        self._there.update(found)

    def _commit(self, folder: Path, part: Part) -> None:
        def change(before: Catalogue) -> tuple[Catalogue, list[Path]]:
            after = msgspec.structs.replace(before, parts=(*before.parts, part))
            files = staged_files(folder, part)
            return after, [file for file in files if file.exists()]

        commit(self._out, change)


def _hash_of(root: Path, part: Part, table: str) -> PartFile | None:
    """What a file is; None where it can't be read to its end, or is no file.

    Raises:
        ArchiveError: it may not be read, which tells nothing of it.
    """
    path = part_path(root, part, table)
    try:
        return hash_file(path) if stat.S_ISREG(path.stat().st_mode) else None
    except PermissionError as error:
        raise os_error(path, error, "read") from None
    except OSError:
        return None


def _is_whole(root: Path, part: Part) -> bool:
    """Whether every file of a part is there, and what it was."""
    return all(_hash_of(root, part, table) == file for table, file in part.files.items())


def _readable(root: Path, part: Part) -> set[str]:
    """The tables of a part that have a file."""
    return {table for table in TABLES if part_path(root, part, table).is_file()}


def _ids_of(root: Path, part: Part, tables: Sequence[str]) -> list[str]:
    """The ids of a part's games: all that any of some tables names."""
    found: set[str] = set()
    for table in _readable(root, part).intersection(tables):
        with suppress(ArchiveError), speaking(root, "read"), connect() as con:
            source = parquet([part_path(root, part, table)])
            found.update(
                game
                for (game,) in rows(con, f"select distinct game from {source}")
                if isinstance(game, str) and game.isprintable()
            )
    return sorted(found)


def _back(root: Path, part: Part, games: Sequence[str]) -> Generator[Kept | None, None, None]:
    """Some games of a part, one by one; None for each that does not come back."""
    if not _readable(root, part).issuperset(LOGGED):
        return
    con: DuckDBPyConnection | None = None
    try:
        for game in games:
            con = con or connect()
            try:
                with speaking(root, "read"):
                    kept = find_game(con, root, part, game)
            except ArchiveError:
                kept = None
                con.close()  # what DuckDB takes for an error of its own, it does not recover from
                con = None
            yield kept
    finally:
        if con is not None:
            con.close()


def _judge(kept: Kept, builder: Builder) -> bool:
    """A game judged anew, into a part; how it was judged before is not believed."""
    result = replay(read_game(GameText(kept.data, 1, 0)))
    try:
        builder.add(kept.data, "none" if result.fault else "full", result.state)
    except NotKept:
        return False
    return True


def _unlisted(root: Path, named: set[str]) -> Iterator[tuple[Part, bool]]:
    """The parts whose files lie in an archive and whose names are not among some; and whether they
    are what was written."""
    found: dict[str, float] = {}
    try:
        with os.scandir(root / "parts") as entries:
            for entry in entries:
                name, _, table = entry.name.removesuffix(".parquet").partition(".")
                if table in TABLES and name not in named:
                    when = entry.stat(follow_symlinks=False).st_mtime
                    found[name] = max(when, found.get(name, 0))
    except FileNotFoundError:
        return
    except OSError as error:
        raise os_error(root / "parts", error, "read") from None
    for name in sorted(found, key=lambda name: (-found[name], name)):
        yield _part_of(root, name)


def _part_of(root: Path, name: str) -> tuple[Part, bool]:
    bare = Part(name, SCHEMA, 0, 0, "", "", {})
    files: dict[str, PartFile] = {}
    for table in TABLES:
        file = _hash_of(root, bare, table)
        if file is not None:
            files[table] = file
    tables = tuple(files)
    part = msgspec.structs.replace(bare, schema=1 if tables == LOGGED else SCHEMA, files=files)
    if tables not in (TABLES, LOGGED) or named_after(files) != name:
        return part, False
    with speaking(root, "read"), connect() as con:
        games, events, first, last = one(
            con,
            f"""select count(*), sum(events)::BIGINT, min(game), max(game)
            from {parquet([part_path(root, part, "games")])}""",
        )
    replaced = msgspec.structs.replace(part, games=games, events=events, first=first, last=last)
    return replaced, True
