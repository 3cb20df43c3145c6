"""Judging many files: read as a stream, judged by processes, told in order.

One process reads and cuts the bytes into games; batches of games go to the others. At most a few
batches are under way, so memory depends neither on the files nor on what stands in them.
"""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Final

import msgspec

from tenlog.audit.files import expand
from tenlog.audit.verdict import Level, Verdict, judge_text
from tenlog.errors import LogError
from tenlog.log.source import GameText, open_source, split_games

BATCH: Final = 1 << 20  # bytes of games that are handed over together


class Request(msgspec.Struct, frozen=True):
    """What is asked: how strictly to judge, whether to show the table, whether to go on."""

    level: Level = "full"
    explain: bool = False
    everything: bool = False


class Unread(msgspec.Struct, frozen=True):
    """A file, or the rest of one, that could not be read, or in which there is no game."""

    file: str
    message: str


class Batch(msgspec.Struct, frozen=True):
    """Games of one file."""

    file: str
    games: tuple[GameText, ...]
    read: int  # bytes of the file that were read when the batch was full


def judge_batch(batch: Batch, request: Request) -> list[Verdict]:
    """The verdicts over some games."""
    return [
        judge_text(
            batch.file,
            text,
            request.level,
            explain=request.explain,
            everything=request.everything,
        )
        for text in batch.games
    ]


def _batches(paths: Iterable[str]) -> Iterator[Batch | Unread]:
    for path in expand(paths):
        if isinstance(path, LogError):
            yield Unread("", str(path))
            continue
        games: list[GameText] = []
        size = count = 0
        try:
            with open_source(path) as stream:
                for text in split_games(stream):
                    games.append(text)
                    count += 1
                    size += len(text.data)
                    if size >= BATCH:
                        yield Batch(path, tuple(games), text.offset + len(text.data))
                        games, size = [], 0
        except LogError as error:
            if games:
                yield Batch(path, tuple(games), 0)
            yield Unread(path, str(error))
            continue
        if games:
            yield Batch(path, tuple(games), 0)
        if not count:
            yield Unread(path, f"{path} is empty: there is no game in it")


def audit(
    paths: Iterable[str],
    request: Request | None = None,
    *,
    jobs: int = 1,
    progress: Callable[[Batch], None] | None = None,
) -> Iterator[Verdict | Unread]:
    """Judge every game of every file; in the order of the files, whatever the number of processes.

    Args:
        paths: files, folders, patterns, ``-``.
        request: how to judge.
        jobs: processes, 1 or more.
        progress: told of each batch when it has been judged.

    Nothing is written, and nothing that stands in a file raises.
    """
    request = request or Request()
    if jobs <= 1:
        for batch in _batches(paths):
            if isinstance(batch, Unread):
                yield batch
                continue
            yield from judge_batch(batch, request)
            if progress is not None:
                progress(batch)
        return
    yield from _over_processes(paths, request, jobs, progress)


def _over_processes(
    paths: Iterable[str],
    request: Request,
    jobs: int,
    progress: Callable[[Batch], None] | None,
) -> Iterator[Verdict | Unread]:
    from concurrent.futures import Future, ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    pool = ProcessPoolExecutor(jobs, get_context("spawn"), _quietly)
    waiting: deque[tuple[Batch, Future[list[Verdict]]] | Unread] = deque()

    def settle() -> Iterator[Verdict | Unread]:
        item = waiting.popleft()
        if isinstance(item, Unread):
            yield item
            return
        batch, future = item
        yield from future.result()
        if progress is not None:
            progress(batch)

    try:
        for batch in _batches(paths):
            if isinstance(batch, Unread):
                waiting.append(batch)
            else:
                waiting.append((batch, pool.submit(judge_batch, batch, request)))
            while len(waiting) > 3 * jobs:
                yield from settle()
        while waiting:
            yield from settle()
    except BrokenProcessPool:
        raise LogError(
            "a process of the audit died (out of memory, or killed): try again with --jobs 1"
        ) from None
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _quietly() -> None:
    """Let the parent alone answer Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


class Counts(msgspec.Struct):
    """How many games of each verdict, how many events, how many files could not be read."""

    clean: int = 0
    unfinished: int = 0
    torn: int = 0
    faulty: int = 0
    events: int = 0
    unread: int = 0

    def add(self, item: Verdict | Unread) -> None:
        """Count one."""
        if isinstance(item, Unread):
            self.unread += 1
            return
        setattr(self, item.verdict, getattr(self, item.verdict) + 1)
        self.events += item.events

    @property
    def games(self) -> int:
        """How many games in all."""
        return self.clean + self.unfinished + self.torn + self.faulty

    @property
    def exit_code(self) -> int:
        """3 if something could not be read, else 1 if a game is faulty, else 0."""
        return 3 if self.unread else 1 if self.faulty else 0
