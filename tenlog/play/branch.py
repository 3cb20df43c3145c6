"""A game that goes on from a point of another one; taking a decision back is one of these.

A log is never rewritten. A branch is a new game with an id of its own, on a log beside the parent,
that begins with a copy of the parent's events; ``from`` on its first line says where it left the
parent (FORMAT 2). Taking back also notes that the parent was left (:mod:`tenlog.play.left`); both
together say which games go on as others: :func:`left_games`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import msgspec
from msgspec import UNSET

from tenlog.errors import LogError, SetupError, UndoRefused
from tenlog.game.decide import settle
from tenlog.game.decision import decision_of
from tenlog.game.events import CardDrawn, Event, GameFinished, GameStarted
from tenlog.game.state import OVER
from tenlog.log.codec import NO_SEAL, Origin, seal_of
from tenlog.log.read import GameLog, read_games, read_one
from tenlog.log.replay import replay_strictly
from tenlog.log.store import create_log, read_seed
from tenlog.play.left import left_for, note_left
from tenlog.play.session import Session, resume_session
from tenlog.play.setup import new_id_refused
from tenlog.shuffle import commitment

_ID_LENGTH: Final = 64


class BranchReport(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A branch that was made.

    Attributes:
        file: the new log.
        game: the new game's id.
        parent: the file of the game that it left.
        parent_game: that game's id.
        origin: ``from`` as it stands in the new log: the last shared event, and the parent's seal
            there.
        shared: how many events were copied.
        completed: events that had to follow by the rules, because the point lay inside a decision.
        to_act: the seat that is asked now.
        bots: who decides, by seat; None for a person.
    """

    file: str
    game: str
    parent: str
    parent_game: str
    origin: Origin = msgspec.field(name="from")
    shared: int
    completed: tuple[Event, ...]
    to_act: int
    bots: tuple[str | None, ...]


def seal_after(log: GameLog, n: int) -> str:
    """The seal of event n: the one that its line has, or would have if it were sealed.

    So every event of a game has a seal, also in a game that is sealed on its last line only; and a
    game that goes on does not change those it had.
    """
    seal = NO_SEAL
    start = end = 0
    data = log.text.data
    for line in log.lines[:n]:
        end = data.index(b"\n", end) + 1
        if line.h is not UNSET:
            seal, start = line.h, end
    line = log.lines[n]
    if line.h is not UNSET:
        return line.h
    stop = data.find(b"\n", end)
    body = data[start : stop if stop >= 0 else len(data)]
    return seal_of(seal, body.removesuffix(b"}"))


def make_branch(
    log: GameLog,
    path: Path,
    at: int,
    *,
    out: Path | None = None,
    folder: Path | None = None,
    game: str | None = None,
    bots: Sequence[str | None] | None = None,
) -> BranchReport:
    """A new game that shares the first ``at`` events of another one; the parent is not touched.

    If the point lies inside a decision (between a draw and its bust, say), what must follow is
    completed, as it would be on resuming.

    Args:
        log: the parent as it was read.
        path: its file; the branch goes beside it, named after its id, unless ``out`` says where.
        at: 1 … the number of the parent's events.
        out: the new log; must not be there yet.
        folder: where it goes instead of beside the parent, if ``out`` is left away.
        game: the new id; else the parent's with the point.
        bots: who decides, by seat; else as the parent says.

    Raises:
        SetupError: no such point, nothing to decide after it, a bad id, wrong number of bots.
        LogFault: the parent has a fault before that point.
        LogError: the seed is missing, or the log can't be written.
    """
    committed = len(log.lines)
    if log.fault is not None:
        # Of a damaged log only what a good seal covers is known to be what was written.
        while committed and log.lines[committed - 1].h is UNSET:
            committed -= 1
    if not 1 <= at <= committed:
        reason = "" if log.fault is None else f"; what follows is faulty: {log.fault.message}"
        raise SetupError(
            f"{path} has {committed} good events to share, from event 0 on, not {at}{reason}"
        )
    parent = _cut(log, at)
    seed = _seed(log, path)
    found = replay_strictly(parent, path, seed=seed)
    state = found.state
    assert state is not None
    start = found.events[0]
    assert isinstance(start, GameStarted)
    completed: list[Event] = []
    settle(state, seed, completed)
    if state.phase is OVER:
        raise SetupError(
            f"{path}: nothing is left to decide after event {at - 1}: share fewer events"
        )
    specs = _bots(log, state.players, bots)
    for file, name in _names(path, start.game, at, out, folder, game):
        first = msgspec.structs.replace(start, game=name)
        origin = Origin(seal_after(log, at - 1), at - 1)
        create_log(
            file,
            [first, *found.events[1:], *completed],
            seed=seed if start.seed is None else None,
            bots=specs if any(specs) or log.bots else None,
            origin=origin,
        ).close()
        return BranchReport(
            str(file),
            name,
            str(path),
            start.game,
            origin,
            at,
            tuple(completed),
            state.to_act,
            specs,
        )
    raise LogError(f"{path}: no free name for a branch is left beside it")


