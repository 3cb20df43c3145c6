"""From what a user names to files: files, folders, globs, standard input; in a fixed order."""

from __future__ import annotations

import glob
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import msgspec

from tenlog.log.codec import SUFFIXES
from tenlog.log.opening import is_handed
from tenlog.log.source import log_error

STDIN: Final = "-"


class Unread(msgspec.Struct, frozen=True):
    """A file, or a part of it, that could not be read, or has no game in it; ``message`` is for
    people."""

    file: str
    message: str


class Source(msgspec.Struct, frozen=True):
    """A file to be read, as it was when it was found.

    Attributes:
        label: its name as it can be printed and encoded.
        path: its name in bytes; empty for standard input.
        size: bytes.
        device, inode: which file it is, so that another one in its place is noticed.
        pipe: of what is no file but was put into this process's hands: what to open it by, ``-``
            for standard input.
    """

    label: str
    path: bytes
    size: int = 0
    device: int = 0
    inode: int = 0
    pipe: str = ""


def label_of(path: str) -> str:
    """A path as text that can be encoded: bytes that are no UTF-8 become visible escapes."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def find_sources(paths: Iterable[str]) -> Iterator[Source | Unread]:
    """The files behind some paths, in the order given, folders and globs sorted by name.

    A folder stands for all files below it that end in .jsonl, .jsonl.gz or .jsonl.zst; links to
    folders in it are not followed. What is no file (a pipe, a device) is not opened, unless it is
    what the shell puts for <(…). No file is named twice.
    """
    seen: set[bytes] = set()
    for path in paths:
        for found in _find(path):
            if isinstance(found, Source):
                if found.path in seen:
                    continue
                seen.add(found.path)
            yield found


def _find(path: str) -> Iterator[Source | Unread]:
    if path == STDIN:
        yield Source(STDIN, b"", pipe=STDIN)
        return
    try:
        info = Path(path).stat()
    except FileNotFoundError as error:
        if not glob.has_magic(path):
            yield _unread(path, error)
            return
        names = sorted(glob.glob(path, recursive=True))  # noqa: PTH207 - pathlib takes no absolute ones
        if not names:
            yield Unread(label_of(path), f"can't read {label_of(path)}: no file is called so")
        for name in names:
            yield from _entry(name)
        return
    except (OSError, ValueError) as error:
        yield _unread(path, error)
        return
    if stat.S_ISDIR(info.st_mode):
        yield from _folder(path)
    else:
        yield _file(path, info)


def _entry(name: str) -> Iterator[Source | Unread]:
    """What a glob found."""
    try:
        info = Path(name).stat()
    except OSError as error:
        yield _unread(name, error)
        return
    if stat.S_ISDIR(info.st_mode):
        yield from _folder(name)
    else:
        yield _file(name, info)


def _folder(top: str) -> Iterator[Source | Unread]:
    empty = True
    for found in _below(top, SUFFIXES):
        empty = False
        if isinstance(found, str):
            yield from _entry(found)
        else:
            yield found
    if empty:
        kinds = ", ".join(SUFFIXES)
        yield Unread(label_of(top), f"can't read {label_of(top)}: no file in it ends in {kinds}")


def files_beside(paths: Iterable[str], suffix: str) -> Iterator[str]:
    """The files that are called like a log with ``suffix`` behind its name, in the folders that are
    among some paths; sorted by name."""
    suffixes = tuple([f"{kind}{suffix}" for kind in SUFFIXES])
    for path in paths:
        if path != STDIN and os.path.isdir(path):  # noqa: PTH112
            yield from (found for found in _below(path, suffixes) if isinstance(found, str))


def _below(top: str, suffixes: tuple[str, ...]) -> Iterator[str | Unread]:
    """What is called so in a folder and those in it, and what can't be looked into."""
    waiting = [top]
    while waiting:
        path = waiting.pop()
        if path != top and path.endswith(suffixes) and not os.path.isdir(path):  # noqa: PTH112
            yield path
            continue
        try:
            with os.scandir(path) as entries:
                names = sorted(entry.path for entry in entries if _is_wanted(entry, suffixes))
        except OSError as error:
            yield _unread(path, error)
            continue
        waiting += reversed(names)


def _is_wanted(entry: os.DirEntry[str], suffixes: tuple[str, ...]) -> bool:
    """Folders, and what is called so."""
    try:
        if entry.is_dir():
            return not entry.is_symlink()
    except OSError:
        pass  # a link to itself; what is wrong with it is told where it is opened
    return entry.name.endswith(suffixes)


def _file(path: str, info: os.stat_result) -> Source | Unread:
    label = label_of(path)
    if is_handed(path, info.st_mode):
        return Source(label, os.fsencode(path), pipe=path)
    if not stat.S_ISREG(info.st_mode):
        return Unread(
            label, f"can't read {label}: it is no file; pipe it in, and name it - (standard input)"
        )
    return Source(label, os.fsencode(path), info.st_size, info.st_dev, info.st_ino)


def _unread(path: str, error: BaseException) -> Unread:
    label = label_of(path)
    return Unread(label, str(log_error(label, error)))
