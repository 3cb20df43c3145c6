"""States are values: equal when all that can be seen is equal, and independent once copied."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from tenlog.game.events import Payment
from tenlog.game.state import Phase, State
from tests.support import play_game

# What a state holds. A compiled class has no __slots__ but descriptors all the same.
SLOTS = [
    name
    for name, value in vars(State).items()
    if inspect.isdatadescriptor(value)
    and not name.startswith("__")
    and name not in ("rules", "deck_left", "unseen")
]


def _another(value: Any) -> Any:
    """Another value of the same type."""
    if isinstance(value, Phase):
        return Phase.DRAW
    if isinstance(value, Payment):
        return Payment(value.tokens + 1, value.busts, value.cards)
    if isinstance(value, int):
        return value + 1
    return value + type(value)((1,))


def test_all_values_are_looked_at() -> None:
    assert len(SLOTS) == len(play_game("copy", 2)[1].values()) == 25


@pytest.mark.parametrize("slot", SLOTS)
def test_every_slot_counts_and_a_copy_stands_alone(slot: str) -> None:
    _, state = play_game("copy", 2)
    copy = state.copy()
    assert copy == state
    before = getattr(state, slot)
    setattr(copy, slot, _another(before))
    assert getattr(state, slot) == before
    assert copy != state
