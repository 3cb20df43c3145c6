"""What is added in one go: a stretch of a large log, or some small ones.

How files are cut follows from their sizes and kinds alone, never from the number of processes; so
what becomes of them does not depend on it either.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from tenlog.log.paths import Source
from tenlog.log.pieces import Piece, pieces_of

LEAST: Final = 12 << 20  # bytes of logs; a part of fewer costs more than it is worth
MOST: Final = 48 << 20  # 700,000 events or so: more of them need more memory
_SHARES: Final = 4  # how many chunks there are of little, so that several processes have some
_FILES: Final = 1000
_SHRUNK: Final = 12  # how many times smaller a compressed log is, or so
_PACKED: Final = (b".gz", b".zst")


class Chunk(msgspec.Struct, frozen=True):
    """Some pieces of files: one of a file that is cut, or files as a whole.

    Attributes:
        number: from 0, in the order of the files.
        pieces: what is to be read.
        size: how many bytes of logs that is, or so.
    """

    number: int
    pieces: tuple[Piece, ...]
    size: int


def log_size(source: Source) -> int:
    """How many bytes of logs a file has, or so: it is not opened."""
    return source.size * (_SHRUNK if source.path.endswith(_PACKED) else 1)


def chunks_of(sources: Sequence[Source]) -> Iterator[Chunk]:
    """The chunks of some files, in order."""
    total = sum(map(log_size, sources))
    size = min(MOST, max(LEAST, -(-total // _SHARES)))
    for number, pieces in enumerate(_grouped(sources, size)):
        sizes = [log_size(piece.source) if piece.whole else piece.size for piece in pieces]
        yield Chunk(number, tuple(pieces), sum(sizes))


def _grouped(sources: Sequence[Source], size: int) -> Iterator[list[Piece]]:
    """Pieces that are done together, of about ``size`` bytes."""
    group: list[Piece] = []
    room = size
    for source in sources:
        cuts = max(1, -(-source.size // size))
        pieces = list(pieces_of(source, -(-source.size // cuts)))
        more = log_size(source)
        if group and (len(pieces) > 1 or room < more / 2 or len(group) >= _FILES):
            yield group
            group, room = [], size
        if len(pieces) > 1:
            yield from ([piece] for piece in pieces)
        else:
            group += pieces
            room -= more
    if group:
        yield group
