"""Every broken log gives the finding that stands beside it."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tenlog.audit.codes import CODES
from tenlog.audit.run import Counts, Unread, audit
from tenlog.audit.verdict import Verdict
from tests.audit.make_broken import FOLDER, cases
from tests.referee.referee import judge as referee_judges
from tests.support import ROOT, run_cli

FINDINGS: dict[str, dict[str, Any]] = msgspec.json.decode((FOLDER / "findings.json").read_bytes())


def _verdicts(path: Path) -> list[Verdict]:
    found = list(audit([str(path)]))
    assert not any(isinstance(item, Unread) for item in found)
    return [item for item in found if isinstance(item, Verdict)]


@pytest.mark.parametrize("name", FINDINGS)
def test_finding(name: str) -> None:
    expected = FINDINGS[name]
    verdicts = _verdicts(FOLDER / name)
    found = verdicts[expected.get("which", 0)]
    for field in ("verdict", "code", "event", "events"):
        if field in expected:
            assert getattr(found, field) == expected[field], found
    assert [verdict.verdict for verdict in verdicts[1:]] == expected.get(
        "then", [verdict.verdict for verdict in verdicts[1:]]
    )
    if found.verdict == "faulty":
        assert isinstance(found.message, str)
        assert found.events == found.event
        data = (FOLDER / name).read_bytes()
        data = gzip.decompress(data) if name.endswith(".gz") else data
        # Line and offset point at the same place.
        assert isinstance(found.offset, int)
        assert data[: found.offset].count(b"\n") + 1 == found.line
        assert found.offset == 0 or data[found.offset - 1 : found.offset] == b"\n"


@pytest.mark.parametrize("name", FINDINGS)
def test_the_referee_finds_the_same_event(name: str) -> None:
    data = (FOLDER / name).read_bytes()
    data = gzip.decompress(data) if name.endswith(".gz") else data
    expected = FINDINGS[name]
    theirs = referee_judges(data)[expected.get("which", 0)]
    assert theirs.verdict == expected["verdict"]
    if theirs.verdict == "faulty":
        assert theirs.fault_event == expected["event"], theirs


def test_the_files_are_those_of_the_script() -> None:
    for name, data, finding in cases():
        path = FOLDER / f"{name}.jsonl"
        if not path.exists():
            path = FOLDER / f"{name}.jsonl.gz"
            assert gzip.decompress(path.read_bytes()) == data
        else:
            assert path.read_bytes() == data
        assert FINDINGS[path.name] == finding
    assert len(FINDINGS) >= 60


def test_every_code_is_covered() -> None:
    # Signatures have tests of their own. What the rules conserve they conserve event by event, so
    # the sum check can't be the first to find anything: it guards against faults of the judge.
    reached = {finding.get("code") for finding in FINDINGS.values()}
    assert set(CODES) - reached == {"not-conserved", "unsigned", "bad-signature"}


def test_every_code_in_the_source_is_listed() -> None:
    import re

    used: set[str] = set()
    for path in (ROOT / "tenlog").rglob("*.py"):
        if "archive" in path.parts or "bots" in path.parts:
            continue
        text = path.read_text()
        for pattern in (
            r'Refusal\(\s*"([a-z0-9-]+)"',
            r'_differs\(\s*"([a-z0-9-]+)"',
            r'CodecError\(\s*"([a-z0-9-]+)"',
            r'at_event\(\s*[^",]+,\s*"([a-z0-9-]+)"',
            r'_fault\(text, [^"]*"([a-z0-9-]+)"',
            r'^    "\w+": \("([a-z0-9-]+)", "[0-9.]+"',
            r'problem = "([a-z0-9-]+)"',
        ):
            used |= set(re.findall(pattern, text, re.MULTILINE))
    assert used <= set(CODES), used - set(CODES)
    assert set(CODES) - used <= {"bad-ruleset", "unknown-ruleset"}


def test_one_broken_file_never_hides_another() -> None:
    counts = Counts()
    for item in audit([str(FOLDER)]):
        counts.add(item)
    assert counts.faulty >= 60
    assert counts.unread == 0
    done = run_cli("audit", FOLDER, "-q")
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", b"")


@pytest.mark.parametrize("name", list(FINDINGS)[::3])
def test_explain_and_all_never_fail(name: str) -> None:
    done = run_cli("audit", FOLDER / name, "--all", "--explain")
    assert done.returncode in (0, 1)
    assert done.stderr == b""
    assert done.stdout
