"""How long commands take to start, beside a bare Typer program: ``python bench_startup.py [N]``.

Both print one line or a help page; each is a process of its own, in turns, N times (30). Compared
are processor seconds of the process (least and median), which other work on the machine disturbs
less than the clock. The goal: at most 1.3 times the bare program.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parent.parent.parent
BARE = """
import typer
app = typer.Typer()
@app.command()
def hello(name: str = "x") -> None:
    "Print a line."
    typer.echo("hello " + name)
app()
"""


def seconds(command: list[str], env: dict[str, str]) -> float:
    """Processor seconds of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=env, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Measure and print a table."""
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    with tempfile.TemporaryDirectory() as folder:
        bare = Path(folder) / "bare.py"
        bare.write_text(BARE)
        env = {
            **os.environ,
            "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'cli'}",
            "TENLOG_HOME": folder,
            # An installed program has its bytecode cached.
            "PYTHONPYCACHEPREFIX": f"{folder}/pyc",
        }
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        tenlog = [sys.executable, "-m", "tenlog"]
        game = "new --player Ann --alone --seed 1 --game g -q"
        subprocess.run([*tenlog, *game.split()], env=env, check=True)
        commands = {
            "bare program": [sys.executable, str(bare)],
            "tenlog show": [*tenlog, "show", "g"],
            "bare --help": [sys.executable, str(bare), "--help"],
            "tenlog --help": [*tenlog, "--help"],
        }
        taken: dict[str, list[float]] = {name: [] for name in commands}
        for turn in range(repeats + 1):
            for name, command in commands.items():
                spent = seconds(command, env)
                if turn:  # the first one fills the caches
                    taken[name].append(spent)
    print(f"{repeats} runs each, processor milliseconds")
    print(f"{'command':<16}{'least':>8}{'median':>8}{'ratio of medians':>18}")
    base = 1.0
    for name, runs in taken.items():
        if name.startswith("bare"):
            base = median(runs)
        ratio = median(runs) / base
        print(f"{name:<16}{min(runs) * 1e3:>8.0f}{median(runs) * 1e3:>8.0f}{ratio:>18.2f}")


if __name__ == "__main__":
    main()
