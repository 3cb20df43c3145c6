"""Opening what a user names, and what stands beside a log: files, and no more of them than is due.

A pipe that nobody writes to would keep tenlog waiting for ever, and a device gives bytes without
end. So nothing but a file is opened; a reader may take a pipe that the shell put into its hands.
Whatever is wrong is an OSError with the words for it.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO, Final, cast

# Not blocking, so that a pipe can be opened to be refused.
_FLAGS: Final = os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC

# What the shell names in the place of <(…).
_HANDED: Final = ("/dev/fd/", "/proc/self/fd/", "/dev/stdin")

_NO_FILE: Final = "it is no file"


def is_handed(path: str, mode: int) -> bool:
    """Whether something with this path and mode is a pipe that this process was given."""
    return stat.S_ISFIFO(mode) and path.startswith(_HANDED)


def open_handle(
    path: str | bytes | Path, flags: int = os.O_RDONLY, mode: int = 0o666, *, piped: bool = False
) -> int:
    """A handle of a file, never of a folder, pipe or device; with ``piped``, also of a pipe that
    this process was given under a name such as /dev/fd/63.

    Raises:
        OSError: it cannot be opened, or is no file.
    """
    try:
        handle = os.open(path, flags | _FLAGS, mode)
    except OSError as error:
        if error.errno == errno.ENXIO:  # a pipe without a reader, a socket
            raise OSError(errno.EINVAL, _NO_FILE) from None
        if error.errno == errno.ELOOP and flags & os.O_NOFOLLOW:
            raise OSError(errno.ELOOP, "it is a link, which is not followed") from None
        raise
    try:
        kind = os.fstat(handle).st_mode
        if stat.S_ISDIR(kind):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not stat.S_ISREG(kind):
            if not (piped and is_handed(os.fsdecode(path), kind)):
                raise OSError(errno.EINVAL, _NO_FILE)
            os.set_blocking(handle, True)
    except BaseException:
        os.close(handle)
        raise
    return handle


def open_to_read(path: str | bytes | Path, *, piped: bool = False) -> BinaryIO:
    """The same, as a buffered stream to read from."""
    return cast(BinaryIO, os.fdopen(open_handle(path, piped=piped), "rb"))


def read_small(path: str | Path, most: int, *, piped: bool = False) -> bytes:
    """All of a file that has no business to be larger than ``most`` bytes.

    Raises:
        OSError: it cannot be read, is no file, or is larger.
    """
    with open_to_read(path, piped=piped) as file:
        data = file.read(most + 1)
    if len(data) > most:
        size = f"{most >> 20} MiB" if most >= 1 << 20 else f"{most >> 10} KiB"
        raise OSError(errno.EFBIG, f"it is larger than {size}")
    return data
