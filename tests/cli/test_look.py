"""Looking at games: the table, the list, the odds, the rules, the story, the demo."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest
from rich.cells import cell_len

from tenlog.game.cards import CARDS
from tenlog.game.commands import Draw
from tenlog.game.legal import legal, options
from tenlog.game.odds import Odds
from tenlog.log.codec import encode_events
from tenlog.log.read import read_one
from tenlog.log.replay import replay
from tenlog.play.answers import DemoAnswer, LegalAnswer, StoryAnswer, TableAnswer
from tenlog.play.branch import undo
from tenlog.play.home import GameRow
from tenlog.play.session import new_session, resume_session
from tenlog_cli.app import COMMANDS
from tests.cli.terminal import Terminal
from tests.cli.test_moves import to_a_buy
from tests.support import ROOT, run_cli


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a finished game ``done`` and one in progress, ``going``."""
    folder = tmp_path_factory.mktemp("home")
    games = folder / "games"
    for name, decisions in (("done", 10_000), ("going", 60)):
        session = new_session(
            games / f"{name}.jsonl", ("p0", "p1", "p2"), game=name, seed="look", bots=["random"] * 3
        )
        with session:
            for _ in zip(range(decisions), session.bots_move(), strict=False):
                pass
    return folder


def _run(home: Path, *args: str, code: int = 0, **env: str) -> bytes:
    done = run_cli(*args, env={"TENLOG_HOME": str(home), **env})
    assert done.returncode == code, done.stderr
    return done.stdout


def test_json_shapes(home: Path) -> None:
    table = msgspec.json.decode(_run(home, "show", "--json"), type=TableAnswer)
    assert (table.game, len(table.seats)) == ("going", 3)
    may = msgspec.json.decode(_run(home, "legal", "going", "--json"), type=LegalAnswer)
    assert may.seat == table.to_act
    assert may.commands
    odds = msgspec.json.decode(_run(home, "odds", "--json"), type=Odds)
    assert odds.deck_left == table.deck
    rows = msgspec.json.decode(_run(home, "ls", "--json"), type=list[GameRow])
    assert {row.game: row.state for row in rows} == {"going": "playing", "done": "finished"}
    lines = _run(home, "replay", "done", "--json").splitlines()
    story = [msgspec.json.decode(line, type=StoryAnswer) for line in lines]
    assert [entry.n for entry in story] == list(range(len(story)))
    log = read_one(home / "games" / "done.jsonl")
    assert encode_events([entry.ev for entry in story]) == encode_events(log.events)


def test_piped_output_is_plain_and_narrow(home: Path) -> None:
    for columns in ("80", "40"):
        for command in (["show", "done"], ["replay", "done"], ["odds"], ["ls"]):
            text = _run(home, *command, COLUMNS=columns, PYTHONIOENCODING="utf-8").decode()
            assert "\x1b" not in text
            room = int(columns)
            assert [line for line in text.splitlines() if cell_len(line) > room] == [], command


