"""Parts: from a builder's files to Parquet, proved before anybody sees it.

1. The dictionary is read into typed columns, and each body is rebuilt from them in SQL: it must be
   the bytes that were read.
2. Codes and dictionary are joined into the rows of ``events`` and written; ``games`` and
   ``players`` likewise. The other tables are computed from what was written.
3. What stands in the files is read back, and the sum of the hashes of all its rows must be that of
   the rows that were to be written.
4. Files are hashed, synced and named by their content. Only then may a commit list them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple, get_args

from tenlog.archive.build import Builder
from tenlog.archive.catalogue import LOGGED, SCHEMA, TABLES, Part, PartFile, part_path
from tenlog.archive.derived import DERIVED, derived
from tenlog.archive.engine import connect, one, parquet, quote, quote_list, rows, speaking
from tenlog.archive.schema import COLUMNS, UPGRADES, column_names, empty_table
from tenlog.errors import ArchiveError
from tenlog.game.cards import KIND
from tenlog.game.events import Event

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_COPY: Final = "(format parquet, compression zstd)"

_BODY: Final = """{
 code: 'INTEGER',
 ev: 'STRUCT("type" VARCHAR, seat INTEGER, card VARCHAR, amount INTEGER, price INTEGER,
             payment STRUCT(tokens INTEGER, busts INTEGER, cards VARCHAR[]), cause VARCHAR,
             gains INTEGER[], bust_tokens INTEGER, tokens INTEGER, cards VARCHAR[])'}"""

# Texts that are one of few, as what they are: small here, and Parquet takes them as they lie. Read
# from there they are texts.
_TYPES: Final = f"""
create type kind as enum ({", ".join(f"'{kind.__name__}'" for kind in get_args(Event))});
create type card as enum ({", ".join(f"'{card}'" for card in sorted(KIND))});
create type cause as enum ('numbers', 'currency');
"""

# The dictionary as typed columns.
_DICTIONARY: Final = """
create table bodies as
select code, ev."type"::kind as "type", ev.seat as seat, ev.card::card as card,
       ev.amount as amount, ev.price as price, coalesce(ev.payment.tokens, ev.tokens) as tokens,
       coalesce(ev.payment.busts, ev.bust_tokens) as busts, ev.cause::cause as cause,
       ev.gains as gains, coalesce(ev.payment.cards, ev.cards)::card[] as cards
from read_json({file}, format = 'newline_delimited', hive_partitioning = false, columns = {columns},
               maximum_object_size = {most})
"""

_CARDS: Final = """case when len(cards) = 0 then '[]'
    else '["' || array_to_string(cards::VARCHAR[], '","') || '"]' end"""
_GAINS: Final = "'[' || array_to_string(gains, ',') || ']'"
_PAYMENT: Final = f"""',"payment":{{"tokens":' || tokens || ',"busts":' || busts
    || ',"cards":' || {_CARDS} || '}}'"""

# The lines of the dictionary, byte for byte, from the typed columns alone.
_REBUILT: Final = f"""
select '{{"code":' || code || ',"ev":{{"type":"' || "type" || '"' || case "type"
  when 'CardDrawn' then ',"seat":' || seat || ',"card":"' || card || '"'
  when 'BidPlaced' then ',"seat":' || seat || ',"amount":' || amount || {_PAYMENT}
  when 'AuctionWon' then ',"seat":' || seat || ',"card":"' || card || '","price":' || price
    || {_PAYMENT}
  when 'CardBought' then ',"seat":' || seat || ',"card":"' || card || '","price":' || price
    || {_PAYMENT}
  when 'AuctionUnsold' then ',"card":"' || card || '"'
  when 'Busted' then ',"seat":' || seat || ',"cause":"' || cause || '","gains":' || {_GAINS}
    || ',"bust_tokens":' || busts
  when 'NumbersTaken' then ',"seat":' || seat || ',"cards":' || {_CARDS}
    || ',"gains":' || {_GAINS}
  when 'CurrencyTaken' then ',"seat":' || seat || ',"tokens":' || tokens
    || ',"cards":' || {_CARDS}
  when 'GameStarted' then ''
  when 'GameFinished' then ''
  else ',"seat":' || seat end || '}}}}' as "text"
from bodies"""

# The events by their codes, in their order.
_CODED: Final = """
create table coded as
select game, n, code, turn, "at", coalesce(s, n = final) as seal
from (select game, unnest(range(len(c)))::INTEGER as n, unnest(c) as code, unnest(t) as turn,
             unnest("at") as "at", unnest(s) as s, len(c) - 1 as final
      from read_json({file}, format = 'newline_delimited', hive_partitioning = false,
        maximum_object_size = {most},
        columns = {{game: 'VARCHAR', c: 'INTEGER[]', t: 'INTEGER[]', "at": 'BIGINT[]',
                    s: 'BOOLEAN[]'}}))
"""

