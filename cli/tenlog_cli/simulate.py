"""``tenlog simulate``: many games between bots, the same ones whenever it is asked."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tenlog_cli.asked import IntoOption, JobsOption, OutOption, cores

if TYPE_CHECKING:
    from tenlog.game.ruleset import Ruleset
    from tenlog.simulate.compare import Changed, Comparison
    from tenlog.simulate.manifest import Manifest
    from tenlog.simulate.run import AnyPlan, Outcome
    from tenlog.simulate.tally import Interval
    from tenlog.simulate.worker import Plan, Sink


def simulate(
    context: typer.Context,
    n: Annotated[
        int, typer.Option("-n", "--games", metavar="N", help="Games for each ruleset and size.")
    ] = 1000,
    bots: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LIST",
            help="Bots, separated by commas; they rotate around the table. Again for more. "
            "[default: greedy,greedy,cautious,random, or those of them that have a seat]",
        ),
    ] = None,
    seed: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Game i gets the seed SEED/i; a random one if left out."),
    ] = None,
    players: Annotated[
        str | None,
        typer.Option(
            metavar="LIST", help="Numbers of players: 4, 2..5 or 2,4; one a bot if left out."
        ),
    ] = None,
    rules: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME|FILE",
            help="Ruleset: a .toml or .json file, or a name. Again for a comparison.",
        ),
    ] = None,
    fixed_seats: Annotated[
        bool, typer.Option("--fixed-seats", help="Do not rotate: the first bots keep the seats.")
    ] = False,
    out: OutOption = None,
    zst: Annotated[bool, typer.Option("--zst", help="Compress the files: .jsonl.zst.")] = False,
    archive: IntoOption = None,
    summary: Annotated[
        bool, typer.Option("--summary", help="Keep only the statistics (the default).")
    ] = False,
    jobs: JobsOption = None,
    keep_going: Annotated[
        bool, typer.Option("--keep-going", help="Count and skip games that a bot breaks.")
    ] = False,
    repeat: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Repeat the simulation or tournament of this run.json, and compare.",
        ),
    ] = None,
    trust: Annotated[
        bool,
        typer.Option(
            "--trust",
            envvar="TENLOG_TRUST",
            show_envvar=False,
            help="With --repeat: also run programs and Python bots that the run names.",
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="The result as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no table.")] = False,
) -> None:
    """Many games between bots. The same command gives the same games, byte for byte, with any
    number of processes; interrupted, it goes on where it stopped.
    """
    from tenlog.bots.spec import specs_of
    from tenlog.errors import SetupError
    from tenlog.shuffle import random_seed
    from tenlog.simulate.manifest import make_manifest, write_manifest
    from tenlog.simulate.plan import SimulationPlan, parse_players
    from tenlog.simulate.run import run_plan
    from tenlog.story import counted
    from tenlog_cli.repeat import repeat_run

    tell = teller(quiet)
    if repeat is not None:
        repeat_run(context, repeat, jobs or cores(), trust, as_json, quiet)
        return
    source = context.get_parameter_source("trust")
    if source is not None and source.name == "COMMANDLINE":
        raise SetupError("--trust goes with --repeat: the bots that you name are run anyway")
    sink = sink_of(out, zst, archive)
    if summary and sink != "summary":
        raise SetupError("--summary keeps no games: leave --out, --zst and --archive out")
    sizes = None if players is None else parse_players(players)
    specs = specs_of(bots) if bots else default_bots(sizes)
    plan = SimulationPlan(
        n,
        random_seed() if seed is None else seed,
        specs,
        (len(specs),) if sizes is None else sizes,
        tuple(rules_of(name) for name in rules or ["ten/1"]),
        fixed_seats,
    )
    plan.check()
    check_bots(plan.bots)
    if plan.left_out():
        tell(
            f"with --fixed-seats there is no seat at the smallest table for "
            f"{', '.join(plan.left_out())}: without it all take turns"
        )
    if seed is None:
        tell(f"seed {plan.seed} (give it with --seed to repeat, or to go on)")
    folder = out if out is not None else scratch_folder(plan, sink, archive, keep_going)
    with interruptible(jobs or cores()), progress_bar(plan, quiet) as progress:
        outcome = run_plan(
            plan,
            folder,
            sink,
            archive=archive,
            jobs=jobs or cores(),
            keep_going=keep_going,
            progress=progress,
        )
    command = shlex.join(["tenlog", *sys.argv[1:]])
    manifest = make_manifest(plan, sink, outcome, shlex.split(command))
    path = write_manifest(folder, manifest)
    tell_resumed(outcome, folder, archive, tell)
    render(outcome, manifest, path, as_json, quiet)
    tell_forfeits(outcome, tell)
    if outcome.skips:
        tell(f"{counted(outcome.skips, 'game')} skipped; the first: {outcome.skipped[0].message}")
        raise typer.Exit(1)


def default_bots(sizes: tuple[int, ...] | None) -> tuple[str, ...]:
    """Who plays if nobody is named, so that all have a seat at the largest table."""
    if sizes is None or max(sizes) >= 4:
        return ("greedy", "greedy", "cautious", "random")
    return ("greedy", "cautious", "random")[: max(1, *sizes)]


def sink_of(out: Path | None, zst: bool, archive: Path | None) -> Sink:
    """What becomes of the games."""
    from tenlog.errors import SetupError

    if zst and out is None:
        raise SetupError("--zst needs a folder: --out DIR")
    if archive is not None and out is not None:
        raise SetupError("the games go to --out or into --archive, not both: archive add does that")
    return (
        "archive"
        if archive is not None
        else "summary"
        if out is None
        else "zst"
        if zst
        else "jsonl"
    )


def rules_of(name: str) -> str | Ruleset:
    from tenlog.game.ruleset import rules_field
    from tenlog.play.setup import load_ruleset

    return rules_field(load_ruleset(name))


def check_bots(specs: tuple[str, ...]) -> None:
    """Refuse bots that don't exist before anything is played."""
    from tenlog.bots.seats import Seats

    with Seats(tuple(dict.fromkeys(specs))):
        pass


