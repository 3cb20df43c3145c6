"""A table as plain values, typed: what reports and exports say of a game at one point.

Cards are texts, grouped as they lie; numbers are those of :class:`~tenlog.game.state.State`.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from tenlog.game.cards import CARDS, Card
from tenlog.game.decide import final_scores
from tenlog.game.state import AUCTION, OVER, State

PhaseName = Literal["draw", "auction", "sold", "bust", "nothing", "buy", "final_buy", "end", "over"]


class Standing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a player has. ``points``: what the collection scores as it is (RULES 9.1, 9.2)."""

    seat: int
    name: str
    points: int
    tokens: int
    busts: int
    cards: tuple[Card, ...]


class Auction(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The wild that is up; ``bid`` 0 and ``bidder`` None where nobody has bid yet."""

    card: Card
    bid: int
    bidder: int | None


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table after the event ``n``. ``to_act``: the seat that is asked, None where nobody is."""

    n: int
    turn: int
    phase: PhaseName
    active: int
    to_act: int | None
    deck: int
    tableau: tuple[Card, ...]
    total: int
    currency: int
    market: tuple[Card, ...]
    auction: Auction | None
    seats: tuple[Standing, ...]


def cards_of(counts: bytes) -> tuple[Card, ...]:
    """Counts by kind, written out in the order of the kinds."""
    return tuple([CARDS[kind] for kind, count in enumerate(counts) for _ in range(count)])


def standings(state: State) -> tuple[Standing, ...]:
    """What each player has, by seat."""
    points = state.scores if state.phase is OVER else final_scores(state)
    return tuple(
        Standing(
            seat,
            name,
            points[seat],
            state.tokens[seat],
            state.busts[seat],
            cards_of(state.cards[seat]),
        )
        for seat, name in enumerate(state.players)
    )


def table_of(state: State) -> Table:
    """The table of a state."""
    asked = state.phase.name in ("DRAW", "AUCTION", "BUY", "FINAL_BUY")
    auction = None
    if state.phase is AUCTION or state.wild >= 0:
        bidder = state.bidder if state.bidder >= 0 else None
        auction = Auction(CARDS[state.wild], state.bid, bidder)
    return Table(
        n=state.n - 1,
        turn=state.turn,
        phase=_phase(state),
        active=state.active,
        to_act=state.to_act if asked else None,
        deck=state.deck_left,
        tableau=tuple([CARDS[kind] for kind in state.tableau]),
        total=state.total,
        currency=state.currency,
        market=cards_of(state.market),
        auction=auction,
        seats=standings(state),
    )


def _phase(state: State) -> PhaseName:
    name: PhaseName = msgspec.convert(state.phase.name.lower(), PhaseName)
    return name
