"""Taking games out, writing everything anew, and handing a copy to other programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path

import msgspec

from tenlog.archive.build import Builder
from tenlog.archive.catalogue import (
    Catalogue,
    Part,
    appearing,
    commit,
    load,
    staging,
)
from tenlog.archive.engine import connect, one, quote, speaking
from tenlog.archive.fill import write_part
from tenlog.archive.parts import merge_parts, present, staged_files
from tenlog.archive.read import Kept, games_of
from tenlog.archive.schema import COLUMNS, export_ddl
from tenlog.archive.store import check_hashes, open_archive, read_catalogue
from tenlog.archive.writer import MOST, replace_parts, smallest, take_out
from tenlog.errors import ArchiveError, SetupError
from tenlog.log.read import read_game
from tenlog.log.replay import replay
from tenlog.log.source import GameText


def remove_games(root: str | Path, games: Sequence[str]) -> int:
    """Take games out for good; returns how many.

    Raises:
        SetupError: one of them is not there; then none is taken out.
        ArchiveError: it can't be written.
    """
    root = Path(root)
    wanted = sorted(set(games))
    read_catalogue(root)
    with staging(root) as folder:

        def change(before: Catalogue) -> tuple[Catalogue, list[Path]]:
            there = present(root, before.parts, wanted)
            missing = [game for game in wanted if game not in there]
            if missing:
                raise SetupError(
                    f"no game {missing[0][:64]!r} in the archive {root}: nothing was removed"
                )
            kept, fresh = take_out(root, folder, before.parts, wanted)
            after = msgspec.structs.replace(before, parts=(*kept, *fresh))
            return after, [file for part in fresh for file in staged_files(folder, part)]

        commit(root, change)
    return len(wanted)


class Rebuilt(msgspec.Struct, frozen=True):
    """What rebuilding did: games and events written anew, games that are judged in full now and
    were not before, parts and bytes before and after."""

    games: int
    events: int
    newly_judged: int
    parts_before: int
    parts: int
    bytes_before: int
    bytes: int


def rebuild_archive(
    root: str | Path, progress: Callable[[int, int], None] = lambda done, total: None
) -> Rebuilt:
    """Write every part anew from the logs that it gives back: judged in full, in today's schema,
    small parts made into big ones and too big ones parted. Killed at any moment, the archive is
    whole.

    Raises:
        ArchiveError: a game does not come back as it went in (its part stays as it is), or the
            archive can't be written.
    """
    root = Path(root)
    before = read_catalogue(root)
    done = judged = 0
    for part in before.parts:
        with staging(root) as folder:
            fresh, newly = _anew(root, part, folder, partial(_on, progress, done, before.games))
            replace_parts(root, [part], fresh)
        judged += newly
        done += part.games
    while (parts := _neighbours(load(root))) is not None:
        with staging(root) as folder:
            merged = merge_parts(root, folder, parts, ())
            if not replace_parts(root, parts, [(folder, merged)]):
                break
    after = load(root)
    return Rebuilt(
        after.games,
        after.events,
        judged,
        len(before.parts),
        len(after.parts),
        before.size,
        after.size,
    )


def _on(progress: Callable[[int, int], None], base: int, total: int, done: int) -> None:
    progress(base + done, total)


def _anew(
    root: Path, part: Part, folder: Path, done: Callable[[int], None]
) -> tuple[list[tuple[Path, Part]], int]:
    """The games of a part in new ones, none of them too big, each in a folder of its own; and how
    many games were not judged in full before."""
    fresh: list[tuple[Path, Part]] = []
    games = judged = 0
    builder: Builder | None = None
    with speaking(root, "read"), connect() as con:
        for kept in games_of(con, root, part):
            if builder is None:
                builder = Builder(_made(folder / str(len(fresh))))
            judged += _judge_again(root, kept, builder)
            games += 1
            if games % 64 == 0:
                done(games)
            if builder.events >= MOST:
                fresh.append((builder.folder, write_part(root, builder)))
                builder = None
    if builder is not None:
        fresh.append((builder.folder, write_part(root, builder)))
    return fresh, judged


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _judge_again(root: Path, kept: Kept | str, builder: Builder) -> bool:
    """A game into a builder, judged; returns whether it was not judged in full before."""
    if isinstance(kept, str) or sha256(kept.data).hexdigest() != kept.game.digest:
        name = kept if isinstance(kept, str) else f"{kept.game.game} does not come back"
        raise ArchiveError(f"the archive {root} is damaged: {name}; see tenlog archive verify")
    result = replay(read_game(GameText(kept.data, 1, 0)))
    if result.fault is not None:
        builder.add(kept.data, kept.game.audit)
        return False
    builder.add(kept.data, "full", result.state)
    return kept.game.audit not in ("full", "engine")


def _neighbours(catalogue: Catalogue) -> list[Part] | None:
    """Parts that together are not too big for one, small ones first."""
    found = smallest(catalogue.parts)
    return found if len(found) > 1 else None


def export_archive(root: str | Path, out: Path) -> int:
    """Write all tables as Hive-partitioned Parquet (by ruleset and number of seats), with the DDL
    to read them without tenlog; returns the number of games.

    ``out`` must not be there yet; it appears when it is whole. Raises:
        ArchiveError: it can't be written, or the archive can't be read.
    """
    root = Path(root)
    with appearing(root, out) as part:
        check_hashes(root, read_catalogue(root).parts)
        with open_archive(root) as con, speaking(root, "export"):
            con.execute("set preserve_insertion_order = true")
            games = int(one(con, "select count(*) from games")[0])
            for table in COLUMNS:
                more = "" if table == "games" else "join games g using (game)"
                ruleset = "ruleset" if table == "games" else "g.ruleset"
                seats = "players" if table == "games" else "g.players"
                skip = "exclude (ruleset)" if table == "games" else ""
                con.execute(
                    f"""copy (select t.* {skip}, {ruleset} as ruleset, {seats} as seats
                        from {table} t {more})
                    to {quote(part / table)} (format parquet, compression zstd,
                        partition_by (ruleset, seats))"""
                )
            if not games:
                raise ArchiveError(f"the archive {root} has no games to export")
        (part / "schema.sql").write_text(export_ddl(), encoding="utf-8")
    return games
