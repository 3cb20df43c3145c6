"""``tenlog simulate --repeat``: the run of a manifest once more."""

from __future__ import annotations

from pathlib import Path
from typing import Final, NoReturn

import typer

# What does not say which games there are, but how they are played and told.
_ALLOWED: Final = ("repeat", "jobs", "as_json", "quiet")


def repeat_run(
    context: typer.Context, path: Path, jobs: int, as_json: bool, quiet: bool
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
