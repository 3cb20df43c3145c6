"""The example of reading a log in another language: it runs, and stands in the format page."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support import ROOT

SCRIPT = ROOT / "fixtures" / "read_log.mjs"
GOLDEN = ROOT / "fixtures" / "golden"
NODE = shutil.which("node")


def run(*files: Path) -> subprocess.CompletedProcess[str]:
    assert NODE is not None
    return subprocess.run(
        [NODE, str(SCRIPT), *map(str, files)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_the_page_shows_the_script() -> None:
    page = (ROOT / "tenlog" / "docs" / "format.md").read_text(encoding="utf-8")
    shown = re.search(r"```js\n(.*?)```", page, re.S)
    assert shown is not None
    assert shown[1] == SCRIPT.read_text(encoding="utf-8")
    assert len(shown[1].splitlines()) <= 40


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_it_reads_the_golden_games() -> None:
    done = run(GOLDEN / "3-players.jsonl", GOLDEN / "sealed.jsonl", GOLDEN / "torn.jsonl")
    assert done.returncode == 0, done.stderr
    three, sealed, torn = done.stdout.splitlines()
    assert three == "3-players: 249 events, won by p1 (p0 6, p1 6, p2 3)"
    assert "won by" in sealed
    assert torn == "torn: 115 events, in progress, not sealed: last 31 bytes"


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_it_finds_damage(tmp_path: Path) -> None:
    data = (GOLDEN / "2-players.jsonl").read_bytes()
    for old, new, said in (
        (b'"seat":0', b'"seat":1', "broken seal"),
        (b'"n":7,', b'"n":8,', "out of order"),
        (b'{"n":7', b'{ "n":7', "not canonical"),
    ):
        broken = tmp_path / "broken.jsonl"
        broken.write_bytes(data.replace(old, new, 1))
        done = run(broken)
        assert done.returncode == 1
        assert said in done.stderr
