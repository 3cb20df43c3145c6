"""What follows from the events of a part, from arrays: turns, draws, auctions.

:mod:`tenlog.archive.derived` says in SQL what these tables are; here they are had in a third of the
time, while a part is written. Windows become running sums over all events of the part, less what
they were where the turn or the game began.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

from tenlog.errors import ArchiveError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
    from numpy.typing import NDArray

    Array: TypeAlias = NDArray[Any]

# Kinds of events as small numbers, and cards as the two bytes that they are written with.
_DRAWN, _BID, _WON, _NUMBERS, _CURRENCY, _BUST, _CURRENCY_BUST, _NOTHING = range(1, 9)
_STARTED, _BUY, _FINISHED = range(9, 12)
_NUMBERED: Final = f"""select case type when 'CardDrawn' then {_DRAWN} when 'BidPlaced' then {_BID}
    when 'AuctionWon' then {_WON} when 'NumbersTaken' then {_NUMBERS}
    when 'CurrencyTaken' then {_CURRENCY}
    when 'Busted' then case cause when 'currency' then {_CURRENCY_BUST} else {_BUST} end
    when 'NothingTaken' then {_NOTHING} when 'GameStarted' then {_STARTED}
    when 'CardBought' then {_BUY} when 'BuyDeclined' then {_BUY}
    when 'GameFinished' then {_FINISHED} else 0 end::UTINYINT as kind,
  turn,
  coalesce(ascii(card), 0)::UTINYINT as colour, coalesce(ascii(card[2]), 0)::UTINYINT as number,
  coalesce(amount, 0) as amount
from """


def _flags(*kinds: int) -> Array:
    import numpy as np

    flags = np.zeros(16, dtype=bool)
    flags[list(kinds)] = True
    return flags


class Arrays:
    """The events of a part as arrays: what they are, in which turn and game, and their cards."""

    def __init__(self, con: DuckDBPyConnection, events: str) -> None:
        """``events``: a file in which games stand one after another."""
        self._con = con
        self._events = events
        found = con.execute(f"{_NUMBERED}{events}").fetchnumpy()
        self.kind, self.turn, self.amount = found["kind"], found["turn"], found["amount"]
        self.drawn = (self.kind == _DRAWN).nonzero()[0]
        self.colour, self.number = found["colour"][self.drawn], found["number"][self.drawn]
        self.wild = (self.colour == ord("W")) | (self.number == ord("W"))  # of those drawn
        self.starts = (self.kind == _STARTED).nonzero()[0]

    def turns(self) -> list[int]:
        """How many turns each game has.

        Raises:
            ArchiveError: some event is not in the turn that it should be in.
        """
        import numpy as np

        kind = self.kind
        bought = np.zeros(len(kind), dtype=bool)
        bought[1:] = (kind[1:] == _BUY) & (kind[:-1] == _NUMBERS)
        ends = _flags(_CURRENCY, _BUST, _CURRENCY_BUST, _NOTHING)[kind] | bought
        outside = _flags(_BUY, _STARTED, _FINISHED)[kind] & ~bought
        ended: Array = np.cumsum(ends, dtype=np.int32) - ends
        lengths = np.diff(self.starts, append=len(kind))
        due = ended - np.repeat(ended[self.starts], lengths) + ~outside
        if not np.array_equal(due, self.turn):
            raise ArchiveError("turns don't come back from the events: nothing was added")
        return [int(last) for last in self.turn[self.starts + lengths - 1]]

    def follow(self) -> dict[str, str]:
        """For each table that follows from the events, what gives its rows. It holds as long as
        the connection does."""
        return {**self._turns_and_draws(), **self._auctions()}

    def _games(self, events: Array) -> Array:
        """Of which game, from 0, some events are."""
        import numpy as np

        return np.searchsorted(self.starts, events, side="right") - 1

    def _turns_and_draws(self) -> dict[str, str]:
        import numpy as np

        drawn, events = self.drawn, self._events
        ends = _flags(_NUMBERS, _CURRENCY, _BUST, _CURRENCY_BUST, _NOTHING)[self.kind].nonzero()[0]
        number = self.number.astype(np.int32) - ord("0")
        value = np.where(self.colour == ord("C"), number, 0)
        number[self.wild | (self.colour == ord("C"))] = 0

        # Game and turn as one number. Draws of a turn stand together.
        where = (self._games(drawn) << 32) + self.turn[drawn]
        first = np.append(True, where[1:] != where[:-1])[: len(where)].nonzero()[0]
        draws = np.diff(first, append=len(where)).astype(np.int32)

        def in_turn(what: Array) -> Array:
            """The sum over the draws of the turn so far, this one left out."""
            before: Array = np.cumsum(what, dtype=np.int32) - what
            result: Array = before - np.repeat(before[first], draws)
            return result

        behind = np.append(self.kind, 0)[drawn + 1]
        self._con.register(
            "draws_",
            {
                "total": in_turn(number - value),
                "tableau": in_turn((number + value > 0).astype(np.int32)),
                "bust": (behind == _BUST) + 2 * (behind == _CURRENCY_BUST).astype(np.int8),
            },
        )
        where = where[first]
        wanted = (self._games(ends) << 32) + self.turn[ends]
        at = np.searchsorted(where, wanted)
        has = np.append(where, -1)[at] == wanted

        def of_turn(what: Array) -> Array:
            """What each turn that ends has of it, 0 where nothing was drawn."""
            return np.where(has, np.append(what, 0)[at], 0).astype(np.int32)

        def summed(what: Array) -> Array:
            result: Array = np.add.reduceat(what, first) if len(first) else what
            return result

        self._con.register(
            "turns_",
            {
                "draws": of_turn(draws),
                "total": of_turn(summed(number - value)),
                "currency": of_turn(summed(value)),
            },
        )
        return {
            "turns": f"""select game, turn, seat, nullif(draws, 0) as draws,
  case when draws > 0 then total end as total, case when draws > 0 then currency end as currency,
  case type when 'NumbersTaken' then 'numbers' when 'CurrencyTaken' then 'currency'
    when 'Busted' then 'bust by ' || cause else 'nothing' end as ended,
  gains, case when type = 'CurrencyTaken' then tokens end as tokens, n
