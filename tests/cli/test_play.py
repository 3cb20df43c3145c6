"""``tenlog play`` on a real terminal: played, left, killed, resumed, finished, replayed."""

from __future__ import annotations

import re
import signal
from pathlib import Path

import pytest
from rich.cells import cell_len

from tenlog.bots.registry import make_bot
from tenlog.bots.stream import Stream, stream_key
from tenlog.game.commands import Command, Decline, Draw, Pass, TakeCurrency, TakeNumbers
from tenlog.game.decide import Deck, advance
from tenlog.game.events import Event
from tenlog.game.legal import options
from tenlog.game.state import OVER, start_state
from tenlog.game.view import View
from tenlog.log.codec import encode_events
from tenlog.log.read import read_one
from tenlog.log.replay import replay_strictly
from tenlog.play.session import start_event
from tests.cli.terminal import ESCAPES, Terminal
from tests.support import run_cli

PROMPT = "Ann> "
GAME = (
    "play", "--player", "Ann", "--bot", "random", "--seed", "pty", "--game", "g", "--speed", "none",
    "--plain",
)  # fmt: skip


_HINT = re.compile(r"^  (\S|b N|b CARD) +(?:draw|take|bid|pass|buy|decline)\b", re.MULTILINE)


def _answer(seen: str) -> str:
    """What Ann types, from the hints that she sees: stop at once, bid nothing, buy nothing."""
    keys = _HINT.findall(ESCAPES.sub("", seen).replace("\r", ""))
    return next((typed for key, typed in _TYPED if key in keys), "nothing fits")


_TYPED = (("n", "n"), ("c", "take cur"), ("p", "pa"), ("x", "x"), ("d", "d"))


def _unbroken(names: list[str], seed: str) -> list[Event]:
    """The same game in memory, with Ann's decisions and the bot's."""
    start = start_event(names, seed, game="g")
    state = start_state(start)
    deck = Deck(state.rules, seed)
    bot = make_bot("random")
    events: list[Event] = [start]
    while state.phase is not OVER:
        seat = state.to_act
        command: Command
        if seat == 0:
            may = options(state)
            if may.take_numbers:
                command = TakeNumbers(0)
            elif may.take_currency:
                command = TakeCurrency(0)
            elif may.passing:
                command = Pass(0)
            elif may.decline:
                command = Decline(0)
            else:
                command = Draw(0)
        else:
            command = bot.decide(View(state), Stream(stream_key(seed, seat), state.n))
        advance(state, command, deck, events)
    return events


def _play_on(terminal: Terminal, prompts: int) -> bool:
    """Answer some prompts; whether the game came to its end."""
    for _ in range(prompts):
        found, seen = terminal.until(PROMPT, "A rematch,[^>]*> ")
        if found == 1:
            terminal.type("n\r")
            return True
        terminal.type(_answer(seen) + "\r")
    return False


@pytest.mark.parametrize("columns", [80, 40])
def test_left_resumed_finished_and_the_same_bytes(tmp_path: Path, columns: int) -> None:
    terminal = Terminal(*GAME, home=tmp_path, columns=columns)
    path = tmp_path / "games" / "g.jsonl"
    everything = ""
    leave = ["\x03", "\x04", "q\r", "kill"]
    while True:
        if _play_on(terminal, 9 if leave else 1000):
            assert terminal.finish() == 0
            everything += terminal.text
            break
        terminal.until(PROMPT)
        how = leave.pop(0)
        if how == "kill":
            terminal.child.kill(signal.SIGKILL)
            assert terminal.finish() == -signal.SIGKILL
        else:
            terminal.type(how)
            assert terminal.finish() == 0
            assert "tenlog resume g" in terminal.text.replace("\n", " ")
        everything += terminal.text
        terminal = Terminal("resume", "--plain", "--speed", "none", home=tmp_path, columns=columns)
    assert not leave
    log = read_one(path)
    assert log.finished
    assert encode_events(log.events) == encode_events(_unbroken(["Ann", "random"], "pty"))
    assert replay_strictly(log, path).fault is None
    wide = {line for line in everything.split("\n") if cell_len(line) > columns}
    assert all(line.startswith("log: ") for line in wide), "only paths are not folded"
    again = run_cli("replay", "g", env={"TENLOG_HOME": str(tmp_path)})
    assert again.returncode == 0
    assert "The end" in again.stdout.decode()


def test_no_options_seat_three_greedy_bots(tmp_path: Path) -> None:
    terminal = Terminal("play", "--plain", "--speed", "none", home=tmp_path)
    terminal.until("Guest> ")
    assert "0 Guest (you), 1 greedy 1, 2 greedy 2, 3 greedy 3" in terminal.text
    log = read_one(next((tmp_path / "games").glob("*.jsonl")))
    start = log.start
    assert start is not None
    assert start.seed is not None
    assert start.seed in terminal.text
    assert log.bots == (None, "greedy", "greedy", "greedy")
    terminal.type("\x04")
    assert terminal.finish() == 0


