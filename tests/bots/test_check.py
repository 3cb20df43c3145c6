"""``tenlog bots``: the list, the manual, and the check, as a user runs them."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import msgspec
import pytest

from tenlog.bots import outside
from tenlog.bots.base import BotInfo
from tenlog.bots.check import BotCheck, check_bot
from tenlog.bots.protocol import Decide, question
from tenlog.bots.registry import BUILT_IN
from tenlog.game.state import State
from tests.bots.test_programs import BODY, HELLO
from tests.support import ROOT, run_cli

QUICK = {"planner": "planner:nodes=10"}


def test_the_list() -> None:
    plain = run_cli("bots")
    assert plain.returncode == 0
    for name, (_, _, about) in BUILT_IN.items():
        assert f"{name} ".encode() in plain.stdout
        assert about.encode() in plain.stdout
    found = msgspec.json.decode(run_cli("bots", "--json").stdout, type=list[BotInfo])
    assert [info.name for info in found] == list(BUILT_IN)
    narrow = run_cli("bots", env={"COLUMNS": "40"})
    assert max(map(len, narrow.stdout.decode().splitlines())) <= 40


def test_the_manual() -> None:
    shown = run_cli("bots", "show", "greedy:risk=0.5")
    assert shown.returncode == 0
    assert b"risk=0.5" in shown.stdout
    assert b"how many points worse" in shown.stdout
    info = msgspec.json.decode(
        run_cli("bots", "show", "greedy:risk=0.5", "--json").stdout, type=BotInfo
    )
    assert info.parameters["risk"] == 0.5
    page = (ROOT / "tenlog" / "docs" / "bots.md").read_text(encoding="utf-8")
    told = run_cli("bots", "show", "protocol", "--json").stdout
    assert msgspec.json.decode(told) == {"protocol": page}
    shown = run_cli("bots", "show", "protocol", env={"PYTHONIOENCODING": "utf-8"})
    typeset = shown.stdout.decode()
    assert '\n{"type":"decide"' in typeset  # what is sent stays as it is
    assert "```" not in typeset
    assert "<!--" not in typeset
    wrong = run_cli("bots", "show", "nobody")
    assert wrong.returncode == 2
    assert wrong.stderr.startswith(b"tenlog: no bot 'nobody'")


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_bot_passes_the_check(name: str) -> None:
    found = check_bot(QUICK.get(name, name), 200)
    assert found.ok, found.findings
    assert found.positions == found.legal >= 200
    assert found.games >= 10
    assert all(found.phases.values())


@pytest.mark.parametrize(("program", "file"), [(sys.executable, "steady.py"), ("node", "dice.mjs")])
def test_the_example_bots_pass_the_check(program: str, file: str) -> None:
    spec = f"cmd,ms=60000,start=60000:{program} {ROOT}/fixtures/bots/{file}"
    run = run_cli("bots", "check", spec, "--json")
    found = msgspec.json.decode(run.stdout, type=BotCheck)
    assert (run.returncode, found.ok, found.faults) == (0, True, {}), found.findings
    assert found.positions == found.legal >= 300
    assert found.bot is not None
    assert found.bot.version == "1"


def test_findings_are_told_and_exit_with_1(tmp_path: Path) -> None:
    path = tmp_path / "bot.py"
    body = (
        "        say(id=ask['id'], type='Pass')\n"
        "        print('always passing', file=sys.stderr, flush=True)\n"
    )
    path.write_text(BODY.replace("{hello}", HELLO).replace("{body}", body))
    spec = f"cmd,ms=60000,start=60000:{sys.executable} {path}"
    run = run_cli("bots", "check", spec, "-n", "1")
    assert run.returncode == 1
    assert b"t 1: NOT fine" in run.stdout
    assert run.stdout.count(b"- illegal:") == 4  # three examples, and how many more
    assert b"illegal: " in run.stdout.rpartition(b" more")[0]
    assert b"ms to start" in run.stdout
    assert b"always passing" in run.stdout
    quiet = run_cli("bots", "check", spec, "-n", "1", "--quiet")
    assert (quiet.returncode, quiet.stdout, quiet.stderr) == (1, b"", b"")


def test_a_bot_that_remembers_is_found() -> None:
    found = check_bot("tests.bots.test_check:Moody", 50)
    assert not found.ok
    assert found.unsteady > 0
    assert found.findings[0].startswith("unsteady: first ")
    assert found.faults == {}


def test_an_object_that_fails_is_found() -> None:
    found = check_bot("tests.bots.test_check:Broken", 50)
    assert found.faults == {"failed": found.positions}
    assert "ZeroDivisionError" in found.findings[0]


def test_what_can_not_be_made() -> None:
    nobody = run_cli("bots", "check", "nobody")
    assert (nobody.returncode, nobody.stdout) == (2, b"")
    assert nobody.stderr.startswith(b"tenlog: no bot 'nobody'")
    assert run_cli("bots", "check", "cmd:").returncode == 2
    assert run_cli("bots", "check", "random", "-n", "0").returncode == 2


@pytest.mark.parametrize(
    "code", ["import sys; sys.exit(0)", "raise KeyError('a\\nb')", "raise GeneratorExit"]
)
def test_a_module_that_can_not_be_loaded_is_named_in_a_line(tmp_path: Path, code: str) -> None:
    (tmp_path / "leaving.py").write_text(code)
    for command in (["bots", "check", "leaving:Bot"], ["simulate", "--bots", "leaving:Bot"]):
        run = run_cli(*command, cwd=tmp_path)
        assert (run.returncode, run.stdout) == (2, b"")
        assert run.stderr.startswith(b"tenlog: bot 'leaving:Bot': module 'leaving' can't be loaded")
        assert run.stderr.count(b"\n") == 1


def test_a_bot_that_can_not_be_started_is_tried_once() -> None:
    found = check_bot("tests.bots.test_check:Unwilling", 50)
    assert (found.ok, found.games, found.positions) == (False, 1, 0)
    assert found.faults == {"failed": 1}
    assert "failed in start: OSError: no disk" in found.findings[0]


CHATTY = """
from tenlog.bots.safe import safe_command
print("loaded")
class Bot:
    def __init__(self): print("made")
    def start(self, seat, view): print("started")
    def decide(self, view, stream):
        print("asked")
        return safe_command(view.what_if())
