"""``tenlog bots``: which bots there are, what they can be told, and whether one behaves."""

from __future__ import annotations

import typer

from tenlog_cli.helping import Command, Group

app = typer.Typer(
    cls=Group,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_JSON = typer.Option(False, "--json", help="Print one line of JSON.")


@app.callback(invoke_without_command=True)
def bots(ctx: typer.Context, as_json: bool = _JSON) -> None:
    """The bots that there are, and whether one behaves.

    A bot is named by NAME, NAME:KEY=VALUE,..., MODULE:OBJECT or cmd:COMMAND;
    see tenlog bots show protocol.
    """
    if ctx.invoked_subcommand is not None:
        return
    from tenlog.bots.registry import bot_names, describe
    from tenlog.errors import BotError
    from tenlog_cli.output import note, print_json

    found = []
    for name in bot_names():
        try:
            found.append(describe(name))
        except BotError as error:
            note(f"tenlog: {error}")  # a broken plug-in must not hide the others
    if as_json:
        print_json(found)
        return
    for info in found:
        _say(f"{info.name} {info.version}".rstrip(), 0)
        if info.about:
            _say(info.about, 4)
        if info.parameters:
            _say("told: " + ", ".join(_told(info.parameters)), 4)


@app.command(cls=Command)
def show(
    name: str = typer.Argument(
        metavar="SPEC|protocol", help="A bot's specification, or protocol for how programs play."
    ),
    as_json: bool = _JSON,
) -> None:
    """What a bot does, its version, and what it can be told."""
    from tenlog_cli.output import print_json

    if name == "protocol":
        from importlib.resources import files

        text = files("tenlog").joinpath("docs", "bots.md").read_text(encoding="utf-8")
        if as_json:
            print_json({"protocol": text})
        else:
            from tenlog_cli.markdown import markdown_lines
            from tenlog_cli.paint import put, width

            put(markdown_lines(text, width()))
        return
    from tenlog.bots.registry import describe, manual

    info = describe(name)
    if as_json:
        print_json(info)
        return
    _say(f"{info.name} {info.version}".rstrip(), 0)
    _say(f"{info.origin}; {info.about}" if info.about else info.origin, 4)
    if info.origin != "program":
        for line in manual(name).replace("``", "").splitlines():
            _say(line, 4)
    if info.parameters:
        _say("now: " + ", ".join(_told(info.parameters)), 4)


@app.command(cls=Command)
def check(
    spec: str = typer.Argument(metavar="SPEC", help="The bot: NAME, MODULE:OBJECT or cmd:COMMAND."),
    positions: int = typer.Option(
        300,
        "--positions",
        "-n",
        metavar="N",
        min=1,
        max=1_000_000,
        help="Ask for at least so many decisions.",
    ),
    seed: str = typer.Option(
        "check", "--seed", metavar="TEXT", help="Seeds of the games: SEED/0, SEED/1 ..."
    ),
    as_json: bool = _JSON,
    quiet: bool = typer.Option(False, "--quiet", "-q", help="Print nothing; the exit code tells."),
) -> None:
    """Play a bot through every kind of position. Exits with 1 if anything is wrong."""
    from tenlog.bots.check import check_bot
    from tenlog.shuffle import check_seed
    from tenlog_cli.output import print_json
    from tenlog_cli.simulate import check_bots

    check_bots((spec,))
    check_seed(f"{seed}/0")
    found = check_bot(spec, positions, seed)
    if as_json:
        print_json(found)
    elif not quiet:
        title = f"{found.bot.name} {found.bot.version}".rstrip() if found.bot else spec
        _say(f"{title}: {'fine' if found.ok else 'NOT fine'}", 0)
        if found.bot:
            phases = ", ".join(f"{name} {count}" for name, count in found.phases.items())
            _say(f"{found.positions} positions of {found.games} games, 1 to 5 players", 2)
            _say(f"({phases})", 2)
            _say(f"legal {found.legal}", 2)
            for kind, count in sorted(found.faults.items()):
                _say(f"{kind} {count}", 2)
            _say(f"asked again {found.asked_again}, answered differently {found.unsteady}", 2)
            _say(f"{found.start_ms:.1f} ms to start", 2)
            _say(f"{found.mean_ms:.1f} ms an answer, {found.worst_ms:.1f} ms at worst", 2)
        for finding in found.findings:
            _say(f"- {finding}", 2)
    raise typer.Exit(0 if found.ok else 1)


def _told(parameters: dict[str, str | int | float | bool]) -> list[str]:
    return [f"{name}={value}" for name, value in parameters.items()]


def _say(text: str, indent: int) -> None:
    """A paragraph, no wider than the terminal (80 columns at most)."""
    import shutil
    import textwrap

    from tenlog_cli.output import harmless

    width = max(min(shutil.get_terminal_size().columns, 80), 20)
    lead = len(text) - len(text.lstrip())
    space = " " * min(indent + lead, width // 2)
    lines = textwrap.wrap(
        harmless(text.strip()), width, initial_indent=space, subsequent_indent=space + "  "
    )
    typer.echo("\n".join(lines))
