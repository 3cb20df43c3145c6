"""The command as people see it: on a terminal, narrow, without colours, interrupted."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from rich.cells import cell_len

from tenlog.log.store import encode_game
from tests.audit.make_broken import FOLDER
from tests.cli.terminal import ESCAPES, Terminal
from tests.laws.games import odd_game, small_ruleset
from tests.support import play_game, run_cli

GAMES = [
    encode_game(odd_game(str(i), 3, small_ruleset(), choices=i, game=f"g{i}")) for i in range(6)
]
BROKEN = GAMES[3].replace(b'"seat":0', b'"seat":1', 1)


def test_a_bar_on_a_terminal_and_no_trace_of_it(tmp_path: Path) -> None:
    path = tmp_path / "big.jsonl"
    good = encode_game(play_game("s", 4)[0]) * 300
    path.write_bytes(good + BROKEN + good + good)
    terminal = Terminal("audit", str(path), home=tmp_path)
    assert terminal.finish() == 1
    assert "#" in terminal.text
    assert "games" in terminal.text
    shown = [line for line in terminal.shown if line]
    assert not any("###" in line for line in shown)
    assert shown[0].startswith("faulty")
    assert shown[-1].startswith("901 games in 1 file")
    quiet = Terminal("audit", "-q", str(path), home=tmp_path)
    assert quiet.finish() == 1
    assert quiet.text == ""
    dumb = Terminal("audit", str(path), home=tmp_path, TERM="dumb")
    assert dumb.finish() == 1
    assert "\x1b" not in dumb.raw
    assert "#" not in dumb.text


@pytest.mark.parametrize("columns", [80, 40])
def test_nothing_is_wider_than_the_terminal(tmp_path: Path, columns: int) -> None:
    terminal = Terminal("audit", str(FOLDER), "-v", "--all", home=tmp_path, columns=columns)
    assert terminal.finish() == 1
    for line in re.split(r"[\r\n]", ESCAPES.sub("", terminal.raw)):
        assert cell_len(line) <= columns, line


def test_the_table_at_a_fault(tmp_path: Path) -> None:
    path = FOLDER / "gains-beyond-ten.jsonl"
    done = run_cli("audit", path, "--explain")
    assert done.returncode == 1
    text = done.stdout.decode()
    assert "wrong-gains (RULES 5.3)" in text
    assert "market" in text
    assert "tableau" in text
    assert max(map(cell_len, text.splitlines())) <= 80
    plain = run_cli("audit", path, "--explain", env={"PYTHONIOENCODING": "ascii"})
    plain.stdout.decode("ascii")
    # A start that is wrong has no table.
    first = run_cli("audit", FOLDER / "newer-format.jsonl", "--explain")
    assert "tableau" not in first.stdout.decode()


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("gains-beyond-ten", "the gains of p0, p1, p2 must be 5 0 3, not 5 0 5"),
        ("bid-beyond-means", "p1 (seat 1) can pay 5 at most, not 99"),
        ("drawer-bids-first", "it is the turn of p2 (seat 2)"),
        ("auction-won-by-another", "the seat must be p1 (seat 1), not p2 (seat 2)"),
        ("winner-by-nobody", "the winners must be p2 (seat 2), not none"),
        ("wrong-seat-draws", "p1 (seat 1) can't draw now"),
    ],
)
def test_people_are_called_by_name(name: str, told: str) -> None:
    done = run_cli("audit", FOLDER / f"{name}.jsonl")
    assert told in " ".join(done.stdout.decode().split())


def test_a_log_can_not_steer_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(GAMES[0].replace(b'"type":"CardDrawn"', '"type":"\x1b[2J\u202e"'.encode(), 1))
    for args in ([], ["--all"], ["--explain"], ["--json"]):
        done = run_cli("audit", path, *args)
        assert done.returncode == 1
        assert b"\x1b" not in done.stdout + done.stderr
        if args != ["--json"]:
            assert "\u202e" not in done.stdout.decode()


def test_no_colour(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(BROKEN)
    coloured = Terminal("audit", str(path), home=tmp_path)
    assert coloured.finish() == 1
    assert "\x1b[1;35mfaulty" in coloured.raw
    plain = Terminal("audit", str(path), home=tmp_path, NO_COLOR="1")
    assert plain.finish() == 1
    assert "[1;35m" not in plain.raw


def test_interrupted(tmp_path: Path) -> None:
    """Ctrl-C ends it at once, with all of its processes."""
    good = encode_game(play_game("s", 4)[0]) * 400
    for i in range(8):
        (tmp_path / f"{i}.jsonl").write_bytes(good)
    terminal = Terminal("audit", str(tmp_path), "--jobs", "2", home=tmp_path)
    terminal.until("games")
    began = time.monotonic()
    terminal.child.sendintr()
    assert terminal.finish() != 0
    assert time.monotonic() - began < 20
    assert "Traceback" not in terminal.text


def test_what_is_absent_is_no_game_that_was_seen(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(GAMES[0])
    done = run_cli("audit", "a.jsonl", "--expect", "zz=" + "0" * 32, cwd=tmp_path)
    assert done.returncode == 1
    lines = done.stdout.decode().splitlines()
    assert lines[0].split() == ["faulty", "zz"]
    assert lines[1].split() == ["seal-absent", "(AUDIT", "5)"]
    events = GAMES[0].count(b"\n")
    said = " ".join(lines[3:])
    assert f"1 game in 1 file, {events} events: 1 clean; 1 game absent; 1 by a ruleset" in said


def test_words_of_the_summary(tmp_path: Path) -> None:
    sealed = encode_game(odd_game("7", 3, small_ruleset(), sealed=True, game="secret"))
    path = tmp_path / "a.jsonl"
    path.write_bytes(GAMES[0] + GAMES[1] + GAMES[2][:-9])
    done = run_cli("audit", "a.jsonl", "-v", cwd=tmp_path)
    assert done.returncode == 0
    lines = done.stdout.decode().splitlines()
    count = str(GAMES[0].count(b"\n"))
    assert lines[0].split()[:6] == ["clean", "a.jsonl", "g0", count, "events,", "small,"]
    last = next(n for n, line in enumerate(lines) if line.startswith("3 games in 1 file, "))
    said = " events: 2 clean, 1 torn; 2 by rulesets of their own: small"
    assert " ".join(lines[last:]).endswith(said)
    path.write_bytes(sealed)
    for args, words in (
        (["--seals-only"], "seals only, no event was judged"),
        (["--no-seed"], "draws were not held against the seed"),
    ):
        assert words in run_cli("audit", path, *args).stdout.decode().replace("\n", " ")
