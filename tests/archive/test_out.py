"""Files that answers are written to: nothing that is there is lost, whatever is beside it."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from tests.support import run_cli

ONE = "select 1 as x"


@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
def test_a_file_is_not_replaced_unless_asked(kept: Path, tmp_path: Path, name: str) -> None:
    out = tmp_path / name
    out.write_text("mine")
    beside, other = tmp_path / f".{name}.part", tmp_path / "other"
    other.write_text("theirs")
    beside.symlink_to(other)
    asked = ("query", ONE, "--archive", kept, "--out", out)
    refused = run_cli(*asked)
    assert refused.returncode == 3
    assert b"--overwrite" in refused.stderr
    assert out.read_text() == "mine"
    done = run_cli(*asked, "--overwrite")
    assert (done.returncode, done.stderr) == (0, b"")
    assert out.read_bytes()[:1] in b"xP"
    assert (beside.is_symlink(), other.read_text()) == (True, "theirs")
    out.unlink()
    assert run_cli(*asked).returncode == 0
    failed = run_cli("query", "select error('no')", "--archive", kept, "-o", out, "--overwrite")
    assert failed.returncode == 2
    assert out.read_bytes()[:1] in b"xP"
    assert len(list(tmp_path.iterdir())) == 3


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_pipes_and_devices_are_written_to(kept: Path, tmp_path: Path, form: str) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    asked = ("query", ONE, "--archive", kept, "--format", form, "--out")
    assert run_cli(*asked, pipe).returncode == 0
    reader.join(30)
    assert read[0][:1] in b"xP"
    assert list(tmp_path.iterdir()) == [pipe]
    full = run_cli(*asked, "/dev/full")
    assert full.returncode == 3
    assert full.stderr == b"tenlog: can't write /dev/full: no space left on device\n"
    assert Path("/dev/full").is_char_device()


def test_never_inside_the_archive(kept: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(kept)
    for name in ("a.csv", "a.parquet", "catalogue", "parts/a.csv"):
        done = run_cli("query", ONE, "--archive", kept, "-o", link / name, "--overwrite")
        assert done.returncode == 3
        assert b"inside the archive" in done.stderr
    exported = run_cli("archive", "export", link / "out", "--archive", kept)
    assert exported.returncode == 3
    assert b"inside the archive" in exported.stderr


def test_an_export_leaves_what_is_beside_it(kept: Path, tmp_path: Path) -> None:
    beside = tmp_path / ".data.part"
    beside.mkdir()
    (beside / "mine").write_text("mine")
    assert run_cli("archive", "export", tmp_path / "data", "--archive", kept).returncode == 0
    assert (beside / "mine").read_text() == "mine"
