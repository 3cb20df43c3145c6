"""The lines of a game: its first and last one, its seals, and where the others are.

The first and the last line are read here, and every seal is computed anew. What stands between is
not looked at one by one: it goes into a part as columns, and the part is only good if each line
comes back from them byte for byte (:mod:`tenlog.archive.fill`). Where one does not,
:func:`check_strictly` says why.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from msgspec import UNSET

from tenlog.game.events import Event, GameFinished, GameStarted
from tenlog.game.start import check_start
from tenlog.log.codec import LATEST, NO_SEAL, SEAL_KEY, CodecError, Line, decode_line, seal_of
from tenlog.log.read import read_game
from tenlog.log.source import GameText

# What may stand behind the event of a line, up to its end. The first line also says who the bots
# are, and what game it branched off.
_METADATA = re.compile(rb'\}(?:,"at":([0-9]{1,16}))?(?:,"h":"([0-9a-f]{32})")?\}$')

_BARE: Final = b"}}\n"  # how a line ends that has no metadata


class NotKept(Exception):
    """A game that the archive can't hold: why, in the words of the log's faults."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Taken(NamedTuple):
    """A game taken apart.

    Attributes:
        first, last: these lines.
        start, stop: where the lines between them are.
        events: how many lines there are in all.
        told: whether a line says more than its event, besides the seal of the last one.
        started, finished: the first and the last moment that is told, if any is.
    """

    first: Line
    last: Line
    start: int
    stop: int
    events: int
    told: bool
    started: int | None
    finished: int | None


def take(data: bytes, judged: bool = False) -> Taken:
    """The parts of a game. Of one that was ``judged`` by the rules, how it starts and its seals are
    known to be good.

    Raises:
        NotKept: its first or its last line is not good, or a seal is wrong.
        CodecError: its first or its last line can't be read.
    """
    start = data.find(b"\n") + 1
    stop = data.rfind(b"\n", 0, len(data) - 1) + 1
    if not data.endswith(b"\n") or not start or not stop:
        raise NotKept("torn", "the game does not end with a newline")
    first, last = decode_line(data[: start - 1]), decode_line(data[stop:-1])
    count = last.n + 1
    _check_ends(first, last, judged)
    if b"\r" in data:
        raise NotKept("not-canonical", "a line holds a carriage return")
    if data.count(b"\n") != count:
        raise NotKept("bad-sequence", f"the last line has n {last.n}, which is not its place")
    bare = data.count(_BARE, start, stop) == count - 2
    if bare and first.at is UNSET and first.h is UNSET and last.at is UNSET:
        if not judged and seal_of(NO_SEAL, data[: data.rindex(SEAL_KEY)]) != last.h:
            raise NotKept("bad-seal", "the seal of the last line is wrong")
        return Taken(first, last, start, stop, count, False, None, None)
    moments = [moment for moment in _moments(data, first) if moment is not None]
    ends = (moments[0], moments[-1]) if moments else (None, None)
    return Taken(first, last, start, stop, count, True, *ends)


def _moments(data: bytes, first: Line) -> list[int | None]:
    """When each line was played. Its seal, if it has one, is computed anew."""
    moments: list[int | None] = []
    previous, sealed = NO_SEAL, 0  # the last seal, and where what the next one is over begins
    begin = 0
    for n, line in enumerate(data.splitlines(keepends=True)):
        end = begin + len(line)
        if n == 0:
            moments.append(None if first.at is UNSET else first.at)
            seal = None if first.h is UNSET else first.h.encode()
        else:
            found = _METADATA.search(line)
            if found is None:
                raise NotKept("not-json", f"line {n} of the game does not end as a line does")
            at, seal = found.groups()
            moments.append(None if at is None else int(at))
            if at is not None and int(at) > LATEST:
                raise NotKept("bad-shape", f"the moment of line {n} is beyond 2^53 ms")
        if seal is not None:
            due = seal_of(previous, data[sealed : begin + line.rindex(SEAL_KEY)])
            if due.encode() != seal:
                raise NotKept("bad-seal", f"the seal of line {n} is wrong")
            previous, sealed = due, end
        begin = end
    return moments


def _check_ends(first: Line, last: Line, judged: bool) -> None:
    """The first and the last line, as far as they must be right for a game to be kept at all."""
    start, end = first.ev, last.ev
    if not isinstance(start, GameStarted) or first.n != 0:
        raise NotKept("no-start", "a game starts with GameStarted")
    if not isinstance(end, GameFinished):
        raise NotKept("unfinished", "the game is not finished")
    if last.bots is not UNSET or last.origin is not UNSET:
        raise NotKept("bad-metadata", "bots and from stand on the first line alone")
    if last.h is UNSET:
        raise NotKept("missing-seal", "the last line of a finished game needs a seal")
    refused = None if judged else check_start(start)
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


def check_strictly(data: bytes) -> None:
    """Read each line of a game by itself.

    Raises:
        NotKept: one is not as it should be, so that the game would not come back from its columns.
    """
    log = read_game(GameText(data, 1, 0))
    if log.fault is not None:
        raise NotKept(log.fault.code, log.fault.message)
    start = log.events[0]
    assert isinstance(start, GameStarted)
    seats = len(start.players)
    for event in log.events[1:-1]:
        if isinstance(event, GameStarted | GameFinished):
            name = type(event).__name__
            raise NotKept("bad-sequence", f"{name} stands in the middle of the game")
        if not _names_seats(event, seats):
            raise NotKept("bad-seat", f"an event names seats that the game of {seats} has not")


def _names_seats(event: Event, seats: int) -> bool:
    gains = getattr(event, "gains", None)
    return getattr(event, "seat", 0) < seats and (gains is None or len(gains) == seats)


def taken_strictly(data: bytes) -> Taken:
    """The parts of a game of which nobody has read the lines.

    Raises:
        NotKept: a line of it is not good.
    """
    try:
        taken = take(data)
    except CodecError as error:
        raise NotKept(error.code, str(error)) from None
    check_strictly(data)
    return taken
