"""From a builder's games to a part, columnwise, and proved before anybody sees it.

1. DuckDB reads the bodies of lines, each once, into typed columns, and writes each of them again
   from these: what it writes must be what it read.
2. Games are numbers of bodies, which NumPy lays end to end; DuckDB puts the columns in their place,
   and writes ``events``.
3. The file is read back: the sum of the hashes of all rows, each with its place, must be that of
   the rows that were to be written. So it is with ``games`` and ``players``; the other tables
   follow from the events (:mod:`tenlog.archive.follow`).
4. Files are hashed, synced and named by their content. Only then may a commit list them.

Python splits lines and looks their bodies up; it makes no event and no row of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, get_args

import msgspec

from tenlog.archive.arrays import FACTS, MOVED, Lines, summed_up
from tenlog.archive.bodies import FINISHED
from tenlog.archive.build import Builder, Seen
from tenlog.archive.catalogue import Part
from tenlog.archive.engine import WRITING, connect, one, quote, speaking
from tenlog.archive.follow import follow
from tenlog.archive.lines import NotKept, check_strictly
from tenlog.archive.parts import Writing
from tenlog.archive.schema import COLUMNS
from tenlog.archive.summary import settle
from tenlog.errors import ArchiveError
from tenlog.game.cards import KIND
from tenlog.game.events import Event
from tenlog.log.codec import MAX_LINE

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from tenlog.archive.arrays import Array

_PLENTY: Final = "1GiB"  # of DuckDB's memory

_encode = msgspec.json.Encoder().encode

# Texts that are one of few, as what they are: small here, and Parquet takes them as they lie. Read
# from there they are texts. What is none of them can't be read.
_TYPES: Final = f"""
create type kind as enum ({", ".join(f"'{kind.__name__}'" for kind in get_args(Event))});
create type card as enum ({", ".join(f"'{card}'" for card in sorted(KIND))});
create type cause as enum ('numbers', 'currency');
"""

_BODIES: Final = """
create table bodies as
select (row_number() over () - 1)::INTEGER as code, *, hash("type"::VARCHAR, seat, card::VARCHAR,
  amount, price, tokens, busts, cause::VARCHAR, gains, cards::VARCHAR[]) as said
from (
  select "type"::kind as "type", seat, card::card as card, amount, price,
    coalesce(payment.tokens, tokens) as tokens, coalesce(payment.busts, bust_tokens) as busts,
    cause::cause as cause, gains, coalesce(payment.cards, cards)::card[] as cards
  from read_json({file}, format = 'newline_delimited', hive_partitioning = false,
    maximum_object_size = {most}, columns = {{"type": 'VARCHAR', seat: 'INTEGER', card: 'VARCHAR',
      amount: 'INTEGER', price: 'INTEGER',
      payment: 'STRUCT(tokens INTEGER, busts INTEGER, cards VARCHAR[])', cause: 'VARCHAR',
      gains: 'INTEGER[]', bust_tokens: 'INTEGER', tokens: 'INTEGER', cards: 'VARCHAR[]'}})
)"""

_CARDS: Final = """case when len(cards) = 0 then '[]'
    else concat('["', array_to_string(cards, '","'), '"]') end"""
_GAINS: Final = "'[', array_to_string(gains, ','), ']'"
_PAYMENT: Final = f"""',"payment":{{"tokens":', tokens, ',"busts":', busts, ',"cards":', {_CARDS},
    '}}'"""

# The bodies byte for byte, from the columns alone.
_REBUILT: Final = f"""concat('{{"type":"', "type", '"', case "type"
    when 'CardDrawn' then concat(',"seat":', seat, ',"card":"', card, '"')
    when 'BidPlaced' then concat(',"seat":', seat, ',"amount":', amount, {_PAYMENT})
    when 'AuctionWon' then
      concat(',"seat":', seat, ',"card":"', card, '","price":', price, {_PAYMENT})
    when 'CardBought' then
      concat(',"seat":', seat, ',"card":"', card, '","price":', price, {_PAYMENT})
    when 'AuctionUnsold' then concat(',"card":"', card, '"')
    when 'Busted' then
      concat(',"seat":', seat, ',"cause":"', cause, '","gains":', {_GAINS},
        ',"bust_tokens":', busts)
    when 'NumbersTaken' then concat(',"seat":', seat, ',"cards":', {_CARDS}, ',"gains":', {_GAINS})
    when 'CurrencyTaken' then concat(',"seat":', seat, ',"tokens":', tokens, ',"cards":', {_CARDS})
    when 'GameStarted' then ''
    when 'GameFinished' then ''
    else concat(',"seat":', seat) end, '}}') as text"""

_EVENTS: Final = """
select game, n, "type", turn, seat, card, amount, price, tokens, busts, cause, gains, cards, "at",
  seal
