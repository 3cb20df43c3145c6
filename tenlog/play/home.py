"""Where games live: a folder with one log for each game, found again by id, or by a part of it.

The folder itself is the caller's choice; nothing here looks at the environment.
"""

from __future__ import annotations

import glob
import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, Literal

import msgspec
from msgspec import UNSET

from tenlog.errors import LogError, SetupError
from tenlog.log.codec import SUFFIXES
from tenlog.log.read import GameLog, read_games, read_one
from tenlog.log.replay import replay
from tenlog.log.source import log_error
from tenlog.play.branch import is_untouched, left_games
from tenlog.story import to_do

GAMES: Final = "games"  # the sub-folder of the home
DEMOS: Final = "demos"  # where no person plays: neither listed nor gone on with

# Without vowels and look-alikes: easily read out, and no words.
_LETTERS: Final = "bcdfghjkmnpqrstvwxz23456789"

Standing = Literal["playing", "left", "finished", "faulty"]


class GameRow(msgspec.Struct, frozen=True):
    """One game of the home.

    Attributes:
        game: its id.
        path: the log.
        state: ``playing``, ``left`` (a decision was taken back, and it goes on as another game,
            which ``goes_on_as`` names), ``finished``, or ``faulty`` (then ``fault`` says why).
        at: when something was last written, in milliseconds since the Unix epoch.
        ruleset: the ruleset's name.
        players: names by seat.
        bots: by seat: the bot's specification, or null for a person; empty if the log is silent.
        turn: which turn it is, from 1.
        events: how many events hold.
        to_act: the seat that is asked, or null.
        to_do: what it is asked for, such as ``bid or pass``; ``finished`` after the end.
        seed: the seed, or null while it is sealed.
        scores: points by seat once it is finished.
        winners: winners' seats once it is finished.
        fault: the first fault, or null.
        goes_on_as: the id of the game that a left one goes on as, or null.
    """

    game: str
    path: str
    state: Standing
    at: int
    ruleset: str
    players: tuple[str, ...]
    bots: tuple[str | None, ...]
    turn: int
    events: int
    to_act: int | None
    to_do: str
    seed: str | None
    scores: tuple[int, ...] = ()
    winners: tuple[int, ...] = ()
    fault: str | None = None
    goes_on_as: str | None = None


def games_folder(home: Path) -> Path:
    """Where the logs are; it need not exist."""
    return home / GAMES


def demos_folder(home: Path) -> Path:
    """Where the logs of demos are; it need not exist."""
    return home / DEMOS


def new_game_id() -> str:
    """An id for a game that is named by nobody: the day and four random characters."""
    letters = "".join(_LETTERS[byte % len(_LETTERS)] for byte in os.urandom(4))
    return time.strftime("%Y%m%d-") + letters


def log_path(home: Path, game: str) -> Path:
    """Where the log of a new game of the home goes."""
    return games_folder(home) / f"{game}.jsonl"


def logs(home: Path) -> list[Path]:
    """The logs of the home, the one written last first.

    Raises:
        LogError: the folder cannot be read.
    """
    return _logs_in(games_folder(home))


def _logs_in(folder: Path) -> list[Path]:
    found: list[tuple[int, str, Path]] = []
    try:
        for path in folder.iterdir():
            if path.name.endswith(SUFFIXES) and not path.name.startswith("."):
                # A link that leads nowhere hides no other log; it is told of when it is read.
                info = path.stat() if path.exists() else path.lstat()
                found.append((-info.st_mtime_ns, path.name, path))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise LogError(f"can't read {folder}: {error.strerror}") from None
    return [path for _, _, path in sorted(found)]


def name_of(path: Path) -> str:
    """What a log of the home is called: its file name without the suffix."""
    for suffix in SUFFIXES:
        if path.name.endswith(suffix):
            return path.name.removesuffix(suffix)
    return path.name


def find_log(home: Path, text: str | None) -> Path:
    """The log that a user means: a file, a game or demo of the home by its id or a part of it that
    no other one has,
    or (with None) the game in progress that was played last. ``-`` is standard input.

    Raises:
        SetupError: nothing is called so, more than one thing is, or no game is in progress.
        LogError: the folder cannot be read.
    """
    if text is None:
        return _latest(home)
    path = Path(text)
    if text == "-" or (text and path.exists()):
        return path
    if "/" in text or text.endswith(SUFFIXES):
        raise LogError(f"there is no log {text}: tenlog ls lists the games that are kept")
    like = _games_like(home, text)
    if len(like) == 1:
        return next(iter(like.values()))
    if not like:
        raise SetupError(f"no log and no game {text[:70]!r}: tenlog ls lists the games")
    few = ", ".join(sorted(like)[:4]) + (", …" if len(like) > 4 else "")
    raise SetupError(f"{text[:70]!r} may be {len(like)} games ({few}): write more of the id")


