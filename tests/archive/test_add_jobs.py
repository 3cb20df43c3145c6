"""Adding with several processes: always the same, each game once, whoever dies."""

from __future__ import annotations

import io
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tenlog.archive import Added, KeptOut, add_logs, get_game
from tenlog.archive import open as open_archive
from tenlog.archive.catalogue import TABLES, Catalogue, load
from tenlog.archive.chunks import chunks_of
from tenlog.archive.verify import verify_archive
from tenlog.errors import LogError
from tenlog.log.paths import Source, Unread, find_sources
from tenlog.log.source import zstd_module
from tenlog.log.store import encode_game
from tests.support import ROOT, play_game


def log_of(seed: str, game: str) -> bytes:
    return encode_game(play_game(seed, 2, game=game)[0])


GAMES = [log_of(str(i), f"g{i:03d}") for i in range(60)]
CHUNK = len(GAMES[0]) * 6


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chunks of some games, and processes for any of them."""
    monkeypatch.setattr("tenlog.archive.chunks.LEAST", CHUNK)
    monkeypatch.setattr("tenlog.archive.chunks.MOST", CHUNK)
    monkeypatch.setattr("tenlog.archive.stage.PART", 2000)
    monkeypatch.setattr("tenlog.archive.add._WORTH_IT", 1)


def add(
    root: Path, paths: list[str], jobs: int, replace: bool = False
) -> tuple[Added, list[KeptOut], list[Unread], Catalogue]:
    """What is said of it, and what the archive is then."""
    heard: list[KeptOut] = []
    missed: list[Unread] = []
    added = add_logs(
        root, paths, jobs=jobs, replace=replace, said=heard.append, unread=missed.append
    )
    added.seconds = 0
    return added, heard, missed, load(root)


def all_sorts(folder: Path) -> tuple[list[str], dict[str, int]]:
    """Logs of every kind, and the lines of the large one where something is wrong, by game."""
    lines: dict[str, int] = {}
    big = b"junk\n"
    for i in range(40):
        big += GAMES[i]
        if i % 9 == 5:
            wrong = log_of(f"wrong {i}", f"wrong-{i}").replace(b'"seat":0', b'"seat":1', 1)
            at = next(n for n, line in enumerate(wrong.splitlines()) if b'"seat":1' in line)
            lines[f"wrong-{i}"] = big.count(b"\n") + 1 + at
            big += wrong
        if i % 10 == 7:
            cut = log_of(f"cut {i}", f"cut-{i}").rsplit(b"\n", 3)[0] + b"\n"
            lines[f"cut-{i}"] = big.count(b"\n") + 1  # its last seal: it has none
            big += cut
        if i == 38:
            lines["g003"] = big.count(b"\n") + 1
            big += log_of("other", "g003") + GAMES[4]
    (folder / "big.jsonl").write_bytes(big)
    small = folder / "small"
    small.mkdir()
    for i in range(40, 50):
        (small / f"{i}.jsonl").write_bytes(GAMES[i])
    (small / "45b.jsonl").write_bytes(b"")
    packed = zstd_module().compress(b"".join([*GAMES[50:], *GAMES[:3]]))
    (folder / "packed.jsonl.zst").write_bytes(packed)
    (folder / "torn.jsonl.zst").write_bytes(packed[: len(packed) // 2])
    names = [
        "big.jsonl",
        "small",
        "missing",
        "torn.jsonl.zst",
        "packed.jsonl.zst",
        "small/41.jsonl",
    ]
    return [str(folder / name) for name in names], lines


def test_any_number_of_processes_does_the_same(tmp_path: Path) -> None:
    paths, lines = all_sorts(tmp_path)
    alone = add(tmp_path / "a1", paths, 1)
    added, heard, missed, catalogue = alone
    assert added.games == catalogue.games == 60
    assert (added.clashes, added.unfinished) == (1, 4)
    assert added.faulty == 1 + 4  # the junk, too
    assert added.known >= 4
    assert [out.line for out in heard if out.game is None] == [1]
    assert {out.game: out.line for out in heard if out.game is not None} == lines
    assert [Path(file.file).name for file in missed] == ["missing", "45b.jsonl", "torn.jsonl.zst"]
    assert len(catalogue.parts) > 8
    for jobs in (2, 3):
        assert add(tmp_path / f"a{jobs}", paths, jobs) == alone
    again, *_, after = add(tmp_path / "a1", paths, 2)
    assert (again.games, again.known) == (0, added.games + added.known)
    assert after == catalogue
    assert not verify_archive(tmp_path / "a1").findings


@pytest.mark.parametrize("jobs", [1, 2])
def test_of_two_with_one_id_the_first_stays(tmp_path: Path, jobs: int) -> None:
    """In other chunks as in the same one, and where the archive has a third."""
    first, second, third = (log_of(seed, "one") for seed in "abc")
    log = tmp_path / "a.jsonl"
    pair = [first, second]
    log.write_bytes(b"".join([*GAMES[:2], *pair, *GAMES[2:15], *pair, *GAMES[15:30], second]))
    fresh, heard, _, _ = add(tmp_path / "x", [str(log)], jobs)
    assert (fresh.games, fresh.clashes, fresh.known) == (31, 3, 1)
    assert [out.line for out in heard] == sorted(out.line for out in heard)
    assert get_game(tmp_path / "x", "one") == first
    (tmp_path / "b.jsonl").write_bytes(third)
    add(tmp_path / "y", [str(tmp_path / "b.jsonl")], 1)
    kept, _, _, _ = add(tmp_path / "y", [str(log)], jobs)
    assert (kept.games, kept.clashes, kept.replaced) == (30, 5, 0)
    assert get_game(tmp_path / "y", "one") == third
    done, _, _, _ = add(tmp_path / "y", [str(log)], jobs, replace=True)
    assert (done.games, done.clashes, done.replaced, done.known) == (1, 3, 1, 31)
    assert get_game(tmp_path / "y", "one") == first
    assert not verify_archive(tmp_path / "y").findings


def test_standard_input_among_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"".join(GAMES[:20]))
    (tmp_path / "b.jsonl").write_bytes(log_of("other", "g030") + b"".join(GAMES[40:]))
    paths = [str(tmp_path / "a.jsonl"), "-", str(tmp_path / "b.jsonl")]
    done = []
    for jobs in (1, 3):
        piped = io.TextIOWrapper(io.BytesIO(b"junk\n" + b"".join(GAMES[20:40])))
        monkeypatch.setattr("sys.stdin", piped)
        done.append(add(tmp_path / str(jobs), paths, jobs))
    assert done[0] == done[1]
    assert done[0][0].games == 60
    assert [(Path(out.file).name, out.line, out.code) for out in done[0][1]] == [
        ("-", 1, "not-json"),
        ("b.jsonl", 1, "clash"),
    ]


def test_without_a_hearer_the_first_that_is_not_read_is_raised(tmp_path: Path) -> None:
    paths, _ = all_sorts(tmp_path)
    with pytest.raises(LogError, match="missing: no such file"):
        add_logs(tmp_path / "a", paths, jobs=2)
    assert load(tmp_path / "a").games == 60


def test_a_file_that_is_shortened_meanwhile(tmp_path: Path) -> None:
    """It is told once, and what stands behind that is not guessed."""
    log = tmp_path / "a.jsonl"
    log.write_bytes(b"".join(GAMES))

    def cut(out: KeptOut) -> None:
        os.truncate(log, 3 * CHUNK)

    (tmp_path / "0.jsonl").write_bytes(b"junk\n" + b" " * CHUNK)
    missed: list[Unread] = []
    added = add_logs(tmp_path / "x", [str(tmp_path)], said=cut, unread=missed.append)
    assert [Path(file.file).name for file in missed] == ["a.jsonl"]
    assert "shortened" in missed[0].message
    assert 10 < added.games == load(tmp_path / "x").games < 30
    assert not verify_archive(tmp_path / "x").findings


def test_chunks_follow_from_files_alone(tmp_path: Path) -> None:
    paths, _ = all_sorts(tmp_path)
    sources = [source for source in find_sources(paths) if isinstance(source, Source)]
    chunks = list(chunks_of(sources))
    assert [chunk.number for chunk in chunks] == list(range(len(chunks)))
    read = [piece for chunk in chunks for piece in chunk.pieces]
    assert list(dict.fromkeys(piece.source for piece in read)) == sources
    assert sum(piece.size for piece in read) == sum(source.size for source in sources)
    cut = [chunk for chunk in chunks if not chunk.pieces[0].whole]
    assert all(len(chunk.pieces) == 1 for chunk in cut)
    sizes = [chunk.size for chunk in cut]
    assert max(sizes) - min(sizes) < len(sizes)
    assert max(sizes) <= CHUNK
    assert max(len(chunk.pieces) for chunk in chunks) > 3


# --- processes that die, and others that add at the same time ------------------------------------

_RUN = f"""
import sys
from tenlog.archive import add, catalogue, chunks
chunks.LEAST = chunks.MOST = {CHUNK}
add._WORTH_IT = 1
catalogue._YOUNG = int(sys.argv.pop(1))
from tenlog_cli.begin import main
if __name__ == "__main__":
    main()
