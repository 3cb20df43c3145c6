"""Protocols, documents, tables, and lines through the command line."""

from __future__ import annotations

import csv
import io
import json
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest

from tenlog.game.events import GameFinished, GameStarted
from tenlog.log.codec import encode_events
from tenlog.log.read import read_games, read_one
from tenlog.log.replay import replay_strictly
from tenlog.log.store import encode_game
from tenlog.notation import read_line, write_line
from tenlog.protocol import CSV_COLUMNS, document, text_protocol
from tests.referee.referee import judge
from tests.support import ROOT, play_game, run_cli

GOLDEN = ROOT / "fixtures" / "golden"
SHARE = ROOT / "fixtures" / "share"
NAMES = sorted(path.stem for path in GOLDEN.glob("*.jsonl"))


@pytest.mark.parametrize("name", NAMES)
def test_golden_protocols(name: str) -> None:
    log = read_one(GOLDEN / f"{name}.jsonl")
    text = text_protocol(log, replay_strictly(log, name))
    assert text == (SHARE / f"{name}.txt").read_text(encoding="utf-8")
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("name", NAMES)
def test_golden_lines(name: str) -> None:
    events = read_one(GOLDEN / f"{name}.jsonl").events
    assert write_line(events) + "\n" == (SHARE / f"{name}.line").read_text(encoding="utf-8")


def test_frozen_lines_mean_what_they_meant() -> None:
    """Digests of the events that lines stood for when they were published. A line that stands here
    never goes; one that no longer gives its digest is a broken promise, not a test to be mended."""
    frozen: dict[str, str] = json.loads((SHARE / "frozen.json").read_text(encoding="utf-8"))
    assert len(frozen) >= 15
    for line, digest in frozen.items():
        assert sha256(encode_events(read_line(line))).hexdigest() == digest


def test_document_holds_the_whole_game() -> None:
    log = read_one(GOLDEN / "house-rules.jsonl")
    found = document(log, replay_strictly(log, ""))
    assert list(found.events) == log.events
    assert found.ruleset.name != "ten/1"
    assert found.seal == log.seal
    said = json.loads(run_cli("export", GOLDEN / "house-rules.jsonl", "--json").stdout)
    assert said == json.loads(msgspec.json.encode(found))
    assert [seat["points"] for seat in said["end"]["seats"]] == said["events"][-1]["scores"]


def test_rows_of_a_table(tmp_path: Path) -> None:
    games = list(read_games(GOLDEN / "5-players.jsonl")) + list(read_games(GOLDEN / "sealed.jsonl"))
    path = tmp_path / "two.jsonl"
    path.write_bytes(b"".join(game.text.data for game in games))
    done = run_cli("export", path, "--csv")
    rows = list(csv.DictReader(io.StringIO(done.stdout.decode())))
    assert tuple(rows[0]) == CSV_COLUMNS
    events = [(game.game, i, event) for game in games for i, event in enumerate(game.events)]
    assert len(rows) == len(events)
    for row, (game, n, event) in zip(rows, events, strict=True):
        assert (row["game"], int(row["n"]), row["type"]) == (game, n, type(event).__name__)
        assert row["card"] == getattr(event, "card", "")
        assert row["gains"] == " ".join(map(str, getattr(event, "gains", ())))
    assert rows[-1]["winners"] != ""
    assert rows[-1]["deck"] == "0"


def test_hostile_names_do_no_harm(tmp_path: Path) -> None:
    events, _ = play_game("h", 3)
    start = events[0]
    assert isinstance(start, GameStarted)
    names = ("=HYPERLINK(1)", '\u202eevil, "quoted"', "長い名前" * 10)
    events[0] = msgspec.structs.replace(start, players=names)
    path = tmp_path / "h.jsonl"
    path.write_bytes(encode_game(events))
    text = run_cli("export", path, "--text").stdout.decode()
    assert "\u202e" not in text
    assert "\\u202e" in text
    assert "seat 2 draws" in text
    rows = list(csv.DictReader(io.StringIO(run_cli("export", path, "--csv").stdout.decode())))
    assert {row["player"] for row in rows} == {"", "'=HYPERLINK(1)", names[1], names[2]}
    line = run_cli("export", path, "--line").stdout.decode()
    assert read_line(line.strip()) == events
    ascii_only = run_cli("export", path, env={"PYTHONIOENCODING": "ascii"})
    assert ascii_only.returncode == 0
    assert ascii_only.stdout.isascii()