def find_logs(home: Path, texts: Iterable[str]) -> list[str]:
    """Paths (files, folders, patterns, ``-``) as they are, and the logs of games that are named
    instead. A path that exists is one; what is neither stays as it is, for who reads it to say.

    Raises:
        SetupError: a text may be more than one game.
        LogError: the folder of the games cannot be read.
    """
    found: list[str] = []
    for text in texts:
        named = "/" in text or text.endswith(SUFFIXES) or glob.has_magic(text) or _is_there(text)
        is_game = text != "-" and not named and _games_like(home, text)
        found.append(str(find_log(home, text)) if is_game else text)
    return found


def _is_there(text: str) -> bool:
    try:
        return Path(text).exists()
    except OSError:  # a name that is too long for a file
        return False


def _games_like(home: Path, text: str) -> dict[str, Path]:
    """The games and demos that an id, or else a part of one, names."""
    names = {name_of(log): log for log in (*_logs_in(demos_folder(home)), *logs(home))}
    if text in names:
        return {text: names[text]}
    return {name: log for name, log in names.items() if text and text in name}


def _latest(home: Path) -> Path:
    """The game in progress that was played last: not one that was left, but what it goes on as; and
    a branch that nobody has touched yet only where there is nothing else."""
    newer: list[Path] = []
    untouched: list[Path] = []
    for path in logs(home):
        newer.append(path)
        log = _in_progress(path)
        if log is None:
            continue
        # A branch is younger than what was left for it, so only those need be looked at.
        on = next((left for left in left_games(newer) if left.file == str(path)), None)
        if on is None and not is_untouched(log):
            return path
        if on is None:
            untouched.append(path)
        elif Path(on.on_file) in untouched:
            return Path(on.on_file)
    if untouched:
        return untouched[0]
    raise SetupError(
        "no game is in progress: start one with tenlog play or tenlog new, or name a log "
        "(tenlog ls lists them)"
    )


def _in_progress(path: Path) -> GameLog | None:
    try:
        log = read_one(path)
    except LogError:
        return None
    return log if log.fault is None and log.lines and not log.finished else None


def row_of(log: GameLog, path: Path, at: int) -> GameRow:
    """What a listing says of a game."""
    found = replay(log)
    state = found.state
    fault = None if found.fault is None else found.fault.message
    if state is None:
        fault = fault or "nothing of the game is committed"
        game = log.game or name_of(path)
        return GameRow(
            game, str(path), "faulty", at, "", (), (), 0, 0, None, "faulty", None, fault=fault
        )
    standing: Standing = "faulty" if fault else "finished" if log.finished else "playing"
    return GameRow(
        game=state.game,
        path=str(path),
        state=standing,
        at=at,
        ruleset=state.rules.ruleset.name,
        players=state.players,
        bots=log.bots,
        turn=state.turn,
        events=state.n,
        to_act=state.to_act if standing == "playing" else None,
        to_do="faulty" if fault else to_do(state),
        seed=found.seed,
        scores=state.scores,
        winners=state.winners,
        fault=fault,
    )


def list_games(home: Path) -> Iterator[GameRow]:
    """The games of the home, the one written last first.

    A log that cannot be read is listed as faulty; one that holds many games gives a row for each.

    Raises:
        LogError: the folder cannot be read.
    """
    paths = logs(home)
    on = {(left.file, left.game): left.on_game for left in left_games(paths)}
    for path in paths:
        try:
            at = path.stat().st_mtime_ns // 1_000_000
            for log in read_games(path):
                row = row_of(log, path, _last_moment(log) or at)
                goes_on_as = on.get((str(path), row.game))
                if goes_on_as is not None and row.state == "playing":
                    row = msgspec.structs.replace(
                        row, state="left", to_act=None, goes_on_as=goes_on_as
                    )
                yield row
        except (LogError, OSError) as error:
            name = name_of(path)
            fault = error if isinstance(error, LogError) else log_error(path, error)
            yield GameRow(
                name, str(path), "faulty", 0, "", (), (), 0, 0, None, "faulty", None,
                fault=str(fault),
            )  # fmt: skip


def _last_moment(log: GameLog) -> int | None:
    for line in reversed(log.lines):
        if line.at is not UNSET:
            return line.at
    return None
