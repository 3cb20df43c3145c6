"""How fast whole simulations are: the real command, start-up included.

    python tests/benchmarks/bench_simulate.py [--games N] [--greedy N]

Games of four ``random`` bots, counted only, into sealed logs, and into an archive; and of four
``greedy`` bots. Each with one process and with two, in one run: events and games a second of wall
time, of all processors' time, and how many times as fast two processes are.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]


class Run(NamedTuple):
    """A finished command: seconds of wall and of processor time, megabytes, and what it says."""

    wall: float
    cpu: float
    memory: float
    result: dict[str, Any]


def simulate(games: int, bot: str, jobs: int, sink: str) -> Run:
    """Run the command in folders of its own."""
    with tempfile.TemporaryDirectory() as folder:
        where = [] if sink == "--summary" else [f"{folder}/games"]
        command = [
            *(sys.executable, "-m", "tenlog", "simulate", "-n", str(games), "--seed", "bench"),
            *("--bots", ",".join([bot] * 4), "--jobs", str(jobs), "--json", sink, *where),
        ]
        env = {
            **os.environ,
            "TENLOG_HOME": f"{folder}/home",
            "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "cli")]),
        }
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        began = time.perf_counter()
        done = subprocess.run(command, env=env, stdout=subprocess.PIPE, check=True)
        wall = time.perf_counter() - began
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Run(wall, cpu, after.ru_maxrss / 1024, json.loads(done.stdout))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=12_000)
    parser.add_argument("--greedy", type=int, default=4_000)
    asked = parser.parse_args()
    print(f"{'':<22}{'processes':>10}{'events/s':>10}{'games/s':>9}{'ev/s of CPU':>13}{'times':>7}")
    for name, games, bot, sink in (
        ("counted only", asked.games, "random", "--summary"),
        ("sealed logs", asked.games, "random", "--out"),
        ("an archive", asked.games, "random", "--archive"),
        ("greedy, counted only", asked.greedy, "greedy", "--summary"),
    ):
        alone = 0.0
        for jobs in (1, 2):
            run = simulate(games, bot, jobs, sink)
            events = run.result["events"]
            alone = alone or run.wall
            print(
                f"{name:<22}{jobs:>10}{events / run.wall:>10,.0f}{games / run.wall:>9,.0f}"
                f"{events / run.cpu:>13,.0f}{alone / run.wall:>7.2f}"
            )
            peak = run.memory
    print(f"\nthe largest process so far: {peak:.0f} MB; CPython {sys.version.split()[0]}")


if __name__ == "__main__":
    main()
