"""How fast the engine and the log are, on one core.

    python tests/benchmarks/bench_engine.py [--games N] [--repeats R] [--bot SPEC]

Everything is measured as the best of R repeats over the same N games of 4 ``random`` bots. The
calibration says what the machine gives at the moment: the SHA-256 of 90 bytes, and a loop of plain
bytecode; compare figures by their ratio to it, machines and hours differ by a factor of two.
"""

from __future__ import annotations

import argparse
import gc
import io
import platform
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from time import process_time

import msgspec

sys.path.insert(0, str(Path(__file__).parents[2]))

from tenlog.bots.registry import make_bot
from tenlog.bots.table import play_game
from tenlog.game import scoring
from tenlog.game.decide import Deck
from tenlog.game.events import Event
from tenlog.game.evolve import fold
from tenlog.game.ruleset import rules_for
from tenlog.game.state import State
from tenlog.log.codec import decode_event, encode_event, seal_of
from tenlog.log.read import GameLog, read_game
from tenlog.log.replay import replay
from tenlog.log.source import split_games
from tenlog.log.store import encode_game
from tenlog.play.session import start_event


def best(task: Callable[[], object], repeats: int) -> float:
    """Seconds of processor time of the fastest repeat: other programs do not count."""
    least = float("inf")
    for _ in range(repeats):
        gc.collect()
        began = process_time()
        task()
        least = min(least, process_time() - began)
    return least


def calibration() -> tuple[float, float]:
    """Seconds for the SHA-256 of 90 bytes, and for one round of a loop of plain bytecode."""
    data = b"x" * 90

    def hashes() -> None:
        for _ in range(20_000):
            sha256(data).digest()

    def bytecode() -> None:
        table = {0: 1, 1: 2, 2: 3, 3: 0}
        at = total = 0
        for _ in range(100_000):
            at = table[at]
            total += at

    return best(hashes, 7) / 20_000, best(bytecode, 7) / 100_000


def main() -> None:
    parser = argparse.ArgumentParser(description="speed of the engine and the log, on one core")
    parser.add_argument("--games", type=int, default=300)
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--bot", default="random")
    args = parser.parse_args()
    count: int = args.games
    repeats: int = args.repeats
    players: int = args.players
    mind = make_bot(args.bot)
    names = [f"p{seat}" for seat in range(players)]
    seeds = [f"bench/{i}" for i in range(count)]
    rules = rules_for("ten/1", players)

    def simulate() -> list[tuple[list[Event], State]]:
        # Scores stand in a cache; without this all repeats but the first would find them there.
        scoring._best_total.cache_clear()
        return [
            play_game(start_event(names, seed, game="g"), seed, [mind] * players) for seed in seeds
        ]

    def simulate_and_encode() -> bytes:
        return b"".join([encode_game(events) for events, _ in simulate()])

    def read() -> list[GameLog]:
        return [read_game(text) for text in split_games(io.BytesIO(data))]

    def strict(logs: list[GameLog]) -> None:
        scoring._best_total.cache_clear()
        for log in logs:
            found = replay(log)
            assert found.fault is None, found.fault
            assert found.state is not None

    def copies() -> None:
        copy = games[0][1].copy
        for _ in range(100_000):
            copy()

    def seals() -> None:
        for line in lines:
            seal_of("0" * 32, line)

    before = calibration()
    games = simulate()
    data = simulate_and_encode()
    logs = read()
    lines = data.split(b"\n")[:-1]
    total = sum(len(events) for events, _ in games)
    for log, (events, state) in zip(logs, games, strict=True):
        assert log.events == events
        assert replay(log).state == state == fold(events)
    one = games[0][0]
    assert [decode_event(encode_event(event)) for event in one] == one

    def row(what: str, task: Callable[[], object], units: int, unit: str, goal: str = "") -> None:
        rate = units / best(task, repeats)
        per_game = f"{rate / units * count:>9,.0f}" if unit == "events" else ""
        print(f"{what:<38}{rate:>12,.0f} {unit:<7}{per_game:>9}  {goal}")

    print(f"{'':<38}{'a second':>12} {'':<7}{'games/s':>9}  goal")
    row("simulate, events kept", simulate, total, "events", "400,000")
    row("simulate, sealed and encoded", simulate_and_encode, total, "events")
    row("fold", lambda: [fold(events) for events, _ in games], total, "events", "1,500,000")
    row("read: lines, canonical form, seals", read, total, "events")
    row("strict replay of what was read", lambda: strict(logs), total, "events", "400,000")
    row("read and strict replay, from bytes", lambda: strict(read()), total, "events", "400,000")
    row("encode and seal", lambda: [encode_game(e) for e, _ in games], total, "events")
    row("a seal for each line", seals, len(lines), "seals")
    row("copies of a state", copies, 100_000, "copies", "100,000")
    row("decks shuffled", lambda: [Deck(rules, seed) for seed in seeds], count, "decks")
    after = calibration()
    print(
        f"\n{count} games of {players} {args.bot} bots, {total / count:.0f} events and "
        f"{len(data) / count:,.0f} bytes a game; best of {repeats}\n"
        f"calibration: sha256 of 90 bytes {min(before[0], after[0]) * 1e6:.2f} µs, "
        f"one round of bytecode {min(before[1], after[1]) * 1e9:.0f} ns\n"
        f"{platform.python_implementation()} {platform.python_version()}, "
        f"msgspec {msgspec.__version__}, {platform.machine()}"
    )


if __name__ == "__main__":
    main()