def scratch_folder(
    plan: AnyPlan, sink: Sink, archive: Path | None, keep_going: bool = False
) -> Path:
    """Where a run keeps its journal if it keeps no files: by what it is, under the home."""
    from hashlib import sha256

    from tenlog.simulate.run import header_of
    from tenlog_cli.output import home

    header = header_of(plan, sink, archive, keep_going)
    return home() / "runs" / sha256(header.encode()).hexdigest()[:16]


def teller(quiet: bool) -> Callable[[str], None]:
    """What says by the way what is no error: on standard error, with --quiet not at all."""
    from tenlog_cli.output import note

    return (lambda _: None) if quiet else note


def tell_resumed(
    outcome: Outcome, folder: Path, archive: Path | None, tell: Callable[[str], None]
) -> None:
    """Say what was not played now, but is from an earlier run; and what had to be played again."""
    from tenlog.story import counted

    if outcome.resumed:
        tell(
            f"{counted(outcome.resumed, 'game')} of {outcome.games:,} had been played before "
            f"(remove {folder} to play them again)"
        )
    if outcome.redone:
        tell(
            f"{counted(outcome.redone, 'game')} had been played before, but were not in "
            f"{archive or folder} any more: played again"
        )


def tell_forfeits(outcome: Outcome, tell: Callable[[str], None]) -> None:
    """Say which programs did not make their decisions themselves, how often, and why."""
    from tenlog.story import counted

    for program in outcome.programs:
        first = program.first
        if first is None:
            continue
        share = 100 * program.forfeits / program.decisions
        faults = ", ".join(f"{fault} {count:,}" for fault, count in program.faults.items())
        tell(
            f"{program.bot} forfeited {program.forfeits:,} of its "
            f"{counted(program.decisions, 'decision')} ({share:.3g} %): {faults}; the first: "
            f"seat {first.seat} of {first.seed!r}, {first.fault}: {first.detail}"
        )


@contextmanager
def interruptible(jobs: int) -> Iterator[None]:
    """Ctrl-C leaves a run that the same command goes on with. So does SIGTERM where other processes
    play: they are ended first, and what they share is given back."""
    import signal

    from tenlog_cli.output import note

    stopped_by = signal.SIGINT

    def stop(number: int, _: object) -> None:
        nonlocal stopped_by
        stopped_by = signal.Signals(number)
        raise KeyboardInterrupt

    # Alone, this process runs bots itself: one that swallows exceptions would not be ended.
    before = signal.signal(signal.SIGTERM, stop) if jobs > 1 else None
    try:
        yield
    except KeyboardInterrupt:
        note("interrupted; what is done is kept: the same command goes on from there")
        raise typer.Exit(128 + stopped_by) from None
    finally:
        if before is not None:
            signal.signal(signal.SIGTERM, before)


