"""A chunk of logs made into parts that wait to be committed: what one process does of adding.

Nothing here changes the archive. Whether a game goes in is only known when its part is committed;
what was there before all this with the same bytes is skipped here because that is cheaper.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import ClassVar, Final

import msgspec

from tenlog.archive.admit import Audit, Out, better_reason, id_of, judged, whole
from tenlog.archive.build import Builder
from tenlog.archive.catalogue import Part, os_error
from tenlog.archive.chunks import Chunk
from tenlog.archive.fill import Suspects, faulty_games, try_part, write_part
from tenlog.archive.lines import NotKept
from tenlog.archive.parts import present
from tenlog.errors import ArchiveError, LogError
from tenlog.log.pieces import Games
from tenlog.log.source import GameText
from tenlog.pool import Job

PART: Final = 1_000_000  # events of a part; more of them need more memory
GAMES: Final = 20_000  # and games, of which little is held each; honest ones have 100 events
HELD: Final = 64 << 20  # and bytes of memory, of which honest parts need half
_BATCH_GAMES: Final = 250  # looked up together
_BATCH_BYTES: Final = 1 << 22
# Which games that are there were judged strictly enough; of others it is told again.
_AS_STRICT: Final[dict[Audit, tuple[str, ...]]] = {
    "full": ("full", "engine"),
    "seals": ("full", "engine", "seals"),
    "none": ("full", "engine", "seals", "none"),
}
UNJUDGED: Final = "it is in the archive, where it was not judged: tenlog archive rm takes it out"
TWICE: Final = "another game with this id comes before it in these logs"


class KeptOut(msgspec.Struct, frozen=True):
    """A game that was not added.

    Attributes:
        file: where it stands.
        line: the line of the file with the reason, from 1.
        game: its id, if it can be told.
        code: ``unfinished``, ``clash`` or the code of a fault.
        reason: the same for people.
    """

    file: str
    line: int
    game: str | None
    code: str
    reason: str


class Step(msgspec.Struct, frozen=True, tag=True):
    """Some games were looked at.

    Attributes:
        done: bytes of the piece so far.
        games, events: how many wait in the part that is being made.
        known: how many of those looked at were there already.
        kept_out: which of them can't go in; lines are counted from the start of the piece.
    """

    done: int
    games: int
    events: int
    known: int
    kept_out: list[KeptOut]


class Read(msgspec.Struct, frozen=True, tag=True):
    """A piece is read: whether there was something, how many lines it has if others follow, and
    why not all of it could be read."""

    some: bool
    lines: int
    unread: str | None


class Place(msgspec.Struct, frozen=True):
    """Where a game stands: its file, and its first line in the piece."""

    file: str
    line: int


class Rival(msgspec.Struct, frozen=True):
    """A game with the id of another one of the part, and other bytes; the other one may stay out,
    too, because the archive has this very game."""

    game: str
    digest: str
    place: Place


class Staged(msgspec.Struct, frozen=True, tag=True):
    """A part that waits in a folder.

    Attributes:
        folder: where it waits.
        part: None if no game is left.
        ids, places: digest and place of each of its games, by id.
        kept_out: what turned out not to be good only when the part was made.
        mistaken: how many games were called known that are as bad as one of these.
        rivals: games that stay out because one with their id came before them.
    """

    folder: str
    part: Part | None
    ids: dict[str, str]
    places: dict[str, Place]
    kept_out: list[KeptOut]
    mistaken: int
    rivals: list[Rival]


class Failed(msgspec.Struct, frozen=True, tag=True):
    """The archive can't be read or written."""

    message: str


Report = Step | Read | Staged | Failed


class Staging(Job[Chunk, Report]):
    """Each piece of a chunk gives steps, then :class:`Read`; parts come when they are full, the
    last one at the end."""

    items: ClassVar = Chunk
    reports: ClassVar = Report

    def __init__(self, root: Path, folder: Path, audit: Audit, there: Sequence[Part]) -> None:
        """``folder``: where parts wait; whoever commits them owns it. ``there``: parts whose games
        need not be added again."""
        self.root = root
        self.folder = folder
        self.audit: Audit = audit
        self.there = there
        self.most = PART

    def size(self, item: Chunk) -> int:
        return item.size

    def here(self, item: Chunk) -> bool:
        return any(piece.source.pipe for piece in item.pieces)

    def died(self, item: Chunk) -> Report:
        return Failed(
            "a process that was adding died (out of memory, or killed); what was added before is "
            "kept: the same command goes on from there"
        )

    def work(self, item: Chunk) -> Iterator[Report]:
        parts = _Parts(self, item.number)
        try:
            for piece in item.pieces:
                label = piece.source.label
                games = Games(piece)
                some, unread = False, None
                try:
                    for batch in _batches(games):
                        some = True
                        yield parts.take(label, piece.first, batch)
                        if parts.full:
                            yield parts.finish()
                except LogError as error:
                    unread = str(error)
                yield Read(some, games.lines, unread)
            if parts.open:
                yield parts.finish()
        except ArchiveError as error:
            yield Failed(str(error))
        except OSError as error:
            yield Failed(str(os_error(self.root, error, "write to")))


