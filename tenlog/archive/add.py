"""Logs into the archive: found, judged, kept or kept out with the reason."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, Literal

import msgspec

from tenlog.archive.catalogue import load, reading
from tenlog.archive.lines import NotKept
from tenlog.archive.parts import present
from tenlog.archive.writer import ArchiveWriter, Committed
from tenlog.errors import LogError
from tenlog.game.state import State
from tenlog.log.codec import SUFFIXES
from tenlog.log.read import GameLog, read_game
from tenlog.log.replay import replay
from tenlog.log.source import GameText, open_source, split_games

Audit = Literal["full", "seals", "none"]

CHUNK: Final = 1_000_000  # events of a commit; more of them need more memory
_BATCH_GAMES: Final = 250  # looked up together
_BATCH_BYTES: Final = 1 << 24
LISTED: Final = 1_000  # games kept out that a report lists

_ID = re.compile(
    rb'\{"n":0,"ev":\{"type":"GameStarted","format":\d+,"game":"([A-Za-z0-9._-]{1,64})"'
)


class KeptOut(msgspec.Struct, frozen=True):
    """A game that was not added.

    Attributes:
        file: where it stands.
        line: the line of the file with the reason, from 1.
        game: its id, if it can be told.
        code: ``unfinished``, ``clash`` or the code of a fault.
        reason: the same for people.
    """

    file: str
    line: int
    game: str | None
    code: str
    reason: str


class Added(msgspec.Struct):
    """What adding logs did.

    Attributes:
        files: how many were read.
        games, events: how many went in.
        known: games that were there already, with the same content.
        replaced: games that took the place of others with the same id.
        unfinished, faulty, clashes: games kept out, by reason.
        kept_out: the first thousand of them.
        seconds: how long it took.
    """

    files: int = 0
    games: int = 0
    events: int = 0
    known: int = 0
    replaced: int = 0
    unfinished: int = 0
    faulty: int = 0
    clashes: int = 0
    kept_out: list[KeptOut] = msgspec.field(default_factory=list)
    seconds: float = 0.0


class Progress(msgspec.Struct, frozen=True):
    """How far adding is: bytes of all files, and what was taken from them."""

    done: int
    total: int
    games: int
    events: int


def find_logs(paths: Sequence[str]) -> list[str]:
    """The files behind what a user names: files, folders (with all that is in them), patterns,
    ``-`` for standard input. In a fixed order, each once.

    Raises:
        LogError: nothing is there.
    """
    found: dict[str, None] = {}
    for name in paths:
        path = Path(name)
        if name == "-" or path.is_file():
            found[name] = None
        elif path.is_dir():
            logs = [str(file) for file in sorted(path.rglob("*")) if _is_log(file)]
            if not logs:
                raise LogError(f"{name} has no logs in it ({', '.join(SUFFIXES)})")
            found.update(dict.fromkeys(logs))
        elif any(c in name for c in "*?["):
            root = Path(path.anchor) if path.is_absolute() else Path()
            pattern = str(path.relative_to(path.anchor)) if path.is_absolute() else name
            logs = [str(file) for file in sorted(root.glob(pattern)) if file.is_file()]
            if not logs:
                raise LogError(f"nothing matches {name}")
            found.update(dict.fromkeys(logs))
        else:
            found[name] = None  # reading it says what is wrong
    return list(found)


def _is_log(path: Path) -> bool:
    return path.name.endswith(SUFFIXES) and path.is_file() and not path.name.startswith(".")


class _Adding:
    """One run of :func:`add_logs`."""

    def __init__(self, writer: ArchiveWriter, audit: Audit, said: Callable[[KeptOut], None]):
        self.writer = writer
        self.audit = audit
        self.said = said
        self.report = Added()
        self._waiting: dict[str, tuple[str, str, int]] = {}  # id → digest, file, line

    def keep_out(self, file: str, line: int, game: str | None, code: str, reason: str) -> None:
        report = self.report
        if code == "unfinished":
            report.unfinished += 1
        elif code == "clash":
            report.clashes += 1
        else:
            report.faulty += 1
        out = KeptOut(file, line, game, code, reason)
        if len(report.kept_out) < LISTED:
            report.kept_out.append(out)
        self.said(out)

    def take(self, file: str, texts: list[GameText]) -> None:
        """Games that are neither known nor clash are judged, and wait for the commit."""
        writer = self.writer
        ids = [_id_of(text) for text in texts]
        wanted = [game for game in ids if game is not None]
        with reading(writer.root):
            there = present(writer.root, load(writer.root).parts, wanted)
        for game, text in zip(ids, texts, strict=True):
            if game is not None:
                other = self._waiting.get(game, (None,))[0] or there.get(game)
                if other is not None:
                    if other == _digest(text):
                        self.report.known += 1
                        continue
                    if game in self._waiting or not writer.replace:
                        self.keep_out(file, text.line, game, "clash", CLASH)
                        continue
            self._judge(file, game, text)
        if writer.events >= CHUNK:
            self.commit()

    def _judge(self, file: str, game: str | None, text: GameText) -> None:
        try:
            data, state = _judged(text, self.audit)
            digest = self.writer.add_log(data, self.audit, state)
        except _Out as out:
            self.keep_out(file, out.line, game, out.code, str(out))
        except NotKept as error:
            why = _better_reason(text, error)
            self.keep_out(file, why.line, game, why.code, str(why))
        else:
            assert game is not None
            self._waiting[game] = (digest, file, text.line)

    def commit(self) -> None:
        done: Committed = self.writer.commit()
        self.report.games += done.added
        self.report.events += done.events
        self.report.known += done.known
        self.report.replaced += len(done.replaced)
        for game in done.clashes:  # somebody else added it meanwhile
            _, file, line = self._waiting[game]
            self.keep_out(file, line, game, "clash", CLASH)
        self._waiting.clear()


CLASH: Final = (
    "another game with this id is in the archive: it stays; --replace puts this one in its place"
)


class _Out(Exception):
    def __init__(self, code: str, line: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.line = line


def _id_of(text: GameText) -> str | None:
    found = _ID.match(text.data)
    return found[1].decode() if found is not None else None


def _whole(data: bytes) -> bytes:
    """A game with the newline that only the end of a file may lack."""
    return data if data.endswith(b"\n") else data + b"\n"


def _digest(text: GameText) -> str:
    from hashlib import sha256

    return sha256(_whole(text.data)).hexdigest()


def _judged(text: GameText, audit: Audit) -> tuple[bytes, State | None]:
    if audit == "none" and text.too_long is None:
        return _whole(text.data), None
    log = read_game(text)
    state = None
    fault = log.fault
    if audit == "full":
        result = replay(log)
        fault, state = result.fault, result.state
    if fault is not None:
        where = f"event {fault.event}: "
        raise _Out(fault.code, fault.line, f"{where}{fault.message} (rule {fault.rule})")
    if not log.finished:
        raise _unfinished(log)
    return _whole(text.data[: log.committed]), state


def _unfinished(log: GameLog) -> _Out:
    line = log.text.line + max(len(log.lines) - 1, 0)
    return _Out("unfinished", line, f"not finished: it has {len(log.lines)} events so far")


def _better_reason(text: GameText, error: NotKept) -> _Out:
    """What a full reading says of a game that the builder refused, if it says anything."""
    log = read_game(text)
    if log.fault is not None:
        return _Out(log.fault.code, log.fault.line, log.fault.message)
    if not log.finished:
        return _unfinished(log)
    return _Out(error.code, text.line, str(error))


def _batches(file: str) -> Iterator[list[GameText]]:
    batch: list[GameText] = []
    size = 0
    with open_source(file) as stream:
        for text in split_games(stream):
            batch.append(text)
            size += len(text.data)
            if len(batch) >= _BATCH_GAMES or size >= _BATCH_BYTES:
                yield batch
                batch, size = [], 0
    if batch:
        yield batch


def _size(file: str) -> int:
    try:
        return 0 if file == "-" else Path(file).stat().st_size
    except OSError:
        return 0


def add_logs(
    root: str | Path,
    paths: Sequence[str],
    *,
    audit: Audit = "full",
    replace: bool = False,
    said: Callable[[KeptOut], None] = lambda _: None,
    empty: Callable[[str], None] = lambda _: None,
    progress: Callable[[Progress], None] = lambda _: None,
) -> Added:
    """Add the finished games of some logs (see :func:`find_logs`); good games go in whatever else
    stands in the same file.

    ``audit``: ``full`` replays every game by the rules, ``seals`` reads lines and seals strictly,
    ``none`` only makes sure that what goes in comes out again byte for byte. ``said`` hears of
    each game that is kept out, ``empty`` of each file without a byte, ``progress``
    now and then how far it is.

    Raises:
        LogError: a file can't be read. What was committed before stays.
        ArchiveError: the archive can't be written.
    """
    began = time.monotonic()
    files = find_logs(paths)
    sizes = {file: _size(file) for file in files}
    total, done = sum(sizes.values()), 0
    with ArchiveWriter(root, replace=replace) as writer:
        adding = _Adding(writer, audit, said)
        report = adding.report
        try:
            for file in files:
                some = False
                for batch in _batches(file):
                    some = True
                    adding.take(file, batch)
                    read = batch[-1].offset + len(batch[-1].data)
                    games, events = report.games + writer.games, report.events + writer.events
                    progress(Progress(done + min(read, sizes[file]), total, games, events))
                if some:
                    report.files += 1
                else:
                    empty(file)
                done += sizes[file]
        except LogError:
            adding.commit()
            raise
        adding.commit()
    report.seconds = time.monotonic() - began
    return report
