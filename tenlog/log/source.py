"""Where bytes come from: files, compressed files, standard input; cut into games as a stream."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO, Final

import msgspec

from tenlog.errors import LogError
from tenlog.log.codec import MAX_GAME, MAX_LINE, START
from tenlog.log.opening import open_to_read

if TYPE_CHECKING:
    from io import BufferedIOBase

BLOCK: Final = 1 << 20
GIVE_UP: Final = 1 << 30  # bytes of one line that are skipped before the rest is left unread
EXPANSION: Final = 200  # how many times larger than its compressed bytes a log may be
EXPANDS_FREELY: Final = 1 << 28  # bytes that are not asked about
_BOUNDARY: Final = b"\n" + START

_GZIP: Final = b"\x1f\x8b"
_ZSTD: Final = b"\x28\xb5\x2f\xfd"


class GameText(msgspec.Struct, frozen=True):
    """The bytes of one game as they stand in a file.

    Attributes:
        data: the bytes; at most MAX_GAME of them (and a line).
        line: the number of the first line in the file, from 1.
        offset: the offset of the first byte in the (uncompressed) file.
        too_long: what was too long to be kept (``data`` are then the lines before it), or None.
    """

    data: bytes
    line: int
    offset: int
    too_long: str | None = None


def log_error(path: object, error: BaseException, verb: str = "read") -> LogError:
    """What went wrong with a file, for people."""
    reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return LogError(f"can't {verb} {path}: {reason[:1].lower() + reason[1:]}")


@contextmanager
def open_source(path: str | Path) -> Iterator[IO[bytes]]:
    """The bytes of a log: ``-`` is standard input; gzip and zstd are known by their first bytes.

    Raises:
        LogError: it cannot be opened, or (while reading) cannot be decompressed.
    """
    if str(path) == "-":
        if sys.stdin is None:
            raise LogError("can't read standard input: it is closed")
        with unpacked(sys.stdin.buffer, "standard input") as stream:
            yield stream
        return
    try:
        file = open_to_read(path, piped=True)
    except (OSError, ValueError) as error:
        raise log_error(path, error) from None
    with file, unpacked(file, str(path)) as stream:
        yield stream


@contextmanager
def unpacked(raw: BinaryIO, name: str) -> Iterator[IO[bytes]]:
    """An open file or pipe as the bytes of a log; gzip and zstd are known by their first bytes.

    Raises:
        LogError: while reading: it cannot be read or decompressed.
    """
    import io

    buffered = raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(raw)  # type: ignore[type-var]
    try:
        head = buffered.peek(4)[:4]
        if head.startswith(_GZIP):
            import gzip

            packed = _Counted(buffered)
            with gzip.GzipFile(fileobj=packed) as stream:  # type: ignore[call-overload]
                yield _Bounded(stream, packed)  # type: ignore[misc]
        elif head == _ZSTD:
            packed = _Counted(buffered)
            with zstd_module().open(packed) as stream:
                yield _Bounded(stream, packed)  # type: ignore[misc]
        else:
            yield buffered
    except (OSError, EOFError) as error:
        raise log_error(name, error) from None
    except Exception as error:
        # zlib.error and ZstdError share no root, and their modules are loaded only where needed.
        if type(error).__name__ in ("error", "ZstdError"):
            raise log_error(name, error) from None
        raise


class _Counted:
    """A compressed stream that says how much of it was read."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self.count = 0

    def read(self, size: int = -1) -> bytes:
        block = self._stream.read(size)
        self.count += len(block)
        return block


class _Bounded:
    """What a compressed stream expands to, so that a small file can't keep anybody busy for days.
    Logs shrink 10 to 20 times. All that comes before something that is wrong is read first."""

    def __init__(self, stream: BufferedIOBase, packed: _Counted) -> None:
        self._stream = stream
        self._packed = packed
        self._count = 0
        self._wrong: Exception | None = None

    def read(self, size: int) -> bytes:
        if self._wrong is not None:
            raise self._wrong
        block = bytearray()
        try:
            while len(block) < size and (more := self._stream.read1(size - len(block))):
                block += more
        except Exception as error:
            if not block:
                raise
            self._wrong = error
        self._count += len(block)
        if self._count > EXPANDS_FREELY + EXPANSION * self._packed.count:
            raise OSError(f"it expands more than {EXPANSION} times, as no log does")
        return bytes(block)


def zstd_module() -> Any:
    """The standard library's zstd from Python 3.14, before that its backport."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd


def split_games(stream: IO[bytes]) -> Iterator[GameText]:
    """The games of a stream, one after another; memory does not grow with their number.

    A game begins with a line that begins like every GameStarted with ``n`` 0; bytes before the
    first such line are a piece of their own. No bytes give no games.
    """
    buffer = b""
    searched = 0  # no boundary begins before this
    line, offset = 1, 0
    more = True
    while more:
        block = stream.read(BLOCK)
        more = bool(block)
        buffer += block
        begin = 0
        while (at := buffer.find(_BOUNDARY, searched)) >= 0:
            data = buffer[begin : at + 1]
            long = _too_long(data)
            yield (
                GameText(data, line, offset)
                if long is None
                else GameText(data[: long[0]], line, offset, long[1])
            )
            line += data.count(b"\n")
            offset += len(data)
            begin = searched = at + 1
        if begin:
            buffer = buffer[begin:]
        searched = max(0, len(buffer) - len(_BOUNDARY) + 1)
        long = _too_long(buffer)
        if long is not None:
            yield GameText(buffer[: long[0]], line, offset, long[1])
            rest = bytearray(buffer)
            skipped = _skip(stream, rest)
            if skipped is None:
                return
            line += skipped[0]
            offset += skipped[1]
            buffer = bytes(rest)
            searched = 0
            more = True  # what is left may hold whole games, also where the stream has ended
    if buffer:
        yield GameText(buffer, line, offset)


def _too_long(data: bytes) -> tuple[int, str] | None:
    """Where the good lines of a game end before a line that is too long, or before the game is;
    None if neither is. The same, however the bytes came in."""
    size = len(data)
    if size <= MAX_LINE:
        return None
    start = 0
    while size - start > MAX_LINE and start < MAX_GAME:
        # All lines up to the last newline of this stretch are short enough.
        newline = data.rfind(b"\n", start, start + MAX_LINE)
        if newline < 0:
            return start, f"a line is longer than {MAX_LINE >> 20} MiB"
        start = newline + 1
    if size > MAX_GAME:
        kept = data.rfind(b"\n", 0, MAX_GAME) + 1
        return kept, f"the game is longer than {MAX_GAME >> 20} MiB"
    return None


def _skip(stream: IO[bytes], buffer: bytearray) -> tuple[int, int] | None:
    """Drop bytes up to the next game; returns the lines and bytes dropped, or None at the end of
    the stream or where a single line goes on without end. ``buffer`` is left at the new game."""
    lines = count = since_newline = 0
    while True:
        at = buffer.find(_BOUNDARY)
        cut = at + 1 if at >= 0 else max(0, len(buffer) - len(_BOUNDARY) + 1)
        dropped = buffer[:cut]
        newlines = dropped.count(b"\n")
        lines += newlines
        count += cut
        since_newline = 0 if newlines else since_newline + cut
        del buffer[:cut]
        if at >= 0:
            return lines, count
        if since_newline > GIVE_UP:
            return None
        block = stream.read(BLOCK)
        if not block:
            return None
        buffer += block