from (from {events} where type in ('NumbersTaken', 'CurrencyTaken', 'Busted', 'NothingTaken'))
  positional join turns_""",
            "draws": f"""select game, n, turn, seat, total, tableau,
  case bust when 1 then 'numbers' when 2 then 'currency' end as bust
from (select game, n, turn, seat from {events} where type = 'CardDrawn') positional join draws_""",
        }

    def _auctions(self) -> dict[str, str]:
        import numpy as np

        kind, events = self.kind, self._events
        wild = self.drawn[self.wild]
        games = self._games(wild)

        def auction_of(some: Array) -> Array:
            """Of which auction, from 0, some events are; -1 where none has begun in the game."""
            of = np.searchsorted(wild, some, side="right") - 1
            inside = np.append(games, -1)[of] == self._games(some)
            result: Array = np.where(inside, of, -1)
            return result

        bids = (kind == _BID).nonzero()[0]
        won = (kind == _WON).nonzero()[0]
        of_bid, of_won = auction_of(bids), auction_of(won)
        which = np.full(len(wild) + 1, -1, dtype=np.int64)  # the last place is nobody's
        which[of_won] = np.arange(len(won))
        last = np.append(wild, 0)  # the last event of each auction
        np.maximum.at(last, of_bid, bids)
        np.maximum.at(last, of_won, won)

        # By auction, high bids first: the second of each.
        amount = self.amount[bids]
        order = np.lexsort((-amount, of_bid))
        of, amount = of_bid[order], amount[order]
        is_second = np.append(False, of[1:] == of[:-1])[: len(of)]
        is_second[2:] &= of[2:] != of[:-2]
        second = np.full(len(wild) + 1, -1, dtype=np.int32)
        second[of[is_second]] = amount[is_second]
        self._con.register(
            "auctions_",
            {
                "auction": (np.arange(len(wild)) - np.searchsorted(games, games) + 1).astype(
                    np.int32
                ),
                "turn": self.turn[last[:-1]],
                "bids": np.bincount(of_bid + 1, minlength=len(wild) + 1)[1:].astype(np.int32),
                "second": second[:-1],
                "won": which[:-1],
            },
        )
        return {
            "auctions": f"""select game, auction, n, a.turn as turn, drawer, card, bids, price,
  winner, nullif(second, -1) as second_bid, tokens, busts, cards
from (select game, n, seat as drawer, card from {events}
      where type = 'CardDrawn' and (card[1] = 'W' or card[2] = 'W')) positional join auctions_ a
left join (select row_number() over () - 1 as won, price, seat as winner, tokens, busts, cards
      from {events} where type = 'AuctionWon') using (won)"""
        }
