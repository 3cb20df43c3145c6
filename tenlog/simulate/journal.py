"""The journal of a run: what is done, so that an interrupted run goes on where it was.

One JSON object a line: first which run it is, then each chunk in the order of the plan, each line
on the disk before the next chunk counts. A torn last line is a chunk that is done again. Whoever
runs holds a lock on it. It is read as a stream: a run of any length needs no more memory.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec

import tenlog
from tenlog.bots.base import Forfeit
from tenlog.errors import LogError, LogLocked, SetupError
from tenlog.log.source import log_error
from tenlog.simulate.compare import RulesTally
from tenlog.simulate.forfeits import Answers
from tenlog.simulate.plan import SimulationPlan
from tenlog.simulate.tables import TournamentPlan
from tenlog.simulate.tally import GroupTally

NAME: Final = "run.journal"
# 1 did not compare rulesets, 2 did not count by sample, 3 did not count forfeits by program
FORMAT: Final = 4


class Skipped(msgspec.Struct, frozen=True):
    """A game that could not be played (with --keep-going): which one, and why. In a tournament its
    whole deal is left out."""

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
        comparisons: of rulesets, by the group number of the one that is compared with the first.
        file: the name of the file that holds the games, if one does.
        size, sha256: of this file.
        skips: games that were left out; ``skipped`` has the first that could not be played.
        forfeits: decisions that were made for a program which failed to; ``forfeited`` has the
            first of them, ``programs`` how each program answered, by specification.
    """

    chunk: int
    games: int
    events: int
    digest: str
    tallies: dict[int, GroupTally]
    comparisons: dict[int, RulesTally] = {}
    file: str | None = None
    size: int = 0
    sha256: str = ""
    skips: int = 0
    skipped: tuple[Skipped, ...] = ()
    forfeits: int = 0
    forfeited: tuple[Forfeit, ...] = ()
    programs: dict[str, Answers] = {}


_DIGEST_END: Final = 1 << 256


def game_digest(index: int, seal: str) -> int:
    """What one game adds to a digest."""
    return int.from_bytes(sha256(f"{index}:{seal}".encode()).digest(), "big")


def add_digests(one: str, other: int | str) -> str:
    """The digest of two sets of games: 64 hex digits."""
    value = int(other, 16) if isinstance(other, str) else other
    return f"{(int(one, 16) + value) % _DIGEST_END:064x}"


NO_DIGEST: Final = "0" * 64


class Header(msgspec.Struct, frozen=True):
    """The first line of a journal: which run it is.

    Attributes:
        plan: the games.
        sink: what becomes of them.
        keep_going: whether games that cannot be played are skipped.
        bots: the versions of bots that do not come with tenlog, by specification.
        archive: where the games go with the sink ``archive``.
        tenlog, journal: the versions of the program and of what its journals say.
    """

    plan: SimulationPlan | TournamentPlan
    sink: str
    keep_going: bool
    bots: dict[str, str] = {}
    archive: str | None = None
    tenlog: str = tenlog.__version__
    journal: int = FORMAT

    def encode(self) -> bytes:
        """As a line, without its end."""
        return msgspec.json.encode(self)


class _Versions(msgspec.Struct):
    """What any journal says of itself."""

    tenlog: str = "?"
    journal: int = 1


class Journal:
    """An open journal."""

    def __init__(self, folder: Path, header: Header) -> None:
        """Open the journal of a run in ``folder``, or begin it.

        Raises:
            SetupError: another run is there.
            LogLocked: the same run is going on.
            LogError: it cannot be read or written.
        """
        self.path = folder / NAME
        if folder.is_file():
            raise LogError(f"{folder} is a file, and a folder is wanted: choose another name")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._handle = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise log_error(self.path, error, "write") from None
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._begin(header.encode())
        except BlockingIOError:
            os.close(self._handle)
            raise LogLocked(f"{folder}: this run is going on in another process") from None
        except BaseException:
            os.close(self._handle)
            raise

    def _begin(self, header: bytes) -> None:
        """Cut off what a killed run was about to write, and see whose journal it is."""
        try:
            with self.path.open("rb") as file:
                first = file.readline()
                last, size = first, len(first)
                for last in file:
                    size += len(last)
            if not last.endswith(b"\n"):
                size -= len(last)
            os.ftruncate(self._handle, size)
            os.lseek(self._handle, size, os.SEEK_SET)
        except OSError as error:
            raise log_error(self.path, error, "write") from None
        if not size:
            self._see_empty()
            self._write(header)
        elif first != header + b"\n":
            raise self._another(first)

    def _see_empty(self) -> None:
        """Refuse a folder with games that are of another run, whose journal is gone."""
        folder = self.path.parent
        found = next(iter(sorted(folder.glob("games-*.jsonl*"))), None)
        if found is not None:
            self.path.unlink()
            raise SetupError(
                f"{folder} has games of another run, such as {found.name}, but no journal: choose "
                "another folder, or remove them"
            )

    def _damaged(self, why: str) -> LogError:
        games = next(self.path.parent.glob("games-*.jsonl*"), None)
        too = "" if games is None else f", and the games beside it ({games.name} and so on)"
        return LogError(f"{self.path} is damaged: {why}; to begin anew remove it{too}")

    def _another(self, header: bytes) -> SetupError | LogError:
        folder = self.path.parent
        try:
            said = msgspec.json.decode(header, type=_Versions)
        except msgspec.MsgspecError as error:
            return self._damaged(str(error))
        if (said.tenlog, said.journal) != (tenlog.__version__, FORMAT):
            return SetupError(
                f"{folder} holds a run of tenlog {said.tenlog} (journal {said.journal}; this one "
                f"is {tenlog.__version__}, journal {FORMAT}), which can't be gone on with: choose "
                "another folder, or remove it"
            )
        return SetupError(
            f"{folder} holds another run (other games or bots): choose another folder, or remove it"
        )

    def chunks(self) -> Iterator[Chunk]:
        """What was done when it was opened, in order.

        Raises:
            LogError: it cannot be read, or is damaged.
        """
        try:
            with self.path.open("rb") as file:
                file.readline()
                for number, line in enumerate(file):
                    chunk = msgspec.json.decode(line, type=Chunk)
                    if chunk.chunk != number:
                        raise self._damaged(f"chunk {number} is missing")
                    yield chunk
        except OSError as error:
            raise log_error(self.path, error) from None
        except msgspec.MsgspecError as error:
            raise self._damaged(str(error)) from None

    def _write(self, line: bytes) -> None:
        left = memoryview(line + b"\n")
        try:
            while left:  # a disk that gets full takes a part, and refuses the rest
                left = left[os.write(self._handle, left) :]
            os.fsync(self._handle)
        except OSError as error:
            raise log_error(self.path, error, "write") from None

    def add(self, chunk: Chunk) -> None:
        """Note a chunk as done; on the disk when this returns."""
        self._write(msgspec.json.encode(chunk))

    def close(self) -> None:
        """Give the lock back."""
        os.close(self._handle)
