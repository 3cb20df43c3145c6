"""tenlog beside other game engines, in one run: random play, and strict replay.

Run by hand, from anywhere::

    python tests/benchmarks/bench_peers.py [--seconds 3]

It makes a throw-away virtual environment for each peer, installs the peer there from the package
index, times it and tenlog one after the other, and prints a table with the versions. What cannot be
installed or run is said. The games differ, so steps a second are the nearest that can be compared:
a step is one decision of a player or of chance, for tenlog one event.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Each snippet defines play(i) → steps of one game, and for replays prepares what is replayed.
PEERS: dict[str, tuple[str, str]] = {
    "OpenSpiel pig(5), random": (
        "open_spiel",
        """
import pyspiel, random
game = pyspiel.load_game("pig(players=5,winscore=100)")
rng = random.Random(1)
def play(i):
    state = game.new_initial_state(); steps = 0
    while not state.is_terminal():
        if state.is_chance_node():
            actions, weights = zip(*state.chance_outcomes())
            state.apply_action(rng.choices(actions, weights)[0])
        else:
            state.apply_action(rng.choice(state.legal_actions()))
        steps += 1
    return steps
""",
    ),
    "OpenSpiel hearts, random": (
        "open_spiel",
        """
import pyspiel, random
game = pyspiel.load_game("hearts")
rng = random.Random(1)
def play(i):
    state = game.new_initial_state(); steps = 0
    while not state.is_terminal():
        if state.is_chance_node():
            actions, weights = zip(*state.chance_outcomes())
            state.apply_action(rng.choices(actions, weights)[0])
        else:
            state.apply_action(rng.choice(state.legal_actions()))
        steps += 1
    return steps
""",
    ),
    "OpenSpiel python liars_poker, random": (
        "open_spiel",
        """
import pyspiel, random
import open_spiel.python.games  # registers the games that are written in Python
game = pyspiel.load_game("python_liars_poker")
rng = random.Random(1)
def play(i):
    state = game.new_initial_state(); steps = 0
    while not state.is_terminal():
        if state.is_chance_node():
            actions, weights = zip(*state.chance_outcomes())
            state.apply_action(rng.choices(actions, weights)[0])
        else:
            state.apply_action(rng.choice(state.legal_actions()))
        steps += 1
    return steps
""",
    ),
    "RLCard uno, random": (
        "rlcard",
        """
