"""What a game starts with, and the seed at its end (FORMAT 3, 4; RULES 10)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from tenlog.game.events import GameStarted
from tenlog.game.ruleset import Ruleset
from tenlog.shuffle import commitment
from tests.audit.broken.games import MINI, Case, changed, faulty, games, seal_end


def cases() -> Iterator[Case]:
    """All of them."""
    events = games(2)[3]
    start = events[0]
    assert isinstance(start, GameStarted)

    def put(**fields: Any) -> bytes:
        return seal_end(changed(events, 0, **fields))

    yield "newer-format", put(format=2), faulty("newer-format", 0)
    text = put(format=7).replace(b'"type":"CardDrawn"', b'"type":"CardTurned"')
    yield "newer-format-new-events", text, faulty("newer-format", 0)
    yield "no-such-format", put(format=0), faulty("bad-format", 0)
    yield "bad-game-id", put(game="a game"), faulty("bad-game-id", 0)
    yield "empty-game-id", put(game=""), faulty("bad-game-id", 0)
    yield "unknown-ruleset", put(rules="ten/9"), faulty("unknown-ruleset", 0)
    for name, players in {
        "two-players-alike": ("x", "x"),
        "no-players": (),
        "name-with-control-character": ("x", "y\x1b[2J"),
        "name-too-long": ("x", "y" * 65),
        "too-many-players": tuple("abcdef"),
    }.items():
        yield name, put(players=players), faulty("bad-players", 0)
    yield "empty-seed", put(seed="", commitment=commitment("")), faulty("bad-seed", 0)
    newline = put(seed="a\nb", commitment=commitment("a\nb"))
    yield "seed-with-newline", newline, faulty("bad-seed", 0)
    other = put(commitment=commitment("other"))
    yield "commitment-of-another-seed", other, faulty("bad-commitment", 0)
    capitals = put(commitment=start.commitment.upper())
    yield "commitment-in-capitals", capitals, faulty("bad-commitment", 0)
    rules = msgspec.to_builtins(MINI)
    changes: dict[str, dict[str, Any]] = {
        "ruleset-empty-deck": {"deck": {}},
        "ruleset-negative-limit": {"tokens": {"start": 0, "limit": -1, "supply": 50}},
        "ruleset-too-few-tokens": {"tokens": {"start": 5, "limit": 10, "supply": 20}},
        "ruleset-no-bust-limit": {"bust_limit": 0},
        "ruleset-in-ten-1-clothes": {"name": "ten/1"},
    }
    for name, fields in changes.items():
        bad = msgspec.convert({**rules, **fields}, Ruleset)
        yield name, put(rules=bad), faulty("bad-ruleset", 0)
    sealed = games(2, "mini", True)[0]
    last = len(sealed) - 1
    lies = changed(sealed, last, seed="another seed")
    yield "wrong-revealed-seed", seal_end(lies), faulty("bad-commitment", last)
    last = len(events) - 1
    plain = changed(events, last, seed="another seed")
    yield "end-with-another-seed", seal_end(plain), faulty("wrong-seed", last)
