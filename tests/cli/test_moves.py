"""A game by single commands, as a script plays it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from tenlog.game.commands import Buy, Command, Decline, Draw, Pass, TakeNumbers
from tenlog.game.events import CardDrawn, NumbersTaken
from tenlog.game.legal import options
from tenlog.game.state import FINAL_BUY
from tenlog.log.read import read_one
from tenlog.log.replay import replay
from tenlog.play.answers import LegalAnswer, MoveAnswer
from tenlog.play.home import name_of
from tenlog.play.session import new_session
from tests.support import ROOT, run_cli
from tests.tui.stage import small_rules


class Script:
    """Commands on the games of one home."""

    def __init__(self, home: Path) -> None:
        self.env = {"TENLOG_HOME": str(home)}

    def run(self, *args: str, code: int = 0) -> subprocess.CompletedProcess[bytes]:
        done = run_cli(*args, env=self.env)
        assert done.returncode == code, (args, done.stderr)
        assert b"Traceback" not in done.stderr
        assert b"\x1b" not in done.stdout + done.stderr
        return done

    def json(self, *args: str) -> MoveAnswer:
        return msgspec.json.decode(self.run(*args, "--json").stdout, type=MoveAnswer)

    def refused(self, *args: str, code: int) -> str:
        done = self.run(*args, code=code)
        assert done.stdout == b""
        assert 1 <= done.stderr.count(b"\n") <= 2, done.stderr
        return done.stderr.decode()


@pytest.fixture
def script(tmp_path: Path) -> Script:
    return Script(tmp_path)


def test_a_turn_with_a_bot_that_answers(script: Script) -> None:
    made = script.json(
        "new", "--player", "Ann", "--bot", "random", "--player", "Bo", "--seed", "7", "--game", "g"
    )
    assert (made.game, made.to_act, made.to_do, made.finished) == ("g", 0, "draw", False)
    start = read_one(made.log)
    assert start.start is not None
    assert start.start.players == ("Ann", "random", "Bo")
    assert start.bots == (None, "random", None)
    drawn = script.json("draw", "--seat", "0")
    assert isinstance(drawn.events[0].ev, CardDrawn)
    assert drawn.events[0].n == 1
    assert "turn of Ann (seat 0) (rule 4.1)" in script.refused("draw", "--seat", "2", code=1)
    assert "bid" in script.refused("bid", "3", code=1)
    took = script.json("take", "numbers", "g")
    assert isinstance(took.events[0].ev, NumbersTaken)
    declined = script.json("decline", "g", "--seat", "0")
    assert declined.events[1].ev.__class__ is CardDrawn  # the bot answers
    assert declined.to_act in (0, 2)
    log = read_one(made.log)
    found = replay(log)
    assert found.fault is None
    assert found.state is not None
    assert found.state.n == declined.events[-1].n + 1


def to_a_buy(path: Path) -> None:
    """A game of one, played to where something can be bought."""
    with new_session(path, ("Ann",), game=name_of(path), seed="3") as session:
        while not options(session.state).buys:
            may = options(session.state)
            command: Command
            if may.passing:
                command = Pass(0)
            elif may.decline:
                command = Decline(0)
            elif may.take_numbers and any(session.state.market):
                command = TakeNumbers(0)
            else:
                command = Draw(0)
            session.do(command)


def test_payments(script: Script, tmp_path: Path) -> None:
    log = str(tmp_path / "solo.jsonl")
    to_a_buy(tmp_path / "solo.jsonl")
    answer = script.run("legal", log, "--json").stdout
    may = msgspec.json.decode(answer, type=LegalAnswer)
    buy = next(command for command in may.commands if isinstance(command, Buy))
    assert "rule 6" in script.refused("buy", buy.card, log, "--pay", "9t+9b", code=1)
    assert "no payment" in script.refused("buy", buy.card, log, "--pay", "nonsense", code=1)
    assert "no card" in script.refused("buy", "Z9", log, code=2)
    assert "not in the market" in script.refused("buy", "C1", log, code=1)
    bought = script.json("buy", buy.card.lower(), log)
    assert msgspec.to_builtins(bought.events[0].ev)["payment"] == msgspec.to_builtins(buy.payment)


def test_wrong_usage_and_unreadable_logs(script: Script, tmp_path: Path) -> None:
    assert "tenlog play" in script.refused("draw", code=2)  # there is no game yet
    assert "tenlog ls" in script.refused("draw", "nope", code=2)
    assert "tenlog ls" in script.refused("show", str(tmp_path / "nope.jsonl"), code=3)
    assert "numbers or currency" in script.refused("take", "all", code=2)
    assert "no bot" in script.refused("new", "--bot", "clever", code=2)
    assert "ten/1" in script.refused("new", "--rules", "chess", code=2)
    rules = tmp_path / "bad.toml"
    rules.write_text('name = "bad"\nbust_limit = 0\n')
    assert "bust_limit" in script.refused("new", "--rules", str(rules), code=2)
    script.run("new", "--player", "Ann", "--game", "twin", "-q")
    assert "already" in script.refused("new", "--game", "twin", code=3)
    assert "a whole number" in script.refused("bid", "abc", "twin", code=2)
    assert "a whole number" in script.refused("bid", "1.5", "twin", code=2)
    assert "99999999999999999999999 is more than" in script.refused("bid", "9" * 23, code=2)
    assert "… (5000 digits) is more than" in script.refused("bid", "9" * 5000, code=2)
    assert "can't bid now" in script.refused("bid", "9" * 9, "twin", code=1)
    assert "seats are 0 to 3" in script.refused("draw", "--seat", "9", code=2)


@pytest.mark.parametrize("command", ["new", "play"])
def test_who_seals_a_game_with_a_seed_that_hides_nothing_is_told(
    tmp_path: Path, command: str
) -> None:
    told = {}
    for number, (seed, sealed) in enumerate(
        [("11", True), ("11", False), ("20261201123456", True), ("9f" * 8, True),
         ("correct horse battery staple", True), ("a3f09c5b71e2d8464fd0b61c97e5a832", True)]
    ):  # fmt: skip
        args = [command, "--seed", seed, *(["--sealed"] if sealed else []), "--game", f"g{number}"]
        done = run_cli(*args, stdin="q\n", env={"TENLOG_HOME": str(tmp_path)})
        assert done.returncode == 0
        told[seed, sealed] = done.stderr.decode()
    warned = [key for key, text in told.items() if text]
    assert warned == [("11", True), ("20261201123456", True), ("9f" * 8, True)]
    assert told["11", True] == (
        "tenlog: seed 11 can be found by trying, as the log has its commitment, and who finds it "
        "sees the deck: leave --seed out for a random one\n"
    )
    random = run_cli(command, "--sealed", stdin="q\n", env={"TENLOG_HOME": str(tmp_path)})
    assert random.stderr == b""


def test_the_seal_of_a_new_sealed_game_is_told_for_noting(script: Script) -> None:
    new = ("new", "--player", "A", "--bot", "random")
    told = script.run(*new, "--sealed", "--game", "s").stdout.decode()
    (line,) = [line for line in told.splitlines() if line.startswith("seal: ")]
    assert "tenlog audit --noted SEAL" in " ".join(told.split())
    script.run("draw", "s")
    script.run("audit", "s", "--noted", f"s={line.removeprefix('seal: ')}")
    assert b"seal: " not in script.run(*new, "--game", "o").stdout


def test_a_finished_game_takes_no_moves(script: Script) -> None:
    script.run("demo", "--players", "2", "--bot", "random", "--bot", "random", "--game", "d", "-q")
    for move in (["draw"], ["take", "numbers"], ["bid", "3"], ["pass"], ["buy", "R4"], ["decline"]):
        assert "the game is over" in script.refused(*move, "d", code=1)  # an illegal move
    assert "the game is finished" in script.refused("resume", "d", code=2)


def test_a_fault_is_named_before_the_end_of_the_game(script: Script, tmp_path: Path) -> None:
    log = tmp_path / "d.jsonl"
    script.run("demo", "--log", str(log), "-q")
    log.write_bytes(log.read_bytes() + bytes(3 << 20))
    said = {script.refused(command, str(log), code=1) for command in ("show", "draw", "resume")}
    assert len(said) == 1
    assert "a line is longer than 1 MiB" in said.pop()


def to_the_last_decision(path: Path, *, sealed: bool = False) -> None:
    """A game of one with a small deck, played to where only the last buy is left."""
    with new_session(
        path, ("Ann",), game=name_of(path), seed="1", ruleset=small_rules(), sealed=sealed
    ) as session:
        while session.state.phase is not FINAL_BUY:
            may = options(session.state)
            command: Command = Draw(0)
            if may.passing:
                command = Pass(0)
            elif may.decline:
                command = Decline(0)
            elif may.take_numbers:
                command = TakeNumbers(0)
            session.do(command)


def test_a_finished_game_goes_into_the_archive(script: Script, tmp_path: Path) -> None:
    """As one that was played at the prompt does."""
    for name, extra in (("kept", ()), ("apart", ("--no-archive",)), ("quiet", ("-q",))):
        to_the_last_decision(tmp_path / "games" / f"{name}.jsonl")
        told = script.run("decline", name, *extra).stdout.decode()
        assert ("Ann: 1 game, 1 won" in told) == (name != "quiet")
    listed = msgspec.json.decode(script.run("archive", "ls", "--json").stdout)
    assert sorted(row["game"] for row in listed) == ["kept", "quiet"]
    log = (tmp_path / "games" / "kept.jsonl").read_bytes()
    assert script.run("archive", "get", "kept").stdout == log


@pytest.mark.parametrize(("command", "code"), [("draw", 1), ("resume", 2)])
def test_what_a_killed_process_left_undone_at_the_end_is_done(
    script: Script, tmp_path: Path, command: str, code: int
) -> None:
    """Once, and only for what people played; what is no revealed seed is nobody's to remove."""
    path = tmp_path / "games" / "g.jsonl"
    seed = tmp_path / "games" / "g.jsonl.seed"
    to_the_last_decision(path, sealed=True)
    secret = seed.read_text()
    script.run("decline", "g", "--no-archive", "-q")
    assert not seed.exists()
    ended = path.read_bytes()

    seed.write_text("of another game\n")
    script.refused(command, "g", "--no-archive", code=code)
    assert seed.exists()
    seed.write_text(secret)  # as it is where the process is killed between the log and this
    for _ in range(2):
        script.refused(command, "g", code=code)
    assert path.read_bytes() == ended
    assert not seed.exists()
    listed = msgspec.json.decode(script.run("archive", "ls", "--json").stdout)
    assert [row["game"] for row in listed] == ["g"]

    script.run("demo", "--players", "2", "--bot", "random", "--bot", "random", "--game", "d", "-q")
    script.refused(command, "d", code=code)
    listed = msgspec.json.decode(script.run("archive", "ls", "--json").stdout)
    assert [row["game"] for row in listed] == ["g"]


