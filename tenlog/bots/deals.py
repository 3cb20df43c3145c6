"""Decks as they could be: the unseen cards in random orders, to play candidates out on.

Candidates are compared on the same cards. But who draws one card more in a turn would shift all
cards of the turns that follow, and the others would then be lucky in one case and not in the other
for no reason. So each turn has cards of its own, and what it leaves goes to the bottom. That is as
fair as any order: nobody has seen these cards.
"""

from __future__ import annotations

from typing import Final

from tenlog.bots.stream import Stream
from tenlog.game.decide import Deck
from tenlog.game.ruleset import Rules
from tenlog.game.state import State

# Cards that a turn has of its own; who draws more of them takes from the next turn's. With so many
# the differences between candidates scatter about half as much as without, with twice as many more.
OWN: Final = 6


class Deals:
    """Deals of the unseen cards of a table, as its stream gives them."""

    def __init__(self, state: State, stream: Stream) -> None:
        self._state = state
        self._stream = stream
        self._unseen = [kind for kind, count in enumerate(state.unseen) for _ in range(count)]
        self._firsts: list[int] = []

    def deal(self) -> Deck:
        """The next one. In as many deals as there are cards each of them is the first card once."""
        state = self._state
        order: list[int] = []
        if self._unseen:
            if not self._firsts:
                self._firsts = self._stream.shuffled(self._unseen)
            first = self._firsts.pop()
            rest = self._unseen.copy()
            rest.remove(first)
            order = [first, *self._stream.shuffled(rest)]
        # Places for the cards that are out stand before them.
        return Deck(state.rules, "?", (0,) * state.drawn + tuple(order))


def to_bottom(rules: Rules, deal: Deck, first: int, end: int) -> Deck:
    """The deal with its cards from one place to before another at the bottom."""
    order = deal.order
    return Deck(rules, deal.seed, order[:first] + order[end:] + order[first:end])
