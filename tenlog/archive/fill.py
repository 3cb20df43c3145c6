"""From a builder's lines to a part, columnwise, and proved before anybody sees it.

1. DuckDB reads the lines into typed columns, numbers games and turns in passing, and writes
   ``events``.
2. Each line is rebuilt in SQL from what then stands on the disk. Game by game, the rebuilt lines
   must be the lines that were read: as many, with the same hashes; and no column may say what no
   event can. Games of which this is not so are suspected: no part is made, and who made the
   builder looks at them line by line.
3. What each seat has at the end is summed up from the columns, and ``games`` and ``players`` are
   written and read back: the sum of the hashes of all rows must be that of the rows that were to
   be written. The other tables follow from the events (:mod:`tenlog.archive.follow`).
4. Files are hashed, synced and named by their content. Only then may a commit list them.

Python makes no object for a line.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, get_args

import msgspec

from tenlog.archive.build import Builder, Seen
from tenlog.archive.catalogue import Part
from tenlog.archive.engine import WRITING, connect, quote, rows, speaking
from tenlog.archive.follow import Arrays
from tenlog.archive.lines import NotKept, check_strictly
from tenlog.archive.parts import Writing
from tenlog.archive.schema import COLUMNS
from tenlog.archive.summary import Holding, settle
from tenlog.errors import ArchiveError
from tenlog.game.cards import KIND
from tenlog.game.events import Event
from tenlog.game.ruleset import MAX_SEATS
from tenlog.log.codec import MAX_LINE

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_PLENTY: Final = "1GiB"  # of DuckDB's memory
_MOST: Final = 2**31 - 1  # what a column holds

_encode = msgspec.json.Encoder().encode

# Texts that are one of few, as what they are: small here, and Parquet takes them as they lie. Read
# from there they are texts. What is none of them can't be read.
_TYPES: Final = f"""
create type kind as enum ({", ".join(f"'{kind.__name__}'" for kind in get_args(Event))});
create type card as enum ({", ".join(f"'{card}'" for card in sorted(KIND))});
create type cause as enum ('numbers', 'currency');
"""

_EVENT: Final = """STRUCT("type" VARCHAR, seat INTEGER, card VARCHAR, amount INTEGER, price INTEGER,
  payment STRUCT(tokens INTEGER, busts INTEGER, cards VARCHAR[]), cause VARCHAR, gains INTEGER[],
  bust_tokens INTEGER, tokens INTEGER, cards VARCHAR[])"""

# The lines in their order. A game begins with n 0. A turn ends with a bust, with a taking of
# currency or of nothing, or with the buy phase after a taking of numbers; any other buy phase is
# one of the final buys, which are in the last turn (RULES 8.2).
_READ: Final = """
select ids.game as game, n, "type",
  (e - before - ends::INTEGER + 1 - late::INTEGER)::INTEGER as turn,
  seat, card, amount, price, tokens, busts, cause, gains, cards, "at", seal
from (
  select *, max(case when n = 0 then e end) over so_far as before
  from (
    select *, (count(*) filter (n = 0) over so_far)::INTEGER - 1 as g,
      (count(*) filter (ends) over so_far)::INTEGER as e
    from (
      select *,
        ("type" in ('Busted', 'CurrencyTaken', 'NothingTaken')
          or "type" in ('CardBought', 'BuyDeclined') and previous = 'NumbersTaken') as ends,
        ("type" in ('CardBought', 'BuyDeclined') and previous <> 'NumbersTaken'
          or "type" in ('GameStarted', 'GameFinished')) as late
      from (
        select n, ev."type"::kind as "type", ev.seat as seat, ev.card::card as card,
          ev.amount as amount, ev.price as price,
          coalesce(ev.payment.tokens, ev.tokens) as tokens,
          coalesce(ev.payment.busts, ev.bust_tokens) as busts, ev.cause::cause as cause,
          ev.gains as gains, coalesce(ev.payment.cards, ev.cards)::card[] as cards,
          {at} as "at", {seal} as seal,
          lag(ev."type"::kind, 1, 'GameStarted') over () as previous
        from read_json({file}, format = 'newline_delimited', hive_partitioning = false,
          maximum_object_size = {most}, columns = {{n: 'INTEGER', ev: '{event}'{more}}})
      )
    ) window so_far as (rows unbounded preceding)
  ) window so_far as (rows unbounded preceding)
) join ids using (g)"""

_CARDS: Final = """case when len(cards) = 0 then '[]'
    else concat('["', array_to_string(cards, '","'), '"]') end"""
_GAINS: Final = "'[', array_to_string(gains, ','), ']'"
_PAYMENT: Final = f"""',"payment":{{"tokens":', tokens, ',"busts":', busts, ',"cards":', {_CARDS},
    '}}'"""

# The lines byte for byte, from the columns alone, save that a seal is only said to be there.
_REBUILT: Final = f"""
select *, concat('{{"n":', n, ',"ev":{{"type":"', "type", '"', case "type"
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
    else concat(',"seat":', seat) end, '}}',
  case when "at" is not null then concat(',"at":', "at") end,
  case when seal then ',"h":true' end, '}}') as line
