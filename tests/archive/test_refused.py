"""What adding and asking refuse, with a line and an exit code."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from functools import partial
from pathlib import Path

import duckdb
import msgspec
import pytest

from tenlog.archive import add_logs
from tenlog.archive.engine import speaking
from tenlog.errors import ArchiveError
from tenlog.game.events import GameFinished
from tenlog.log.store import encode_game
from tests.support import ROOT, play_game, run_cli


def test_adding_to_a_full_disk(tmp_path: Path) -> None:
    log = tmp_path / "g.jsonl"
    log.write_bytes(b"".join(encode_game(play_game(f"s{i}", game=f"g{i}")[0]) for i in range(20)))
    root = tmp_path / "a"
    for room in (512, 8192, 40_000):  # bytes that a file may have
        done = subprocess.run(
            [sys.executable, "-m", "tenlog", "archive", "add", log, "--archive", root],
            capture_output=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "cli")])},
            preexec_fn=partial(resource.setrlimit, resource.RLIMIT_FSIZE, (room, room)),
            timeout=120,
            check=False,
        )
        assert done.returncode == 3, done.stderr
        assert done.stderr.startswith(b"tenlog: can't write to ")
        assert done.stderr.count(b"\n") == 1
    assert run_cli("archive", "add", log, "--archive", root).returncode == 0


def test_what_went_wrong_in_the_background_is_said_plainly() -> None:
    text = (
        'IO Error: Async write failed for range [offset=1, size=2]: {"exception_type":"IO",'
        '"exception_message":"Could not write file \\"a/b\\": No space left","errno":"28"}'
    )
    with (
        pytest.raises(
            ArchiveError, match=r"^can't write to a: Could not .* \"a/b\": No space left$"
        ),
        speaking(Path("a"), "write to"),
    ):
        raise duckdb.IOException(text)


def test_an_empty_log(tmp_path: Path) -> None:
    log, empty = tmp_path / "g.jsonl", tmp_path / "empty.jsonl"
    log.write_bytes(encode_game(play_game("s")[0]))
    empty.touch()
    done = run_cli("archive", "add", empty, log, "--archive", tmp_path / "a")
    assert done.returncode == 3
    assert done.stderr == f"tenlog: {empty} is empty: there is no game in it\n".encode()
    assert done.stdout.startswith(b"1 game added")
    piped = run_cli("archive", "add", "-", "--archive", tmp_path / "a")
    assert (piped.returncode, piped.stderr[:30]) == (3, b"tenlog: standard input is empt")
    assert piped.stdout == b""


def test_a_log_that_is_not_there_hides_no_other(tmp_path: Path) -> None:
    log = tmp_path / "g.jsonl"
    log.write_bytes(encode_game(play_game("s")[0]))
    gone = tmp_path / "gone.jsonl"
    done = run_cli("archive", "add", gone, log, "--archive", tmp_path / "a")
    assert done.returncode == 3
    assert done.stderr == f"tenlog: can't read {gone}: no such file or directory\n".encode()
    assert done.stdout.startswith(b"1 game added")


@pytest.mark.parametrize(
    "args",
    [
        (os.fsdecode(b"select '\xff'"),),
        ("select $x", "--param", os.fsdecode(b"x=\xff")),
        *[("select 1", "--timeout", time) for time in ("0", "-1", "nan", "inf", "1e7")],
        *[("select 1", "--memory", size) for size in ("0GB", "-1", "-1GB", "many", "", "50%")],
        *[("select 1", "--threads", number) for number in ("0", "257")],
    ],
)
def test_wrong_options(kept: Path, args: tuple[str, ...]) -> None:
    done = run_cli("query", *args, "--archive", kept)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"Traceback" not in done.stderr


def test_good_options(kept: Path) -> None:
    more = ("--timeout", "1e6", "--memory", "1.5 GiB", "--threads", "2")
    assert run_cli("query", "select 1 as x", *more, "--archive", kept).returncode == 0


def test_what_went_in_unjudged_is_judged_when_it_comes_again(tmp_path: Path) -> None:
    events, _ = play_game("unjudged", 2, game="wrong")
    end = events[-1]
    assert isinstance(end, GameFinished)
    wrong = msgspec.structs.replace(end, scores=(end.scores[0] + 1, *end.scores[1:]))
    good, _ = play_game("judged", 2, game="right")
    log = tmp_path / "g.jsonl"
    log.write_bytes(encode_game([*events[:-1], wrong]) + encode_game(good))
    first = add_logs(tmp_path / "a", [str(log)], audit="seals")
    assert (first.games, first.faulty) == (2, 0)
    again = add_logs(tmp_path / "a", [str(log)], audit="seals")
    assert (again.known, again.faulty) == (2, 0)
    full = add_logs(tmp_path / "a", [str(log)])
    assert (full.known, full.faulty) == (1, 1)
    assert "in the archive, where it was not judged" in full.kept_out[0].reason
