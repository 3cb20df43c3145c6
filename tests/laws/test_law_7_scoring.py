"""Law 7: the solver = brute force (tests/game/test_scoring.py) = the referee's own search, on the
collections that real games end with."""

from __future__ import annotations

from random import Random

from tenlog.game.decide import final_scores, winners
from tenlog.game.evolve import fold
from tests.laws.games import odd_game, owned, random_ruleset
from tests.referee.referee import best_score


def test_final_scores_are_what_the_referee_counts() -> None:
    for number in range(60):
        ruleset = random_ruleset(Random(number)) if number % 3 else None
        events = odd_game(f"score {number}", number % 5 + 1, ruleset, choices=number)
        state = fold(events)
        bonus = state.rules.bonus
        scores = tuple(best_score(owned(state, seat), bonus) for seat in range(len(state.players)))
        assert scores == state.scores == final_scores(state)
        ranks = [
            (score, state.tokens[seat], -len(owned(state, seat)))
            for seat, score in enumerate(scores)
        ]
        best = tuple(seat for seat, rank in enumerate(ranks) if rank == max(ranks))
        assert best == state.winners == winners(state, scores)
