"""What is left of a damaged archive, made whole again: every game that still comes back exactly.

A part with a file that is not what was written, or is gone, is replaced by one of those of its
games whose bytes still have the digest that was kept for them; nothing else of it is believed. If
the list of parts is damaged or gone, it is made anew from the parts: their names tell whether they
are what was written. What is replaced is kept in ``damaged``.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from tenlog.archive.build import Builder
from tenlog.archive.catalogue import (
    LOGGED,
    NAME,
    SCHEMA,
    TABLES,
    Catalogue,
    ListDamaged,
    Part,
    PartFile,
    commit,
    load,
    os_error,
    part_path,
    reading,
    relist,
    staging,
)
from tenlog.archive.engine import connect, one, parquet, rows, speaking
from tenlog.archive.fill import write_part
from tenlog.archive.lines import NotKept
from tenlog.archive.parts import hash_file, named_after, present, scan, staged_files
from tenlog.archive.read import Kept, find_game
from tenlog.archive.store import read_catalogue
from tenlog.errors import ArchiveError
from tenlog.log.read import read_game
from tenlog.log.replay import replay
from tenlog.log.source import GameText

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

DAMAGED: Final = "damaged"  # the folder that keeps what was replaced
TOLD: Final = 1000  # lost games that a report names


class Repaired(msgspec.Struct):
    """What repairing did.

    Attributes:
        parts: how many there were.
        damaged: how many of them had a file that was not what was written, or was gone.
        relisted: whether the list of the parts was damaged, and made anew.
        saved: how many games of damaged parts were kept.
        lost: how many were not; -1 if that can't be told.
        lost_games: the ids of the first thousand of them, as far as they can be told.
        games, events: what the archive holds now.
        seconds: how long it took.
    """

    parts: int = 0
    damaged: int = 0
    relisted: bool = False
    saved: int = 0
    lost: int = 0
    lost_games: list[str] = msgspec.field(default_factory=list)
    games: int = 0
    events: int = 0
    seconds: float = 0.0

    def lose(self, part: Part, ids: Sequence[str] | None, back: set[str]) -> None:
        """What of a part did not come ``back``; its ``ids`` are None if they can't be read."""
        gone = [game for game in ids or () if game not in back]
        self.lost_games += gone[: TOLD - len(self.lost_games)]
        # A part that is not on the list does not say how many games it has.
        known = part.games if part.games else None if ids is None else len(ids)
        if known is None or self.lost < 0:
            self.lost = -1
        else:
            self.lost += max(known - len(back), len(gone))


def repair_archive(
    root: str | Path, progress: Callable[[int, int], None] = lambda done, total: None
) -> Repaired:
    """Keep of a damaged archive what is whole, and tell what is lost. Killed at any moment, it can
    be repaired again. ``progress`` hears how many games of damaged parts were looked at, and of how
    many.

    Raises:
        ArchiveError: the archive is not there, a newer tenlog wrote it, or it can't be written.
    """
    began = time.monotonic()
    root = Path(root)
    result = Repaired()
    with reading(root):  # nothing that may have to be looked at is deleted meanwhile
        try:
            read_catalogue(root)
            more: list[Part] = []
        except ListDamaged:
            result.relisted = True
            more = _make_list(root, result)
        parts = load(root).parts
        result.parts = len(parts) + len(more)
        bad = [part for part in parts if not _whole(root, part)] + more
        result.damaged += len(bad)
        total, done = sum(part.games for part in bad), 0

        def moved(base: int, number: int) -> None:
            progress(base + number, total)

        while bad:
            _salvage(root, bad[0], bad, result, partial(moved, done))
            done += bad.pop(0).games
    after = commit(root, lambda _: None)
    result.games, result.events = after.games, after.events
    result.seconds = time.monotonic() - began
    return result


def _whole(root: Path, part: Part) -> bool:
    """Whether every file of a part is there, and what it was."""
    return all(_hash_of(root, part, table) == file for table, file in part.files.items())


def _hash_of(root: Path, part: Part, table: str) -> PartFile | None:
    try:
        return hash_file(part_path(root, part, table))
    except PermissionError as error:  # which tells nothing of what is there
        raise os_error(part_path(root, part, table), error, "read") from None
    except OSError:
        return None


