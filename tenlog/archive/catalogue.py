"""The list of what an archive holds: one small file, replaced atomically, and the two locks.

``catalogue.json`` is a line of JSON and a line with its SHA-256. It names the parts, each by its
content, with the size and SHA-256 of its files; a file that it does not name is not there. A commit
takes ``lock`` for the moment in which it reads the list, checks it, moves files in and replaces the
list. Readers take a shared lock on ``readers`` and never wait for a writer: parts never change, and
what a commit took off the list is only deleted when nobody reads.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec

from tenlog.errors import ArchiveError
from tenlog.log.making import sync_folder
from tenlog.log.paths import label_of
from tenlog.log.whole import beside

SCHEMA: Final = 2  # of the tables in the parts, and of the catalogue
LOGGED: Final = ("games", "players", "events")  # what the logs are given back from
TABLES: Final = (*LOGGED, "turns", "draws", "auctions")
NAME: Final = "catalogue.json"
_YOUNG: Final = 60  # seconds
_AGAIN: Final = "restore it from a copy, or recover the games with tenlog archive recover"


class PartFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file of a part: its SHA-256 (64 hex digits) and its size in bytes."""

    sha256: str
    size: int


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Some games, in one Parquet file for each table.

    Attributes:
        name: named after the hashes of its files.
        schema: the version of the tables.
        games, events: how many there are.
        first, last: the least and the greatest id.
        files: by table.
    """

    name: str
    schema: int
    games: int
    events: int
    first: str
    last: str
    files: dict[str, PartFile]

    @property
    def size(self) -> int:
        """Bytes on the disk."""
        return sum(file.size for file in self.files.values())


class Catalogue(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What an archive holds at one moment.

    Attributes:
        schema: the version of this file.
        generation: counts the commits.
        parts: the parts.
        keys: of the chunks that were committed with a key.
    """

    schema: int = SCHEMA
    generation: int = 0
    parts: tuple[Part, ...] = ()
    keys: tuple[str, ...] = ()

    @property
    def games(self) -> int:
        return sum(part.games for part in self.parts)

    @property
    def events(self) -> int:
        return sum(part.events for part in self.parts)

    @property
    def size(self) -> int:
        return sum(part.size for part in self.parts)


class ListDamaged(ArchiveError):
    """The list is gone, or is not what was written; the parts may be whole."""


class _Version(msgspec.Struct):
    schema: int


def part_path(root: Path, part: Part, table: str) -> Path:
    """Where a file of a part lies."""
    return root / "parts" / f"{part.name}.{table}.parquet"


def os_error(path: object, error: OSError, verb: str) -> ArchiveError:
    """What went wrong with a file of the archive, for people."""
    return ArchiveError(f"can't {verb} {path}: {(error.strerror or str(error)).lower()}")


def check_path(path: Path, signs: str = "") -> None:
    """Refuse a path that DuckDB can't open, or would take for another one for some ``signs`` in it.

    Raises:
        ArchiveError: saying why.
    """
    text = str(path)
    found = [sign for sign in signs if sign in text]
    if found:
        raise ArchiveError(f"DuckDB would take {text} for another path, for the {found[0]} in it")
    try:
        text.encode()
    except UnicodeEncodeError:
        shown = label_of(text)
        raise ArchiveError(f"DuckDB can't open {shown}: its name is not UTF-8") from None


def is_inside(root: Path, path: Path) -> bool:
    """Whether a path leads into the archive's folder, or is that folder."""
    real = Path(os.path.realpath(path))
    return Path(os.path.realpath(root)) in (real, *real.parents)


@contextmanager
def appearing(root: Path, out: Path) -> Iterator[Path]:
    """A folder to be filled from an archive, which becomes ``out`` when all went well.

    Raises:
        ArchiveError: ``out`` is there already, or inside the archive, or can't be written.
    """
    check_path(out, "*?[\\")  # patterns, and what is a / elsewhere
    taken = f"{out} is there already: choose another folder"
    if os.path.lexists(out):
        raise ArchiveError(taken)
    if is_inside(root, out):
        raise ArchiveError(f"{out} is inside the archive: choose another folder")
    part = beside(out)
    made = False
    try:
        part.parent.mkdir(parents=True, exist_ok=True)
        part.mkdir()
        made = True
        yield part
        part.rename(out)
    except OSError as error:
        if made and os.path.lexists(out):
            raise ArchiveError(taken) from None
        raise os_error(out, error, "write to") from None
    finally:
        if made:
            shutil.rmtree(part, ignore_errors=True)


