"""Repeated runs: the manifest alone says what is played, and all that it says is compared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.support import run_cli

BOT = """
class MyBot:
    version = "1"

    def decide(self, view, stream):
        if view.n > 40 and view.seat == 0:
            raise ZeroDivisionError("my bot fell over")
        from tenlog.bots.rand import RandomBot
        return RandomBot().decide(view, stream)
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    (folder / "long.toml").write_text('name = "long"\nbust_limit = 12\n')
    done = run_cli(
        "simulate", "-n", "20", "--bots", "random,cautious", "--seed", "r", "--rules", "ten/1",
        "--rules", "long.toml", "--out", "out", "-q", cwd=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return folder / "out" / "run.json"


@pytest.mark.parametrize(
    "more",
    [
        ("-n", "20"), ("--games", "5"), ("--bots", "random"), ("--seed", "r"), ("--players", "2"),
        ("--rules", "ten/1"), ("--fixed-seats",), ("--out", "x"), ("--zst",), ("--archive", "x"),
        ("--summary",), ("--keep-going",),
    ],
)  # fmt: skip
def test_options_that_define_a_run_are_refused(
    made: Path, tmp_path: Path, more: tuple[str, ...]
) -> None:
    done = run_cli("simulate", "--repeat", made, *more, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, b"")
    name = "-n" if more[0] == "--games" else more[0]
    assert done.stderr.startswith(f"tenlog: {name} can't be given with --repeat".encode())
    assert done.stderr.count(b"\n") == 1


def test_options_that_tell_how_are_allowed(made: Path) -> None:
    done = run_cli("simulate", "--repeat", made, "--jobs", "2", "--json")
    assert done.returncode == 0
    result = msgspec.json.decode(done.stdout)
    assert (result["same"], result["differences"], result["skipped"]) == (True, [], 0)
    quiet = run_cli("simulate", "--repeat", made, "-q", "--jobs", "1")
    assert (quiet.returncode, quiet.stdout, quiet.stderr) == (0, b"", b"")


def _turns(manifest: dict[str, Any]) -> None:
    manifest["comparisons"][0]["turns"]["first"] += 1


def _version(manifest: dict[str, Any]) -> None:
    manifest["bots"][1]["version"] = "0.7"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda it: it.update(games=39), b": games 40, was 39\n"),
        (lambda it: it.update(events=7), b", was 7\n"),
        (lambda it: it.update(skips=2), b": skipped games 0, was 2\n"),
        (lambda it: it.update(forfeits=3), b": forfeits 0, was 3\n"),
        (lambda it: it.update(digest="0" * 64), b", was " + b"0" * 64 + b"\n"),
        (_turns, b": the comparisons of rulesets are others\n"),
        (_version, b", was 0.7\n"),
    ],
)
def test_all_that_a_manifest_says_is_compared(
    made: Path, tmp_path: Path, change: Any, said: bytes
) -> None:
    manifest = msgspec.json.decode(made.read_bytes())
    change(manifest)
    path = tmp_path / "run.json"
    path.write_bytes(msgspec.json.encode(manifest))
    done = run_cli("simulate", "--repeat", path)
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith(b"not the same: ")
    assert done.stdout.endswith(said)


def test_a_tournament_that_was_decided_is_repeated_as_far_as_it_went(tmp_path: Path) -> None:
    args = ("tournament", "--bots", "cautious,random", "-n", "200", "--until", "0.9", "--seed", "t")
    assert run_cli(*args, "-q", "--no-ratings", "--out", "out", cwd=tmp_path).returncode == 0
    path = tmp_path / "out" / "run.json"
    manifest = msgspec.json.decode(path.read_bytes())
    assert manifest["games"] < 400
    done = run_cli("simulate", "--repeat", path)
    assert done.returncode == 0, done.stdout
    manifest["games"] -= 2
    path.write_bytes(msgspec.json.encode(manifest))
    assert run_cli("simulate", "--repeat", path).returncode == 1


def test_skipped_games_are_said(tmp_path: Path) -> None:
    (tmp_path / "mybot.py").write_text(BOT)
    args = ("simulate", "-n", "3", "--bots", "mybot:MyBot", "--players", "2", "--seed", "k", "-q")
    assert run_cli(*args, "--keep-going", "--out", "out", cwd=tmp_path).returncode == 1
    again = run_cli("simulate", "--repeat", "out/run.json", "--trust", cwd=tmp_path)
    assert again.returncode == 0
    assert again.stdout.startswith(b"the same: 0 games (3 skipped, as before), digest ")
    (tmp_path / "mybot.py").write_text(BOT.replace('"1"', '"2"'))
    other = run_cli("simulate", "--repeat", "out/run.json", "--trust", cwd=tmp_path)
    assert (other.returncode, other.stdout) == (
        1, b"not the same: bot mybot:MyBot version 2, was 1\n"
    )  # fmt: skip


LEAVES_A_MARK = """
open("mark", "a").close()
from tenlog.bots.rand import RandomBot as MyBot
"""


def test_bots_that_a_manifest_names_have_to_be_allowed(made: Path, tmp_path: Path) -> None:
    """Neither those that play nor those that are only asked for their version."""
    (tmp_path / "markbot.py").write_text(LEAVES_A_MARK)
    for field in ("plan", "bots"):
        for spec in ("markbot:MyBot", "cmd:touch mark"):
            manifest = msgspec.json.decode(made.read_bytes())
            if field == "plan":
                manifest["plan"]["bots"][1] = spec
            else:
                manifest["bots"][1]["spec"] = spec
            (tmp_path / "run.json").write_bytes(msgspec.json.encode(manifest))
            done = run_cli("simulate", "--repeat", "run.json", cwd=tmp_path)
            assert (done.returncode, done.stdout) == (2, b"")
            assert done.stderr.decode() == (
                f"tenlog: run.json: the run names the bot '{spec}', which would run code of "
                "its own; look at it, and repeat with --trust if you trust it\n"
            )
            assert not (tmp_path / "mark").exists()
    done = run_cli("simulate", "--repeat", "run.json", cwd=tmp_path, env={"TENLOG_TRUST": "1"})
    assert done.returncode == 2  # allowed: it says no hello
    assert (tmp_path / "mark").exists()


def test_trust_is_for_what_others_name(tmp_path: Path) -> None:
    done = run_cli("simulate", "-n", "1", "--trust", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"tenlog: --trust goes with --repeat")
    args = ("simulate", "-n", "1", "--bots", "random,random", "--seed", "t", "-q")
    assert run_cli(*args, cwd=tmp_path, env={"TENLOG_TRUST": "1"}).returncode == 0
