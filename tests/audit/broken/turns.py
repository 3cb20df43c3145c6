"""Draws, rewards, busts (RULES 4, 5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tenlog.game.cards import KIND
from tenlog.game.events import Busted, CardDrawn, CurrencyTaken, NumbersTaken
from tenlog.game.state import DRAW
from tests.audit.broken.games import Case, changed, find, forged, of, without


def _other(card: str) -> Any:
    return "R1" if card != "R1" else "B2"


def draws() -> Iterator[Case]:
    """RULES 4.1, 8.1."""
    events, n, _ = find(of(CardDrawn, lambda e, s: s.drawn > 5))
    drawn: Any = events[n]
    yield forged("wrong-card", "wrong-card", n, changed(events, n, card=_other(drawn.card)))
    other = changed(events, n, seat=(drawn.seat + 1) % 3)
    yield forged("wrong-seat-draws", "wrong-seat", n, other)
    sealed, n, state = find(of(CardDrawn, lambda e, s: s.drawn > 8), sealed=True)
    low = ("R1", "R2", "R3", "B1", "B2", "B3", "R4", "B4")
    gone = next(card for card in low if not state.unseen[KIND[card]])
    cut = changed(sealed, n, card=gone)[: n + 1]
    yield forged("card-of-which-none-is-left", "card-not-left", n, cut)
    events, n, state = find(
        lambda e, i, s: (
            s.deck_left == 0 and s.phase is DRAW and isinstance(e[i], NumbersTaken | CurrencyTaken)
        )
    )
    extra = [*events[:n], CardDrawn(state.active, "R1")]
    yield forged("draw-from-empty-deck", "deck-empty", n, extra)


def rewards() -> Iterator[Case]:
    """RULES 5, 5.2, 5.3."""
    events, n, state = find(of(NumbersTaken, lambda e, s: s.currency == 0))
    taken: Any = events[n]
    instead = [*events[:n], CurrencyTaken(state.active, 0, taken.cards)]
    yield forged("currency-without-currency", "reward-not-due", n, instead)
    events, n, state = find(of(CurrencyTaken, lambda e, s: not e.cards))
    nothing = [*events[:n], NumbersTaken(state.active, (), (0, 0, 0))]
    yield forged("numbers-without-numbers", "reward-not-due", n, nothing)
    events, n, _ = find(of(NumbersTaken, lambda e, s: len(set(e.cards)) > 1))
    taken = events[n]
    back = changed(events, n, cards=taken.cards[::-1])
    yield forged("numbers-in-another-order", "wrong-cards", n, back)
    fewer = changed(events, n, cards=taken.cards[1:])
    yield forged("numbers-one-card-kept-back", "wrong-cards", n, fewer)
    events, n, state = find(
        of(
            NumbersTaken,
            lambda e, s: (
                s.currency > 0
                and any(s.tokens[i] + s.currency > 10 and i != s.active for i in range(3))
            ),
        )
    )
    full = tuple(0 if seat == state.active else state.currency for seat in range(3))
    yield forged("gains-beyond-ten", "wrong-gains", n, changed(events, n, gains=full))
    events, n, state = find(of(NumbersTaken, lambda e, s: sum(e.gains) > 2))
    taken = events[n]
    shared = tuple(gain // 2 for gain in taken.gains)
    yield forged("currency-shared-out", "wrong-gains", n, changed(events, n, gains=shared))
    mine = tuple(g if seat != state.active else 1 for seat, g in enumerate(taken.gains))
    yield forged("drawer-gains-too", "wrong-gains", n, changed(events, n, gains=mine))
    events, n, _ = find(of(CurrencyTaken, lambda e, s: s.tokens[s.active] + s.currency > 10))
    taken = events[n]
    beyond = changed(events, n, tokens=taken.tokens + 1)
    yield forged("currency-beyond-ten", "wrong-gains", n, beyond)
    events, n, _ = find(of(CurrencyTaken, lambda e, s: len(e.cards) > 0))
    yield forged("market-cards-forgotten", "wrong-cards", n, changed(events, n, cards=()))


def busts() -> Iterator[Case]:
    """RULES 4.3, 5, 5.4."""
    events, n, _ = find(of(Busted, lambda e, s: e.cause == "numbers"))
    bust: Any = events[n]
    yield forged("wrong-bust-cause", "wrong-cause", n, changed(events, n, cause="currency"))
    yield forged("bust-forgotten", "not-due", n, without(events, n))
    instead = [*events[:n], NumbersTaken(bust.seat, (), (0, 0, 0))]
    yield forged("buster-takes-numbers", "not-due", n, instead)
    yield forged("two-bust-tokens", "wrong-bust-tokens", n, changed(events, n, bust_tokens=2))
    events, n, state = find(of(Busted, lambda e, s: e.cause == "currency"))
    paid = tuple(0 if seat == state.active else 1 for seat in range(3))
    yield forged("currency-bust-pays-out", "wrong-gains", n, changed(events, n, gains=paid))
    events, n, state = find(of(CardDrawn, lambda e, s: s.phase is DRAW and bool(s.tableau)))
    early = [*events[:n], Busted(state.active, "numbers", (0, 0, 0), 1)]
    yield forged("bust-at-exactly-ten-or-less", "not-due", n, early)


def cases() -> Iterator[Case]:
    """All of them."""
    yield from draws()
    yield from rewards()
    yield from busts()
