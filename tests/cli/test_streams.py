"""Standard streams that are full, closed or left, and Ctrl-C: an exit code and a line, at most."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.terminal import Terminal
from tests.support import ROOT, run_cli

SAMPLE = next((ROOT / "tests" / "referee" / "samples").rglob("*.jsonl"))
_ENV = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "cli")])}


def _shell(line: str, *args: str | Path) -> subprocess.CompletedProcess[bytes]:
    """A line of sh; in it, $T is tenlog and $@ the arguments."""
    return subprocess.run(
        ["sh", "-c", line.replace("$T", f"'{sys.executable}' -m tenlog"), "sh", *map(str, args)],
        capture_output=True,
        env=_ENV,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("args", ["rules", "schema line", "audit -v", "--help"])
def test_full_output(args: str) -> None:
    more = (SAMPLE,) if args.startswith("audit") else ()
    done = _shell(f'$T {args} "$@" >/dev/full', *more)
    assert done.returncode == 3
    assert done.stderr == b"tenlog: can't write the output: no space left on device\n"
    mute = _shell(f'$T {args} "$@" >/dev/full 2>/dev/full', *more)
    assert (mute.returncode, mute.stderr) == (3, b"")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a game and an archive."""
    home = tmp_path_factory.mktemp("kept")
    env = {"TENLOG_HOME": str(home)}
    log = str(home / "games" / "done.jsonl")
    (home / "games").mkdir()
    for args in (
        ("demo", "-q", "--log", log, "--game", "done", "--seed", "1"),
        ("archive", "add", "-q"),
    ):
        assert run_cli(*args, env=env).returncode == 0
    assert run_cli("new", "-q", "--game", "going", "--seed", "1", env=env).returncode == 0
    return home


READ = (
    "--help", "play --help", "archive --help", "rules", "rules --find wild", "rules 4.3 --json",
    "bots", "bots show protocol", "schema", "schema line", "ls", "ls --json", "show done",
    "legal going", "odds going", "replay done", "replay done --json", "replay done --html -",
    "draw going", "audit -v $KEPT", "audit --json $KEPT", "seal done", "export done --line",
    "export done --text", "export done --csv", "archive ls", "archive info", "archive get done",
    "query SHOW\tTABLES", "query FROM\tevents --format csv", "report", "report busts",
    "simulate -n 4 --seed 1 --bots random --players 2 --jobs 1",
    "tournament -n 1 --seed 1 --bots random,cautious --jobs 1",
)  # fmt: skip


@pytest.mark.parametrize("command", READ)
def test_a_reader_that_went_away(kept: Path, command: str) -> None:
    """Always 141, as after SIGPIPE, and not a word: 1 would be a finding."""
    args = [word.replace("$KEPT", str(kept)).replace("\t", " ") for word in command.split(" ")]
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "tenlog", *args],
            stdout=writer, stderr=subprocess.PIPE, check=False, timeout=120,
            env={**_ENV, "TENLOG_HOME": str(kept)},
        )  # fmt: skip
    finally:
        os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.parametrize("command", [c for c in READ if c.startswith(("simulate", "tournament"))])
def test_a_reader_that_goes_when_it_likes(kept: Path, command: str) -> None:
    """Whoever writes next finds it out, after any of the lines, and whatever is buffered."""
    for unbuffered in ("", "1"):
        env = {**_ENV, "TENLOG_HOME": str(kept), "PYTHONUNBUFFERED": unbuffered}
        for lines in (0, 0, 1, 2, 3, 4):
            with subprocess.Popen(
                [sys.executable, "-m", "tenlog", *command.split()],
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env,
            ) as process:  # fmt: skip
                assert process.stdout is not None
                for _ in range(lines):
                    process.stdout.readline()
                process.stdout.close()
                code = process.wait(60)
            # All may have been written before the reader went.
            assert code in ((0, 141) if lines else (141,))


def test_closed_streams(tmp_path: Path) -> None:
    for closed in (">&-", "2>&-", "<&-", "<&- >&- 2>&-"):
        done = _shell(f"$T schema line {closed}")
        assert (done.returncode, done.stderr) == (0, b"")
    log = tmp_path / "g.jsonl"
    new = _shell('$T new --seed 1 --log "$1" <&- >&- 2>&-', log)
    assert (new.returncode, new.stdout, new.stderr) == (0, b"", b"")
    assert log.read_bytes().startswith(b'{"n":0')
    assert run_cli("audit", log).returncode == 0
    wrong = _shell("$T show no-such-game 2>&-")
    assert wrong.returncode == 2


def test_an_interrupt_that_python_ignores_comes_again() -> None:
    """One that comes in a callback, as importing modules has them, is only reported."""
    code = """if True:
        import signal, weakref
        import tenlog_cli.begin as begin
        import tenlog_cli.app as app
        class Thing: pass
        def run():
            thing = Thing()
            lost = weakref.ref(thing, lambda _: signal.raise_signal(signal.SIGINT))
            del thing
            signal.pause()
        app.main = run
        begin.main()"""
    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, env=_ENV, timeout=60, check=False
    )
    assert (process.returncode, process.stdout, process.stderr) == (130, b"", b"")


def test_interrupted_whenever_it_comes() -> None:
    for wait in (0.15, 0.5, 2.5):
        process = subprocess.Popen(
            [sys.executable, "-c", "from tenlog_cli.begin import main\nprint(flush=True)\nmain()",
             "audit", "-"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=_ENV,
        )  # fmt: skip
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(wait)
        process.send_signal(signal.SIGINT)
        process.wait(60)
        _, error = process.communicate()
        assert (process.returncode, error) == (130, b"")


def test_interrupted_where_another_error_is_made_of_it() -> None:
    program = """
import tenlog_cli.app
from tenlog_cli.begin import main
def run():
    try:
        raise {first}
    except BaseException as error:
        raise RuntimeError("Error calling __set_name__") from error
tenlog_cli.app.main = run
main()
"""
    for first, code in (("KeyboardInterrupt", 130), ("ValueError", 1)):
        done = subprocess.run(
            [sys.executable, "-c", program.format(first=first)],
            capture_output=True,
            check=False,
            env=_ENV,
            timeout=60,
        )
        assert (done.returncode, b"Traceback" in done.stderr) == (code, code == 1)


def test_what_is_wrong_is_folded_on_a_terminal_and_one_line_elsewhere(tmp_path: Path) -> None:
    terminal = Terminal("resume", home=tmp_path)
    terminal.finish()
    lines = [line.rstrip() for line in terminal.raw.replace("\r", "").rstrip("\n").split("\n")]
    assert len(lines) > 1
    assert all(len(line) <= 80 for line in lines)
    done = run_cli("resume", env={"TENLOG_HOME": str(tmp_path)})
    assert done.stderr.decode().rstrip("\n") == " ".join(lines)
