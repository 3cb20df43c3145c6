"""The state of a game: what everybody at the table sees, and nothing else.

Neither the seed nor the order of the deck is in it, so that whoever gets a state gets no secret.

Every slot holds an immutable value (a number, a tuple, bytes). A fold over many events rebinds the
slots of one state in place; :meth:`State.copy` is shallow and shares nothing that can change.

Phases, and what may or must come next::

    phase      who is asked        next event
    ---------  ------------------  ----------------------------------------------
    DRAW       the active player   CardDrawn, NumbersTaken, CurrencyTaken
    AUCTION    each seat in turn   BidPlaced, BidPassed
    SOLD       nobody (forced)     AuctionWon, AuctionUnsold
    BUST       nobody (forced)     Busted
    NOTHING    nobody (forced)     NothingTaken
    BUY        the active player   CardBought, BuyDeclined
    FINAL_BUY  each seat in turn   CardBought, BuyDeclined
    END        nobody (forced)     GameFinished
    OVER       nobody              none
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from tenlog.game.cards import KINDS, NUMBERS_END, OWNED_END
from tenlog.game.events import NOTHING_PAID, GameStarted, Payment
from tenlog.game.ruleset import Rules, rules_for


class Phase(IntEnum):
    """Where a game stands; the table is in the module's docstring."""

    DRAW = 0
    AUCTION = 1
    SOLD = 2
    BUST = 3
    NOTHING = 4
    BUY = 5
    FINAL_BUY = 6
    END = 7
    OVER = 8


# Looking a member up on the enum costs more than the comparison; the engine uses these.
DRAW: Final = Phase.DRAW
AUCTION: Final = Phase.AUCTION
SOLD: Final = Phase.SOLD
BUST: Final = Phase.BUST
NOTHING: Final = Phase.NOTHING
BUY: Final = Phase.BUY
FINAL_BUY: Final = Phase.FINAL_BUY
END: Final = Phase.END
OVER: Final = Phase.OVER

NO_OWNED: Final = bytes(OWNED_END)
NO_MARKET: Final = bytes(NUMBERS_END)
NO_KINDS: Final = bytes(KINDS)


