"""The lines of a game, every byte of them accounted for: heads, bodies, metadata, seals.

A line is a head (``{"n":7,"ev":``), a body (the event) and what closes it. Heads follow from the
place, seals from what stands before them; so a game is its bodies, the moments that it was played
at, and where its seals are. Whatever does not come out of these byte for byte is refused.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from msgspec import UNSET

from tenlog.game.events import GameFinished, GameStarted
from tenlog.game.start import check_start
from tenlog.log.codec import NO_SEAL, SEAL_KEY, Line, decode_line, seal_of

_LINES: Final = 1024  # heads of lines that are prepared at first

# What may stand between the body of a line and its end.
_METADATA = re.compile(rb'\}(?:,"at":([0-9]+))?(?:,"h":"([0-9a-f]{32})")?\}$')
# The first line also says who the bots are, and what game it branched off.


class NotKept(Exception):
    """A game that the archive can't hold: why, in the words of the log's faults."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Taken(NamedTuple):
    """A game's lines without their metadata."""

    first: Line
    last: Line
    keys: list[bytes]  # of the events between the first and the last one
    moments: list[int | None] | None  # of all lines; None if no line has one
    seals: list[bool] | None  # of all lines; None if only the last one has one


def _heads(count: int) -> list[bytes]:
    return [b'{"n":%d,"ev":' % n for n in range(count)]


class Taker:
    """Takes games apart; keeps the heads of lines between them."""

    def __init__(self) -> None:
        self._heads = _heads(_LINES)

    def take(self, data: bytes) -> Taken:
        """The lines of a game, every byte accounted for: each line is its head and a body; where
        there is metadata, it is put together again from head, body and metadata, and compared."""
        lines = data.split(b"\n")
        if lines.pop() != b"" or len(lines) < 2:
            raise NotKept("torn", "the game does not end with a newline")
        count = len(lines)
        while count > len(self._heads):
            self._heads = _heads(2 * len(self._heads))
        first, last = decode_line(lines[0]), decode_line(lines[-1])
        _check_ends(first, last, count)
        middle, heads = lines[1:-1], self._heads[1 : count - 1]
        # A line without its head stays as long as it is, which the sum below tells.
        keys = list(map(bytes.removeprefix, middle, heads))
        if (
            b',"at":' not in data
            and data.count(SEAL_KEY) == 1
            and sum(map(len, keys)) + sum(map(len, heads)) == sum(map(len, middle))
        ):
            cut = len(data) - len(SEAL_KEY) - 32 - len('"}\n')
            if seal_of(NO_SEAL, data[:cut]) != last.h:
                raise NotKept("bad-seal", "the seal of the last line is wrong")
            return Taken(first, last, keys, None, None)
        return self._take_with_metadata(lines, first, last)

    def _take_with_metadata(self, lines: list[bytes], first: Line, last: Line) -> Taken:
        keys: list[bytes] = []
        moments: list[int | None] = []
        seals: list[bool] = []
        previous, before = NO_SEAL, b""
        final = len(lines) - 1
        # On the first line, which was decoded as a whole, other metadata stands between the moment
        # and the seal.
        for n, line in enumerate(lines):
            if n == 0:
                moments.append(None if first.at is UNSET else first.at)
                seal = None if first.h is UNSET else first.h.encode()
            else:
                found = _METADATA.search(line)
                if found is None:
                    raise NotKept("not-json", f"line {n} of the game does not end as a line does")
                at, seal = found.groups()
                moments.append(None if at is None else int(at))
                if n < final:
                    head = self._heads[n]
                    body = line[len(head) : found.start() + 1]
                    again = head + body + line[found.start() + 1 :]
                    if again != line or (at is not None and b"%d" % int(at) != at):
                        raise NotKept("bad-sequence", f"line {n} of the game is not its line {n}")
                    keys.append(body + b"}")
            seals.append(seal is not None)
            if seal is None:
                before += line + b"\n"
                continue
            due = seal_of(previous, before + line[: line.rindex(SEAL_KEY)])
            if due.encode() != seal:
                raise NotKept("bad-seal", f"the seal of line {n} is wrong")
            previous, before = due, b""
        bulk = not any(seals[:-1])
        timed = any(at is not None for at in moments)
        return Taken(first, last, keys, moments if timed else None, None if bulk else seals)


def _check_ends(first: Line, last: Line, count: int) -> None:
    """The first and the last line, as far as they must be right for a game to be kept at all."""
    start, end = first.ev, last.ev
    if not isinstance(start, GameStarted) or first.n != 0:
        raise NotKept("no-start", "a game starts with GameStarted")
    if not isinstance(end, GameFinished):
        raise NotKept("unfinished", "the game is not finished")
    if last.n != count - 1:
        raise NotKept("bad-sequence", f"the last line must have n {count - 1}, not {last.n}")
    if last.h is UNSET:
        raise NotKept("missing-seal", "the last line of a finished game needs a seal")
    refused = check_start(start)
    if refused is not None:
        raise NotKept(refused.code, refused.message)
    seats = len(start.players)
    if len(end.scores) != seats:
        raise NotKept("bad-scores", f"{len(end.scores)} scores for {seats} players")
    bots = first.bots
    if bots is not UNSET and len(bots) != seats:
        raise NotKept("bad-metadata", "bots must say one thing for each seat")
    if not end.winners or any(seat >= seats for seat in end.winners):
        raise NotKept("bad-winners", f"winners {list(end.winners)} are not seats of the game")
