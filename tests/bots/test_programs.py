"""Programs that play: well, badly, and not at all."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tenlog.bots.base import Forfeit
from tenlog.bots.outside import FAULT_LIMIT, ProgramBot
from tenlog.bots.program import Program
from tenlog.bots.safe import safe_command
from tenlog.bots.seats import Seated, Seats
from tenlog.bots.spec import parse_spec
from tenlog.errors import BotError
from tenlog.game.decide import Deck, advance
from tenlog.game.state import OVER, State, start_state
from tenlog.play.session import start_event
from tests.support import ROOT

HELLO = '{"type":"hello","protocol":1,"name":"t","version":"1"}'

# What each program does when it is asked; `ask` is the question, `say` prints an answer.
BODY = """
import json, os, signal, sys, time
def say(**answer): print(json.dumps(answer), flush=True)
for line in sys.stdin:
    ask = json.loads(line)
    if ask["type"] == "hello":
        print('{hello}', flush=True)
    if ask["type"] == "decide":
{body}
"""

Script = Callable[[str], str]


@pytest.fixture
def script(tmp_path: Path) -> Script:
    def make(body: str) -> str:
        path = tmp_path / "bot.py"
        indented = "\n".join("        " + line for line in body.splitlines())
        path.write_text(BODY.replace("{hello}", HELLO).replace("{body}", indented))
        return f"{sys.executable} {path}"

    return make


def play(spec: str, seed: str = "p", players: int = 2, games: int = 1) -> tuple[Seats, State]:
    """Games of one program against ``cautious``; the seats are closed."""
    with Seats([spec] + ["cautious"] * (players - 1)) as seats:
        for number in range(games):
            text = f"{seed}{number}"
            names = [f"p{seat}" for seat in range(players)]
            state = start_state(start_event(names, text, game="g"))
            deck = Deck(state.rules, text)
            seats.start(text, state)
            while state.phase is not OVER:
                advance(state, seats.decide(state), deck, [])
            seats.end(state)
    return seats, state


def gone(pid: int) -> bool:
    """Whether there is no process of this number any more, not even a zombie."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def kinds(forfeits: list[Forfeit]) -> set[str]:
    return {forfeit.fault for forfeit in forfeits}


def test_a_good_program_forfeits_nothing(script: Script) -> None:
    command = script("say(**{**ask['legal'][-1], 'id': ask['id']})")
    seats, state = play(f"cmd,ms=60000:{command}", games=2)
    assert seats.forfeits == []
    assert state.phase is OVER


def test_a_program_can_be_repeated() -> None:
    spec = f"cmd,ms=60000:{sys.executable} {ROOT}/fixtures/bots/steady.py"
    _, first = play(spec)
    _, second = play(spec)
    assert first == second


SLEEPER = "time.sleep(30)"
MISBEHAVIOURS = {
    "slow": (SLEEPER, "slow"),
    "silent": ("pass", "slow"),
    "babbling": (
        "chunk = 'x' * 1_000_000\nfor _ in range(100): sys.stdout.write(chunk)\nsys.stdout.flush()",
        "flooded",
    ),
    "babbling in lines": ("while True: say(id=0, type='Pass')", "flooded"),
    "babbling on stderr": ("while True: sys.stderr.write('x' * 100_000)", "slow"),
    "crash": ("sys.exit('what a pity')", "closed"),
    "abort": ("os.abort()", "closed"),
    "closes stdout": ("os.close(1)\ntime.sleep(30)", "closed"),
    "closes stdin": ("os.close(0)\ntime.sleep(30)", "slow"),
    "wrong phase": ("say(id=ask['id'], type='Decline' if ask['bids'] else 'Pass')", "illegal"),
    "bids too much": (
        "say(id=ask['id'], type='Bid', amount=999, payment={'tokens':999,'busts':0,'cards':[]})",
        "illegal",
    ),
    "pays what it has not": ("say(id=ask['id'], type='Bid', amount=999)", "illegal"),
    "buys currency": ("say(id=ask['id'], type='Buy', card='C1')", "illegal"),
    "buys a wild": ("say(id=ask['id'], type='Buy', card='WW')", "illegal"),
    "bid without amount": ("say(id=ask['id'], type='Bid')", "garbled"),
    "no json": ("print('draw', flush=True)", "garbled"),
    "deep json": ("print('[' * 60000, flush=True)", "garbled"),
    "not utf-8": ("sys.stdout.buffer.write(b'\\xff\\xfe\\n'); sys.stdout.flush()", "garbled"),
    "negative": (
        "say(id=ask['id'], type='Bid', amount=1, payment={'tokens':-1,'busts':0,'cards':[]})",
        "garbled",
    ),
    "huge number": ("say(id=ask['id'], type='Bid', amount=10**30)", "garbled"),
    "answers ahead": ("say(id=ask['id'] + 1, type='Draw')", "garbled"),
    "no id": ("say(type='Draw')", "garbled"),
}


@pytest.mark.parametrize("name", MISBEHAVIOURS)
def test_misbehaviour_is_forfeited_and_the_game_goes_on(name: str, script: Script) -> None:
    body, fault = MISBEHAVIOURS[name]
    limit = 150 if fault == "slow" else 60_000
    seats, state = play(f"cmd,ms={limit}:{script(body)}")
    assert state.phase is OVER
    found = [forfeit for forfeit in seats.forfeits if forfeit.fault != "gone"]
    assert kinds(found) == {fault}, found[:2]
    assert len(found) == (1 if fault in ("closed", "flooded") else FAULT_LIMIT)
    first = found[0]
    assert (first.seed, first.seat, first.game) == ("p0", 0, "g")
    assert first.n >= 1
    assert first.decision == "Draw"
    assert kinds(seats.forfeits) == {fault, "gone"}
    if name == "crash":
        assert "what a pity" in first.detail
    bot = seats._seated[0]
    assert bot is not None
    assert bot.bot._program is None  # type: ignore[attr-defined]


