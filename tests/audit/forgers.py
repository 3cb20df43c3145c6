"""Forgers: they change events of a game and seal it anew, so that only rules and deck can tell."""

from __future__ import annotations

import copy
import json
from random import Random
from typing import Any

from tests.referee.generate import seal_lines

Events = list[dict[str, Any]]

CARDS = ("R1", "R2", "R5", "B1", "B4", "O9", "GW", "W9", "WW", "C1", "C3", "C5")


def events_of(data: bytes) -> Events:
    """The events of one game as plain objects."""
    return [json.loads(line)["ev"] for line in data.splitlines()]


def sealed(events: Events, rng: Random) -> bytes:
    """Events as a log, numbered and sealed by the referee's sealer."""
    lines = [{"n": n, "ev": event} for n, event in enumerate(events)]
    return seal_lines(lines, rng.choice(("each", "end")))


def _value(rng: Random, value: Any) -> Any:
    """Another value of the same shape."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return max(0, value + rng.choice((-2, -1, 1, 1, 2, 9)))
    if isinstance(value, str) and value in ("numbers", "currency"):
        return "currency" if value == "numbers" else "numbers"
    if isinstance(value, str) and len(value) == 2:
        return rng.choice(CARDS)
    if isinstance(value, list):
        items = list(value)
        way = rng.randrange(4)
        if items and way == 0:
            items.pop(rng.randrange(len(items)))
        elif items and way == 1:
            i = rng.randrange(len(items))
            items[i] = _value(rng, items[i])
        elif len(items) > 1 and way == 2:
            rng.shuffle(items)
        else:
            items.append(rng.choice(items) if items else 0)
        return items
    if isinstance(value, dict):
        key = rng.choice(list(value))
        return {**value, key: _value(rng, value[key])}
    return value


def forge(rng: Random, events: Events) -> tuple[int, Events]:
    """One change of a game: the first event that differs, and the events then."""
    forged = copy.deepcopy(events)
    n = rng.randrange(1, len(forged))
    way = rng.randrange(8)
    if way <= 3:
        event = forged[n]
        field = rng.choice([key for key in event if key != "type"])
        event[field] = _value(rng, event[field])
    elif way == 4:
        del forged[n]
    elif way == 5:
        forged.insert(n, copy.deepcopy(forged[rng.randrange(1, len(forged))]))
    elif way == 6 and n + 1 < len(forged):
        forged[n], forged[n + 1] = forged[n + 1], forged[n]
    else:
        forged[n] = copy.deepcopy(forged[rng.randrange(1, len(forged))])
    if not forged[1:] or forged == events:
        return len(events), events
    first = next(
        (i for i, (a, b) in enumerate(zip(events, forged, strict=False)) if a != b),
        min(len(events), len(forged)),
    )
    return first, forged
