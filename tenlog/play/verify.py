"""Playing a finished game again in every way there is: from its bytes, its seed, and its bots."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tenlog.bots.registry import make_bot
from tenlog.bots.table import play_game
from tenlog.errors import LogFault
from tenlog.game.conserved import check_conserved
from tenlog.game.events import Event, GameStarted
from tenlog.game.state import State
from tenlog.log.codec import encode_events
from tenlog.log.read import read_one
from tenlog.log.replay import replay_strictly
from tenlog.play.answers import CheckAnswer
from tenlog.shuffle import commitment


def play_again(start: GameStarted, seed: str, bots: Sequence[str]) -> tuple[list[Event], State]:
    """The whole game once more, in memory, by asking the bots.

    Raises:
        BotError: there is no such bot.
    """
    return play_game(start, seed, [make_bot(spec) for spec in bots])


def verify_game(path: Path, played: Sequence[Event], table: State) -> list[CheckAnswer]:
    """What a log proves about the game between bots that was just played on it.

    ``played`` and ``table`` are the events and the table that play had in memory.

    Raises:
        LogFault: something does not hold; says what.
        LogError: the log cannot be read.
    """
    log = read_one(path)
    found = replay_strictly(log, path)
    start = log.start
    seals = sum(isinstance(line.h, str) for line in log.lines)
    checks = [
        CheckAnswer("lines", f"{len(log.lines)} events in canonical form, {seals} seals that fit")
    ]
    if start is None or found.state is None or found.seed is None or not log.finished:
        raise LogFault(f"{path} does not hold a finished game")
    if commitment(found.seed) != start.commitment:
        raise LogFault(f"{path}: the seed is not the one committed to")
    checks.append(CheckAnswer("deck", f"{found.state.drawn} cards in the order of the seed"))
    if encode_events(found.events) != encode_events(played):
        raise LogFault(f"{path} does not hold the game that was played")
    checks.append(CheckAnswer("rules", "each event derived again from seed and decisions: equal"))
    if found.state != table:
        raise LogFault(f"{path}: replay ends at another table than play did")
    refused = check_conserved(found.state)
    if refused is not None:
        raise LogFault(f"{path}: {refused.message}")
    checks.append(CheckAnswer("table", "replay ends where play did; no card or token is lost"))
    bots = [spec for spec in log.bots if spec is not None]
    if len(bots) == len(start.players):
        again, _ = play_again(start, found.seed, bots)
        if encode_events(again) != encode_events(played):
            raise LogFault(f"{path}: the same bots and seed gave another game")
        checks.append(CheckAnswer("bots", "asked again with the same seed: the same bytes"))
    return checks
