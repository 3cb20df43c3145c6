"""The film of a game: what the table shows after each event, computed by the fold.

A page only looks frames up; it has no rules of its own. Each frame after the first holds only what
changed, so that a game takes little room.

What a frame may hold (a *delta* holds some of it)::

    turn, phase, active    as in a state; phase in lower case
    asked                  the seat that is asked for a decision, or -1
    deck                   cards left to draw
    tableau, total, money  kinds in the order drawn; numbers minus currency; the currency alone
    tokens, busts          by seat
    market                 kinds, with repeats
    discard                how many cards are out of the game
    supply, bust_supply    tokens and bust tokens that nobody holds
    auction                null, or [wild, bid, bidder, [seat, amount or 0 for a pass, ...]]
    c0, c1, ...            a seat's collection: kinds, with repeats
    s0, s1, ...            a seat's score, were the game to end here: [points, points by colour,
                           [first, last] of each colour's run or null, [wild, what it stands for]s]
    leaders                the seats with the most points
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from tenlog.game.cards import KIND
from tenlog.game.events import BidPassed, BidPlaced, Busted, CardBought, CardDrawn, Event
from tenlog.game.scoring import Score, best_score
from tenlog.game.state import AUCTION, BUY, DRAW, FINAL_BUY, OVER, State
from tenlog.html.words import Piece, describe

Frame = dict[str, Any]

LAST_BUYS: Final = -1

_ASKING: Final = (DRAW, AUCTION, BUY, FINAL_BUY)


class Marks(msgspec.Struct):
    """Events worth finding on a timeline, by their ``n``."""

    bust: list[int]
    auction: list[int]
    buy: list[int]
    lead: list[int]


class Film:
    """Watches a game (:func:`tenlog.log.replay.replay`) and keeps what a page shows.

    Attributes:
        frames: the first frame whole, then deltas.
        texts: what happened, by event.
        kinds: types of the events, by event.
        points: for each seat what it would score, by event.
        marks: busts, auctions (their wild is drawn), buys, changes of the lead.
        turns: [n of the first event, number, seat] of each turn; the start of the game is turn 0,
            the last buys are turn LAST_BUYS, both of no seat (-1).
    """

    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self.texts: list[list[Piece]] = []
        self.kinds: list[str] = []
        self.points: list[list[int]] = []
        self.marks = Marks([], [], [], [])
        self.turns: list[list[int]] = []
        self._last: Frame = {}
        self._cards: tuple[bytes, ...] = ()
        self._scores: list[list[Any]] = []
        self._said: list[list[int]] = []
        self._leader = -1

    def see(self, event: Event, state: State) -> None:
        """Take the next frame: the table after an event."""
        n = len(self.texts)
        if isinstance(event, BidPlaced):
            self._said.append([event.seat, event.amount])
        elif isinstance(event, BidPassed):
            self._said.append([event.seat, 0])
        elif state.wild < 0:
            self._said.clear()
        frame = self._frame(state)
        last = self._last
        self.frames.append({key: value for key, value in frame.items() if last.get(key) != value})
        # An event belongs to the turn that the table before it was in.
        turn = 0
        if n:
            turn = LAST_BUYS if last["phase"] in ("final_buy", "end") else last["turn"]
        if not n or turn != self.turns[-1][1]:
            self.turns.append([n, turn, -1 if turn < 1 else last["active"]])
        self._last = frame
        self.texts.append(describe(event, state))
        self.kinds.append(type(event).__name__)
        self.points.append([score[0] for score in self._scores])
        self._mark(n, event, state, frame["leaders"])

    def _mark(self, n: int, event: Event, state: State, leaders: list[int]) -> None:
        if isinstance(event, Busted):
            self.marks.bust.append(n)
        elif isinstance(event, CardDrawn) and state.phase is AUCTION:
            self.marks.auction.append(n)
        elif isinstance(event, CardBought):
            self.marks.buy.append(n)
        # Who draws level does not lead yet.
        if len(leaders) == 1 and leaders[0] != self._leader:
            self._leader = leaders[0]
            self.marks.lead.append(n)

    def _frame(self, state: State) -> Frame:
        self._score(state)
        most = max(score[0] for score in self._scores)
        frame: Frame = {
            "turn": state.turn,
            "phase": state.phase.name.lower(),
            "active": state.active,
            "asked": state.to_act if state.phase in _ASKING else -1,
            "deck": state.deck_left,
            "tableau": list(state.tableau),
            "total": state.total,
            "money": state.currency,
            "tokens": list(state.tokens),
            "busts": list(state.busts),
            "market": _listed(state.market),
            "discard": sum(state.discard),
            "supply": state.supply,
            "bust_supply": state.bust_supply,
            "auction": None
            if state.wild < 0
            else [state.wild, state.bid, state.bidder, [list(said) for said in self._said]],
            "leaders": [seat for seat, score in enumerate(self._scores) if score[0] == most],
        }
        if state.phase is OVER:
            frame["winners"] = list(state.winners)
        for seat, counts in enumerate(state.cards):
            frame[f"c{seat}"] = _listed(counts)
            frame[f"s{seat}"] = self._scores[seat]
        return frame

    def _score(self, state: State) -> None:
        for seat, counts in enumerate(state.cards):
            if not self._cards:
                self._scores.append(_shown(counts, best_score(counts, state.rules.bonus)))
            elif counts != self._cards[seat]:
                self._scores[seat] = _shown(counts, best_score(counts, state.rules.bonus))
        self._cards = state.cards


def _listed(counts: bytes) -> list[int]:
    return [kind for kind, count in enumerate(counts) for _ in range(count)]


def _shown(counts: bytes, score: Score) -> list[Any]:
    """A score with the run of each colour: the first of the longest, with wilds in their places."""
    filled = {KIND[card] for _, card in score.wilds}
    runs: list[list[int] | None] = []
    for colour in range(4):
        best: list[int] | None = None
        first = 0
        for number in range(9):
            kind = colour * 9 + number
            if counts[kind] or kind in filled:
                if best is None or number - first > best[1] - best[0]:
                    best = [first, number]
            else:
                first = number + 1
        runs.append(best)
    wilds = [[KIND[wild], KIND[card]] for wild, card in score.wilds]
    return [score.total, list(score.colours), runs, wilds]
