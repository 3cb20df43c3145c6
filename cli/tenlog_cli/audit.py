"""``tenlog audit``, ``seal`` and ``sign``: judging logs that one need not trust."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from tenlog.audit.run import Batch, Counts
    from tenlog.audit.verdict import Level, Verdict

LogPaths = Annotated[
    list[str], typer.Argument(help="Files, folders, patterns in quotes, or - for standard input.")
]


def audit(
    paths: LogPaths,
    seals_only: Annotated[
        bool, typer.Option("--seals-only", help="Check only that the seals fit the bytes.")
    ] = False,
    no_seed: Annotated[
        bool, typer.Option("--no-seed", help="Do without the deck that the seed gives.")
    ] = False,
    everything: Annotated[
        bool, typer.Option("--all", help="Go on after a fault, and list what else is wrong.")
    ] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show the table at the fault.")
    ] = False,
    expect: Annotated[
        list[str] | None,
        typer.Option(help="A last seal that was written down; one game must have it."),
    ] = None,
    trusted: Annotated[
        list[Path] | None, typer.Option(help="A public key; every game must be signed by one.")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", min=1, help="Processes; all cores if left out.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a game.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing; exit code only.")] = (
        False
    ),
) -> None:
    """Judge every game of every log: lines, seals, start, each event, deck, end.

    Exit code 0 if all hold, 1 if a game is faulty, 3 if something could not be read.
    """
    from tenlog.audit.run import Counts, Request, Unread
    from tenlog.audit.run import audit as judge
    from tenlog.audit.trust import Trust, load_public_key
    from tenlog.errors import SetupError
    from tenlog_cli.output import note, print_json

    if seals_only and (no_seed or everything or explain):
        raise SetupError("--seals-only looks at no events: leave the other options out")
    level: Level = "seals" if seals_only else "no-seed" if no_seed else "full"
    missing = [_seal(text) for text in expect or ()]
    trust = Trust([load_public_key(path) for path in trusted]) if trusted else None
    counts = Counts()
    told = _Told()
    with _progress(quiet) as progress:
        found = judge(
            paths, Request(level, explain, everything), jobs=jobs or _jobs(paths), progress=progress
        )
        for item in found:
            if isinstance(item, Unread):
                counts.add(item)
                note(f"tenlog: {item.message}")
                continue
            verdict = item if trust is None else trust.check(item)
            counts.add(verdict)
            if verdict.seal in missing:
                missing.remove(verdict.seal)
            if as_json and not quiet:
                print_json(verdict)
            elif not quiet:
                told.add(verdict)
    if not quiet and not as_json:
        told.flush()
        _sum_up(counts)
    for seal in missing:
        note(f"tenlog: no game has the last seal {seal}")
    raise typer.Exit(counts.exit_code or (1 if missing else 0))


def _seal(text: str) -> str:
    import re

    from tenlog.errors import SetupError

    if not re.fullmatch(r"[0-9a-fA-F]{32}", text.strip()):
        raise SetupError(f"--expect {text[:40]!r}: a seal is 32 hex digits (see tenlog seal)")
    return text.strip().lower()


def _jobs(paths: list[str]) -> int:
    """One process for what is read in a moment, where starting others would take longer."""
    from tenlog_cli.simulate import cores

    files = [Path(name) for name in paths]
    small = all(file.is_file() for file in files) and "-" not in paths
    return 1 if small and sum(file.stat().st_size for file in files) < 1 << 23 else cores()


@contextmanager
def _progress(quiet: bool) -> Iterator[Callable[[Batch], None] | None]:
    """A line on standard error, if that is a terminal and standard output goes elsewhere."""
    if quiet or not sys.stderr.isatty() or sys.stdout.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress, TextColumn, TimeElapsedColumn

    with Progress(
        TextColumn("{task.completed:,.0f} games"),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
        console=Console(stderr=True),
        transient=True,
    ) as bar:
        task = bar.add_task("", total=None)

        def show(batch: Batch) -> None:
            bar.update(task, advance=len(batch.games), description=batch.file[-40:])

        yield show


class _Told:
    """Verdicts as lines: clean games of a file together, everything else by itself, in order."""

    def __init__(self) -> None:
        self._clean: list[Verdict] = []
        self._games = 0
        self._events = 0

    def add(self, verdict: Verdict) -> None:
        """Take a verdict in."""
        if verdict.verdict != "clean":
            self.flush()
            self._print(_lines(verdict), verdict.verdict)
            return
        if self._clean and self._clean[0].file != verdict.file:
            self.flush()
        # Only what the line needs is kept: a file may have a million games.
        self._events = verdict.events + (self._events if self._clean else 0)
        self._games = 1 + (self._games if self._clean else 0)
        self._clean = [verdict]

    def flush(self) -> None:
        """Tell of the clean games that are waiting."""
        if not self._clean:
            return
        (last,) = self._clean
        self._clean = []
        if self._games == 1:
            self._print(_lines(last), "clean")
        else:
            self._print(
                [f"clean      {self._games:,} games  {self._events:,} events  {last.file}"], "clean"
            )

    def _print(self, lines: Iterable[str], verdict: str) -> None:
        from tenlog_cli.output import console, harmless

        for line in lines:
            console().print(harmless(line), soft_wrap=True, style=_STYLES.get(verdict))


# The word says it; the colour repeats it.
_STYLES = {"faulty": "bold red", "torn": "yellow"}


def _lines(verdict: Verdict) -> Iterator[str]:
    from msgspec import UNSET

    game = "(no id)" if verdict.game is None else verdict.game
    events = f"{verdict.events} events" if verdict.verdict != "faulty" else ""
    yield f"{verdict.verdict:<10} {game}  {events or verdict.code}  {verdict.file}"
    if verdict.message is not UNSET:
        rule = f" (rule {verdict.rule})" if isinstance(verdict.rule, str) else ""
        where = f"line {verdict.line}, byte {verdict.offset}" if verdict.line is not UNSET else ""
        yield f"           event {verdict.event}, {where}: {verdict.message}{rule}"
    if isinstance(verdict.state, dict):
        for line in _table(verdict.state):
            yield f"           {line}"
    for fault in verdict.more or ():
        yield (
            f"           also event {fault.event}, line {fault.line}: {fault.message} "
            f"[{fault.code}]"
        )


def _table(state: dict[str, Any]) -> Iterator[str]:
    """The table at a fault, in lines that can be copied into a mail."""
    yield f"table after event {state['n'] - 1}, turn {state['turn']}, {state['phase']}:"
    for seat in state["seats"]:
        mark = ">" if seat["seat"] == state["to_act"] else " "
        cards = " ".join(seat["cards"]) or "no cards"
        yield (
            f"{mark} {seat['seat']} {seat['name']}: {seat['tokens']} tokens, "
            f"{seat['busts']} bust tokens, {cards}"
        )
    tableau = " ".join(state["tableau"]) or "empty"
    yield f"  tableau {tableau} (total {state['total']}, currency {state['currency']})"
    if state["auction"]:
        auction = state["auction"]
        yield f"  auction of {auction['card']}, highest bid {auction['bid']}"
    yield f"  market {' '.join(state['market']) or 'empty'}; {state['deck']} cards in the deck"


def _sum_up(counts: Counts) -> None:
    from tenlog_cli.output import console

    parts = [
        f"{number:,} {name}"
        for name in ("clean", "unfinished", "torn", "faulty")
        if (number := getattr(counts, name))
    ]
    said = f": {', '.join(parts)}" if parts else ""
    unread = f"; {counts.unread} not read" if counts.unread else ""
    games = "1 game" if counts.games == 1 else f"{counts.games:,} games"
    console().print(f"{games}, {counts.events:,} events{said}{unread}", soft_wrap=True)


def seal(
    paths: LogPaths,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a game.")] = False,
) -> None:
    """The last seal of each game: write it down, and ``audit --expect`` finds any later change."""
    from tenlog_cli.output import console, harmless, print_json

    for verdict in _judged(paths):
        if as_json:
            print_json({"file": verdict.file, "game": verdict.game, "seal": verdict.seal})
        else:
            console().print(harmless(f"{verdict.seal}  {verdict.game}"), soft_wrap=True)


def _judged(paths: list[str]) -> Iterator[Verdict]:
    """Verdicts over games, refusing to go on at what is faulty or can't be read."""
    from tenlog.audit.run import Unread
    from tenlog.audit.run import audit as judge
    from tenlog.errors import LogError, LogFault

    for item in judge(paths):
        if isinstance(item, Unread):
            raise LogError(item.message)
        if item.verdict == "faulty":
            raise LogFault(f"{item.file}, line {item.line} (event {item.event}): {item.message}")
        if not item.events:
            raise LogError(f"{item.file}: game {item.game} has no seal yet")
        yield item