def load(root: Path) -> Catalogue:
    """The last committed list; an empty one where there is no archive yet.

    Raises:
        ArchiveError: it can't be read, is damaged, or a newer tenlog wrote it.
    """
    path = root / NAME
    check_path(root, "*?[")  # patterns
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise ListDamaged(f"{path} is no file: {_AGAIN}")
        data = path.read_bytes()
    except FileNotFoundError:
        if not _has_files(root / "parts"):
            return Catalogue()
        if path.exists():
            return load(root)  # the very first commit came between the two looks
        raise ListDamaged(f"{path} is missing, but {root / 'parts'} has files: {_AGAIN}") from None
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise ListDamaged(f"{path} is no file: {_AGAIN}") from None
        raise os_error(path, error, "read") from None
    text, _, rest = data.partition(b"\n")
    if rest != sha256(text).hexdigest().encode() + b"\n":
        raise ListDamaged(f"{path} is damaged: its SHA-256 does not match; {_AGAIN}")
    try:
        version = msgspec.json.decode(text, type=_Version).schema
        if version > SCHEMA:
            raise ArchiveError(
                f"{root} was written by a newer tenlog (schema {version}, this one reads up to "
                f"{SCHEMA}): update tenlog"
            )
        return msgspec.json.decode(text, type=Catalogue)
    except msgspec.DecodeError as error:
        raise ListDamaged(f"{path} is not a catalogue: {error}; {_AGAIN}") from None


def _has_files(folder: Path) -> bool:
    try:
        return any(folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise os_error(folder, error, "read") from None


def _store(root: Path, catalogue: Catalogue) -> None:
    text = msgspec.json.encode(catalogue)
    fresh = root / f".{NAME}.new"
    with fresh.open("wb") as file:
        file.write(text + b"\n" + sha256(text).hexdigest().encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())
    fresh.rename(root / NAME)
    sync_folder(root)


def _open_lock(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT, 0o644)


@contextmanager
def _locked(root: Path) -> Iterator[None]:
    handle = _open_lock(root / "lock")
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


# From the list as it is to the new one, with the files that new parts lie in; or None.
Change = Callable[[Catalogue], tuple[Catalogue, list[Path]] | None]


def commit(root: Path, change: Change) -> Catalogue:
    """Replace the list by what ``change`` makes of it, whole or not at all.

    ``change`` sees the list as it is under the lock. Files that it gives, on the disk already, are
    moved to ``parts``.

    Raises:
        ArchiveError: it can't be written.
    """
    try:
        (root / "parts").mkdir(parents=True, exist_ok=True)
        with _locked(root):
            before = load(root)
            if not before.generation:
                _store(root, before)  # so that files are never there without a list
            changed = change(before)
            if changed is None:
                return before
            after, files = changed
            if not all(part.games for part in after.parts):
                raise ArchiveError(f"can't write to {root}: a part without a game")
            for file in files:
                file.rename(root / "parts" / file.name)
            sync_folder(root / "parts")
            generation = before.generation + 1
            after = msgspec.structs.replace(after, schema=SCHEMA, generation=generation)
            _store(root, after)
            _sweep(root, after)
            return after
    except OSError as error:
        raise os_error(root, error, "write to") from None


def hold(root: Path) -> int | None:
    """A reader's hold: nothing that it may read is deleted before the handle is closed. None where
    the archive is not there or can't be locked (then nobody deletes either)."""
    try:
        handle = _open_lock(root / "readers")
    except OSError:
        try:
            handle = os.open(root / "readers", os.O_RDONLY | os.O_NONBLOCK)
        except OSError:
            return None
    fcntl.flock(handle, fcntl.LOCK_SH)
    return handle


def sweep(root: Path) -> None:
    """Delete what nothing names, unless somebody reads; never fails."""
    with contextlib.suppress(OSError, ArchiveError), _locked(root):
        _sweep(root, load(root))


@contextmanager
def reading(root: Path) -> Iterator[None]:
    """Within it, what a commit takes off the list is not deleted."""
    handle = hold(root) if root.is_dir() else None
    try:
        yield
    finally:
        if handle is not None:
            os.close(handle)


@contextmanager
def merging(root: Path) -> Iterator[bool]:
    """Whether the caller may merge parts: one at a time does, as two would do the same."""
    handle = os.open(root / "parts", os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield True
    except BlockingIOError:
        yield False
    finally:
        os.close(handle)


def _sweep(root: Path, catalogue: Catalogue) -> None:
    """Delete what nothing names and nobody reads; what can't be deleted now is left for later."""
    with contextlib.suppress(OSError):
        handle = _open_lock(root / "readers")
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            named = {
                part_path(root, part, table).name
                for part in catalogue.parts
                for table in part.files
            }
            for file in (root / "parts").iterdir():
                if file.name not in named:
                    file.unlink()
            _sweep_staging(root)
        finally:
            os.close(handle)


def _sweep_staging(root: Path) -> None:
    """Delete what killed writers left: folders whose owner holds no lock any more."""
    for folder in (root / "staging").iterdir():
        if time.time() - folder.stat().st_mtime < _YOUNG:
            continue  # perhaps just made, and not locked yet
        handle = os.open(folder / "owner", os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
        except BlockingIOError:
            pass
        finally:
            os.close(handle)


@contextmanager
def staging(root: Path) -> Iterator[Path]:
    """A folder of one's own, on the archive's disk, gone afterwards.

    Raises:
        ArchiveError: it can't be made.
    """
    try:
        (root / "staging").mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(dir=root / "staging"))
        handle = _open_lock(folder / "owner")
    except OSError as error:
        raise os_error(root, error, "write to") from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(handle)