def test_an_archive_that_can_not_be_written_hinders_nobody(script: Script, tmp_path: Path) -> None:
    to_the_last_decision(tmp_path / "games" / "g.jsonl")
    (tmp_path / "archive").write_text("in the way")
    done = script.run("decline", "g", "--json")
    assert msgspec.json.decode(done.stdout, type=MoveAnswer).finished
    assert done.stderr.startswith(b"tenlog: ")
    assert done.stderr.count(b"\n") == 1


def test_own_rules(script: Script, tmp_path: Path) -> None:
    rules = tmp_path / "long.toml"
    rules.write_text('name = "long"\nbust_limit = 12\n')
    made = script.json("new", "--rules", str(rules), "--alone", "--player", "A", "--game", "r")
    state = replay(read_one(made.log)).state
    assert state is not None
    assert state.rules.bust_limit == 12
    whole = script.run("rules", "--ruleset", str(rules), "--toml").stdout
    again = tmp_path / "again.toml"
    again.write_bytes(whole)
    assert script.run("rules", "--ruleset", str(again), "--json").stdout == (
        script.run("rules", "--ruleset", str(rules), "--json").stdout
    )


def test_a_log_runs_programs_only_when_told_so(tmp_path: Path) -> None:
    """A log may come from anybody: the bots that it names are run only with --trust."""
    log = tmp_path / "g.jsonl"
    spec = f"cmd:{sys.executable} {ROOT / 'fixtures/bots/steady.py'}"
    done = run_cli("new", "--player", "Ann", "--bot", spec, "--seed", "trust", "--log", log)
    assert done.returncode == 0, done.stderr
    refused = run_cli("draw", log)
    assert refused.returncode == 2
    assert b"--trust" in refused.stderr
    allowed = run_cli("draw", log, "--trust")
    assert allowed.returncode == 0, allowed.stderr