def test_two_people_at_one_keyboard_and_a_sealed_deck(tmp_path: Path) -> None:
    terminal = Terminal(
        "play", "--player", "Ann", "--player", "Bo", "--seed", "9", "--sealed",
        "--game", "s", "--plain",
        home=tmp_path,
    )  # fmt: skip
    terminal.until("Ann> ")
    assert "the seed is not told" in terminal.text
    for typed in ("d\r", "d\r", "d\r", "d\r", "d\r", "d\r"):
        terminal.type(typed)
        found, _ = terminal.until("Ann> ", "Bo> ")
        if found == 1:
            break
    else:
        pytest.fail("Bo was never asked")
    terminal.type("\x04")
    assert terminal.finish() == 0
    assert b'"seed":"9"' not in (tmp_path / "games" / "s.jsonl").read_bytes()
    assert (tmp_path / "games" / "s.jsonl.seed").read_text() == "9\n"


def test_asking_and_mistyping_change_nothing(tmp_path: Path) -> None:
    terminal = Terminal(*GAME, home=tmp_path)
    terminal.until(PROMPT)
    before = (tmp_path / "games" / "g.jsonl").read_bytes()
    for typed, answer in (
        ("?", "You may now"),
        ("o", "busts by numbers"),
        ("l", "draw"),
        ("s", "market"),
        ("h", ""),
        ("r 4.3", "10 is safe"),
        ("r nonsense", "no section"),
        ("frobnicate", "none of draw or numbers or currency"),
        ("n", "no number card in the tableau"),
        ("buy R4", "can't buy now"),
        ("bid 3 R4", "can't bid now: Ann (seat 0) is to draw"),
        ("", "draw"),
        ("\x1b[A\x1b[A", ""),
    ):
        terminal.type(typed + "\r")
        _, seen = terminal.until(PROMPT)
        assert answer in " ".join(ESCAPES.sub("", seen).split()), typed
    assert (tmp_path / "games" / "g.jsonl").read_bytes() == before
    terminal.type("\x03")
    assert terminal.finish() == 0


def test_an_auction_at_a_narrow_prompt(tmp_path: Path) -> None:
    """What is bid for, what it is, and who has bid: also where that takes two lines."""
    done = run_cli(
        "play", "--player", "Ann", "--bot", "greedy", "--bot", "greedy", "--bot", "greedy",
        "--seed", "b1", "--plain", "--hints",
        stdin="d\nd\nn\nx\nb 3\np\n", env={"TENLOG_HOME": str(tmp_path), "COLUMNS": "40"},
    )  # fmt: skip
    text = done.stdout.decode()
    assert "auction  W1 (1 of any colour)   1 bid by\n         greedy 2\nyours" in text
    assert "p  pass  a bid must be at least 11\n           now, you have 4\n" in text
    assert "x  decline  the market is empty" in text


def test_tab_completes(tmp_path: Path) -> None:
    terminal = Terminal(*GAME, home=tmp_path)
    terminal.until(PROMPT)
    terminal.type("dr\t")
    terminal.until("draw ")
    terminal.type("\r")
    terminal.until("draws ")
    terminal.until(PROMPT)
    terminal.type("\x04")
    assert terminal.finish() == 0


def test_from_a_pipe_without_escapes(tmp_path: Path) -> None:
    done = run_cli(*GAME, stdin="d\nfoo\n\xff\n", env={"TENLOG_HOME": str(tmp_path)})
    assert done.returncode == 0
    assert b"\x1b" not in done.stdout + done.stderr
    assert b"Ann> d" in done.stdout
    assert b"tenlog resume g" in done.stdout


def test_a_second_player_of_the_same_log_is_refused(tmp_path: Path) -> None:
    terminal = Terminal(*GAME, home=tmp_path)
    terminal.until(PROMPT)
    other = run_cli("resume", "g", env={"TENLOG_HOME": str(tmp_path)})
    assert other.returncode == 3
    assert b"g.jsonl is being written by another tenlog" in other.stderr
    assert run_cli("show", "g", env={"TENLOG_HOME": str(tmp_path)}).returncode == 0
    terminal.type("\x04")
    terminal.finish()


NASTY = [
    "a\u202eb\u2066",
    "\u05d0\u05d1\u05d2 \u0639\u0631\u0628",
    "👩‍🚀🎲",
    "é" * 64,
    "a\u0301\u0302",
]


@pytest.mark.parametrize("columns", [80, 40])
def test_names_do_no_harm(tmp_path: Path, columns: int) -> None:
    seats = [word for name in NASTY for word in ("--player", name)]
    env = {"TENLOG_HOME": str(tmp_path), "COLUMNS": str(columns), "PYTHONIOENCODING": "utf-8"}
    made = run_cli("new", *seats, "--game", "n", "--seed", "1", "--log", "n.jsonl",
                   env=env, cwd=tmp_path)  # fmt: skip
    assert made.returncode == 0, made.stderr
    for command in (["show"], ["replay", "--as", "0"]):
        done = run_cli(*command, "n.jsonl", env=env, cwd=tmp_path)
        text = done.stdout.decode()
        assert done.returncode == 0
        assert not set(text) & set("\u202e\u2066\x1b\u200d")
        assert [line for line in text.splitlines() if cell_len(line) > columns] == []
    plain = run_cli("show", "n.jsonl", env={**env, "PYTHONIOENCODING": "ascii"}, cwd=tmp_path)
    assert plain.returncode == 0
    assert plain.stdout.isascii()


def test_names_that_a_log_may_not_have(tmp_path: Path) -> None:
    for name in ("a\x1b[31mb", "x" * 65):
        done = run_cli("new", "--player", name, env={"TENLOG_HOME": str(tmp_path)})
        assert done.returncode == 2
        assert b"\x1b" not in done.stderr
        assert done.stderr.count(b"\n") == 1