_LEAST: Final = 1 << 20  # bytes of a line that DuckDB makes room for at least, several times


# The hash of a row of ``events``: that of its body, which the dictionary knows, with the rest.
_BODY_HASH: Final = """hash("type"::VARCHAR, seat, card::VARCHAR, amount, price, tokens, busts,
    cause::VARCHAR, gains, cards::VARCHAR[])"""
_EVENT_HASH: Final = f'hash(game, n, turn, "at", seal, {_BODY_HASH})'


def _sum(con: DuckDBPyConnection, table: str, source: str) -> tuple[int, int]:
    """How many rows there are, and the sum of their hashes: equal for equal sets of rows."""
    row = _EVENT_HASH if table == "events" else f"hash({column_names(table)})"
    return _count(con, f"select count(*), sum({row})::VARCHAR from {source}")


def _count(con: DuckDBPyConnection, sql: str) -> tuple[int, int]:
    found = one(con, sql)
    return int(found[0]), int(found[1] or 0)


def _prove_bodies(con: DuckDBPyConnection, file: Path, most: int) -> None:
    said = f"""select "json"::VARCHAR as "text" from read_json_objects({quote(file)},
        format = 'newline_delimited', hive_partitioning = false, maximum_object_size = {most})"""
    checks = [
        one(con, f"select count(*), count(text), sum(hash(text))::VARCHAR from ({text})")
        for text in (said, _REBUILT)
    ]
    if checks[0] != checks[1]:
        raise ArchiveError("events don't come back from their columns: nothing was added")


def write_part(root: Path, builder: Builder) -> Part:
    """The part of all games that a builder took, in the builder's folder, proved and synced.
    ``root`` is only spoken of.

    Raises:
        ArchiveError: it can't be written, or does not stand the proof.
    """
    with speaking(root, "write to"):
        builder.close()
    folder = builder.folder
    most = max(_LEAST, builder.longest + 1)
    bodies, codes, records = (folder / f"{n}.jsonl" for n in ("bodies", "codes", "rows"))
    with speaking(root, "write to"), connect(folder, threads=1) as con:
        # One thread: more of them win little here, and whoever writes much runs several processes.
        # The dictionary is what is hashed, and the events stream past it in their order.
        con.execute("set disabled_optimizers = 'join_order,build_side_probe_side'")
        con.execute(_TYPES)
        con.execute(_DICTIONARY.format(file=quote(bodies), columns=_BODY, most=most))
        _prove_bodies(con, bodies, most)
        con.execute(_CODED.format(file=quote(codes), most=most))
        sources = {
            "games": f"select game.* from {_records(records, most)} order by g",
            "players": f"""
                select game, seat, p.name as "name", p.bot as bot, p.score as score, p.red as red,
                       p.blue as blue, p.orange as orange, p.green as green, p.tokens as tokens,
                       p.busts as busts, p.cards as cards, p.rank as "rank", p.won as won
                from (select g, game.game as game, unnest(range(len(players)))::INTEGER as seat,
                             unnest(players) as p from {_records(records, most)})
                order by g, seat""",
            "events": "from coded join bodies using (code)",
        }
        con.execute(f"create table hashes as select code, {_BODY_HASH} as body from bodies")
        meant = """select count(*), sum(hash(game, n, turn, "at", seal, body))::VARCHAR
            from coded join hashes using (code)"""
        return _write(folder, con, sources, {"events": meant})


def _records(file: Path, most: int) -> str:
    games = ", ".join(f'"{c.name}" {c.type}' for c in COLUMNS["games"])
    players = ", ".join(
        f'"{c.name}" {c.type}' for c in COLUMNS["players"] if c.name not in ("game", "seat")
    )
    return f"""read_json({quote(file)}, format = 'newline_delimited', hive_partitioning = false,
        maximum_object_size = {most}, columns = {{
        g: 'BIGINT', game: 'STRUCT({games})', players: 'STRUCT({players})[]'}})"""


def merge_parts(root: Path, folder: Path, parts: Sequence[Part], without: Sequence[str]) -> Part:
    """One part with the games of several, save those of some ids; in ``folder``, proved and synced.
    ``root`` is where the parts lie: the archive, or the folder itself.

    Raises:
        ArchiveError: the parts can't be read or the new one can't be written.
    """
    with speaking(root, "write to"), connect(folder) as con:
        con.execute(
            f"create table without as select unnest({quote_list(without)}::VARCHAR[]) as game"
        )
        sources = {
            table: f"""select {column_names(table)} from ({select(root, table, parts)})
                where game not in (from without) order by game{ORDER[table]}"""
            for table in LOGGED
        }
        return _write(folder, con, sources)


ORDER: Final = {"games": "", "players": ", seat", "events": ", n"}


