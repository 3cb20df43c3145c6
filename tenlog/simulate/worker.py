"""Playing a chunk of games: what one process does. A chunk's result follows from the plan alone."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext, suppress
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, Protocol

import msgspec

from tenlog.bots.base import Bot, BotFault, Forfeit
from tenlog.bots.registry import BUILT_IN, make_bot
from tenlog.bots.seats import Seats
from tenlog.bots.spec import parse_spec
from tenlog.bots.table import play_out
from tenlog.errors import BotError, SetupError, SimulationError
from tenlog.game.decide import Deck, advance
from tenlog.game.events import Event, GameStarted
from tenlog.game.state import OVER, State, start_state
from tenlog.log.codec import decode_line
from tenlog.log.source import log_error, zstd_module
from tenlog.log.store import encoded_game
from tenlog.log.whole import beside, open_new
from tenlog.simulate.compare import RulesTally, figures_of, no_games
from tenlog.simulate.forfeits import Answers, count_answers
from tenlog.simulate.journal import NO_DIGEST, Chunk, Skipped, add_digests, game_digest
from tenlog.simulate.plan import GameSpec, Group
from tenlog.simulate.tally import GroupTally, empty_tally
from tenlog.story import counted

if TYPE_CHECKING:
    from tenlog.archive import ArchiveWriter

Sink = Literal["jsonl", "zst", "archive", "summary"]
KEPT: Final = 20  # forfeits and skipped games of which it is kept what they were; all are counted
_LEVEL: Final = 6  # of zstd: 11 times smaller; higher levels cost more than they save


class Plan(Protocol):
    """What a run is made of."""

    @property
    def bots(self) -> tuple[str, ...]:
        """The contestants."""
        ...

    @property
    def total(self) -> int:
        """How many games there are."""
        ...

    @property
    def units(self) -> int:
        """How many units: games that belong together and are never split over two chunks."""
        ...

    def groups(self) -> list[Group]:
        """Groups of games that are counted together."""
        ...

    def unit(self, number: int, groups: list[Group]) -> list[GameSpec]:
        """The games of a unit, 0 … units − 1."""
        ...


class Task(msgspec.Struct, frozen=True):
    """A chunk to be played.

    Attributes:
        chunk: its number.
        first, last: the units first … last − 1 of the plan.
        sink: what becomes of the games.
        folder: where the files go.
        archive: the archive that the games go into, or None.
        key: what names the run there.
        keep_going: leave out what cannot be played, instead of stopping.
    """

    chunk: int
    first: int
    last: int
    sink: Sink
    folder: str
    archive: str | None = None
    key: str = ""
    keep_going: bool = False

    @property
    def file(self) -> str | None:
        """The name of the file that the games go into, if they go into one."""
        if self.sink not in ("jsonl", "zst"):
            return None
        return f"games-{self.chunk:06}.jsonl{'.zst' if self.sink == 'zst' else ''}"

    @property
    def archive_key(self) -> str:
        """What the chunk is called in the archive."""
        return f"{self.key}/{self.first}-{self.last}"


class Played(NamedTuple):
    """A game that was played: its events, the table at its end; how many decisions each program was
    asked for, and which ones it forfeited."""

    spec: GameSpec
    events: list[Event]
    state: State
    asked: dict[str, int]
    forfeits: list[Forfeit]


class House:
    """The bots of a chunk: those that come with tenlog carry nothing from one game to the next and
    are kept; anybody else's are made anew for each game, so that no chunk can know another."""

    def __init__(self) -> None:
        self._kept: dict[str, Bot] = {}

    def play(self, spec: GameSpec) -> Played:
        """One game of a plan.

        Raises:
            SimulationError: a bot failed.
        """
        start = spec.start()
        state = start_state(start)
        deck = Deck(state.rules, spec.seed)
        played = Played(spec, [start], state, {}, [])
        try:
            if all(bot in self._kept or self._keep(bot) for bot in spec.bots):
                play_out(state, deck, [self._kept[bot] for bot in spec.bots], played.events)
            else:
                _play_with_guests(played, deck)
        except BotFault as error:  # it says all but this
            raise SimulationError(f"game {spec.index}: {error}") from error
        except BotError as error:
            raise SimulationError(f"game {spec.index} (seed {spec.seed!r}): {error}") from error
        except Exception as error:
            seat = state.to_act
            raise SimulationError(
                f"game {spec.index} (seed {spec.seed!r}): bot {spec.bots[seat]} at seat {seat}, "
                f"after event {state.n - 1}: {type(error).__name__}: {error}"
            ) from error
        return played

    def _keep(self, bot: str) -> bool:
        if parse_spec(bot).target not in BUILT_IN:
            return False
        self._kept[bot] = make_bot(bot)
        return True


