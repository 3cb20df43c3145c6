"""Short games to break, and the ways to break them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import msgspec
from msgspec.structs import replace

from tenlog.game.events import Event
from tenlog.game.evolve import fold
from tenlog.game.ruleset import Ruleset, find_ruleset, ruleset_from
from tenlog.game.state import State
from tenlog.log.codec import NO_SEAL
from tenlog.log.store import game_lines, seal_block
from tests.support import play_game

Game = list[Event]
Case = tuple[str, bytes, dict[str, Any]]
Test = Callable[[Game, int, State], bool]

_NO_DECK: dict[str, list[int]] = {
    card: [] for card in msgspec.to_builtins(find_ruleset("ten/1"))["deck"]
}
_MINI_DECK = {
    **{f"{c}{n}": [1] for c in "RB" for n in "123456"},
    "RW": [1],
    "W9": [1],
    "WW": [1],
    "C3": [1],
    "C4": [1, 1],
    "C5": [1, 1],
}

# A short game with everything in it: 20 cards for any number of players.
MINI = ruleset_from({"name": "mini", "deck": {**_NO_DECK, **_MINI_DECK}})
_TWICE_DECK = {**_MINI_DECK, **{f"{c}{n}": [1, 1] for c in "RB" for n in "1234"}}
_RULESETS = {
    "mini": MINI,
    "twice": ruleset_from({"name": "twice", "deck": {**_NO_DECK, **_TWICE_DECK}}),
    "no-cards": ruleset_from(
        {"name": "no-cards", "deck": {**_NO_DECK, **_MINI_DECK}, "auction_cards": False}
    ),
}


@cache
def games(players: int, ruleset: str = "mini", sealed: bool = False) -> list[Game]:
    """Games between random bots, in which one that suits a fault is looked for."""
    rules: Ruleset = _RULESETS[ruleset]
    return [
        play_game(f"broken/{i}", players, ruleset=rules, game="broken", sealed=sealed)[0]
        for i in range(150)
    ]


def find(
    test: Test, players: int = 3, ruleset: str = "mini", sealed: bool = False
) -> tuple[Game, int, State]:
    """The first game and event n for which a test holds, with the table before that event."""
    for events in games(players, ruleset, sealed):
        for n in range(1, len(events)):
            state = fold(events[:n])
            if test(events, n, state):
                return list(events), n, state
    raise LookupError("no game fits")


def of(kind: type[Event], more: Callable[[Any, State], bool] = lambda e, s: True) -> Test:
    """Events of a type for which more holds."""
    return lambda events, n, state: isinstance(events[n], kind) and more(events[n], state)


def seal_each(events: Sequence[Event]) -> bytes:
    """Every line sealed."""
    out, seal = b"", NO_SEAL
    for n, event in enumerate(events):
        block, seal = seal_block(seal, game_lines([event], first=n))
        out += block
    return out


def seal_end(events: Sequence[Event]) -> bytes:
    """Only the last line sealed."""
    return seal_block(NO_SEAL, game_lines(events))[0]


def changed(events: Game, n: int, **fields: Any) -> Game:
    """The game with fields of event n changed."""
    return [*events[:n], replace(events[n], **fields), *events[n + 1 :]]


def without(events: Game, n: int) -> Game:
    """The game without event n."""
    return [*events[:n], *events[n + 1 :]]


def faulty(code: str, event: int, **more: Any) -> dict[str, Any]:
    """The finding: which fault, at which event."""
    return {"verdict": "faulty", "code": code, "event": event, **more}


def forged(name: str, code: str, n: int, events: Sequence[Event]) -> Case:
    """Doctored events, sealed anew line by line: only the rules can tell."""
    return name, seal_each(events), faulty(code, n)
