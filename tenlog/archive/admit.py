"""Whether a game may go in: how strictly its bytes are judged, and what is said if not."""

from __future__ import annotations

import re
from typing import Final, Literal

from tenlog.archive.lines import NotKept
from tenlog.game.state import State
from tenlog.log.read import SEALED_END, GameLog, read_game
from tenlog.log.replay import replay
from tenlog.log.source import GameText

Audit = Literal["full", "seals", "none"]

_TAIL: Final = 64  # bytes: more than the seal of a line and what closes it

_ID = re.compile(
    rb'\{"n":0,"ev":\{"type":"GameStarted","format":\d+,"game":"([A-Za-z0-9._-]{1,64})"'
)


class Out(Exception):
    """A game that can't go in: the code of its fault, the line of its file, the reason."""

    def __init__(self, code: str, line: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.line = line


def id_of(text: GameText) -> str | None:
    """The id of a game, if it can be told."""
    found = _ID.match(text.data)
    return found[1].decode() if found is not None else None


def whole(data: bytes) -> bytes:
    """A game with the newline that only the end of a file may lack."""
    return data if data.endswith(b"\n") else data + b"\n"


def judged(text: GameText, audit: Audit) -> tuple[bytes, State | None]:
    """The committed bytes of a finished game, and the table at its end if that was found out.

    With ``none`` it is only read where its last line has no seal.

    Raises:
        Out: it is not finished, or faulty.
    """
    if (
        audit == "none"
        and text.too_long is None
        and SEALED_END.search(text.data[-_TAIL:].removesuffix(b"\n"))
    ):
        return whole(text.data), None
    log = read_game(text)
    state = None
    fault = log.fault
    if audit == "full":
        result = replay(log)
        fault, state = result.fault, result.state
    if fault is not None:
        where = f"event {fault.event}: "
        raise Out(fault.code, fault.line, f"{where}{fault.message} (rule {fault.rule})")
    if not log.finished:
        raise _unfinished(log)
    return whole(text.data[: log.committed]), state


def _unfinished(log: GameLog) -> Out:
    line = log.text.line + max(len(log.lines) - 1, 0)
    return Out("unfinished", line, f"not finished: it has {len(log.lines)} events so far")


def better_reason(text: GameText, error: NotKept) -> Out:
    """What a full reading says of a game that the builder refused, if it says anything."""
    log = read_game(text)
    if log.fault is not None:
        return Out(log.fault.code, log.fault.line, log.fault.message)
    if not log.finished:
        return _unfinished(log)
    return Out(error.code, text.line, str(error))
