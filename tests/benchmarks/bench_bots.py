"""Strength and speed of bots, by hand::

    python tests/benchmarks/bench_bots.py [-n GAMES] [-s SEED] [SPEC,SPEC,...]

For each line-up win rates and mean scores with 95 % intervals, and games a second of CPU time; of
seats with the same bot the mean, so an even share is one part in as many as there are seats. Every
deal is played once with every rotation of the seats. Without a line-up, the ones that the README
quotes are played: tables of 2 to 5.
"""

import argparse
import time
from math import sqrt

from tenlog.bots.registry import make_bot
from tenlog.bots.spec import split_specs
from tenlog.bots.table import play_game
from tenlog.play.session import start_event

# And by what the number of games is multiplied.
LINE_UPS = (
    ("greedy,cautious", 1),
    ("cautious,random", 1),
    ("greedy,cautious,random", 1),
    ("greedy,cautious,greedy,cautious", 1),
    ("greedy,cautious,random,cautious", 1),
    ("greedy,cautious,greedy,cautious,random", 1),
    # How fast they are, side by side.
    ("random,random,random,random", 1),
    ("cautious,cautious,cautious,cautious", 0.5),
    ("greedy,greedy,greedy,greedy", 0.5),
    ("planner:nodes=500,greedy", 0.05),
    ("planner:nodes=500,greedy,greedy", 0.075),
    ("planner:nodes=500,greedy,greedy,greedy", 0.12),
    ("planner,greedy", 0.025),
    ("planner,greedy,greedy", 0.045),
    ("planner,greedy,greedy,greedy", 0.08),
)


def interval(values: list[float]) -> tuple[float, float]:
    """Mean and half-width of its 95 % interval; the games of one deal are one sample."""
    count = len(values)
    mean = sum(values) / count
    if count < 2:
        return mean, float("inf")
    spread = sum((value - mean) ** 2 for value in values) / (count - 1)
    return mean, 1.96 * sqrt(spread / count)


def play(specs: list[str], games: int, seed: str) -> None:
    seats = len(specs)
    bots = [make_bot(spec) for spec in specs]
    deals = max(games // seats, 1)
    # By spec, for each deal: the mean over all games and seats.
    wins: dict[str, list[float]] = {spec: [0.0] * deals for spec in specs}
    points: dict[str, list[float]] = {spec: [0.0] * deals for spec in specs}
    names = [f"p{seat}" for seat in range(seats)]
    began = time.process_time()
    for deal in range(deals):
        text = f"{seed}/{deal}"
        for turn in range(seats):
            minds = bots[turn:] + bots[:turn]
            _, state = play_game(start_event(names, text, game="g"), text, minds)
            for seat in range(seats):
                spec = specs[(seat + turn) % seats]
                each = seats * specs.count(spec)
                points[spec][deal] += state.scores[seat] / each
                if seat in state.winners:
                    wins[spec][deal] += 1 / len(state.winners) / each
    took = time.process_time() - began
    print(
        f"{seats} seats: {','.join(specs)}\n"
        f"  {deals * seats} games, {deals * seats / took:.1f} a second; "
        f"an even share is {100 / seats:.1f} %"
    )
    for spec in wins:
        rate, half = interval(wins[spec])
        mean, around = interval(points[spec])
        print(
            f"  {spec:24} wins {rate * 100:5.1f} ± {half * 100:4.1f} %"
            f"   score {mean:5.2f} ± {around:4.2f}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("line_ups", nargs="*")
    parser.add_argument("-n", type=int, default=2000)
    parser.add_argument("-s", default="bench")
    asked = parser.parse_args()
    line_ups = [(line_up, 1.0) for line_up in asked.line_ups] or LINE_UPS
    for line_up, part in line_ups:
        play(split_specs(line_up), int(asked.n * part), asked.s)


if __name__ == "__main__":
    main()