from """

# What is said of each game: by the file that was read, and by what was written. The salt is a
# secret of this moment: without it, lines with equal hashes could be made up.
_SAID: Final = """
select g, count(*) as lines, sum(hash(concat('{salt}', line))) as "sum"
from (select {line} as line, count(*) filter (line[:7] = '{{"n":0,') over so_far - 1 as g
      from read_csv({file}, columns = {{line: 'VARCHAR'}}, header = false, auto_detect = false,
        delim = chr(1), quote = '', escape = '', max_line_size = {most})
      window so_far as (rows unbounded preceding))
group by g"""
_FOUND: Final = """
select game, count(*) as lines, sum(hash(concat('{salt}', line))) as "sum",
  count(*) filter ("type" in ('GameStarted', 'GameFinished')) as ends,
  count(*) filter (n <> 0 and n <> before + 1) as gaps, max(seat) as seat, min(len(gains)) as least,
  max(len(gains)) as most, count(*) filter (contains(line, '-')) as negative
from (select *, lag(n) over () as before from {events})
group by game"""
_SUSPECTED: Final = """
select ids.game::VARCHAR
from ids left join said using (g) left join found on found.game = ids.game::VARCHAR
where not coalesce(said.lines = ids.events and found.lines = ids.events
  and said."sum" = found."sum" and ends = 2 and gaps = 0 and negative = 0
  and coalesce(seat, 0) < players and coalesce(least, players) = players
  and coalesce(most, players) = players, false)
  or (select count(*) from said) <> (select count(*) from ids)
order by g"""

# A line as it stands there, or with its seal only said.
_PLAIN: Final = "line"
_UNSEALED: Final = """case when line[-40:-35] = ',"h":"' then concat(line[:-41], ',"h":true}')
  else line end"""

# What each seat has at the end besides the tokens of the start; and what falls to the drawer.
_MOVED: Final = """
select game, seat,
  sum(case "type" when 'CurrencyTaken' then tokens when 'NumbersTaken' then 0 when 'Busted' then 0
    else -tokens end)::BIGINT as tokens,
  sum(case "type" when 'Busted' then busts when 'AuctionWon' then -busts
    when 'CardBought' then -busts else 0 end)::BIGINT as busts,
  sum(case "type" when 'NumbersTaken' then len(cards) when 'AuctionWon' then 1 - len(cards)
    when 'CardBought' then 1 - len(cards) else 0 end)::BIGINT as cards
from {events}
where "type" in ('NumbersTaken', 'CurrencyTaken', 'Busted', 'AuctionWon', 'CardBought')
group by game, seat"""
_GAINS_OF: Final = [f"coalesce(sum(gains[{seat}]), 0)::BIGINT" for seat in range(1, MAX_SEATS + 1)]
_GAINED: Final = f"""
select game, [{", ".join(_GAINS_OF)}] from {{events}} where gains is not null group by game"""
_LEFT: Final = """
select game, drawer, count(*)
from (select game, "type",
        last_value(case when "type" = 'CardDrawn' then seat end ignore nulls) over (
          partition by game order by n) as drawer
      from {events} where "type" in ('CardDrawn', 'AuctionUnsold'))
