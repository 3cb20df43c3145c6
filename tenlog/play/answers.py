"""What the commands of a game answer with ``--json``: one documented shape for each."""

from __future__ import annotations

import msgspec

from tenlog.errors import SetupError
from tenlog.game.cards import Card
from tenlog.game.commands import Command
from tenlog.game.events import Event
from tenlog.game.legal import legal, options
from tenlog.game.state import OVER, State
from tenlog.game.view import public
from tenlog.story import to_do


class SeatAnswer(msgspec.Struct, frozen=True):
    """A seat at the table, and what it holds."""

    seat: int
    name: str
    tokens: int
    busts: int
    cards: tuple[Card, ...]


class SupplyAnswer(msgspec.Struct, frozen=True):
    """What nobody holds."""

    tokens: int
    busts: int


class AuctionAnswer(msgspec.Struct, frozen=True):
    """The auction that is going on: the wild, the highest bid (0 for none) and its bidder's seat,
    and how many seats have bid or passed."""

    card: Card
    bid: int
    bidder: int | None
    asked: int


class TableAnswer(msgspec.Struct, frozen=True):
    """``show --json``: the table. ``to_act`` is the seat that is asked, null after the end;
    ``unseen`` is what the deck still holds, in no order."""

    game: str
    ruleset: str
    n: int
    turn: int
    phase: str
    active: int
    to_act: int | None
    deck: int
    tableau: tuple[Card, ...]
    total: int
    currency: int
    seats: tuple[SeatAnswer, ...]
    market: tuple[Card, ...]
    discard: tuple[Card, ...]
    unseen: tuple[Card, ...]
    supply: SupplyAnswer
    auction: AuctionAnswer | None
    scores: tuple[int, ...] | None
    winners: tuple[int, ...] | None


class LegalAnswer(msgspec.Struct, frozen=True):
    """``legal --json``: who is asked, for what, and a command for each thing that may be done, with
    the payment that keeps what is worth most. Bids run from ``min_bid`` to ``max_bid``."""

    game: str
    n: int
    seat: int | None
    to_do: str
    min_bid: int
    max_bid: int
    commands: tuple[Command, ...]


class EventAnswer(msgspec.Struct, frozen=True):
    """An event and its number in the game."""

    n: int
    ev: Event


class MoveAnswer(msgspec.Struct, frozen=True):
    """``new``, ``draw``, ``take``, ``bid``, ``pass``, ``buy`` and ``decline`` with ``--json``: what
    happened, bots' answers included, and who is asked now."""

    game: str
    log: str
    events: tuple[EventAnswer, ...]
    turn: int
    to_act: int | None
    to_do: str
    finished: bool


class StoryAnswer(msgspec.Struct, frozen=True):
    """``replay --json``, a line for each event: the event, its number and turn, who is asked after
    it and for what, and the totals of the tableau then."""

    n: int
    ev: Event
    turn: int
    to_act: int | None
    to_do: str
    total: int
    currency: int
    deck: int


class CheckAnswer(msgspec.Struct, frozen=True):
    """One thing that was verified, and what was found."""

    what: str
    found: str


class DemoAnswer(msgspec.Struct, frozen=True):
    """``demo --json``: the game that was played, and what was verified of it."""

    game: str
    log: str
    seed: str
    players: tuple[str, ...]
    events: int
    turns: int
    scores: tuple[int, ...]
    winners: tuple[int, ...]
    verified: tuple[CheckAnswer, ...]


class RuleAnswer(msgspec.Struct, frozen=True):
    """``rules --json``: a page, a section or a rule, as Markdown; a line each with ``--find``."""

    page: str
    section: str
    text: str


def asked(state: State) -> int | None:
    """The seat that is asked, or None after the end."""
    return None if state.phase is OVER else state.to_act


def table_answer(state: State) -> TableAnswer:
    """The table as everybody sees it."""
    return msgspec.convert(public(state), TableAnswer)


def legal_answer(state: State) -> LegalAnswer:
    """What may be done at a table."""
    may = options(state)
    return LegalAnswer(
        state.game,
        state.n,
        asked(state),
        to_do(state),
        may.min_bid,
        may.max_bid,
        tuple(legal(state)),
    )


def story_answer(event: Event, state: State) -> StoryAnswer:
    """An event with the table after it."""
    return StoryAnswer(
        state.n - 1,
        event,
        state.turn,
        asked(state),
        to_do(state),
        state.total,
        state.currency,
        state.deck_left,
    )


def move_answer(log: str, state: State, events: list[Event]) -> MoveAnswer:
    """What a command led to; ``events`` are the last ones of the game."""
    if len(events) > state.n:
        raise SetupError("more events than the game has")
    first = state.n - len(events)
    return MoveAnswer(
        state.game,
        log,
        tuple([EventAnswer(first + i, event) for i, event in enumerate(events)]),
        state.turn,
        asked(state),
        to_do(state),
        state.phase is OVER,
    )
