"""What somebody may change in a game before sealing it anew."""

from __future__ import annotations

import copy
from random import Random
from typing import Any

from tests.referee.referee import ALL_CARDS

_WORDS = ("", "numbers", "currency", "CardDrawn", "NothingTaken", "BuyDeclined", "\x07")


def _other(rng: Random, value: Any, field: str) -> Any:
    """Another value for a field; often of the right type, now and then absurd."""
    if field == "seed":
        return rng.choice(["x", None, "", "a" * 129, "b" * 32])
    if isinstance(value, bool) or value is None:
        return rng.choice([True, False, None, 1])
    if isinstance(value, int):
        return rng.choice(
            [value + 1, value - 1, 0, 1, value + 3, -value, 10**12, 10**30, True, 2.5]
        )
    if isinstance(value, str):
        if value in ALL_CARDS:
            return rng.choice(ALL_CARDS)
        return rng.choice([*_WORDS, value + "x", value[:-1], value.upper(), 3])
    if isinstance(value, list):
        changed = list(value)
        what = rng.randrange(5)
        if what == 0 and changed:
            changed.pop(rng.randrange(len(changed)))
        elif what == 1 and changed:
            rng.shuffle(changed)
        elif what == 2 and changed:
            place = rng.randrange(len(changed))
            changed[place] = _other(rng, changed[place], "")
        elif what == 3:
            changed.append(rng.choice([*ALL_CARDS, 0, 1, "p9"]))
        else:
            changed.append(changed[0] if changed else 0)
        return changed
    if isinstance(value, dict) and value:
        key = rng.choice(list(value))
        return {**value, key: _other(rng, value[key], key)}
    return value


def mutate(rng: Random, game: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The lines of a game (without seals) with one change."""
    lines = copy.deepcopy(game)
    place = rng.randrange(len(lines))
    event = lines[place]["ev"]
    kind = rng.randrange(9)
    if kind <= 4:
        fields = [field for field in event if field != "type"] or ["type"]
        field = rng.choice(fields)
        event[field] = _other(rng, event[field], field)
    elif kind == 5:
        del lines[place]
    elif kind == 6:
        lines.insert(place, copy.deepcopy(rng.choice(lines)))
    elif kind == 7:
        other = rng.randrange(len(lines))
        lines[place]["ev"], lines[other]["ev"] = lines[other]["ev"], lines[place]["ev"]
    else:
        what = rng.randrange(4)
        if what == 0:
            lines[place]["n"] = rng.choice([0, place + 1, place - 1, 10**20])
        elif what == 1:
            lines[place]["at"] = rng.choice([1, -1, 10**18, 1.5, "x"])
        elif what == 2:
            seats = len(game[0]["ev"]["players"])
            lines[place]["bots"] = rng.choice([["a"], [None] * seats, []])
        else:
            event[rng.choice(["x", "seat"])] = 1
    if kind in (5, 6) and rng.random() < 0.8:
        for n, line in enumerate(lines):
            line["n"] = n
    return lines
