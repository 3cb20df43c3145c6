"""Files, folders, globs and processes: what is found, in which order, and what can't be read."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tenlog.audit import PIECE, Finding, Judged, Settings, Unread, audit
from tenlog.log.codec import START
from tenlog.log.paths import Source, find_sources
from tenlog.log.source import zstd_module
from tenlog.log.store import encode_game
from tests.laws.games import odd_game, small_ruleset
from tests.support import run_cli


def game(i: int) -> bytes:
    return encode_game(odd_game(str(i), 2, small_ruleset(), choices=i, game=f"g{i}"))


GAMES = [game(i) for i in range(8)]
BROKEN = GAMES[3].replace(b'"seat":0', b'"seat":1', 1)


def names(findings: Iterator[Finding]) -> list[str]:
    return [
        f"{Path(item.file).name}:{item.game}:{item.verdict}"
        if isinstance(item, Judged)
        else f"unread {Path(item.file).name}"
        for item in findings
    ]


def test_folders_are_read_recursively_in_the_order_of_names(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "c.jsonl").mkdir()
    (tmp_path / "z.jsonl").write_bytes(GAMES[0])
    (tmp_path / "b" / "y.jsonl.gz").write_bytes(gzip.compress(GAMES[1]))
    (tmp_path / "b" / "x.jsonl.zst").write_bytes(zstd_module().compress(GAMES[2]))
    (tmp_path / "c.jsonl" / "a.jsonl").write_bytes(GAMES[3] + GAMES[4])
    (tmp_path / "notes.txt").write_bytes(b"not a log")
    (tmp_path / ".hidden.jsonl").write_bytes(GAMES[5])
    assert names(audit([str(tmp_path)])) == [
        ".hidden.jsonl:g5:clean",
        "x.jsonl.zst:g2:clean",
        "y.jsonl.gz:g1:clean",
        "a.jsonl:g3:clean",
        "a.jsonl:g4:clean",
        "z.jsonl:g0:clean",
    ]


def test_globs_and_paths_that_are_given_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for i in (2, 0, 1):
        (tmp_path / f"{i}.jsonl").write_bytes(GAMES[i])
    (tmp_path / "[odd].jsonl").write_bytes(GAMES[4])
    monkeypatch.chdir(tmp_path)
    wanted = ["0.jsonl:g0:clean", "1.jsonl:g1:clean", "2.jsonl:g2:clean"]
    assert names(audit(["[0-9].jsonl"])) == wanted
    assert names(audit(["2.jsonl", "[0-9].jsonl"])) == [wanted[2], *wanted[:2]]
    assert names(audit(["[odd].jsonl"])) == ["[odd].jsonl:g4:clean"]
    assert names(audit(["*.nothing"])) == ["unread *.nothing"]


def test_what_can_not_be_read_hides_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(GAMES[0])
    (tmp_path / "empty.jsonl").write_bytes(b"")
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "gone")
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "me.jsonl").symlink_to(tmp_path / "me.jsonl")
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "short.jsonl.gz").write_bytes(gzip.compress(GAMES[1] * 9)[:-20])
    (tmp_path / "void").mkdir()
    (tmp_path / "z.jsonl").write_bytes(GAMES[2])
    paths = [tmp_path, tmp_path / "void", tmp_path / "nowhere", "/dev/zero"]
    found = list(audit(map(str, paths)))
    assert names(iter(found))[0] == "a.jsonl:g0:clean"
    # Nothing was found through the links to folders.
    judged = [Path(item.file).name for item in found if isinstance(item, Judged)]
    cut = judged.count("short.jsonl.gz")  # what comes before the cut
    assert 7 <= cut <= 8
    assert judged == ["a.jsonl", *["short.jsonl.gz"] * cut, "z.jsonl"]
    told = {Path(i.file).name: i.message for i in found if isinstance(i, Unread)}
    assert set(told) == {
        "empty.jsonl",
        "link.jsonl",
        "me.jsonl",
        "pipe.jsonl",
        "short.jsonl.gz",
        "void",
        "nowhere",
        "zero",
    }
    assert "there is no game in it" in told["empty.jsonl"]
    assert "pipe it in" in told["pipe.jsonl"]
    assert "no file in it ends in .jsonl" in told["void"]
    assert names(iter(found))[-4:-2] == ["z.jsonl:g2:clean", "unread void"]
    assert names(iter(found))[-2:] == ["unread nowhere", "unread zero"]


def test_exit_codes(tmp_path: Path) -> None:
    good, bad, empty = tmp_path / "good.jsonl", tmp_path / "bad.jsonl", tmp_path / "empty.jsonl"
    good.write_bytes(GAMES[0])
    bad.write_bytes(GAMES[1] + BROKEN + GAMES[2])
    empty.write_bytes(b"")
    for args, code in (
        ([good], 0),
        ([bad], 1),
        ([empty], 3),
        ([good, empty], 3),
        ([bad, empty, tmp_path / "none"], 1),
        ([], 2),
        (["--seals-only", "--no-seed", good], 2),
        (["--explain", "--json", good], 2),
        (["--signatures", good, good], 2),
        (["--expect", "xyz", good], 2),
        (["--jobs", "0", good], 2),
    ):
        done = run_cli("audit", *args)
        assert done.returncode == code, (args, done)
        assert b"Traceback" not in done.stderr
    quiet = run_cli("audit", "-q", bad, empty)
    assert (quiet.returncode, quiet.stdout, quiet.stderr) == (1, b"", b"")


def test_standard_input_is_a_file_like_any_other() -> None:
    data = GAMES[0] + BROKEN + GAMES[1]
    plain = run_cli("audit", "-", "--json", stdin=data)
    packed = run_cli("audit", "-", "--json", "--jobs", "3", stdin=gzip.compress(data))
    assert plain.stdout == packed.stdout
    assert plain.returncode == packed.returncode == 1
    assert plain.stdout.count(b'{"file":"-"') == 3
    nothing = run_cli("audit", "-", stdin=b"")
    assert nothing.returncode == 3
    assert b"- is empty" in nothing.stderr


@pytest.mark.parametrize(
    "name",
    ["new\nline", "\x1b[31mred", "bidi\u202e", b"\xff\xfe".decode("utf-8", "surrogateescape")],
)
def test_odd_names_of_files(tmp_path: Path, name: str) -> None:
    path = tmp_path / f"{name}.jsonl"
    path.write_bytes(BROKEN + GAMES[0])
    for args in ([], ["--json"], ["-v"]):
        done = run_cli("audit", str(path), *args)
        assert done.returncode == 1
        assert b"\x1b" not in done.stdout
        assert done.stderr == b""
        if args == ["--json"]:
            assert len(done.stdout.splitlines()) == 2
        done.stdout.decode()
    missing = run_cli("audit", str(path) + "x")
    assert missing.returncode == 3
    assert b"\x1b" not in missing.stderr
    assert len(missing.stderr.splitlines()) == 1


def test_unreadable_file(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(GAMES[0])
    path.chmod(0)
    try:
        path.open("rb").close()
    except PermissionError:
        found = list(audit([str(path)]))
        assert isinstance(found[0], Unread)
        assert "permission denied" in found[0].message


# --- pieces and processes ------------------------------------------------------------------------


def big(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, bytes]:
    """A file of many pieces with all sorts of things in it."""
    monkeypatch.setattr("tenlog.audit.PIECE", 10_000)
    data = b"".join(
        [
            b"garbage before\n",
            *[GAMES[i % 8] for i in range(20)],
            BROKEN,
            GAMES[2],
            b"x" * 35_000 + b"\n",
            GAMES[1],
            START + b"\n",
            *[GAMES[i % 8][:-50] + b"\n" for i in range(12)],
            (START + b"\n") * 500,
            GAMES[5],
            GAMES[6][:-60],
        ]
    )
    path = tmp_path / "big.jsonl"
    path.write_bytes(data)
    return path, data


def whole(data: bytes, path: Path) -> list[Finding]:
    """What is said of the same bytes in one piece."""
    import io

    from tenlog.audit import judge_game
    from tenlog.log.source import split_games

    return [judge_game(text, str(path), Settings()) for text in split_games(io.BytesIO(data))]


def test_pieces_say_what_the_whole_file_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, data = big(tmp_path, monkeypatch)
    assert list(audit([str(path)])) == whole(data, path)
    for size in (1, 33, 34, 35, 4096, len(GAMES[0])):
        monkeypatch.setattr("tenlog.audit.PIECE", size if size > 1000 else 20_000 + size)
        assert list(audit([str(path)])) == whole(data, path)
    # A cut right at, before and behind the newline that a game begins after.
    cut = len(b"garbage before\n" + GAMES[0])
    for size in (cut - 2, cut - 1, cut, cut + 1, cut + 30, cut + 40):
        monkeypatch.setattr("tenlog.audit.PIECE", size)
        assert list(audit([str(path)])) == whole(data, path)


def test_a_line_without_end_is_given_up_but_not_what_lies_behind_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tenlog.audit.PIECE", 1 << 20)
    monkeypatch.setattr("tenlog.log.source.GIVE_UP", 1 << 20)
    data = GAMES[0] + b"x" * (5 << 20) + b"\ny\nz\n" + GAMES[1] + b"w\n" + GAMES[2]
    path = tmp_path / "a.jsonl"
    path.write_bytes(data)
    found = [item for item in audit([str(path)]) if isinstance(item, Judged)]
    assert [(item.game, item.verdict) for item in found] == [
        ("g0", "faulty"),
        ("g1", "faulty"),
        ("g2", "clean"),
    ]
    assert found[2].end[1] == data.count(b"\n")
    assert found[1].faults[0].line == data[: data.index(b"w\n")].count(b"\n") + 1


@pytest.mark.parametrize("level", ["full", "seals"])
def test_processes_change_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, level: str
) -> None:
    monkeypatch.setattr("tenlog.audit._WORTH_IT", {"full": 1, "seals": 1})
    path, _ = big(tmp_path, monkeypatch)
    (tmp_path / "folder").mkdir()
    for i, one in enumerate(GAMES):
        (tmp_path / "folder" / f"{i}.jsonl").write_bytes(one)
    (tmp_path / "folder" / "3b.jsonl").write_bytes(b"")
    paths = [str(path), str(tmp_path / "nothing"), str(tmp_path / "folder")]
    settings = Settings(level=level)  # type: ignore[arg-type]
    alone = list(audit(paths, settings))
    done: list[int] = []
    many = list(audit(paths, settings, jobs=3, progress=lambda size, total: done.append(size)))
    assert many == alone
    assert done == sorted(done)
    assert done[-1] == sum(p.stat().st_size for p in tmp_path.rglob("*.jsonl"))


def test_a_process_that_dies_costs_its_piece_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed from outside while it judges, as when memory is short."""
    import signal

    from tenlog import pool as pool_room

    monkeypatch.setattr("tenlog.audit._WORTH_IT", {"full": 1})
    for i in range(30):
        (tmp_path / f"{i:02}.jsonl").write_bytes(GAMES[i % 8] * 20)
    real = pool_room._Pool.listen
    killed: list[int] = []

    def listen(self: pool_room._Pool[Any, Any], turn: int) -> None:
        if not killed and turn == 3:
            worker = next(w for w in self.workers if w.numbers)
            killed.append(worker.numbers[0])
            assert worker.process.pid is not None
            os.kill(worker.process.pid, signal.SIGKILL)
        real(self, turn)

    monkeypatch.setattr(pool_room._Pool, "listen", listen)
    found = list(audit([str(tmp_path)], jobs=2))
    unread = [item for item in found if isinstance(item, Unread)]
    if killed:  # unless all was done by then
        assert len(unread) <= 1
        assert all("the process that did ended" in item.message for item in unread)
    judged = {item.file for item in found if isinstance(item, Judged)}
    assert len(judged | {item.file for item in unread}) == 30