"""


@pytest.mark.parametrize(
    "command", ["bots check chatty:Bot -n 1", "simulate -n 1 --bots chatty:Bot,random --jobs 1"]
)
def test_what_a_bot_prints_is_not_in_the_answer(tmp_path: Path, command: str) -> None:
    (tmp_path / "chatty.py").write_text(CHATTY)
    env = {"TENLOG_HOME": str(tmp_path / "home")}
    run = run_cli(*command.split(), "--json", cwd=tmp_path, env=env)
    assert run.returncode == 0
    msgspec.json.decode(run.stdout)
    for word in (b"loaded\n", b"made\n", b"started\n", b"asked\n"):
        assert word in run.stderr
        assert word not in run.stdout


RAISES = """\
class Deep:
    def decide(self, view, stream):
        return self.think(view)

    def think(self, view):
        return view.suggest("x\\x1b[31m\\n")


class Given:
    def decide(self, view, stream):
        raise ValueError("two\\nlines \\x1b[31m")


class Starts:
    def start(self, seat, view):
        return {}["no"]

    decide = None.__class__


class Makes:
    def __init__(self):
        self.size = 1 / 0

    def decide(self, view, stream): ...
"""


@pytest.mark.parametrize(
    ("bot", "line", "said"),
    [
        ("Deep", 6, ""),
        ("Given", 11, "ValueError: two\\nlines \\x1b[31m ("),
        ("Starts", 16, "start"),
    ],
)
@pytest.mark.parametrize("command", ["bots check --json", "simulate -q --players 1 --bots"])
def test_where_a_bot_raised_is_said_once_and_in_a_line(
    tmp_path: Path, bot: str, line: int, said: str, command: str
) -> None:
    (tmp_path / "raises.py").write_text(RAISES)
    run = run_cli(*command.split(), f"raises:{bot}", cwd=tmp_path)
    assert run.returncode == 1
    if command.startswith("bots"):
        failed = msgspec.json.decode(run.stdout, type=BotCheck).findings[0]
    else:
        failed = run.stderr.decode().removesuffix("\n")
        assert failed.startswith("tenlog: game 0")
        assert failed.count("'raises:") == failed.count(" seat ") + (bot == "Starts") == 1
        assert "BotFault" not in failed
    assert failed.endswith(f"({tmp_path}/raises.py, line {line})")
    assert said in failed
    assert failed.isprintable()


@pytest.mark.parametrize(("code", "line"), [(RAISES, 23), ("\n\n1 / 0\n", 3)])
def test_where_making_a_bot_failed_is_said(tmp_path: Path, code: str, line: int) -> None:
    (tmp_path / "raises.py").write_text(code)
    run = run_cli("bots", "check", "raises:Makes", cwd=tmp_path)
    assert run.returncode == 2
    at = f"{tmp_path}/raises.py, line {line}"
    assert run.stderr.decode().endswith(f": ZeroDivisionError: division by zero ({at})\n")
    none = run_cli("bots", "check", "nosuchmodule:Bot", cwd=tmp_path)
    assert none.stderr.endswith(b": ModuleNotFoundError: No module named 'nosuchmodule'\n")


class Unwilling:
    """Can't be started."""

    def start(self, seat: int, view: object) -> None:
        raise OSError("no disk")

    def decide(self, view: object, stream: object) -> object:
        raise AssertionError


