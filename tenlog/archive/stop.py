"""What stops a question to the archive while it runs: a time that is over, too much memory, or
Ctrl-C."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tenlog.archive.engine import hears_interrupts

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


GRACE: Final = 3.0  # seconds in which DuckDB has to hear that it is to stop
# Bytes that the process may take besides what DuckDB counts: a single value (a text, a list) is
# not counted, and not interrupted, while it is made.
ROOM: Final = 512 << 20


def memory_taken() -> int:
    """Bytes of memory that this process has; 0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_bytes().split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


class Stop:
    """What stops a question while it runs, from another thread: a time that is over, too much
    memory, or Ctrl-C.

    Python itself acts on a signal only when DuckDB lets it, which may take long. And what comes
    just before DuckDB begins is lost: so it is interrupted again and again until it has heard.
    Either may be first to tell of Ctrl-C, DuckDB or Python; whoever asked hears of it once.

    Attributes:
        seconds: how long the question may take, if that is bounded.
        late: whether that was over.
        greedy: whether the process took too much memory.
        interrupted: whether Ctrl-C came.
    """

    def __init__(
        self, con: DuckDBPyConnection, give_up: Callable[[Stop], object] | None = None
    ) -> None:
        """``give_up`` is called, from another thread, where DuckDB has not heard after
        :data:`GRACE` seconds that it is to stop: it hears nothing while it plans a question or
        makes one large value. Without it, it is waited for."""
        self._con = con
        self._give_up = give_up
        self._done = threading.Event()
        self._raising = False
        self._told = False
        self.seconds: float | None = None
        self.late = False
        self.greedy = False
        self.interrupted = False

    def _until_heard(self) -> None:
        began = time.monotonic()
        with contextlib.suppress(Exception):  # it may have been closed by now
            while not self._done.wait(0.02):
                self._con.interrupt()
                if self._give_up is not None and time.monotonic() - began > GRACE:
                    self._give_up(self)

    def _too_late(self) -> None:
        self.late = True
        self._until_heard()

    def _weigh(self, most: int) -> None:
        while not self._done.wait(0.05):
            if memory_taken() > most:
                self.greedy = True
                self._until_heard()

    def _watch(self, signals: socket.socket) -> None:
        while heard := signals.recv(1):
            if heard[0] == signal.SIGINT:
                self.interrupted = True
                self._until_heard()

    def _heard(self, *_: object) -> None:
        self.interrupted = True
        if self._raising and not self._told:
            self._told = True
            raise KeyboardInterrupt

    @contextmanager
    def watching(self, timeout: float | None, memory: int) -> Iterator[None]:
        """Stop what runs meanwhile after ``timeout`` seconds, where the process takes more than
        ``memory`` bytes besides what it has, or at Ctrl-C."""
        self.seconds = timeout
        timer = threading.Timer(timeout or 0, self._too_late)
        timer.daemon = True
        most = memory_taken() + memory + ROOM
        try:
            if timeout is not None:
                timer.start()
            threading.Thread(target=self._weigh, args=(most,), daemon=True).start()
            with self._signals():
                yield
        finally:
            timer.cancel()
            self._done.set()

    @contextmanager
    def _signals(self) -> Iterator[None]:
        if not hears_interrupts():
            yield
            return
        ours, theirs = socket.socketpair()
        theirs.setblocking(False)
        watcher = threading.Thread(target=self._watch, args=(ours,), daemon=True)
        watcher.start()  # before anything that would have to be undone if it can't, or is disturbed
        signal.signal(signal.SIGINT, self._heard)
        before = signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
        try:
            try:
                self._raising = True
                if self.interrupted:  # meanwhile
                    raise KeyboardInterrupt
                yield
            finally:
                self._raising = False
        finally:
            signal.set_wakeup_fd(before)
            self._done.set()
            theirs.close()
            watcher.join()
            ours.close()
            signal.signal(signal.SIGINT, signal.default_int_handler)  # after what still waits
        if self.interrupted and not self._told:
            raise KeyboardInterrupt
