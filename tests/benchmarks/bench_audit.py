"""How fast logs are judged: ``python tests/benchmarks/bench_audit.py [GAMES]``.

Games of four random bots, sealed per game, in one file. The first table is CPU time of one process
without start-up, so that it says the same on a busy machine; the second is wall time of the real
command, start-up included, with one process and with two.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "cli")]

from tenlog.audit import Judged, Settings, audit  # noqa: E402
from tenlog.log.store import encode_game  # noqa: E402
from tests.support import play_game  # noqa: E402


def write_games(path: Path, games: int) -> tuple[int, int]:
    """A log of so many games, 200 of them different; returns its events and bytes."""
    kinds = [encode_game(play_game(f"bench/{i}", 4, game=f"g{i}")[0]) for i in range(200)]
    events = size = 0
    with path.open("wb") as file:
        for i in range(games):
            data = kinds[i % 200]
            events += data.count(b"\n")
            size += len(data)
            file.write(data)
    return events, size


def cpu_time(path: Path, settings: Settings) -> float:
    """Seconds of CPU, the best of three."""
    best = float("inf")
    for _ in range(3):
        began = time.process_time()
        for game in audit([str(path)], settings):
            assert isinstance(game, Judged)
            assert game.verdict == "clean"
        best = min(best, time.process_time() - began)
    return best


def wall_time(path: Path, jobs: int, *args: str) -> float:
    """Seconds until the command is done, the best of three."""
    best = float("inf")
    command = [sys.executable, "-m", "tenlog", "audit", str(path), "-q", "--jobs", str(jobs), *args]
    env = {"PYTHONPATH": f"{ROOT}:{ROOT / 'cli'}", "PATH": "/usr/bin:/bin"}
    for _ in range(3):
        began = time.perf_counter()
        subprocess.run(command, check=True, env=env)
        best = min(best, time.perf_counter() - began)
    return best


def main() -> None:
    """Print the tables."""
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "games.jsonl"
        events, size = write_games(path, games)
        print(f"{games} games, {events} events, {size >> 20} MB")
        for level in ("full", "no-seed", "seals"):
            spent = cpu_time(path, Settings(level=level))
            print(f"{level:8} {events / spent / 1e6:6.2f} M events/s of CPU")
        for args in ((), ("--seals-only",)):
            one, two = (wall_time(path, jobs, *args) for jobs in (1, 2))
            name = args[0][2:] if args else "full"
            print(f"{name:10} one process {one:6.2f} s, two {two:6.2f} s: {one / two:.2f} times")


if __name__ == "__main__":
    main()
