"""``tenlog simulate --repeat``: the run of a manifest once more."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

import typer

if TYPE_CHECKING:
    from tenlog.simulate.manifest import Manifest
    from tenlog.simulate.run import AnyPlan

# What does not say which games there are, but how they are played and told.
_ALLOWED: Final = ("repeat", "jobs", "trust", "as_json", "quiet")


def repeat_run(
    context: typer.Context, path: Path, jobs: int, trust: bool, as_json: bool, quiet: bool
) -> NoReturn:
    """Play the run of a manifest again, and say whether it came out the same."""
    import tempfile

    from tenlog.simulate.manifest import read_manifest
    from tenlog.simulate.report import Repeat
    from tenlog.simulate.run import run_plan
    from tenlog_cli.output import console, print_json
    from tenlog_cli.simulate import check_bots, progress_bar

    _refuse_others(context)
    manifest = read_manifest(path)
    manifest.plan.check()
    if not trust:
        _refuse_foreign(path, manifest)
    plan = manifest.played()
    check_bots(plan.bots)
    with (
        tempfile.TemporaryDirectory(prefix="tenlog-") as folder,
        progress_bar(plan, quiet) as progress,
    ):
        outcome = run_plan(
            plan,
            Path(folder),
            "summary",
            jobs=jobs,
            keep_going=bool(manifest.skipped),
            progress=progress,
        )
    result = Repeat.of(manifest, outcome)
    if as_json:
        print_json(result)
    elif not quiet:
        console().print(result.sentence(), soft_wrap=True)
    raise typer.Exit(0 if result.same else 1)


def say_how(path: Path, plan: AnyPlan) -> None:
    """The line that says how a run is repeated."""
    import shlex

    from tenlog.bots.spec import parse_spec
    from tenlog_cli.output import console, harmless

    trust = " --trust" if any(parse_spec(bot).foreign for bot in plan.bots) else ""
    told = f"repeat with: tenlog simulate --repeat {shlex.quote(str(path))}{trust}"
    console().print(harmless(told), soft_wrap=True)


def _refuse_foreign(path: Path, manifest: Manifest) -> None:
    """A manifest is passed around: it alone does not make us run anybody's code."""
    from tenlog.bots.spec import parse_spec
    from tenlog.errors import BotError

    for spec in [*manifest.plan.bots, *[bot.spec for bot in manifest.bots]]:
        if parse_spec(spec).foreign:
            raise BotError(
                f"{path}: the run names the bot {spec!r}, which would run code of its own; look at "
                "it, and repeat with --trust if you trust it"
            )


def _refuse_others(context: typer.Context) -> None:
    """The manifest alone says what is played: whoever gives more expects something else."""
    from tenlog.errors import SetupError

    for option in context.command.params:
        source = context.get_parameter_source(option.name or "")
        if option.name not in _ALLOWED and source is not None and source.name == "COMMANDLINE":
            raise SetupError(
                f"{option.opts[0]} can't be given with --repeat, which plays what run.json says: "
                "leave it out"
            )
