"""Logs into the archive: found, judged, kept or kept out with the reason.

The work is cut into chunks (:mod:`tenlog.archive.chunks`), which any number of processes make into
parts (:mod:`tenlog.archive.stage`). This process alone commits them, in the order of the files: so
of two games with one id the first one stays, and what is added and said is always the same.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import Final

import msgspec

from tenlog.archive.admit import Audit
from tenlog.archive.catalogue import commit, load, reading, staging, sweep
from tenlog.archive.chunks import Chunk, chunks_of
from tenlog.archive.stage import (
    TWICE,
    Failed,
    KeptOut,
    Read,
    Report,
    Staged,
    Staging,
    Step,
)
from tenlog.archive.store import check_sizes
from tenlog.archive.writer import commit_part
from tenlog.errors import ArchiveError, LogError
from tenlog.log.paths import STDIN, Source, Unread, find_sources
from tenlog.log.pieces import Piece
from tenlog.pool import in_order

LISTED: Final = 1_000  # games kept out that a report lists
CLASH: Final = (
    "another game with this id is in the archive: it stays; --replace puts this one in its place"
)
_WORTH_IT: Final = 16 << 20  # fewer bytes are added before other processes would be up


class Added(msgspec.Struct):
    """What adding logs did.

    Attributes:
        files: how many were read.
        games, events: how many went in.
        known: games that were there already, with the same content.
        replaced: games that took the place of others with the same id.
        unfinished, faulty, clashes: games kept out, by reason.
        kept_out: the first thousand of them.
        seconds: how long it took.
    """

    files: int = 0
    games: int = 0
    events: int = 0
    known: int = 0
    replaced: int = 0
    unfinished: int = 0
    faulty: int = 0
    clashes: int = 0
    kept_out: list[KeptOut] = msgspec.field(default_factory=list)
    seconds: float = 0.0


class Progress(msgspec.Struct, frozen=True):
    """How far adding is: bytes of all files, and what was taken from them."""

    done: int
    total: int
    games: int
    events: int


class _Adding:
    """One run of :func:`add_logs`: what comes of the chunks, in their order."""

    def __init__(
        self,
        root: Path,
        replace: bool,
        said: Callable[[KeptOut], None],
        unread: Callable[[Unread], None],
        progress: Callable[[int, int, int], None],
    ) -> None:
        self.report = Added()
        self._root = root
        self._replace = replace
        self._said = said
        self._unread = unread
        self._progress = progress
        self._mine: set[str] = set()  # with ``replace``: what is not to be replaced
        self._chunk: Chunk | None = None
        self._piece = 0  # of the chunk
        self._bytes = 0  # of the pieces before it
        # Lines of a file that is cut before the chunk, and before the next one; None if something
        # there could not be read, so that nothing can be said of what follows.
        self._lines: int | None = 0
        self._next_lines: int | None = 0

    def take(self, chunk: Chunk, report: Report) -> None:
        """What is said of a chunk.

        Raises:
            ArchiveError: it could not be added.
        """
        if chunk is not self._chunk:
            self._enter(chunk)
        if isinstance(report, Failed):
            raise ArchiveError(report.message)
        if self._lines is None:
            return
        if isinstance(report, Staged):
            self._commit(report)
        elif isinstance(report, Read):
            self._read(chunk.pieces[self._piece], report)
        else:
            self._step(report)

    def _enter(self, chunk: Chunk) -> None:
        self._chunk = chunk
        self._piece = 0
        self._lines = self._next_lines if chunk.pieces[0].first else 0

    def _step(self, step: Step) -> None:
        self.report.known += step.known
        for out in step.kept_out:
            self._keep_out(out)
        games, events = self.report.games + step.games, self.report.events + step.events
        self._progress(self._bytes + step.done, games, events)

    def _keep_out(self, out: KeptOut) -> None:
        report = self.report
        if out.code == "unfinished":
            report.unfinished += 1
        elif out.code == "clash":
            report.clashes += 1
        else:
            report.faulty += 1
        out = msgspec.structs.replace(out, line=(self._lines or 0) + out.line)
        if len(report.kept_out) < LISTED:
            report.kept_out.append(out)
        self._said(out)

    def _read(self, piece: Piece, read: Read) -> None:
        """A piece has come to its end."""
        source = piece.source
        self._piece += 1
        self._bytes += piece.size
        self._next_lines = None if read.unread is not None else (self._lines or 0) + read.lines
        if read.some and not piece.first:
            self.report.files += 1
        if read.unread is not None:
            self._unread(Unread(source.label, read.unread))
        elif not read.some and piece.whole:
            label = "standard input" if source.label == STDIN else source.label
            self._unread(Unread(source.label, f"{label} is empty: there is no game in it"))

    def _commit(self, staged: Staged) -> None:
        for out in staged.kept_out:
            self._keep_out(out)
        self.report.known -= staged.mistaken
        folder = Path(staged.folder)
        done, _ = commit_part(
            self._root, folder, staged.part, staged.ids, replaces=self._may_replace
        )
        shutil.rmtree(folder, ignore_errors=True)
        self.report.games += done.added
        self.report.events += done.events
        self.report.known += done.known
        self.report.replaced += len(done.replaced)
        if self._replace:
            self._mine.update(staged.ids)
        for game, place in staged.places.items():
            if game in done.clashes:
                why = TWICE if self._replace else CLASH
                self._keep_out(KeptOut(place.file, place.line, game, "clash", why))
        for rival in staged.rivals:
            if done.clashes.get(rival.game) == rival.digest:
                self.report.known += 1
            else:
                place = rival.place
                self._keep_out(KeptOut(place.file, place.line, rival.game, "clash", TWICE))

    def _may_replace(self, game: str) -> bool:
        return self._replace and game not in self._mine


def add_logs(
    root: str | Path,
    paths: Iterable[str],
    *,
    audit: Audit = "full",
    replace: bool = False,
    jobs: int = 1,
    said: Callable[[KeptOut], None] = lambda _: None,
    unread: Callable[[Unread], None] | None = None,
    progress: Callable[[Progress], None] = lambda _: None,
) -> Added:
    """Add the finished games of some logs: files, folders (all logs below), globs and ``-``
    (standard input); good games go in whatever else stands beside them.

    Args:
        root: the archive; it is made if need be.
        paths: what is to be added.
        audit: ``full`` replays every game by the rules, ``seals`` reads lines and seals strictly,
            ``none`` only makes sure that what goes in comes out again byte for byte.
        replace: a game takes the place of another one with its id that was there before.
        jobs: processes, 1 or more; what is added and said does not depend on it. Others are only
            started where there is enough to do; a script that asks for them needs the usual
            ``if __name__ == "__main__":``.
        said: hears of each game that is kept out.
        unread: hears of each file that can't be read (to its end), or is empty.
        progress: told now and then how far it is.

    Raises:
        LogError: without ``unread``, of the first file that it would have heard of; all that could
            be read is added.
        ArchiveError: the archive can't be written, or a process died. What was added before stays.
    """
    began = time.monotonic()
    root = Path(root)
    check_sizes(root, load(root).parts)  # or what is gone would be called known already
    missed: list[Unread] = []
    found = list(find_sources(paths))
    sources = [source for source in found if isinstance(source, Source)]
    total = sum(source.size for source in sources)

    def moved(done: int, games: int, events: int) -> None:
        progress(Progress(min(done, total), total, games, events))

    adding = _Adding(root, replace, said, unread or missed.append, moved)
    for source in found:
        if isinstance(source, Unread):
            (unread or missed.append)(source)
    if sources:
        commit(root, lambda _: None)  # the archive is there, whatever goes in
        # What is there now is looked at to the end: nothing of it is deleted meanwhile.
        with staging(root) as folder, reading(root):
            job = Staging(root, folder, audit, () if replace else load(root).parts)
            with closing(in_order(chunks_of(sources), job, jobs, _WORTH_IT)) as reports:
                for chunk, report in reports:
                    adding.take(chunk, report)
        sweep(root)
    if missed:
        raise LogError(missed[0].message)
    adding.report.seconds = time.monotonic() - began
    return adding.report
