"""The tables and views, column by column: what a question can be asked of.

``schemas/archive.sql`` is printed from here. A column is never renamed or reused; what must change
gets a new schema number, and parts of an older one are read through an entry of ``UPGRADES``.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from tenlog.archive.catalogue import SCHEMA


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
        Column("start_tokens", "INTEGER", "tokens of each player at the start"),
        Column("unsold", "VARCHAR", "what becomes of an unsold wild: discard or drawer"),
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
        Column("at", "BIGINT", 'ms since 1970 UTC in the log, else null; SQL wants "at" in quotes'),
        Column("seal", "BOOLEAN", "whether the line carries a seal"),
    ),
    "turns": (
        _GAME,
        Column("turn", "INTEGER", "from 1"),
        Column("seat", "INTEGER", "whose turn it is"),
        Column("draws", "INTEGER", "cards drawn, wilds included"),
        Column("total", "INTEGER", "numbers minus currency values at the end (RULES 4.2)"),
        Column("currency", "INTEGER", "currency values at the end"),
        Column("ended", "VARCHAR", "numbers, currency, bust by numbers, bust by currency, nothing"),
        Column("gains", "INTEGER[]", "tokens that each seat received; null after currency"),
        Column("tokens", "INTEGER", "tokens received by taking the currency, else null"),
        Column("n", "INTEGER", "the event that ended it (a buy phase may follow)"),
    ),
    "draws": (
        _GAME,
        Column("n", "INTEGER", "the event; events has the card"),
        Column("turn", "INTEGER", "the turn"),
        Column("seat", "INTEGER", "who drew"),
        Column("total", "INTEGER", "numbers minus currency values before it (RULES 4.2)"),
        Column("tableau", "INTEGER", "number and currency cards on the table before it"),
        Column("bust", "VARCHAR", "numbers or currency if it busted, else null"),
    ),
    "auctions": (
        _GAME,
        Column("auction", "INTEGER", "from 1"),
        Column("n", "INTEGER", "the event that drew the wild"),
        Column("turn", "INTEGER", "the turn that it interrupted"),
        Column("drawer", "INTEGER", "the seat that drew the wild"),
        Column("card", "VARCHAR", "the wild"),
        Column("bids", "INTEGER", "bids placed; passes are not bids"),
        Column("price", "INTEGER", "the winning bid; null if unsold"),
        Column("winner", "INTEGER", "the seat that got it; null if unsold"),
        Column("second_bid", "INTEGER", "the second highest bid; null with fewer than two"),
        Column("tokens", "INTEGER", "tokens paid"),
        Column("busts", "INTEGER", "bust tokens paid"),
        Column("cards", "VARCHAR[]", "cards paid"),
    ),
}

TABLE_COMMENTS: Final = {
    "games": "one row for each finished game",
    "players": "one row for each seat of a game",
    "events": "one row for each event; GameStarted and GameFinished are told by games and players",
    "turns": "one row for each turn",
    "draws": "one row for each card drawn, wilds included",
    "auctions": "one row for each wild that was turned up",
}

# Schema number of a part → table → what to select from its files to get today's columns. Schema 1
# had games, players and events alone: what a part has no file for is derived from these.
UPGRADES: Final[dict[int, dict[str, str]]] = {1: {}}


_PAYS: Final = "type in ('AuctionWon', 'CardBought')"

VIEWS: Final[dict[str, str]] = {
    "purchases": """select e.game, e.n, e.turn, e.seat, e.card, e.price, e.tokens, e.busts,
  e.cards,
  e.n >= g.events - 1 - g.players as final
from events e join games g on g.game = e.game
where e.type = 'CardBought'""",
    "busts": """select game, n, turn, seat,
  case ended when 'bust by numbers' then 'numbers' else 'currency' end as cause,
  draws, total, currency, gains
from turns
where ended in ('bust by numbers', 'bust by currency')""",
    "states": f"""select game, n, turn, type, seat,
  (start_tokens + sum(tokens) over fold)::BIGINT as tokens,
  (sum(busts) over fold)::BIGINT as busts,
  (sum(cards) over fold)::BIGINT as cards
