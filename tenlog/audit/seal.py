"""The last seals of the games of a log: what one writes down to know them again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from tenlog.errors import LogError, LogFault
from tenlog.log.paths import label_of
from tenlog.log.read import no_game, read_games


class LastSeal(msgspec.Struct, frozen=True):
    """One line of ``tenlog seal --json``.

    Attributes:
        file: the log.
        game: the game's id.
        seal: its last seal.
        events: how many events are committed.
        finished: whether the game is.
    """

    file: str
    game: str
    seal: str
    events: int
    finished: bool


def last_seals(path: str | Path, game: str | None = None) -> Iterator[LastSeal]:
    """The last seal of each game of a log, or of one; lines and seals are checked, rules are not.

    Raises:
        LogFault: a line or a seal is broken (the games before it have come by then).
        LogError: the log can't be read, or has no game.
        SetupError: it has not this game.
    """
    label = label_of(str(path))
    count = 0
    for log in read_games(path):
        if game is not None and log.game != game:
            continue
        count += 1
        if log.fault is not None:
            fault = log.fault
            raise LogFault(f"{label}, line {fault.line} (event {fault.event}): {fault.message}")
        if log.game is None or not log.committed:
            raise LogError(f"{label}, line {log.text.line}: nothing of this game is committed")
        yield LastSeal(label, log.game, log.seal, len(log.lines), log.finished)
    if not count:
        raise no_game(label, game)
