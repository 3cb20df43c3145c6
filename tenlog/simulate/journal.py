"""The journal of a run: what is done, so that an interrupted run goes on where it was.

One JSON object a line: first the plan, then each chunk in the order of the plan, each line on the
disk before the next chunk counts. A torn last line is a chunk that is done again. Whoever runs
holds a lock on it.
"""

from __future__ import annotations

import fcntl
import os
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec

from tenlog.bots.base import Forfeit
from tenlog.errors import LogError, LogLocked, SetupError
from tenlog.log.source import log_error
from tenlog.simulate.tally import GroupTally

NAME: Final = "run.journal"


class Skipped(msgspec.Struct, frozen=True):
    """A game that could not be played (with --keep-going): which one, and why."""

    index: int
    seed: str
    message: str


class Chunk(msgspec.Struct, frozen=True):
    """What became of some consecutive games.

    Attributes:
        chunk: its number, from 0.
        games, events: how many were played.
        digest: sum over the games of SHA-256 of ``<index>:<last seal>``, modulo 2^256: equal for
            equal games, however they are cut into chunks; 64 hex digits.
        tallies: the results, by group number.
        file: the name of the file that holds the games, if one does.
        size, sha256: of this file.
        skipped: the games that could not be played.
        forfeits: decisions that were made for a program which failed to; ``forfeited`` has the
            first of them.
    """

    chunk: int
    games: int
    events: int
    digest: str
    tallies: dict[int, GroupTally]
    file: str | None = None
    size: int = 0
    sha256: str = ""
    skipped: tuple[Skipped, ...] = ()
    forfeits: int = 0
    forfeited: tuple[Forfeit, ...] = ()


_DIGEST_END: Final = 1 << 256


def game_digest(index: int, seal: str) -> int:
    """What one game adds to a digest."""
    return int.from_bytes(sha256(f"{index}:{seal}".encode()).digest(), "big")


def add_digests(one: str, other: int | str) -> str:
    """The digest of two sets of games: 64 hex digits."""
    value = int(other, 16) if isinstance(other, str) else other
    return f"{(int(one, 16) + value) % _DIGEST_END:064x}"


NO_DIGEST: Final = "0" * 64


class Journal:
    """An open journal.

    Attributes:
        chunks: what was done when it was opened, in order.
    """

    def __init__(self, folder: Path, header: bytes) -> None:
        """Open the journal of a run in ``folder``, or begin it.

        ``header`` is one line of JSON that says which run it is.

        Raises:
            SetupError: another run is there.
            LogLocked: the same run is going on.
            LogError: it cannot be read or written.
        """
        self.path = folder / NAME
        self.chunks: list[Chunk] = []
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._handle = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise log_error(self.path, error, "write") from None
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._load(header)
        except BlockingIOError:
            os.close(self._handle)
            raise LogLocked(f"{folder}: this run is going on in another process") from None
        except BaseException:
            os.close(self._handle)
            raise

    def _load(self, header: bytes) -> None:
        data = self.path.read_bytes()
        whole, _, torn = data.rpartition(b"\n")
        lines = whole.split(b"\n") if whole else []
        if not lines:
            os.ftruncate(self._handle, 0)
            self._write(header)
            return
        if lines[0] != header:
            raise SetupError(
                f"{self.path.parent} holds another run (other games, bots or version): "
                "choose another folder, or remove it"
            )
        for line in lines[1:]:
            try:
                self.chunks.append(msgspec.json.decode(line, type=Chunk))
            except msgspec.MsgspecError as error:
                raise LogError(f"{self.path} is damaged: {error}") from None
        if torn:
            os.ftruncate(self._handle, len(data) - len(torn))
        os.lseek(self._handle, 0, os.SEEK_END)

    def _write(self, line: bytes) -> None:
        try:
            os.write(self._handle, line + b"\n")
            os.fsync(self._handle)
        except OSError as error:
            raise log_error(self.path, error, "write") from None

    def add(self, chunk: Chunk) -> None:
        """Note a chunk as done; on the disk when this returns."""
        self._write(msgspec.json.encode(chunk))

    def close(self) -> None:
        """Give the lock back."""
        os.close(self._handle)