def test_ascii_where_there_is_no_more(home: Path) -> None:
    for command in (["show", "done"], ["replay", "done"], ["rules"]):
        assert _run(home, *command, PYTHONIOENCODING="ascii").isascii()
    assert _run(home, "show", "going", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")


def test_tables_of_a_point_in_the_game(home: Path) -> None:
    at = msgspec.json.decode(_run(home, "replay", "done", "--at", "5", "--json"), type=TableAnswer)
    assert at.n == 6
    turn = msgspec.json.decode(
        _run(home, "replay", "done", "--turn", "3", "--json"), type=TableAnswer
    )
    assert (turn.turn, turn.tableau, turn.phase) == (3, (), "draw")
    for wrong in (["--at", "9999"], ["--turn", "0"], ["--at", "1", "--turn", "1"]):
        _run(home, "replay", "done", *wrong, code=2)


def test_as_a_player_without_the_seed(home: Path) -> None:
    for extra in ([], ["--json"]):
        text = _run(home, "replay", "going", "--as", "1", *extra).decode()
        assert "look" not in text.replace("tenlog look", "")
    _run(home, "replay", "going", "--as", "7", code=2)


def test_a_fault_is_told_and_the_story_up_to_it(home: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.jsonl"
    lines = (home / "games" / "done.jsonl").read_bytes().split(b"\n")
    lines[20] = lines[20].replace(b'"seat":', b'"seat": ')
    bad.write_bytes(b"\n".join(lines))
    done = run_cli("replay", bad)
    assert done.returncode == 1
    assert b"Turn 2" in done.stdout
    assert b"The end" not in done.stdout
    assert b"line 21 (event 20)" in done.stderr
    assert run_cli("show", bad).returncode == 1


def test_a_torn_tail_is_reported_and_ignored(home: Path, tmp_path: Path) -> None:
    torn = tmp_path / "torn.jsonl"
    torn.write_bytes((home / "games" / "going.jsonl").read_bytes() + b'{"n":77,"ev"')
    done = run_cli("replay", torn)
    assert done.returncode == 0
    assert b"12 bytes that were never committed" in done.stderr


def test_following_a_game_that_is_played(home: Path, tmp_path: Path) -> None:
    path = tmp_path / "f.jsonl"
    path.write_bytes((home / "games" / "going.jsonl").read_bytes())
    env = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'cli'}"}
    follower = subprocess.Popen(
        [sys.executable, "-m", "tenlog", "replay", "--follow", str(path)],
        stdout=subprocess.PIPE, env=env, bufsize=0,  # so that the first line is all that is read
    )  # fmt: skip
    assert follower.stdout is not None
    first = follower.stdout.readline()
    assert first.startswith(b"TEN")
    with resume_session(path) as session:
        for i, _ in enumerate(session.bots_move()):
            if i % 40 == 0:
                time.sleep(0.1)
    rest = follower.communicate(timeout=60)[0]
    assert follower.returncode == 0
    assert b"The end" in rest
    alone = run_cli("replay", path).stdout
    # Bids and draws may be told in more pieces when the game is watched while it grows.
    assert (first + rest).count(b"Turn ") == alone.count(b"Turn ")


def test_steps(home: Path) -> None:
    terminal = Terminal("replay", "--step", "--plain", "done", home=home)
    for typed, at in (("", 0), ("\r", 1), ("40\r", 40), ("b\r", 39), ("0\r", 0)):
        terminal.type(typed)
        terminal.until(rf"\n{at}/\d+> ")
    terminal.type("a\r")
    terminal.until(r"\n\d+/\d+> ")
    terminal.type("t\r")
    terminal.until(r"auction +\S+ \([^)]+\) +no bid yet")
    terminal.type("q\r")
    assert terminal.finish() == 0


def test_colours_only_where_they_are_wanted(home: Path) -> None:
    coloured = Terminal("show", "done", home=home)
    assert coloured.finish() == 0
    assert "\x1b[1;38;5;" in coloured.raw
    plain = Terminal("show", "done", home=home, NO_COLOR="1")
    assert plain.finish() == 0
    assert "\x1b[" not in plain.raw
    assert plain.text == coloured.text
    dumb = Terminal("show", "done", home=home, TERM="dumb")
    assert dumb.finish() == 0
    assert "\x1b[" not in dumb.raw


def test_head_ends_quietly(home: Path) -> None:
    env = {
        **os.environ,
        "TENLOG_HOME": str(home),
        "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'cli'}",
    }
    for command in ("replay done", "replay done --json", "rules"):
        done = subprocess.run(
            ["bash", "-c", f"{sys.executable} -m tenlog {command} | head -n 1"],
            capture_output=True, env=env, check=False,
        )  # fmt: skip
        assert done.stderr == b"", command
        assert done.stdout.count(b"\n") == 1


def test_demo(home: Path, tmp_path: Path) -> None:
    log = tmp_path / "d.jsonl"
    done = _run(home, "demo", "--seed", "5", "--players", "3", "--log", str(log), "--json")
    answer = msgspec.json.decode(done, type=DemoAnswer)
    assert [check.what for check in answer.verified] == ["lines", "deck", "rules", "table", "bots"]
    assert read_one(log).finished
    _run(home, "demo", "--players", "6", code=2)


def test_demos_are_kept_out_of_the_way(tmp_path: Path) -> None:
    """Also one that was interrupted: neither listed nor gone on with, but found by its id."""
    env = {"TENLOG_HOME": str(tmp_path)}
    run_cli("demo", "-q", "--game", "whole", env=env)
    log = tmp_path / "demos" / "whole.jsonl"
    (tmp_path / "demos" / "cut.jsonl").write_bytes(b"".join(log.read_bytes().splitlines(True)[:9]))
    assert run_cli("ls", "--json", env=env).stdout == b"[]\n"
    assert b"no game is in progress" in run_cli("show", env=env).stderr
    assert run_cli("replay", "whole", env=env).returncode == 0
    assert run_cli("branch", "cut", "--at", "5", "--person", "0", env=env).returncode == 0
    assert msgspec.json.decode(run_cli("show", "--json", env=env).stdout)["game"] == "whole-at5"


def test_a_game_is_judged_and_kept_by_its_id(tmp_path: Path) -> None:
    env = {"TENLOG_HOME": str(tmp_path)}
    run_cli("demo", "-q", "--game", "mine", env=env)
    done = run_cli("audit", "-v", "mine", env=env)
    assert (done.returncode, done.stdout[:5]) == (0, b"clean")
    assert run_cli("archive", "add", "mine", env=env).stdout.startswith(b"1 game added")
    missing = run_cli("audit", "none", env=env)
    assert (missing.returncode, b"none" in missing.stderr) == (3, True)


def test_the_picture_is_what_the_program_shows(tmp_path: Path) -> None:
    """fixtures/demo.svg, made by: tenlog demo --seed 42 --game demo --svg fixtures/demo.svg"""
    picture = tmp_path / "demo.svg"
    env = {"HOME": str(tmp_path), "TENLOG_HOME": "", "PYTHONIOENCODING": "utf-8"}
    done = run_cli("demo", "--seed", "42", "--game", "demo", "--svg", picture, env=env)
    assert done.returncode == 0, done.stderr
    assert picture.read_bytes() == (ROOT / "fixtures" / "demo.svg").read_bytes()


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("tenlog sho", {"show"}),
        ("tenlog show d", {"done"}),
        ("tenlog replay ", {"done", "going"}),
        ("tenlog new --bot gr", {"greedy"}),
        ("tenlog take n", {"numbers"}),
    ],
)
def test_completion(home: Path, typed: str, found: set[str]) -> None:
    env = {
        "TENLOG_HOME": str(home), "_TENLOG_COMPLETE": "complete_bash", "COMP_WORDS": typed,
        "COMP_CWORD": str(len(typed.split(" ")) - 1),
    }  # fmt: skip
    assert set(run_cli(env=env).stdout.decode().split()) == found


