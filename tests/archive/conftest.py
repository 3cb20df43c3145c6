"""Games of all kinds, and an archive of them that is made once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tenlog.archive import add_logs
from tenlog.game.events import Event
from tenlog.game.ruleset import ruleset_from
from tenlog.log.codec import NO_SEAL, Line, Origin, encode_lines
from tenlog.log.store import encode_game, game_lines, seal_block
from tests.support import ROOT, play_game

SAMPLES = ROOT / "tests" / "referee" / "samples"

ODD_RULES = {"name": "odd/1", "unsold_wild": "drawer", "spent_cards": "market", "bust_limit": 12}


def played_bytes(events: Sequence[Event], every: int = 3, at: int = 1_700_000_000_000) -> bytes:
    """A log as a person plays it: moments on most lines, a seal every few lines, an origin."""
    lines = game_lines(events, at=at, bots=["random", None], origin=Origin("ab" * 16, 7))
    lines = [
        Line(line.n, line.ev, at=at + 1000 * line.n, bots=line.bots, origin=line.origin)
        if line.n % 4
        else line
        for line in lines
    ]
    seal, data = NO_SEAL, b""
    for first in range(0, len(lines), every):
        block, seal = seal_block(seal, lines[first : first + every])
        data += block
    return data


def all_kinds() -> dict[str, bytes]:
    """Games of every kind that a log may hold, by id."""
    games: dict[str, bytes] = {}
    for players in range(1, 6):
        name = f"bulk-{players}"
        events, _ = play_game(f"007/{players}", players, game=name)
        games[name] = encode_game(events, bots=["random"] * players)
    events, _ = play_game("sealed", 3, game="sealed", sealed=True)
    games["sealed"] = encode_game(events)
    events, _ = play_game("played", 2, game="played")
    games["played"] = played_bytes(events)
    events, _ = play_game("each", 2, game="each-line", sealed=True)
    games["each-line"] = played_bytes(events, every=1)
    events, _ = play_game("odd", 4, game="odd", ruleset=ruleset_from(ODD_RULES))
    games["odd"] = encode_game(events, bots=["random", None, 'q"\\\u0000\u2028é:x=1', "🂡"])
    return games


@pytest.fixture(scope="session")
def games() -> dict[str, bytes]:
    return all_kinds()


@pytest.fixture(scope="session")
def kept(games: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive with all kinds of games and twenty alike; to be read only."""
    folder = tmp_path_factory.mktemp("kept")
    log = folder / "games.jsonl"
    more = []
    for i in range(20):
        events, _ = play_game(f"many/{i}", 4, game=f"many-{i:02d}")
        more.append(encode_game(events, bots=["random"] * 4))
    log.write_bytes(b"".join([*games.values(), *more]))
    added = add_logs(folder / "archive", [str(log)])
    assert added.games == len(games) + 20
    assert not added.kept_out
    return folder / "archive"


def unsealed(events: Sequence[Event]) -> bytes:
    """The lines of a game without any seal."""
    return encode_lines(game_lines(events))
