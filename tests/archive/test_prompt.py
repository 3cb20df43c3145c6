"""The prompt of ``tenlog query``, on a real pseudo-terminal."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pexpect

from tests.support import ROOT


def test_the_prompt(kept: Path, tmp_path: Path) -> None:
    child = pexpect.spawn(
        sys.executable,
        ["-m", "tenlog", "query", "--archive", str(kept)],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "cli")]),
            "TENLOG_HOME": str(tmp_path / "home"),
            "TERM": "xterm",
            "NO_COLOR": "1",
        },
        dimensions=(24, 80),
        timeout=60,
    )
    child.expect(r"tenlog> ")
    child.sendline("select 40 + 2 as answer;")
    child.expect(r"answer")
    child.expect(r"42")
    child.expect(r"\(1 row\)")
    child.expect(r"tenlog> ")
    child.sendline("select nope")
    child.expect(r"\.\.\.> ")
    child.sendline("from games;")
    child.expect(r'"nope" not found')
    child.expect(r"tenlog> ")
    child.sendline("select sum(a.range * b.range) from range(10000000) a, range(10000000) b;")
    child.expect(r";\r\n")
    child.expect(pexpect.TIMEOUT, timeout=2)
    child.sendintr()
    child.expect(r"stopped")
    child.expect(r"tenlog> ")
    child.sendline("copy (select 1) to 'x';")
    child.expect(r"can only read")
    child.expect(r"tenlog> ")
    child.sendeof()
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    assert "answer;" in (tmp_path / "home" / "query_history").read_text()