import rlcard
from rlcard.agents import RandomAgent
env = rlcard.make("uno", config={"seed": 1})
env.set_agents([RandomAgent(num_actions=env.num_actions) for _ in range(env.num_players)])
def play(i):
    trajectories, payoffs = env.run(is_training=False)
    return sum(len(t) // 2 for t in trajectories)
""",
    ),
    "PokerKit hold'em 6 players, random": (
        "pokerkit",
        """
import random
from pokerkit import Automation as A, NoLimitTexasHoldem
rng = random.Random(1)
AUTO = (A.ANTE_POSTING, A.BET_COLLECTION, A.BLIND_OR_STRADDLE_POSTING, A.CARD_BURNING,
        A.HOLE_DEALING, A.BOARD_DEALING, A.RUNOUT_COUNT_SELECTION,
        A.HOLE_CARDS_SHOWING_OR_MUCKING, A.HAND_KILLING, A.CHIPS_PUSHING, A.CHIPS_PULLING)
def play(i):
    state = NoLimitTexasHoldem.create_state(AUTO, True, 0, (1, 2), 2, (200,) * 6, 6)
    while state.status:
        moves = []
        if state.can_fold(): moves.append(state.fold)
        if state.can_check_or_call(): moves.append(state.check_or_call)
        if state.can_complete_bet_or_raise_to(): moves.append(state.complete_bet_or_raise_to)
        rng.choice(moves)()
    return len(state.operations)
""",
    ),
    "Catanatron 4 players, random": (
        "catanatron",
        """
from catanatron import Game, RandomPlayer, Color
def play(i):
    colours = (Color.RED, Color.BLUE, Color.WHITE, Color.ORANGE)
    game = Game([RandomPlayer(colour) for colour in colours], seed=i)
    game.play()
    records = getattr(game.state, "action_records", None) or getattr(game.state, "actions")
    return len(records)
""",
    ),
    "replay: OpenSpiel hearts, checked": (
        "open_spiel",
        """
import pyspiel, random
game = pyspiel.load_game("hearts")
rng = random.Random(1)
histories = []
for _ in range(20):
    state = game.new_initial_state()
    while not state.is_terminal():
        state.apply_action(rng.choice(state.legal_actions()))
    histories.append(state.history())
def play(i):
    state = game.new_initial_state()
    history = histories[i % 20]
    for action in history:
        state.apply_action_with_legality_check(action)
    return len(history)
""",
    ),
    "replay: PokerKit hand history": (
        "pokerkit",
        """
import random
from pokerkit import Automation as A, HandHistory, NoLimitTexasHoldem
rng = random.Random(1)
AUTO = (A.ANTE_POSTING, A.BET_COLLECTION, A.BLIND_OR_STRADDLE_POSTING, A.CARD_BURNING,
        A.HOLE_DEALING, A.BOARD_DEALING, A.RUNOUT_COUNT_SELECTION,
        A.HOLE_CARDS_SHOWING_OR_MUCKING, A.HAND_KILLING, A.CHIPS_PUSHING, A.CHIPS_PULLING)
game = NoLimitTexasHoldem(AUTO, True, 0, (1, 2), 2)
histories = []
for _ in range(20):
    state = game((200,) * 6, 6)
    while state.status:
        moves = []
        if state.can_fold(): moves.append(state.fold)
        if state.can_check_or_call(): moves.append(state.check_or_call)
        if state.can_complete_bet_or_raise_to(): moves.append(state.complete_bet_or_raise_to)
        rng.choice(moves)()
    histories.append(HandHistory.from_game_state(game, state))
def play(i):
    steps = 0
    for state in histories[i % 20]:
        steps += 1
    return len(state.operations)
""",
    ),
    "replay: python-chess, moves from PGN": (
        "chess",
        """
import chess, chess.pgn, io, random
rng = random.Random(1)
texts = []
for _ in range(20):
    board = chess.Board()
    game = chess.pgn.Game(); node = game
    while not board.is_game_over() and board.ply() < 120:
        move = rng.choice(list(board.legal_moves)); board.push(move)
        node = node.add_variation(move)
    texts.append(str(game))
def play(i):
    game = chess.pgn.read_game(io.StringIO(texts[i % 20]))
    assert not game.errors
    return sum(1 for _ in game.mainline_moves())
""",
    ),
}

OURS: dict[str, str] = {
    "tenlog, 4 random bots": """
from tenlog.bots.registry import make_bot
from tenlog.bots.table import play_game
from tenlog.play.session import start_event
names = [f"p{s}" for s in range(4)]
bots = [make_bot("random")] * 4
def play(i):
    events, state = play_game(start_event(names, f"b/{i}", game="g"), f"b/{i}", bots)
    return len(events)
""",
    "replay: tenlog, from bytes, strict": """
from tenlog.bots.registry import make_bot
from tenlog.bots.table import play_game
from tenlog.log.read import read_game
from tenlog.log.replay import replay
from tenlog.log.source import GameText
from tenlog.log.store import encode_game
from tenlog.play.session import start_event
names = [f"p{s}" for s in range(4)]
bots = [make_bot("random")] * 4
texts = []
for i in range(20):
    events, state = play_game(start_event(names, f"b/{i}", game="g"), f"b/{i}", bots)
    texts.append(GameText(encode_game(events), 1, 0))
def play(i):
    result = replay(read_game(texts[i % 20]))
    assert result.fault is None
    return len(result.events)
""",
}

TIMER = """
import json, sys, time
for i in range(3): play(i)
seconds = float(sys.argv[1]); games = steps = 0
start = time.process_time()
while (spent := time.process_time() - start) < seconds:
    steps += play(games); games += 1
print(json.dumps([games / spent, steps / spent]))
"""


def measure(python: str, code: str, seconds: float) -> tuple[float, float] | str:
    """Games and steps per second of processor time, or why there are none."""
    done = subprocess.run(
        [python, "-c", code + TIMER, str(seconds)],
        capture_output=True,
        text=True,
        timeout=60 + 20 * seconds,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "0"},
    )
    if done.returncode:
        return (done.stderr.strip().splitlines() or ["failed"])[-1][:60]
    games, steps = json.loads(done.stdout.strip().splitlines()[-1])
    return games, steps


def install(folder: Path, package: str) -> tuple[str, str]:
    """An interpreter that has a package, and the package's version; or '' and why not."""
    venv = folder / package
    python = str(venv / "bin" / "python")
    if not venv.exists():
        subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
        done = subprocess.run(
            [python, "-m", "pip", "install", "-q", package],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            return "", "can't be installed"
    asked = f"import importlib.metadata as m; print(m.version({package!r}))"
    version = subprocess.run([python, "-c", asked], capture_output=True, text=True, check=False)
    return python, version.stdout.strip()


def main() -> None:
    """Measure everything, tenlog before and after, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3.0, help="processor time for each line")
    parser.add_argument("--keep", type=Path, help="folder of the environments, to be used again")
    options = parser.parse_args()
    print(f"CPython {sys.version.split()[0]}, one process, per second of processor time\n")
    print(f"{'what':<40} {'version':>8} {'games/s':>9} {'steps/s':>11}")
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or Path(scratch)
        for name, code in OURS.items():
            report(name, "", measure(sys.executable, code, options.seconds))
        for name, (package, code) in PEERS.items():
            python, version = install(folder, package)
            if python:
                report(name, version, measure(python, code, options.seconds))
            else:
                report(name, "", version)
        for name, code in OURS.items():
            report(f"{name} (again)", "", measure(sys.executable, code, options.seconds))


def report(name: str, version: str, result: tuple[float, float] | str) -> None:
    """One line of the table."""
    if isinstance(result, str):
        print(f"{name:<40} {version:>8} {result}")
    else:
        print(f"{name:<40} {version:>8} {result[0]:>9,.0f} {result[1]:>11,.0f}", flush=True)


if __name__ == "__main__":
    main()