from (
  select e.game, e.n, e.turn, e.type, p.seat, g.start_tokens,
    coalesce(e.gains[p.seat + 1], 0) + case when e.seat is distinct from p.seat then 0
      when e.type = 'CurrencyTaken' then e.tokens when e.{_PAYS} then -e.tokens else 0 end
      as tokens,
    case when e.seat is distinct from p.seat then 0
      when e.type = 'Busted' then e.busts when e.{_PAYS} then -e.busts else 0 end as busts,
    case when e.type = 'AuctionUnsold' then (g.unsold = 'drawer' and e.drawer = p.seat)::INTEGER
      when e.seat is distinct from p.seat then 0 when e.type = 'NumbersTaken' then len(e.cards)
      when e.{_PAYS} then 1 - len(e.cards) else 0 end as cards
  from (
    select *, last_value(case when type = 'CardDrawn' then seat end ignore nulls)
      over (partition by game order by n) as drawer
    from events
  ) e
  join games g on g.game = e.game
  join players p on p.game = e.game
)
window fold as (partition by game, seat order by n)""",
}

VIEW_COLUMNS: Final[dict[str, tuple[Column, ...]]] = {
    "purchases": (
        _GAME,
        Column("n", "INTEGER", "the event"),
        Column("turn", "INTEGER", "the turn; the last one for final buys"),
        Column("seat", "INTEGER", "the buyer"),
        Column("card", "VARCHAR", "the card bought"),
        Column("price", "INTEGER", "its price"),
        Column("tokens", "INTEGER", "tokens paid"),
        Column("busts", "INTEGER", "bust tokens paid"),
        Column("cards", "VARCHAR[]", "cards paid"),
        Column("final", "BOOLEAN", "whether it was one of the final buys (RULES 8.2)"),
    ),
    "busts": (
        _GAME,
        Column("n", "INTEGER", "the event"),
        Column("turn", "INTEGER", "the turn"),
        Column("seat", "INTEGER", "who busted"),
        Column("cause", "VARCHAR", "numbers or currency"),
        Column("draws", "INTEGER", "cards drawn in that turn, wilds included"),
        Column("total", "INTEGER", "numbers minus currency values, the last card included"),
        Column("currency", "INTEGER", "currency values, the last card included"),
        Column("gains", "INTEGER[]", "tokens that each seat received"),
    ),
    "states": (
        _GAME,
        Column("n", "INTEGER", "after this event"),
        Column("turn", "INTEGER", "its turn"),
        Column("type", "VARCHAR", "its type"),
        Column("seat", "INTEGER", "the seat that is told of, each one after each event"),
        Column("tokens", "BIGINT", "tokens that it holds"),
        Column("busts", "BIGINT", "bust tokens that it holds"),
        Column("cards", "BIGINT", "number of cards in its collection"),
    ),
}

VIEW_COMMENTS: Final = {
    "purchases": "one row for each card bought from the market",
    "busts": "one row for each turn that ended in a bust",
    "states": "what each seat holds after each event, folded from the events",
}


def column_names(table: str) -> str:
    """The columns of a table as SQL lists them."""
    return ", ".join(f'"{column.name}"' for column in COLUMNS[table])


def empty_table(table: str) -> str:
    """A question that gives the columns of a table and no rows."""
    columns = ", ".join(f'null::{column.type} as "{column.name}"' for column in COLUMNS[table])
    return f"select {columns} where false"


def _comments(kind: str, name: str, comment: str, columns: tuple[Column, ...]) -> list[str]:
    def text(of: str) -> str:
        return "'" + of.replace("'", "''") + "'"

    return [
        f"comment on {kind} {name} is {text(comment)};",
        *(f'comment on column {name}."{c.name}" is {text(c.comment)};' for c in columns),
    ]


def view_statements() -> list[str]:
    """The views over the tables, with their comments."""
    statements = []
    for name, sql in VIEWS.items():
        statements.append(f"create view {name} as\n{sql};")
        statements += _comments("view", name, VIEW_COMMENTS[name], VIEW_COLUMNS[name])
    return statements


def table_statements(sources: dict[str, str] | None = None) -> list[str]:
    """The tables with their comments: as empty tables, or as views of what ``sources`` selects."""
    statements = []
    for name, columns in COLUMNS.items():
        if sources is None:
            body = ",\n".join(f'  "{column.name}" {column.type}' for column in columns)
            statements.append(f"create table {name} (\n{body}\n);")
        else:
            statements.append(f"create view {name} as {sources[name]};")
        kind = "table" if sources is None else "view"
        statements += _comments(kind, name, TABLE_COMMENTS[name], columns)
    return statements


def ddl() -> str:
    """The whole schema as SQL: what ``schemas/archive.sql`` holds."""
    head = (
        f"-- The archive's schema, version {SCHEMA}: tables and views that tenlog query asks.\n"
        "-- Generated by tenlog query --schema; an empty DuckDB database takes it as it is.\n"
    )
    return head + "\n" + "\n".join([*table_statements(), *view_statements()]) + "\n"


def export_ddl() -> str:
    """How to read an exported data set with DuckDB alone, from its folder; the same tables and
    views as the archive has."""
    sources = {}
    for table in COLUMNS:
        files = f"'{table}/*/*/*.parquet'"
        sources[table] = (
            f"select {column_names(table)} from read_parquet({files}, hive_partitioning = true, "
            "hive_types = {'ruleset': 'VARCHAR', 'seats': 'INTEGER'})"
        )
    head = (
        f"-- TEN games, schema {SCHEMA}. Every table is Parquet under its name, partitioned by\n"
        "-- ruleset and seats (the number of players). In this folder: duckdb -init schema.sql\n"
    )
    return head + "\n" + "\n".join([*table_statements(sources), *view_statements()]) + "\n"
