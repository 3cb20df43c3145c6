"""Which files are meant: files, folders, patterns, standard input."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from glob import glob, has_magic
from pathlib import Path

from tenlog.errors import LogError
from tenlog.log.codec import SUFFIXES


def expand(paths: Iterable[str]) -> Iterator[str | LogError]:
    """The logs that paths stand for, in the order of the paths, within a folder by name; each once.

    A folder stands for all logs below it, a pattern (``*``, ``?``, ``[…]``, ``**``) for the files
    and folders that it fits, ``-`` for standard input. What can't be looked at comes as an error in
    its place.
    """
    seen: set[str] = set()
    for path in paths:
        for found in _expand(path):
            if isinstance(found, str):
                if found in seen:
                    continue
                seen.add(found)
            yield found


def _expand(path: str) -> Iterator[str | LogError]:
    if path == "-":
        yield path
    elif Path(path).is_dir():
        yield from _below(path)
    elif has_magic(path) and not Path(path).exists():
        fits = sorted(glob(path, recursive=True))  # noqa: PTH207 - pathlib takes no absolute ones
        if not fits:
            yield LogError(f"nothing fits {path}")
        for fit in fits:
            yield from _below(fit) if Path(fit).is_dir() else (fit,)
    else:
        yield path


def _below(folder: str) -> Iterator[str | LogError]:
    """Logs in a folder and its folders; links to folders are not followed, so it ends."""
    problems: list[LogError] = []

    def refused(error: OSError) -> None:
        problems.append(LogError(f"can't read {error.filename}: {(error.strerror or '').lower()}"))

    count = 0
    for root, folders, files in os.walk(folder, onerror=refused):
        folders.sort()
        yield from problems
        problems.clear()
        for name in sorted(files):
            # A writer's own working files (.name.part) are no logs.
            if name.endswith(SUFFIXES) and not name.startswith("."):
                count += 1
                yield str(Path(root) / name)
    yield from problems
    if not count and not problems:
        yield LogError(f"no logs in {folder}: none of its files ends in {', '.join(SUFFIXES)}")
