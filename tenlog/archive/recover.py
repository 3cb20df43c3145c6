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
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
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
    appearing,
    commit,
    load,
    os_error,
    part_path,
    reading,
    staging,
)
from tenlog.archive.engine import connect, one, parquet, rows, speaking
from tenlog.archive.fill import write_part
from tenlog.archive.lines import NotKept
from tenlog.archive.parts import hash_file, measured, named_after, staged_files
from tenlog.archive.read import Kept, find_game
from tenlog.archive.store import read_catalogue
from tenlog.errors import ArchiveError
from tenlog.log.read import read_game
from tenlog.log.replay import replay
from tenlog.log.source import GameText

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

TOLD: Final = 1000  # lost games that a report names
_LONG: Final = 100  # characters; the names of parts have 32


class Recovered(msgspec.Struct):
    """What recovering did.

    Attributes:
        parts: how many parts were looked at.
        damaged: how many of them were not what was written.
        listed: whether the list of the parts could be read; else nobody can tell whether there were
            more.
        unlisted: how many games were taken from files that the list does not name. Where it can't
            be told which games are missing, some of them may have been taken out before.
        lost: how many games did not come back that the list's parts had, or (where the list is
            damaged) that files name; a game taken from elsewhere is not lost if its digest is that
            of the one that is missing.
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
    with appearing(root, out) as fresh, reading(root):  # nothing is swept meanwhile
        catalogue = _catalogue(root)
        total = 0 if catalogue is None else catalogue.games
        recovering = _Recovering(root, fresh, lambda games: progress(games, max(games, total)))
        result = recovering.run(catalogue)
        if not result.games:
            raise ArchiveError(f"the archive {root} has no game that is whole")
    result.seconds = time.monotonic() - began
    return result


def _catalogue(root: Path) -> Catalogue | None:
    """The list of the parts, or None if it is damaged."""
    try:
        catalogue = load(root)
    except ListDamaged:
        return None
    there = (root / "parts").is_dir()
    if not catalogue.generation and not there:
        read_catalogue(root)  # says that there is none
    parts = catalogue.parts
    sane = catalogue.generation and len({part.name for part in parts}) == len(parts)
    return catalogue if sane and all(map(_is_named_well, parts)) else None


def _is_named_well(part: Part) -> bool:
    """Whether a part has the files and the name that every part has."""
    files: dict[str, PartFile] = {t: part.files[t] for t in TABLES if t in part.files}
    return tuple(files) in (TABLES, LOGGED) and named_after(files) == part.name


class _Recovering:
    """One run of :func:`recover_archive`."""

    def __init__(self, root: Path, out: Path, progress: Callable[[int], None]) -> None:
        self._root = root
        self._out = out
        self._progress = progress
        self._result = Recovered()
        self._there: dict[str, str] = {}  # digests in the new archive, by id
        # Of listed parts: how many games did not come back, and what is known of them, which is
        # the id, and the digest if that can be read.
        self._lost = 0
        self._missed: dict[str, str | None] = {}

    def run(self, catalogue: Catalogue | None) -> Recovered:
        """Recover what the list names, or everything without one."""
        result = self._result
        result.listed = catalogue is not None
        if catalogue is not None:
            self._take_listed(catalogue.parts)
        if catalogue is None or self._lost:
            self._take_unlisted(catalogue)
        gone = {game for game in self._missed if not self._is_back(game)}
        result.lost_games = sorted(gone)[:TOLD]
        result.lost = self._lost if catalogue is not None else len(gone)
        keys = catalogue.keys if catalogue is not None and not result.lost else ()
        after = commit(
            self._out,
            # Without its key, a run that put a chunk here plays it again, and adds what is missing.
            lambda before: (msgspec.structs.replace(before, keys=keys), []),
        )
        result.games, result.events = after.games, after.events
        return result

    def _is_back(self, game: str) -> bool:
        """Whether a game that was missed came from elsewhere. Of a list's game, it has to be known
        that it is this one; without a list, any is better than none."""
        due = self._missed[game]
        any_will_do = due is None and not self._result.listed
        return game in self._there and (self._there[game] == due or any_will_do)

    def _miss(self, digests: Mapping[str, str | None]) -> None:
        """Games that should be there by now, of which those that are not are missed."""
        self._missed.update(
            (game, digest) for game, digest in digests.items() if game not in self._there
        )

    def _take_listed(self, parts: Sequence[Part]) -> None:
        due = 0
        certain: set[str] = set()  # ids in parts that are whole
        for part in parts:
            whole = _is_whole(self._root, part)
            self._result.parts += 1
            self._result.damaged += not whole
            digests = _digests_of(self._root, part, whole)
            self._take(part, whole, digests)
            self._miss(digests)
            if whole:
                due += len(digests.keys() - certain)
                certain |= digests.keys()
            else:
                due += part.games
        # Counted at the end: what files of a damaged part hold may be games of another part.
        self._lost = max(0, due - len(self._there))
        self._missed = {g: digest for g, digest in self._missed.items() if g not in self._there}

    def _take_unlisted(self, catalogue: Catalogue | None) -> None:
        """Games of files that the list does not name, those that were written last first."""
        named = {part.name for part in catalogue.parts} if catalogue is not None else set()
        for part, whole in _unlisted(self._root, named):
            digests = _digests_of(self._root, part, whole)
            if catalogue is None:
                self._result.parts += 1
                self._result.damaged += not whole
                self._take(part, whole, digests)
                self._miss(digests)
                continue
            # What is known to be missing is taken if it is that very game; anything else only if
            # there may be games missing of which nothing is known.
            known = sum(game not in self._there for game in self._missed)
            unknown = self._lost > known
            wanted: dict[str, str | None] = {
                game: digest
                for game, digest in digests.items()
                if (self._missed[game] in (None, digest) if game in self._missed else unknown)
            }
            before = set(self._there)
            self._take(part, whole and wanted == digests, wanted)
            fresh = self._there.keys() - before
            self._result.unlisted += len(fresh)
            self._lost -= sum(game in self._missed and self._is_back(game) for game in fresh)

    def _take(self, part: Part, whole: bool, digests: Mapping[str, str | None]) -> None:
        """Games of a part that are not in the new archive yet; of some a digest is known."""
        wanted = {game: digest for game, digest in digests.items() if game not in self._there}
        if whole and wanted and len(wanted) == len(digests):
            self._link(part)
            self._there.update((game, digest or "") for game, digest in wanted.items())
        else:
            self._salvage(part, wanted)
        self._progress(len(self._there))

    def _link(self, part: Part) -> None:
        """A part as it is: parts never change."""
        with staging(self._out) as folder:
            (folder / "parts").mkdir()
            for table, file in part.files.items():
                source = os.path.realpath(part_path(self._root, part, table))
                copy = part_path(folder, part, table)
                try:
                    os.link(source, copy)
                except OSError:  # another disk, or one that has no links
                    shutil.copyfile(source, copy)
                    copy.chmod(0o444)
                    if hash_file(copy) != file:
                        raise ArchiveError(f"{source} changed while it was read") from None
            self._commit(folder, _measured(folder, part))

    def _salvage(self, part: Part, games: Mapping[str, str | None]) -> None:
        """Some games of a part, one by one, if they have the digests that are known."""
        found: dict[str, str] = {}
        with staging(self._out) as folder, closing(_back(self._root, part, list(games))) as kept:
            builder = Builder(folder)
            for number, game in enumerate(kept):
                if number % 16 == 0:
                    self._progress(len(self._there) + len(found))
                if (
                    game is not None
                    and games[game.game.game] in (None, game.game.digest)
                    and _judge(game, builder)
                ):
                    found[game.game.game] = game.game.digest
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
        return hash_file(path) if _is_file(path) else None
    except PermissionError as error:
        raise os_error(path, error, "read") from None
    except OSError:
        return None


def _is_file(path: Path) -> bool:
    """Whether something is a file, or a link to one; a pipe would be waited for."""
    return stat.S_ISREG(path.stat().st_mode)


def _is_whole(root: Path, part: Part) -> bool:
    """Whether every file of a part is there, and what it was."""
    return all(_hash_of(root, part, table) == file for table, file in part.files.items())


def _readable(root: Path, part: Part) -> list[str]:
    """The tables of a part that can be opened."""
    found = []
    for table in TABLES:
        with suppress(ArchiveError), speaking(root, "read"), connect() as con:
            if _is_file(part_path(root, part, table)):
                rows(con, f"select game from {_source(root, part, table)} limit 1")
                found.append(table)
    return found


def _source(root: Path, part: Part, table: str) -> str:
    return parquet([part_path(root, part, table)])


def _digests_of(root: Path, part: Part, whole: bool) -> dict[str, str | None]:
    """The ids of a part's games, all that any of its tables names, with their digests where these
    can be read."""
    found: dict[str, str | None] = {}
    for table in ("games",) if whole else reversed(_readable(root, part)):  # games last
        column = "digest" if table == "games" else "null"
        with suppress(ArchiveError), speaking(root, "read"), connect() as con:
            for game, digest in rows(
                con, f"select distinct game, {column} from {_source(root, part, table)}"
            ):
                if isinstance(game, str) and game.isprintable():
                    found[game] = digest
    return found


def _back(root: Path, part: Part, games: Sequence[str]) -> Generator[Kept | None, None, None]:
    """Some games of a part, one by one; None for each that does not come back."""
    if not games or not set(_readable(root, part)).issuperset(LOGGED):
        return
    con = connect()
    try:
        for game in games:
            try:
                with speaking(root, "read"):
                    kept = find_game(con, root, part, game)
            except ArchiveError:
                kept = None
                if not _works(root, con):
                    con.close()
                    con = connect()
            yield kept
    finally:
        con.close()


def _works(root: Path, con: DuckDBPyConnection) -> bool:
    """Whether a connection can be asked still: after some errors of its own, DuckDB can't be."""
    with suppress(ArchiveError), speaking(root, "read"):
        one(con, "select 1")
        return True
    return False


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
                if table in TABLES and name not in named and len(name) < _LONG:
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
    schema = 1 if tuple(files) == LOGGED else SCHEMA
    part = msgspec.structs.replace(bare, schema=schema, files=files)
    return (_measured(root, part), True) if _is_named_well(part) else (part, False)


def _measured(root: Path, part: Part) -> Part:
    """A part with what its files say of its size."""
    with speaking(root, "read"), connect() as con:
        games, first, last, events = measured(con, part_path(root, part, "games"))
    return msgspec.structs.replace(part, games=games, events=events, first=first, last=last)
