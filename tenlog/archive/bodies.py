"""What lines say besides their number, each once: a game as numbers of such bodies.

Lines repeat each other: of a million, a tenth is new. So a game is taken apart by splitting its
bytes and looking up what is between, and only what is looked up has to be read. Nothing is lost by
it: a game of the numbers that it was given is, byte for byte, the game that was taken apart.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain, count, islice
from typing import Final

STARTED, FINISHED = 0, 1  # the numbers of the first and the last line of every game, whatever it is

_FIRST_AND_LAST: Final = (b'{"type":"GameStarted"}', b'{"type":"GameFinished"}')
_EVENT: Final = b',"ev":'
_OVERHEAD: Final = 200  # bytes of memory that a body takes besides its own
_KNOWN: Final = 10_000  # lines of a game, of which few have as many


def _end(number: int) -> bytes:
    return b'}\n{"n":%d' % number


_ENDS: Final = [_end(number) for number in range(2, _KNOWN + 2)]


class Otherwise(Exception):
    """Lines that are not a number and an event each."""


class Bodies:
    """Bodies (the bytes of an event, if they are good) and their numbers, in the order in which
    they came.

    Attributes:
        texts: all of them, by their numbers.
        size: how many bytes of memory they take, roughly.
    """

    def __init__(self) -> None:
        self.texts = [*_FIRST_AND_LAST]
        self.size = 0
        self._numbers: defaultdict[bytes, int] = defaultdict()
        self._number_from(len(self.texts))

    def _number_from(self, first: int) -> None:
        self._numbers.default_factory = count(first).__next__

    def of_lines(self, lines: bytes, most: int) -> list[int]:
        """The numbers of lines that have no metadata, which are the ``n`` 1 … ``most``.

        ``lines`` is all of them and how the next one begins, up to the end of its number.

        Raises:
            Otherwise: they are not such lines.
        """
        first, *pieces = lines.split(_EVENT)
        if first != b'{"n":1' or len(pieces) != most:
            raise Otherwise
        # Whatever has not the end that is due keeps what it has instead, and is no body.
        ends = _ENDS if most <= _KNOWN else chain(_ENDS, map(_end, count(_KNOWN + 2)))
        return self.of(map(bytes.removesuffix, pieces, ends))

    def of(self, bodies: Iterable[bytes]) -> list[int]:
        """The numbers of some bodies.

        Raises:
            Otherwise: they are no bodies.
        """
        known = self._numbers
        before = len(known)
        numbers = list(map(known.__getitem__, bodies))
        if len(known) > before:
            new = list(islice(reversed(known), len(known) - before))
            new.reverse()
            if not _are_bodies(new):
                for body in new:
                    del known[body]
                self._number_from(len(self.texts))
                raise Otherwise
            self.texts += new
            self.size += sum(map(len, new)) + _OVERHEAD * len(new)
        return numbers


def _are_bodies(texts: Sequence[bytes]) -> bool:
    """Whether each of some texts is one line, ends as an event does, and is not what stands for the
    first or the last line of a game."""
    lines = b"\n".join([*texts, b""])
    return lines.count(b"\n") == lines.count(b"}\n") == len(texts) and not any(
        text in texts for text in _FIRST_AND_LAST
    )