"""


def start(
    root: Path, *logs: Path, audit: str = "none", jobs: int = 2, young: int = 60
) -> subprocess.Popen[bytes]:
    path = os.pathsep.join([str(ROOT), str(ROOT / "cli")])
    args = ["archive", "add", *map(str, logs), "--archive", str(root)]
    return subprocess.Popen(
        [sys.executable, "-c", _RUN, str(young), *args, "--audit", audit, "--jobs", str(jobs)],
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def processes_of(group: int) -> list[int]:
    """The processes of a group that are alive, save zombies."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            pid, rest = stat.read_text().split(" (", 1)
        except OSError:
            continue
        state, _, pgrp = rest.rsplit(") ", 1)[1].split()[:3]
        if int(pgrp) == group and state != "Z":
            found.append(int(pid))
    return found


def workers_of(group: int) -> list[int]:
    found = []
    for pid in processes_of(group):
        try:
            if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes():
                found.append(pid)
        except OSError:
            continue
    return found


def gone(group: int) -> bool:
    end = time.monotonic() + 20
    while processes_of(group) and time.monotonic() < end:
        time.sleep(0.02)
    return not processes_of(group)


def count(root: Path) -> int:
    with open_archive(root) as con:
        found = con.execute("select count(*), count(distinct game) from games").fetchall()[0]
    assert found[0] == found[1]
    return int(found[0])


def is_whole(root: Path) -> bool:
    """Whatever is there is whole."""
    return not load(root).generation or not verify_archive(root).findings


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    log = tmp_path_factory.mktemp("many") / "many.jsonl"
    log.write_bytes(b"".join(GAMES))
    return log


def wait_for_staging(process: subprocess.Popen[bytes], root: Path, more: float) -> None:
    """Until it stages a part and for some moments more, or until it has ended."""
    before = set(root.glob("staging/*/*-*"))  # what killed ones left
    while process.poll() is None and before.issuperset(root.glob("staging/*/*-*")):
        time.sleep(0.005)
    time.sleep(more)


@pytest.mark.parametrize("jobs", [1, 2])
def test_killed_at_any_moment(tmp_path: Path, many: Path, jobs: int) -> None:
    """Whatever is there is whole; adding again completes it, and leaves nothing behind."""
    root = tmp_path / "x"
    rng = random.Random(4)
    for turn in range(6):
        process = start(root, many, jobs=jobs)
        if turn:
            wait_for_staging(process, root, rng.uniform(0, 0.6))
        else:
            time.sleep(0.2)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert gone(process.pid)
        assert is_whole(root)
    process = start(root, many, jobs=jobs, young=0)
    assert process.communicate()[1] == b""
    assert process.returncode == 0
    assert count(root) == 60
    assert is_whole(root)
    named = {path.name for path in (root / "parts").iterdir()}
    assert len(named) == len(TABLES) * len(load(root).parts)
    assert not list((root / "staging").iterdir())


def test_a_worker_that_dies_is_said(tmp_path: Path, many: Path) -> None:
    root = tmp_path / "x"
    rng = random.Random(5)
    said = 0
    for _ in range(6):
        process = start(root, many, audit="full")
        wait_for_staging(process, root, rng.uniform(0, 0.3))
        for pid in workers_of(process.pid)[:1]:
            os.kill(pid, signal.SIGKILL)
        _, error = process.communicate(timeout=60)
        assert gone(process.pid)
        assert is_whole(root)
        assert not list((root / "staging").iterdir())
        if process.returncode:  # else it was done by then
            said += 1
            assert process.returncode == 3
            assert b"a process that was adding died" in error
            assert error.count(b"\n") == 1
    assert said
    process = start(root, many)
    assert process.communicate()[1] == b""
    assert count(root) == 60


def test_ctrl_c_ends_all_processes(tmp_path: Path, many: Path) -> None:
    root = tmp_path / "x"
    rng = random.Random(6)
    stopped = 0
    for turn in range(6):
        process = start(root, many, audit="full")
        if turn % 2:
            wait_for_staging(process, root, rng.uniform(0, 0.3))
        else:
            while len(workers_of(process.pid)) < 2 and process.poll() is None:
                time.sleep(0.005)
            time.sleep(rng.uniform(0, 0.1))
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGINT)
        began = time.monotonic()
        _, error = process.communicate(timeout=60)
        assert time.monotonic() - began < 20
        assert error == b""
        assert process.returncode in (0, 130)
        stopped += process.returncode == 130
        assert gone(process.pid)
        assert is_whole(root)
        assert not any(root.glob("staging/*"))
    assert stopped


def test_two_at_once_and_a_reader(tmp_path: Path, many: Path) -> None:
    """Each game once, and whoever reads meanwhile sees whole commits."""
    root = tmp_path / "x"
    writers = [start(root, many) for _ in range(2)]
    counts = []
    while any(writer.poll() is None for writer in writers):
        if load(root).generation:
            counts.append(count(root))
    for writer in writers:
        assert writer.wait() == 0, writer.communicate()
    assert counts == sorted(counts)
    assert count(root) == 60
    assert is_whole(root)
