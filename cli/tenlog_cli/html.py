"""Writing pages: what ``--html FILE`` of several commands has in common."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tenlog.errors import LogError
from tenlog_cli.output import new_file

if TYPE_CHECKING:
    from tenlog.html.replay_page import Verdict
    from tenlog.html.report_page import ReportSection
    from tenlog.log.read import GameLog


def write_html(
    path: str | Path,
    log: GameLog,
    *,
    verdict: Verdict | None = None,
    notation: str | None = None,
    seed: str | None = None,
) -> None:
    """Write the replay page of a game; ``-`` is standard output. See
    :func:`tenlog.html.replay_page.render_replay`.

    Raises:
        LogFault: nothing of the game can be shown.
        LogError: the file cannot be written, or holds something that is no page.
        HtmlExtraMissing: the template engine is not installed.
    """
    from tenlog.html.replay_page import render_replay

    write_page(path, render_replay(log, verdict, notation=notation, seed=seed))


def write_pictures(
    folder: str | Path, sections: Sequence[ReportSection], *, png: bool = False
) -> list[Path]:
    """Write the pictures of reports into a folder, which is made if need be: ``NAME.svg``, or
    ``NAME.png``. Returns the files; a report without a picture has none.

    Raises:
        LogError: a file cannot be written.
        PngExtraMissing: PNG was asked for and what draws it is not installed.
    """
    from tenlog.html.report_page import png_file, svg_file

    folder = Path(folder)
    drawn = [
        (section.name, png_file(section) if png else svg_file(section).encode())
        for section in sections
        if section.chart is not None
    ]
    files = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in drawn:
            files.append(folder / f"{name}.{'png' if png else 'svg'}")
            _replace(files[-1], data)
    except (OSError, ValueError) as error:
        raise _unwritable(files[-1] if files else folder, error) from None
    return files


def refuse_to_replace(*paths: Path) -> None:
    """That nothing is there yet of what is going to be written.

    Raises:
        LogError: something is; a pipe or a device may be.
    """
    for path in paths:
        if path.is_file():
            raise LogError(
                f"{path} is there already: name another file, or replace it with --overwrite"
            )


def write_page(path: str | Path, page: str) -> None:
    """Write a page whole or not at all; ``-`` is standard output. An older page is replaced, but
    nothing else: ``--html game.jsonl`` must not cost anybody a log.

    Raises:
        LogError: the file cannot be written, or holds something that is no page.
    """
    data = page.encode("utf-8", "replace")
    if str(path) == "-":
        try:
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            raise  # whoever read has gone; the command line leaves quietly
        except OSError as error:
            raise _unwritable("standard output", error) from None
        return
    path = new_file(path)
    try:
        if path.is_file():
            with path.open("rb") as old:
                head = old.read(64).lstrip().lower()
            if head and not head.startswith(b"<!doctype html"):
                raise LogError(f"{path} is there and is no HTML page: name another file")
        elif path.is_dir():
            raise LogError(f"can't write {path}: it is a folder")
        elif path.exists():  # a pipe or a device
            path.write_bytes(data)
            return
        _replace(path, data)
    except (OSError, ValueError) as error:
        raise _unwritable(path, error) from None


def _replace(path: Path, data: bytes) -> None:
    from tenlog.log.whole import write_whole

    write_whole(path, data)


def _unwritable(path: object, error: Exception) -> LogError:
    reason = getattr(error, "strerror", None) or str(error)
    return LogError(f"can't write {path}: {reason[:1].lower() + reason[1:]}")
