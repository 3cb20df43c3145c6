"""Events: everything that can happen in a game, as it stands in a log (FORMAT 3).

Facts, in the past tense, never changed. The order of the fields is the order in the log.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec

from tenlog.game.cards import Card
from tenlog.game.ruleset import Ruleset

FORMAT: Final = 1

# No seat, amount or price of any game comes near the upper bound; it keeps a hostile log from
# making numbers that are slow to print or do not fit a column.
Count = Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]

Cause = Literal["numbers", "currency"]


class Payment(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """What is paid: tokens (worth 1 each), bust tokens (3 each), own cards (1 each) (RULES 6.3)."""

    tokens: Count
    busts: Count
    cards: tuple[Card, ...]


NOTHING_PAID: Final = Payment(0, 0, ())


class _Event(
    msgspec.Struct, frozen=True, gc=False, tag_field="type", tag=True, forbid_unknown_fields=True
):
    """What all events share: immutable, tagged by ``type``, unknown fields refused."""


class GameStarted(_Event, frozen=True):
    """The first event. ``rules`` names a shipped ruleset or is a whole one; ``seed`` is None in a
    sealed game, whose seed only ``commitment`` fixes (FORMAT 5)."""

    format: Count
    game: str
    rules: str | Ruleset
    players: tuple[str, ...]
    seed: str | None
    commitment: str


class CardDrawn(_Event, frozen=True):
    """A card was turned up (RULES 4.1)."""

    seat: Count
    card: Card


class BidPlaced(_Event, frozen=True):
    """A bid, with the payment that it would be paid with (RULES 7.2, 7.3)."""

    seat: Count
    amount: Count
    payment: Payment


class BidPassed(_Event, frozen=True):
    """A pass in an auction (RULES 7.2)."""

    seat: Count


class AuctionWon(_Event, frozen=True):
    """The highest bidder paid and got the wild (RULES 7.3)."""

    seat: Count
    card: Card
    price: Count
    payment: Payment


class AuctionUnsold(_Event, frozen=True):
    """All passed (RULES 7.4)."""

    card: Card


class Busted(_Event, frozen=True):
    """The last draw was one too many (RULES 4.3, 5). ``gains``: tokens received by each seat;
    ``bust_tokens``: 1, or 0 if none is left."""

    seat: Count
    cause: Cause
    gains: tuple[Count, ...]
    bust_tokens: Count


class NumbersTaken(_Event, frozen=True):
    """The number cards of the tableau, in the order drawn, went to the player's collection;
    ``gains`` are the tokens that each seat really received (RULES 5)."""

    seat: Count
    cards: tuple[Card, ...]
    gains: tuple[Count, ...]


class CurrencyTaken(_Event, frozen=True):
    """``tokens`` were really received; ``cards``, as drawn, went to the market (RULES 5)."""

    seat: Count
    tokens: Count
    cards: tuple[Card, ...]


class NothingTaken(_Event, frozen=True):
    """The deck is empty and so is the tableau (RULES 8.1)."""

    seat: Count


class CardBought(_Event, frozen=True):
    """A buy phase used (RULES 6)."""

    seat: Count
    card: Card
    price: Count
    payment: Payment


class BuyDeclined(_Event, frozen=True):
    """A buy phase not used (RULES 6.1)."""

    seat: Count


class GameFinished(_Event, frozen=True):
    """The last event: points by seat, winners' seats ascending, the seed (RULES 9, FORMAT 5)."""

    scores: tuple[Count, ...]
    winners: tuple[Count, ...]
    seed: str


Event = (
    GameStarted
    | CardDrawn
    | BidPlaced
    | BidPassed
    | AuctionWon
    | AuctionUnsold
    | Busted
    | NumbersTaken
    | CurrencyTaken
    | NothingTaken
    | CardBought
    | BuyDeclined
    | GameFinished
)

EVENT_TYPES: Final[tuple[type[Event], ...]] = (
    GameStarted,
    CardDrawn,
    BidPlaced,
    BidPassed,
    AuctionWon,
    AuctionUnsold,
    Busted,
    NumbersTaken,
    CurrencyTaken,
    NothingTaken,
    CardBought,
    BuyDeclined,
    GameFinished,
)
