"""Whether anything was lost or made: what holds at every point of every game (RULES 2, 6.5)."""

from tenlog.game.legal import Refusal
from tenlog.game.state import State


def check_conserved(state: State) -> Refusal | None:
    """Whether all tokens, bust tokens and cards are where they can be: none lost, none made."""
    rules = state.rules
    if sum(state.tokens) + state.supply != rules.token_supply or min(state.tokens) < 0:
        return Refusal("not-conserved", "6.5", "tokens were lost or made")
    if sum(state.busts) + state.bust_supply != rules.bust_supply or min(state.busts) < 0:
        return Refusal("not-conserved", "6.5", "bust tokens were lost or made")
    try:
        left = state.unseen
    except ValueError:
        return Refusal("not-conserved", "2", "cards were made that are not in the deck")
    if sum(left) != state.deck_left:
        return Refusal("not-conserved", "2", "cards were lost or made")
    return None
