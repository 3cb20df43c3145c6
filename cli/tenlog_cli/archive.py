"""``tenlog archive``: keep finished games to be asked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from tenlog.story import counted
from tenlog_cli.asked import JobsOption, JsonOption, QuietOption, cores
from tenlog_cli.helping import Command, Group
from tenlog_cli.output import home, new_file, note, print_json, shown_path
from tenlog_cli.shelf import ArchiveOption, archive_path, progress_bar, say, show_table

if TYPE_CHECKING:
    from tenlog.archive.add import Added
    from tenlog.archive.stage import KeptOut
    from tenlog.log.paths import Unread

app = typer.Typer(
    cls=Group,
    help="Keep finished games in columns, to be asked with tenlog query and tenlog report.",
    add_completion=False,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
)

_NAMED = 8  # lost games

GameArgument = Annotated[str, typer.Argument(metavar="GAME", help="The id of a game.")]


@app.command(cls=Command)
def add(
    logs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[LOG]...",
            help="Logs (.jsonl, .jsonl.gz, .jsonl.zst), folders, patterns, games of the tenlog "
            "home by id, or - for standard input; all games of the home if left out.",
        ),
    ] = None,
    audit: Annotated[
        Literal["full", "seals", "none"],
        typer.Option(
            "--audit",
            metavar="full|seals|none",
            help="How strictly games are judged first: replayed by the rules, only their lines "
            "and seals, or only that they come back byte for byte.",
        ),
    ] = "full",
    replace: Annotated[
        bool,
        typer.Option("--replace", help="Put a game in the place of another one with its id."),
    ] = False,
    jobs: JobsOption = None,
    archive: ArchiveOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Add the finished games of logs.

    A game that is there already is not added twice. Games that are unfinished, faulty, or have the
    id of another game are kept out and listed with the reason. Exits with 1 if a game was kept out
    that is not merely unfinished, with 3 if a file is empty or can't be read (to its end).
    """
    from tenlog.archive.add import Progress, add_logs
    from tenlog.play.home import find_logs, games_folder

    root = archive_path(archive)
    logs = find_logs(home(), logs) if logs else [str(games_folder(home()))]

    def said(out: KeptOut) -> None:
        if not quiet and not as_json:
            note(f"{out.file}, line {out.line}: {out.game or 'a game'} kept out: {out.reason}")

    missed: list[Unread] = []
    with progress_bar("Adding", quiet or as_json) as show:

        def progress(now: Progress) -> None:
            show(now.done, now.total, counted(now.games, "game"))

        added = add_logs(
            root,
            logs,
            audit=audit,
            replace=replace,
            jobs=jobs or cores(),
            said=said,
            unread=missed.append,
            progress=progress,
        )
    for file in missed:
        note(f"tenlog: {file.message}")
    if as_json:
        print_json(added)
    elif not quiet and (added.files or not missed):
        _tell_added(added, root)
    if missed:
        raise typer.Exit(3)
    if added.faulty or added.clashes:
        raise typer.Exit(1)


def _tell_added(added: Added, root: Path) -> None:
    rate = round(added.events / added.seconds) if added.seconds else 0
    games = round(added.games / added.seconds) if added.seconds else 0
    say(
        f"{counted(added.games, 'game')} added, {counted(added.events, 'event')} "
        f"({added.seconds:.1f} s, {games:,} games/s, {rate:,} events/s) to {shown_path(root)}"
    )
    told = [
        (added.known, "known already"),
        (added.replaced, "replaced"),
        (added.unfinished, "unfinished"),
        (added.faulty, "faulty"),
        (added.clashes, "with the id of another game"),
    ]
    rest = ", ".join(f"{number:,} {what}" for number, what in told if number)
    if rest:
        say(rest)


@app.command(cls=Command)
def get(
    game: GameArgument,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "--log", "-o", metavar="FILE", help="The new log; else standard output."
        ),
    ] = None,
    archive: ArchiveOption = None,
) -> None:
    """The log of a game, byte for byte as it went in."""
    import sys

    from tenlog.archive.read import get_game

    data = get_game(archive_path(archive), game)
    if out is None:
        sys.stdout.buffer.write(data)
        return
    from tenlog.log.store import save_log

    save_log(new_file(out), [data])
    events = data.count(b"\n")
    note(f"{shown_path(out)}: 1 game, {counted(events, 'event')}")


