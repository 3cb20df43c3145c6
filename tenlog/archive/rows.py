"""From an event to its typed columns, and back: the two functions that recoverability rests on.

A row holds all that the canonical bytes of an event hold, so that the codec alone gives the bytes
back. The first and the last event of a game are told by the tables ``games`` and ``players``; in
``events`` they are rows without values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import msgspec
from msgspec import UNSET, UnsetType

from tenlog.game.cards import CARDS, KIND, Card
from tenlog.game.events import (
    FORMAT,
    AuctionUnsold,
    AuctionWon,
    BidPassed,
    BidPlaced,
    Busted,
    BuyDeclined,
    CardBought,
    CardDrawn,
    CurrencyTaken,
    Event,
    GameFinished,
    GameStarted,
    NothingTaken,
    NumbersTaken,
    Payment,
)
from tenlog.game.ruleset import Ruleset
from tenlog.log.codec import NO_SEAL, Line, Origin
from tenlog.log.store import seal_block
from tenlog.shuffle import commitment


class EventRow(msgspec.Struct, omit_defaults=True, gc=False):
    """The columns of ``events`` that come from the event itself; what a type has not is None."""

    type: str
    seat: int | None = None
    card: str | None = None
    amount: int | None = None
    price: int | None = None
    tokens: int | None = None
    busts: int | None = None
    cause: str | None = None
    gains: Sequence[int] | None = None
    cards: Sequence[str] | None = None


class PlayerRow(msgspec.Struct, gc=False):
    """The columns of ``players`` that come from the log, or from the table at its end."""

    name: str
    bot: str | None
    score: int
    tokens: int
    busts: int
    cards: int
    rank: int
    won: bool
    red: int | None = None
    blue: int | None = None
    orange: int | None = None
    green: int | None = None


class GameRow(msgspec.Struct, gc=False):
    """The columns of ``games``; their meaning stands in the schema."""

    game: str
    digest: str
    ruleset: str
    rules: str | None
    seed: str
    start_tokens: int
    unsold: str
    hidden: bool
    players: int
    events: int
    turns: int
    started: int | None
    finished: int | None
    winners: Sequence[int]
    winning_score: int
    margin: int | None
    decided_by: str
    audit: str
    has_bots: bool
    origin_seal: str | None
    origin_n: int | None


def _payment(row: EventRow) -> Payment:
    return Payment(_int(row.tokens), _int(row.busts), _cards(row.cards))


def _int(value: int | None) -> int:
    if value is None:
        raise ValueError("a column is empty that the type of the event needs")
    return value


def _cards(value: Sequence[str] | None) -> tuple[Card, ...]:
    if value is None:
        raise ValueError("a column is empty that the type of the event needs")
    return tuple([CARDS[KIND[text]] for text in value])


def _card(value: str | None) -> Card:
    return _cards(None if value is None else (value,))[0]


def _gains(value: Sequence[int] | None) -> tuple[int, ...]:
    if value is None:
        raise ValueError("a column is empty that the type of the event needs")
    return tuple(value)


_EVENTS: Final[dict[str, Callable[[EventRow], Event]]] = {
    "CardDrawn": lambda r: CardDrawn(_int(r.seat), _card(r.card)),
    "BidPlaced": lambda r: BidPlaced(_int(r.seat), _int(r.amount), _payment(r)),
    "BidPassed": lambda r: BidPassed(_int(r.seat)),
    "AuctionWon": lambda r: AuctionWon(_int(r.seat), _card(r.card), _int(r.price), _payment(r)),
    "AuctionUnsold": lambda r: AuctionUnsold(_card(r.card)),
    "Busted": lambda r: Busted(
        _int(r.seat),
        "currency" if r.cause == "currency" else "numbers",
        _gains(r.gains),
        _int(r.busts),
    ),
    "NumbersTaken": lambda r: NumbersTaken(_int(r.seat), _cards(r.cards), _gains(r.gains)),
    "CurrencyTaken": lambda r: CurrencyTaken(_int(r.seat), _int(r.tokens), _cards(r.cards)),
    "NothingTaken": lambda r: NothingTaken(_int(r.seat)),
    "CardBought": lambda r: CardBought(_int(r.seat), _card(r.card), _int(r.price), _payment(r)),
    "BuyDeclined": lambda r: BuyDeclined(_int(r.seat)),
}


def event_of(row: EventRow) -> Event:
    """The event of a row (not of the first or last one of a game).

    Raises:
        ValueError: the columns are not those of an event.
    """
    make = _EVENTS.get(row.type)
    if make is None:
        raise ValueError(f"no event of type {row.type!r} stands in the middle of a game")
    return make(row)


def first_event(game: GameRow, players: Sequence[PlayerRow]) -> GameStarted:
    """The first event of a game, from the tables."""
    rules: str | Ruleset = game.ruleset
    if game.rules is not None:
        rules = msgspec.json.decode(game.rules, type=Ruleset)
    return GameStarted(
        FORMAT,
        game.game,
        rules,
        tuple([player.name for player in players]),
        None if game.hidden else game.seed,
        commitment(game.seed),
    )


def last_event(game: GameRow, players: Sequence[PlayerRow]) -> GameFinished:
    """The last event of a game, from the tables."""
    return GameFinished(tuple([player.score for player in players]), tuple(game.winners), game.seed)


def game_bytes(
    game: GameRow,
    players: Sequence[PlayerRow],
    events: Sequence[Event],
    moments: Sequence[int | None],
    seals: Sequence[bool],
) -> bytes:
    """The exact bytes of a log, from the tables and the codec alone.

    ``events`` are all of the game; ``moments`` and ``seals`` say for each whether it has an ``at``
    and whether it carries a seal.
    """
    bots = tuple([player.bot for player in players]) if game.has_bots else UNSET
    origin: Origin | UnsetType = UNSET
    if game.origin_seal is not None:
        origin = Origin(game.origin_seal, game.origin_n or 0)
    out: list[bytes] = []
    block: list[Line] = []
    seal = NO_SEAL
    for n, (event, at, sealed) in enumerate(zip(events, moments, seals, strict=True)):
        moment = UNSET if at is None else at
        if n:
            block.append(Line(n, event, at=moment))
        else:
            block.append(Line(n, event, at=moment, bots=bots, origin=origin))
        if sealed:
            data, seal = seal_block(seal, block)
            out.append(data)
            block.clear()
    if block:
        raise ValueError("the last line has no seal")
    return b"".join(out)
