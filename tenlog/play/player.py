"""What is remembered of who plays here: a name and a taste, in a small file of the home; and what
a game between the same people is shuffled with next."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path
from typing import Final

import msgspec

from tenlog.errors import LogError, TenlogError
from tenlog.log.opening import read_small
from tenlog.log.read import read_games
from tenlog.play.home import logs

SETTINGS: Final = "settings.json"
MAX_SEED: Final = 128
_MOST: Final = 1 << 16  # bytes of the settings


class Settings(msgspec.Struct, frozen=True):
    """What a home remembers.

    Attributes:
        name: what a person is called who gives no name; null if nobody has given one yet.
        motion: whether a screen may flash for a moment where something happens.
    """

    name: str | None = None
    motion: bool = True


def settings_path(home: Path) -> Path:
    """Where the settings are; the file need not exist."""
    return home / SETTINGS


def read_settings(home: Path) -> Settings:
    """The settings of a home; the usual ones where there is no file.

    Raises:
        LogError: the file can't be read, or makes no sense.
    """
    path = settings_path(home)
    try:
        return msgspec.json.decode(read_small(path, _MOST), type=Settings)
    except FileNotFoundError:
        return Settings()
    except NotADirectoryError:
        return Settings()
    except OSError as error:
        raise LogError(f"can't read {path}: {error.strerror}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise LogError(f"{path} makes no sense ({error}): mend it or remove it") from None


def write_settings(home: Path, settings: Settings) -> None:
    """Replace the settings of a home; whoever reads meanwhile sees the old ones or the new ones.

    Raises:
        LogError: they can't be written.
    """
    path = settings_path(home)
    data = msgspec.json.format(msgspec.json.encode(settings), indent=2) + b"\n"
    new = None
    try:
        home.mkdir(parents=True, exist_ok=True)
        handle, new = tempfile.mkstemp(prefix=f".{SETTINGS}.", dir=home)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, path)  # noqa: PTH105 - both are names in one folder
    except OSError as error:
        if new is not None:
            with contextlib.suppress(OSError):
                Path(new).unlink()
        raise LogError(f"can't write {path}: {error.strerror}") from None


def has_finished(home: Path, name: str) -> bool:
    """Whether the home keeps a finished game in which somebody of this name played."""
    try:
        for path in logs(home):
            with contextlib.suppress(TenlogError, OSError):
                for log in read_games(path):
                    if log.finished and log.start is not None and name in log.start.players:
                        return True
    except LogError:
        return False
    return False


def next_seed(seed: str) -> str:
    """The seed of a rematch: the last one with ``/2`` behind it, or with the number behind its last
    ``/`` one higher. Where that would be longer than a seed may be, the beginning is cut short.

    >>> next_seed("friday"), next_seed("friday/2"), next_seed("a/b"), next_seed("7/1")
    ('friday/2', 'friday/3', 'a/b/2', '7/1/2')
    """
    stem, slash, number = seed.rpartition("/")
    counts = slash and stem and number.isascii() and number.isdigit() and number[0] != "0"
    if not counts or number == "1":
        stem, number = seed, "1"
    tail = f"/{int(number) + 1}"
    return stem[: MAX_SEED - len(tail)] + tail
