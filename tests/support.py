"""What many tests need: games that are quickly made, and the real command line as a process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tenlog.bots import table
from tenlog.bots.registry import make_bot
from tenlog.game.events import Event
from tenlog.game.ruleset import Ruleset
from tenlog.game.state import State
from tenlog.play.session import start_event

ROOT = Path(__file__).parent.parent


def play_game(
    seed: str,
    players: int = 4,
    bots: Sequence[str] = ("random",),
    ruleset: Ruleset | None = None,
    game: str = "g",
    sealed: bool = False,
) -> tuple[list[Event], State]:
    """A whole game between bots (repeated around the table), and the table at its end."""
    names = [f"p{seat}" for seat in range(players)]
    start = start_event(names, seed, game=game, ruleset=ruleset, sealed=sealed)
    minds = [make_bot(bots[seat % len(bots)]) for seat in range(players)]
    return table.play_game(start, seed, minds)


def run_cli(
    *args: str | Path,
    stdin: str | bytes = b"",
    env: dict[str, str] | None = None,
    cwd: Path | None = None,
    timeout: float = 120,
) -> subprocess.CompletedProcess[bytes]:
    """The real ``tenlog`` in a process of its own, never on a terminal."""
    path = os.pathsep.join([str(ROOT), str(ROOT / "cli")])
    return subprocess.run(
        [sys.executable, "-m", "tenlog", *map(str, args)],
        input=stdin.encode() if isinstance(stdin, str) else stdin,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": path, "COLUMNS": "80", **(env or {})},
        cwd=cwd,
        timeout=timeout,
        check=False,
    )