from lines join bodies using (code) join ids using (g)"""

# How many rows, and the sum of what they are hashed to, each with its place: meant, and written.
_MEANT: Final = """
select count(*), sum(hash(row::BIGINT, name, n, turn, "at", seal, said))::VARCHAR
from lines join (select code, said from bodies) using (code)
  join (select g, hash(game::VARCHAR) as name from ids) using (g)"""
_WRITTEN: Final = """
select count(*), sum(hash(file_row_number, hash(game), n, turn, "at", seal,
  hash("type", seat, card, amount, price, tokens, busts, cause, gains, cards)))::VARCHAR
from {events}"""


class Suspects(Exception):
    """Games that may not go in.

    Attributes:
        games: their ids; if there are none it may be any game of the part, and the message is
            DuckDB's.
    """

    def __init__(self, games: list[str], why: str = "") -> None:
        super().__init__(why)
        self.games = games

    @property
    def told(self) -> str:
        """What is wrong, in a line."""
        which = ", ".join(self.games[:3]) or str(self).split("\n", 1)[0]
        return f"events don't come back from their columns ({which})"


def write_part(root: Path, builder: Builder) -> Part:
    """The part of all games that a builder took, in the builder's folder, proved and synced.
    ``root`` is only spoken of.

    Raises:
        ArchiveError: it can't be written, or some games don't come back.
    """
    try:
        return try_part(root, builder)
    except Suspects as suspects:
        raise ArchiveError(f"{suspects.told}: nothing of this part was added") from None


def try_part(root: Path, builder: Builder) -> Part:
    """What :func:`write_part` does, for games of which nobody has read the lines.

    Raises:
        Suspects: some games don't come back.
        ArchiveError: it can't be written.
    """
    with speaking(root, "write to"):
        import duckdb

        try:
            return _part_of(builder, WRITING)
        except duckdb.OutOfMemoryException:
            return _part_of(builder, _PLENTY)  # lines with a thousand cards, which no game has


def _part_of(builder: Builder, memory: str) -> Part:
    kept = builder.kept
    # One thread: rows have an order, and whoever writes much runs several processes.
    with connect(builder.folder, threads=1, memory=memory) as con:
        con.execute(_TYPES)
        codes, facts = _read_bodies(con, builder)
        lines = Lines(codes, [len(seen.numbers) for seen in kept], facts)
        suspects = lines.misplaced([seen.game.players for seen in kept])
        if not builder.judged:
            suspects |= lines.overflowing()
        if suspects:
            raise Suspects([kept[game].game.game for game in sorted(suspects)])
        writing = Writing(builder.folder, con)
        # The few bodies and games are what is hashed; the lines stream past them in their order.
        con.execute("set disabled_optimizers = 'join_order,build_side_probe_side'")
        _write_events(con, kept, lines, writing)
        _write_games(con, builder, lines, writing)
        return writing.part(follow(con, lines))


def _read_bodies(con: DuckDBPyConnection, builder: Builder) -> tuple[Array, dict[str, Array]]:
    """What lines say, in columns that say the same; returns the place of each line's body there,
    and what is known of the bodies.

    Raises:
        Suspects: they don't.
    """
    import duckdb
    import numpy as np

    numbers = np.concatenate([np.frombuffer(seen.numbers, np.int32) for seen in builder.kept])
    used = np.bincount(numbers) > 0  # some came with games that did not go in
    texts = [builder.bodies.texts[number] for number in used.nonzero()[0].tolist()]
    due = b"\n".join(texts)
    file = builder.folder / "bodies.jsonl"
    file.write_bytes(due)
    try:
        con.execute(_BODIES.format(file=quote(file), most=MAX_LINE + 1))
        known = [_REBUILT, FACTS] if builder.judged else [_REBUILT, FACTS, MOVED]
        facts = con.execute(f"select {', '.join(known)} from bodies").fetchnumpy()
    except (duckdb.InvalidInputException, duckdb.ConversionException) as error:
        raise Suspects(list(builder.strange()), str(error)) from None
    again = "\n".join(facts.pop("text")).encode()
    if again != due or b"-" in due:  # no number of an event is below zero; columns would hold it
        raise Suspects(list(builder.strange()))
    places: Array = (np.cumsum(used, dtype=np.int32) - 1)[numbers]
    return places, facts


def _write_events(
    con: DuckDBPyConnection, kept: Sequence[Seen], lines: Lines, writing: Writing
) -> None:
    """``events``, read back and compared with what they must be.

    Raises:
        ArchiveError: they are not.
    """
    import numpy as np

    ids = [seen.game.game for seen in kept]
    con.execute("create type id as enum (select unnest(?::VARCHAR[]))", [ids])
    con.execute(
        """create table ids as select unnest(range(len($ids)))::INTEGER as g,
            unnest($ids::VARCHAR[])::id as game""",
        {"ids": ids},
    )
    rows = np.arange(len(lines.codes), dtype=np.int32)
    table = {"row": rows, "g": lines.games, "n": lines.n, "code": lines.codes, "turn": lines.turn}
    at, seal = "null::BIGINT", f"code = {FINISHED}"
    if any(seen.told is not None for seen in kept):
        table["moment"], table["sealed"] = _told(kept, lines)
        at, seal = "nullif(moment, -1)", "sealed"
    con.register("lines_", table)
    con.execute(f"""create view lines as select *, {at} as "at", {seal} as seal from lines_""")
    writing.copy("events", _EVENTS)
    if one(con, _WRITTEN.format(events=writing.placed)) != one(con, _MEANT):
        raise ArchiveError("the disk gave back other events than were written")
    writing.keep("events")
    con.execute("drop view lines")
    con.unregister("lines_")  # memory for what follows


def _told(kept: Sequence[Seen], lines: Lines) -> tuple[Array, Array]:
    """What lines say besides their events: when they were played, or -1; and whether they carry a
    seal."""
    import numpy as np

    moments = np.full(len(lines.codes), -1, dtype=np.int64)
    sealed = lines.codes == FINISHED
    for start, seen in zip(lines.starts, kept, strict=True):
        if seen.told is not None:
            end = start + len(seen.numbers)
            moments[start:end] = np.frombuffer(seen.told.moments, np.int64)
            sealed[start:end] = np.frombuffer(seen.told.sealed, np.bool_)
    return moments, sealed


def _write_games(con: DuckDBPyConnection, builder: Builder, lines: Lines, writing: Writing) -> None:
    """``games`` and ``players``."""
    games = builder.kept
    if builder.judged:
        holdings = [seen.holdings or [] for seen in games]
    else:
        holdings = summed_up(games, lines)
    file = builder.folder / "rows.jsonl"
    longest = 0
    with file.open("wb") as out:
        for number, (seen, last, held) in enumerate(
            zip(games, lines.last_turns, holdings, strict=True)
        ):
            settle(seen.game, seen.seats, last, held)
            line = _encode({"g": number, "game": seen.game, "players": seen.seats}) + b"\n"
            longest = max(longest, len(line))
            out.write(line)
    con.execute(f"create table records as from {_records(file, max(MAX_LINE, longest))}")
    writing.write("games", "select game.* from records order by g")
    writing.write(
        "players",
        """select game, seat, p.name as "name", p.bot as bot, p.score as score, p.red as red,
              p.blue as blue, p.orange as orange, p.green as green, p.tokens as tokens,
              p.busts as busts, p.cards as cards, p.rank as "rank", p.won as won
            from (select g, game.game as game, unnest(range(len(players)))::INTEGER as seat,
                    unnest(players) as p from records)
            order by g, seat""",
    )


def _records(file: Path, most: int) -> str:
    games = ", ".join(f'"{c.name}" {c.type}' for c in COLUMNS["games"])
    players = ", ".join(
        f'"{c.name}" {c.type}' for c in COLUMNS["players"] if c.name not in ("game", "seat")
    )
    return f"""read_json({quote(file)}, format = 'newline_delimited', hive_partitioning = false,
        maximum_object_size = {most}, columns = {{
        g: 'BIGINT', game: 'STRUCT({games})', players: 'STRUCT({players})[]'}})"""


def faulty_games(builder: Builder, suspects: Suspects) -> dict[str, NotKept]:
    """Which of some games are not as they should be, and why; read line by line."""
    found: dict[str, NotKept] = {}
    for game in suspects.games or builder.ids:
        try:
            check_strictly(builder.bytes_of(game))
        except NotKept as error:
            found[game] = error
    return found
