"""The end, scores and winners (RULES 8, 9)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tenlog.game.events import GameFinished
from tenlog.game.state import State
from tests.audit.broken.games import Case, changed, find, forged, of

Rank = tuple[int, int, int]


def _ranks(end: GameFinished, state: State) -> list[Rank]:
    """By seat, what RULES 9.3 compares: the least one wins."""
    return [
        (-score, -state.tokens[seat], sum(state.cards[seat]))
        for seat, score in enumerate(end.scores)
    ]


def _tied(depth: int) -> Callable[[Any, State], bool]:
    """Games in which the best are alike in the first ``depth`` of three, and then not (or, with 3,
    in all)."""

    def test(end: GameFinished, state: State) -> bool:
        ranks = _ranks(end, state)
        best = min(ranks)
        level = [rank for rank in ranks if rank[:depth] == best[:depth]]
        return len(level) > 1 and (depth == 3 or any(rank[depth] != best[depth] for rank in level))

    return test


def cases() -> Iterator[Case]:
    """All of them."""
    events, n, _ = find(of(GameFinished))
    end: Any = events[n]
    yield forged("missing-final-buy", "not-due", n - 1, [*events[: n - 1], end])
    yield forged("final-buys-left-out", "not-due", n - 3, [*events[: n - 3], end])
    yield forged("end-too-early", "not-due", 5, [*events[:5], end])
    scores = (end.scores[0] + 1, *end.scores[1:])
    yield forged("wrong-score", "wrong-scores", n, changed(events, n, scores=scores))
    yield forged("winner-by-nobody", "wrong-winners", n, changed(events, n, winners=()))
    few = changed(events, n, scores=end.scores[:2])
    yield forged("too-few-scores", "wrong-scores", n, few)
    for depth, name in ((1, "tokens"), (2, "cards"), (3, "all-equal")):
        events, n, state = find(of(GameFinished, _tied(depth)), players=2 if depth == 3 else 3)
        end = events[n]
        ranks = _ranks(end, state)
        best = min(ranks)
        level = tuple(seat for seat, rank in enumerate(ranks) if rank[:depth] == best[:depth])
        if depth == 3:
            one = changed(events, n, winners=level[:1])
            yield forged(f"winner-tie-{name}-not-shared", "wrong-winners", n, one)
            continue
        shared = changed(events, n, winners=level)
        yield forged(f"winner-tie-by-{name}-shared", "wrong-winners", n, shared)
        losers = tuple(seat for seat in level if seat not in end.winners)
        lost = changed(events, n, winners=losers[:1])
        yield forged(f"winner-tie-by-{name}-lost", "wrong-winners", n, lost)