@app.command("ls", cls=Command)
def list_(
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", min=1, help="At most so many.")
    ] = None,
    archive: ArchiveOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the games by id."""
    from tenlog.archive.read import list_games

    found = list_games(archive_path(archive), limit)
    if as_json:
        print_json(found)
        return
    rows = [
        [
            row.game,
            row.ruleset,
            str(row.players),
            str(row.events),
            str(row.turns),
            " ".join(map(str, row.winners)),
            str(row.winning_score),
            row.audit,
        ]
        for row in found
    ]
    columns = ["game", "ruleset", "players", "events", "turns", "winners", "score", "audit"]
    show_table(columns, [False, False, True, True, True, True, True, False], rows)


@app.command(cls=Command)
def info(archive: ArchiveOption = None, as_json: JsonOption = False) -> None:
    """How much there is, and of what."""
    from tenlog.archive.read import archive_info

    found = archive_info(archive_path(archive))
    if as_json:
        print_json(found)
        return
    each = found.bytes / found.events if found.events else 0.0
    say(shown_path(Path(found.path)))
    say(f"   games  {found.games:,}")
    say(f"  events  {found.events:,}")
    say(f"    size  {found.bytes:,} bytes, {each:.2f} an event")
    say(f"   parts  {found.parts:,} (schema {found.schema}, commit {found.generation:,})")
    for title, counts in (
        ("rulesets", found.rulesets),
        ("players", found.players),
        ("audit", found.audits),
        ("bots", found.bots),
    ):
        first = list(counts.items())[:12]
        told = ", ".join(f"{name} {count:,}".replace("\n", "\\n") for name, count in first)
        say(f"{title.rjust(8)}  {told}{', ...' if len(counts) > 12 else ''}")


@app.command(cls=Command)
def verify(
    files: Annotated[
        bool,
        typer.Option("--files", help="Only compare files with their hashes: any bit that flipped."),
    ] = False,
    archive: ArchiveOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Judge everything again: files, digests, seals, rules, and what the tables say.

    Exits with 1 if something is wrong.
    """
    from tenlog.archive.verify import verify_archive

    root = archive_path(archive)
    with progress_bar("Verifying", quiet or as_json) as show:
        found = verify_archive(
            root,
            files_only=files,
            progress=lambda done, total: show(done, total, counted(done, "game")),
        )
    if as_json:
        print_json(found)
    else:
        for finding in found.findings:
            note(f"{finding.where}: {finding.message} ({finding.code})")
        if any(finding.code in ("damaged-file", "missing-file") for finding in found.findings):
            note("restore files from a copy, or take what is whole with tenlog archive recover")
        if not quiet:
            what = "files hold" if files else "games hold"
            good = f"all {what}" if not found.wrong else counted(found.wrong, "finding")
            say(
                f"{good}: {counted(found.games, 'game')}, {counted(found.events, 'event')} in "
                f"{counted(found.parts, 'part')} ({found.seconds:.1f} s)"
            )
    if found.wrong:
        raise typer.Exit(1)


@app.command(cls=Command)
def export(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder that is not there yet.")],
    archive: ArchiveOption = None,
    quiet: QuietOption = False,
) -> None:
    """Write Hive-partitioned Parquet, and the SQL to read it with DuckDB alone."""
    from tenlog.archive.manage import export_archive

    games = export_archive(archive_path(archive), folder)
    if not quiet:
        say(f"{counted(games, 'game')} in {shown_path(folder)}: schema.sql says how to read them")


@app.command(cls=Command)
def rebuild(
    archive: ArchiveOption = None, as_json: JsonOption = False, quiet: QuietOption = False
) -> None:
    """Write everything anew: judged in full, in today's schema, small parts made one."""
    from tenlog.archive.manage import rebuild_archive

    root = archive_path(archive)
    with progress_bar("Rebuilding", quiet or as_json) as show:
        done = rebuild_archive(root, lambda n, total: show(n, total, counted(n, "game")))
    if as_json:
        print_json(done)
    elif not quiet:
        say(
            f"{counted(done.games, 'game')} written anew, {done.newly_judged:,} of them judged in "
            f"full for the first time: {counted(done.parts_before, 'part')}, "
            f"{done.bytes_before:,} bytes before; {counted(done.parts, 'part')}, "
            f"{done.bytes:,} bytes now"
        )


@app.command(cls=Command)
def recover(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder that is not there yet.")],
    archive: ArchiveOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Write what is whole of a damaged archive to a new one, and tell which games are lost.

    The damaged archive stays as it is. A lost game comes back when its log is added to the new
    one. Exits with 1 if a game is lost, or may be because the list of the parts is damaged.
    """
    from tenlog.archive.recover import recover_archive

    with progress_bar("Recovering", quiet or as_json) as show:
        done = recover_archive(
            archive_path(archive), folder, lambda n, total: show(n, total, counted(n, "game"))
        )
    if as_json:
        print_json(done)
    elif not quiet:
        if not done.listed:
            note("the list of the parts is damaged: whether there were more, nobody can tell")
        if done.lost:
            some = done.lost_games[:_NAMED]
            told = [*some, "..."] if len(some) < done.lost else some
            ids = ", ".join(told) if some else "their ids are, too"
            note(f"{counted(done.lost, 'game')} lost: {ids}")
        if done.unlisted:
            note(
                f"{counted(done.unlisted, 'game')} from files that the list did not name any more: "
                "some may have been taken out of the archive before"
            )
        say(
            f"{counted(done.games, 'game')}, {counted(done.events, 'event')} in "
            f"{shown_path(folder)}, from {counted(done.parts, 'part')} of which "
            f"{done.damaged:,} {'was' if done.damaged == 1 else 'were'} damaged "
            f"({done.seconds:.1f} s)"
        )
    if done.lost or not done.listed:
        raise typer.Exit(1)


@app.command(cls=Command)
def rm(
    games: Annotated[list[str], typer.Argument(metavar="GAME...", help="Ids of games.")],
    archive: ArchiveOption = None,
    quiet: QuietOption = False,
) -> None:
    """Take games out for good; all of them, or none if one is not there."""
    from tenlog.archive.manage import remove_games

    removed = remove_games(archive_path(archive), games)
    if not quiet:
        say(f"{counted(removed, 'game')} removed")
