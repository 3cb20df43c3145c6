"""What the tables say of a game besides its events: its turns, its players, how it ended."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate

import msgspec
from msgspec import UNSET

from tenlog.archive.dictionary import Effect
from tenlog.archive.lines import NotKept, Taken
from tenlog.archive.rows import GameRow, PlayerRow, first_event, last_event
from tenlog.game.events import CardDrawn, GameFinished, GameStarted
from tenlog.game.ruleset import MAX_SEATS, Rules, rules_for
from tenlog.game.scoring import colour_points
from tenlog.game.state import State
from tenlog.log.codec import decode_event

_encode = msgspec.json.Encoder().encode


def turns_of(ends: Iterable[int], seats: int) -> list[int]:
    """The turn of every event: GameStarted is in turn 0, the final buys are in the last one."""
    ended = accumulate(ends, initial=1)
    turns = [0, *ended]  # the turn of an event counts the ends before it
    after = min(seats + 1, len(turns) - 1)  # final buys and GameFinished
    last = turns[-after - 1] if len(turns) > after + 1 else 1
    turns[-after:] = [last] * after
    return turns


def prove_ends(taken: Taken, game: GameRow, seats: list[PlayerRow]) -> None:
    first, last = taken.first, taken.last
    if first.ev != first_event(game, seats) or last.ev != last_event(game, seats):
        raise NotKept("bad-commitment", "the seeds at the start and at the end differ")


def _drawer(keys: list[bytes], n: int) -> int:
    """Who turned up the wild whose auction began at the n-th event after GameStarted."""
    drawn = decode_event(keys[max(n, 0)][:-1])
    return drawn.seat if isinstance(drawn, CardDrawn) else MAX_SEATS


def _holdings(
    start: GameStarted,
    keys: list[bytes],
    effects: Iterable[tuple[int, Effect]],
    state: State | None,
) -> tuple[Rules, list[int], list[int], list[int]]:
    """Tokens, bust tokens and numbers of cards by seat at the end of the game."""
    seats = len(start.players)
    rules = rules_for(start.rules, seats)
    if state is not None:
        return rules, list(state.tokens), list(state.busts), [sum(own) for own in state.cards]
    tokens, busts, cards = [rules.start] * seats, [0] * seats, [0] * seats
    for n, effect in effects:
        seat = effect.seat
        if seat < 0:
            if not rules.unsold_to_drawer:
                continue
            seat = _drawer(keys, n - seats - 1)
        if seat >= seats or effect.seats not in (0, seats):
            raise NotKept("bad-seat", f"an event names seats that the game of {seats} has not")
        tokens[seat] += effect.tokens
        busts[seat] += effect.busts
        cards[seat] += effect.cards
        for other, gain in effect.gains:
            tokens[other] += gain
    return rules, tokens, busts, cards


def seats_of(
    start: GameStarted,
    end: GameFinished,
    taken: Taken,
    effects: Iterable[tuple[int, Effect]],
    state: State | None,
) -> list[PlayerRow]:
    rules, tokens, busts, cards = _holdings(start, taken.keys, effects, state)
    bots = taken.first.bots
    order = [
        (-score, -held, own) for score, held, own in zip(end.scores, tokens, cards, strict=True)
    ]
    rows = []
    for seat, name in enumerate(start.players):
        row = PlayerRow(
            name=name,
            bot=None if bots is UNSET else bots[seat],
            score=end.scores[seat],
            tokens=tokens[seat],
            busts=busts[seat],
            cards=cards[seat],
            rank=1 + sum(other < order[seat] for other in order),
            won=seat in end.winners,
        )
        if state is not None:
            points = colour_points(state.cards[seat], rules.bonus)
            row.red, row.blue, row.orange, row.green = points
        rows.append(row)
    return rows


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


def game_of(taken: Taken, digest: str, turns: int, audit: str, seats: list[PlayerRow]) -> GameRow:
    start, end = taken.first.ev, taken.last.ev
    assert isinstance(start, GameStarted)
    assert isinstance(end, GameFinished)
    rules = rules_for(start.rules, len(start.players))
    named = isinstance(start.rules, str)
    origin = taken.first.origin
    scores = sorted(end.scores, reverse=True)
    told = [at for at in taken.moments or () if at is not None]
    return GameRow(
        game=start.game,
        digest=digest,
        ruleset=start.rules if isinstance(start.rules, str) else start.rules.name,
        rules=None if named else _encode(start.rules).decode(),
        seed=end.seed,
        start_tokens=rules.start,
        unsold=rules.ruleset.unsold_wild,
        hidden=start.seed is None,
        players=len(seats),
        events=len(taken.keys) + 2,
        turns=turns,
        started=told[0] if told else None,
        finished=told[-1] if told else None,
        winners=end.winners,
        winning_score=scores[0],
        margin=scores[0] - scores[1] if len(scores) > 1 else None,
        decided_by=_decided_by(seats),
        audit=audit,
        has_bots=taken.first.bots is not UNSET,
        origin_seal=None if origin is UNSET else origin.seal,
        origin_n=None if origin is UNSET else origin.n,
    )