def _play_with_guests(played: Played, deck: Deck) -> None:
    spec, events, state, asked, forfeits = played
    asked.update({bot: 0 for bot in spec.bots if parse_spec(bot).kind == "program"})
    with Seats(spec.bots) as seats:
        seats.start(spec.seed, state)
        while state.phase is not OVER:
            bot = spec.bots[state.to_act]
            if bot in asked:
                asked[bot] += 1
            advance(state, seats.decide(state), deck, events)
        seats.end(state)
        forfeits += seats.forfeits


class _Counts:
    """The results of a chunk."""

    def __init__(self, groups: list[Group]) -> None:
        self._groups = groups
        self.games = self.events = 0
        self.digest = NO_DIGEST
        self.tallies: dict[int, GroupTally] = {}
        self.comparisons: dict[int, RulesTally] = {}
        self.skips = 0
        self.skipped: list[Skipped] = []
        self.forfeits = 0
        self.forfeited: list[Forfeit] = []
        self.programs: dict[str, Answers] = {}

    def skip(self, spec: GameSpec, games: int, error: SimulationError) -> None:
        """Count that a game could not be played, and with it so many are left out."""
        self.skips += games
        if len(self.skipped) < KEPT:
            self.skipped.append(Skipped(spec.index, spec.seed, str(error)))

    def add(self, game: Played, seal: str) -> None:
        """Count that a game was played."""
        self.games += 1
        self.events += len(game.events)
        self.digest = add_digests(self.digest, game_digest(game.spec.index, seal))
        self.forfeits += len(game.forfeits)
        self.forfeited += game.forfeits[: KEPT - len(self.forfeited)]
        count_answers(self.programs, game.asked, game.forfeits)

    def close(self, unit: list[GameSpec], played: list[Played]) -> None:
        """Count the results of a unit, those of a group as one sample; and compare the games that
        could be played: contestants, where they are of one group, else the rulesets with that of
        the unit's first game."""
        first = unit[0]
        for number, games in groupby(played, lambda game: game.spec.group):
            if number not in self.tallies:
                self.tallies[number] = empty_tally(self._groups[number])
            sample = [(game.spec, game.events) for game in games]
            self.tallies[number].count(sample)
            if len(sample) == len(unit) > 1:
                self.tallies[number].pair_up(sample)
        if unit[-1].group == first.group:
            return
        if played and played[0].spec == first:
            figures = [figures_of(game.spec, game.events, game.state) for game in played]
            for game, other in zip(played[1:], figures[1:], strict=True):
                self.comparisons.setdefault(game.spec.group, no_games()).add(figures[0], other)


