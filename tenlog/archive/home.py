"""Where the archive is if nobody says, and how a game that was just played gets into it."""

from __future__ import annotations

import os
from pathlib import Path

from tenlog.errors import TenlogError


def default_archive(home: Path) -> Path:
    """The archive under a tenlog home."""
    return home / "archive"


def add_played(root: str | Path, log: str | Path) -> str | None:
    """Add the finished games of a log that was just played here; never fails.

    Returns None if all is well (also where a game is not finished, or known already), else why it
    was not added, in a line for people.
    """
    from tenlog.archive.add import add_logs

    try:
        added = add_logs(root, [os.fspath(log)], audit="full")
    except TenlogError as error:
        return f"not added to the archive {root}: {error}"
    except OSError as error:
        return f"not added to the archive {root}: {error.strerror or error}"
    except ImportError:
        return f"not added to the archive {root}: DuckDB is not installed"
    reasons = [out.reason for out in added.kept_out if out.code != "unfinished"]
    return f"not added to the archive {root}: {reasons[0]}" if reasons else None
