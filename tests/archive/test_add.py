"""Adding logs: once each, whole or not at all, the rest listed with the reason."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tenlog.archive import ArchiveWriter, add_logs, add_played, get_game
from tenlog.archive import open as open_archive
from tenlog.archive.catalogue import load
from tenlog.archive.stage import KeptOut
from tenlog.archive.verify import verify_archive
from tenlog.errors import LogError
from tenlog.log.source import zstd_module
from tenlog.log.store import encode_game
from tests.support import ROOT, play_game, run_cli


def log_of(seed: str, game: str, players: int = 2) -> bytes:
    return encode_game(play_game(seed, players, game=game)[0])


def count(root: Path) -> int:
    with open_archive(root) as con:
        found = con.execute("select count(*), count(distinct game) from games").fetchall()[0]
    assert found[0] == found[1]
    return int(found[0])


def test_twice_is_once(tmp_path: Path) -> None:
    log = tmp_path / "a.jsonl"
    log.write_bytes(log_of("1", "one") + log_of("2", "two"))
    root = tmp_path / "archive"
    assert add_logs(root, [str(log)]).games == 2
    before = load(root)
    again = add_logs(root, [str(log), str(tmp_path)])
    assert (again.games, again.known) == (0, 2)
    assert load(root) == before
    inside = tmp_path / "b.jsonl"
    inside.write_bytes(log.read_bytes() * 2)
    other = add_logs(tmp_path / "other", [str(inside)])
    assert (other.games, other.known) == (2, 2)


@pytest.mark.parametrize("audit", ["full", "seals", "none"])
def test_the_same_id_with_other_content(tmp_path: Path, audit: str) -> None:
    log, other = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    log.write_bytes(log_of("1", "one"))
    other.write_bytes(log_of("2", "one") + log_of("3", "three"))
    root = tmp_path / "archive"
    add_logs(root, [str(log)], audit=audit)  # type: ignore[arg-type]
    added = add_logs(root, [str(other)], audit=audit)  # type: ignore[arg-type]
    assert (added.games, added.clashes) == (1, 1)
    assert added.kept_out[0].code == "clash"
    assert get_game(root, "one") == log_of("1", "one")
    done = add_logs(root, [str(other)], replace=True)
    assert (done.games, done.replaced, done.known, done.clashes) == (1, 1, 1, 0)
    assert get_game(root, "one") == log_of("2", "one")
    assert count(root) == 2
    assert not verify_archive(root).findings


def test_what_is_kept_out_and_why(tmp_path: Path) -> None:
    good = log_of("1", "good")
    cut = log_of("2", "cut").rsplit(b"\n", 3)[0] + b"\n"
    events, _ = play_game("3", 2, game="wrong")
    swapped = [*events[:1], *events[2:]]
    log = tmp_path / "mixed.jsonl"
    log.write_bytes(b"junk\n" + good + cut + encode_game(swapped) + log_of("4", "last"))
    heard: list[KeptOut] = []
    added = add_logs(tmp_path / "a", [str(log)], said=heard.append)
    assert (added.games, added.unfinished, added.faulty) == (2, 1, 2)
    assert heard == added.kept_out
    codes = {out.game: out.code for out in heard}
    assert codes["cut"] == "unfinished"
    assert codes["wrong"] == "reward-not-due"
    assert codes[None] == "not-json"
    unread = next(out for out in heard if out.game == "wrong")
    lines = log.read_bytes().split(b"\n")
    assert json.loads(lines[unread.line - 1])["n"] == 1
    loose = add_logs(tmp_path / "b", [str(log)], audit="none")
    assert (loose.games, loose.unfinished, loose.faulty) == (3, 1, 1)
    found = verify_archive(tmp_path / "b")
    assert [finding.where for finding in found.findings] == ["wrong"]


def test_compressed_patterns_and_no_last_newline(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.jsonl.gz").write_bytes(gzip.compress(log_of("1", "a")))
    (tmp_path / "b.jsonl.zst").write_bytes(zstd_module().compress(log_of("2", "b")))
    (tmp_path / "c.jsonl").write_bytes(log_of("3", "c")[:-1])
    (tmp_path / "notes.txt").write_bytes(b"not a log")
    root = tmp_path / "archive"
    assert add_logs(root, [str(tmp_path)]).games == 3
    assert get_game(root, "c") == log_of("3", "c")
    assert add_logs(root, [str(tmp_path / "*.jsonl*")]).known == 2
    assert add_logs(root, [str(tmp_path / "c.jsonl")], audit="none").known == 1
    for nothing in ("*.nothing", "missing.jsonl", "empty"):
        (tmp_path / "empty").mkdir(exist_ok=True)
        with pytest.raises(LogError):
            add_logs(root, [str(tmp_path / nothing)])


def test_a_bad_file_does_not_take_back_what_came_before(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(log_of("1", "a"))
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(log_of("2", "b"))[:-20])
    with pytest.raises(LogError):
        add_logs(tmp_path / "x", [str(tmp_path / "a.jsonl"), str(tmp_path / "b.jsonl.gz")])
    assert count(tmp_path / "x") == 1


def test_a_game_is_got_whole_or_not_at_all(tmp_path: Path) -> None:
    root, out = tmp_path / "x", tmp_path / "out.jsonl"
    (tmp_path / "a.jsonl").write_bytes(log_of("1", "a"))
    add_logs(root, [str(tmp_path / "a.jsonl")])
    get = f"{sys.executable} -m tenlog archive get a --archive {root} --out {out}"
    full = subprocess.run(
        ["bash", "-c", f"ulimit -f 1; {get}"],  # no file longer than 1 KiB, as on a full disk
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'cli'}"},
        capture_output=True,
        check=False,
    )
    assert full.returncode == 3
    assert f"can't write {out}".encode() in full.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"x", "a.jsonl"}
    assert run_cli("archive", "get", "a", "--archive", root, "--out", out).returncode == 0
    assert out.read_bytes() == log_of("1", "a")
    again = run_cli("archive", "get", "a", "--archive", root, "--out", out)
    assert again.returncode == 3
    assert b"is there already" in again.stderr


def test_standard_input_and_exit_codes(tmp_path: Path) -> None:
    root = tmp_path / "x"
    done = run_cli("archive", "add", "-", "--archive", root, "--json", stdin=log_of("1", "a"))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["games"] == 1
    done = run_cli("archive", "add", "-", "--archive", root, stdin=log_of("2", "a"))
    assert done.returncode == 1
    assert b"another game with this id" in done.stderr
    got = run_cli("archive", "get", "a", "--archive", root)
    assert got.stdout == log_of("1", "a")
    assert run_cli("archive", "get", "b", "--archive", root).returncode == 2
    unfinished = log_of("3", "c").rsplit(b"\n", 2)[0] + b"\n"
    done = run_cli("archive", "add", "-", "--archive", root, stdin=unfinished)
    assert done.returncode == 0
    assert b"1 unfinished" in done.stdout


def test_a_game_that_was_played_goes_in_or_says_why(tmp_path: Path) -> None:
    log = tmp_path / "g.jsonl"
    log.write_bytes(log_of("1", "g"))
    assert add_played(tmp_path / "x", log) is None
    assert add_played(tmp_path / "x", log) is None
    assert count(tmp_path / "x") == 1
    assert "no such file" in str(add_played(tmp_path / "x", tmp_path / "gone.jsonl"))
    (tmp_path / "file").write_text("")
    assert "not added" in str(add_played(tmp_path / "file", log))


def test_chunks_go_in_once(tmp_path: Path) -> None:
    """A chunk with a key is there whole or not at all, however often it is tried."""
    chunks = {
        f"chunk-{i}": [play_game(f"{i}/{j}", 2, game=f"{i}-{j}") for j in range(3)]
        for i in range(4)
    }
    for tried in (2, 3, 4, 4):
        with ArchiveWriter(tmp_path / "x") as writer:
            for key in list(chunks)[:tried]:
                fresh = not writer.has(key)
                for events, state in chunks[key]:
                    writer.add(events, bots=["random"] * 2, state=state)
                assert writer.games == 3
                done = writer.commit(key)
                assert done.repeated is not fresh
                assert done.added == (3 if fresh else 0)
    events, _ = chunks["chunk-0"][0]
    with ArchiveWriter(tmp_path / "x") as writer:
        writer.add(events)  # begun, and given up
    assert count(tmp_path / "x") == 12
    assert not verify_archive(tmp_path / "x").findings


def test_many_small_parts_become_one(tmp_path: Path) -> None:
    root = tmp_path / "x"
    with ArchiveWriter(root) as writer:
        for i in range(17):
            events, state = play_game(str(i), 1, game=f"g{i}")
            writer.add(events, state=state)
            writer.commit()
    assert len(load(root).parts) == 2
    assert count(root) == 17
    assert not verify_archive(root).findings