def test_there_and_back(tmp_path: Path) -> None:
    """By argument, standard input and file; to standard output and to a file."""
    log = GOLDEN / "4-players.jsonl"
    events = read_one(log).events
    line = run_cli("export", log, "--line").stdout.decode().strip()
    out = tmp_path / "out.jsonl"
    done = run_cli("import", line, "--out", out)
    assert done.returncode == 0
    assert read_one(out).events == events
    assert judge(out.read_bytes())[0].verdict == "clean"
    assert run_cli("import", stdin=line).stdout == out.read_bytes()
    assert run_cli("import", "-", stdin=line + "\r\n").stdout == out.read_bytes()
    file = tmp_path / "post.txt"
    file.write_text("\n".join(line[i : i + 60] for i in range(0, len(line), 60)))
    assert run_cli("import", file).stdout == out.read_bytes()
    other = tmp_path / "other.jsonl"
    assert run_cli("import", line, "--log", other).returncode == 0
    assert other.read_bytes() == out.read_bytes()
    again = run_cli("import", line, "--out", out)
    assert again.returncode == 3
    assert b"is there already" in again.stderr
    assert run_cli("diff", log, out, "--quiet").returncode == 0


def test_games_in_progress_and_many(tmp_path: Path) -> None:
    path = tmp_path / "many.jsonl"
    path.write_bytes(b"".join((GOLDEN / f"{n}.jsonl").read_bytes() for n in ("2-players", "torn")))
    lines = run_cli("export", path, "--line")
    assert len(lines.stdout.splitlines()) == 2
    assert b"never committed" in lines.stderr
    one = run_cli("export", path, "--line", "--game", "torn").stdout
    assert one == lines.stdout.splitlines(keepends=True)[1]
    back = run_cli("import", stdin=lines.stdout, env={})
    assert [game.game for game in read_games(_file(tmp_path, back.stdout))] == ["2-players", "torn"]
    assert run_cli("export", path, "--json").stdout.count(b"\n") == 2


def _file(folder: Path, data: bytes) -> Path:
    path = folder / "back.jsonl"
    path.write_bytes(data)
    return path


def test_a_sealed_game_in_progress_stays_sealed(tmp_path: Path) -> None:
    log = read_one(GOLDEN / "sealed.jsonl")
    path = tmp_path / "s.jsonl"
    path.write_bytes(encode_game(log.events[:90]))
    line = run_cli("export", path, "--line").stdout.decode().strip()
    assert "++" in line
    assert run_cli("import", line, "--out", tmp_path / "o.jsonl").returncode == 0
    assert read_one(tmp_path / "o.jsonl").events == log.events[:90]
    text = run_cli("export", path).stdout.decode()
    assert "sealed until the end" in text
    end = log.events[-1]
    assert isinstance(end, GameFinished)
    assert end.seed not in text
    assert run_cli("resume", tmp_path / "o.jsonl").returncode == 3


def test_faulty_games_are_named_and_left_out(tmp_path: Path) -> None:
    data = (GOLDEN / "2-players.jsonl").read_bytes()
    path = tmp_path / "f.jsonl"
    path.write_bytes(
        data.replace(b'"seat":0', b'"seat":1', 1) + (GOLDEN / "sealed.jsonl").read_bytes()
    )
    done = run_cli("export", path, "--line")
    assert done.returncode == 1
    assert done.stdout.startswith(b"TEN1:sealed:")
    assert b"f.jsonl, line" in done.stderr


def test_broken_lines_say_where() -> None:
    done = run_cli("import", "TEN1:tiny:ten/1:Ada,Bob:42:1x/9:000000")
    assert done.returncode == 1
    assert done.stdout == b""
    assert b"tenlog: character 29: Bob (seat 1) can pay 5 at most" in done.stderr
    assert b"changed or cut" in done.stderr
    two = run_cli("import", stdin="TEN1:tiny:ten/1:Ada,Bob:42:/2:5dae8e\nTEN1:x\n")
    assert two.returncode == 1
    assert b"game 2 of 2" in two.stderr
    assert two.stdout == b""


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["export", GOLDEN / "torn.jsonl", "--line", "--csv"], 2),
        (["export", GOLDEN / "torn.jsonl", "--game", "x"], 2),
        (["export", "none.jsonl"], 3),
        (["import", "none.txt"], 3),
        (["show", GOLDEN / "torn.jsonl", "--game", "x"], 2),
        (["seal", GOLDEN / "torn.jsonl", "--game", "x"], 2),
        (["replay", GOLDEN / "torn.jsonl", "--game", "x"], 2),
        (["import"], 2),
        (["import", ""], 2),
        (["import", "."], 3),
        (["import", "TEN1:tiny:ten/1:Ada,Bob:42:/2:5dae8e", "--out", "/proc/x/y.jsonl"], 3),
    ],
)
def test_wrong_usage(args: list[str | Path], code: int) -> None:
    done = run_cli(*args)
    assert done.returncode == code, done.stderr
    assert done.stderr.startswith(b"tenlog: ")
    assert b"Traceback" not in done.stderr
