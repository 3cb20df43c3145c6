"""States are values: equal when all that can be seen is equal, and independent once copied."""

from __future__ import annotations

import pytest

from tenlog.game.state import State
from tests.support import play_game


@pytest.mark.parametrize("slot", [slot for slot in State.__slots__ if slot != "rules"])
def test_every_slot_counts_and_a_copy_stands_alone(slot: str) -> None:
    _, state = play_game("copy", 2)
    copy = state.copy()
    assert copy == state
    setattr(copy, slot, None)
    assert getattr(state, slot) is not None
    assert copy != state
