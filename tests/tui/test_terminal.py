"""The real command in a real terminal (tmux): full screen, and the plain lines instead of it."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from tenlog.log.read import read_one
from tenlog.log.replay import replay
from tests.support import run_cli
from tests.tui.stage import SMALL_TOML, Job, Terminal


def the_log(home: Path) -> Path:
    """The only log of a home."""
    (found,) = (home / "games").glob("*.jsonl")
    return found


def asked(screen: str) -> bool:
    """Whether Ann may decide, or the game is over."""
    return "Ann: " in screen or (" leave" in screen and "rematch" in screen)


def play_on(terminal: Terminal, most: int = 60, until: str = "rematch") -> str:
    """Decide always the same way until something is shown: stop early, pass, buy nothing."""
    for _ in range(most):
        screen = terminal.wait(asked)
        if until in screen:
            return screen
        if "Ann: bid" in screen:
            terminal.keys("p")
        elif "Ann: buy" in screen:
            terminal.keys("x")
        elif "n take numbers" in screen:
            terminal.keys("n")
        elif "c take currency" in screen:
            terminal.keys("c")
        else:
            terminal.keys("d")
        before = screen
        terminal.wait(lambda now, before=before: now != before)  # type: ignore[misc]
    raise AssertionError(f"no end in sight:\n{terminal.screen()}")


def fits(screen: str, columns: int, lines: int) -> None:
    """Nothing wider or higher than the window; what to press is at the bottom."""
    shown = screen.rstrip("\n").split("\n")
    assert len(shown) <= lines
    assert max(map(len, shown)) <= columns
    assert "q leave" in shown[-1]


@pytest.mark.parametrize(("columns", "lines"), [(80, 24), (40, 20), (200, 60)])
def test_a_whole_game(tmp_path: Path, columns: int, lines: int) -> None:
    home = tmp_path / "home"
    rules = tmp_path / "small.toml"
    rules.write_text(SMALL_TOML)
    args = ("play", "--player", "Ann", "--bot", "cautious", "--rules", str(rules), "--seed", "1")
    with Terminal(home, columns, lines, *args, "--speed", "0") as terminal:
        terminal.wait("Ann: draw")
        screen = terminal.wait("q leave")
        fits(screen, columns, lines)
        for word in ("market", "tableau", "Ann", "TEN", "cautious"):
            assert word in screen
        # Quit in the middle …
        terminal.keys("d")
        terminal.wait("1 of 12" if columns >= 60 else "11 left")
        terminal.keys("q")
        screen = terminal.wait("left with 0")
        assert "tenlog resume" in screen
    assert not read_one(the_log(home)).finished
    with Terminal(home, columns, lines, "resume", "--speed", "0") as terminal:
        assert the_log(home).stem in terminal.wait("goes on.")  # which game it is, at any width
        fits(play_on(terminal), columns, lines)
        screen = terminal.screen()
        assert "winner" in screen
        terminal.wait("on average")
        terminal.keys("q")
        screen = terminal.wait("left with 0")
        assert "points" in screen
    game = read_one(the_log(home))
    assert game.finished
    assert replay(game).fault is None
    assert (home / "archive" / "catalogue.json").is_file()


def _drawn(screen: str, lines: int) -> bool:
    """Whether a game is drawn to the end on a screen of so many lines, which it is piece by piece
    once the window has another size."""
    bottom = screen.rstrip("\n").rsplit("\n", 1)[-1]
    return screen.count("\n") == lines and "q leave" in bottom and "Guest: draw" in screen


def test_resized_during_a_game_and_left_with_ctrl_c(tmp_path: Path) -> None:
    with Terminal(tmp_path, 80, 24, "play", "--seed", "5", "--speed", "0") as terminal:
        terminal.wait("Guest: draw")
        for columns, lines in ((40, 20), (120, 40), (80, 24)):
            terminal.resize(columns, lines)
            fits(terminal.wait(partial(_drawn, lines=lines)), columns, lines)
        terminal.keys("C-c")
        assert "tenlog resume" in terminal.wait("left with 0")


def test_ctrl_z_gives_the_terminal_back_until_fg(tmp_path: Path) -> None:
    with Job(tmp_path, 80, 24, "play", "--seed", "5", "--speed", "0") as terminal:
        terminal.wait("Guest: draw")
        terminal.keys("C-z")
        screen = terminal.wait("stopped with 148")  # 128 and the number of SIGTSTP
        assert "Guest: draw" not in screen
        terminal.resize(90, 30)
        terminal.keys("Enter")
        fits(terminal.wait(partial(_drawn, lines=30)), 90, 30)
        terminal.keys("d")
        terminal.wait("128 of 129")
        terminal.keys("q")
        assert "tenlog resume" in terminal.wait("left with 0")


def test_ctrl_z_without_a_shell_to_come_back_from_stops_nothing(tmp_path: Path) -> None:
    with Terminal(tmp_path, 80, 24, "play", "--seed", "5", "--speed", "0") as terminal:
        terminal.wait("Guest: draw")
        terminal.keys("C-z")
        terminal.keys("d")
        terminal.wait("128 of 129")
        terminal.keys("q")
        terminal.wait("left with 0")


def test_sigterm_gives_the_terminal_back(tmp_path: Path) -> None:
    with Terminal(tmp_path, 80, 24, "play", "--seed", "5", "--speed", "0") as terminal:
        terminal.wait("Guest: draw")
        terminal.terminate()
        screen = terminal.wait("left with 143")
        assert "tenlog resume" in screen
        assert "Guest: draw" not in screen


def test_sigterm_ends_a_replay_too(tmp_path: Path) -> None:
    log = tmp_path / "d.jsonl"
    run_cli("demo", "--seed", "3", "--log", log, "-q", env={"TENLOG_HOME": str(tmp_path)})
    with Terminal(tmp_path, 80, 24, "replay", str(log), "--step") as terminal:
        terminal.wait("event 0 of")
        terminal.terminate()
        assert "event 0 of" not in terminal.wait("left with 143")


def test_rematch_has_the_next_seed(tmp_path: Path) -> None:
    rules = tmp_path / "small.toml"
    rules.write_text(SMALL_TOML)
    home = tmp_path / "home"
    args = ("play", "--player", "Ann", "--bot", "cautious", "--rules", str(rules), "--seed", "x")
    with Terminal(home, 80, 24, *args, "--speed", "0", "--no-archive") as terminal:
        play_on(terminal)
        terminal.keys("r")
        terminal.wait("New game")
        terminal.keys("C-d")
        terminal.wait("left with 0")
    seeds = set()
    for path in (home / "games").glob("*.jsonl"):
        start = read_one(path).start
        assert start is not None
        seeds.add(start.seed)
    assert seeds == {"x", "x/2"}
    assert not (home / "archive").exists()


def test_a_log_that_was_replaced_ends_the_full_screen(tmp_path: Path) -> None:
    with Terminal(tmp_path, 80, 24, "play", "--seed", "5", "--speed", "0") as terminal:
        terminal.wait("Guest: draw")
        path = the_log(tmp_path)
        data = path.read_bytes()
        path.unlink()
        path.write_bytes(data)
        terminal.keys("d")
        screen = terminal.wait("left with 3")
        assert "tenlog: " in screen
        assert "Traceback" not in screen


@pytest.mark.parametrize(
    ("args", "env"), [(("--plain",), {}), ((), {"TERM": "dumb"}), ((), {"TENLOG_PLAIN": "1"})]
)
def test_plain_lines_on_a_terminal(
    tmp_path: Path, args: tuple[str, ...], env: dict[str, str]
) -> None:
    with Terminal(tmp_path, 80, 24, "play", "--seed", "5", *args, **env) as terminal:
        terminal.wait("Guest>")
        terminal.keys("q", "Enter")
        screen = terminal.wait("left with 0")
        assert "Type ? for help" in screen  # plain lines stay where they were written


def test_plain_lines_in_a_pipe(tmp_path: Path) -> None:
    found = run_cli("play", "--seed", "5", stdin="h\n?\nd\nq\n", env={"TENLOG_HOME": str(tmp_path)})
    text = found.stdout.decode()
    assert found.returncode == 0
    assert "\x1b" not in text
    assert "can't bust" in text  # hints are on in a first game
    assert "hints are off" in text
    assert "Rule 4.1" in text
    assert "tenlog resume" in text


def test_steps_in_a_pipe(tmp_path: Path) -> None:
    log = tmp_path / "g.jsonl"
    env = {"TENLOG_HOME": str(tmp_path)}
    run_cli("demo", "--seed", "3", "--log", log, env=env)
    found = run_cli("replay", log, "--step", stdin="\nb\na\nn\n40\nt\nzz\nq\n", env=env)
    text = found.stdout.decode()
    assert found.returncode == 0
    assert "0/" in text
    assert "40 · turn" in text
    assert "market" in text


def test_steps_in_full_screen(tmp_path: Path) -> None:
    log = tmp_path / "g.jsonl"
    run_cli("demo", "--seed", "3", "--log", log, env={"TENLOG_HOME": str(tmp_path)})
    with Terminal(tmp_path, 80, 24, "replay", str(log), "--step") as terminal:
        fits(terminal.wait("event 0 of"), 80, 24)
        terminal.keys("Right")
        terminal.wait("event 1 of")
        terminal.keys("g", "4", "0", "Enter")
        terminal.wait("event 40 of")
        terminal.keys("q")
        terminal.wait("left with 0")
