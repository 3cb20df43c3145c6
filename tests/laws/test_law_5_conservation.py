"""Law 5: after every event all tokens, bust tokens and cards are somewhere, once."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from tenlog.game.cards import CARDS
from tenlog.game.conserved import check_conserved
from tenlog.game.evolve import apply, evolve
from tenlog.game.ruleset import Ruleset
from tenlog.game.state import SOLD, State
from tests.laws.games import odd_game, rulesets, seeds


def cards_on_the_table(state: State) -> Counter[int]:
    """Every card that can be seen, counted one by one."""
    seen: Counter[int] = Counter(state.tableau)
    for counts in (*state.cards, state.market, state.discard):
        seen.update({kind: count for kind, count in enumerate(counts) if count})
    if state.wild >= 0:
        seen[state.wild] += 1
    return seen


@settings(max_examples=40, deadline=None)
@given(seeds(), st.integers(1, 5), rulesets(), st.integers(0, 2**32))
def test_nothing_is_lost_or_made(
    seed: str, players: int, ruleset: Ruleset | None, choices: int
) -> None:
    first, *events = odd_game(seed, players, ruleset, choices=choices)
    state = evolve(None, first)
    rules = state.rules
    drawn: Counter[int] = Counter()
    deck = Counter(rules.deck)
    for event in events:
        apply(state, event)
        if type(event).__name__ == "CardDrawn":
            drawn[CARDS.index(event.card)] += 1  # type: ignore[union-attr]
        assert cards_on_the_table(state) == drawn <= deck
        assert Counter(dict(enumerate(state.unseen))) == deck - drawn
        assert sum(state.unseen) == state.deck_left
        assert sum(state.tokens) + state.supply == rules.token_supply
        assert sum(state.busts) + state.bust_supply == rules.bust_supply
        assert 0 <= min(state.tokens) <= max(state.tokens) <= rules.token_limit
        assert min(*state.busts, state.supply, state.bust_supply) >= 0
        assert check_conserved(state) is None
        assert (state.wild >= 0) == (state.phase.name in ("AUCTION", "SOLD"))
        assert state.phase is not SOLD or state.asked == players
    assert drawn == deck, "a game ends when every card has been drawn"


def test_what_is_not_conserved_is_told() -> None:
    state = evolve(None, odd_game("s", 3)[0])
    for change in ("tokens", "busts", "supply", "bust_supply", "market", "discard", "drawn"):
        broken = state.copy()
        value = getattr(broken, change)
        if isinstance(value, int):
            setattr(broken, change, value + 1)
        elif isinstance(value, bytes):
            setattr(broken, change, b"\x01" + value[1:])
        else:
            setattr(broken, change, (value[0] - 1, *value[1:]))
        refused = check_conserved(broken)
        assert refused is not None, change
        assert refused.code == "not-conserved"
