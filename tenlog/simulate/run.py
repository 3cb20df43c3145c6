"""Running a plan: chunks over processes, noted in order, resumed where they stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Protocol

import msgspec

from tenlog.bots.base import Forfeit
from tenlog.bots.registry import BUILT_IN, describe
from tenlog.bots.spec import parse_spec
from tenlog.errors import LogError, SimulationError
from tenlog.simulate.compare import Comparison, RulesTally, comparisons_of, no_games
from tenlog.simulate.forfeits import Answers, ProgramAnswers, answers_of
from tenlog.simulate.journal import NO_DIGEST, Chunk, Header, Journal, Skipped, add_digests
from tenlog.simulate.plan import Group, SimulationPlan
from tenlog.simulate.pool import in_order
from tenlog.simulate.tables import TournamentPlan
from tenlog.simulate.tally import GroupTally, empty_tally
from tenlog.simulate.worker import KEPT, Plan, Sink, Task

AnyPlan = SimulationPlan | TournamentPlan


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
        skips: games that were left out; ``skipped`` has some of the first that could not be played.
        forfeits: decisions that were made for programs; ``forfeited`` has some of the first.
        programs: how each program answered.
        resumed: how many of the games had been played before.
        redone: games that had been played before, and had to be played again because what held
            them was gone.
        comparisons: each further ruleset against the first one.
    """

    games: int
    events: int
    digest: str
    groups: list[Group]
    tallies: list[GroupTally]
    parts: list[Part]
    skips: int = 0
    skipped: list[Skipped] = []
    forfeits: int = 0
    forfeited: list[Forfeit] = []
    resumed: int = 0
    redone: int = 0
    comparisons: list[Comparison] = []
    programs: list[ProgramAnswers] = []