def _write(
    folder: Path,
    con: DuckDBPyConnection,
    sources: dict[str, str],
    sums: Mapping[str, str] = MappingProxyType({}),
) -> Part:
    """Parts from what is selected for each table; ``sums`` are quicker ways to the sums of
    hashes."""
    parts = folder / "parts"
    parts.mkdir(exist_ok=True)
    hashes: dict[str, PartFile] = {}
    counts: dict[str, int] = {}
    for table, source in sources.items():
        quick = sums.get(table)
        meant = _sum(con, table, f"({source})") if quick is None else _count(con, quick)
        hashes[table], counts[table] = _write_file(con, table, source, parts, meant)
    games, events = (f"from {parquet([parts / f'{n}.parquet'])}" for n in LOGGED[::2])
    for table in DERIVED:
        con.execute(f"create or replace table derived as {derived(table, events)}")
        meant = _sum(con, table, "derived")
        hashes[table], _ = _write_file(con, table, "from derived", parts, meant)
    first, last = one(con, f"select min(game), max(game) from ({games})")
    name = sha256("".join(hashes[table].sha256 for table in TABLES).encode()).hexdigest()[:32]
    part = Part(name, SCHEMA, counts["games"], counts["events"], first, last, hashes)
    for table in TABLES:
        (parts / f"{table}.parquet").rename(part_path(folder, part, table))
    return part


def _write_file(
    con: DuckDBPyConnection, table: str, source: str, folder: Path, meant: tuple[int, int]
) -> tuple[PartFile, int]:
    """The rows of a table into a file, read back and compared with the sum that they must have;
    returns how many there are, too."""
    file = folder / f"{table}.parquet"
    con.execute(f"copy (select {column_names(table)} from ({source})) to {quote(file)} {_COPY}")
    found = _sum(con, table, parquet([file]))
    if meant != found:
        raise ArchiveError(f"{file}: the disk gave back other rows than were written")
    return _hash_and_sync(file), found[0]


def hash_file(path: Path) -> PartFile:
    """The SHA-256 and the size of a file, without ever holding it."""
    digest = sha256()
    size = 0
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
            size += len(block)
    return PartFile(digest.hexdigest(), size)


def _hash_and_sync(path: Path) -> PartFile:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fchmod(handle, 0o444)  # a part never changes
        os.fsync(handle)
    finally:
        os.close(handle)
    return hash_file(path)


def staged_files(folder: Path, part: Part) -> list[Path]:
    """The files of a part that waits in a folder to be committed."""
    return [part_path(folder, part, table) for table in TABLES]


def scan(root: Path, table: str, parts: Sequence[Part]) -> str:
    """What to select a table's rows from."""
    if not parts:
        return f"({empty_table(table)})"
    return parquet([part_path(root, part, table) for part in parts])


def select(root: Path, table: str, parts: Sequence[Part]) -> str:
    """What to select to get a table's rows, parts of older schemas made like today's."""
    kinds = sorted({(part.schema, table in part.files) for part in parts}) or [(SCHEMA, True)]
    pieces = []
    for schema, stored in kinds:
        of_it = [p for p in parts if (p.schema, table in p.files) == (schema, stored)]
        columns = UPGRADES.get(schema, {}).get(table, column_names(table))
        if stored or table in LOGGED:
            pieces.append(f"select {columns} from {scan(root, table, of_it)}")
        else:
            made = derived(table, select(root, "events", of_it))
            pieces.append(f"select {columns} from ({made})")
    return " union all ".join(pieces)


class Held(NamedTuple):
    """What the parts hold of a game: the digest of its log, and how it was judged."""

    digest: str
    audit: str


def present(root: Path, parts: Sequence[Part], ids: Sequence[str]) -> dict[str, Held]:
    """Which of some ids the parts hold.

    Raises:
        ArchiveError: the parts can't be read.
    """
    if not ids:
        return {}
    least, most = min(ids), max(ids)
    parts = [part for part in parts if part.first <= most and least <= part.last]
    if not parts:
        return {}
    with speaking(root, "read"), connect(threads=1) as con:
        found = rows(
            con,
            f"""select game, digest, audit from {scan(root, "games", parts)}
            where game in (select unnest(?::VARCHAR[]))""",
            [list(ids)],
        )
    return {game: Held(digest, audit) for game, digest, audit in found}


def wrongly_derived(con: DuckDBPyConnection, root: Path, part: Part) -> list[tuple[str, str]]:
    """The games of a part, each with the table, where a derived table is not what follows from the
    events."""
    found: list[tuple[str, str]] = []
    events = select(root, "events", [part])
    for table in DERIVED:
        if table not in part.files:
            continue
        names = column_names(table)
        kept = f"select {names} from ({select(root, table, [part])})"
        due = f"select {names} from ({derived(table, events)})"
        if _sum(con, table, f"({kept})") != _sum(con, table, f"({due})"):
            wrong = f"""select distinct game from (
                (({kept}) except all ({due})) union all (({due}) except all ({kept}))) order by 1"""
            found += [(str(game), table) for (game,) in rows(con, wrong)]
    return found
