"""Games on their way into a part: each as numbers, and what is known of it.

A game's first and last line are told by the rows of ``games`` and ``players``; here they are proved
to come back from these. All lines between are numbers of bodies (:mod:`tenlog.archive.bodies`):
:mod:`tenlog.archive.fill` makes columns of these, and proves them. Memory holds four bytes of each
event, and every body once.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

from tenlog.archive.bodies import FINISHED, STARTED, Bodies
from tenlog.archive.lines import NotKept, Taken, Told, joined, take, taken_from, taken_strictly
from tenlog.archive.rows import GameRow, PlayerRow
from tenlog.archive.summary import Holding, game_of, holdings_of, seats_of
from tenlog.game.state import State
from tenlog.log.codec import CodecError, decode_event
from tenlog.log.store import Encoded

_TIMES: Final = 4  # how many times what first and last lines say is held


class Seen(NamedTuple):
    """A game that may go into a part.

    Attributes:
        game, seats: its rows, as far as its first and last line tell.
        holdings: what each seat has at its end, where that is known.
        numbers: its lines, as numbers of their bodies.
        told: what its lines say more, besides the seal of the last one.
        first, last: these lines.
    """

    game: GameRow
    seats: list[PlayerRow]
    holdings: list[Holding] | None
    numbers: array[int]
    told: Told | None
    first: bytes
    last: bytes


def seen(data: bytes, audit: str, state: State | None, taken: Taken) -> Seen:
    """All that there is to know of a game that was taken apart.

    Raises:
        NotKept: its first or last line would not come back.
    """
    seats = seats_of(taken)
    game = game_of(taken, sha256(data).hexdigest(), audit, seats)
    return Seen(
        game,
        seats,
        None if state is None else holdings_of(state),
        array("i", [STARTED, *taken.numbers, FINISHED]),
        taken.told,
        data[: taken.start],
        data[taken.stop :],
    )


class Builder:
    """Collects games for one part.

    Attributes:
        folder: where the part is to be written.
        bodies: what their lines say, and those of games that did not go in.
        events: of how many events they are.
        ids: the digest of each game, by its id, in order.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.bodies = Bodies()
        self.events = 0
        self.ids: dict[str, str] = {}
        self._held = 0
        self._kept: dict[str, Seen] = {}

    @property
    def games(self) -> int:
        """How many games there are."""
        return len(self.ids)

    @property
    def held(self) -> int:
        """Bytes of memory that what was read takes, roughly."""
        return self._held + self.bodies.size

    @property
    def judged(self) -> bool:
        """Whether the rules told what each seat has at the end of every game."""
        return all(game.holdings is not None for game in self._kept.values())

    @property
    def kept(self) -> list[Seen]:
        """What is known of each game, in order."""
        return list(self._kept.values())

    def add(self, data: bytes, audit: str, state: State | None = None) -> str:
        """Take a finished game, exactly its bytes; returns its digest.

        ``audit`` says how it was judged. ``state`` is the table at its end where the caller has
        it; without it the points by colour stay unknown, and all lines are read strictly.

        Raises:
            NotKept: it can't be given back byte for byte.
        """
        game = self.examine(data, audit, state, strictly=state is None)
        self.keep(game)
        return game.game.digest

    def add_made(self, game: Encoded, state: State) -> str:
        """Take a finished game that the engine made, with the table at its end; returns its digest.

        Raises:
            NotKept: its first or last line would not come back.
        """
        known = seen(game.data, "engine", state, taken_from(game, self.bodies))
        self.keep(known)
        return known.game.digest

    def examine(
        self, data: bytes, audit: str, state: State | None = None, *, strictly: bool = False
    ) -> Seen:
        """What is known of a game; with the ``state`` at its end, it was judged by the rules.
        Unless ``strictly``, lines between the first and the last one are not read: whether they
        come back is only known when the part is written.

        Raises:
            NotKept: it can't be given back byte for byte.
        """
        try:
            if strictly:
                taken = taken_strictly(data, self.bodies)
            else:
                taken = take(data, self.bodies, judged=state is not None)
        except CodecError as error:
            raise NotKept(error.code, str(error)) from None
        return seen(data, audit, state, taken)

    def keep(self, game: Seen) -> None:
        """Take a game that was examined.

        Raises:
            NotKept: there is one with its id.
        """
        name = game.game.game
        if name in self.ids:
            raise NotKept("clash", "another game with this id comes before it")
        self._kept[name] = game
        self.ids[name] = game.game.digest
        self._held += _TIMES * (len(game.first) + len(game.last))
        self.events += game.game.events

    def bytes_of(self, game: str) -> bytes:
        """The bytes of a game, as they came."""
        kept = self._kept[game]
        return joined(kept.first, self.bodies, kept.numbers[1:-1], kept.told, kept.last)

    def drop(self, game: str) -> None:
        """A game stays out after all."""
        kept = self._kept.pop(game)
        del self.ids[game]
        self.events -= kept.game.events

    def strange(self) -> Iterator[str]:
        """The ids of games with lines that are no events."""
        bad = {number for number, text in enumerate(self.bodies.texts) if not _is_event(text)}
        for game, kept in self._kept.items():
            if not bad.isdisjoint(kept.numbers[1:-1]):
                yield game


def _is_event(text: bytes) -> bool:
    try:
        decode_event(text)
    except CodecError:
        return False
    return True
