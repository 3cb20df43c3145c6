"""What a game may start with: its format, id, ruleset, players, seed and commitment (FORMAT 3)."""

import re
from typing import Final

from tenlog.errors import RulesetError, SeedError, SetupError
from tenlog.game.events import FORMAT, GameStarted
from tenlog.game.legal import Refusal
from tenlog.game.ruleset import rules_for
from tenlog.shuffle import check_seed, commitment, has_control

NAME_LENGTH: Final = 64
_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}\Z")
_HEX64: Final = re.compile(r"[0-9a-f]{64}\Z")


def check_game_id(game: str) -> Refusal | None:
    """FORMAT 3: 1 to 64 of A-Z a-z 0-9 . _ -"""
    if _ID.match(game):
        return None
    return Refusal(
        "bad-game-id", "FORMAT 3", f"a game id is 1 to 64 of A-Z a-z 0-9 . _ -, not {game[:70]!r}"
    )


def check_players(players: tuple[str, ...]) -> Refusal | None:
    """FORMAT 3: names of 1 to 64 characters without control characters, no two alike."""
    if not players:
        return Refusal("bad-players", "FORMAT 3", "a game needs at least one player")
    for name in players:
        if not 1 <= len(name) <= NAME_LENGTH or has_control(name):
            return Refusal(
                "bad-players",
                "FORMAT 3",
                f"a name has 1 to {NAME_LENGTH} characters, none of them a control character; "
                f"not {name[:70]!r}",
            )
    if len(set(players)) < len(players):
        twice = next(name for name in players if players.count(name) > 1)
        return Refusal("bad-players", "FORMAT 3", f"two players are called {twice!r}")
    return None


def check_format(number: int) -> Refusal | None:
    """Whether a log of this format can be read (FORMAT 6)."""
    if number == FORMAT:
        return None
    if number > FORMAT:
        return Refusal(
            "newer-format",
            "FORMAT 6",
            f"the log has format {number}, this tenlog reads up to {FORMAT}: "
            "update tenlog to read it",
        )
    return Refusal("bad-format", "FORMAT 3", f"there is no format {number}")


def check_start(event: GameStarted) -> Refusal | None:
    """Whether a game can start so: format, id, ruleset, players, seed, commitment (FORMAT 3)."""
    refused = (
        check_format(event.format) or check_game_id(event.game) or check_players(event.players)
    )
    if refused is not None:
        return refused
    try:
        rules_for(event.rules, len(event.players))
    except RulesetError as error:
        code = "unknown-ruleset" if isinstance(event.rules, str) else "bad-ruleset"
        return Refusal(code, "10", str(error))
    except SetupError as error:
        return Refusal("bad-players", "10", str(error))
    if not _HEX64.match(event.commitment):
        return Refusal(
            "bad-commitment", "FORMAT 3", "the commitment is not 64 lower-case hex digits"
        )
    if event.seed is not None:
        return check_revealed(event.seed, event.commitment)
    return None


def check_revealed(seed: str, committed: str) -> Refusal | None:
    """Whether a seed is one, and the one that was committed to (FORMAT 3, 4)."""
    try:
        check_seed(seed)
    except SeedError as error:
        return Refusal("bad-seed", "FORMAT 4", str(error))
    if commitment(seed) != committed:
        return Refusal(
            "bad-commitment",
            "FORMAT 3",
            f"the seed {seed[:40]!r} is not the one that was committed to "
            f"({committed[:16]}…): its commitment is {commitment(seed)[:16]}…",
        )
    return None
