"""What stops a question to the archive while it runs: a time that is over, or Ctrl-C."""

from __future__ import annotations

import contextlib
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tenlog.archive.engine import hears_interrupts

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


class Stop:
    """What stops a question while it runs, from another thread: a time that is over, or Ctrl-C.

    Python itself acts on a signal only when DuckDB lets it, which may take long. And what comes
    just before DuckDB begins is lost: so it is interrupted again and again until it has heard.
    Either may be first to tell of Ctrl-C, DuckDB or Python; whoever asked hears of it once.

    Attributes:
        late: whether the time was over.
        interrupted: whether Ctrl-C came.
    """

    def __init__(self, con: DuckDBPyConnection) -> None:
        self._con = con
        self._done = threading.Event()
        self._raising = False
        self._told = False
        self.late = False
        self.interrupted = False

    def _until_heard(self) -> None:
        with contextlib.suppress(Exception):  # it may have been closed by now
            while not self._done.wait(0.02):
                self._con.interrupt()

    def _too_late(self) -> None:
        self.late = True
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
    def watching(self, timeout: float | None) -> Iterator[None]:
        """Stop what runs meanwhile after ``timeout`` seconds, or at Ctrl-C."""
        timer = threading.Timer(timeout or 0, self._too_late)
        timer.daemon = True
        if timeout is not None:
            timer.start()
        try:
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