def test_many_results_wait_within_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A piece of tiny games says more than it is long; nobody runs ahead of its turn with it."""
    from tenlog import pool as pool_room

    monkeypatch.setattr("tenlog.audit._WORTH_IT", {"full": 1})
    monkeypatch.setattr(pool_room, "_WAITING", 50_000)
    monkeypatch.setattr("tenlog.audit.PIECE", 20_000)
    path = tmp_path / "tiny.jsonl"
    path.write_bytes((START + b"\n") * 6_000)
    most = 0
    real = pool_room._Pool._take

    def take(self: pool_room._Pool[Any, Any], worker: pool_room._Worker) -> None:
        nonlocal most
        real(self, worker)
        most = max(most, self.waiting)

    monkeypatch.setattr(pool_room._Pool, "_take", take)
    assert sum(isinstance(item, Judged) for item in audit([str(path)], jobs=3)) == 6_000
    assert most < 3 * (50_000 + (1 << 18))


# --- files that change under the audit -----------------------------------------------------------


def source_of(path: Path) -> Source:
    (found,) = find_sources([str(path)])
    assert isinstance(found, Source)
    return found


def test_a_file_that_grows_is_judged_as_it_was_found(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(GAMES[0] * 2)

    def more(done: int, total: int | None) -> None:
        pass

    found: list[Finding] = []
    for item in audit([str(path)], progress=more):
        found.append(item)
        with path.open("ab") as file:
            file.write(GAMES[1])
    assert [item.game for item in found if isinstance(item, Judged)] == ["g0", "g0"]


@pytest.mark.parametrize("how", ["gone", "replaced", "shorter", "pipe"])
def test_a_file_that_is_not_what_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(GAMES[0] * 30)
    (tmp_path / "b.jsonl").write_bytes(GAMES[1])
    real = find_sources

    def meanwhile(paths: list[str]) -> Iterator[Source | Unread]:
        found = list(real(paths))
        if how == "shorter":
            os.truncate(path, 5000)
        else:
            path.unlink()
        if how == "replaced":
            path.write_bytes(GAMES[2])
        if how == "pipe":
            os.mkfifo(path)
        return iter(found)

    monkeypatch.setattr("tenlog.audit.find_sources", meanwhile)
    found = list(audit([str(tmp_path)]))
    unread = [item for item in found if isinstance(item, Unread)]
    assert [Path(item.file).name for item in unread] == ["a.jsonl"]
    assert names(iter(found))[-1] == "b.jsonl:g1:clean"


def test_nothing_is_written(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    (folder / "a.jsonl").write_bytes(GAMES[0][:-30])
    (folder / "b.jsonl").write_bytes(BROKEN)
    before = {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in folder.iterdir()}
    folder.chmod(0o555)
    home = {"TENLOG_HOME": str(tmp_path / "home"), "HOME": str(tmp_path / "h")}
    assert run_cli("audit", folder, "--all", "--explain", env=home, cwd=folder).returncode == 1
    folder.chmod(0o755)
    assert {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in folder.iterdir()} == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["logs"]


def test_pieces_are_of_a_size_that_pays() -> None:
    assert 1 << 20 <= PIECE <= 1 << 26