def sign(
    log: Annotated[str | None, typer.Argument(help="The log to sign.")] = None,
    key: Annotated[Path | None, typer.Option(help="The private key (PEM, Ed25519).")] = None,
    out: Annotated[
        Path | None, typer.Option(help="Where the signatures go; LOG.sig if left out.")
    ] = None,
    new_key: Annotated[
        Path | None, typer.Option("--new-key", help="Make a key pair: FILE and FILE.pub.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing.")] = False,
) -> None:
    """Sign the last seal of each game of a log, for ``audit --trusted``; or make a key for it."""
    from tenlog.audit.trust import load_private_key, make_key, write_signatures
    from tenlog.audit.trust import sign as make_signatures
    from tenlog.errors import SetupError
    from tenlog_cli.output import note

    if new_key is not None:
        if log is not None or key is not None:
            raise SetupError("--new-key makes a key and signs nothing: give it alone")
        public = make_key(new_key)
        if not quiet:
            note(f"private key {new_key} (keep it to yourself), public key {public}")
        return
    if log is None or key is None:
        raise SetupError("sign needs a log and a key: tenlog sign LOG --key FILE")
    if log == "-":
        raise SetupError("standard input has no file to put signatures beside: name the log")
    private = load_private_key(key)
    signatures = make_signatures(_judged([log]), private)
    target = out if out is not None else Path(log + ".sig")
    write_signatures(target, signatures)
    if not quiet:
        games = "1 game" if len(signatures) == 1 else f"{len(signatures)} games"
        note(f"{target}: {games} signed")