@contextmanager
def progress_bar(plan: Plan, quiet: bool) -> Iterator[Callable[[int, int], None] | None]:
    """A bar on standard error, if that is a terminal: games, events a second, time left."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    import time

    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    from tenlog_cli.output import make_console

    with Progress(
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("games  {task.fields[speed]}"),
        TimeRemainingColumn(),
        console=make_console(stderr=True),
        transient=True,
    ) as bar:
        task = bar.add_task("", total=plan.total, speed="")
        began: list[tuple[float, int]] = []

        def show(games: int, events: int) -> None:
            now = time.monotonic()
            if not began:
                began.append((now, events))
            since, before = began[0]
            rate = (events - before) / (now - since) if now > since else 0
            bar.update(task, completed=games, speed=f"{rate:,.0f} events/s" if rate else "")

        yield show


def render(outcome: Outcome, manifest: Manifest, path: Path, as_json: bool, quiet: bool) -> None:
    """The final table, or JSON."""
    from tenlog.simulate.report import summarise
    from tenlog.story import counted
    from tenlog_cli.output import console, print_json
    from tenlog_cli.repeat import say_how
    from tenlog_cli.shelf import say, show_table

    result = summarise(outcome, str(path))
    if as_json:
        print_json(result)
        return
    if quiet:
        return
    for group in result.groups:
        seats, games = counted(group.players, "player"), counted(group.games, "game")
        say(f"{group.ruleset}, {seats}, {games}")
        rows = [
            [
                row.name,
                f"{row.games:,}",
                known(100 * row.won.value, ".1f"),
                span(row.won, 100, 1),
                known(row.score.value, ".2f"),
                span(row.score, 1, 2),
            ]
            for row in [*group.bots, *group.seats]
        ]
        columns = ["bot", "games", "won %", "95 %", "score", "95 %"]
        show_table(columns, [False, True, True, True, True, True], rows)
        say("")
    for comparison in result.comparisons:
        _show_comparison(comparison)
    console().print(f"{counted(outcome.games, 'game')}, {counted(outcome.events, 'event')}")
    console().print(f"digest {manifest.digest}")
    say_how(path, manifest.plan)


def _show_comparison(found: Comparison) -> None:
    from tenlog.story import counted
    from tenlog_cli.shelf import say, show_table

    def row(name: str, figure: Changed, scale: int, digits: int) -> list[str]:
        return [
            name,
            known(scale * figure.first, f".{digits}f"),
            known(scale * figure.other, f".{digits}f"),
            known(scale * figure.difference.value, f"+z.{digits}f"),
            span(figure.difference, scale, digits),
        ]

    say(
        f"first {found.first}, other {found.other}: the same {counted(found.games, 'deal')}, "
        f"{counted(found.players, 'player')}"
    )
    rows = [
        *[row(f"{bot.name} won %", bot.won, 100, 1) for bot in found.bots],
        *[row(f"{bot.name} score", bot.score, 1, 2) for bot in found.bots],
        row("winning score", found.winning_score, 1, 2),
        row("turns", found.turns, 1, 2),
        row("events", found.events, 1, 1),
        row("bust % of turns", found.bust_rate, 100, 1),
        row("first seat % above fair", found.first_seat, 100, 1),
    ]
    columns = ["", "first", "other", "difference", "95 %"]
    show_table(columns, [False, True, True, True, True], rows)
    say("")


def known(value: float, how: str) -> str:
    """A figure; of no game at all there is none."""
    return "?" if isnan(value) else format(value, how)


def span(interval: Interval, scale: int, digits: int) -> str:
    """``20.1 to 48.0``; of samples that all came out the same, that they did."""
    if interval.low is None or interval.high is None:
        return "?"
    if interval.low == interval.high:
        return "no spread"
    return f"{scale * interval.low:.{digits}f} to {scale * interval.high:.{digits}f}"
