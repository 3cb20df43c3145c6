"""The tables and views, column by column: what a question can be asked of.

``schemas/archive.sql`` is printed from here. A column is never renamed or reused; what must change
gets a new schema number, and parts of an older one are read through an entry of ``UPGRADES``.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Column(NamedTuple):
    """A column: its name, its type in DuckDB, and what it means."""

    name: str
    type: str
    comment: str


_GAME: Final = Column("game", "VARCHAR", "the game's id")

COLUMNS: Final[dict[str, tuple[Column, ...]]] = {
    "games": (
        _GAME,
        Column("digest", "VARCHAR", "SHA-256 of the exact bytes of its log, 64 hex digits"),
        Column("ruleset", "VARCHAR", "name of the ruleset, such as ten/1"),
        Column("rules", "VARCHAR", "the whole ruleset as JSON if it is a custom one, else null"),
        Column("seed", "VARCHAR", "the seed; text, also where it looks like a number"),
        Column("hidden", "BOOLEAN", "whether the game was sealed: its seed only told at its end"),
        Column("players", "INTEGER", "number of players"),
        Column("events", "INTEGER", "number of events"),
        Column("turns", "INTEGER", "number of turns, final buys not counted"),
        Column("started", "BIGINT", "first moment in the log, ms since 1970 UTC; null if none"),
        Column("finished", "BIGINT", "last moment in the log, ms since 1970 UTC; null if none"),
        Column("winners", "INTEGER[]", "seats of the winners, ascending"),
        Column("winning_score", "INTEGER", "points of the winners"),
        Column("margin", "INTEGER", "points between the first and the second; null if solo"),
        Column("decided_by", "VARCHAR", "points, tokens, cards or shared (RULES 9.3), or solo"),
        Column("audit", "VARCHAR", "how it was judged: full, seals, none, or engine (made here)"),
        Column("has_bots", "BOOLEAN", "whether the log says which seats were bots"),
        Column("origin_seal", "VARCHAR", "seal of the game that it branched off, else null"),
        Column("origin_n", "INTEGER", "event of that game after which it branched off"),
    ),
    "players": (
        _GAME,
        Column("seat", "INTEGER", "0 is the seat that starts"),
        Column("name", "VARCHAR", "the player's name"),
        Column("bot", "VARCHAR", "the bot's specification; null for a person"),
        Column("score", "INTEGER", "points"),
        Column("red", "INTEGER", "points in red; null where the game was not judged in full"),
        Column("blue", "INTEGER", "points in blue; likewise"),
        Column("orange", "INTEGER", "points in orange; likewise"),
        Column("green", "INTEGER", "points in green; likewise"),
        Column("tokens", "INTEGER", "tokens at the end"),
        Column("busts", "INTEGER", "bust tokens at the end"),
        Column("cards", "INTEGER", "cards in the collection at the end, wilds included"),
        Column("rank", "INTEGER", "1 is the winner; players that nothing tells apart share one"),
        Column("won", "BOOLEAN", "whether the log names this seat a winner"),
    ),
    "events": (
        _GAME,
        Column("n", "INTEGER", "place in the game, from 0"),
        Column("type", "VARCHAR", "as in the log: CardDrawn, BidPlaced, ..."),
        Column("turn", "INTEGER", "from 1; GameStarted is in 0, final buys are in the last one"),
        Column("seat", "INTEGER", "the acting seat, where there is one"),
        Column("card", "VARCHAR", "drawn, sold, unsold or bought: two characters as in the log"),
        Column("amount", "INTEGER", "of a bid"),
        Column("price", "INTEGER", "of a wild that was sold, or of a card that was bought"),
        Column("tokens", "INTEGER", "paid or offered; of CurrencyTaken: received"),
        Column("busts", "INTEGER", "bust tokens paid or offered; of Busted: received"),
        Column("cause", "VARCHAR", "of Busted: numbers or currency"),
        Column("gains", "INTEGER[]", "tokens received by each seat"),
        Column("cards", "VARCHAR[]", "paid or offered; of a taking: the tableau's number cards"),
        Column("at", "BIGINT", "moment in the log, ms since 1970 UTC; null if it has none"),
        Column("seal", "BOOLEAN", "whether the line carries a seal"),
    ),
}

TABLE_COMMENTS: Final = {
    "games": "one row for each finished game",
    "players": "one row for each seat of a game",
    "events": "one row for each event; GameStarted and GameFinished are told by games and players",
}

# Schema number of a part → table → what to select from its files to get today's columns.
UPGRADES: Final[dict[int, dict[str, str]]] = {}


def column_names(table: str) -> str:
    """The columns of a table as SQL lists them."""
    return ", ".join(f'"{column.name}"' for column in COLUMNS[table])


def empty_table(table: str) -> str:
    """A question that gives the columns of a table and no rows."""
    columns = ", ".join(f'null::{column.type} as "{column.name}"' for column in COLUMNS[table])
    return f"select {columns} where false"