where "type" = 'AuctionUnsold' and drawer is not null
group by game, drawer"""


class Suspects(Exception):
    """Games that may not go in.

    Attributes:
        games: the ids of those whose lines don't come back from what was made of them; if there are
            none it may be any game of the part, and the message is DuckDB's.
        faulty: why, of those where it is known.
    """

    def __init__(
        self, games: list[str], why: str = "", faulty: Mapping[str, NotKept] | None = None
    ) -> None:
        super().__init__(why)
        self.games = games
        self.faulty = faulty or {}

    @property
    def told(self) -> str:
        """What is wrong, in a line."""
        for game, error in self.faulty.items():
            return f"{game}: {error}"
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

        builder.close()
        try:
            return _part_of(builder, WRITING)
        except duckdb.OutOfMemoryException:
            return _part_of(builder, _PLENTY)  # lines with a thousand cards, which no game has


def _part_of(builder: Builder, memory: str) -> Part:
    # One thread: lines are numbered in their order, and whoever writes much runs several processes.
    with connect(builder.folder, threads=1, memory=memory) as con:
        con.execute(_TYPES)
        _name_games(con, builder)
        writing = Writing(builder.folder, con)
        _write_events(con, builder, writing)
        arrays = Arrays(con, writing.events)
        _write_games(con, builder, writing, arrays.turns())
        return writing.part(arrays)


def _name_games(con: DuckDBPyConnection, builder: Builder) -> None:
    """The games by their numbers; ids as what they are, one of few."""
    ids = list(builder.ids)
    counts = [(seen.game.events, seen.game.players) for seen in builder.kept]
    con.execute("create type id as enum (select unnest(?::VARCHAR[]))", [ids])
    con.execute(
        """create table ids as select unnest(range(len($ids)))::INTEGER as g,
            unnest($ids::VARCHAR[])::id as game, unnest($events::INTEGER[]) as events,
            unnest($players::INTEGER[]) as players""",
        {"ids": ids, "events": [events for events, _ in counts],
         "players": [players for _, players in counts]},
    )  # fmt: skip


def _write_events(con: DuckDBPyConnection, builder: Builder, writing: Writing) -> None:
    import duckdb

    told = builder.told
    file, most = quote(builder.file), MAX_LINE + 1
    read = _READ.format(
        file=file,
        most=most,
        event=_EVENT,
        at='"at"' if told else "null::BIGINT",
        seal="h is not null" if told else "ev.\"type\" = 'GameFinished'",
        more=", \"at\": 'BIGINT', h: 'VARCHAR'" if told else "",
    )
    salt = secrets.token_hex(16 + secrets.randbelow(8))
    said = _SAID.format(file=file, most=most, salt=salt, line=_UNSEALED if told else _PLAIN)
    try:
        # The few games are what is hashed; the lines stream past them in their order.
        con.execute("set disabled_optimizers = 'join_order,build_side_probe_side'")
        writing.copy("events", read)
        con.execute("reset disabled_optimizers")
        con.execute(f"create table said as {said}")
        found = _FOUND.format(salt=salt, events=f"({_REBUILT}{writing.events})")
        con.execute(f"create table found as {found}")
        suspects = rows(con, _SUSPECTED)
    except (duckdb.InvalidInputException, duckdb.ConversionException) as error:
        raise Suspects([], str(error)) from None
    if suspects:
        raise Suspects([game for (game,) in suspects])
    writing.keep("events")


def _write_games(
    con: DuckDBPyConnection, builder: Builder, writing: Writing, turns: list[int]
) -> None:
    """``games`` and ``players``, and what follows from the events."""
    games = builder.kept
    if any(seen.holdings is None for seen in games):
        holdings = _sum_up(con, games, writing.events)
    else:
        holdings = [seen.holdings or [] for seen in games]
    _check_holdings(games, holdings)
    file = builder.folder / "rows.jsonl"
    longest = 0
    with file.open("wb") as out:
        for number, (seen, last, held) in enumerate(zip(games, turns, holdings, strict=True)):
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


def _check_holdings(games: Sequence[Seen], holdings: Sequence[Sequence[Holding]]) -> None:
    """Sums of what nobody judged may be anything.

    Raises:
        Suspects: some are no numbers of a column.
    """
    faulty = {
        seen.game.game: NotKept("bad-amount", f"seat {seat} would hold {amount} at the end")
        for seen, held in zip(games, holdings, strict=True)
        for seat, holding in enumerate(held)
        for amount in holding[:3]
        if not -_MOST <= amount <= _MOST
    }
    if faulty:
        raise Suspects(list(faulty), faulty=faulty)


def _records(file: Path, most: int) -> str:
    games = ", ".join(f'"{c.name}" {c.type}' for c in COLUMNS["games"])
    players = ", ".join(
        f'"{c.name}" {c.type}' for c in COLUMNS["players"] if c.name not in ("game", "seat")
    )
    return f"""read_json({quote(file)}, format = 'newline_delimited', hive_partitioning = false,
        maximum_object_size = {most}, columns = {{
        g: 'BIGINT', game: 'STRUCT({games})', players: 'STRUCT({players})[]'}})"""


def _sum_up(con: DuckDBPyConnection, games: Sequence[Seen], events: str) -> list[list[Holding]]:
    """What each seat of each game has at its end, where it is not known, from the events."""
    held = {seen.game.game: [[seen.game.start_tokens, 0, 0] for _ in seen.seats] for seen in games}
    to_drawers = {seen.game.game for seen in games if seen.game.unsold == "drawer"}
    for game, seat, *moved in rows(con, _MOVED.format(events=events)):
        held[game][seat] = [a + b for a, b in zip(held[game][seat], moved, strict=True)]
    for game, gained in rows(con, _GAINED.format(events=events)):
        for seat, gain in zip(held[game], gained, strict=False):
            seat[0] += gain
    if to_drawers:
        for game, drawer, left in rows(con, _LEFT.format(events=events)):
            if game in to_drawers:
                held[game][drawer][2] += left
    return [
        seen.holdings or [Holding(own[0], own[1], own[2]) for own in held[seen.game.game]]
        for seen in games
    ]


def faulty_games(builder: Builder, suspects: Suspects) -> dict[str, NotKept]:
    """Which of some games are not as they should be, and why; read line by line where that is not
    known."""
    found = dict(suspects.faulty)
    for game in [] if found else suspects.games or builder.ids:
        try:
            check_strictly(builder.bytes_of(game))
        except NotKept as error:
            found[game] = error
    return found
