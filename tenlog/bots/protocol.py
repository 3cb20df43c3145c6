"""The line protocol by which programs in any language play (docs/bots.md): its messages.

One JSON object a line. What tenlog says is told apart by ``type``: ``hello``, ``start``,
``decide``, ``end``, ``bye``. The program answers ``hello`` and ``decide``, nothing else.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

import msgspec

from tenlog.bots.base import BotFault
from tenlog.errors import IllegalMove
from tenlog.game.cards import CARDS, KIND, VALUE, Card
from tenlog.game.commands import (
    Bid,
    Buy,
    Command,
    Decline,
    Draw,
    Pass,
    TakeCurrency,
    TakeNumbers,
)
from tenlog.game.events import Count, Payment
from tenlog.game.legal import options
from tenlog.game.payments import suggest
from tenlog.game.ruleset import Ruleset
from tenlog.game.state import State
from tenlog.game.view import public

PROTOCOL: Final = 1


class Hello(msgspec.Struct, frozen=True, tag="hello"):
    """First, and only once: versions, and how long an answer may take."""

    protocol: int
    tenlog: str
    format: int
    ms: int


class Start(msgspec.Struct, frozen=True, tag="start"):
    """A game begins, or goes on, with the program at a seat. No answer."""

    game: str
    seat: int
    players: tuple[str, ...]
    ruleset: Ruleset


class Bids(msgspec.Struct, frozen=True):
    """Any whole number from ``min`` to ``max`` may be bid."""

    min: int
    max: int


class Decide(msgspec.Struct, frozen=True, tag="decide"):
    """A decision is due. Answer with one of ``legal``, or with another payment or bid.

    Attributes:
        id: comes back in the answer.
        seat: whose decision it is.
        random: 64 random bits as 16 hex digits, the same whenever this game is repeated.
        legal: decisions that are allowed, complete as they stand; of bids only the lowest.
        bids: what may be bid, or null.
        view: the table, as ``tenlog show --json`` gives it.
    """

    id: int
    seat: int
    random: str
    legal: tuple[Command, ...]
    bids: Bids | None
    view: dict[str, Any]


class End(msgspec.Struct, frozen=True, tag="end"):
    """The game is over, or broken off; ``view`` has the scores and winners, or null. No answer."""

    seat: int
    view: dict[str, Any]


class Bye(msgspec.Struct, frozen=True, tag="bye"):
    """Nothing more will come. No answer; end yourself."""


Name = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]


class HelloAnswer(msgspec.Struct, frozen=True):
    """What a program says of itself."""

    type: Literal["hello"]
    protocol: int
    name: Name
    version: Annotated[str, msgspec.Meta(max_length=64)] = ""


class Answer(msgspec.Struct, frozen=True):
    """A decision. ``amount`` belongs to a bid, ``card`` to a purchase; without ``payment`` the one
    that keeps what is worth most is taken."""

    id: int
    type: Literal["Draw", "TakeNumbers", "TakeCurrency", "Bid", "Pass", "Buy", "Decline"]
    amount: Count | None = None
    card: Card | None = None
    payment: Payment | None = None


Message = Hello | Start | Decide | End | Bye


def question(state: State, number: int, random: int) -> Decide:
    """What is asked of the seat that is to decide."""
    may = options(state)
    seat = may.seat
    legal: list[Command] = []
    if may.draw:
        legal.append(Draw(seat))
    if may.take_numbers:
        legal.append(TakeNumbers(seat))
    if may.take_currency:
        legal.append(TakeCurrency(seat))
    if may.max_bid:
        payment = suggest(state, seat, may.min_bid, auction=True)
        legal.append(Bid(seat, may.min_bid, payment))
    for kind in may.buys:
        legal.append(Buy(seat, CARDS[kind], suggest(state, seat, kind % 9 + 1, bought=kind)))
    if may.passing:
        legal.append(Pass(seat))
    if may.decline:
        legal.append(Decline(seat))
    bids = Bids(may.min_bid, may.max_bid) if may.max_bid else None
    return Decide(number, seat, f"{random:016x}", tuple(legal), bids, public(state))


def command_of(answer: Answer, state: State) -> Command:
    """The command that an answer means.

    Raises:
        BotFault: a bid without an amount, a purchase without a card, or one nobody could pay.
    """
    seat = state.to_act
    kind = answer.type
    if kind == "Draw":
        return Draw(seat)
    if kind == "TakeNumbers":
        return TakeNumbers(seat)
    if kind == "TakeCurrency":
        return TakeCurrency(seat)
    if kind == "Pass":
        return Pass(seat)
    if kind == "Decline":
        return Decline(seat)
    payment = answer.payment
    try:
        if kind == "Bid":
            if answer.amount is None:
                raise BotFault("garbled", "a bid without an amount")
            if payment is None:
                payment = suggest(state, seat, answer.amount, auction=True)
            return Bid(seat, answer.amount, payment)
        if answer.card is None:
            raise BotFault("garbled", "a purchase without a card")
        if payment is None:
            bought = KIND[answer.card]
            payment = suggest(state, seat, VALUE[bought], bought=bought)
        return Buy(seat, answer.card, payment)
    except IllegalMove as error:
        raise BotFault("illegal", f"{error} (rule {error.rule})") from None