def chunk_size(plan: Plan, sink: Sink) -> int:
    """Units in a chunk: few enough to keep all processes busy and an interruption cheap, many
    enough for large files. It follows from the plan, so that files don't depend on processes. In an
    archive a small chunk costs much: parts of it would have to be merged."""
    games = plan.total
    if sink == "archive":
        size = min(2500, max(20, games // 8))
    else:
        size = 1000 if games >= 50_000 else 200 if games >= 2_000 else 20
    return max(1, size * plan.units // games)


def header_of(
    plan: AnyPlan, sink: Sink, archive: Path | None = None, keep_going: bool = False
) -> Header:
    """What makes a run the same run.

    Raises:
        BotError: a bot can't be asked for its version.
        ArchiveError: the archive can't have such a name.
    """
    if archive is not None:
        from tenlog.archive.catalogue import check_path

        check_path(archive)
    bots = {
        spec: describe(spec).version
        for spec in dict.fromkeys(plan.bots)
        if parse_spec(spec).target not in BUILT_IN
    }
    target = None if archive is None else str(archive.absolute())
    return Header(plan, sink, keep_going, bots, target)


class Watcher(Protocol):
    """Somebody who may end a run early."""

    def __call__(self, chunk: Chunk, tallies: list[GroupTally], /) -> bool:
        """Shown each chunk in the order of the plan, those of an earlier run too, with the tallies
        up to it: whether the run ends here. It must follow from what was shown."""
        ...

    def may_end(self, chunk: int) -> bool:
        """Whether the run may end after this chunk: then none that comes later is begun before that
        is known, so that what is kept does not depend on the processes."""
        ...


def _paced(tasks: Iterator[Task], watch: Watcher | None) -> Iterator[Task | None]:
    """Tasks, and None where what comes before has to be done first."""
    for task in tasks:
        yield task
        if watch is not None and watch.may_end(task.chunk):
            yield None


def run_plan(
    plan: AnyPlan,
    folder: Path,
    sink: Sink,
    *,
    archive: Path | None = None,
    jobs: int = 1,
    keep_going: bool = False,
    progress: Callable[[int, int], None] | None = None,
    watch: Watcher | None = None,
) -> Outcome:
    """Play all games of a plan, or those that are left of an interrupted run in ``folder``.

    Chunks that are done but whose games are not where they went any more are played again.

    Args:
        plan: the games.
        folder: where the journal and the files are; made if need be.
        sink: what becomes of the games.
        archive: where they go with the sink ``archive``.
        jobs: processes, 1 or more.
        keep_going: leave out games that can't be played, of a tournament their whole deals.
        progress: told after each chunk how many games and events are done in all.
        watch: may end the run early.

    Raises:
        SetupError: another run is in the folder.
        SimulationError: a game could not be played, or came out otherwise than before; what is
            done is kept.
        WorkerDied: a process died; what is done is kept.
        LogError: something could not be written, or games were taken away meanwhile.
        ArchiveError: the archive is damaged, or can't be written to.
    """
    header = header_of(plan, sink, archive, keep_going)
    key = sha256(header.encode()).hexdigest()[:32]
    journal = Journal(folder, header)
    try:
        _sweep(folder)
        run = _Run(plan, folder, sink, archive, key, keep_going)
        tasks = run.tasks()
        stop = False
        lost: dict[int, tuple[Task, Chunk]] = {}
        for chunk, task, kept in run.noted(journal, tasks):
            if not kept:
                lost[chunk.chunk] = task, msgspec.structs.replace(chunk, tallies={}, comparisons={})
            run.add(chunk)
            stop = watch is not None and watch(chunk, run.tallies)
        games = run.redone = sum([chunk.games for _, chunk in lost.values()])
        events = sum([chunk.events for _, chunk in lost.values()])
        run.resumed = run.games - games
        if progress is not None:
            progress(run.games - games, run.events - events)
        due = chain([task for task, _ in lost.values()], () if stop else _paced(tasks, watch))
        # Closed here and not by the garbage collector: that ends the processes in an orderly way.
        with closing(in_order(plan, due, jobs)) as chunks:
            for chunk in chunks:
                if chunk.chunk in lost:
                    _check_same(lost[chunk.chunk][1], chunk, folder)
                    games -= chunk.games
                    events -= chunk.events
                else:
                    journal.add(chunk)
                    run.add(chunk)
                    stop = watch is not None and watch(chunk, run.tallies)
                if progress is not None:
                    progress(run.games - games, run.events - events)
                if stop and chunk.chunk not in lost:
                    break
        if not all(kept for _, _, kept in run.noted(journal, run.tasks())):
            raise LogError(
                f"games were taken away from {archive or folder} while the run went on: the same "
                "command plays them again"
            )
        return run.outcome()
    finally:
        _sweep(folder)
        journal.close()


def _sweep(folder: Path) -> None:
    """Remove what processes were writing that were ended; those of this run are, and another one is
    kept out by the journal."""
    for stale in folder.glob(f".games-*.{'[0-9a-f]' * 16}.part"):
        with suppress(OSError):
            stale.unlink()


def _check_same(before: Chunk, chunk: Chunk, folder: Path) -> None:
    if (chunk.digest, chunk.sha256) != (before.digest, before.sha256):
        raise SimulationError(
            f"chunk {chunk.chunk} of {folder} had to be played again, as its games were gone, and "
            "came out otherwise: a bot was changed, or does not decide by the table alone; choose "
            "another folder or seed"
        )


class _Run:
    """What is to be done, and chunks added up."""

    def __init__(
        self,
        plan: Plan,
        folder: Path,
        sink: Sink,
        archive: Path | None,
        key: str,
        keep_going: bool,
    ) -> None:
        self._plan = plan
        self._folder = folder
        self._sink = sink
        self._archive = archive
        self._key = key
        self._keep_going = keep_going
        self.groups = plan.groups()
        self.tallies = [empty_tally(group) for group in self.groups]
        self.comparisons: dict[int, RulesTally] = {}
        self.games = self.events = self.resumed = self.redone = 0
        self.digest = NO_DIGEST
        self.parts: list[Part] = []
        self.skips = 0
        self.skipped: list[Skipped] = []
        self.forfeits = 0
        self.forfeited: list[Forfeit] = []
        self.programs: dict[str, Answers] = {}

    def tasks(self) -> Iterator[Task]:
        """All chunks, in order."""
        size = chunk_size(self._plan, self._sink)
        target = None if self._archive is None else str(self._archive)
        for chunk, first in enumerate(range(0, self._plan.units, size)):
            yield Task(
                chunk,
                first,
                min(first + size, self._plan.units),
                self._sink,
                str(self._folder),
                target,
                self._key,
                self._keep_going,
            )

    def noted(self, journal: Journal, tasks: Iterator[Task]) -> Iterator[tuple[Chunk, Task, bool]]:
        """The chunks that are done, and whether their games are still where they went."""
        keys: frozenset[str] = frozenset()
        if self._archive is not None:
            from tenlog.archive.writer import committed

            keys = committed(self._archive)
        for chunk, task in zip(journal.chunks(), tasks, strict=False):
            if self._archive is not None:
                yield chunk, task, task.archive_key in keys
            elif chunk.file is not None:
                yield chunk, task, _size(self._folder / chunk.file) == chunk.size
            else:
                yield chunk, task, True

    def add(self, chunk: Chunk) -> None:
        """Count a chunk."""
        self.games += chunk.games
        self.events += chunk.events
        self.digest = add_digests(self.digest, chunk.digest)
        for group, tally in chunk.tallies.items():
            self.tallies[group].merge(tally)
        for group, compared in chunk.comparisons.items():
            self.comparisons.setdefault(group, no_games()).merge(compared)
        if chunk.file is not None:
            self.parts.append(Part(chunk.file, chunk.games, chunk.events, chunk.size, chunk.sha256))
        self.skips += chunk.skips
        self.skipped += chunk.skipped[: KEPT - len(self.skipped)]
        self.forfeits += chunk.forfeits
        self.forfeited += chunk.forfeited[: KEPT - len(self.forfeited)]
        for bot, answers in chunk.programs.items():
            self.programs.setdefault(bot, Answers()).merge(answers)

    def outcome(self) -> Outcome:
        """All of it."""
        return Outcome(
            self.games,
            self.events,
            self.digest,
            self.groups,
            self.tallies,
            self.parts,
            self.skips,
            self.skipped,
            self.forfeits,
            self.forfeited,
            self.resumed,
            self.redone,
            comparisons_of(self.groups, self.comparisons),
            answers_of(self._plan.bots, self.programs),
        )


def _size(path: Path) -> int:
    """How many bytes a file has; -1 where there is none."""
    try:
        return path.stat().st_size
    except OSError:
        return -1
