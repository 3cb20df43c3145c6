"""Help pages, and what is said of words that mean nothing."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from tenlog.story import plain
from tenlog_cli.app import COMMANDS, load_command
from tenlog_cli.helping import help_lines
from tests.cli.terminal import Terminal
from tests.support import run_cli


def _all() -> Iterator[tuple[str, Any]]:
    """Every command, and every one below it."""
    stack: list[tuple[str, Any]] = [(name, load_command(name)) for name in COMMANDS]
    while stack:
        path, command = stack.pop()
        yield path, command
        for name, sub in getattr(command, "commands", {}).items():
            stack.append((f"{path} {name}", sub))


EVERY = dict(_all())


@pytest.mark.parametrize("path", EVERY)
def test_every_command_and_option_has_help(path: str) -> None:
    command = EVERY[path]
    assert command.help or command.short_help
    for param in command.params:
        assert param.help, param.name
        named = param.metavar or getattr(param, "is_flag", False)
        assert named or param.param_type_name == "argument", param.name


@pytest.mark.parametrize("room", [40, 80])
@pytest.mark.parametrize("path", EVERY)
def test_help_is_made_for_the_width(path: str, room: int) -> None:
    command = EVERY[path]
    with command.make_context(f"tenlog {path}", [], resilient_parsing=True) as context:
        lines = [plain(line) for line in help_lines(command, context, room)]
    assert [line for line in lines if cell_len(line) > room] == []
    assert lines[0].startswith(f"Usage: tenlog {path}"[:room])
    page = "\n".join(lines)
    for paragraph in (command.help or "").split("\n\n"):
        # Where the source breaks a paragraph is no place to break it here.
        text = " ".join(paragraph.split())
        assert "\n".join(textwrap.wrap(text, room, break_on_hyphens=False)) in page


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_on_a_terminal(tmp_path: Path, columns: int) -> None:
    for args in (["--help"], ["branch", "--help"], ["archive"]):
        terminal = Terminal(*args, home=tmp_path, columns=columns, lines=120)
        assert terminal.finish() == (2 if args == ["archive"] else 0)
        wide = [line for line in terminal.text.split("\n") if cell_len(line) > min(columns, 80)]
        assert wide == []
        assert "\x1b[1;36m" in terminal.raw
        assert "…" not in terminal.text


@pytest.mark.parametrize(
    ("args", "told"),
    [
        ("play --foo", "tenlog: no such option: --foo"),
        ("ply", "Did you mean 'play'"),
        ("audit", "tenlog: missing argument 'PATH...'\ntenlog audit --help"),
        ("bots shw", "Did you mean 'show'?\ntenlog bots --help"),
        ("play --speed", "option '--speed' requires an argument"),
        ("audit --seals-only --all x", "--seals-only judges no events"),
    ],
)
def test_wrong_usage_is_told_in_two_lines(args: str, told: str) -> None:
    done = run_cli(*args.split(" "))
    assert (done.returncode, done.stdout) == (2, b"")
    assert told in done.stderr.decode()
    assert done.stderr.count(b"\n") <= 2
    assert done.stderr.startswith(b"tenlog: ")


def test_nothing_said_is_a_question() -> None:
    done = run_cli()
    assert (done.returncode, done.stderr) == (2, b"")
    assert b"\nPlay\n  demo " in done.stdout
