"""Judging all that an archive holds again: every bit of its files, every game by the rules."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path

import msgspec

from tenlog.archive.bodies import Bodies
from tenlog.archive.build import seen
from tenlog.archive.catalogue import Part, hold, part_path
from tenlog.archive.engine import connect, rows, speaking
from tenlog.archive.lines import NotKept, take
from tenlog.archive.parts import hash_file, select, wrongly_derived
from tenlog.archive.read import Kept, games_of
from tenlog.archive.store import read_catalogue
from tenlog.archive.summary import holdings_of, settle, turns_of
from tenlog.log.read import read_game
from tenlog.log.replay import replay
from tenlog.log.source import GameText


class Finding(msgspec.Struct, frozen=True):
    """Something that is wrong.

    Attributes:
        code: ``damaged-file``, ``missing-file``, ``doubled-game``, ``bad-digest``,
            ``bad-columns``, ``bad-rows``, or the code of a fault of the game.
        where: the file, or the game.
        message: what is wrong.
    """

    code: str
    where: str
    message: str


class Verified(msgspec.Struct):
    """What verifying found.

    Attributes:
        parts, games, events: how many were looked at.
        findings: what is wrong, the first thousand.
        wrong: how many things are wrong.
        seconds: how long it took.
    """

    parts: int = 0
    games: int = 0
    events: int = 0
    findings: list[Finding] = msgspec.field(default_factory=list)
    wrong: int = 0
    seconds: float = 0.0

    def found(self, finding: Finding) -> None:
        self.wrong += 1
        if len(self.findings) < 1000:
            self.findings.append(finding)


def verify_archive(
    root: str | Path,
    *,
    files_only: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Verified:
    """Compare every file with its hash, rebuild every game, compare its digest, judge it by the
    rules, and compare what the tables say with what its bytes say.

    ``files_only`` stops after the hashes, which find any bit that flipped. ``progress`` hears how
    many games of how many are done.

    Raises:
        ArchiveError: the archive is not there, or its catalogue can't be read.
    """
    began = time.monotonic()
    root = Path(root)
    result = Verified()
    handle = hold(root) if root.is_dir() else None
    try:
        catalogue = read_catalogue(root)
        total = catalogue.games
        whole: list[Part] = []
        for part in catalogue.parts:
            result.parts += 1
            good = _check_files(root, part, result)
            whole += [part] * good
            if files_only or not good:
                result.games += part.games
                result.events += part.events
                progress(result.games, total)
                continue
            _check_games(root, part, result, lambda n: progress(n, total))
        _check_ids(root, whole, result)
    finally:
        if handle is not None:
            os.close(handle)
    result.seconds = time.monotonic() - began
    return result


def _check_files(root: Path, part: Part, result: Verified) -> bool:
    before = result.wrong
    for table in part.files:
        path = part_path(root, part, table)
        try:
            found = hash_file(path)
        except FileNotFoundError:
            result.found(Finding("missing-file", str(path), "the file is missing"))
            continue
        except OSError as error:
            result.found(Finding("missing-file", str(path), f"can't be read: {error.strerror}"))
            continue
        if found != part.files[table]:
            message = f"its SHA-256 is {found.sha256[:16]}…, not {part.files[table].sha256[:16]}…"
            result.found(Finding("damaged-file", str(path), message))
    return result.wrong == before


def _check_ids(root: Path, parts: Sequence[Part], result: Verified) -> None:
    with speaking(root, "read"), connect() as con:
        games = select(root, "games", parts)
        doubled = f"select game, count(*) from ({games}) group by game having count(*) > 1"
        for game, count in rows(con, f"{doubled} order by game limit 1000"):
            result.found(Finding("doubled-game", game, f"it stands there {count} times"))


def _check_games(root: Path, part: Part, result: Verified, done: Callable[[int], None]) -> None:
    games = 0
    with speaking(root, "read"), connect() as con:
        for kept in _kept(part, games_of(con, root, part), result):
            games += 1
            result.games += 1
            result.events += kept.game.events
            for finding in _check_game(kept):
                result.found(finding)
            if games % 64 == 0:
                done(result.games)
        for game, table in wrongly_derived(con, root, part):
            result.found(Finding("bad-columns", game, f"{table} says other things than its log"))
    if games != part.games:
        result.found(Finding("bad-rows", part.name, f"{games} games, not {part.games}"))
    done(result.games)


def _kept(part: Part, found: Iterator[Kept | str], result: Verified) -> Iterator[Kept]:
    for kept in found:
        if isinstance(kept, str):
            result.found(Finding("bad-rows", part.name, kept))
        else:
            yield kept


def _check_game(kept: Kept) -> Iterator[Finding]:
    game = kept.game
    digest = sha256(kept.data).hexdigest()
    if digest != game.digest:
        yield Finding("bad-digest", game.game, f"its digest is {digest}, not {game.digest}")
        return
    log = read_game(GameText(kept.data, 1, 0))
    judged = replay(log)
    if judged.fault is not None:
        fault = judged.fault
        yield Finding(
            fault.code,
            game.game,
            f"event {fault.event}: {fault.message} (rule {fault.rule}; it was added with audit "
            f"{game.audit})",
        )
        return
    assert judged.state is not None
    try:
        due = seen(kept.data, game.audit, judged.state, take(kept.data, Bodies()))
    except NotKept as error:
        yield Finding(error.code, game.game, str(error))
        return
    turns = turns_of(log.events)
    settle(due.game, due.seats, turns[-1], holdings_of(judged.state))
    for seat in kept.seats:
        if seat.red is None:  # never judged in full: nothing to compare
            for told in due.seats:
                told.red = told.blue = told.orange = told.green = None
    if (due.game, due.seats, turns) != (_tuples(game), kept.seats, kept.turns):
        yield Finding("bad-columns", game.game, "the tables say other things than its log")


def _tuples(game: object) -> object:
    """A row with tuples where DuckDB gives lists."""
    for field in getattr(game, "__struct_fields__", ()):
        value = getattr(game, field)
        if isinstance(value, list):
            setattr(game, field, tuple(value))
    return game
