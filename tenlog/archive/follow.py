"""What follows from the events of a part, from arrays: turns, draws, auctions.

:mod:`tenlog.archive.derived` says in SQL what these tables are; here they are had in a fraction of
the time, while a part is written. Windows become running sums over all events of the part, less
what they were where the turn or the game began.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tenlog.archive.arrays import (
    BID,
    BUST,
    CURRENCY,
    CURRENCY_BUST,
    DRAWN,
    NOTHING,
    NUMBERS,
    WON,
    Lines,
    are,
)

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from tenlog.archive.arrays import Array


def follow(con: DuckDBPyConnection, lines: Lines) -> dict[str, str]:
    """For each table that follows from the events, what gives its rows. They are joined with
    ``bodies`` and ``ids``, in their order if DuckDB leaves the order of joins alone."""
    drawn = (lines.kind == DRAWN).nonzero()[0]
    colour, number = lines.tell("colour", drawn), lines.tell("number", drawn)
    wild = (colour == ord("W")) | (number == ord("W"))
    return {
        **_turns_and_draws(con, lines, drawn, colour, number, wild),
        **_auctions(con, lines, drawn[wild]),
    }


def _turns_and_draws(
    con: DuckDBPyConnection, lines: Lines, drawn: Array, colour: Array, number: Array, wild: Array
) -> dict[str, str]:
    import numpy as np

    ends = are(lines.kind, NUMBERS, CURRENCY, BUST, CURRENCY_BUST, NOTHING).nonzero()[0]
    number = number.astype(np.int32) - ord("0")
    value = np.where(colour == ord("C"), number, 0)
    number[wild | (colour == ord("C"))] = 0

    # Turns by one number for all games. Draws of a turn stand together.
    where = lines.place[drawn]
    first = np.append(True, where[1:] != where[:-1])[: len(where)].nonzero()[0]
    draws = np.diff(first, append=len(where)).astype(np.int32)

    def in_turn(what: Array) -> Array:
        """The sum over the draws of the turn so far, this one left out."""
        before: Array = np.cumsum(what, dtype=np.int32) - what
        result: Array = before - np.repeat(before[first], draws)
        return result

    def of_turn(what: Array) -> Array:
        """The sum over the draws of each turn that ends, 0 where nothing was drawn."""
        sums = np.zeros(lines.place[-1] + 1, dtype=np.int32)
        if len(first):
            sums[where[first]] = np.add.reduceat(what, first)
        result: Array = sums[lines.place[ends]]
        return result

    behind = np.append(lines.kind, 0)[drawn + 1]
    con.register(
        "draws_",
        {
            "g": lines.games[drawn],
            "n": lines.n[drawn],
            "turn": lines.turn[drawn],
            "seat": lines.tell("seat", drawn),
            "total": in_turn(number - value),
            "tableau": in_turn((number + value > 0).astype(np.int32)),
            "bust": (behind == BUST) + 2 * (behind == CURRENCY_BUST).astype(np.int8),
        },
    )
    con.register(
        "turns_",
        {
            "g": lines.games[ends],
            "n": lines.n[ends],
            "turn": lines.turn[ends],
            "code": lines.codes[ends],
            "draws": of_turn(np.ones(len(drawn), dtype=np.int32)),
            "total": of_turn(number - value),
            "currency": of_turn(value),
        },
    )
    return {
        "turns": """select game, turn, seat, nullif(draws, 0) as draws,
  case when draws > 0 then total end as total, case when draws > 0 then currency end as currency,
  case type when 'NumbersTaken' then 'numbers' when 'CurrencyTaken' then 'currency'
    when 'Busted' then 'bust by ' || cause else 'nothing' end as ended,
  gains, case when type = 'CurrencyTaken' then tokens end as tokens, n
from turns_ join (from bodies where type in ('NumbersTaken', 'CurrencyTaken', 'Busted',
  'NothingTaken')) using (code) join ids using (g)""",
        "draws": """select game, n, turn, seat, total, tableau,
  case bust when 1 then 'numbers' when 2 then 'currency' end as bust
from draws_ join ids using (g)""",
    }


def _auctions(con: DuckDBPyConnection, lines: Lines, wild: Array) -> dict[str, str]:
    """``wild``: the draws that begin auctions."""
    import numpy as np

    games = lines.games[wild]

    def auction_of(some: Array) -> Array:
        """Of which auction, from 0, some events are; -1 where none has begun in the game."""
        of = np.searchsorted(wild, some, side="right") - 1
        inside = np.append(games, -1)[of] == lines.games[some]
        result: Array = np.where(inside, of, -1)
        return result

    bids = (lines.kind == BID).nonzero()[0]
    won = (lines.kind == WON).nonzero()[0]
    of_bid, of_won = auction_of(bids), auction_of(won)
    which = np.full(len(wild) + 1, -1, dtype=np.int32)  # the last place is nobody's
    which[of_won] = lines.codes[won]
    last = np.append(wild, 0)  # the last event of each auction
    np.maximum.at(last, of_bid, bids)
    np.maximum.at(last, of_won, won)

    # By auction, high bids first: the second of each.
    amount = lines.tell("amount", bids)
    order = np.lexsort((-amount, of_bid))
    of, amount = of_bid[order], amount[order]
    is_second = np.append(False, of[1:] == of[:-1])[: len(of)]
    is_second[2:] &= of[2:] != of[:-2]
    second = np.full(len(wild) + 1, -1, dtype=np.int32)
    second[of[is_second]] = amount[is_second]
    con.register(
        "auctions_",
        {
            "g": games,
            "n": lines.n[wild],
            "turn": lines.turn[last[:-1]],
            "auction": (np.arange(len(wild)) - np.searchsorted(games, games) + 1).astype(np.int32),
            "bids": np.bincount(of_bid + 1, minlength=len(wild) + 1)[1:].astype(np.int32),
            "second": second[:-1],
            "drawn": lines.codes[wild],
            "won": which[:-1],
        },
    )
    return {
        "auctions": """select game, auction, n, turn, d.seat as drawer, d.card as card, bids,
  w.price as price, w.seat as winner, nullif(second, -1) as second_bid, w.tokens as tokens,
  w.busts as busts, w.cards as cards
from auctions_ join ids using (g) join (from bodies where type = 'CardDrawn') d on d.code = drawn
  left join (from bodies where type = 'AuctionWon') w on w.code = won"""
    }
