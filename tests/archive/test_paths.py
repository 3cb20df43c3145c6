"""Where an archive lies says nothing of what is in it; and damage that a reader meets is told."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

import pytest

from tenlog.archive import add_logs, get_game
from tenlog.archive import open as open_archive
from tenlog.archive.ask import ask
from tenlog.archive.catalogue import load, part_path
from tenlog.archive.manage import export_archive
from tenlog.archive.verify import verify_archive
from tenlog.errors import ArchiveError, QueryError
from tests.support import run_cli


@pytest.fixture
def a_log(tmp_path: Path, games: dict[str, bytes]) -> Path:
    path = tmp_path / "a.jsonl"
    path.write_bytes(next(iter(games.values())))
    return path


@pytest.mark.parametrize("folder", ["players=9", "bot=x", "game=y", "turn=1/seat=2", "q'uo te"])
def test_a_folder_is_no_column(
    kept: Path, tmp_path: Path, folder: str, games: dict[str, bytes]
) -> None:
    root = tmp_path / folder / "a"
    shutil.copytree(kept, root)
    asked = "select g.*, p.*, e.n, e.turn, e.seat from games g, players p, events e"
    asked += " where p.game = g.game and e.game = g.game"
    tables = [
        con.execute(f"select count(*), sum(hash(x)) from ({asked}) x").fetchall()
        for con in (open_archive(kept), open_archive(root))
    ]
    assert tables[0] == tables[1]
    assert not verify_archive(root).findings
    name = next(iter(games))
    assert get_game(root, name) == games[name]
    log = tmp_path / "more.jsonl"
    log.write_bytes(games[name])
    assert add_logs(tmp_path / folder / "b", [str(log)]).games == 1


@pytest.mark.parametrize("name", ["A?", "A*", "A[12]"])
def test_a_path_that_would_be_a_pattern_is_refused(kept: Path, tmp_path: Path, name: str) -> None:
    for folder in ("A1", "A2", name):
        shutil.copytree(kept, tmp_path / folder)
    for args in (["archive", "rebuild"], ["archive", "info"], ["query", "from games"]):
        done = run_cli(*args, "--archive", tmp_path / name)
        assert done.returncode == 3
        assert b"for another path" in done.stderr
        assert b"Traceback" not in done.stderr


def test_names_that_duckdb_can_not_open(kept: Path, tmp_path: Path, a_log: Path) -> None:
    bad = os.fsdecode(b"bad\xff")
    home = {"TENLOG_HOME": str(tmp_path / "home")}
    for args in (
        ["archive", "add", a_log, "--archive", bad],
        ["query", "select 1", "--archive", kept, "--format", "parquet", "--out", f"{bad}.pq"],
        ["archive", "export", bad, "--archive", kept],
        ["archive", "recover", bad, "--archive", kept],
        ["simulate", "-n", "2", "--bots", "random,random", "--archive", bad, "-q", "--seed", "s"],
    ):
        done = run_cli(*args, cwd=tmp_path, env=home)
        assert done.returncode == 3, args
        assert b"bad\\xff" in done.stderr
        assert b"its name is not UTF-8" in done.stderr
        assert done.stderr.count(b"\n") == 1
    done = run_cli("archive", "export", "e\\x", "--archive", kept, cwd=tmp_path)
    assert done.returncode == 3
    assert b"for another path, for the \\ in it" in done.stderr
    assert {path.name for path in tmp_path.iterdir()} <= {"home", a_log.name}


def test_a_tilde_is_no_home(kept: Path, tmp_path: Path, a_log: Path) -> None:
    home = {"HOME": str(tmp_path / "real"), "TENLOG_HOME": str(tmp_path / "home")}
    (tmp_path / "real").mkdir()
    for args in (
        ["archive", "add", a_log, "--archive=~/arc"],
        ["query", "from games", "--archive=~/arc"],
        ["query", "from games", "--archive=~/arc", "--format", "parquet", "--out", "~/out.pq"],
        ["archive", "export", "~/export", "--archive=~/arc"],
        ["archive", "recover", "~/new", "--archive=~/arc"],
        ["archive", "verify", "--archive=~/new"],
        ["simulate", "-n", "2", "--bots", "random,random", "--archive=~/sim"],
    ):
        done = run_cli(*args, cwd=tmp_path, env=home)
        assert done.returncode == 0, done.stderr
    assert {path.name for path in (tmp_path / "~").iterdir()} == {
        *("arc", "export", "new", "out.pq", "sim")
    }
    assert not list((tmp_path / "real").iterdir())


def test_what_is_gone_is_not_called_known(
    kept: Path, tmp_path: Path, games: dict[str, bytes]
) -> None:
    root = tmp_path / "a"
    shutil.copytree(kept, root)
    part_path(root, load(root).parts[0], "events").unlink()
    log = tmp_path / "again.jsonl"
    log.write_bytes(b"".join(games.values()))
    with pytest.raises(ArchiveError, match=r"damaged.*is missing"):
        add_logs(root, [str(log)])


def test_damage_that_a_question_meets_is_no_wrong_usage(kept: Path, tmp_path: Path) -> None:
    root = tmp_path / "a"
    shutil.copytree(kept, root)
    path = part_path(root, load(root).parts[0], "events")
    path.chmod(0o644)
    data = bytearray(path.read_bytes())
    rng = random.Random(3)
    for _ in range(len(data) // 4):
        data[rng.randrange(4, len(data) - 300)] = rng.randrange(256)
    path.write_bytes(data)
    with (
        pytest.raises(ArchiveError, match="tenlog archive verify") as caught,
        ask(root, "select sum(hash(e)) from events e") as answer,
    ):
        list(answer.batches())
    assert not isinstance(caught.value, QueryError)
    with pytest.raises(ArchiveError, match="not what was written"):
        export_archive(root, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_columns_of_one_name_stay(kept: Path) -> None:
    sql = "select 1 as a, 2 as a, 3 as a_1, 4 as b"
    for form, text in (("jsonl", b""), ("json", b"[\n")):
        done = run_cli("query", sql, "--archive", kept, "--format", form)
        assert done.stdout.startswith(text + b'{"a":1,"a_2":2,"a_1":3,"b":4}')
