"""Reading logs: from the bytes of a game to its events, with every fault located (FORMAT 2).

:func:`read_game` judges lines and seals only; whether the rules allow what they say is asked by
:mod:`tenlog.log.replay`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import UNSET

from tenlog.errors import LogError, SetupError
from tenlog.game.events import FORMAT, Event, GameFinished, GameStarted
from tenlog.game.start import check_format
from tenlog.log.codec import (
    NO_SEAL,
    SEAL_KEY,
    START,
    CodecError,
    Line,
    decode_line,
    decode_lines,
    encode_lines,
    seal_of,
)
from tenlog.log.source import GameText, open_source, split_games


class Fault(msgspec.Struct, frozen=True):
    """The first thing that is wrong with a game.

    Attributes:
        code: one of the documented codes.
        rule: where it is ruled: a number of the rules, or ``FORMAT`` and a number.
        message: what was expected and what stands there.
        event: ``n`` of the faulty event: its place in the game, from 0.
        line: its line in the file, from 1.
        offset: the offset of that line in the (uncompressed) file, in bytes.
    """

    code: str
    rule: str
    message: str
    event: int
    line: int
    offset: int


class GameLog:
    """One game as it stands in a file: its committed lines, its tail, its first fault.

    Attributes:
        text: the bytes, and where they stand.
        lines: the committed lines up to the first fault of the lines.
        committed: how many bytes of ``text.data`` are committed (all sealed lines).
        seal: the last good seal, or 32 zeros.
        fault: the first fault of lines or seals, or None.
    """

    __slots__ = ("committed", "fault", "lines", "seal", "text")

    def __init__(self, text: GameText) -> None:
        self.text = text
        self.lines: list[Line] = []
        self.committed = 0
        self.seal = NO_SEAL
        self.fault: Fault | None = None

    @property
    def events(self) -> list[Event]:
        """The committed events."""
        return [line.ev for line in self.lines]

    @property
    def start(self) -> GameStarted | None:
        """The first event, if the game has one that is committed."""
        first = self.lines[0].ev if self.lines else None
        return first if isinstance(first, GameStarted) else None

    @property
    def game(self) -> str | None:
        """The game's id, if it can be told (from an uncommitted first line too)."""
        start = self.start
        if start is None:
            try:
                first = decode_line(self.text.data.split(b"\n", 1)[0]).ev
            except CodecError:
                return None
            start = first if isinstance(first, GameStarted) else None
        return None if start is None else start.game

    @property
    def finished(self) -> bool:
        """Whether the last committed event is GameFinished."""
        return bool(self.lines) and isinstance(self.lines[-1].ev, GameFinished)

    @property
    def tail(self) -> bytes:
        """What follows the last seal: an uncommitted tail, to be ignored (FORMAT 2)."""
        return self.text.data[self.committed :]

    @property
    def bots(self) -> tuple[str | None, ...]:
        """By seat: the bot's specification, or None for a person; empty if the log does not say."""
        said = self.lines[0].bots if self.lines else UNSET
        return said if isinstance(said, tuple) else ()

    def at_event(self, n: int, code: str, rule: str, message: str) -> Fault:
        """A fault located at the n-th line of the game."""
        data = self.text.data
        offset = 0
        for _ in range(n):
            offset = data.find(b"\n", offset) + 1
        return Fault(code, rule, message, n, self.text.line + n, self.text.offset + offset)


def read_game(text: GameText) -> GameLog:
    """The lines and seals of one game; never raises for anything that stands in the bytes."""
    log = GameLog(text)
    if text.too_long is not None:
        # What stands before it is judged; whether it is sealed can't be known any more.
        lines_before = text.data.count(b"\n")
        late = log.at_event(lines_before, "too-long", "FORMAT 2", text.too_long)
        if text.data.startswith(START):
            read = _read_slowly(text.data, len(text.data))
            fault = _check_lines(log, read.lines) or read.fault(log)
            late = _check_seals(log) or fault or late
        elif text.data:
            late = _no_start(log)
        log.fault = late
        return log
    if not (text.data.startswith(START) or START.startswith(text.data)):
        log.fault = _no_start(log)
        return log
    piece = text.data[text.data.rfind(b"\n") + 1 :]  # a whole line if it is sealed, else a torn one
    if SEALED_END.search(piece):
        piece = b""
    whole = text.data[: len(text.data) - len(piece)]
    read = _read_fast(whole) or _read_slowly(whole, _end_of_seals(whole))
    fault = _check_lines(log, read.lines) or read.fault(log)
    # Seals are checked up to that fault only, so a fault of theirs comes first.
    log.fault = _check_seals(log) or fault
    if log.fault is None:
        log.fault = _check_tail(log, whole, piece)
    if whole and (log.fault is not None or not log.lines):
        newer = check_format(_format_of(whole[: whole.find(b"\n")]))
        if newer is not None:
            log.lines.clear()
            log.fault = log.at_event(0, newer.code, newer.rule, newer.message)
    return log


