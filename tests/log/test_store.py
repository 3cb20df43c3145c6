"""Writing: what was acknowledged stays, whatever happens to the disk, the folder or the file."""

from __future__ import annotations

import errno
import fcntl
import gzip
import os
import resource
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tenlog.errors import LogChanged, LogError, LogFault, SetupError
from tenlog.log.making import seed_path, write_private
from tenlog.log.read import read_one
from tenlog.log.replay import replay_strictly
from tenlog.log.store import create_log, open_log, read_seed, save_log
from tenlog.play.session import Session, new_session, resume_session, start_event
from tests.laws.games import small_ruleset
from tests.support import ROOT, play_game

NAMES = ("p0", "p1")
BOTS = ("random", "random")


def new(path: Path, *, sealed: bool = False, seed: str = "s") -> Session:
    return new_session(
        path, NAMES, game="g", seed=seed, bots=BOTS, ruleset=small_ruleset(), sealed=sealed
    )


def unbroken(*, sealed: bool = False, seed: str = "s") -> list[object]:
    events, _ = play_game(seed, 2, ruleset=small_ruleset(), sealed=sealed)
    return [*events]


def finish(path: Path) -> list[object]:
    with resume_session(path) as session:
        for _ in session.bots_move():
            pass
        assert session.over
    return [*read_one(path).events]


def play_some(session: Session, decisions: int = 3) -> None:
    for _, _ in zip(range(decisions), session.bots_move(), strict=False):
        pass


# --- locks ---------------------------------------------------------------------------------------


def test_a_second_process_is_refused_while_one_writes(tmp_path: Path) -> None:
    path = tmp_path / "g.jsonl"
    code = (
        "import sys; from pathlib import Path; from tenlog.play.session import resume_session\n"
        "from tenlog.errors import LogLocked\n"
        "try: resume_session(Path(sys.argv[1])).close()\n"
        "except LogLocked as error: print(error); sys.exit(7)\n"
    )

    def other() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", code, str(path)], cwd=ROOT, capture_output=True, text=True,
            check=False,
        )  # fmt: skip

    with new(path) as session:
        refused = other()
        assert (refused.returncode, refused.stderr) == (7, "")
        assert str(path) in refused.stdout
        play_some(session)
        assert read_one(path).events == session.events  # a reader never waits
    assert other().returncode == 0
    assert finish(path) == unbroken()


# --- the tail ------------------------------------------------------------------------------------


def test_a_tail_is_kept_beside_the_log(tmp_path: Path) -> None:
    path = tmp_path / "g.jsonl"
    with new(path) as session:
        play_some(session)
    good = path.read_bytes()
    for tail in (b'{"n":9', b"\xff\n\n", b"more"):
        path.write_bytes(good + tail)
        resume_session(path).close()
        assert path.read_bytes() == good
    assert (tmp_path / "g.jsonl.torn").read_bytes() == b'{"n":9\xff\n\nmore'
    assert finish(path) == unbroken()


