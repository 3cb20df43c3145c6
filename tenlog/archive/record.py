"""What the archive knows of one player: the games that a name has played here."""

from __future__ import annotations

from pathlib import Path

import msgspec

from tenlog.errors import ArchiveError


class Record(msgspec.Struct, frozen=True):
    """A player's finished games, played by a person and not by a bot.

    Attributes:
        name: the player.
        games: how many games.
        won: how many of them were won, shared victories included.
        best: the most points in one of them.
        mean: points on average.
    """

    name: str
    games: int
    won: int
    best: int
    mean: float


def record_of(root: Path, name: str) -> Record | None:
    """The record of a name in an archive; None if it has no game there, or there is no archive.

    Raises:
        ArchiveError: the archive can't be read, or DuckDB is not installed.
    """
    if not root.is_dir():
        return None
    try:
        from tenlog.archive.store import open_archive

        con = open_archive(root)
    except ImportError:
        raise ArchiveError("DuckDB is not installed") from None
    with con:
        row = con.execute(
            "select count(*), count(*) filter (won), max(score), avg(score) from players "
            "where name = ? and bot is null",
            [name],
        ).fetchone()
    if row is None or not row[0]:
        return None
    return Record(name, int(row[0]), int(row[1]), int(row[2]), float(row[3]))