class State:
    """A table, between two events. Made by :func:`tenlog.game.evolve.evolve`.

    Attributes:
        rules: the ruleset, for this number of players.
        game: the game's id.
        players: names by seat.
        n: how many events have been folded.
        turn: which turn it is, from 1.
        phase: see :class:`Phase`.
        active: the seat whose turn it is.
        to_act: the seat that is asked for a decision (meaningless where nobody is asked).
        drawn: how many cards have been drawn from the deck.
        tableau: kinds of the number and currency cards turned up in this turn, in order.
        total: numbers minus currency values of the tableau (may be negative) (RULES 4.2).
        currency: currency values of the tableau.
        tokens: tokens by seat.
        busts: bust tokens by seat.
        cards: collections by seat, each as 50 counts by kind.
        market: 36 counts by kind.
        discard: 55 counts by kind.
        supply: tokens that nobody holds.
        bust_supply: bust tokens that nobody holds.
        wild: kind of the wild that is up for auction, or -1.
        asked: how many seats have bid or passed in this auction.
        bid: the highest bid of this auction, 0 if there is none.
        bidder: who made it, or -1.
        payment: how it would be paid.
        scores: points by seat once the game is finished, else empty.
        winners: winners' seats once the game is finished, else empty.
    """

    __slots__ = (
        "active",
        "asked",
        "bid",
        "bidder",
        "bust_supply",
        "busts",
        "cards",
        "currency",
        "discard",
        "drawn",
        "game",
        "market",
        "n",
        "payment",
        "phase",
        "players",
        "rules",
        "scores",
        "supply",
        "tableau",
        "to_act",
        "tokens",
        "total",
        "turn",
        "wild",
        "winners",
    )

    def __init__(
        self,
        rules: Rules,
        game: str,
        players: tuple[str, ...],
        n: int,
        turn: int,
        phase: Phase,
        active: int,
        to_act: int,
        drawn: int,
        tableau: tuple[int, ...],
        total: int,
        currency: int,
        tokens: tuple[int, ...],
        busts: tuple[int, ...],
        cards: tuple[bytes, ...],
        market: bytes,
        discard: bytes,
        supply: int,
        bust_supply: int,
        wild: int,
        asked: int,
        bid: int,
        bidder: int,
        payment: Payment,
        scores: tuple[int, ...],
        winners: tuple[int, ...],
    ) -> None:
        self.rules = rules
        self.game = game
        self.players = players
        self.n = n
        self.turn = turn
        self.phase = phase
        self.active = active
        self.to_act = to_act
        self.drawn = drawn
        self.tableau = tableau
        self.total = total
        self.currency = currency
        self.tokens = tokens
        self.busts = busts
        self.cards = cards
        self.market = market
        self.discard = discard
        self.supply = supply
        self.bust_supply = bust_supply
        self.wild = wild
        self.asked = asked
        self.bid = bid
        self.bidder = bidder
        self.payment = payment
        self.scores = scores
        self.winners = winners

    def copy(self) -> State:
        """Another state with the same values; changing one leaves the other alone."""
        return State(
            self.rules,
            self.game,
            self.players,
            self.n,
            self.turn,
            self.phase,
            self.active,
            self.to_act,
            self.drawn,
            self.tableau,
            self.total,
            self.currency,
            self.tokens,
            self.busts,
            self.cards,
            self.market,
            self.discard,
            self.supply,
            self.bust_supply,
            self.wild,
            self.asked,
            self.bid,
            self.bidder,
            self.payment,
            self.scores,
            self.winners,
        )

    def values(self) -> tuple[object, ...]:
        """All values but the rules: what makes two states equal."""
        return (
            self.active,
            self.asked,
            self.bid,
            self.bidder,
            self.bust_supply,
            self.busts,
            self.cards,
            self.currency,
            self.discard,
            self.drawn,
            self.game,
            self.market,
            self.n,
            self.payment,
            self.phase,
            self.players,
            self.scores,
            self.supply,
            self.tableau,
            self.to_act,
            self.tokens,
            self.total,
            self.turn,
            self.wild,
            self.winners,
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        return (
            self.values() == other.values()
            and self.rules.players == other.rules.players
            and self.rules.ruleset == other.rules.ruleset
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return (
            f"<State {self.game} n={self.n} turn={self.turn} {self.phase.name} seat={self.to_act}>"
        )

    @property
    def deck_left(self) -> int:
        """How many cards the deck still has."""
        return self.rules.deck_size - self.drawn

    @property
    def unseen(self) -> bytes:
        """What is left in the deck, as 55 counts by kind: known to everybody (RULES 1)."""
        left = bytearray(self.rules.counts)
        for kind, count in enumerate(self.discard):
            left[kind] -= count
        for counts in (*self.cards, self.market):
            for kind, count in enumerate(counts):
                if count:
                    left[kind] -= count
        for kind in self.tableau:
            left[kind] -= 1
        if self.wild >= 0:
            left[self.wild] -= 1
        return bytes(left)


def who(state: State, seat: int) -> str:
    """A seat for people, as in ``Ann (seat 0)``; one that the table does not have by its number."""
    if 0 <= seat < len(state.players):
        return f"{state.players[seat]} (seat {seat})"
    return f"seat {seat}"


def start_state(event: GameStarted) -> State:
    """The table before the first draw (RULES 3).

    Raises:
        RulesetError: no such ruleset, or one that cannot work.
        SetupError: not for this number of players.
    """
    rules = rules_for(event.rules, len(event.players))
    seats = len(event.players)
    return State(
        rules=rules,
        game=event.game,
        players=event.players,
        n=1,
        turn=1,
        phase=DRAW,
        active=0,
        to_act=0,
        drawn=0,
        tableau=(),
        total=0,
        currency=0,
        tokens=(rules.start,) * seats,
        busts=(0,) * seats,
        cards=(NO_OWNED,) * seats,
        market=NO_MARKET,
        discard=NO_KINDS,
        supply=rules.token_supply - rules.start * seats,
        bust_supply=rules.bust_supply,
        wild=-1,
        asked=0,
        bid=0,
        bidder=-1,
        payment=NOTHING_PAID,
        scores=(),
        winners=(),
    )
