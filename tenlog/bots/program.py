"""A program that is talked to in lines over its standard input and output, and never trusted.

Nothing here blocks for longer than it was told to: all pipes are read and written as far as they
go, against one deadline. Its standard error is read on the way, and the tail of it is kept. What
was started is ended and reaped, with everything in its process group, whatever it does.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
import weakref
from typing import Final

from tenlog.bots.base import BotFault
from tenlog.errors import BotError

LINE_LIMIT: Final = 65_536  # bytes of an answer, newline included
FLOOD_LIMIT: Final = 4 * LINE_LIMIT  # bytes that may be said while one answer is waited for
TAIL: Final = 4_096  # bytes of standard error that are kept
GRACE: Final = 0.5  # seconds to end after its input was closed, and again after SIGTERM


def _end(process: subprocess.Popen[bytes], grace: float) -> None:
    """End a process and its group, and reap it. Waits ``grace`` seconds at most, twice; Ctrl-C, or
    whatever else breaks in on that, cuts the waiting short, but not the end."""
    if process.returncode is not None:
        return  # reaped: its number may be somebody else's by now
    try:
        _ask_to_end(process, grace)
    finally:
        # Whatever is left of the group, also where its leader ended by itself. The leader is not
        # reaped yet, so that its number can't belong to anybody else.
        _signal(process, signal.SIGKILL)
        process.wait()


def _ask_to_end(process: subprocess.Popen[bytes], grace: float) -> None:
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()
    if not _exited(process, grace):
        _signal(process, signal.SIGTERM)
        _exited(process, grace)


def _exited(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Whether a process ends within so many seconds; it is not reaped."""
    until = time.monotonic() + seconds
    pause = 0.001
    while True:
        try:
            if os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                return True
        except ChildProcessError:
            return True
        left = until - time.monotonic()
        if left <= 0:
            return False
        time.sleep(min(pause, left))
        pause = min(pause * 2, 0.02)


def _signal(process: subprocess.Popen[bytes], which: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, which)


class Program:
    """A running program; :meth:`stop` has to be called.

    Raises:
        BotError: it can't be started.
    """

    def __init__(self, words: list[str]) -> None:
        try:
            self._process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                # A group of its own: Ctrl-C in the terminal is not for it, and it ends as a whole.
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise BotError(f"can't start {words[0]!r}: {(reason or str(error)).lower()}") from None
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self._in, self._out, self._err = (
            process.stdin.fileno(),
            process.stdout.fileno(),
            process.stderr.fileno(),
        )
        for pipe in (self._in, self._out, self._err):
            os.set_blocking(pipe, False)
        self._unsent = b""
        self._said = b""  # read, but no whole line yet
        self._tail = b""
        self._open = {self._out, self._err}
        # If it is forgotten, or the interpreter ends: no process is left behind.
        self._finalizer = weakref.finalize(self, _end, process, 0.0)

    @property
    def pid(self) -> int:
        """The number of the process, which is that of its group too."""
        return self._process.pid

    def tell(self, line: bytes) -> None:
        """Queue a line (without its newline); it is written while the next answer is read."""
        self._unsent += line + b"\n"

    def hear(self, seconds: float, since: float | None = None) -> bytes:
        """The next line that it says, without its newline. ``since``: when the waiting began, as
        ``time.monotonic()`` has it; now if left out.

        Raises:
            BotFault: slow, closed or flooded.
        """
        until = (time.monotonic() if since is None else since) + seconds
        heard = 0
        with selectors.DefaultSelector() as selector:
            for pipe in self._open:
                selector.register(pipe, selectors.EVENT_READ)
            writing = False
            while True:
                line, newline, rest = self._said.partition(b"\n")
                if newline and len(line) < LINE_LIMIT:
                    self._said = rest
                    return line
                if len(self._said) >= LINE_LIMIT or heard > FLOOD_LIMIT:
                    raise BotFault("flooded", f"more than {LINE_LIMIT} bytes where a line was due")
                if self._out not in self._open:
                    raise BotFault("closed", "it ended, or closed its output")
                if bool(self._unsent) != writing:
                    writing = not writing
                    if writing:
                        selector.register(self._in, selectors.EVENT_WRITE)
                    else:
                        selector.unregister(self._in)
                left = until - time.monotonic()
                if left <= 0:
                    raise BotFault("slow", f"no answer within {seconds * 1000:.0f} ms")
                for key, _ in selector.select(left):
                    if key.fd == self._in:
                        self._write()
                    else:
                        heard += self._read(key.fd, selector)

    def _write(self) -> None:
        try:
            self._unsent = self._unsent[os.write(self._in, self._unsent) :]
        except BlockingIOError:
            pass
        except OSError:
            self._unsent = b""  # nobody reads; its output will tell whether it still lives

    def _read(self, pipe: int, selector: selectors.BaseSelector) -> int:
        """Read what there is; how many bytes of standard output that was."""
        try:
            data = os.read(pipe, LINE_LIMIT)
        except BlockingIOError:
            return 0
        except OSError:
            data = b""
        if not data:
            selector.unregister(pipe)
            self._open.discard(pipe)
        if pipe == self._err:
            self._tail = (self._tail + data)[-TAIL:]
            return 0
        self._said += data
        return len(data)

    def stderr_tail(self) -> str:
        """The end of what it said on standard error, up to now."""
        while self._err in self._open:
            try:
                data = os.read(self._err, LINE_LIMIT)
            except OSError:
                break
            if not data:
                self._open.discard(self._err)
            self._tail = (self._tail + data)[-TAIL:]
            if len(data) == LINE_LIMIT:
                break  # it goes on and on
        return self._tail.decode("utf-8", "replace")

    def stop(self, *, grace: float = GRACE) -> None:
        """Say what is still to be said if that can be done at once, and end it: its input is
        closed; ``grace`` seconds later SIGTERM, again ``grace`` seconds later SIGKILL, each to the
        whole process group. Returns when it is gone."""
        if not self._finalizer.alive:
            return
        if self._unsent:
            self._write()
        self.stderr_tail()
        self._open.clear()
        _end(self._process, grace)
        self._finalizer.detach()
