"""The lines of a game: its first and last one, its seals, and the bodies of the others.

The first and the last line are read here, and every seal is computed anew. What stands between is
looked up, and not read (:mod:`tenlog.archive.bodies`): what is found there goes into a part as
columns, and the part is only good if each comes back from them byte for byte
(:mod:`tenlog.archive.fill`). Where one does not, :func:`check_strictly` says why.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from typing import Final, NamedTuple

from msgspec import UNSET

from tenlog.archive.bodies import Bodies, Otherwise
from tenlog.game.events import (
    AuctionWon,
    Busted,
    CardBought,
    CurrencyTaken,
    Event,
    GameFinished,
    GameStarted,
    NumbersTaken,
)
from tenlog.game.start import check_start
from tenlog.log.codec import LATEST, NO_SEAL, SEAL_KEY, CodecError, Line, decode_line, seal_of
from tenlog.log.read import LEAST_LINE, read_game
from tenlog.log.source import GameText
from tenlog.log.store import Encoded

# What may stand behind the event of a line, up to its end. The first line also says who the bots
# are, and what game it branched off.
_METADATA = re.compile(rb'\}(?:,"at":(0|[1-9][0-9]{0,15}))?(?:,"h":"([0-9a-f]{32})")?\}\Z')

# What all events of a game may give or take, so that columns hold what seats have at its end. With
# the largest deck and supply it is less.
MOST_MOVED: Final = 1 << 30


class NotKept(Exception):
    """A game that the archive can't hold: why, in the words of the log's faults."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Told(NamedTuple):
    """What the lines of a game say besides their events.

    Attributes:
        moments: when each was played, ms since the Unix epoch; -1 where that is not told.
        sealed: for each, 1 if it carries a seal, else 0.
    """

    moments: array[int]
    sealed: bytearray


class Taken(NamedTuple):
    """A game taken apart.

    Attributes:
        first, last: these lines.
        start, stop: where the lines between them are.
        numbers: of the bodies of the lines between them.
        told: what its lines say more, if that is more than the seal of the last one.
    """

    first: Line
    last: Line
    start: int
    stop: int
    numbers: list[int]
    told: Told | None

    @property
    def events(self) -> int:
        """How many lines there are."""
        return len(self.numbers) + 2

    @property
    def span(self) -> tuple[int, int] | tuple[None, None]:
        """The first and the last moment that is told, if any is."""
        moments = [] if self.told is None else [at for at in self.told.moments if at >= 0]
        return (moments[0], moments[-1]) if moments else (None, None)


def take(data: bytes, bodies: Bodies, judged: bool = False) -> Taken:
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
    _check_ends(first, last, judged)
    if first.at is UNSET and first.h is UNSET and last.at is UNSET:
        try:
            behind = stop + len(b'{"n":%d' % last.n)
            numbers = bodies.of_lines(data[start:behind], last.n - 1)
        except Otherwise:
            pass  # lines may say more than an event
        else:
            if not judged and seal_of(NO_SEAL, data[: data.rindex(SEAL_KEY)]) != last.h:
                raise NotKept("bad-seal", "the seal of the last line is wrong")
            return Taken(first, last, start, stop, numbers, None)
    numbers, told = _told(data, first, last, bodies)
    return Taken(first, last, start, stop, numbers, told)


def taken_from(game: Encoded, bodies: Bodies) -> Taken:
    """The parts of a game that the engine made, and that was made into bytes here.

    Raises:
        NotKept: its first or its last event is not good, or one between is no game's.
    """
    _check_ends(game.first, game.last, judged=True)
    start = game.data.index(b"\n") + 1
    stop = game.data.rindex(b"\n", 0, -1) + 1
    return Taken(game.first, game.last, start, stop, _numbers_of(game.bodies, bodies), None)