class _Read:
    """The lines of a game up to its last seal, or up to the first one that is broken."""

    __slots__ = ("broken", "lines")

    def __init__(self, lines: list[Line], broken: CodecError | None) -> None:
        self.lines = lines
        self.broken = broken

    def fault(self, log: GameLog) -> Fault | None:
        """What is wrong with the first broken line, if there is one."""
        if self.broken is None:
            return None
        return log.at_event(len(self.lines), self.broken.code, "FORMAT 2", str(self.broken))


# No event takes fewer bytes with its line; many shorter lines are no game, and would take much
# memory as so many objects.
LEAST_LINE = len(b'{"n":1,"ev":{"type":"BidPassed","seat":0}}\n')


def _read_fast(data: bytes) -> _Read | None:
    """All lines at once, if all are whole and good; else None, and they are to be read slowly."""
    if data.count(b"\n") * LEAST_LINE > len(data):
        return None
    try:
        lines = decode_lines(data)
    except (ValueError, RecursionError, msgspec.MsgspecError):
        return None
    # Also tells whether the lines are cut where newlines stand, and whether the last one has one.
    if encode_lines(lines) != data:
        return None
    while lines and lines[-1].h is UNSET:
        lines.pop()
    return _Read(lines, None)


def _read_slowly(data: bytes, end: int) -> _Read:
    """Line by line up to ``end``, or up to the first fault."""
    lines: list[Line] = []
    start = 0
    while start < end:
        newline = data.find(b"\n", start)
        stop = newline if newline >= 0 else len(data)
        line = _try(data[start:stop])
        if isinstance(line, CodecError):
            return _Read(lines, line)
        lines.append(line)
        start = stop + 1
    return _Read(lines, None)


def _end_of_seals(data: bytes) -> int:
    """Where the last line ends that has a seal, or had one before it was hit; 0 if there is none.

    In a whole line these bytes are the key of a seal: within a text its quotes would be escaped.
    """
    end = data.rfind(b',"h":')
    for hit in _HIT_SEAL.finditer(data, max(end, 0)):
        end = hit.start()
    if end < 0:
        return 0
    newline = data.find(b"\n", end)
    return newline + 1 if newline >= 0 else len(data)


class _Format(msgspec.Struct):
    format: int = FORMAT


class _AnyStart(msgspec.Struct):
    ev: _Format


def _format_of(line: bytes) -> int:
    """The format that a first line names, whatever else stands in it: a newer one may have other
    fields and events, which are then no faults (FORMAT 6)."""
    try:
        return msgspec.json.decode(line, type=_AnyStart).ev.format
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return FORMAT


# How a sealed line ends. Nothing less will do for the last line of a file without a newline: a
# seed or a commitment that was cut off behind its quote ends much the same.
SEALED_END = re.compile(rb',"h":"[0-9a-f]{32}"\}\Z')

# How a line ends whose seal was hit. A torn write leaves no such line with its newline, so it is
# damage.
_HIT_SEAL = re.compile(rb'[0-9a-f]{32}"\}$', re.MULTILINE)


def _no_start(log: GameLog) -> Fault:
    """What is wrong with bytes that don't begin as a game does: they are no torn write either."""
    first = _try(log.text.data.split(b"\n", 1)[0])
    if isinstance(first, CodecError):
        return log.at_event(0, first.code, "FORMAT 2", str(first))
    if isinstance(first.ev, GameStarted):
        what = f"the first line of a game must have n 0, not {first.n}"
        return log.at_event(0, "bad-sequence", "FORMAT 2", what)
    what = f"a game starts with GameStarted, not with {_type(first)}"
    return log.at_event(0, "no-start", "FORMAT 2", what)


def _try(line: bytes) -> Line | CodecError:
    try:
        return decode_line(line)
    except CodecError as error:
        return error


