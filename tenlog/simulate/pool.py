"""Chunks over processes: who plays them, and how the processes end."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections import deque
from collections.abc import Generator, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, resource_tracker
from multiprocessing.process import BaseProcess, parent_process
from pathlib import Path
from threading import Thread
from types import FrameType
from typing import Final

from tenlog.errors import WorkerDied
from tenlog.simulate.journal import Chunk
from tenlog.simulate.worker import Plan, Task, play_chunk

_UNSAID: Final = "ignore:resource_tracker:UserWarning"
GRACE: Final = 3.0  # seconds that a process has to end by itself


def in_order(plan: Plan, tasks: Iterator[Task | None], jobs: int) -> Generator[Chunk, None, None]:
    """Chunks in the order of the tasks, whoever plays them. At a None all that comes before is
    handed over before anything else is begun.

    Closed before its end, it does not wait for what is being played: a chunk counts whole or not at
    all, and a bot need not ever answer.

    Raises:
        SimulationError: a game could not be played.
        WorkerDied: a process died.
    """
    if jobs <= 1:
        for task in tasks:
            if task is not None:
                yield play_chunk(plan, task)
        return
    _start_tracker()
    pool = ProcessPoolExecutor(jobs, get_context("spawn"), _begin, (str(Path.cwd()),))
    waiting: deque[Future[Chunk]] = deque()
    complete = False
    try:
        for task in tasks:
            if task is not None:
                waiting.append(pool.submit(_play, plan, task))
            # A window, so that neither results nor tasks pile up while one chunk is slow.
            while waiting and (task is None or len(waiting) >= 2 * jobs):
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
        complete = True
    except BrokenProcessPool:
        raise WorkerDied(
            "a worker process died (out of memory, or killed); what is done is kept: "
            "the same command goes on from there"
        ) from None
    finally:
        if not complete:
            _end(pool)
        pool.shutdown(wait=True, cancel_futures=True)


def _start_tracker() -> None:
    """Start Python's process that tidies up after us. Where we are killed it does, but would say so
    on the terminal, in words that help nobody."""
    sys.warnoptions.append(_UNSAID)  # it gets these, and begins only once
    try:
        resource_tracker.ensure_running()
    finally:
        sys.warnoptions.remove(_UNSAID)


def _end(pool: ProcessPoolExecutor) -> None:
    """End the processes of a pool, whatever they do: first so that they tidy up."""
    processes: list[BaseProcess] = list((pool._processes or {}).values())
    for process in processes:
        process.terminate()
    end = time.monotonic() + GRACE
    for process in processes:
        process.join(max(0.0, end - time.monotonic()))
        if process.exitcode is None:
            process.kill()


def _begin(folder: str) -> None:
    """Let the parent alone answer Ctrl-C; end tidily when it says so, and with it; find bots of the
    user's own where the user stands."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _ending)
    Thread(target=_outlive_nobody, daemon=True).start()
    if folder not in sys.path:
        sys.path.insert(0, folder)


def _outlive_nobody() -> None:
    """End this process when its parent has ended, however that did: nobody takes what it plays."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


class _Ended(BaseException):
    """The parent ends this process."""


class _Ending:
    """What SIGTERM does to a process: it breaks off a chunk that is being played, and no other is
    begun. What the pool itself does, such as handing over a result, is never broken off: that
    would leave its locks and pipes to nobody."""

    def __init__(self) -> None:
        self.due = False
        self._playing = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self.due = True
        if self._playing:
            raise _Ended

    def play(self, plan: Plan, task: Task) -> Chunk:
        """Play a chunk, if the process is not to end."""
        try:
            self._playing = True
            if self.due:
                raise _Ended
            return play_chunk(plan, task)
        except _Ended:
            os._exit(128 + signal.SIGTERM)
        finally:
            self._playing = False


_ending: Final = _Ending()


def _play(plan: Plan, task: Task) -> Chunk:
    return _ending.play(plan, task)
