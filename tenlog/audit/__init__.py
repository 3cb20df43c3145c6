"""Judging logs that one need not trust.

:func:`audit` says of every game in every file whether its lines, its seals, its start, its draws,
its events and its end are as FORMAT and RULES have them. It only reads.

>>> from tenlog.audit import audit
>>> [found.message for found in audit(["no-such-file.jsonl"])]
["can't read no-such-file.jsonl: no such file or directory"]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from tenlog.audit.codes import CODES, Code
from tenlog.audit.job import Done, Judging, Report
from tenlog.audit.judge import Settings, judge_game
from tenlog.audit.verdict import Judged, Summary, Verdict
from tenlog.game.ruleset import Ruleset
from tenlog.log.paths import Source, Unread, find_sources
from tenlog.log.pieces import Piece, pieces_of
from tenlog.pool import in_order

if TYPE_CHECKING:
    from tenlog.audit.anchors import Expected, Noted, Played, Trusted

__all__ = [
    "CODES",
    "Code",
    "Finding",
    "Judged",
    "Settings",
    "Summary",
    "Unread",
    "Verdict",
    "audit",
    "judge_game",
]

Finding = Judged | Unread

PIECE: Final = 8 << 20  # bytes that are judged in one go
# Fewer bytes than these are judged before other processes would be up.
_WORTH_IT: Final = {"full": 16 << 20, "no-seed": 16 << 20, "seals": 128 << 20}
_LISTED: Final = 10_000  # files that are looked up beforehand, to know how much there is to do

# How far an audit is: bytes of files that are done, and of all files if that is known.
Progress = Callable[[int, int | None], None]


def audit(
    paths: Iterable[str],
    settings: Settings | None = None,
    *,
    jobs: int = 1,
    rules: Sequence[str | Ruleset] = (),
    expect: Sequence[str] = (),
    noted: Sequence[str] = (),
    trusted: Sequence[Path] = (),
    signatures: Path | None = None,
    progress: Progress | None = None,
) -> Iterator[Finding]:
    """Judge every game in files, folders (all logs below), globs and ``-`` (standard input).

    What comes out is in the order of the files and of the games in them, whatever ``jobs`` is. A
    file that can't be read is one :class:`Unread`, and hides no other.

    Args:
        paths: what is to be judged.
        settings: how strictly and how far; the default is everything, up to a game's first fault.
        jobs: processes, 1 or more. Others are only started where there is enough to do; a script
            that asks for them needs the usual ``if __name__ == "__main__":``.
        rules: what games may be played by, as ``GameStarted`` says it; anything, if empty.
        expect: seals that were written down, as ``SEAL`` (every game ends with one of these) or
            ``GAME=SEAL`` (this game does).
        noted: seals that were written down while games were played, as ``SEAL`` (some game has it)
            or ``GAME=SEAL`` (this game has it).
        trusted: PEM files of public keys, one of which must have signed each game as it is.
        signatures: where the signatures are, if not beside each log.
        progress: told now and then how far the audit is.

    Raises:
        TenlogError: a seal that is none, a key that can't be used, ``cryptography`` is missing.
    """
    paths = list(paths)
    anchors = _Anchors()
    settings = settings or Settings()
    if rules or expect or noted or trusted:
        from tenlog.audit.anchors import Expected, Noted, Played, Trusted, parse_seals

        if rules:
            anchors.by_game.append(Played(rules))
        if expect:
            anchors.by_game.append(Expected(parse_seals(expect)))
        if noted:
            seals = parse_seals(noted)
            settings = replace(settings, noted=frozenset([seal for _, seal in seals]))
            anchors.by_game.append(Noted(seals))
        if trusted:
            anchors.by_file = Trusted(trusted, signatures, paths)
            anchors.by_game.append(anchors.by_file)
    return _audit(paths, settings, max(1, jobs), anchors, progress)


class _Anchors:
    """What games are held against from outside; nothing, if there is nothing."""

    def __init__(self) -> None:
        self.by_game: list[Played | Expected | Noted | Trusted] = []
        self.by_file: Trusted | None = None

    def enter(self, source: Source) -> Unread | None:
        return self.by_file.enter(source.label, source.path) if self.by_file else None

    def check(self, game: Judged) -> Judged:
        for anchor in self.by_game:
            game = anchor.check(game)
        return game

    def leave(self) -> Iterator[Judged]:
        if self.by_file is not None:
            yield from self.by_file.leave()

    def absent(self) -> Iterator[Finding]:
        for anchor in self.by_game:
            yield from anchor.absent()


class _Files:
    """The pieces of all files, and in between what could not be found or opened."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._sources = find_sources(paths)
        first = list(islice(self._sources, _LISTED + 1))
        self.total: int | None = None
        if len(first) <= _LISTED and not any(isinstance(s, Source) and s.pipe for s in first):
            self.total = sum(s.size for s in first if isinstance(s, Source))
        self._sources = chain(first, self._sources)
        # By the number of the piece before which they come.
        self.unread: dict[int, list[Unread]] = {}
        self.count = 0

    def pieces(self) -> Iterator[Piece]:
        for source in self._sources:
            if isinstance(source, Unread):
                self.unread.setdefault(self.count, []).append(source)
                continue
            for piece in pieces_of(source, PIECE):
                self.count += 1
                yield piece


class _Reader:
    """Where in which file the reports are."""

    def __init__(self, anchors: _Anchors) -> None:
        self._anchors = anchors
        self.source: Source | None = None
        self.lines = 0
        self.games = 0
        self.failed = False

    def enter(self, source: Source) -> Iterator[Finding]:
        """Another file, if it is one."""
        if source is self.source or source == self.source:
            return
        yield from self.leave()
        self.source = source
        self.lines = self.games = 0
        self.failed = False
        unread = self._anchors.enter(source)
        if unread is not None:
            yield unread

    def leave(self) -> Iterator[Finding]:
        """The file is done, if there is one."""
        if self.source is None:
            return
        if not self.games and not self.failed:
            label = self.source.label
            yield Unread(label, f"{label} is empty: there is no game in it")
        if not self.failed:
            yield from self._anchors.leave()
        self.source = None

    def take(self, report: Report) -> Iterator[Finding]:
        """What a piece of the file says; nothing, once a piece of it could not be read."""
        assert self.source is not None
        if self.failed:
            return
        if isinstance(report, Done):
            self.lines += report.lines
            if report.unread is not None:
                self.failed = True
                yield Unread(self.source.label, report.unread)
            return
        for game in report.games:
            self.games += 1
            yield self._anchors.check(game.moved(self.lines))


def _audit(
    paths: Iterable[str],
    settings: Settings,
    jobs: int,
    anchors: _Anchors,
    progress: Progress | None,
) -> Iterator[Finding]:
    files = _Files(paths)
    reader = _Reader(anchors)
    pieces = done = 0
    worth_it = _WORTH_IT[settings.level]
    with closing(in_order(files.pieces(), Judging(settings), jobs, worth_it)) as reports:
        for piece, report in reports:
            if piece.source != reader.source:
                yield from reader.leave()
            yield from files.unread.pop(pieces, ())
            yield from reader.enter(piece.source)
            yield from reader.take(report)
            if isinstance(report, Done):
                pieces += 1
                done += piece.size
                if progress is not None:
                    progress(done, files.total)
    yield from reader.leave()
    for number in sorted(files.unread):
        yield from files.unread[number]
    yield from anchors.absent()
