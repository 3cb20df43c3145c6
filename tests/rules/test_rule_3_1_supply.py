"""RULES 3.1: 50 tokens and 15 bust tokens, 5 tokens to each player; the market is empty."""

from __future__ import annotations

import pytest

from tenlog.game.state import start_state
from tenlog.play.session import start_event


@pytest.mark.parametrize("players", [1, 2, 3, 4, 5])
def test_set_up(players: int) -> None:
    state = start_state(start_event([f"p{i}" for i in range(players)], "s", game="g"))
    assert state.tokens == (5,) * players
    assert state.busts == (0,) * players
    assert (state.supply, state.bust_supply) == (50 - 5 * players, 15)
    assert sum(state.market) == sum(state.discard) == sum(map(sum, state.cards)) == 0
