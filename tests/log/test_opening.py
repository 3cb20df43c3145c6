"""Nothing but files is opened: no pipe that nobody writes to, no device without end, no link."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tenlog.errors import LogError, SetupError
from tenlog.log.making import seed_path
from tenlog.log.opening import open_handle, read_small
from tenlog.log.read import read_one
from tenlog.log.store import encode_game, read_seed
from tenlog.play.home import find_log, list_games
from tenlog.play.session import new_session, resume_session
from tests.support import ROOT, play_game, run_cli

SOON = 30  # seconds; what waits for a pipe waits for ever


def new(path: Path, *, sealed: bool = False) -> None:
    new_session(path, ["A"], game="g", seed="s", sealed=sealed).close()


def no_files(folder: Path) -> list[Path]:
    """What is no file: a pipe, a link to a device, a folder."""
    pipe, device, below = folder / "pipe", folder / "device", folder / "folder"
    os.mkfifo(pipe)
    device.symlink_to("/dev/zero")
    below.mkdir()
    return [pipe, device, below]


def test_what_is_no_file_is_not_opened(tmp_path: Path) -> None:
    for path in no_files(tmp_path):
        for flags in (os.O_RDONLY, os.O_WRONLY):
            with pytest.raises(OSError, match=r"no file|[Ii]s a directory"):
                open_handle(path, flags)


def test_a_small_file_is_read_up_to_its_size(tmp_path: Path) -> None:
    path = tmp_path / "small"
    path.write_bytes(b"x" * 2048)
    assert read_small(path, 2048) == b"x" * 2048
    with pytest.raises(OSError, match="larger than 1 KiB"):
        read_small(path, 1024)


def test_a_pipe_from_the_shell_can_be_read_where_that_is_asked_for() -> None:
    read, write = os.pipe()
    os.write(write, b"hello")
    os.close(write)
    try:
        name = f"/dev/fd/{read}"
        with pytest.raises(OSError, match="no file"):
            read_small(name, 100)
        assert read_small(name, 100, piped=True) == b"hello"
    finally:
        os.close(read)


def test_a_torn_end_is_not_written_through_a_link(tmp_path: Path) -> None:
    path, torn, victim = (tmp_path / name for name in ("g.jsonl", "g.jsonl.torn", "victim"))
    new(path)
    data = path.read_bytes() + b'{"n":9'
    path.write_bytes(data)
    victim.write_text("mine\n")
    torn.symlink_to(victim)
    with pytest.raises(LogError, match=r"can't write .*g\.jsonl\.torn: it is a link"):
        resume_session(path)
    assert (victim.read_text(), path.read_bytes()) == ("mine\n", data)
    torn.unlink()
    os.mkfifo(torn)
    with pytest.raises(LogError, match=r"g\.jsonl\.torn: it is no file"):
        resume_session(path)
    assert path.read_bytes() == data
    torn.unlink()
    resume_session(path).close()
    assert torn.read_bytes() == b'{"n":9'


def test_a_seed_that_is_none(tmp_path: Path) -> None:
    path = tmp_path / "g.jsonl"
    new(path, sealed=True)
    seed = seed_path(path)
    for other in no_files(tmp_path):
        seed.unlink()
        seed.symlink_to(other)
        with pytest.raises(LogError, match=r"can't read .*g\.jsonl\.seed"):
            resume_session(path)
    seed.unlink()
    seed.write_text("s" * 2000)
    with pytest.raises(LogError, match="larger than 1 KiB"):
        read_seed(path)


COMMANDS = [
    "show LOG", "seal LOG", "replay LOG", "diff LOG LOG", "export LOG", "draw LOG",
    "import LOG", "branch LOG --at 1", "resume LOG", "rules --ruleset LOG.json",
    "new --rules LOG.toml", "simulate --repeat LOG", "query -f LOG", "audit LOG",
    "audit --trusted LOG x", "sign --key LOG x", "archive add LOG",
]  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_waits_for_a_pipe_or_reads_a_device(tmp_path: Path, command: str) -> None:
    suffix = command.partition("LOG")[2].partition(" ")[0]
    (tmp_path / "x").write_bytes(encode_game(play_game("1")[0]))
    (tmp_path / f"device{suffix}").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / f"pipe{suffix}")
    for name in ("device", "pipe"):
        words = command.replace("LOG", name).split()
        env = {"TENLOG_HOME": str(tmp_path / "home")}
        done = run_cli(*words, env=env, cwd=tmp_path, timeout=SOON)
        assert done.returncode in (2, 3), done
        assert b"no file" in done.stderr, done
        assert b"Traceback" not in done.stderr


def test_a_pipe_in_the_home_is_listed_and_hinders_nobody(tmp_path: Path) -> None:
    games = tmp_path / "games"
    games.mkdir()
    new(games / "a.jsonl")
    os.mkfifo(games / "b.jsonl")
    os.utime(games / "a.jsonl", (1, 1))  # so that the pipe is the latest
    env = {"TENLOG_HOME": str(tmp_path)}
    listed = run_cli("ls", env=env, timeout=SOON)
    assert listed.returncode == 0
    assert b"it is no file" in listed.stdout.replace(b"\n   ", b"")
    assert run_cli("draw", env=env, timeout=SOON).returncode == 0
    assert len(read_one(games / "a.jsonl").lines) > 1


def test_a_link_that_leads_nowhere_hides_no_other_game(tmp_path: Path) -> None:
    (tmp_path / "games").mkdir()
    new(tmp_path / "games" / "a.jsonl")
    (tmp_path / "games" / "b.jsonl").symlink_to("nowhere")
    rows = {row.game: row.fault for row in list_games(tmp_path)}
    assert set(rows) == {"g", "b"}
    assert "no such file" in (rows["b"] or "")
    assert find_log(tmp_path, None) == tmp_path / "games" / "a.jsonl"
    with pytest.raises(SetupError, match="no log and no game ''"):
        find_log(tmp_path, "")


def test_a_reader_takes_what_the_shell_pipes_in(tmp_path: Path) -> None:
    path = tmp_path / "g.jsonl"
    new(path)
    script = f"{sys.executable} -m tenlog show --json <(cat {path})"
    done = subprocess.run(
        ["bash", "-c", script],
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'cli'}"},
        capture_output=True,
        timeout=SOON,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
