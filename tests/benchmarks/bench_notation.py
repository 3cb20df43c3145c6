"""How long one-line games are, and how long it takes to write and read them.

    python tests/benchmarks/bench_notation.py [games]

Random 128-bit seeds, ids and names of ordinary length, ten/1.
"""

from __future__ import annotations

import sys
from hashlib import sha256
from pathlib import Path
from time import perf_counter

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

import msgspec

from tenlog.game.events import GameStarted
from tenlog.notation import read_line, write_line
from tests.support import play_game

NAMES = ("Ada", "Bob", "Cleo", "Dan", "Eve")


def measure(bots: tuple[str, ...], players: int, games: int) -> str:
    """A row of the table; every line is read back and compared."""
    lengths: list[int] = []
    writing = reading = 0.0
    for i in range(games):
        seed = sha256(str(i).encode()).hexdigest()[:32]
        events, _ = play_game(seed, players, bots, game="20261130-7f3a")
        start = events[0]
        assert isinstance(start, GameStarted)
        events[0] = msgspec.structs.replace(start, players=NAMES[:players])
        began = perf_counter()
        line = write_line(events)
        written = perf_counter()
        again = read_line(line)
        reading += perf_counter() - written
        writing += written - began
        assert again == events
        lengths.append(len(line))
    lengths.sort()
    places = [lengths[int(games * part)] for part in (0.0, 0.5, 0.9, 0.99)] + [lengths[-1]]
    numbers = "".join(f"{length:>7}" for length in places)
    times = f"{1000 * writing / games:>9.1f}{1000 * reading / games:>9.1f}"
    return f"{','.join(bots):<26}{players:>3}{numbers}{times}"


def main() -> None:
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    print(f"characters of a line, {games} games each; ms to write and to read one")
    print(f"{'bots':<26}{'n':>3}{'least':>7}{'50 %':>7}{'90 %':>7}{'99 %':>7}{'most':>7}", end="")
    print(f"{'write':>9}{'read':>9}")
    for players in range(1, 6):
        print(measure(("random",), players, games))
    print(measure(("greedy",), 4, games))
    print(measure(("greedy", "cautious", "random"), 4, games))


if __name__ == "__main__":
    main()
