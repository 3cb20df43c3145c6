"""Given a table, when a command, then events: the language of the tests of the rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import Any

import pytest

from tenlog.errors import IllegalMove
from tenlog.game.cards import CARDS, KIND, OWNED_END, Card
from tenlog.game.commands import Bid, Buy, Command, Decline, Draw, Pass, TakeCurrency, TakeNumbers
from tenlog.game.conserved import check_conserved
from tenlog.game.decide import Deck, advance, decide
from tenlog.game.events import Event, GameStarted, Payment
from tenlog.game.evolve import fold
from tenlog.game.legal import is_legal, legal
from tenlog.game.ruleset import Ruleset, ruleset_from
from tenlog.game.state import Phase, State, start_state

__all__ = [
    "Bid",
    "Buy",
    "Decline",
    "Draw",
    "Given",
    "Pass",
    "Payment",
    "TakeCurrency",
    "TakeNumbers",
    "pays",
]  # fmt: skip

SEED = "stacked"


def stacked(state: State, order: Sequence[int]) -> Deck:
    """A deck in an order of our own, made of the very cards that the ruleset has."""
    assert sorted(order) == list(state.rules.deck)
    deck = Deck(state.rules, SEED)
    deck.order = tuple(order)
    deck.cards = tuple(CARDS[kind] for kind in order)
    return deck


def pays(tokens: int = 0, busts: int = 0, cards: str = "") -> Payment:
    """A payment, cards as ``R4 WW``."""
    return Payment(tokens, busts, tuple(cards.split()))  # type: ignore[arg-type]


class Given:
    """A table at the beginning of the turn of seat 0, with a deck of exactly the cards ``draws``.

    Args:
        players: how many.
        draws: the deck, first card first.
        tokens, busts: what each seat has; as at the start of a game if not said.
        cards: collections by seat.
        market: the market.
        rules: what is other than in ten/1.
    """

    def __init__(
        self,
        players: int,
        draws: str,
        *,
        tokens: Sequence[int] = (),
        busts: Sequence[int] = (),
        cards: Sequence[str] = (),
        market: str = "",
        rules: dict[str, Any] | None = None,
    ) -> None:
        owned = [[KIND[card] for card in text.split()] for text in cards]
        offered = [KIND[card] for card in market.split()]
        order = [*chain(*owned), *offered, *[KIND[card] for card in draws.split()]]
        copies = Counter(order)
        deck = {card: [1] * copies[kind] for kind, card in enumerate(CARDS)}
        ruleset: Ruleset = ruleset_from({"name": "given", "deck": deck, **(rules or {})})
        names = tuple(f"p{seat}" for seat in range(players))
        self.start = GameStarted(1, "g", ruleset, names, SEED, "")
        state = start_state(self.start)
        state.drawn = len(order) - len(draws.split())
        for seat, kinds in enumerate(owned):
            counts = bytearray(OWNED_END)
            for kind in kinds:
                counts[kind] += 1
            state.cards = (*state.cards[:seat], bytes(counts), *state.cards[seat + 1 :])
        counts = bytearray(state.market)
        for kind in offered:
            counts[kind] += 1
        state.market = bytes(counts)
        if tokens:
            state.supply += sum(state.tokens) - sum(tokens)
            state.tokens = tuple(tokens)
        if busts:
            state.bust_supply -= sum(busts)
            state.busts = tuple(busts)
        assert check_conserved(state) is None
        self.state = state
        self.deck = stacked(state, order)

    def when(self, command: Command) -> list[Event]:
        """What a command leads to; it is carried out."""
        before = self.state.copy()
        assert is_legal(self.state, command)
        then = decide(self.state, command, self.deck)
        events: list[Event] = []
        advance(self.state, command, self.deck, events)
        assert tuple(events) == then
        assert fold(events, before) == self.state
        assert check_conserved(self.state) is None
        return events

    def after(self, *commands: Command) -> Given:
        """The same table after some commands."""
        for command in commands:
            self.when(command)
        return self

    def refuses(self, command: Command, rule: str) -> None:
        """The command is refused, by this rule, and nothing changes."""
        before = self.state.copy()
        assert not is_legal(self.state, command)
        with pytest.raises(IllegalMove) as error:
            decide(self.state, command, self.deck)
        assert error.value.rule == rule, error.value
        assert self.state == before

    def may(self) -> list[str]:
        """The kinds of decisions that are allowed now."""
        return list(dict.fromkeys(type(command).__name__ for command in legal(self.state)))

    def bids(self) -> list[Bid]:
        """One bid for each amount that may be bid."""
        return [command for command in legal(self.state) if isinstance(command, Bid)]

    def market(self) -> list[Card]:
        """The market written out."""
        return [CARDS[kind] for kind, count in enumerate(self.state.market) for _ in range(count)]

    def discard(self) -> list[Card]:
        """The discard written out."""
        return [CARDS[kind] for kind, count in enumerate(self.state.discard) for _ in range(count)]

    def owned(self, seat: int) -> list[Card]:
        """A collection written out."""
        counts = self.state.cards[seat]
        return [CARDS[kind] for kind, count in enumerate(counts) for _ in range(count)]

    def phase(self) -> tuple[Phase, int]:
        """The phase, and who is asked."""
        return self.state.phase, self.state.to_act