@pytest.mark.parametrize("data", [b"hello", b"my notes\nof the day\n", b"\n", b"{", b'{"n":0,"ev"'])
def test_a_file_that_is_no_game_is_left_alone(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(data)
    with pytest.raises(LogError, match=r"notes\.txt"):
        resume_session(path)
    assert path.read_bytes() == data
    assert [file.name for file in tmp_path.iterdir()] == ["notes.txt"]


def test_damage_is_never_repaired(tmp_path: Path) -> None:
    path = tmp_path / "g.jsonl"
    with new(path) as session:
        play_some(session)
    good = path.read_bytes()
    for data in (
        good.replace(b'"seat":0', b'"seat":1', 1) + b"tail",
        good[:-9] + b"\n",
        good[1:],
        good + b'{"n":0,"ev":{"type":"CardDrawn","seat":0,"card":"R1"},"h":"' + b"0" * 32 + b'"}\n',
        bytes(3 << 20),  # of what is too long for a line or a game, only the beginning is kept
        good + bytes(3 << 20),
    ):
        path.write_bytes(data)
        with pytest.raises(LogFault, match=r"g\.jsonl, line \d+ \(event \d+\)"):
            resume_session(path)
        assert path.read_bytes() == data


def test_what_cannot_be_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "g.jsonl"
    with new(path) as session:
        play_some(session)
    packed = tmp_path / "g.jsonl.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    with pytest.raises(LogError, match="compressed"):
        resume_session(packed)
    path.write_bytes(b"")
    with pytest.raises(LogError, match="no game in it"):
        resume_session(path)
    with pytest.raises(LogError, match="no such file"):
        resume_session(tmp_path / "none.jsonl")
    with pytest.raises(LogError, match="is a directory"):
        resume_session(tmp_path)


def test_the_last_game_of_a_file_goes_on(tmp_path: Path) -> None:
    one, two = tmp_path / "1.jsonl", tmp_path / "2.jsonl"
    for path in (one, two):
        with new(path) as session:
            play_some(session, 3)
    before = one.read_bytes()
    one.write_bytes(before + two.read_bytes())
    assert finish(one) == unbroken()
    assert one.read_bytes().startswith(before)


# --- full disks ----------------------------------------------------------------------------------


def limited(limit: int, task: Callable[[], str]) -> str:
    """What a task answers in a process that can make no file longer than ``limit`` bytes."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        answer = "nothing"
        try:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
            answer = task()
        except BaseException as error:
            answer = f"{type(error).__name__}: {error}"
        finally:
            os.write(writing, answer.encode())
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    return answer


def test_a_full_disk_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "g.jsonl"
    with new(path):
        pass
    start = path.stat().st_size
    expected = unbroken()

    def play_on() -> str:
        with resume_session(path) as session:
            try:
                for _ in session.bots_move():
                    pass
            except LogError as error:
                # Nothing has happened, as far as anybody was told.
                assert read_one(path).events == session.events
                return str(error)
        return "finished"

    limit = start
    while True:
        answer = limited(limit, play_on)
        if answer == "finished":
            break
        assert "can't write" in answer
        assert str(path) in answer
        assert "tenlog resume" in answer
        log = read_one(path)
        assert log.fault is None
        assert log.tail == b""
        assert log.events == expected[: len(log.events)]
        limit += 411
    assert [*read_one(path).events] == expected


@pytest.mark.parametrize("limit", [0, 2, 100, 300])
@pytest.mark.parametrize("sealed", [False, True])
def test_no_half_of_a_new_game_stays_on_a_full_disk(
    tmp_path: Path, limit: int, sealed: bool
) -> None:
    path = tmp_path / "g.jsonl"
    answer = limited(limit, lambda: str(new(path, sealed=sealed, seed="s" * 64)))
    assert answer.startswith("LogError: can't write")
    assert list(tmp_path.iterdir()) == []
    new(path, sealed=sealed, seed="s" * 64).close()
    assert finish(path) == unbroken(sealed=sealed, seed="s" * 64)


@pytest.mark.parametrize("sealed", [False, True])
@pytest.mark.parametrize("folder_syncs", [0, 1])
def test_a_log_that_fails_after_it_got_its_name_goes_with_its_seed(
    tmp_path: Path, sealed: bool, folder_syncs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "g.jsonl"
    sync = os.fsync
    left = [folder_syncs if sealed else 0]

    def failing(handle: int) -> None:
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            if not left[0]:
                raise OSError(errno.EIO, "input/output error")
            left[0] -= 1
        sync(handle)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", failing)
        with pytest.raises(LogError, match="input/output error"):
            new(path, sealed=sealed)
        with pytest.raises(LogError, match="input/output error"):
            save_log(path, [b"x"])
    assert list(tmp_path.iterdir()) == []


def test_where_a_log_can_not_be_removed_its_seed_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "g.jsonl"

    def refused(path: Path, missing_ok: bool = False) -> None:
        raise OSError(errno.EPERM, "not permitted")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", refused)
        with pytest.raises(LogError, match="not permitted"):
            new(path, sealed=True)
    assert finish(path) == unbroken(sealed=True)


def test_what_killed_processes_left_of_a_log_goes_with_the_next_one(tmp_path: Path) -> None:
    path = tmp_path / "g.jsonl"
    stale = tmp_path / ".g.jsonl.0123abcd.part"
    others = [tmp_path / name for name in (".h.jsonl.0123abcd.part", ".g.jsonl.part", ".g.jsonl.x")]
    busy = tmp_path / ".g.jsonl.fedc3210.part"
    for file in (stale, busy, *others):
        file.write_bytes(b"x")
    with busy.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)  # somebody else is making the same log right now
        new(path).close()
    assert {*tmp_path.iterdir()} == {path, busy, *others}


# --- folders and files that are not as they should be --------------------------------------------


def as_nobody(task: Callable[[], object]) -> str:
    """What a task raises in a process without the rights of root."""

    def run() -> str:
        if os.getuid() == 0:
            os.setgid(65534)
            os.setuid(65534)
        task()
        return "no error"

    return limited(1 << 30, run)


def test_a_read_only_folder() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o555)
        answer = as_nobody(lambda: new(folder / "g.jsonl"))
        assert answer.startswith(f"LogError: can't write {folder}/g.jsonl")
        assert "ermission denied" in answer
        answer = as_nobody(lambda: new(folder / "sub" / "g.jsonl"))
        assert answer.startswith(f"LogError: can't write {folder}/sub/g.jsonl")


def test_a_read_only_log() -> None:
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "g.jsonl"
        Path(name).chmod(0o755)
        with new(path) as session:
            play_some(session)
        path.chmod(0o444)
        answer = as_nobody(lambda: resume_session(path))
        assert answer.startswith(f"LogError: can't write to {path}")
        path.chmod(0o000)
        assert as_nobody(lambda: read_one(path)).startswith(f"LogError: can't read {path}")


def test_folders_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for folder in (tmp_path / "file", tmp_path / "file" / "deeper", Path("/proc/nothing")):
        with pytest.raises(LogError, match=f"can't write {folder}/g.jsonl") as error:
            new(folder / "g.jsonl")
        assert "already" not in str(error.value)
    with pytest.raises(LogError, match="already"):
        new(tmp_path / "file")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with pytest.raises(LogError, match="already"):
        new(tmp_path / "link")
    with pytest.raises(LogError, match="too long"):
        new(tmp_path / ("x" * 300))
    new(tmp_path / "made" / "on" / "the" / "way" / "g.jsonl").close()


def test_names_as_long_as_a_folder_takes(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 244 + ".jsonl")
    new(path, sealed=True).close()
    assert finish(path) == unbroken(sealed=True)
    assert [*tmp_path.iterdir()] == [path]


def _replace(path: Path) -> None:
    copy = path.with_name("copy")
    copy.write_bytes(path.read_bytes())
    copy.rename(path)


CHANGES: dict[str, tuple[str, Callable[[Path], object]]] = {
    "replaced": ("was replaced", _replace),
    "removed": ("went away", lambda path: path.unlink()),
    "emptied": ("was shortened", lambda path: path.write_bytes(b"")),
    "shortened": ("was shortened", lambda path: path.write_bytes(path.read_bytes()[:-1])),
    "lengthened": ("written to by", lambda path: path.write_bytes(path.read_bytes() + b"x")),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_log_that_is_changed_under_a_running_game(tmp_path: Path, name: str) -> None:
    words, change = CHANGES[name]
    path = tmp_path / "g.jsonl"
    with new(path) as session:
        play_some(session)
        events = [*session.events]
        state = session.state.copy()
        change(path)
        after = path.read_bytes() if path.exists() else None
        for _ in range(2):
            with pytest.raises(LogChanged, match=words):
                session.do(session.bot_decision())
            # Neither the table nor what somebody else wrote was touched.
            assert session.events == events
            assert session.state == state
            assert (path.read_bytes() if path.exists() else None) == after


# --- the seed of a sealed game -------------------------------------------------------------------


def test_no_seed_file_stays_beside_another_log(tmp_path: Path) -> None:
    path = tmp_path / "g.jsonl"
    new(path).close()
    with pytest.raises(LogError, match="is there already"):
        new(path, sealed=True)
    assert [*tmp_path.iterdir()] == [path]


def test_a_seed_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "g.jsonl"
    write_private(seed_path(path), "of a game that was moved away\n")
    with pytest.raises(LogError, match=r"g\.jsonl\.seed is there already.*never began"):
        new(path, sealed=True)
    assert read_seed(path) == "of a game that was moved away"
    assert not path.exists()


def test_a_wrong_seed_file_is_told_as_such(tmp_path: Path) -> None:
    path = tmp_path / "g.jsonl"
    with new(path, sealed=True) as session:
        play_some(session)
    before = path.read_bytes()
    for wrong in ("another", "x" * 200, "", "a\x07"):
        seed_path(path).write_text(wrong)
        with pytest.raises(LogError, match="is not the seed") as error:
            resume_session(path)
        assert not isinstance(error.value, LogFault)
    seed_path(path).write_bytes(b"\xff")
    with pytest.raises(LogError, match="can't read"):
        resume_session(path)
    seed_path(path).unlink()
    with pytest.raises(LogError, match="its seed is not here"):
        resume_session(path)
    assert path.read_bytes() == before
    write_private(seed_path(path), "s\n")
    assert finish(path) == unbroken(sealed=True)
    assert not seed_path(path).exists()


def test_a_seed_file_left_by_a_killed_process_goes_with_the_next_resume(tmp_path: Path) -> None:
    path = tmp_path / "g.jsonl"
    new(path, sealed=True).close()
    finish(path)
    write_private(seed_path(path), "s\n")
    with pytest.raises(LogError, match="finished"):
        resume_session(path)
    assert not seed_path(path).exists()


def test_a_stray_seed_file_beside_an_open_game_does_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "g.jsonl"
    new(path).close()
    seed_path(path).write_text("another")
    assert finish(path) == unbroken()


# --- the rest ------------------------------------------------------------------------------------


def test_every_decision_is_synced_before_it_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    write, sync = os.write, os.fsync

    def logged_write(handle: int, data: bytes) -> int:
        calls.append("write")
        return write(handle, data)

    def logged_sync(handle: int) -> None:
        calls.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "sync")
        sync(handle)

    monkeypatch.setattr(os, "write", logged_write)
    monkeypatch.setattr(os, "fsync", logged_sync)
    with new(tmp_path / "g.jsonl") as session:
        assert calls == ["write", "sync", "folder"]
        calls.clear()
        session.do(session.bot_decision())
        assert calls == ["write", "sync"]
    calls.clear()
    with new(tmp_path / "h.jsonl", sealed=True):
        assert calls == ["write", "sync", "folder"] * 2  # the seed before the log


def test_a_log_and_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "g.jsonl"
    event = start_event(NAMES, "s", game="g")
    with create_log(path, [event], bots=[None, "random"], at=17) as writer:
        assert (writer.n, len(writer.seal)) == (1, 32)
    log = read_one(path)
    assert (log.lines[0].at, log.bots, log.start) == (17, (None, "random"), event)
    writer, log = open_log(path)
    writer.close()
    writer.close()
    with pytest.raises(LogChanged):
        writer.append([event])
    assert replay_strictly(log, path).state is not None


def test_bots_for_other_seats_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "g.jsonl"
    with pytest.raises(SetupError, match="3 bots or persons for 2 players"):
        new_session(path, NAMES, game="g", seed="s", bots=("random",) * 3)
    assert not path.exists()
