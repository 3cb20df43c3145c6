"""The README's examples are run, in its order, and print what it says.

Blocks that begin with ``console`` hold commands behind ``$ `` and their output; in an expected
line ``…`` stands for anything, a line with nothing else for any number of lines. Blocks of
``python`` are run and compared as doctests are, if they have a prompt, else only run.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(console|python)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def _commands(block: str) -> list[tuple[str, list[str]]]:
    found: list[tuple[str, list[str]]] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found and found[-1][0].endswith("\\") and not found[-1][1]:
            found[-1] = (found[-1][0][:-1] + line.strip(), [])
        else:
            found[-1][1].append(line.rstrip())
    return found


def _fits(expected: list[str], printed: list[str]) -> bool:
    if not expected:
        return not printed
    if expected[0] == "…":
        return any(_fits(expected[1:], printed[i:]) for i in range(len(printed) + 1))
    if not printed:
        return False
    pattern = ".*".join(re.escape(part) for part in expected[0].split("…"))
    return re.fullmatch(pattern, printed[0]) is not None and _fits(expected[1:], printed[1:])


def _run(command: str, folder: Path) -> list[str]:
    environment = {
        **os.environ,
        "TENLOG_HOME": str(folder / "home"),
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "cli"), str(folder)]),
        "COLUMNS": "80",
        "PYTHONIOENCODING": "utf-8",
    }
    shell = re.sub(r"(^|\| )tenlog\b", rf"\1{shlex.quote(sys.executable)} -m tenlog", command)
    done = subprocess.run(
        ["bash", "-c", shell],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        timeout=120,
        check=False,
    )
    return [line.rstrip() for line in done.stdout.decode().splitlines()]


def test_examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fixtures").symlink_to(ROOT / "fixtures")
    names: dict[str, object] = {}
    assert len(BLOCKS) > 5
    for kind, block in BLOCKS:
        if kind == "console":
            for command, expected in _commands(block):
                printed = _run(command, tmp_path)
                assert _fits(expected, printed), f"$ {command}\n" + "\n".join(printed)
        elif ">>> " in block:
            test = doctest.DocTestParser().get_doctest(block, names, "README", None, None)
            runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
            runner.run(test, clear_globs=False)
            assert runner.failures == 0
            names.update(test.globs)
        else:
            exec(compile(block, "README.md", "exec"), names)


def test_every_command_stands_in_the_readme() -> None:
    from tenlog_cli.app import COMMANDS

    missing = [name for name in COMMANDS if not re.search(rf"`?tenlog {name}\b", README)]
    assert not missing


def test_the_two_lines_are_there() -> None:
    for name in ("main", "test"):
        block = README.split(f"<!-- {name} line -->")[1].split("<!-- end -->")[0]
        lines = [line for line in block.splitlines() if line.startswith("    python3")]
        assert len(lines) == 1
