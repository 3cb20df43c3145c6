"""Games that were left for another one: noted in a file beside the log.

A branch says where it came from, not why it was made. Where a decision was taken back, the game
goes on in the branch, and ``<log>.left`` names the game that it goes on as. A branch that was made
for its own sake leaves no such note, and its parent stays a game in progress.
"""

from __future__ import annotations

from pathlib import Path

from tenlog.log.source import log_error


def note_path(log: Path) -> Path:
    """Where it is noted that the game of a log goes on as another one."""
    return log.with_name(log.name + ".left")


def note_left(log: Path, on_game: str) -> None:
    """Note that the game of a log goes on as another one.

    Raises:
        LogError: it can't be written.
    """
    path = note_path(log)
    try:
        path.write_text(on_game + "\n", encoding="utf-8")
    except OSError as error:
        raise log_error(path, error, "write") from None


def left_for(log: Path) -> str | None:
    """The id of the game that the game of a log goes on as, or None if nothing is noted."""
    try:
        return note_path(log).read_text(encoding="utf-8").removesuffix("\n")
    except (OSError, UnicodeDecodeError):
        return None
