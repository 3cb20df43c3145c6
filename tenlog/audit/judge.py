"""Judging one game: lines, seals, start, each event, sums, end; and the word for it."""

from __future__ import annotations

from typing import Literal

import msgspec

from tenlog.audit.resync import further_faults
from tenlog.audit.seals import passed_seals, scan_seals
from tenlog.audit.verdict import Judged, Word
from tenlog.game.conserved import check_conserved
from tenlog.game.events import GameStarted
from tenlog.game.ruleset import Ruleset, rules_field
from tenlog.game.start import check_game_id
from tenlog.log.codec import encode_events
from tenlog.log.read import Fault, GameLog, read_game
from tenlog.log.replay import Replay, replay
from tenlog.log.source import GameText


class Settings(msgspec.Struct, frozen=True):
    """How strictly and how far to judge.

    Attributes:
        level: ``full``; ``no-seed``: draws are held against what the deck can still hold only;
            ``seals``: the chain of seals only (:mod:`tenlog.audit.seals`).
        everything: go on inside a game after its first fault, where that means something.
        table: keep the events before the first fault, so that the table there can be shown.
        noted: seals that are looked for in every game.
    """

    level: Literal["full", "no-seed", "seals"] = "full"
    everything: bool = False
    table: bool = False
    noted: frozenset[str] = frozenset()


def judge_game(text: GameText, file: str, settings: Settings) -> Judged:
    """One game, judged. Never raises for anything that stands in the bytes."""
    if settings.level == "seals":
        return scan_seals(text, file, settings.noted)
    log = read_game(text)
    result = replay(log, without_deck=settings.level == "no-seed")
    result = _with_sums(log, result)
    game = log.game
    if game is not None and check_game_id(game) is not None:
        game = None  # no id, and perhaps a megabyte
    fault = result.fault
    faults: tuple[Fault, ...]
    if fault is None:
        faults = ()
    elif settings.everything:
        faults = further_faults(log, fault, without_deck=settings.level == "no-seed")
    else:
        faults = (fault,)
    held = settings.table and fault is not None and result.state is not None
    return Judged(
        file,
        game,
        _word(log, result),
        len(result.events),
        faults,
        log.seal,
        _end(log),
        settings.level == "full" and (result.seed is not None or result.state is None),
        _rules(result),
        passed_seals(text.data[: log.committed], settings.noted),
        encode_events(result.events) if held else b"",
    )


def _rules(result: Replay) -> str | Ruleset | None:
    if result.state is None:
        return None
    start = result.events[0]
    assert isinstance(start, GameStarted)
    # A log may spell out a shipped ruleset instead of naming it, which is the same.
    return start.rules if isinstance(start.rules, str) else rules_field(start.rules)


def _with_sums(log: GameLog, result: Replay) -> Replay:
    """A second look at the table where the game stopped: it does not trust the first one."""
    if result.state is None or (refused := check_conserved(result.state)) is None:
        return result
    at = log.at_event(len(result.events) - 1, refused.code, refused.rule, refused.message)
    return Replay(result.events, result.state, at, result.seed)


def _word(log: GameLog, result: Replay) -> Word:
    if result.fault is not None:
        return "faulty"
    if log.tail:
        return "torn"
    return "clean" if log.finished else "unfinished"


def _end(log: GameLog) -> tuple[int, int, int]:
    """Event, line and offset of the last committed line."""
    n = max(0, len(log.lines) - 1)
    data = log.text.data
    offset = data.rfind(b"\n", 0, max(0, log.committed - 1)) + 1
    return n, log.text.line + n, log.text.offset + offset
