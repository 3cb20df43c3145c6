"""Games on their way into a part: their lines in one file, and what is known of each.

A game's first and last line are told by the rows of ``games`` and ``players``; here they are proved
to come back from these, and in the file two short lines stand for them. All lines between go into
the file as they are: :mod:`tenlog.archive.fill` makes columns of them, and proves them. Memory
holds little of each game, and nothing of its events.
"""

from __future__ import annotations

from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import IO, Final, NamedTuple

from msgspec import UNSET

from tenlog.archive.lines import NotKept, Taken, take, taken_strictly
from tenlog.archive.rows import GameRow, PlayerRow
from tenlog.archive.summary import Holding, game_of, holdings_of, seats_of
from tenlog.game.state import State
from tenlog.log.codec import CodecError, Line

_BUFFER: Final = 1 << 20  # bytes


class Seen(NamedTuple):
    """A game that may go into a part.

    Attributes:
        game, seats: its rows, as far as its first and last line tell.
        holdings: what each seat has at its end, where that is known.
        told: whether its lines say more than their events, besides the seal of the last one.
        first, lines, last: its bytes: the first line, those between, the last one.
        marks: what stands for the first and the last line among the others.
    """

    game: GameRow
    seats: list[PlayerRow]
    holdings: list[Holding] | None
    told: bool
    first: bytes
    lines: bytes
    last: bytes
    marks: tuple[bytes, bytes]


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
        taken.told,
        data[: taken.start],
        data[taken.start : taken.stop],
        data[taken.stop :],
        (_mark("GameStarted", taken.first), _mark("GameFinished", taken.last)),
    )


def _mark(kind: str, line: Line) -> bytes:
    at = b"" if line.at is UNSET else b',"at":%d' % line.at
    seal = b"" if line.h is UNSET else b',"h":true'
    return b'{"n":%d,"ev":{"type":"%b"}%b%b}\n' % (line.n, kind.encode(), at, seal)


class Builder:
    """Collects games for one part, in a folder of its own.

    Attributes:
        folder: where they lie.
        events: of how many events they are.
        held: bytes of first and last lines, which are kept in memory.
        ids: the digest of each game, by its id, in order.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.events = 0
        self.held = 0
        self.ids: dict[str, str] = {}
        self.file = folder / "lines.jsonl"
        self._lines = self.file.open("wb", buffering=_BUFFER)
        self._size = 0
        self._kept: dict[str, tuple[Seen, int]] = {}  # without their lines; where these begin
        self._gap = False

    @property
    def games(self) -> int:
        """How many games there are."""
        return len(self.ids)

    @property
    def told(self) -> bool:
        """Whether lines say more than their events, besides the seals of last lines."""
        return any(game.told for game, _ in self._kept.values())

    @property
    def kept(self) -> list[Seen]:
        """What is known of each game, in order, without its lines."""
        return [game for game, _ in self._kept.values()]

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
            taken = taken_strictly(data) if strictly else take(data, judged=state is not None)
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
        self._kept[name] = game._replace(lines=b""), self._size + len(game.marks[0])
        self._size += self._lines.write(b"".join((game.marks[0], game.lines, game.marks[1])))
        self.ids[name] = game.game.digest
        self.held += len(game.first) + len(game.last)
        self.events += game.game.events

    def bytes_of(self, game: str) -> bytes:
        """The bytes of a game, as they came."""
        if not self._lines.closed:
            self._lines.flush()
        kept, start = self._kept[game]
        with self.file.open("rb") as file:
            return kept.first + self._lines_of(file, kept, start) + kept.last

    @staticmethod
    def _lines_of(file: IO[bytes], kept: Seen, start: int) -> bytes:
        file.seek(start)
        return b"".join(islice(file, kept.game.events - 2))

    def drop(self, game: str) -> None:
        """A game stays out after all."""
        kept, _ = self._kept.pop(game)
        del self.ids[game]
        self.events -= kept.game.events
        self._gap = True

    def close(self) -> None:
        """No more games: the file holds all of them, and nothing else."""
        self._lines.close()
        if self._gap:
            whole = self.file.with_suffix(".all")
            self.file.rename(whole)
            with whole.open("rb") as source, self.file.open("wb") as file:
                for name, (kept, start) in self._kept.items():
                    file.write(kept.marks[0])
                    self._kept[name] = kept, file.tell()
                    file.write(self._lines_of(source, kept, start))
                    file.write(kept.marks[1])
            whole.unlink()
            self._gap = False