class Moody:
    """Decides otherwise every time."""

    def __init__(self) -> None:
        self.asked = 0

    def decide(self, view: object, stream: object) -> object:
        from tenlog.game.legal import legal

        self.asked += 1
        choices = legal(view.what_if())  # type: ignore[attr-defined]
        return choices[self.asked % len(choices)]


class Broken:
    """Fails."""

    def decide(self, view: object, stream: object) -> object:
        return 1 // 0


def test_what_tenlog_itself_takes_is_not_the_time_of_a_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the wait for its answer is, in the check as in a game."""
    path = tmp_path / "bot.py"
    body = "        say(**{**ask['legal'][-1], 'id': ask['id']})\n"
    path.write_text(BODY.replace("{hello}", HELLO).replace("{body}", body))
    asked: list[int] = []

    def slowly(state: State, number: int, word: int) -> Decide:
        if number == 7:
            time.sleep(3)
            asked.append(number)
        return question(state, number, word)

    monkeypatch.setattr(outside, "question", slowly)
    found = check_bot(f"cmd,ms=2500,start=60000:{sys.executable} {path}", 1)
    assert asked == [7]
    assert found.ok, found.findings
    assert found.worst_ms < 2500


def test_late_answers_do_not_make_the_limit_longer(tmp_path: Path) -> None:
    """An answer is due within the limit, whatever else is said meanwhile."""
    path = tmp_path / "bot.py"
    body = (
        "        if ask['id'] == 3:\n"
        "            for _ in range(4):\n"
        "                time.sleep(0.3)\n"
        "                say(id=2, type='Pass')\n"
        "        say(**{**ask['legal'][-1], 'id': ask['id']})\n"
    )
    path.write_text(BODY.replace("{hello}", HELLO).replace("{body}", body))
    found = check_bot(f"cmd,ms=800,start=60000:{sys.executable} {path}", 1)
    assert found.faults.get("slow"), found
    assert "no answer within 800 ms" in found.findings[0]
