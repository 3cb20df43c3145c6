"""Strict replay: every event re-derived from the seed and the decisions, and compared."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

import msgspec

from tenlog.errors import LogError, LogFault, SeedError
from tenlog.game.events import Event, GameFinished, GameStarted
from tenlog.game.judge import Judge
from tenlog.game.start import check_start
from tenlog.game.state import State
from tenlog.log.read import Fault, GameLog
from tenlog.shuffle import check_seed, commitment


class Replay(msgspec.Struct, frozen=True):
    """How far a game goes, the table there, and what stopped it.

    Attributes:
        events: the events that hold, in order.
        state: the table after them; None if not even the first one holds.
        fault: the first fault, or None.
        seed: the seed, if the game tells it or it was given.
    """

    events: list[Event]
    state: State | None
    fault: Fault | None
    seed: str | None = None


def known_seed(start: GameStarted, last: Event) -> str | None:
    """The seed that a game tells: at its start, or at its end if it is the one committed to."""
    if start.seed is not None:
        return start.seed
    if not isinstance(last, GameFinished) or commitment(last.seed) != start.commitment:
        return None
    try:
        return check_seed(last.seed)
    except SeedError:
        return None  # a fault of the last event, which the judge will name


def replay(
    log: GameLog,
    seed: str | None = None,
    watch: Callable[[Event, State], None] | None = None,
    *,
    without_deck: bool = False,
) -> Replay:
    """Judge the committed events of a game, from the first one to the first fault.

    Args:
        log: a game as it was read.
        seed: the seed of a sealed game, if the caller has it.
        watch: called after each event that holds, with the table (to look at, not to keep: the
            next event changes it; keep a copy).
        without_deck: do not hold the draws against the deck that the seed gives, only against what
            can still be in it.

    Never raises for anything that stands in a log.
    """
    if not log.lines:
        return Replay([], None, log.fault)
    start = log.lines[0].ev
    assert isinstance(start, GameStarted)
    refused = check_start(start)
    if refused is not None:
        at = log.at_event(0, refused.code, refused.rule, refused.message)
        return Replay([], None, at)  # before any fault of a later line
    told = known_seed(start, log.lines[-1].ev)
    seed = told if told is not None else seed
    judge = Judge(start, seed, with_deck=not without_deck)
    lines = log.lines
    if watch is not None:
        watch(start, judge.state)
    see = judge.see
    for line in islice(lines, 1, None):
        refused = see(line.ev)
        if refused is not None:
            at = log.at_event(line.n, refused.code, refused.rule, refused.message)
            return Replay([held.ev for held in lines[: line.n]], judge.state, at, seed)
        if watch is not None:
            watch(line.ev, judge.state)
    return Replay(log.events, judge.state, log.fault, seed)


def replay_strictly(log: GameLog, path: object, seed: str | None = None) -> Replay:
    """:func:`replay` of a log that has to be good.

    Raises:
        LogFault: it has a fault; the message says which, and where.
        LogError: nothing of it is committed.
    """
    result = replay(log, seed)
    if result.fault is not None:
        fault = result.fault
        raise LogFault(f"{path}, line {fault.line} (event {fault.event}): {fault.message}")
    if result.state is None:
        raise LogError(f"{path}: nothing of the game is committed: its first line was cut")
    return result
