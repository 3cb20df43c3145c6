"""Writing logs: the only room that does (FORMAT 2, 5).

What :meth:`LogWriter.append` has returned from is on the disk. A decision is one write with one
seal at its end, so that it is there whole or not at all. Whoever writes holds a lock on the file;
readers never wait.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import repeat
from pathlib import Path
from types import TracebackType
from typing import Final, NamedTuple

from msgspec import UNSET, UnsetType

from tenlog.errors import LogChanged, LogError
from tenlog.game.events import Event, GameFinished, GameStarted
from tenlog.log.codec import (
    NO_SEAL,
    Line,
    Origin,
    encode_lines,
    seal_line,
)
from tenlog.log.making import MODE, lock, making, seed_path, sync_folder, write_all
from tenlog.log.opening import open_handle, read_small
from tenlog.log.read import GameLog, read_games
from tenlog.log.source import log_error

_SEED_FILE: Final = 1024  # bytes; a seed has 128 characters at most (FORMAT 4)


def now_ms() -> int:
    """Milliseconds since the Unix epoch, for ``at``."""
    return time.time_ns() // 1_000_000


def read_seed(log: Path) -> str | None:
    """The seed of an unfinished sealed game, or None if there is no such file.

    Raises:
        LogError: there is one that cannot be read.
    """
    path = seed_path(log)
    try:
        return read_small(path, _SEED_FILE).decode().removesuffix("\n")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise log_error(path, error) from None


def forget_revealed(log: Path, game: GameLog) -> None:
    """Remove the seed beside a log whose game has ended with it: whoever ended it may have been
    killed before that.

    Raises:
        LogError: the file can't be read or removed.
    """
    end = game.lines[-1].ev if game.lines and game.fault is None else None
    if isinstance(end, GameFinished) and read_seed(log) == end.seed:
        try:
            seed_path(log).unlink(missing_ok=True)
        except OSError as error:
            raise log_error(seed_path(log), error, "remove") from None


def game_lines(
    events: Sequence[Event],
    *,
    first: int = 0,
    at: int | None = None,
    bots: Sequence[str | None] | None = None,
    origin: Origin | None = None,
) -> list[Line]:
    """Lines without seals for events, numbered from ``first``; metadata on the first line only."""
    moment: int | UnsetType = UNSET if at is None else at
    lines = list(map(Line, range(first, first + len(events)), events, repeat(moment)))
    if first == 0 and lines:
        lines[0] = Line(
            0,
            events[0],
            at=moment,
            bots=UNSET if bots is None else tuple(bots),
            origin=UNSET if origin is None else origin,
        )
    return lines


def seal_block(previous: str, lines: Sequence[Line]) -> tuple[bytes, str]:
    """The bytes of some lines with one seal on the last of them, and that seal."""
    before = encode_lines(lines[:-1])
    last, seal = seal_line(previous, before, lines[-1])
    return before + last, seal


class Encoded(NamedTuple):
    """A whole game as bytes, sealed on its last line only, and what they were made of.

    Attributes:
        data: all of them.
        first, last: these lines.
        bodies: the bytes of the events between these.
    """

    data: bytes
    first: Line
    last: Line
    bodies: list[bytes]

    @property
    def seal(self) -> str:
        """The last seal."""
        return "" if self.last.h is UNSET else self.last.h


def encoded_game(events: Sequence[Event], *, bots: Sequence[str | None] | None = None) -> Encoded:
    """A whole game as a bulk simulation writes it, of at least two events (FORMAT 2)."""
    first = Line(0, events[0], bots=UNSET if bots is None else tuple(bots))
    last = Line(len(events) - 1, events[-1])
    # Events encoded together, and what is around them put in between: in half the time of lines.
    bodies = encode_lines(events[1:-1]).split(b"\n")
    del bodies[-1]
    pieces = [b"}\n"] * (3 * len(bodies))
    pieces[0::3] = _heads(len(bodies))
    pieces[1::3] = bodies
    before = b"".join((encode_lines((first,)), *pieces))
    end, seal = seal_line(NO_SEAL, before, last)
    return Encoded(before + end, first, Line(last.n, last.ev, h=seal), bodies)


def _heads(number: int) -> list[bytes]:
    """What stands before the event in so many lines from ``n`` 1."""
    known = _first_heads()
    return [*known[:number], *map(_head, range(len(known) + 1, number + 1))]


def _head(n: int) -> bytes:
    return b'{"n":%d,"ev":' % n


@cache
def _first_heads() -> list[bytes]:
    return list(map(_head, range(1, 2001)))


def encode_game(events: Sequence[Event], *, bots: Sequence[str | None] | None = None) -> bytes:
    """The bytes of a whole game, sealed on its last line only (FORMAT 2)."""
    if len(events) < 2:
        return seal_block(NO_SEAL, game_lines(events, bots=bots))[0]
    return encoded_game(events, bots=bots).data


class LogWriter:
    """A log that is being written; made by :func:`create_log` and :func:`open_log`.

    Attributes:
        path: the file.
        n: how many events of the game are committed.
        seal: the last seal.
    """

    def __init__(self, path: Path, handle: int, size: int, n: int, seal: str) -> None:
        self.path = path
        self.n = n
        self.seal = seal
        self._handle = handle
        self._size = size  # committed bytes of the file
        self._broken = False

    def append(
        self,
        events: Sequence[Event],
        *,
        at: int | None = None,
        bots: Sequence[str | None] | None = None,
        origin: Origin | None = None,
    ) -> None:
        """Write events as one block with one seal; on the disk when this returns.

        Raises:
            LogChanged: somebody replaced, shortened or lengthened the file meanwhile.
            LogError: the disk is full or the like; the file is as it was before.
        """
        self._check_unchanged()
        lines = game_lines(events, first=self.n, at=at, bots=bots, origin=origin)
        data, seal = seal_block(self.seal, lines)
        try:
            os.lseek(self._handle, self._size, os.SEEK_SET)
            write_all(self._handle, data)
            os.fsync(self._handle)
        except OSError as error:
            self._undo()
            raise LogError(
                f"{log_error(self.path, error, 'write')}; nothing that was there is lost: make "
                "room or mend it, then go on with tenlog resume"
            ) from None
        self._size += len(data)
        self.n += len(events)
        self.seal = seal
        if isinstance(events[-1], GameFinished):
            self.forget_seed()

    def _undo(self) -> None:
        """Cut off what a failed write may have left; readers would ignore it anyway."""
        with contextlib.suppress(OSError):
            os.ftruncate(self._handle, self._size)
            os.fsync(self._handle)

    def _check_unchanged(self) -> None:
        try:
            ours = os.fstat(self._handle)
            named = self.path.stat()
        except OSError as error:
            raise LogChanged(
                f"{self.path} went away while it was being written ({error})"
            ) from None
        if (ours.st_dev, ours.st_ino) != (named.st_dev, named.st_ino):
            raise LogChanged(f"{self.path} was replaced while it was being written")
        if ours.st_size != self._size:
            how = "shortened" if ours.st_size < self._size else "written to by something else"
            raise LogChanged(
                f"{self.path} was {how} while it was being written: it has {ours.st_size} bytes, "
                f"not {self._size}; check it with tenlog audit"
            )

    def forget_seed(self) -> None:
        """Remove the seed that was kept beside a sealed game, once the game is finished."""
        with contextlib.suppress(FileNotFoundError):
            seed_path(self.path).unlink()

    def close(self) -> None:
        """Give the lock back."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def __enter__(self) -> LogWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def create_log(
    path: Path,
    events: Sequence[Event],
    *,
    seed: str | None = None,
    bots: Sequence[str | None] | None = None,
    origin: Origin | None = None,
    at: int | None = None,
) -> LogWriter:
    """A new log that begins with ``events`` (GameStarted first), locked and on the disk.

    ``seed`` is kept beside the log where the game is sealed. The log appears under its name only
    when it is whole.

    Raises:
        LogError: the file is there already, or cannot be written.
    """
    start = events[0]
    assert isinstance(start, GameStarted)
    sealed = start.seed is None and not isinstance(events[-1], GameFinished)
    data, seal = seal_block(NO_SEAL, game_lines(events, at=at, bots=bots, origin=origin))
    if sealed and seed is None:
        raise LogError("a sealed game needs its seed")
    with making(path) as new:
        if sealed:
            new.keep_seed(f"{seed}\n")
        new.open()
        write_all(new.handle, data)
        new.link()
    return LogWriter(path, new.handle, len(data), len(events), seal)


