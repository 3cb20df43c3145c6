"""A small game that is soon over, and a real terminal to play it in (tmux)."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest

from tenlog.game.cards import CARDS
from tenlog.game.ruleset import Ruleset, parse_ruleset
from tenlog.play.session import Session, new_session
from tests.support import ROOT

# A deck of twelve cards: low numbers, some currency, one wild.
SMALL = {"R1": 1, "R2": 1, "R3": 1, "B1": 1, "B2": 1, "B6": 1, "G5": 1, "O4": 1, "C1": 2, "C3": 1}
SMALL_TOML = "\n".join(
    [
        'name = "small"',
        "[deck]",
        *[f"{card} = [{', '.join(['1'] * SMALL.get(card, 0))}]" for card in CARDS if card != "RW"],
        "RW = [1]",
        "",
    ]
)


def small_rules() -> Ruleset:
    """The ruleset with the small deck."""
    return parse_ruleset(SMALL_TOML.encode(), "toml")


def small_session(
    folder: Path,
    seed: str = "1",
    names: tuple[str, ...] = ("Ann", "cautious"),
    bots: tuple[str | None, ...] = (None, "cautious"),
    game: str = "small",
) -> Session:
    """A new game with the small deck."""
    return new_session(
        folder / "small.jsonl", names, game=game, seed=seed, bots=bots, ruleset=small_rules()
    )


def needs_tmux() -> None:
    """Skip where there is no tmux; fail where there has to be one."""
    if shutil.which("tmux") is None:
        if os.environ.get("TENLOG_TEST_ALL") == "1":
            pytest.fail("tmux is not installed")
        pytest.skip("tmux is not installed")


class Terminal:
    """A command in a real terminal of a certain size."""

    run = '"$@"'

    def __init__(self, home: Path, columns: int, lines: int, *args: str, **env: str) -> None:
        needs_tmux()
        self._name = f"tenlog-{uuid.uuid4().hex[:12]}"
        path = os.pathsep.join([str(ROOT), str(ROOT / "cli")])
        given = {"TENLOG_HOME": str(home), "PYTHONPATH": path, "PYTHONIOENCODING": "utf-8", **env}
        # The size is the terminal's, whatever is set here (importing readline sets it).
        words = ["-u", "COLUMNS", "-u", "LINES"]
        words += [f"{key}={value}" for key, value in given.items()]
        # What is left on the screen when the command is done has to stay to be looked at.
        command = ["sh", "-c", f'{self.run}; echo "left with $?"; exec sleep 600', "sh"]
        self._tmux(
            "-u", "-f", os.devnull, "new-session", "-d", "-x", str(columns), "-y", str(lines),
            "env", *words, *command, sys.executable, "-m", "tenlog", *args,
        )  # fmt: skip

    def _tmux(self, *args: str) -> str:
        found = subprocess.run(
            ["tmux", "-L", self._name, *args], capture_output=True, check=True, timeout=30
        )
        return found.stdout.decode()

    def terminate(self) -> None:
        """Send SIGTERM to the command."""
        shell = self._tmux("list-panes", "-F", "#{pane_pid}").strip()
        children = subprocess.run(["pgrep", "-P", shell], capture_output=True, check=True)
        os.kill(int(children.stdout), signal.SIGTERM)

    def keys(self, *keys: str) -> None:
        """Press keys, named as tmux names them."""
        self._tmux("send-keys", *keys)

    def resize(self, columns: int, lines: int) -> None:
        """Another size of the window."""
        self._tmux("resize-window", "-x", str(columns), "-y", str(lines))

    def screen(self) -> str:
        """What is on the screen."""
        return self._tmux("capture-pane", "-p")

    def wait(self, wanted: str | Callable[[str], bool], seconds: float = 20) -> str:
        """Wait until the screen shows something; returns the screen."""
        end = time.monotonic() + seconds
        while True:
            screen = self.screen()
            if wanted in screen if isinstance(wanted, str) else wanted(screen):
                return screen
            if time.monotonic() > end:
                raise AssertionError(f"{wanted!r} never came; the screen is\n{screen}")
            time.sleep(0.05)

    def close(self) -> None:
        """End the terminal and what runs in it."""
        subprocess.run(
            ["tmux", "-L", self._name, "kill-server"], capture_output=True, check=False, timeout=30
        )

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Job(Terminal):
    """A command as a shell runs it that can stop it; Enter is the shell's ``fg`` then."""

    run = 'set -m; "$@"; echo "stopped with $?"; read line; fg'
