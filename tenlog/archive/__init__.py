"""The archive: finished games in columns, asked with SQL.

The only room that knows DuckDB and NumPy.

**How it is kept, and why.** An archive is a folder::

    catalogue.json      which parts there are, with the SHA-256 of every file; replaced atomically
    parts/              immutable Parquet files (zstd), one a table, named by their content
    staging/            what is being written; swept when its writer is dead
    lock, readers       locks; empty

- *Immutable parts, one list.* A commit writes, syncs and hashes files elsewhere, moves them into
  ``parts`` under names made of their content, and replaces the list by renaming a synced file over
  it, under a lock that is held for that moment only. Killed anywhere, the list is the old one or
  the new one; files that it does not name are not there (and are swept later). Readers take the
  list as they find it: they work on the last commit, never wait, and keep what they read from being
  swept by a shared lock. A native DuckDB file would allow one writer or many readers, and took 14
  bytes an event where this takes 3 to 4, and 5 to 6 with the next.
- *What follows from the events is kept too*: ``turns``, ``draws`` and ``auctions`` need windows
  over all events, which made reports slow; they are computed once, when a part is written
  (:mod:`tenlog.archive.follow`), and ``archive verify`` computes them again in another way
  (:mod:`tenlog.archive.derived`).
- *Parquet flips are silent*, so nothing relies on Parquet to notice: every file is hashed, and
  ``archive verify`` finds any bit, in the list (which has a hash of its own) as in the parts. Since
  parts are named by their content, and games have digests, ``archive recover`` finds what is whole
  (:mod:`tenlog.archive.recover`).
- *Lists, never globs.* A file of a killed ``COPY`` can't be taken for data.
- *Each game once.* Ids are looked up before the work and again under the lock. The same id with the
  same bytes is known, with other bytes it is refused, or (``--replace``) takes the other's place.
- *Columns that give the log back.* ``events`` has what each line says in typed columns; seals are
  computed again, so only where they stand is kept; the commitment likewise; ``games`` and
  ``players`` tell the first and the last line. :mod:`tenlog.archive.build` and
  :mod:`tenlog.archive.fill` say how that is proved before a game counts as added.
- *The tables are a contract*: documented and commented (``tenlog query --schema``,
  ``schemas/archive.sql``), with a schema number in the catalogue and in every part. An archive of a
  newer schema is refused; parts of older ones are read through ``schema.UPGRADES`` and written anew
  by ``archive rebuild``.
- *Many small commits* (a game that was just played) make small parts; sixteen of a size become one,
  of a million events at most, so that neither adding nor merging needs more memory with more games.

From Python::

    import tenlog.archive
    con = tenlog.archive.open("games.archive")      # a DuckDB connection
    con.sql("select bot, avg(score) from players group by bot").pl()

and for writers :class:`ArchiveWriter`, :func:`add_logs`, :func:`add_played`. Nothing here imports
DuckDB or NumPy before it is needed.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from tenlog.archive.add import Added, add_logs
    from tenlog.archive.ask import ask
    from tenlog.archive.home import add_played, default_archive
    from tenlog.archive.read import get_game
    from tenlog.archive.stage import KeptOut
    from tenlog.archive.store import open_archive as open  # noqa: A004 - tenlog.archive.open
    from tenlog.archive.writer import ArchiveWriter, Committed

__all__ = [
    "Added",
    "ArchiveWriter",
    "Committed",
    "KeptOut",
    "add_logs",
    "add_played",
    "ask",
    "default_archive",
    "get_game",
    "open",
]

_WHERE: Final = {
    "Added": ("add", "Added"),
    "ArchiveWriter": ("writer", "ArchiveWriter"),
    "Committed": ("writer", "Committed"),
    "KeptOut": ("stage", "KeptOut"),
    "add_logs": ("add", "add_logs"),
    "add_played": ("home", "add_played"),
    "ask": ("ask", "ask"),
    "default_archive": ("home", "default_archive"),
    "get_game": ("read", "get_game"),
    "open": ("store", "open_archive"),
}


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = _WHERE[name]
    return getattr(import_module(f"{__name__}.{module}"), attribute)