class _Parts:
    """The parts of a chunk, one after another."""

    def __init__(self, job: Staging, chunk: int) -> None:
        self._job = job
        self._chunk = chunk
        self._number = 0
        self._builder: Builder | None = None
        self._places: dict[str, Place] = {}
        self._again: dict[str, list[Place]] = {}  # where the same games came again
        self._good: set[str] = set()  # games that were read line by line since
        self._out: list[KeptOut] = []
        self._rivals: list[Rival] = []
        self._mistaken = 0

    @property
    def full(self) -> bool:
        """Whether the part is as big as it may be."""
        builder = self._builder
        return builder is not None and (
            builder.events >= self._job.most or builder.games >= GAMES or builder.held >= HELD
        )

    @property
    def open(self) -> bool:
        """Whether there is something to be finished."""
        return self._builder is not None

    @property
    def games(self) -> int:
        return 0 if self._builder is None else self._builder.games

    @property
    def events(self) -> int:
        return 0 if self._builder is None else self._builder.events

    def take(self, file: str, first: int, texts: list[GameText]) -> Step:
        """Games that are not known are judged, and kept if they are good."""
        ids = list(map(id_of, texts))
        named = [game for game in ids if game is not None]
        there = present(self._job.root, self._job.there, named)
        enough = _AS_STRICT[self._job.audit]
        known = 0
        kept_out: list[KeptOut] = []
        for game, text in zip(ids, texts, strict=True):
            held = None if game is None else there.get(game)
            try:
                if held is None or held.digest != sha256(whole(text.data)).hexdigest():
                    known += self._keep(file, text)
                    continue
                if held.audit not in enough:
                    self._judge_again(text)
                known += 1
            except Out as out:
                kept_out.append(KeptOut(file, out.line, game, out.code, str(out)))
        done = texts[-1].offset + len(texts[-1].data) - first
        return Step(done, self.games, self.events, known, kept_out)

    def _judge_again(self, text: GameText) -> None:
        """A game that is there, but was not judged so strictly.

        Raises:
            Out: it would not go in now.
        """
        try:
            judged(text, self._job.audit)
        except Out as out:
            raise Out(out.code, out.line, f"{out}; {UNJUDGED}") from None

    def _keep(self, file: str, text: GameText) -> int:
        """One game; returns 1 if it is in this part already.

        Raises:
            Out: it can't go in.
        """
        audit = self._job.audit
        data, state = judged(text, audit)
        if self._builder is None:
            folder = self._job.folder / f"{self._chunk:06}-{self._number:03}"
            folder.mkdir()
            self._builder = Builder(folder)
        try:
            seen = self._builder.examine(data, audit, state)
        except NotKept as error:
            raise better_reason(text, error) from None
        game, digest = seen.game.game, seen.game.digest
        other = self._builder.ids.get(game)
        if other == digest:
            self._again.setdefault(game, []).append(Place(file, text.line))
            return 1
        if other is not None and not self._give_way(game):
            self._rivals.append(Rival(game, digest, Place(file, text.line)))
            return 0
        self._builder.keep(seen)
        self._places[game] = Place(file, text.line)
        return 0

    def _give_way(self, game: str) -> bool:
        """Whether a game that was kept, and is in the way of another one, is not good at all."""
        assert self._builder is not None
        if game in self._good:
            return False
        faulty = faulty_games(self._builder, Suspects([game]))
        self._keep_out(faulty)
        if not faulty:
            self._good.add(game)
        return bool(faulty)

    def _keep_out(self, faulty: Mapping[str, NotKept]) -> None:
        """Games that were kept stay out after all."""
        assert self._builder is not None
        for game, error in faulty.items():
            data = self._builder.bytes_of(game)
            again = self._again.pop(game, [])
            self._mistaken += len(again)
            for place in (self._places.pop(game), *again):
                out = better_reason(GameText(data, place.line, 0), error)
                self._out.append(KeptOut(place.file, out.line, game, out.code, str(out)))
            self._builder.drop(game)

    def finish(self) -> Staged:
        """The part of all games so far, on the disk.

        Raises:
            ArchiveError: it can't be written.
        """
        builder = self._builder
        assert builder is not None
        part = None
        while builder.games and part is None:
            try:
                part = try_part(self._job.root, builder)
            except Suspects as suspects:
                faulty = faulty_games(builder, suspects)
                if not faulty:
                    part = write_part(self._job.root, builder)  # and say what is wrong
                self._keep_out(faulty)
        for file in builder.folder.glob("*.jsonl"):
            file.unlink()
        staged = Staged(
            str(builder.folder),
            part,
            builder.ids,
            self._places,
            self._out,
            self._mistaken,
            self._rivals,
        )
        self._builder, self._places, self._mistaken = None, {}, 0
        self._out, self._rivals = [], []
        self._again.clear()
        self._good.clear()
        self._number += 1
        return staged


def _batches(games: Games) -> Iterator[list[GameText]]:
    batch: list[GameText] = []
    size = 0
    try:
        for text in games:
            batch.append(text)
            size += len(text.data)
            if len(batch) >= _BATCH_GAMES or size >= _BATCH_BYTES:
                yield batch
                batch, size = [], 0
    except LogError:
        if batch:
            yield batch  # what came before it could be read
        raise
    if batch:
        yield batch
