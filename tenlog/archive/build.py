"""From the bytes of games to what a part is written from, at columnar speed.

Events repeat: ``{"type":"CardDrawn","seat":2,"card":"R5"}`` stands in every other game. So each
different body of a line is decoded once, strictly, and turned into a row of a *dictionary*; what
remains of a game is a list of numbers (``codes``), one for each event. Numbers and dictionary are
spilled to JSON files, which DuckDB joins into typed columns. No Python object is made for an event
that was seen before, and memory does not grow with the number of games.

Nothing is taken on trust. Here: each line is the head that is due and a body (or else is put
together again and compared), seals are computed anew, each body is canonical by the codec, and the
first and last line come back from the rows of ``games`` and ``players``. When the part is written
(:mod:`tenlog.archive.parts`): each body is rebuilt in SQL from its typed columns, and what stands
on the disk is compared with what was to be written. A game that fails is refused, never kept
inexactly.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from tenlog.archive.dictionary import FIRST, LAST, Dictionary
from tenlog.archive.lines import NotKept, Taker
from tenlog.archive.rows import GameRow, PlayerRow
from tenlog.archive.summary import game_of, prove_ends, seats_of, turns_of
from tenlog.game.events import GameFinished, GameStarted
from tenlog.game.state import State
from tenlog.log.codec import CodecError

DICTIONARY: Final = 60_000  # bodies that are remembered, and as many that are older

_encode = msgspec.json.Encoder().encode


class Seen(NamedTuple):
    """All that the archive keeps of a game."""

    game: GameRow
    seats: list[PlayerRow]
    codes: list[int]
    turns: list[int]
    moments: list[int | None] | None
    seals: list[bool] | None


class Builder:
    """Collects games for one part, in a folder of its own.

    Attributes:
        games, events: how many have been taken.
        ids: the digest of each game that has been taken, by its id, in order.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.games = 0
        self.events = 0
        self.ids: dict[str, str] = {}
        self._longest = 0
        self._bodies = (folder / "bodies.jsonl").open("wb")
        self._codes = (folder / "codes.jsonl").open("wb")
        self._rows = (folder / "rows.jsonl").open("wb")
        self._dictionary = Dictionary(self._bodies)
        self._taker = Taker()

    def add(self, data: bytes, audit: str, state: State | None = None) -> str:
        """Take a finished game, exactly its bytes; returns its digest.

        ``audit`` says how it was judged. ``state`` is the table at its end where the caller has
        it; without it the points by colour stay unknown.

        Raises:
            NotKept: it can't be given back byte for byte.
        """
        seen = self.examine(data, audit, state)
        self.keep(seen)
        return seen.game.digest

    def keep(self, seen: Seen) -> None:
        """Take a game that was examined."""
        number = self.games
        record: dict[str, Any] = {
            "g": number,
            "game": seen.game.game,
            "c": seen.codes,
            "t": seen.turns,
        }
        if seen.moments is not None:
            record["at"] = seen.moments
        if seen.seals is not None:
            record["s"] = seen.seals
        told = {"g": number, "game": seen.game, "players": seen.seats}
        for file, line in ((self._codes, _encode(record)), (self._rows, _encode(told))):
            file.write(line + b"\n")
            self._longest = max(self._longest, len(line))
        self.ids[seen.game.game] = seen.game.digest
        self.games += 1
        self.events += len(seen.codes)

    def examine(self, data: bytes, audit: str, state: State | None = None) -> Seen:
        """What :meth:`add` would keep of a game.

        Raises:
            NotKept: it can't be given back byte for byte.
        """
        self._dictionary.trim(DICTIONARY)
        try:
            taken = self._taker.take(data)
            codes = self._dictionary.codes(taken.keys)
            start, end = taken.first.ev, taken.last.ev
            assert isinstance(start, GameStarted)
            assert isinstance(end, GameFinished)
            effects = self._dictionary.effects_of(codes) if state is None else ()
            seats = seats_of(start, end, taken, effects, state)
        except CodecError as error:
            raise NotKept(error.code, str(error)) from None
        turns = turns_of(map(self._dictionary.ends.__getitem__, codes), len(start.players))
        game = game_of(taken, sha256(data).hexdigest(), turns[-1], audit, seats)
        prove_ends(taken, game, seats)
        return Seen(game, seats, [FIRST, *codes, LAST], turns, taken.moments, taken.seals)

    @property
    def longest(self) -> int:
        """Bytes of the longest line in the files."""
        return max(self._longest, self._dictionary.longest)

    def close(self) -> None:
        """No more games: everything is in the files."""
        problem: OSError | None = None
        for file in (self._bodies, self._codes, self._rows):
            try:
                file.close()
            except OSError as error:
                problem = error
        if problem is not None:
            raise problem