def save_log(path: Path, games: Iterable[bytes]) -> None:
    """A new log of whole games, such as :func:`encode_game` gives; on the disk when this returns,
    and under its name only when it is whole.

    Raises:
        LogError: the file is there already, or cannot be written.
    """
    with making(path) as new:
        new.open()
        for data in games:
            write_all(new.handle, data)
        new.link()
    os.close(new.handle)


def open_log(path: Path) -> tuple[LogWriter, GameLog]:
    """The last game of a log, to go on with: locked, its torn tail put aside and cut off.

    The tail's bytes are kept in ``<log>.torn``. The game itself is not judged here.

    Raises:
        LogLocked: somebody else is writing it.
        LogError: it cannot be read or written, is compressed, or has no game.
    """
    try:
        handle = open_handle(path, os.O_RDWR)
    except OSError as error:
        raise log_error(path, error, "write to") from None
    try:
        lock(handle, path)
        log: GameLog | None = None
        for log in read_games(path):  # noqa: B007 - the last one is wanted
            pass
        if log is None:
            raise LogError(f"{path} has no game in it")
        if not log.committed and log.fault is None:
            # Whatever this file is, it is left as it is.
            raise LogError(
                f"{path} has no game to go on with: its last one was cut in its first line"
            )
        size = log.text.offset + log.committed
        # What has a fault is not written to, and may have been read in part only.
        if log.fault is None and os.fstat(handle).st_size != log.text.offset + len(log.text.data):
            raise LogError(f"{path} can't be written to: it is compressed, or is being changed")
        if log.fault is None and log.tail:
            _put_aside(path, log.tail)
            os.ftruncate(handle, size)
            os.fsync(handle)
        if log.fault is None and log.committed and log.text.data[log.committed - 1] != ord("\n"):
            # Sealed, so committed; only its newline was cut.
            os.lseek(handle, size, os.SEEK_SET)
            write_all(handle, b"\n")
            os.fsync(handle)
            size += 1
    except OSError as error:
        os.close(handle)
        raise log_error(path, error, "write to") from None
    except BaseException:
        os.close(handle)
        raise
    return LogWriter(path, handle, size, len(log.lines), log.seal), log


def _put_aside(path: Path, tail: bytes) -> None:
    """Keep the bytes in ``<log>.torn``; the log is only cut once they are on the disk."""
    torn = path.with_name(path.name + ".torn")
    try:
        # A link may lead to anything, which is then written to.
        handle = open_handle(torn, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, MODE)
        try:
            write_all(handle, tail)
            os.fsync(handle)
        finally:
            os.close(handle)
        sync_folder(path.parent)
    except OSError as error:
        raise LogError(
            f"{log_error(torn, error, 'write')}; it is for the torn end of {path.name}, which is "
            "left as it is: move it away, or mend it"
        ) from None
