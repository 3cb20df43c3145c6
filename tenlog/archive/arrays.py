"""The lines of a part as arrays, end to end, and what each seat has at the end of its game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from tenlog.archive.build import Seen
from tenlog.archive.lines import MOST_MOVED
from tenlog.archive.summary import Holding
from tenlog.game.ruleset import MAX_SEATS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array: TypeAlias = NDArray[Any]

# Kinds of events as small numbers.
DRAWN, BID, WON, NUMBERS, CURRENCY, BUST, CURRENCY_BUST, NOTHING = range(1, 9)
BUY, UNSOLD, OUTSIDE = range(9, 12)  # the last one: a start or an end
_KINDS: Final = 12
_MOVES: Final = (NUMBERS, CURRENCY, BUST, CURRENCY_BUST, WON, BUY)  # kinds that give or take

# What is to be known of each body: its card as the two bytes that it is written with.
FACTS: Final = f"""case "type" when 'CardDrawn' then {DRAWN} when 'BidPlaced' then {BID}
    when 'AuctionWon' then {WON} when 'NumbersTaken' then {NUMBERS}
    when 'CurrencyTaken' then {CURRENCY}
    when 'Busted' then case cause when 'currency' then {CURRENCY_BUST} else {BUST} end
    when 'NothingTaken' then {NOTHING} when 'CardBought' then {BUY} when 'BuyDeclined' then {BUY}
    when 'AuctionUnsold' then {UNSOLD} when 'GameStarted' then {OUTSIDE}
    when 'GameFinished' then {OUTSIDE} else 0 end::UTINYINT as kind,
  coalesce(seat, -1) as seat, coalesce(amount, 0) as amount,
  coalesce(ascii(card), 0)::UTINYINT as colour, coalesce(ascii(card[2]), 0)::UTINYINT as number,
  coalesce(len(gains), -1)::INTEGER as gaining"""

# And of games that were not judged: what it does to what its seat holds, and what others gain.
MOVED: Final = f"""case "type" when 'CurrencyTaken' then tokens when 'AuctionWon' then -tokens
    when 'CardBought' then -tokens else 0 end as tokens,
  case "type" when 'Busted' then busts when 'AuctionWon' then -busts
    when 'CardBought' then -busts else 0 end as busts,
  case "type" when 'NumbersTaken' then len(cards) when 'AuctionWon' then 1 - len(cards)
    when 'CardBought' then 1 - len(cards) else 0 end::INTEGER as cards,
  case "type" when 'BidPlaced' then 0 else coalesce(tokens, 0)::BIGINT + coalesce(busts, 0)
    + coalesce(list_sum(gains), 0) end::DOUBLE as moved,
  {", ".join(f"coalesce(gains[{seat + 1}], 0) as gain{seat}" for seat in range(MAX_SEATS))}"""


def are(kinds: Array, *which: int) -> Array:
    """For each of some kinds, whether it is one of these."""
    import numpy as np

    flags = np.zeros(_KINDS, dtype=bool)
    flags[list(which)] = True
    result: Array = flags[kinds]
    return result


class Lines:
    """The lines of all games of a part, end to end.

    Attributes:
        codes: which body each has, by its place among those of which something is known.
        lengths, starts: how many lines each game has, and where they begin.
        games: of which game, from 0, each is.
        n: its place in the game.
        kind: what it is.
        turn: in which turn.
        place: the same by one number for all games; not for what is outside of turns.
    """

    def __init__(self, codes: Array, lengths: Sequence[int], facts: Mapping[str, Array]) -> None:
        """``facts``: what :data:`FACTS` tells of each body, and :data:`MOVED` if need be."""
        import numpy as np

        self._facts = facts
        self.codes = codes
        self.lengths: Array = np.array(lengths)
        self.starts: Array = np.cumsum(self.lengths) - self.lengths
        self.games: Array = np.repeat(np.arange(len(lengths), dtype=np.int32), self.lengths)
        self.n: Array = np.arange(len(codes), dtype=np.int32) - self.of_each(self.starts)
        self.kind: Array = facts["kind"][codes]
        self.turn, self.place = self._turns()

    def tell(self, fact: str, where: Array | slice = slice(None)) -> Array:
        """What is known of the bodies of some lines."""
        result: Array = self._facts[fact][self.codes[where]]
        return result

    def of_each(self, values: Array | Sequence[int]) -> Array:
        """What is known of each game, for each line."""
        import numpy as np

        result: Array = np.asarray(values, dtype=np.int32)[self.games]
        return result

    def _turns(self) -> tuple[Array, Array]:
        """In which turn each line is, counted by game, and by one number for all games.

        A turn ends with a bust, with a taking of currency or of nothing, or with the buy phase
        after a taking of numbers; any other buy phase is one of the final buys, which are in the
        last turn (RULES 8.2).
        """
        import numpy as np

        kind = self.kind
        bought = np.zeros(len(kind), dtype=bool)
        bought[1:] = (kind[1:] == BUY) & (kind[:-1] == NUMBERS)
        ends = are(kind, CURRENCY, BUST, CURRENCY_BUST, NOTHING) | bought
        ended: Array = np.cumsum(ends, dtype=np.int32) - ends
        inside = ~(are(kind, BUY, OUTSIDE) & ~bought)
        return ended - self.of_each(ended[self.starts]) + inside, ended + self.games

    @property
    def last_turns(self) -> list[int]:
        """How many turns each game has."""
        last: list[int] = self.turn[self.starts + self.lengths - 1].tolist()
        return last

    def misplaced(self, players: Sequence[int]) -> set[int]:
        """The games with events of seats that they have not, or with gains of too few or too many;
        ``players``: how many seats each has."""
        due = self.of_each(players)
        gaining = self.tell("gaining")
        bad = (self.tell("seat") >= due) | (gaining >= 0) & (gaining != due)
        return set(self.games[bad].tolist())

    def overflowing(self) -> set[int]:
        """The games in which more is moved than columns hold."""
        import numpy as np

        moves = self.moves
        moved = np.bincount(self.games[moves], self.tell("moved", moves))
        return set((moved > MOST_MOVED).nonzero()[0].tolist())

    @property
    def moves(self) -> Array:
        """Which lines give or take something."""
        result: Array = are(self.kind, *_MOVES).nonzero()[0]
        return result


def summed_up(games: Sequence[Seen], lines: Lines) -> list[list[Holding]]:
    """What each seat of each game has at its end; from the events where the game was not judged.
    Of the bodies, :data:`MOVED` is known."""
    import numpy as np

    moves = lines.moves
    place = lines.games[moves] * MAX_SEATS + lines.tell("seat", moves)

    def summed(what: str) -> Array:
        """The sum by game and seat; exact below 2^53, and a column holds less."""
        found = np.bincount(place, lines.tell(what, moves), len(games) * MAX_SEATS)
        return found.astype(np.int64).reshape(len(games), MAX_SEATS)

    tokens, busts, cards = summed("tokens"), summed("busts"), summed("cards")
    tokens += np.array([seen.game.start_tokens for seen in games])[:, None]
    gaining = are(lines.kind, NUMBERS, BUST, CURRENCY_BUST).nonzero()[0]
    of = lines.games[gaining]
    for seat in range(MAX_SEATS):
        gains = np.bincount(of, lines.tell(f"gain{seat}", gaining), len(games))
        tokens[:, seat] += gains.astype(np.int64)

    # An unsold wild may fall to who drew it: the last draw before, in the same game.
    unsold = (lines.kind == UNSOLD).nonzero()[0]
    drawn = np.append(-1, (lines.kind == DRAWN).nonzero()[0])
    draw = drawn[np.searchsorted(drawn, unsold) - 1]
    of = lines.games[unsold]
    to_drawer = np.array([seen.game.unsold == "drawer" for seen in games])
    fallen = to_drawer[of] & (draw >= lines.starts[of])
    np.add.at(cards, (of[fallen], lines.tell("seat", draw[fallen])), 1)

    held = zip(tokens.tolist(), busts.tolist(), cards.tolist(), strict=True)
    return [
        seen.holdings or list(map(Holding, *(of_seats[: seen.game.players] for of_seats in own)))
        for seen, own in zip(games, held, strict=True)
    ]
