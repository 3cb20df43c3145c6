"""``tenlog export`` and ``tenlog import``: games to be passed on, and back again."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tenlog_cli.asked import complete_log
from tenlog_cli.output import home, new_file, note, print_json

if TYPE_CHECKING:
    from tenlog.game.events import Event
    from tenlog.log.read import GameLog
    from tenlog.log.replay import Replay

MOST_TEXT = 1 << 26  # bytes of one-line games that are read at once


def export(
    log: Annotated[
        str,
        typer.Argument(
            help="A log (.jsonl, .jsonl.gz, .jsonl.zst), - for standard input, or a game of the "
            "home by its id or a part of it.",
            autocompletion=complete_log,
        ),
    ],
    line: Annotated[
        bool, typer.Option("--line", help="One line of text, which tenlog import takes back.")
    ] = False,
    text: Annotated[
        bool, typer.Option("--text", help="A protocol to be read; the default.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="All events and results as one JSON document.")
    ] = False,
    csv: Annotated[bool, typer.Option("--csv", help="A row for each event.")] = False,
    game: Annotated[
        str | None,
        typer.Option("--game", metavar="ID", help="Only this game of a log of many; else all."),
    ] = None,
) -> None:
    """Write games out: as one line, as a protocol, as JSON or as CSV.

    Of a log of many games all are written, one after another. A game with a fault is not written
    but named on standard error; the exit code is then 1.
    """
    from tenlog.errors import LogError, SetupError
    from tenlog.log.read import no_game, read_games
    from tenlog.log.replay import replay_strictly
    from tenlog.play.home import find_log

    if line + text + as_json + csv > 1:
        raise SetupError("--line, --text, --json and --csv: take one of them")
    path = find_log(home(), log)
    form = "line" if line else "json" if as_json else "csv" if csv else "text"
    written = bad = 0
    for found in read_games(path):
        if game is not None and found.game != game:
            continue
        try:
            replayed = replay_strictly(found, path)
        except LogError as error:
            bad += 1
            note(f"tenlog: {error}")
            continue
        if found.tail and form != "text":
            note(f"tenlog: {path}: {len(found.tail)} bytes that were never committed are left out")
        _write(form, found, replayed, first=not written)
        written += 1
    if not written and not bad:
        raise no_game(path, game)
    if bad:
        raise typer.Exit(1)


def _write(form: str, log: GameLog, found: Replay, *, first: bool) -> None:
    if form == "line":
        from tenlog.notation import write_line

        sys.stdout.write(write_line(found.events) + "\n")
    elif form == "json":
        from tenlog.protocol import document

        print_json(document(log, found))
    elif form == "csv":
        _write_csv(log, found, first)
    else:
        from tenlog.protocol import text_protocol

        _write_text(("" if first else "\n") + text_protocol(log, found))


def _write_text(text: str) -> None:
    """Names are made harmless; what the encoding of the output lacks becomes a question mark."""
    from tenlog_cli.output import harmless

    encoding = sys.stdout.encoding or "ascii"
    sys.stdout.write(harmless(text).encode(encoding, "replace").decode(encoding))


def _write_csv(log: GameLog, found: Replay, first: bool) -> None:
    import csv
    import io

    from tenlog.protocol import CSV_COLUMNS, csv_rows
    from tenlog_cli.output import on_terminal

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    if first:
        writer.writerow(CSV_COLUMNS)
    writer.writerows(csv_rows(log, found))
    if on_terminal():
        _write_text(out.getvalue())
    else:
        # A file is UTF-8, whatever the locale is.
        sys.stdout.flush()
        sys.stdout.buffer.write(out.getvalue().encode())


def import_(
    line: Annotated[
        str | None,
        typer.Argument(
            help="A game as one line (TEN1:…), or a file with such lines; standard input if left "
            "out or -.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "--log", metavar="FILE", help="The new log; else standard output."),
    ] = None,
) -> None:
    """Turn games that were written as one line back into a log.

    The events are the same as in the log that was exported, byte for byte; times, bots and the
    seals in between are not in the line. A broken line is refused with the place where it breaks,
    and then nothing is written.
    """
    from tenlog.errors import NotationError, SetupError
    from tenlog.log.store import encode_game, save_log
    from tenlog.notation import read_line
    from tenlog.notation.texts import split_lines

    lines = split_lines(_text(line))
    if not lines:
        raise SetupError("there is no one-line game: it begins with TEN1:")
    games: list[list[Event]] = []
    for number, one in enumerate(lines, 1):
        try:
            games.append(read_line(one))
        except NotationError as error:
            where = f"game {number} of {len(lines)}, " if len(lines) > 1 else ""
            around = one[max(0, error.position - 11) : error.position + 10]
            message = str(error).partition(": ")[2]
            raise NotationError(error.position, f"{message} [{where}near {around!r}]") from None
    if out is None:
        sys.stdout.flush()
        for events in games:
            sys.stdout.buffer.write(encode_game(events))
        return
    save_log(new_file(out), _encoded(games))
    what = "1 game" if len(games) == 1 else f"{len(games)} games"
    note(f"{out}: {what}, {sum(map(len, games))} events")


def _encoded(games: list[list[Event]]) -> Iterator[bytes]:
    from tenlog.log.store import encode_game

    for events in games:
        yield encode_game(events)


def _text(line: str | None) -> str:
    """What the argument means: a line, or the text of a file or of standard input."""
    from tenlog.errors import LogError, SetupError
    from tenlog.log.opening import open_to_read

    if line is not None and line.startswith("TEN"):
        return line
    if line == "":
        raise SetupError("there is no one-line game: it begins with TEN1:")
    try:
        if line is None or line == "-":
            data = sys.stdin.buffer.read(MOST_TEXT + 1)
        else:
            with open_to_read(line, piped=True) as file:
                data = file.read(MOST_TEXT + 1)
    except OSError as error:
        raise LogError(f"can't read {line}: {(error.strerror or str(error)).lower()}") from None
    if len(data) > MOST_TEXT:
        raise LogError(f"more than {MOST_TEXT >> 20} MiB of one-line games: import them in parts")
    return data.decode("utf-8", "replace").removeprefix("\ufeff")
