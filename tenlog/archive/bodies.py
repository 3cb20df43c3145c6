"""What lines say besides their number, each once: a game as numbers of such bodies.

Lines repeat each other: of a million, an eighth is new. So a game is taken apart by splitting its
bytes and looking up what is between, and only what is looked up has to be read. Nothing is lost by
it: a game of the numbers that it was given is, byte for byte, the game that was taken apart.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import chain, count, islice
from typing import Final

from tenlog.log.read import LEAST_LINE

STARTED, FINISHED = 0, 1  # the numbers of the first and the last line of every game, whatever it is

_FIRST_AND_LAST: Final = (b'{"type":"GameStarted"}', b'{"type":"GameFinished"}')
_EVENT: Final = b',"ev":'
LONGEST: Final = 6000  # bytes of a body; the largest deck has 1000 cards, which take 5000
_OVERHEAD: Final = 200  # bytes of memory that a body takes besides its own
_USUAL: Final = 500  # bytes of a body; more are lists, which as columns take
_TIMES: Final = 8  # times as much
_KNOWN: Final = 10_000  # lines of a game, of which few have as many


def _end(number: int) -> bytes:
    return b'}\n{"n":%d' % number


@cache
def _ends() -> list[bytes]:
    """What stands behind the bodies of the lines ``n`` 1, 2 … of most games."""
    return [_end(number) for number in range(2, _KNOWN + 2)]


class Otherwise(Exception):
    """Lines that are not a number and an event each: why."""


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
        if most * LEAST_LINE > len(lines):
            raise Otherwise("lines are too short")
        first, *pieces = lines.split(_EVENT, most + 1)
        if first != b'{"n":1' or len(pieces) != most or lines.count(b"\n") != most:
            raise Otherwise("lines don't hold one event each")
        # What has not the end that is due keeps its own. That is no body if it has a newline, and
        # if it has none, there are fewer newlines than pieces.
        ends = _ends() if most <= _KNOWN else chain(_ends(), map(_end, count(_KNOWN + 2)))
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
            try:
                _check(new)
            except Otherwise:
                for body in new:
                    del known[body]
                self._number_from(len(self.texts))
                raise
            self.texts += new
            self.size += sum(map(len, new)) + _OVERHEAD * len(new)
            self.size += _TIMES * sum(len(body) for body in new if len(body) > _USUAL)
        return numbers


def _check(texts: Sequence[bytes]) -> None:
    """Raises:
    Otherwise: some texts are not one line each that ends as an event does, or are longer than any
        event, or stand for the first or the last line of a game.
    """
    lines = b"\n".join([*texts, b""])
    if not lines.count(b"\n") == lines.count(b"}\n") == len(texts):
        raise Otherwise("a line holds no event")
    if len(lines) > LONGEST and max(map(len, texts)) > LONGEST:
        raise Otherwise(f"an event takes more than {LONGEST} bytes, as none with the largest deck")
    if any(text in texts for text in _FIRST_AND_LAST):
        raise Otherwise("a game starts or ends in the middle of another one")
