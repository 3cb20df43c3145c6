"""``tenlog audit``, ``seal`` and ``sign``: judging logs that one need not trust, and the anchors
that tell whether they are still the ones that they were."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tenlog.story import counted
from tenlog_cli.asked import GameOption, JobsOption, JsonOption, LogArgument, cores
from tenlog_cli.output import home, note, print_json

if TYPE_CHECKING:
    from tenlog.audit import Finding, Judged, Settings, Summary
    from tenlog.log.read import Fault

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing: the exit code tells.")]


def audit(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH...",
            help="Logs, folders of logs, quoted globs, games of the home by id, or - for standard "
            "input.",
        ),
    ],
    jobs: JobsOption = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show the table before the first fault of each game.")
    ] = False,
    everything: Annotated[
        bool, typer.Option("--all", help="Go on after a game's first fault.")
    ] = False,
    seals_only: Annotated[
        bool, typer.Option("--seals-only", help="Check the chain of seals only, and fast.")
    ] = False,
    no_seed: Annotated[
        bool, typer.Option("--no-seed", help="Do not hold the draws against the seed's deck.")
    ] = False,
    rules: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME|FILE",
            help="The ruleset that games must be played by, such as ten/1; may be repeated.",
        ),
    ] = None,
    expect: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[GAME=]SEAL", help="The seal that the game must end with; may be repeated."
        ),
    ] = None,
    noted: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[GAME=]SEAL",
            help="A seal that was noted while the game was played, and must be in it; may be "
            "repeated.",
        ),
    ] = None,
    trusted: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="PUB", help="Public key that must have signed each game; may be repeated."
        ),
    ] = None,
    signatures: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="File of signatures, if not beside each log (LOG.sig)."),
    ] = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="List the games without a fault too.")
    ] = False,
    as_json: JsonOption = False,
    quiet: Quiet = False,
) -> None:
    """Judge every game in logs: lines, seals, start, draws, rules, sums, scores.

    Nothing is written. Exit code: 1 if any game is faulty, else 3 if something could not be read,
    else 0. What the codes of faults mean: tenlog rules audit.
    """
    from tenlog.audit import Settings, Summary
    from tenlog.audit import audit as judge
    from tenlog.game.ruleset import rules_field
    from tenlog.play.home import find_logs
    from tenlog.play.setup import load_ruleset

    if seals_only and (no_seed or explain or everything or rules):
        raise typer.BadParameter("--seals-only judges no events: leave the other options away")
    if explain and (as_json or quiet):
        raise typer.BadParameter("--explain is for people: leave --json and --quiet away")
    if signatures is not None and not trusted:
        raise typer.BadParameter("--signatures needs the key to trust: --trusted PUB")
    settings = Settings(
        level="seals" if seals_only else "no-seed" if no_seed else "full",
        everything=everything,
        table=explain,
    )
    summary = Summary()
    with _bar(quiet) as bar:
        found = judge(
            find_logs(home(), paths),
            settings,
            jobs=jobs or cores(),
            rules=[rules_field(load_ruleset(name)) for name in rules or ()],
            expect=expect or (),
            noted=noted or (),
            trusted=trusted or (),
            signatures=signatures,
            progress=bar.moved if bar else None,
        )
        _tell(found, summary, bar, as_json=as_json, quiet=quiet, verbose=verbose)
    if not (as_json or quiet):
        _summarise(summary, settings)
    raise typer.Exit(summary.exit_code)


def _tell(
    findings: Iterator[Finding],
    summary: Summary,
    bar: Bar | None,
    *,
    as_json: bool,
    quiet: bool,
    verbose: bool,
) -> None:
    """Print what is found as it comes, and count it."""
    from tenlog.audit import Judged

    file = None
    for found in findings:
        summary.count(found)
        if isinstance(found, Judged):
            if found.file != file and not found.absent:
                file = found.file
                summary.files += 1
            if bar is not None:
                bar.games, bar.faulty = summary.games, summary.faulty
            if as_json:
                for line in found.lines():
                    print_json(line)
            elif not quiet and (verbose or found.verdict != "clean"):
                _clear(bar)
                _render(found)
        elif not quiet:
            _clear(bar)
            note("tenlog: " + _on_one_line(found.message))


def _on_one_line(text: str) -> str:
    return text.replace("\n", "\\n")


def _clear(bar: Bar | None) -> None:
    if bar is not None:
        bar.clear()


def _render(game: Judged) -> None:
    """A verdict for people."""
    from tenlog.story import Role, Span
    from tenlog_cli.paint import put, width, wrap

    room = width()
    roles: dict[str, Role] = {"faulty": "bad", "clean": "good", "unfinished": "good"}
    head = [Span(game.verdict, roles.get(game.verdict, "strong")), Span("  ")]
    if game.file:
        head += [Span(_on_one_line(game.file)), Span("  ")]
    if game.game is not None:
        head += [Span(game.game, "name"), Span("  ")]
    if not game.faults:
        head.append(Span(counted(game.events, "event")))
        if game.ruleset is not None:
            own = "" if isinstance(game.rules, str) else ", a ruleset of its own"
            head.append(Span(f", {game.ruleset}{own}"))
        if game.verdict == "torn":
            head.append(Span("; what follows the last seal was never committed, and is ignored"))
    put(wrap(head, room, indent=4))
    for number, fault in enumerate(game.faults):
        _render_fault(fault)
        state = game.table() if number == 0 else None
        if state is not None:
            from tenlog_cli.screen import table

            put([[], *table(state, room), []])


def _render_fault(fault: Fault) -> None:
    from tenlog.story import Span
    from tenlog_cli.paint import put, width, wrap

    room = width()
    where = f"event {fault.event}, line {fault.line}, byte {fault.offset}: " if fault.line else ""
    rule = fault.rule if fault.rule.startswith(("FORMAT", "AUDIT")) else f"RULES {fault.rule}"
    put(wrap([Span(where), Span(fault.code, "strong"), Span(f" ({rule})")], room, 4, 4))
    put(wrap([Span(fault.message)], room, 4, 4))


def _summarise(summary: Summary, settings: Settings) -> None:
    """The last line: what was seen in all."""
    from tenlog_cli.paint import say

    words = [
        f"{number:,} {word}"
        for word, number in (
            ("clean", summary.clean),
            ("unfinished", summary.unfinished),
            ("torn", summary.torn),
            ("faulty", summary.faulty),
        )
        if number
    ]
    parts = [
        f"{counted(summary.games, 'game')} in {counted(summary.files, 'file')}, "
        f"{counted(summary.events, 'event')}" + (": " + ", ".join(words) if words else "")
    ]
    if summary.absent:
        parts.append(f"{counted(summary.absent, 'game')} absent")
    if summary.unread:
        parts.append(f"{counted(summary.unread, 'file')} not read")
    if settings.level == "seals":
        parts.append("seals only, no event was judged")
    elif settings.level == "no-seed":
        parts.append("draws were not held against the seed")
    elif summary.deck_unknown:
        parts.append(f"the seed of {summary.deck_unknown:,} is not known yet")
    if summary.own_rules:
        whose = "a ruleset of its own" if summary.own_rules == 1 else "rulesets of their own"
        parts.append(f"{summary.own_rules:,} by {whose}: {summary.own_named}")
    say("; ".join(parts))


class Bar:
    """How far the audit is, on one line of the terminal that is written over."""

    def __init__(self) -> None:
        self.games = 0
        self.faulty = 0
        self._last = 0.0
        self._shown = False

    def moved(self, done: int, total: int | None) -> None:
        import time

        now = time.monotonic()
        if now - self._last < 0.1:
            return
        self._last = now
        if total:
            share = min(1.0, done / total)
            how = "#" * round(24 * share) + "." * (24 - round(24 * share)) + f" {share:4.0%}"
        else:
            how = f"{done >> 20:,} MB"
        text = f"{how}  {counted(self.games, 'game')}"
        if self.faulty:
            text += f", {self.faulty:,} faulty"
        import shutil

        room = shutil.get_terminal_size().columns - 1
        sys.stderr.write(f"\r{text[:room]}\x1b[K")
        sys.stderr.flush()
        self._shown = True

    def clear(self) -> None:
        if self._shown:
            sys.stdout.flush()
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._shown = False


@contextmanager
def _bar(quiet: bool) -> Iterator[Bar | None]:
    """A bar, if standard error is a terminal that can be written over."""
    if quiet or not sys.stderr.isatty() or os.environ.get("TERM") in (None, "dumb"):
        yield None
        return
    bar = Bar()
    try:
        yield bar
    finally:
        bar.clear()


def seal(log: LogArgument = None, game: GameOption = None, as_json: JsonOption = False) -> None:
    """Print the last seal of each game of a log, for writing down: who has it can tell later
    whether the game is still the one that it was (tenlog audit --expect), or goes on from where it
    was then (tenlog audit --noted).

    Lines and seals are checked; the rules are not asked.
    """
    from tenlog.audit.seal import last_seals
    from tenlog.play.home import find_log

    path = str(find_log(home(), log))
    for found in last_seals(path, game):
        if as_json:
            print_json(found)
        else:
            how = "finished" if found.finished else "in progress"
            typer.echo(f"{found.seal}  {found.game}  {counted(found.events, 'event')}, {how}")


def sign(
    log: LogArgument = None,
    key: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The private key, as PEM.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="File of signatures; LOG.sig beside the log if left out."
        ),
    ] = None,
    new_key: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Make a key pair: FILE (keep it secret) and FILE.pub (publish it)."
        ),
    ] = None,
    as_json: JsonOption = False,
    quiet: Quiet = False,
) -> None:
    """Sign the last seal of each game of a log, with Ed25519.

    The signatures are kept beside the log, which stays as it is. tenlog audit --trusted tells
    whether each game is still the one that was signed; one in progress is another one once it has
    gone on, and has to be signed again.
    """
    from tenlog.audit.sign import new_key as make_key
    from tenlog.audit.sign import sign_log
    from tenlog.play.home import find_log

    if new_key is not None:
        if log is not None or key is not None or out is not None:
            raise typer.BadParameter("--new-key stands alone: make the key first, then sign")
        public = make_key(new_key)
        if not quiet:
            note(f"{new_key} is the private key: keep it; {public} is the public key: publish it")
        return
    if key is None:
        raise typer.BadParameter("--key is needed (tenlog sign --new-key FILE makes one)")
    path = find_log(home(), log)
    where, new = sign_log(path, key, out)
    if as_json:
        for record in new:
            print_json(record)
    elif not quiet:
        note(f"{counted(len(new), 'game')} of {path} signed in {where}")