def _cut(log: GameLog, at: int) -> GameLog:
    """The game as it was after its first ``at`` events."""
    short = GameLog(log.text)
    short.lines = log.lines[:at]
    short.committed = log.committed
    short.seal = log.seal
    return short


def _seed(log: GameLog, path: Path) -> str:
    start = log.start
    assert start is not None
    if start.seed is not None:
        return start.seed
    last = log.lines[-1].ev
    seed = last.seed if isinstance(last, GameFinished) else read_seed(path)
    if seed is None or commitment(seed) != start.commitment:
        raise LogError(
            f"{path}: the game is sealed, and its seed is not here: {path.name}.seed is needed to "
            "go on with it"
        )
    return seed


def _bots(
    log: GameLog, players: Sequence[str], bots: Sequence[str | None] | None
) -> tuple[str | None, ...]:
    specs = tuple(bots) if bots is not None else (log.bots or (None,) * len(players))
    if len(specs) != len(players):
        raise SetupError(f"{len(specs)} bots or persons for {len(players)} players")
    return specs


def _names(
    path: Path, parent: str, at: int, out: Path | None, folder: Path | None, game: str | None
) -> Iterable[tuple[Path, str]]:
    """Files and ids to be tried: the first one that is not taken."""
    if game is not None:
        refused = new_id_refused(game)
        if refused is not None:
            raise SetupError(refused)
    for number in range(1, 1000):
        tail = f"-at{at}" + (f"-{number}" if number > 1 else "")
        # Logs of others may have ids that would be hidden, or taken for an option.
        own = parent.lstrip(".-")[: _ID_LENGTH - len(tail)] + tail
        name = game if game is not None else own.lstrip("-")
        if out is not None:
            yield out, name
            return
        file = (folder or path.parent) / f"{name}.jsonl"
        if game is not None or not file.exists():
            yield file, name


def undo(session: Session, seat: int | None = None) -> Session:
    """Take the last decision back: the game goes on in a branch beside its log, from just before.

    That is allowed as long as it gave nothing away and bound nobody else: no card was turned up by
    it or since, and nobody else has decided since. The session that is given is closed; the new
    one is the game from now on, and :func:`left_games` knows it.

    ``seat``: who wants to take back; whoever decided last if None.

    Raises:
        UndoRefused: why not; the session is as it was.
        LogError: the branch can't be written; the session is as it was.
    """
    events = session.events
    at = next((n for n in range(len(events) - 1, 0, -1) if decision_of(events[n])), 0)
    decision = decision_of(events[at]) if at else None
    if decision is None:
        raise UndoRefused("nothing was decided yet")
    name = session.state.players[decision.seat]
    if session.over:
        raise UndoRefused("the game is finished")
    if seat is not None and decision.seat != seat:
        raise UndoRefused(f"{name} has decided since")
    if session.bots[decision.seat] is not None:
        raise UndoRefused(f"{name}, a bot, has decided since")
    if isinstance(events[at], CardDrawn):
        raise UndoRefused("a card was turned up, and everybody has seen it")
    path = session.writer.path
    log = read_one(path)
    made = make_branch(log, path, at, bots=session.bots if any(session.bots) else None)
    note_left(path, made.game)
    session.close()
    return resume_session(Path(made.file), foreign=True)


class LeftGame(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A game in progress that was left: it goes on as another one."""

    file: str
    game: str
    on_file: str
    on_game: str


def left_games(paths: Iterable[Path]) -> list[LeftGame]:
    """Which games of some logs were left, and where each of them goes on; in order of the paths.

    A game is left if it is in progress, a decision of it was taken back, and the branch that was
    made for that is one of these and begins just before its last decision. Whoever goes on with it
    all the same makes it a game of its own again, since then the branch no longer begins there.
    Logs that can't be read are passed over.
    """
    branches: dict[tuple[Origin, str], str] = {}
    ends: list[tuple[str, str, Origin, str]] = []
    for path in paths:
        try:
            for log in read_games(path):
                start = log.start
                if start is None or log.fault is not None:
                    continue
                origin = log.lines[0].origin
                if isinstance(origin, Origin):
                    branches[origin, start.game] = str(path)
                on_game = None if log.finished else left_for(path)
                if on_game is not None:
                    ends.append((str(path), start.game, _end(log), on_game))
        except (LogError, OSError):
            continue
    return [
        LeftGame(file, game, branches[point, on_game], on_game)
        for file, game, point, on_game in ends
        if (point, on_game) in branches
    ]


def is_untouched(log: GameLog) -> bool:
    """Whether a game is a branch in which nobody has decided anything yet."""
    origin = log.lines[0].origin if log.lines else UNSET
    if not isinstance(origin, Origin):
        return False
    return not any(decision_of(line.ev) for line in log.lines[origin.n + 1 :])


def _end(log: GameLog) -> Origin:
    """The point just before the last decision: where a branch goes on that took it back."""
    last = next((n for n in range(len(log.lines) - 1, 0, -1) if decision_of(log.lines[n].ev)), 1)
    return Origin(seal_after(log, last - 1), last - 1)