def test_the_game_with_a_program_that_is_gone_is_that_of_the_safe_decisions(script: Script) -> None:
    class Safe:
        def decide(self, view: object, stream: object) -> object:
            return safe_command(view.what_if())  # type: ignore[attr-defined]

    _, state = play(f"cmd,ms=60000:{script('sys.exit(1)')}")
    text = "p0"
    other = start_state(start_event(["p0", "p1"], text, game="g"))
    deck = Deck(other.rules, text)
    with Seats([Seated("safe", Safe()), "cautious"]) as seats:  # type: ignore[arg-type]
        seats.start(text, other)
        while other.phase is not OVER:
            advance(other, seats.decide(other), deck, [])
    assert state == other


def test_a_late_answer_is_passed_over(script: Script) -> None:
    body = (
        "if ask['id'] == 2: time.sleep(0.6)\n"
        "say(**{**ask['legal'][0 if ask['id'] == 2 else -1], 'id': ask['id']})"
    )
    seats, _ = play(f"cmd,ms=500:{script(body)}")
    slow = [forfeit for forfeit in seats.forfeits if forfeit.n]
    assert "slow" in kinds(slow)
    assert kinds(slow) == {"slow"}


def test_a_program_is_started_again_for_the_next_game(script: Script) -> None:
    seats, _ = play(f"cmd,ms=60000:{script('sys.exit(1)')}", games=2)
    assert [f.seed for f in seats.forfeits if f.fault == "closed"] == ["p0", "p1"]


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("", "ended, or closed"),
        ("print('hi')", "not a hello"),
        ('print(\'{"type":"hello","protocol":2,"name":"x"}\')', "protocol 2"),
        ("import time; time.sleep(30)", "no answer within 300 ms"),
        ("import sys; sys.exit('no luck today')", "no luck today"),
    ],
)
def test_a_program_that_says_no_hello_is_an_error(code: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "bot.py"
    path.write_text(code)
    start = 300 if "sleep" in code else 60_000
    with pytest.raises(BotError, match=message):
        play(f"cmd,start={start}:{sys.executable} {path}")


STUBBORN = f"""
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork() == 0:
    time.sleep(60)
print('{HELLO}', flush=True)
while True:
    time.sleep(1)
"""


def test_a_program_that_ignores_sigterm_is_ended_with_its_children(tmp_path: Path) -> None:
    path = tmp_path / "bot.py"
    path.write_text(STUBBORN)
    program = Program([sys.executable, str(path)])
    assert program.hear(60).decode() == HELLO
    group = program.pid
    assert os.getpgid(group) == group
    program.stop(grace=0.1)
    assert gone(program.pid)
    until = time.monotonic() + 10
    while time.monotonic() < until:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            break
        time.sleep(0.02)  # the child is reaped by init
    else:
        pytest.fail("a child is left")


def test_a_program_that_reads_nothing_does_not_hold_us_up() -> None:
    program = Program([sys.executable, "-c", "import time; time.sleep(60)"])
    for _ in range(10):
        program.tell(b"x" * 100_000)
        with pytest.raises(BotError, match="no answer"):
            program.hear(0.01)
    program.stop(grace=0.05)
    assert gone(program.pid)


def test_a_forgotten_program_is_ended() -> None:
    bot = ProgramBot(parse_spec(f"cmd:{sys.executable} {ROOT}/fixtures/bots/steady.py"))
    bot.greet()
    assert bot._program is not None
    pid = bot._program.pid
    bot._program = None
    assert gone(pid)


# Plays as it should, and does not end when its input does, nor by SIGTERM.
LINGERING = f"""
import json, os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
with open("pids", "a") as pids:
    pids.write(f"{{os.getpid()}}\\n")
for line in sys.stdin:
    ask = json.loads(line)
    if ask["type"] == "hello":
        print('{HELLO}', flush=True)
    if ask["type"] == "decide":
        print(json.dumps({{**ask["legal"][-1], "id": ask["id"]}}), flush=True)
time.sleep(120)
"""


@pytest.mark.parametrize("command", ["simulate --jobs 1 -n 5000", "tournament --jobs 2 -n 5000"])
def test_ctrl_c_leaves_no_program_behind(tmp_path: Path, command: str) -> None:
    (tmp_path / "bot.py").write_text(LINGERING)
    spec = f"cmd,ms=60000,start=60000:{sys.executable} bot.py"
    process = subprocess.Popen(
        [sys.executable, "-m", "tenlog", *command.split(), "--bots", f"{spec},cautious",
         "--seed", "e", "--out", "out"],
        env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'cli'}"},
        cwd=tmp_path,
        stderr=subprocess.PIPE,
    )  # fmt: skip
    pids = tmp_path / "pids"
    until = time.monotonic() + 30
    while time.monotonic() < until and not (pids.exists() and pids.read_text().count("\n") >= 2):
        time.sleep(0.02)
    time.sleep(0.7)  # a game takes less: most of the time programs are being ended
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=30)
    assert process.returncode == 130, error
    assert [pid for pid in map(int, pids.read_text().split()) if not gone(pid)] == []
