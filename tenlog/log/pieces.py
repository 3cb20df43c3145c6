"""A file in pieces that can be read apart: each has the games that begin in it.

Whether a game begins somewhere is told by the bytes there alone, so pieces need nothing of each
other but the number of lines before them, which is known when those are done. The cuts do not
depend on how many processes there are; so what is said of a file does not either.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, BinaryIO, Final, cast

import msgspec

from tenlog.errors import LogError
from tenlog.log.codec import START
from tenlog.log.opening import open_handle
from tenlog.log.paths import Source
from tenlog.log.source import BLOCK, GameText, log_error, open_source, split_games, unpacked

_BOUNDARY: Final = b"\n" + START
_PACKED: Final = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")


class Piece(msgspec.Struct, frozen=True):
    """Some of a file: the games that begin at bytes ``first`` … ``last`` − 1; or the ``whole`` of
    it, which is small, or compressed, or standard input, and is not cut."""

    source: Source
    first: int
    last: int
    whole: bool = False

    @property
    def size(self) -> int:
        """How many bytes of the file it is."""
        return self.last - self.first


def pieces_of(source: Source, size: int) -> Iterator[Piece]:
    """The pieces of a file, of ``size`` bytes and the last of fewer, in order. What can't be
    opened is one piece: who reads that hears why."""
    if source.pipe or source.size <= size or _is_stream(source):
        yield Piece(source, 0, source.size, True)
        return
    for first in range(0, source.size, size):
        yield Piece(source, first, min(first + size, source.size))


def _is_stream(source: Source) -> bool:
    """Whether a file can only be read from its start to its end, if at all."""
    try:
        with open_regular(source) as file:
            return file.read(4).startswith(_PACKED)
    except (LogError, OSError):
        return True


@contextmanager
def open_regular(source: Source) -> Iterator[BinaryIO]:
    """The file that was found, unbuffered; never anything else that stands in its place by now.

    Raises:
        LogError: it cannot be opened, or is not the same file any more.
    """
    try:
        handle = open_handle(source.path)
    except (OSError, ValueError) as error:
        raise log_error(source.label, error) from None
    with os.fdopen(handle, "rb", buffering=0) as file:
        info = os.fstat(handle)
        if (info.st_dev, info.st_ino) != (source.device, source.inode):
            raise LogError(f"can't read {source.label}: it is another file by now")
        yield cast(BinaryIO, file)


class _Window:
    """A file up to the size that it had when it was found: what is appended since is left for the
    next time."""

    def __init__(self, file: BinaryIO, source: Source) -> None:
        self._file = file
        self._source = source
        self.position = 0

    def seek(self, position: int) -> None:
        self._file.seek(position)
        self.position = position

    def read(self, size: int) -> bytes:
        wanted = min(size, self._source.size - self.position)
        if wanted <= 0:
            return b""
        block = self._file.read(wanted)
        if not block:
            raise LogError(f"can't read {self._source.label}: it was shortened meanwhile")
        self.position += len(block)
        return block

    def boundary(self, start: int, stop: int) -> tuple[int, int] | None:
        """Where the next game begins, at ``start`` + 1 or later but before ``stop``, and how many
        lines end before it."""
        self.seek(start)
        buffer = b""
        base = start
        lines = 0
        while base < stop - 1:
            block = self.read(BLOCK)
            buffer += block
            at = buffer.find(_BOUNDARY)
            if at >= 0:
                begin = base + at + 1
                return (begin, lines + buffer.count(b"\n", 0, at + 1)) if begin < stop else None
            if not block:
                return None
            keep = max(0, len(buffer) - len(_BOUNDARY) + 1)
            lines += buffer.count(b"\n", 0, keep)
            base += keep
            buffer = buffer[keep:]
        return None


class Games:
    """The games of a piece; after the last one, ``lines`` is how many lines the piece has."""

    def __init__(self, piece: Piece) -> None:
        self._piece = piece
        self.lines = 0

    def __iter__(self) -> Iterator[GameText]:
        piece = self._piece
        if piece.source.pipe:
            with open_source(piece.source.pipe) as stream:
                yield from split_games(stream)
            return
        try:
            with open_regular(piece.source) as file:
                if piece.whole:
                    yield from self._all(file)
                else:
                    yield from self._some(_Window(file, piece.source))
        except OSError as error:
            raise log_error(piece.source.label, error) from None

    def _all(self, file: BinaryIO) -> Iterator[GameText]:
        window = _Window(file, self._piece.source)
        head = window.read(4)
        window.seek(0)
        if head.startswith(_PACKED):
            with unpacked(file, self._piece.source.label) as stream:
                yield from split_games(stream)
        else:
            yield from split_games(cast(IO[bytes], window))

    def _some(self, window: _Window) -> Iterator[GameText]:
        piece = self._piece
        start = 0
        if piece.first:
            found = window.boundary(piece.first - 1, piece.last)
            if found is None:
                return
            start = found[0]
        window.seek(start)
        for text in split_games(cast(IO[bytes], window)):
            if start + text.offset >= piece.last:
                self.lines = text.line - 1
                return
            yield GameText(text.data, text.line, start + text.offset, text.too_long)
        if window.position < piece.source.size:
            # A line without end was given up. What lies behind it belongs to other pieces.
            behind = window.boundary(start, piece.source.size)
            while behind is not None and behind[0] < piece.last:
                self.lines += behind[1]
                behind = window.boundary(behind[0], piece.source.size)
            self.lines += behind[1] if behind is not None else 0
