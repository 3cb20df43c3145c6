"""Strength and speed of bots, by hand::

    python tests/benchmarks/bench_bots.py [-n GAMES] [-s SEED] [SPEC,SPEC,...]

For each line-up win rates and mean scores with 95 % intervals, and games a second of CPU time.
Every deal is played once with every rotation of the seats. Without a line-up, the ones that the
README quotes are played.
"""

import argparse
import time
from math import sqrt

from tenlog.bots.registry import make_bot
from tenlog.bots.spec import split_specs
from tenlog.bots.stream import Stream, stream_key
from tenlog.game.decide import Deck, advance
from tenlog.game.events import Event
from tenlog.game.state import OVER, start_state
from tenlog.game.view import View
from tenlog.play.session import start_event

LINE_UPS = (
    ("random,random,random,random", 1),
    ("greedy,greedy,greedy,greedy", 1),
    ("cautious,random,random,random", 1),
    ("greedy,cautious,cautious,cautious", 1),
    ("greedy,cautious", 1),
    ("planner,greedy,greedy,greedy", 0.1),
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
    wins: list[list[float]] = [[] for _ in specs]
    points: list[list[float]] = [[] for _ in specs]
    began = time.process_time()
    for deal in range(deals):
        text = f"{seed}/{deal}"
        won = [0.0] * seats
        scored = [0.0] * seats
        for turn in range(seats):
            start = start_event([f"p{seat}" for seat in range(seats)], text, game="g")
            state = start_state(start)
            deck = Deck(state.rules, text)
            keys = [stream_key(text, seat) for seat in range(seats)]
            minds = [bots[(seat + turn) % seats] for seat in range(seats)]
            events: list[Event] = []
            while state.phase is not OVER:
                seat = state.to_act
                command = minds[seat].decide(View(state), Stream(keys[seat], state.n))
                advance(state, command, deck, events)
            for seat in range(seats):
                bot = (seat + turn) % seats
                scored[bot] += state.scores[seat] / seats
                if seat in state.winners:
                    won[bot] += 1 / len(state.winners) / seats
        for bot in range(seats):
            wins[bot].append(won[bot])
            points[bot].append(scored[bot])
    took = time.process_time() - began
    print(f"{deals * seats} games, {deals * seats / took:.1f} a second", flush=True)
    for spec, won_by, scored_by in zip(specs, wins, points, strict=True):
        rate, half = interval(won_by)
        mean, around = interval(scored_by)
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
