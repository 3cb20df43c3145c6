"""New logs and the secrets beside them: on the disk, and there whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tenlog.errors import LogError, LogLocked
from tenlog.log.opening import open_handle
from tenlog.log.source import log_error

MODE: Final = 0o644  # of a log


def seed_path(log: Path) -> Path:
    """Where the seed of an unfinished sealed game is kept (FORMAT 5)."""
    return log.with_name(log.name + ".seed")


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise NotADirectoryError(errno.ENOTDIR, f"{folder} is not a folder") from None


def sync_folder(folder: Path) -> None:
    """Have the names in a folder on the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_all(handle: int, data: bytes) -> None:
    """Write all of it, however little the system takes at once."""
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def lock(handle: int, path: Path) -> None:
    """Hold a log for writing, until the handle is closed.

    Raises:
        LogLocked: somebody else holds it.
    """
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise LogLocked(
            f"{path} is being written by another tenlog: finish or quit that one first"
        ) from None


def write_private(path: Path, text: str) -> None:
    """A new file that only its owner can read, on the disk when this returns.

    Raises:
        LogError: it cannot be written, or is there already.
    """
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            write_all(handle, text.encode())
            os.fsync(handle)
            sync_folder(path.parent)
        except OSError:
            path.unlink()  # half a secret is none, and would stand in the way
            raise
        finally:
            os.close(handle)
    except FileExistsError:
        raise LogError(f"{path} is there already, and is not overwritten: move it away") from None
    except OSError as error:
        raise log_error(path, error, "write") from None


class NewLog:
    """A log that is being made: its bytes, at first under another name, and its seed."""

    def __init__(self, path: Path) -> None:
        self.handle = -1
        self._path = path
        # A name of its own: what a killed process left behind must not stand in the way.
        self._partial = path.with_name(f"{_part_of(path)}{secrets.token_hex(4)}.part")
        self._linked = False
        self._seed: Path | None = None

    def keep_seed(self, text: str) -> None:
        """Write the file of the seed."""
        path = seed_path(self._path)
        if os.path.lexists(path):
            raise LogError(
                f"{path} is there already, and is not overwritten: it belongs to a game that never "
                f"began, which needs it no more, or whose log was moved; remove it or move it there"
            )
        write_private(path, text)
        self._seed = path

    def open(self) -> None:
        """Begin with the log's bytes; what killed processes left of the same log goes."""
        _sweep(self._path)
        self.handle = os.open(self._partial, os.O_RDWR | os.O_CREAT | os.O_EXCL, MODE)
        lock(self.handle, self._path)

    def link(self) -> None:
        """Give the log its name, once all of it is on the disk."""
        os.fsync(self.handle)
        os.link(self._partial, self._path)  # unlike rename, fails if the name is taken
        self._linked = True
        self._partial.unlink()
        sync_folder(self._path.parent)

    def give_up(self) -> None:
        """Remove what was made. A log that can't be removed keeps its seed, and can be played."""
        with contextlib.suppress(OSError):
            self._partial.unlink()
        with contextlib.suppress(OSError):
            if self._linked:
                self._path.unlink(missing_ok=True)
            if self._seed is not None:
                self._seed.unlink()
        if self.handle >= 0:
            os.close(self.handle)


def _part_of(path: Path) -> str:
    """How the name of a part of a log begins."""
    return f".{path.name[:200]}."


def _sweep(path: Path) -> None:
    """Remove the parts of a log whose processes were killed: nobody holds a lock on them."""
    begin = _part_of(path)
    part = re.compile(re.escape(begin) + r"[0-9a-f]{8}\.part")
    with contextlib.suppress(OSError), os.scandir(path.parent) as entries:
        for entry in entries:
            if entry.name.startswith(begin) and part.fullmatch(entry.name):
                with contextlib.suppress(OSError, LogLocked):
                    handle = open_handle(entry.path, os.O_RDWR | os.O_NOFOLLOW)
                    try:
                        lock(handle, path)
                        os.unlink(entry.path)  # noqa: PTH108 - an entry has no Path
                    finally:
                        os.close(handle)


@contextlib.contextmanager
def making(path: Path) -> Iterator[NewLog]:
    """A new log; if anything goes wrong, nothing of it stays.

    Raises:
        LogError: the file is there already, or cannot be written.
    """
    new = NewLog(path)
    try:
        _make_folder(path.parent)
        if os.path.lexists(path):
            raise FileExistsError
        yield new
    except BaseException as error:
        new.give_up()
        if isinstance(error, FileExistsError):
            raise LogError(f"{path} is there already: choose another name") from None
        if isinstance(error, OSError):
            raise log_error(path, error, "write") from None
        raise
