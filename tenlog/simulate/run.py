"""Running a plan: chunks over processes, noted in order, resumed where they stopped."""

from __future__ import annotations

import signal
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

import msgspec

import tenlog
from tenlog.bots.base import Forfeit
from tenlog.simulate.journal import NO_DIGEST, Chunk, Journal, Skipped, add_digests
from tenlog.simulate.plan import Group
from tenlog.simulate.tally import GroupTally, empty_tally
from tenlog.simulate.worker import FORFEITS_KEPT, Plan, Sink, Task, play_chunk

_P = TypeVar("_P", bound=Plan)


class Part(msgspec.Struct, frozen=True):
    """A file of games: its name, what it holds, and what it must hash to."""

    file: str
    games: int
    events: int
    size: int
    sha256: str


class Outcome(msgspec.Struct, frozen=True):
    """What a run gave.

    Attributes:
        games, events: how many were played.
        digest: of all games, in 64 hex digits: equal for equal games (see
            :class:`~tenlog.simulate.journal.Chunk`).
        groups, tallies: the groups of the plan, and their results.
        parts: the files.
        skipped: games that could not be played.
        forfeits: decisions that were made for programs; ``forfeited`` has some of the first.
        resumed: how many of the games had been played before.
    """

    games: int
    events: int
    digest: str
    groups: list[Group]
    tallies: list[GroupTally]
    parts: list[Part]
    skipped: list[Skipped]
    forfeits: int = 0
    forfeited: list[Forfeit] = []
    resumed: int = 0


def chunk_size(plan: Plan) -> int:
    """Units in a chunk: few enough to keep all processes busy and an interruption cheap, many
    enough for large files. It follows from the plan, so that files don't depend on processes."""
    games = plan.total
    size = 1000 if games >= 50_000 else 200 if games >= 2_000 else 20
    return max(1, size * plan.units // games)


def _tasks(
    plan: Plan,
    sink: Sink,
    folder: Path,
    archive: Path | None,
    key: str,
    keep_going: bool,
    done: int,
) -> Iterator[Task]:
    size = chunk_size(plan)
    target = None if archive is None else str(archive)
    for chunk, first in enumerate(range(0, plan.units, size)):
        if chunk >= done:
            last = min(first + size, plan.units)
            yield Task(chunk, first, last, sink, str(folder), target, key, keep_going)


def run_plan(
    plan: Plan,
    folder: Path,
    sink: Sink,
    *,
    archive: Path | None = None,
    jobs: int = 1,
    keep_going: bool = False,
    progress: Callable[[int, int], None] | None = None,
    watch: Callable[[Chunk, list[GroupTally]], bool] | None = None,
) -> Outcome:
    """Play all games of a plan, or those that are left of an interrupted run in ``folder``.

    Args:
        plan: the games.
        folder: where the journal and the files are; made if need be.
        sink: what becomes of the games.
        archive: where they go with the sink ``archive``.
        jobs: processes, 1 or more.
        keep_going: skip games that can't be played.
        progress: told after each chunk how many games and events are done in all.
        watch: shown each chunk in the order of the plan, those of an earlier run too, with the
            tallies up to it; the run ends early where it returns True. What it says must follow
            from what it was shown.

    Raises:
        SetupError: another run is in the folder.
        SimulationError: a game could not be played, or a process died; what is done is kept.
        LogError: something could not be written.
    """
    said: dict[str, object] = {
        "plan": plan,
        "sink": sink,
        "keep_going": keep_going,
        "tenlog": tenlog.__version__,
    }
    if archive is not None:
        said["archive"] = str(archive.absolute())
    header = msgspec.json.encode(said)
    key = sha256(header).hexdigest()[:32]
    journal = Journal(folder, header)
    try:
        total = _Total(plan)
        stop = False
        for chunk in journal.chunks:
            total.add(chunk)
            stop = watch is not None and watch(chunk, total.tallies)
        total.resumed = total.games
        if progress is not None:
            progress(total.games, total.events)
        tasks = _tasks(plan, sink, folder, archive, key, keep_going, len(journal.chunks))
        # Closed here and not by the garbage collector: that ends the processes in an orderly way.
        with closing(_in_order(plan, iter(()) if stop else tasks, jobs)) as chunks:
            for chunk in chunks:
                journal.add(chunk)
                total.add(chunk)
                if progress is not None:
                    progress(total.games, total.events)
                if watch is not None and watch(chunk, total.tallies):
                    break
        return total.outcome()
    finally:
        journal.close()


class _Total:
    """Chunks added up."""

    def __init__(self, plan: Plan) -> None:
        self.groups = plan.groups()
        self.tallies = [empty_tally(len(group.bots), group.players) for group in self.groups]
        self.games = self.events = self.resumed = 0
        self.digest = NO_DIGEST
        self.parts: list[Part] = []
        self.skipped: list[Skipped] = []
        self.forfeits = 0
        self.forfeited: list[Forfeit] = []

    def add(self, chunk: Chunk) -> None:
        self.games += chunk.games
        self.events += chunk.events
        self.digest = add_digests(self.digest, chunk.digest)
        for group, tally in chunk.tallies.items():
            self.tallies[group].merge(tally)
        if chunk.file is not None:
            self.parts.append(Part(chunk.file, chunk.games, chunk.events, chunk.size, chunk.sha256))
        self.skipped += chunk.skipped
        self.forfeits += chunk.forfeits
        self.forfeited += chunk.forfeited[: FORFEITS_KEPT - len(self.forfeited)]

    def outcome(self) -> Outcome:
        return Outcome(
            self.games,
            self.events,
            self.digest,
            self.groups,
            self.tallies,
            self.parts,
            self.skipped,
            self.forfeits,
            self.forfeited,
            self.resumed,
        )


def _in_order(plan: Plan, tasks: Iterator[Task], jobs: int) -> Generator[Chunk, None, None]:
    """Chunks in the order of the plan, whoever plays them."""
    if jobs <= 1:
        for task in tasks:
            yield play_chunk(plan, task)
        return
    from collections import deque
    from concurrent.futures import Future, ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    from tenlog.simulate.worker import SimulationError

    pool = ProcessPoolExecutor(jobs, get_context("spawn"), _quietly, (str(Path.cwd()),))
    waiting: deque[Future[Chunk]] = deque()
    try:
        for task in tasks:
            waiting.append(pool.submit(play_chunk, plan, task))
            # A window, so that neither results nor tasks pile up while one chunk is slow.
            if len(waiting) >= 2 * jobs:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except BrokenProcessPool:
        raise SimulationError(
            "a worker process died (out of memory, or killed); what is done is kept: "
            "the same command goes on from there"
        ) from None
    finally:
        for future in waiting:
            future.cancel()
        pool.shutdown(wait=True, cancel_futures=True)


def _quietly(folder: str) -> None:
    """Let the parent alone answer Ctrl-C; find bots of the user's own where the user stands."""
    import sys

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if folder not in sys.path:
        sys.path.insert(0, folder)
