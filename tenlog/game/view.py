"""What a player at the table sees: events without the seed, and the view that a bot gets.

The cards of the table are public (RULES 1). Hidden is the order of the deck, and what would give
it away: the seed. Folding redacted events gives the same state as folding all of them, because no
state holds a seed.
"""

from __future__ import annotations

from typing import Any

import msgspec

from tenlog.game.cards import CARDS
from tenlog.game.commands import Command
from tenlog.game.events import Event, GameStarted, Payment
from tenlog.game.legal import Options, Refusal, options, refusal
from tenlog.game.payments import any_payment, suggest
from tenlog.game.ruleset import Rules
from tenlog.game.state import Phase, State


def redact(event: Event) -> Event:
    """The event as a player may see it while the game goes on: without the seed.

    GameFinished stays whole: by then the seed is for everybody (FORMAT 5).
    """
    if isinstance(event, GameStarted) and event.seed is not None:
        return msgspec.structs.replace(event, seed=None)
    return event


class View:
    """What the seat that is asked sees: the whole table, and what it may do. Cannot be changed.

    A window on a table, not a copy of it: it shows the table as it is now. The attributes are
    those of :class:`~tenlog.game.state.State`; ``seat`` is who is asked. Neither the seed nor the
    order of the deck can be reached from here.
    """

    __slots__ = ("_state",)

    _state: State

    def __init__(self, state: State) -> None:
        object.__setattr__(self, "_state", state)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a view can't be changed; what_if() gives a state to try things on")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("a view can't be changed")

    def what_if(self) -> State:
        """A copy of the table to try things on; changing it changes nothing else."""
        return self._state.copy()

    @property
    def seat(self) -> int:
        """Who is asked: the viewer."""
        return self._state.to_act

    @property
    def options(self) -> Options:
        """What the viewer may do now."""
        return options(self._state)

    def suggest(self, price: int, *, auction: bool = False, bought: int = -1) -> Payment:
        """The viewer's payment that keeps what is worth most; see
        :func:`tenlog.game.payments.suggest`."""
        state = self._state
        return suggest(state, state.to_act, price, auction=auction, bought=bought)

    def any_payment(self, price: int, *, auction: bool = False) -> Payment:
        """A payment of the viewer that is found at once; see
        :func:`tenlog.game.payments.any_payment`."""
        state = self._state
        return any_payment(state, state.to_act, price, auction=auction)

    def refusal(self, command: Command) -> Refusal | None:
        """Why the rules refuse a command now, or None."""
        return refusal(self._state, command)

    @property
    def rules(self) -> Rules:
        """The ruleset for this number of players."""
        return self._state.rules

    @property
    def game(self) -> str:
        """The game's id; bots get another than the log's
        (:func:`tenlog.bots.stream.alias_of`)."""
        return self._state.game

    @property
    def players(self) -> tuple[str, ...]:
        """Names by seat."""
        return self._state.players

    @property
    def n(self) -> int:
        """How many events have happened."""
        return self._state.n

    @property
    def turn(self) -> int:
        """Which turn it is, from 1."""
        return self._state.turn

    @property
    def phase(self) -> Phase:
        """DRAW, AUCTION, BUY or FINAL_BUY."""
        return self._state.phase

    @property
    def active(self) -> int:
        """The seat whose turn it is."""
        return self._state.active

    @property
    def tableau(self) -> tuple[int, ...]:
        """Kinds of the cards turned up in this turn, in order."""
        return self._state.tableau

    @property
    def total(self) -> int:
        """Numbers minus currency values of the tableau."""
        return self._state.total

    @property
    def currency(self) -> int:
        """Currency values of the tableau."""
        return self._state.currency

    @property
    def tokens(self) -> tuple[int, ...]:
        """Tokens by seat."""
        return self._state.tokens

    @property
    def busts(self) -> tuple[int, ...]:
        """Bust tokens by seat."""
        return self._state.busts

    @property
    def cards(self) -> tuple[bytes, ...]:
        """Collections by seat, each as 50 counts by kind."""
        return self._state.cards

    @property
    def market(self) -> bytes:
        """36 counts by kind."""
        return self._state.market

    @property
    def discard(self) -> bytes:
        """55 counts by kind."""
        return self._state.discard

    @property
    def unseen(self) -> bytes:
        """What the deck still holds, as 55 counts by kind."""
        return self._state.unseen

    @property
    def deck_left(self) -> int:
        """How many cards the deck still has."""
        return self._state.deck_left

    @property
    def supply(self) -> int:
        """Tokens that nobody holds."""
        return self._state.supply

    @property
    def bust_supply(self) -> int:
        """Bust tokens that nobody holds."""
        return self._state.bust_supply

    @property
    def wild(self) -> int:
        """Kind of the wild under auction, or -1."""
        return self._state.wild

    @property
    def bid(self) -> int:
        """The highest bid of this auction, 0 if there is none."""
        return self._state.bid

    @property
    def bidder(self) -> int:
        """Who made the highest bid, or -1."""
        return self._state.bidder

    @property
    def asked(self) -> int:
        """How many seats have bid or passed in this auction."""
        return self._state.asked


def cards_in(counts: bytes) -> list[str]:
    """Counts by kind written out as card texts, in the order of the kinds."""
    return [CARDS[kind] for kind, count in enumerate(counts) for _ in range(count)]


def public(state: State) -> dict[str, Any]:
    """A table as plain values for JSON: what everybody sees, cards as text, by seat where it is
    by seat. The shape is part of what ``show --json`` and the bot protocol promise."""
    last = state.phase is Phase.OVER
    seats = [
        {
            "seat": seat,
            "name": state.players[seat],
            "tokens": state.tokens[seat],
            "busts": state.busts[seat],
            "cards": cards_in(state.cards[seat]),
        }
        for seat in range(len(state.players))
    ]
    return {
        "game": state.game,
        "ruleset": state.rules.ruleset.name,
        "n": state.n,
        "turn": state.turn,
        "phase": state.phase.name.lower(),
        "active": state.active,
        "to_act": None if last else state.to_act,
        "deck": state.deck_left,
        "tableau": [CARDS[kind] for kind in state.tableau],
        "total": state.total,
        "currency": state.currency,
        "seats": seats,
        "market": cards_in(state.market),
        "discard": cards_in(state.discard),
        "unseen": cards_in(state.unseen),
        "supply": {"tokens": state.supply, "busts": state.bust_supply},
        "auction": None
        if state.wild < 0
        else {
            "card": CARDS[state.wild],
            "bid": state.bid,
            "bidder": None if state.bidder < 0 else state.bidder,
            "asked": state.asked,
        },
        "scores": list(state.scores) if last else None,
        "winners": list(state.winners) if last else None,
    }
