"""Working on items, here or in several processes; what comes out is in the order of what went in.

Reports wait until it is their turn. What waits is bounded: where too much does, only the process
whose turn it is is listened to, and the others stop by themselves when their pipes are full.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from itertools import chain
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, TypeVar

import msgspec

if TYPE_CHECKING:
    from multiprocessing.context import SpawnContext

_AHEAD: Final = 2  # items that a process has: the one that it works on and the next one
_WAITING: Final = 8 << 20  # bytes of reports that may wait
_LISTED: Final = 10_000  # items that are small, but many

Item = TypeVar("Item")
Report = TypeVar("Report")

_encode = msgspec.msgpack.Encoder().encode
_END: Final = _encode(None)  # of the reports of an item


class Job(ABC, Generic[Item, Report]):
    """What is done with each item. It goes to other processes pickled; items and reports go to and
    fro as MessagePack.

    Attributes:
        items, reports: their types, as msgspec decodes them.
    """

    items: ClassVar[Any]
    reports: ClassVar[Any]

    @abstractmethod
    def work(self, item: Item) -> Iterator[Report]:
        """What there is to say of an item."""

    @abstractmethod
    def size(self, item: Item) -> int:
        """How much there is to do: bytes, or so."""

    @abstractmethod
    def here(self, item: Item) -> bool:
        """Whether only this process can work on an item, when it is its turn."""

    @abstractmethod
    def died(self, item: Item) -> Report:
        """What to say of an item whose process ended in the midst of it."""


def in_order(
    items: Iterator[Item], job: Job[Item, Report], jobs: int, worth_it: int
) -> Generator[tuple[Item, Report], None, None]:
    """The reports of all items, in order, from so many processes at most: from others than this
    one only where there are several items and as much to do as is ``worth_it``.

    Close it when it is not read to its end, so that the processes are ended.
    """
    first: list[Item] = []
    size = 0
    while jobs > 1 and len(first) <= _LISTED and (size < worth_it or len(first) < 2):
        item = next(items, None)
        if item is None:
            jobs = 1
        else:
            first.append(item)
            size += job.size(item)
    items = chain(first, items)
    if jobs > 1:
        yield from _Pool(items, job, jobs).run()
        return
    for item in items:
        for report in job.work(item):
            yield item, report


def _serve(pipe: Connection, job: Job[Any, Any]) -> None:
    """What a process does: work on the items that come in until nobody sends any more."""
    import contextlib
    import signal
    from threading import Thread

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started us ends us
    Thread(target=_end_with_parent, daemon=True).start()
    decode = msgspec.msgpack.Decoder(job.items).decode
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            item = decode(pipe.recv_bytes())
            for report in job.work(item):
                pipe.send_bytes(_encode(report))
            pipe.send_bytes(_END)


def _end_with_parent() -> None:
    """A killed parent ends nobody; what is done for it is in vain."""
    import os
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextmanager
def _ctrl_c_waits() -> Iterator[None]:
    """Ctrl-C is for this process alone: a new one that can't ignore it yet never gets it."""
    import signal
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # it takes the block away when it starts
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Worker:
    """A process, and the numbers of the items that it has."""

    def __init__(self, context: SpawnContext, job: Job[Any, Any]) -> None:
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(
            target=_serve, args=(theirs, job), daemon=True, name="tenlog-worker"
        )
        with _ctrl_c_waits():
            self.process.start()
        theirs.close()
        self.numbers: deque[int] = deque()

    def stop(self) -> None:
        self.pipe.close()
        self.process.terminate()
        self.process.join()


class _Pool(Generic[Item, Report]):
    """The processes, the items that are out, and the reports that wait for their turn."""

    def __init__(self, items: Iterator[Item], job: Job[Item, Report], jobs: int) -> None:
        from multiprocessing import get_context

        self._context = get_context("spawn")
        self._items = items
        self._job = job
        self._jobs = jobs
        self._more = True
        self._decode = msgspec.msgpack.Decoder(job.reports).decode
        self.workers: list[_Worker] = []
        self.given = 0
        self.out: dict[int, Item] = {}
        self.results: dict[int, deque[bytes]] = {}
        self.waiting = 0

    def run(self) -> Generator[tuple[Item, Report], None, None]:
        """All reports, in order."""
        try:
            turn = 0
            self._give()
            while turn < self.given:
                item = self.out[turn]
                reports = self._job.work(item) if self._job.here(item) else self._reports(turn)
                for report in reports:
                    yield item, report
                del self.out[turn], self.results[turn]
                turn += 1
                self._give()
        finally:
            for worker in self.workers:
                worker.process.terminate()
            for worker in self.workers:
                worker.stop()

    def _reports(self, turn: int) -> Iterator[Report]:
        """What is said of the item whose turn it is."""
        results = self.results[turn]
        while True:
            while not results:
                self.listen(turn)
                self._give()
            data = results.popleft()
            self.waiting -= len(data)
            if data == _END:
                return
            yield self._decode(data)

    def _give(self) -> None:
        """Hand out items, each to the process that has the fewest."""
        while self._more and (worker := self._free()) is not None:
            item = next(self._items, None)
            if item is None:
                self._more = False
                return
            self.out[self.given] = item
            self.results[self.given] = deque()
            if not self._job.here(item):
                worker.numbers.append(self.given)
                self._send(worker, item)
            self.given += 1

    def _free(self) -> _Worker | None:
        """A process that can be given an item; a new one, if all that there are have something."""
        worker = min(self.workers, key=lambda worker: len(worker.numbers), default=None)
        if len(self.workers) < self._jobs and (worker is None or worker.numbers):
            worker = _Worker(self._context, self._job)
            self.workers.append(worker)
        return None if worker is None or len(worker.numbers) >= _AHEAD else worker

    def _send(self, worker: _Worker, item: Item) -> None:
        # Should it be dead, that is noticed where it is listened to.
        import contextlib

        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            worker.pipe.send_bytes(_encode(item))

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
        try:
            data = worker.pipe.recv_bytes()
        except (EOFError, ConnectionResetError):
            self._replace(worker)
            return
        self._keep(worker, data)

    def _keep(self, worker: _Worker, data: bytes) -> None:
        self.results[worker.numbers[0]].append(data)
        self.waiting += len(data)
        if data == _END:
            worker.numbers.popleft()

    def _replace(self, worker: _Worker) -> None:
        """A process has died: the item that it worked on can't be done, its next one can."""
        self._keep(worker, _encode(self._job.died(self.out[worker.numbers[0]])))
        self._keep(worker, _END)
        worker.stop()
        new = _Worker(self._context, self._job)
        for number in worker.numbers:
            new.numbers.append(number)
            self._send(new, self.out[number])
        self.workers[self.workers.index(worker)] = new
