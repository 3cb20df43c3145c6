"""Judging pieces, here or in several processes; what comes out is in the order of what went in.

Results wait until it is their turn. What waits is bounded: where too much does, only the process
whose turn it is is listened to, and the others stop by themselves when their pipes are full.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Final

import msgspec

from tenlog.audit.judge import Settings
from tenlog.audit.pieces import Games, Piece, judge_piece
from tenlog.audit.verdict import Judged
from tenlog.errors import LogError

if TYPE_CHECKING:
    from multiprocessing.context import SpawnContext

_AHEAD: Final = 2  # pieces that a process has: the one that it works on and the next one
_BATCH: Final = 256  # games that are sent at once at most
_BATCH_BYTES: Final = 1 << 16
_WAITING: Final = 8 << 20  # bytes of results that may wait


class Done(msgspec.Struct, frozen=True):
    """A piece is judged: so many lines, and why not all of it could be read."""

    lines: int
    unread: str | None = None


class Batch(msgspec.Struct, frozen=True):
    """Some games of a piece, in order."""

    games: list[Judged]


Report = Batch | Done

_encode = msgspec.msgpack.Encoder().encode
_BATCH_MARK: Final = b"B"
_DONE_MARK: Final = b"D"


def _packed(report: Report) -> bytes:
    mark = _DONE_MARK if isinstance(report, Done) else _BATCH_MARK
    return mark + _encode(report)


def _unpacked(data: bytes) -> Report:
    if data.startswith(_DONE_MARK):
        return msgspec.msgpack.decode(memoryview(data)[1:], type=Done)
    return msgspec.msgpack.decode(memoryview(data)[1:], type=Batch)


def work_on(piece: Piece, settings: Settings) -> Iterator[Report]:
    """A piece, judged here: batches of games, then one :class:`Done`."""
    games = Games(piece)
    judged = judge_piece(piece, settings, games)
    batch: list[Judged] = []
    size = 0
    unread: str | None = None
    try:
        for game in judged:
            batch.append(game)
            size += 1 + len(game.held)
            if len(batch) == _BATCH or size > _BATCH_BYTES:
                yield Batch(batch)
                batch, size = [], 0
    except LogError as error:
        unread = str(error)
    if batch:
        yield Batch(batch)
    yield Done(games.lines, unread)


def run_here(pieces: Iterator[Piece], settings: Settings) -> Iterator[tuple[Piece, Report]]:
    """Judge pieces one after another in this process."""
    for piece in pieces:
        for report in work_on(piece, settings):
            yield piece, report


def _serve(pipe: Connection, settings: bytes) -> None:
    """What a process does: judge the pieces that come in until nobody sends any more."""
    import contextlib
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started us ends us
    wanted = msgspec.msgpack.decode(settings, type=Settings)
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            piece = msgspec.msgpack.decode(pipe.recv_bytes(), type=Piece)
            for report in work_on(piece, wanted):
                pipe.send_bytes(_packed(report))


class _Worker:
    """A process, and the numbers of the pieces that it has."""

    def __init__(self, context: SpawnContext, settings: Settings) -> None:
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(
            target=_serve, args=(theirs, _encode(settings)), daemon=True, name="tenlog-audit"
        )
        self.process.start()
        theirs.close()
        self.numbers: deque[int] = deque()

    def stop(self) -> None:
        self.pipe.close()
        self.process.terminate()
        self.process.join()


class _Pool:
    """The processes, the pieces that are out, and the results that wait for their turn."""

    def __init__(self, pieces: Iterator[Piece], settings: Settings, jobs: int) -> None:
        from multiprocessing import get_context

        self._context = get_context("spawn")
        self._pieces = pieces
        self._settings = settings
        self._more = True
        self.workers = [_Worker(self._context, settings) for _ in range(jobs)]
        self.given = 0
        self.out: dict[int, Piece] = {}
        self.results: dict[int, deque[bytes]] = {}
        self.waiting = 0

    def give(self) -> None:
        """Hand out pieces, each to the process that has the fewest."""
        while self._more:
            worker = min(self.workers, key=lambda worker: len(worker.numbers))
            if len(worker.numbers) >= _AHEAD:
                return
            piece = next(self._pieces, None)
            if piece is None:
                self._more = False
                return
            self.out[self.given] = piece
            self.results[self.given] = deque()
            worker.numbers.append(self.given)
            self.given += 1
            if not piece.source.path:
                # Standard input is read here, when it is its turn.
                worker.numbers.pop()
                continue
            self._send(worker, piece)

    def _send(self, worker: _Worker, piece: Piece) -> None:
        # Should it be dead, that is noticed where it is listened to.
        import contextlib

        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            worker.pipe.send_bytes(_encode(piece))

    def listen(self, turn: int) -> None:
        """Take in what the processes say; only of the one whose turn it is if too much waits."""
        busy = [worker for worker in self.workers if worker.numbers]
        if self.waiting > _WAITING:
            busy = [worker for worker in busy if worker.numbers[0] == turn] or busy
        pipes = {worker.pipe: worker for worker in busy}
        for pipe in wait(list(pipes)):
            assert isinstance(pipe, Connection)
            self._take(pipes[pipe])

    def _take(self, worker: _Worker) -> None:
        number = worker.numbers[0]
        try:
            data = worker.pipe.recv_bytes()
        except (EOFError, ConnectionResetError):
            self._replace(worker)
            return
        self.results[number].append(data)
        self.waiting += len(data)
        if data.startswith(_DONE_MARK):
            worker.numbers.popleft()

    def _replace(self, worker: _Worker) -> None:
        """A process has died: the piece that it worked on can't be judged, its next one can."""
        label = self.out[worker.numbers[0]].source.label
        died = Done(0, f"can't judge {label}: the process that did ended (out of memory?)")
        data = _packed(died)
        self.results[worker.numbers.popleft()].append(data)
        self.waiting += len(data)
        worker.stop()
        new = _Worker(self._context, self._settings)
        for number in worker.numbers:
            new.numbers.append(number)
            self._send(new, self.out[number])
        self.workers[self.workers.index(worker)] = new

    def stop(self) -> None:
        for worker in self.workers:
            worker.stop()


def run_pool(
    pieces: Iterator[Piece], settings: Settings, jobs: int
) -> Iterator[tuple[Piece, Report]]:
    """Judge pieces in several processes; the same in the same order as :func:`run_here`."""
    pool = _Pool(pieces, settings, jobs)
    try:
        turn = 0
        pool.give()
        while turn < pool.given:
            piece = pool.out[turn]
            if not piece.source.path:
                for report in work_on(piece, settings):
                    yield piece, report
                finished = True
            else:
                while not pool.results[turn]:
                    pool.listen(turn)
                data = pool.results[turn].popleft()
                pool.waiting -= len(data)
                report = _unpacked(data)
                finished = isinstance(report, Done)
                yield piece, report
            if finished:
                del pool.out[turn], pool.results[turn]
                turn += 1
            pool.give()
    finally:
        pool.stop()