def _salvage(
    root: Path,
    part: Part,
    bad: Sequence[Part],
    result: Repaired,
    progress: Callable[[int], None],
) -> None:
    """What comes back of a damaged part, in its place; what parts have that are not ``bad`` is left
    there."""
    ids = _ids_of(root, part)
    names = {other.name for other in bad}
    sound = [other for other in load(root).parts if other.name not in names]
    there = present(root, sound, ids or [])
    back: set[str] = set(there)
    with staging(root) as folder:
        builder = Builder(folder)
        wanted = [game for game in ids or () if game not in there]
        with closing(_back(root, part, wanted)) as found:
            for number, kept in enumerate(found):
                if number % 16 == 0:
                    progress(number)
                if kept is not None and _judge(kept, builder):
                    back.add(kept.game.game)
        fresh = [write_part(root, builder)] if builder.games else []
        result.saved += builder.games
        result.lose(part, ids, back)
        _keep_aside(root, part)

        def change(before: Catalogue) -> tuple[Catalogue, list[Path]]:
            kept = [other for other in before.parts if other.name != part.name]
            # A run that put its chunks here finds some of their games gone, and plays them again.
            keys = before.keys if result.lost == 0 else ()
            after = msgspec.structs.replace(before, parts=(*kept, *fresh), keys=keys)
            return after, [file for new in fresh for file in staged_files(folder, new)]

        commit(root, change)


def _ids_of(root: Path, part: Part) -> list[str] | None:
    """The ids of a part's games, from the first of its tables that can be read; None without."""
    for table in LOGGED:
        with suppress(ArchiveError), speaking(root, "read"), connect() as con:
            found = rows(con, f"select distinct game from {scan(root, table, [part])} order by 1")
            return [str(game) for (game,) in found if game is not None]
    return None


def _back(root: Path, part: Part, games: Sequence[str]) -> Generator[Kept | None, None, None]:
    """Some games of a damaged part, one by one; None for each that does not come back."""
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


def _keep_aside(root: Path, part: Part) -> None:
    """The files of a part in the folder that keeps what is replaced."""
    for table in part.files:
        path = part_path(root, part, table)
        if path.exists():
            _keep_file(root, path)


def _keep_file(root: Path, path: Path) -> None:
    try:
        (root / DAMAGED).mkdir(exist_ok=True)
        other = root / DAMAGED / path.name
        other.unlink(missing_ok=True)
        try:
            os.link(path, other)
        except OSError:
            shutil.copyfile(path, other)
    except OSError as error:
        raise os_error(root / DAMAGED, error, "write to") from None


def _make_list(root: Path, result: Repaired) -> list[Part]:
    """A list of all parts that are what was written, in the place of a damaged one; returns the
    other parts, and those with games that newer ones have, too."""
    listed: list[Part] = []
    others: list[Part] = []
    seen: set[str] = set()
    # Newer parts first: what replaced others may stand beside them still.
    for part in sorted(_parts_there(root), key=lambda part: _age(root, part)):
        ids = set(_ids_of(root, part) or ())
        if not part.games:
            others.append(part)
        elif seen.isdisjoint(ids):
            listed.append(part)
        elif not ids <= seen:
            others.append(part)
            result.damaged -= 1  # it is not; it is only in the way
        seen |= ids if part.games else set()
    if (root / NAME).exists():
        _keep_file(root, root / NAME)
    relist(root, Catalogue(generation=1, parts=tuple(listed)))
    return others


def _age(root: Path, part: Part) -> tuple[float, str]:
    times = [part_path(root, part, table).stat().st_mtime for table in part.files]
    return -max(times), part.name


def _parts_there(root: Path) -> Iterator[Part]:
    """The parts whose files lie there; those that are not what was written have no games."""
    found: dict[str, list[str]] = {}
    for file in sorted((root / "parts").glob("*.parquet")):
        name, _, table = file.name.removesuffix(".parquet").partition(".")
        if table in TABLES:
            found.setdefault(name, []).append(table)
    for name, tables in found.items():
        bare = Part(name, SCHEMA, 0, 0, "", "", {})
        try:
            files: dict[str, PartFile] = {
                t: hash_file(part_path(root, bare, t)) for t in TABLES if t in tables
            }
        except OSError as error:
            raise os_error(root / "parts", error, "read") from None
        schema = SCHEMA if set(files) == set(TABLES) else 1
        part = msgspec.structs.replace(bare, schema=schema, files=files)
        if named_after(files) == name and set(LOGGED) <= set(files):
            with speaking(root, "read"), connect() as con:
                games, events, first, last = one(
                    con,
                    f"""select count(*), sum(events)::BIGINT, min(game), max(game)
                    from {parquet([part_path(root, part, "games")])}""",
                )
            part = msgspec.structs.replace(part, games=games, events=events, first=first, last=last)
        yield part