def _check_lines(log: GameLog, lines: list[Line]) -> Fault | None:
    """Shape and sequence of the lines up to the last seal; fills ``log.lines``."""
    keep = log.lines.append
    for i, line in enumerate(lines):
        if (
            i
            and line.n == i
            and line.bots is UNSET
            and line.origin is UNSET
            and type(line.ev) is not GameFinished
        ):
            keep(line)  # as nearly all are
            continue
        if line.n != i:
            return log.at_event(
                i, "bad-sequence", "FORMAT 2", f"line {i} of the game must have n {i}, not {line.n}"
            )
        if i == 0:
            assert isinstance(line.ev, GameStarted)  # the bytes begin like it
            if line.bots is not UNSET and len(line.bots) != len(line.ev.players):
                return log.at_event(
                    0, "bad-metadata", "FORMAT 2", "bots must say one thing for each seat"
                )
        elif line.bots is not UNSET or line.origin is not UNSET:
            return log.at_event(
                i, "bad-metadata", "FORMAT 2", "bots and from may only stand on the first line"
            )
        if type(line.ev) is GameFinished and line.h is UNSET:
            return log.at_event(i, "missing-seal", "FORMAT 2", UNSEALED_END)
        keep(line)
    return None


UNSEALED_END = "the last line of a finished game needs a seal"


def _type(line: Line) -> str:
    return type(line.ev).__name__


_SEALING = len(SEAL_KEY) + 32 + len('"}\n')


def _check_seals(log: GameLog) -> Fault | None:
    """The chain of seals; sets ``log.committed`` and ``log.seal``."""
    data = log.text.data
    start = 0  # of what the next seal covers
    for i in [i for i, line in enumerate(log.lines) if line.h is not UNSET]:
        # The lines are good, so the key of a seal stands in those that have one and nowhere else.
        at = data.find(SEAL_KEY, start)
        due = seal_of(log.seal, data[start:at])
        seal = log.lines[i].h
        if seal != due:
            del log.lines[i:]
            return log.at_event(
                i, "bad-seal", "FORMAT 2", f"the seal over these bytes is {due}, not {seal}"
            )
        log.seal = due
        start = at + _SEALING
        log.committed = min(start, len(data))
    return None


def _check_tail(log: GameLog, whole: bytes, piece: bytes) -> Fault | None:
    """What may follow the last seal: anything after a game in progress, hardly anything after the
    end of a game (FORMAT 2). ``whole`` are the lines that have their newline (or their seal)."""
    n = len(log.lines)
    start = log.committed
    if log.finished:
        # Without a newline and without a boundary: the torn start of a next game, if anything.
        if start < len(whole) or not START.startswith(piece):
            return log.at_event(n, "after-end", "FORMAT 2", "something follows the end of the game")
        return None
    begin = unsealed_end(whole, start)
    if begin is not None:
        n += whole.count(b"\n", start, begin)
        return log.at_event(n, "missing-seal", "FORMAT 2", UNSEALED_END)
    return None


def unsealed_end(whole: bytes, start: int) -> int | None:
    """Where in whole lines without seals, from byte ``start`` on, the last line of a game begins,
    which needs one (FORMAT 2)."""
    at = start
    for _ in range(_ENDS_TRIED):
        at = whole.find(_END, at)
        if at < 0:
            break
        begin = whole.rfind(b"\n", 0, at) + 1
        at = whole.find(b"\n", at)
        line = _try(whole[begin:at])
        if isinstance(line, Line) and isinstance(line.ev, GameFinished):
            return begin
    return None


_END = b'{"type":"GameFinished",'
_ENDS_TRIED = 100  # an honest tail has one at most; a hostile one is not worth the time


def read_games(path: str | Path) -> Iterator[GameLog]:
    """The games of a log (a file, ``-`` for standard input, compressed or not), one by one.

    Faults of a game are in the game; see :class:`GameLog`.

    Raises:
        LogError: the file cannot be read.
    """
    with open_source(path) as stream:
        for text in split_games(stream):
            yield read_game(text)


def no_game(path: str | Path, game: str | None) -> LogError | SetupError:
    """What to say of a log without a game, or without the one that was asked for."""
    if game is None:
        return LogError(f"{path} has no game in it")
    return SetupError(f"{path} has no game {game[:64]!r}")


def read_one(path: str | Path, game: str | None = None) -> GameLog:
    """One game of a log: by id, or the last one.

    Raises:
        LogError: the file cannot be read, or has no game.
        SetupError: it has not this one.
    """
    found: GameLog | None = None
    for log in read_games(path):
        if game is None or log.game == game:
            found = log
            if game is not None:
                break
    if found is None:
        raise no_game(path, game)
    return found
