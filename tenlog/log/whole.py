"""Files that appear under their names whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def beside(path: Path) -> Path:
    """A name beside a file that nobody can guess, for what is to become it."""
    name = os.fsdecode(os.fsencode(path.name)[:200])
    return path.with_name(f".{name}.{secrets.token_hex(8)}.part")


def open_new(path: Path, mode: int = 0o666) -> int:
    """A handle of a file that was not there; links are not followed."""
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0), mode)


@contextmanager
def part_of(path: Path, *, replace: bool = True) -> Iterator[Path]:
    """A new, empty file beside ``path``, which gets its name at the end if nothing went wrong.

    Without ``replace``, whatever is under the name by then stays, and FileExistsError is raised.
    """
    part = beside(path)
    os.close(open_new(part))
    try:
        yield part
        if replace:
            part.replace(path)
        else:
            _link(part, path)
    finally:
        part.unlink(missing_ok=True)


def write_whole(path: Path, data: bytes) -> None:
    """Write a file, or replace it by a new one."""
    with part_of(path) as part:
        part.write_bytes(data)


def _link(part: Path, path: Path) -> None:
    """Unlike a renaming, this fails if the name is taken."""
    try:
        os.link(part, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        if os.path.lexists(path):
            raise FileExistsError from None
        part.rename(path)