def play_chunk(plan: Plan, task: Task) -> Chunk:
    """Play a chunk, write its file if it has one, and count its results.

    Raises:
        SimulationError: a game could not be played (without ``keep_going``).
        SetupError: the archive has other games under the same ids.
        LogError: the file could not be written.
    """
    groups = plan.groups()
    counts = _Counts(groups)
    house = House()
    name = task.file
    path = None if name is None else Path(task.folder) / name
    with _ChunkFile(path) as out, _archive(task) as archive:
        for number in range(task.first, task.last):
            unit = plan.unit(number, groups)
            played: list[Played] = []
            for _, sample in groupby(unit, lambda spec: spec.group):
                played += _play_sample(list(sample), house, counts, task.keep_going)
            for game in played:
                made = encoded_game(game.events, bots=game.spec.bots)
                out.write(made.data)
                if archive is not None:
                    archive.add_made(made, game.state)
                counts.add(game, made.seal)
            counts.close(unit, played)
        if archive is not None:
            _commit(archive, plan, task)
    return Chunk(
        task.chunk,
        counts.games,
        counts.events,
        counts.digest,
        counts.tallies,
        counts.comparisons,
        name if out.size else None,
        out.size,
        out.sha256,
        counts.skips,
        tuple(counts.skipped),
        counts.forfeits,
        tuple(counts.forfeited),
        counts.programs,
    )


def _play_sample(
    sample: list[GameSpec], house: House, counts: _Counts, keep_going: bool
) -> list[Played]:
    """The games of a sample: all of them, or none, as those that are left would not be balanced."""
    played = []
    for spec in sample:
        try:
            played.append(house.play(spec))
        except SimulationError as error:
            if not keep_going:
                raise
            counts.skip(spec, len(sample), error)
            return []
    return played


def _archive(task: Task) -> AbstractContextManager[ArchiveWriter | None]:
    if task.archive is None:
        return nullcontext()
    from tenlog.archive import ArchiveWriter

    return ArchiveWriter(task.archive)


def _commit(archive: ArchiveWriter, plan: Plan, task: Task) -> None:
    """The chunk goes into the archive whole; if an earlier run got as far, it is there already."""
    done = archive.commit(key=task.archive_key)
    if done.clashes:
        raise SetupError(_clash(plan, task, list(done.clashes)))


def _clash(plan: Plan, task: Task, ids: list[str]) -> str:
    """Whose games are in the way, for people."""
    from tenlog.archive import get_game

    assert task.archive is not None
    groups = plan.groups()
    units = range(task.first, task.last)
    mine = next(s for number in units for s in plan.unit(number, groups) if s.game == ids[0])
    theirs = decode_line(get_game(task.archive, mine.game).partition(b"\n")[0]).ev
    be = "is" if len(ids) == 1 else "are"
    told = (
        f"{counted(len(ids), 'game')} {be} in {task.archive} with other content under the same id, "
        f"such as {mine.game}"
    )
    if isinstance(theirs, GameStarted) and theirs.rules != mine.rules:
        return (
            f"{told}, played by other rules: to compare rulesets, play them in one command with "
            "--rules for each; else choose another seed, or another archive"
        )
    return f"{told}: choose another seed, or another archive"


class _ChunkFile:
    """A file that appears under its name only when it is whole and on the disk, and not without any
    game."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._empty = True
        self.size = 0
        self.sha256 = ""

    def __enter__(self) -> _ChunkFile:
        if self._path is None:
            return self
        self._partial = beside(self._path)
        try:
            self._file = os.fdopen(open_new(self._partial), "wb")
            self._out = (
                zstd_module().open(self._file, "wb", level=_LEVEL)
                if self._path.suffix == ".zst"
                else self._file
            )
        except OSError as error:
            raise log_error(self._path, error, "write") from None
        return self

    def write(self, data: bytes) -> None:
        """Add a game."""
        if self._path is None:
            return
        self._empty = False
        try:
            self._out.write(data)
        except OSError as error:
            raise log_error(self._path, error, "write") from None

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if self._path is None:
            return
        try:
            if self._out is not self._file:
                self._out.close()
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()
            if kind is not None or self._empty:
                return
            data = self._partial.read_bytes()
            self.size = len(data)
            self.sha256 = sha256(data).hexdigest()
            self._partial.replace(self._path)
        except OSError as problem:
            for file in (self._out, self._file):  # or Python tries again, and tells, at its end
                with suppress(OSError, ValueError):
                    file.close()
            raise log_error(self._path, problem, "write") from None
        finally:
            self._partial.unlink(missing_ok=True)