def test_completion_of_cards_that_may_be_bought(tmp_path: Path) -> None:
    path = tmp_path / "games" / "b.jsonl"
    to_a_buy(path)
    state = replay(read_one(path)).state
    assert state is not None
    env = {
        "TENLOG_HOME": str(tmp_path), "_TENLOG_COMPLETE": "complete_bash",
        "COMP_WORDS": "tenlog buy ", "COMP_CWORD": "2",
    }  # fmt: skip
    completed = run_cli(env=env).stdout.decode().split()
    assert completed == [CARDS[kind] for kind in options(state).buys]


LIGHT = (
    ["--help"], ["show", "going"], ["legal", "going"], ["odds", "going"], ["replay", "done"],
    ["ls"], ["rules", "4.3"], ["demo", "-q"], ["new", "-q"], ["draw", "-q", "fresh"],
)  # fmt: skip


@pytest.mark.parametrize("command", LIGHT, ids=lambda command: command[0])
def test_nobody_loads_what_they_do_not_need(home: Path, command: list[str], tmp_path: Path) -> None:
    target = home if command[-1] in ("going", "done") else tmp_path
    if command[-1] == "fresh":
        run_cli("new", "-q", "--game", "fresh", "--seed", "1", env={"TENLOG_HOME": str(tmp_path)})
    env = {
        **os.environ, "TENLOG_HOME": str(target),
        "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'cli'}", "COLUMNS": "80",
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "tenlog", *command],
        capture_output=True, env=env, check=False, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-500:]
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "tenlog.errors" in loaded
    heavy = {"duckdb", "textual", "cryptography", "jinja2", "multiprocessing", "pandas", "rich"}
    assert not loaded & heavy


def test_every_command_stands_in_the_list() -> None:
    listed = (ROOT / "tenlog" / "docs" / "commands.md").read_text(encoding="utf-8")
    for name, (_, _, text, _) in COMMANDS.items():
        assert f"| `tenlog {name}` | {text} |" in listed


def test_a_game_that_goes_on_as_another_is_left(tmp_path: Path) -> None:
    """Taking a decision back goes on in a branch: ls says so, and show means the branch."""
    home = {"TENLOG_HOME": str(tmp_path)}
    run_cli("new", "--player", "Ann", "--alone", "--seed", "1", "--game", "old", env=home)
    with resume_session(tmp_path / "games" / "old.jsonl") as session:
        while isinstance(move := legal(session.state)[-1], Draw):
            session.do(move)
        session.do(move)
        undo(session).close()
    rows = {
        row["game"]: row for row in msgspec.json.decode(run_cli("ls", "--json", env=home).stdout)
    }
    (young,) = rows.keys() - {"old"}
    assert (rows["old"]["state"], rows["old"]["goes_on_as"]) == ("left", young)
    assert rows[young]["state"] == "playing"
    assert f"goes on as {young}".encode() in run_cli("ls", env=home).stdout
    assert msgspec.json.decode(run_cli("show", "--json", env=home).stdout)["game"] == young


def test_a_branch_leaves_its_parent_the_game_that_is_played(tmp_path: Path) -> None:
    home = {"TENLOG_HOME": str(tmp_path)}
    for args in (
        ("new", "--player", "Ann", "--player", "Bob", "--seed", "left", "--game", "old"),
        ("draw", "old"),
        ("branch", "old", "--at", "2", "--id", "young"),
    ):
        done = run_cli(*args, env=home)
        assert done.returncode == 0, done.stderr
    rows = msgspec.json.decode(run_cli("ls", "--json", env=home).stdout)
    assert {row["game"]: row["state"] for row in rows} == {"old": "playing", "young": "playing"}

    def latest() -> str:
        answer = msgspec.json.decode(run_cli("show", "--json", env=home).stdout)
        return str(answer["game"])

    assert latest() == "old"
    assert run_cli("take", "numbers", "young", env=home).returncode == 0
    assert latest() == "young"
    (tmp_path / "games" / "old.jsonl").unlink()
    run_cli("branch", "young", "--at", "2", env=home)
    (tmp_path / "games" / "young.jsonl").unlink()
    assert latest() == "young-at2", "there is no other"
