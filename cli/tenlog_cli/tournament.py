"""``tenlog tournament``: bots rated against each other on the same deals, from every seat."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tenlog_cli.asked import IntoOption, JobsOption, OutOption, cores

if TYPE_CHECKING:
    from tenlog.simulate.tables import TournamentPlan
    from tenlog.simulate.tally import Interval
    from tenlog.tournament.result import Result


def tournament(
    bots: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LIST",
            help="Contestants, separated by commas. Again for more. "
            "[default: greedy,cautious,random]",
        ),
    ] = None,
    n: Annotated[
        int,
        typer.Option("-n", "--deals", metavar="N", help="Deals that each table plays, at most."),
    ] = 200,
    players: Annotated[
        str, typer.Option(metavar="LIST", help="Table sizes: 2, 3..4 or 2,4.")
    ] = "2",
    until: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            min=0.5,
            max=0.9999,
            help="Stop when the leader is ahead at this confidence: 0.95.",
        ),
    ] = None,
    seed: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Deal d gets the seed SEED/d; a random one if left out."),
    ] = None,
    form: Annotated[
        str,
        typer.Option(
            metavar="FORM", help="round-robin: all tables; pools: drawn anew for each deal."
        ),
    ] = "round-robin",
    rules: Annotated[
        str, typer.Option(metavar="NAME|FILE", help="Ruleset: a .toml or .json file, or a name.")
    ] = "ten/1",
    ratings: Annotated[
        bool, typer.Option("--ratings/--no-ratings", help="Rate with openskill, if it is there.")
    ] = True,
    out: OutOption = None,
    zst: Annotated[bool, typer.Option("--zst", help="Compress the files: .jsonl.zst.")] = False,
    archive: IntoOption = None,
    jobs: JobsOption = None,
    keep_going: Annotated[
        bool, typer.Option("--keep-going", help="Count and leave out deals that a bot breaks.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="The result as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no table.")] = False,
) -> None:
    """Rate bots against each other: the same deals for every table, every seat for every bot.

    Interrupted, the same command goes on where it stopped.
    """
    from importlib.util import find_spec

    from tenlog.bots.spec import specs_of
    from tenlog.errors import SetupError, SimulationError, extra_hint
    from tenlog.shuffle import random_seed
    from tenlog.simulate.manifest import make_manifest, write_manifest
    from tenlog.simulate.plan import parse_players
    from tenlog.simulate.run import run_plan
    from tenlog.simulate.tables import TournamentPlan
    from tenlog.story import counted
    from tenlog.tournament.result import Ratings, Watch, summarise
    from tenlog_cli.simulate import (
        check_bots,
        interruptible,
        progress_bar,
        rules_of,
        scratch_folder,
        sink_of,
        tell_forfeits,
        tell_resumed,
        teller,
    )

    tell = teller(quiet)
    if form not in ("round-robin", "pools"):
        raise SetupError(f"no form {form!r}: round-robin or pools")
    sink = sink_of(out, zst, archive)
    plan = TournamentPlan(
        n,
        random_seed() if seed is None else seed,
        specs_of(bots or ["greedy,cautious,random"]),
        parse_players(players),
        rules_of(rules),
        "pools" if form == "pools" else "round-robin",
    )
    plan.check()
    check_bots(plan.bots)
    if seed is None:
        tell(f"seed {plan.seed} (give it with --seed to repeat, or to go on)")
    rated = None
    if ratings and find_spec("openskill") is None:
        tell(f"no ratings: a rating {extra_hint('ratings')}")
    elif ratings:
        rated = Ratings(len(plan.bots))
    watch = Watch(until, None if rated is None else rated.rate)
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
            watch=watch,
        )
    command = shlex.split(shlex.join(["tenlog", *sys.argv[1:]]))
    path = write_manifest(folder, make_manifest(plan, sink, outcome, command))
    tell_resumed(outcome, folder, archive, tell)
    left_out = ""
    if outcome.skips:
        deals = counted(outcome.skips // plan.per_deal, "deal")
        left_out = (
            f"{deals} ({counted(outcome.skips, 'game')}) left out; the first: "
            f"{outcome.skipped[0].message}"
        )
    if not outcome.games:
        raise SimulationError(f"no deal could be played: {left_out}")
    _render(summarise(plan, outcome, rated, until or 0.95), plan, path, as_json, quiet)
    tell_forfeits(outcome, tell)
    if left_out:
        tell(left_out)
        raise typer.Exit(1)


def _render(result: Result, plan: TournamentPlan, path: Path, as_json: bool, quiet: bool) -> None:
    from tenlog.story import counted
    from tenlog.tournament.result import LEAST, why_open
    from tenlog_cli.output import console, harmless, print_json
    from tenlog_cli.repeat import say_how
    from tenlog_cli.shelf import say, show_table
    from tenlog_cli.simulate import known, span

    if as_json:
        print_json(result)
        return
    if quiet:
        return
    sizes = ", ".join(map(str, result.players))
    games, deals = counted(result.games, "game"), counted(result.deals, "deal")
    say(f"{result.ruleset}, tables of {sizes}: {games}, {deals}")
    rated = any(row.rating is not None for row in result.standings)
    columns = ["bot", "games", "won %", "95 %", "score", "95 %", "rating"][: 7 if rated else 6]
    rows = [
        [
            row.bot,
            f"{row.games:,}",
            known(100 * row.won.value, ".1f"),
            span(row.won, 100, 1),
            known(row.score.value, ".2f"),
            span(row.score, 1, 2),
            _give_or_take(row.rating, ".1f", ".1f"),
        ][: len(columns)]
        for row in result.standings
    ]
    show_table(columns, [False, *[True] * (len(columns) - 1)], rows)
    percent = f"{100 * result.confidence:g} %"
    if result.differences:
        say("")
        say("on the same deals and seats")
        rows = [
            [
                pair.first,
                pair.second,
                known(100 * pair.won.value, "+z.1f"),
                span(pair.won, 100, 1),
                _give_or_take(pair.score, "+z.2f", ".2f"),
                "yes" if pair.decided else "too few" if pair.units < LEAST else "no",
            ]
            for pair in result.differences
        ]
        show_table(
            ["first", "second", "won %", percent, "score", "decided"],
            [False, False, True, True, True, False],
            rows,
        )
    say("")
    verdict = "is ahead of all others" if result.decided else "leads, but that is not decided"
    console().print(f"{harmless(result.leader)} {verdict} ({percent} confidence)")
    if not result.decided:
        console().print(harmless(why_open(result)))
    console().print(f"digest {result.digest}")
    say_how(path, plan)


def _give_or_take(interval: Interval | None, value: str, half: str) -> str:
    """A figure whose interval is the same to both sides."""
    from tenlog_cli.output import ascii_only
    from tenlog_cli.simulate import known

    if interval is None:
        return ""
    text = known(interval.value, value)
    if interval.high is None:
        return text
    if interval.high == interval.value:
        return f"{text} no spread"
    sign = "+-" if ascii_only() else "±"
    return f"{text} {sign}{format(interval.high - interval.value, half)}"
