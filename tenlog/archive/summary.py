"""What the tables say of a game besides its events: its players, how it ended, its turns."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import msgspec
from msgspec import UNSET

from tenlog.archive.lines import NotKept, Taken
from tenlog.archive.rows import GameRow, PlayerRow, first_event, last_event
from tenlog.game.events import (
    Busted,
    BuyDeclined,
    CardBought,
    CurrencyTaken,
    Event,
    GameFinished,
    GameStarted,
    NothingTaken,
    NumbersTaken,
)
from tenlog.game.ruleset import rules_for
from tenlog.game.scoring import colour_points
from tenlog.game.state import State

_encode = msgspec.json.Encoder().encode


class Holding(NamedTuple):
    """What a seat has at the end of a game; its points by colour (red, blue, orange, green)
    where they are known."""

    tokens: int
    busts: int
    cards: int
    points: tuple[int, ...] | None = None


def holdings_of(state: State) -> list[Holding]:
    """What each seat has."""
    bonus = state.rules.bonus
    return [
        Holding(tokens, busts, sum(cards), colour_points(cards, bonus))
        for tokens, busts, cards in zip(state.tokens, state.busts, state.cards, strict=True)
    ]


def turns_of(events: Sequence[Event]) -> list[int]:
    """The turn of every event: GameStarted is in turn 0, the final buys and GameFinished are in the
    last one. A buy phase follows the taking of numbers; any other one is a final buy (RULES 8.2).
    """
    turns = [0]
    ended = 0
    for before, event in pairwise(events):
        buy = isinstance(event, CardBought | BuyDeclined)
        after = isinstance(before, NumbersTaken)
        turns.append(ended + (not ((buy and not after) or isinstance(event, GameFinished))))
        ended += isinstance(event, Busted | CurrencyTaken | NothingTaken) or (buy and after)
    return turns


def seats_of(taken: Taken) -> list[PlayerRow]:
    """The players, as far as the first and the last line tell of them."""
    start, end = taken.first.ev, taken.last.ev
    assert isinstance(start, GameStarted)
    assert isinstance(end, GameFinished)
    bots = taken.first.bots
    return [
        PlayerRow(
            name=name,
            bot=None if bots is UNSET else bots[seat],
            score=end.scores[seat],
            tokens=0,
            busts=0,
            cards=0,
            rank=0,
            won=seat in end.winners,
        )
        for seat, name in enumerate(start.players)
    ]


def game_of(taken: Taken, digest: str, audit: str, seats: list[PlayerRow]) -> GameRow:
    """The game, as far as the first and the last line tell of it.

    Raises:
        NotKept: these lines would not come back.
    """
    start, end = taken.first.ev, taken.last.ev
    assert isinstance(start, GameStarted)
    assert isinstance(end, GameFinished)
    rules = rules_for(start.rules, len(start.players))
    named = isinstance(start.rules, str)
    origin = taken.first.origin
    scores = sorted(end.scores, reverse=True)
    started, finished = taken.span
    game = GameRow(
        game=start.game,
        digest=digest,
        ruleset=start.rules if isinstance(start.rules, str) else start.rules.name,
        rules=None if named else _encode(start.rules).decode(),
        seed=end.seed,
        start_tokens=rules.start,
        unsold=rules.ruleset.unsold_wild,
        hidden=start.seed is None,
        players=len(seats),
        events=taken.events,
        turns=0,
        started=started,
        finished=finished,
        winners=end.winners,
        winning_score=scores[0],
        margin=scores[0] - scores[1] if len(scores) > 1 else None,
        decided_by="",
        audit=audit,
        has_bots=taken.first.bots is not UNSET,
        origin_seal=None if origin is UNSET else origin.seal,
        origin_n=None if origin is UNSET else origin.n,
    )
    if start != first_event(game, seats) or end != last_event(game, seats):
        raise NotKept("bad-commitment", "the seeds at the start and at the end differ")
    return game


def settle(game: GameRow, seats: list[PlayerRow], turns: int, holdings: Sequence[Holding]) -> None:
    """Fill in what the events between the first and the last one tell: the turns, what each seat
    has at the end, its rank, and what told the winner from the others."""
    game.turns = turns
    for row, holding in zip(seats, holdings, strict=True):
        row.tokens, row.busts, row.cards, points = holding
        if points is not None:
            row.red, row.blue, row.orange, row.green = points
    order = [(-row.score, -row.tokens, row.cards) for row in seats]
    for row, own in zip(seats, order, strict=True):
        row.rank = 1 + sum(other < own for other in order)
    game.decided_by = _decided_by(seats)


def _decided_by(seats: list[PlayerRow]) -> str:
    """What told the winner from the others (RULES 9.3)."""
    if len(seats) == 1:
        return "solo"
    best, second = sorted(seats, key=lambda row: (-row.score, -row.tokens, row.cards))[:2]
    if best.score != second.score:
        return "points"
    if best.tokens != second.tokens:
        return "tokens"
    return "cards" if best.cards != second.cards else "shared"
