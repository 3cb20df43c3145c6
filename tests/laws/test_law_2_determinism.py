"""Law 2: same seed, seats, ruleset and bots, same bytes, in any process of any Python."""

from __future__ import annotations

import os
import subprocess
import sys
from hashlib import sha256

import pytest

from tenlog.log.store import encode_game
from tests.laws.games import odd_game, small_ruleset
from tests.support import ROOT, play_game

_PLAY = """
from hashlib import sha256
from tenlog.log.store import encode_game
from tests.laws.games import odd_game, small_ruleset
from tests.support import play_game
digest = sha256()
for players in range(1, 6):
    for sealed in (False, True):
        digest.update(encode_game(play_game(f"é{players}", players, sealed=sealed)[0]))
    digest.update(encode_game(odd_game("odd", players, small_ruleset(), choices=players)))
print(digest.hexdigest())
"""


def _here() -> str:
    digest = sha256()
    for players in range(1, 6):
        for sealed in (False, True):
            digest.update(encode_game(play_game(f"é{players}", players, sealed=sealed)[0]))
        digest.update(encode_game(odd_game("odd", players, small_ruleset(), choices=players)))
    return digest.hexdigest()


def _elsewhere(python: str, hash_seed: str) -> str:
    path = os.pathsep.join([str(ROOT), str(ROOT / "cli")])
    env = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": path, "LC_ALL": "C"}
    answer = subprocess.run(
        [python, "-c", _PLAY], cwd=ROOT, env=env, capture_output=True, text=True, check=False
    )
    assert answer.returncode == 0, answer.stderr
    return answer.stdout.strip()


@pytest.mark.parametrize("hash_seed", ["0", "1", "4294967295"])
def test_another_process_gives_the_same_bytes(hash_seed: str) -> None:
    assert _elsewhere(sys.executable, hash_seed) == _here()


# An interpreter of another version that has the dependencies; the pipeline names one.
OTHER = os.environ.get("TENLOG_OTHER_PYTHON")

if OTHER:

    def test_another_python_gives_the_same_bytes() -> None:
        assert OTHER is not None
        assert _elsewhere(OTHER, "7") == _here()
