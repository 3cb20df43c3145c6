"""Games out of the archive: their exact bytes, lists of them, and what there is in all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from tenlog.archive.catalogue import Part, hold, part_path
from tenlog.archive.engine import connect, parquet, rows, speaking
from tenlog.archive.parts import scan
from tenlog.archive.rows import (
    EventRow,
    GameRow,
    PlayerRow,
    event_of,
    first_event,
    game_bytes,
    last_event,
)
from tenlog.archive.store import open_archive, read_catalogue
from tenlog.errors import ArchiveError, SetupError
from tenlog.game.events import Event

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_PLAYER = "name, bot, score, tokens, busts, cards, rank, won, red, blue, orange, green"
_GAME = ", ".join(f'"{field}"' for field in GameRow.__struct_fields__)
_EVENT = "type, seat, card, amount, price, tokens, busts, cause, gains, cards"


class Kept(NamedTuple):
    """A game as the tables hold it: its rows, and the bytes that they give."""

    game: GameRow
    seats: list[PlayerRow]
    turns: list[int]
    data: bytes


def _rebuilt(game: GameRow, seats: list[PlayerRow], events: Sequence[tuple[Any, ...]]) -> Kept:
    """A game from its rows; ``events`` are (game, n, turn, at, seal, …) in order.

    Raises:
        ValueError: the rows are not those of a game.
    """
    if [row[1] for row in events] != list(range(game.events)):
        raise ValueError("events are missing, or stand twice")
    made: list[Event] = [first_event(game, seats)]
    made += [event_of(EventRow(*row[5:])) for row in events[1:-1]]
    made.append(last_event(game, seats))
    data = game_bytes(
        game, seats, made, [row[3] for row in events], [bool(row[4]) for row in events]
    )
    return Kept(game, seats, [row[2] for row in events], data)


def games_of(con: DuckDBPyConnection, root: Path, part: Part) -> Iterator[Kept | str]:
    """All games of a part, rebuilt one by one; a text where the rows are no game.

    A part holds its games in one order in all its files.
    """

    def source(columns: str, table: str) -> Iterator[tuple[Any, ...]]:
        cursor = con.cursor().execute(f"select {columns} from {scan(root, table, [part])}")
        while batch := cursor.fetchmany(4096):
            yield from batch

    players = groupby(source(f"game, {_PLAYER}", "players"), itemgetter(0))
    events = groupby(source(f'game, n, turn, "at", seal, {_EVENT}', "events"), itemgetter(0))
    for values in source(_GAME, "games"):
        game = GameRow(*values)
        seats_of, seats = next(players, ("", iter(())))
        events_of, lines = next(events, ("", iter(())))
        told = [PlayerRow(*row[1:]) for row in seats]
        found = list(lines)
        if not game.game == seats_of == events_of:
            yield f"{game.game}: its rows are not where they should be"
            return
        try:
            yield _rebuilt(game, told, found)
        except (ValueError, TypeError, LookupError, msgspec.MsgspecError) as error:
            yield f"{game.game}: its rows make no game: {error}"


def get_game(root: str | Path, game: str) -> bytes:
    """The exact bytes of a game's log.

    Raises:
        SetupError: it is not there.
        ArchiveError: the archive is damaged, or can't be read.
    """
    root = Path(root)
    handle = hold(root) if root.is_dir() else None
    try:
        parts = [part for part in read_catalogue(root).parts if part.first <= game <= part.last]
        with speaking(root, "read"), connect() as con:
            part = _holder(con, root, parts, game)
            if part is not None:
                return find_game(con, root, part, game).data
    finally:
        if handle is not None:
            import os

            os.close(handle)
    raise SetupError(f"no game {game[:64]!r} in the archive {root}: see tenlog archive ls")


def _holder(con: DuckDBPyConnection, root: Path, parts: Sequence[Part], game: str) -> Part | None:
    """The part that holds a game. Asked of all at once, which takes a tenth of what it takes one by
    one."""
    if not parts:
        return None
    names = {str(part_path(root, part, "games")): part for part in parts}
    sql = f"select filename from {parquet(names, ', filename = true')} where game = ?"
    for (name,) in rows(con, sql, [game]):
        return names[name]
    return None


def find_game(con: DuckDBPyConnection, root: Path, part: Part, game: str) -> Kept:
    """A game of a part that holds it, exactly as it went in.

    Raises:
        ArchiveError: it does not come back so.
    """

    def source(columns: str, table: str, order: str) -> list[tuple[Any, ...]]:
        return rows(
            con,
            f"select {columns} from {scan(root, table, [part])} where game = ? order by {order}",
            [game],
        )

    heads = source(_GAME, "games", "game")
    players = source(_PLAYER, "players", "seat")
    events = source(f'game, n, turn, "at", seal, {_EVENT}', "events", "n")
    try:
        (head,) = heads
        kept = _rebuilt(GameRow(*head), [PlayerRow(*row) for row in players], events)
        good = sha256(kept.data).hexdigest() == kept.game.digest
    except (ValueError, TypeError, LookupError, msgspec.MsgspecError):
        good = False
    if not good:
        raise ArchiveError(
            f"the archive {root} is damaged: game {game} does not come back as it went in; "
            "see tenlog archive verify"
        )
    return kept


class Listed(msgspec.Struct, frozen=True):
    """A game in a list: id, ruleset, players, events, turns, winners' seats and score, audit."""

    game: str
    ruleset: str
    players: int
    events: int
    turns: int
    winners: list[int]
    winning_score: int
    audit: str


def list_games(root: str | Path, limit: int | None = None) -> list[Listed]:
    """The games by id; the first ``limit`` of them.

    Raises:
        ArchiveError: the archive is not there or can't be read.
    """
    with open_archive(root) as con, speaking(Path(root), "read"):
        few = "" if limit is None else f"limit {int(limit)}"
        columns = ", ".join(Listed.__struct_fields__)
        return [
            Listed(*row) for row in rows(con, f"select {columns} from games order by game {few}")
        ]


class Info(msgspec.Struct, frozen=True):
    """What an archive holds.

    Attributes:
        path, schema, generation: where it is, the version of its tables, how many commits it had.
        games, events, parts, bytes: how much there is.
        rulesets, players, audits: games by ruleset, by number of players, by how they were judged.
        bots: seats by bot; people are ``(person)``.
    """

    path: str
    schema: int
    generation: int
    games: int
    events: int
    parts: int
    bytes: int
    rulesets: dict[str, int]
    players: dict[str, int]
    audits: dict[str, int]
    bots: dict[str, int]


def archive_info(root: str | Path) -> Info:
    """What an archive holds.

    Raises:
        ArchiveError: the archive is not there or can't be read.
    """
    root = Path(root)
    catalogue = read_catalogue(root)
    with open_archive(root) as con, speaking(root, "read"):

        def count(column: str, table: str = "games") -> dict[str, int]:
            return dict(
                rows(con, f"select {column}, count(*) from {table} group by 1 order by 2 desc, 1")
            )

        return Info(
            str(root),
            catalogue.schema,
            catalogue.generation,
            catalogue.games,
            catalogue.events,
            len(catalogue.parts),
            catalogue.size,
            count("ruleset"),
            count("players::VARCHAR"),
            count("audit"),
            count("coalesce(bot, '(person)')", "players"),
        )