def _told(data: bytes, first: Line, last: Line, bodies: Bodies) -> tuple[list[int], Told]:
    """The numbers of the bodies, and what each line says more. Its seal, if it has one, is computed
    anew.

    Raises:
        NotKept: a line is not of this form, or not in its place, or its seal is wrong.
    """
    events: list[bytes] = []
    told = Told(array("q"), bytearray())
    previous, sealed = NO_SEAL, 0  # the last seal, and where what the next one is over begins
    begin = 0
    if data.count(b"\n") != last.n + 1:
        raise NotKept("bad-sequence", f"the last line has n {last.n}, which is not its place")
    if last.n * LEAST_LINE > len(data):
        raise NotKept("not-json", "the lines of the game are too short to hold events")
    lines = data.split(b"\n")
    del lines[-1]
    for n, line in enumerate(lines):
        end = begin + len(line) + 1
        if n == 0 or n == last.n:
            ours = first if n == 0 else last
            at = -1 if ours.at is UNSET else ours.at
            seal = None if ours.h is UNSET else ours.h
        else:
            head = b'{"n":%d,"ev":' % n
            found = _METADATA.search(line)
            if found is None or not line.startswith(head):
                raise NotKept("not-json", f"line {n} of the game is not of the form of a line")
            at = -1 if found[1] is None else int(found[1])
            seal = None if found[2] is None else found[2].decode()
            events.append(line[len(head) : found.start() + 1])
        if at > LATEST:
            raise NotKept("bad-shape", f"the moment of line {n} is beyond 2^53 ms")
        told.moments.append(at)
        told.sealed.append(seal is not None)
        if seal is not None:
            due = seal_of(previous, data[sealed : begin + line.rindex(SEAL_KEY)])
            if due != seal:
                raise NotKept("bad-seal", f"the seal of line {n} is wrong")
            previous, sealed = due, end
        begin = end
    return _numbers_of(events, bodies), told


def _numbers_of(events: Sequence[bytes], bodies: Bodies) -> list[int]:
    """Raises:
    NotKept: some are no bodies.
    """
    try:
        return bodies.of(events)
    except Otherwise as error:
        raise NotKept("bad-shape", str(error)) from None


def joined(
    first: bytes, bodies: Bodies, numbers: Sequence[int], told: Told | None, last: bytes
) -> bytes:
    """A game that was taken apart: its first line, the numbers of the bodies between, what all
    lines say more, and its last line."""
    done: list[bytes] = []
    waiting = [first]  # what the next seal is over
    seal = NO_SEAL
    if told is not None and told.sealed[0]:
        seal = decode_line(first[:-1]).h or NO_SEAL
        done, waiting = waiting, []
    for n, number in enumerate(numbers, 1):
        waiting.append(b'{"n":%d,"ev":%b' % (n, bodies.texts[number]))
        if told is not None and told.moments[n] >= 0:
            waiting.append(b',"at":%d' % told.moments[n])
        if told is not None and told.sealed[n]:
            block = b"".join(waiting)
            seal = seal_of(seal, block)
            done += (block, SEAL_KEY, seal.encode(), b'"}\n')
            waiting.clear()
        else:
            waiting.append(b"}\n")
    return b"".join((*done, *waiting, last))


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
    if sum(map(_moved, log.events)) > MOST_MOVED:
        raise NotKept("bad-amount", f"more than {MOST_MOVED} tokens are moved")


def _names_seats(event: Event, seats: int) -> bool:
    gains = getattr(event, "gains", None)
    return getattr(event, "seat", 0) < seats and (gains is None or len(gains) == seats)


def _moved(event: Event) -> int:
    """How many tokens and bust tokens an event gives or takes."""
    if isinstance(event, AuctionWon | CardBought):
        return event.payment.tokens + event.payment.busts
    if isinstance(event, CurrencyTaken):
        return event.tokens
    if isinstance(event, NumbersTaken):
        return sum(event.gains)
    return sum(event.gains) + event.bust_tokens if isinstance(event, Busted) else 0


def taken_strictly(data: bytes, bodies: Bodies) -> Taken:
    """The parts of a game of which nobody has read the lines.

    Raises:
        NotKept: a line of it is not good.
    """
    try:
        taken = take(data, bodies)
    except CodecError as error:
        raise NotKept(error.code, str(error)) from None
    check_strictly(data)
    return taken
