"""Every broken log gives the finding that stands beside it, and every code has such a log."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tenlog.audit import CODES, Judged, Settings, Summary, audit
from tenlog.audit.codes import GUARDS, STAGES
from tenlog.docs import page
from tests.audit.make_broken import FOLDER, cases
from tests.referee.referee import judge as referee_judges
from tests.support import ROOT, run_cli

FINDINGS: dict[str, dict[str, Any]] = {
    **msgspec.json.decode((FOLDER / "findings.json").read_bytes()),
    **msgspec.json.decode((FOLDER / "found.json").read_bytes()),
}

# Where seals alone must tell as much: damage to bytes that nobody sealed anew.
_SEEN_BY_SEALS = {"bad-seal", "missing-seal", "after-end", "too-long"}


def bytes_of(name: str) -> bytes:
    data = (FOLDER / name).read_bytes()
    return gzip.decompress(data) if name.endswith(".gz") else data


def judged(path: Path, settings: Settings | None = None) -> list[Judged]:
    found = list(audit([str(path)], settings))
    games = [item for item in found if isinstance(item, Judged)]
    assert len(games) == len(found), found
    return games


@pytest.mark.parametrize("name", FINDINGS)
def test_finding(name: str) -> None:
    expected = FINDINGS[name]
    games = judged(FOLDER / name)
    game = games[expected.get("which", 0)]
    assert game.verdict == expected["verdict"], game
    if "events" in expected:
        assert game.events == expected["events"]
    if "then" in expected:
        assert [item.verdict for item in games[1:]] == expected["then"]
    if game.verdict != "faulty":
        assert not game.faults
        return
    (fault,) = game.faults
    assert (fault.code, fault.event) == (expected["code"], expected["event"]), fault
    assert game.events == fault.event
    assert fault.message == fault.message.strip()
    assert fault.code in CODES
    # Line and offset point at the same place.
    data = bytes_of(name)
    assert data[: fault.offset].count(b"\n") + 1 == fault.line
    assert fault.offset == 0 or data[fault.offset - 1 : fault.offset] == b"\n"


@pytest.mark.parametrize("name", FINDINGS)
def test_the_referee_finds_the_same_event(name: str) -> None:
    expected = FINDINGS[name]
    verdicts = referee_judges(bytes_of(name))
    theirs = verdicts[expected.get("which", 0)]
    if name in ("cut-in-next-first-line.jsonl", "text-after-end.jsonl"):
        # It tells of what stands behind the game by itself.
        ours = judged(FOLDER / name)[0]
        assert [v.verdict for v in verdicts] == ["clean", ours.verdict]
        assert verdicts[1].fault_line == (ours.faults[0].line if ours.faults else ours.events + 1)
        return
    assert theirs.verdict == expected["verdict"], theirs
    if theirs.verdict == "faulty":
        assert theirs.fault_event == expected["event"], theirs


@pytest.mark.parametrize("name", FINDINGS)
def test_seals_alone_tell_of_damage_and_of_nothing_else(name: str) -> None:
    games = judged(FOLDER / name, Settings(level="seals"))
    full = judged(FOLDER / name)
    assert len(games) == len(full)
    for theirs, ours in zip(full, games, strict=True):
        code = theirs.faults[0].code if theirs.faults else None
        if code in _SEEN_BY_SEALS:
            assert (ours.verdict, ours.faults[0].code) == ("faulty", code)
            assert ours.faults[0].line == theirs.faults[0].line
        elif code is None:
            assert (ours.verdict, ours.events, ours.game, ours.seal, ours.end) == (
                theirs.verdict,
                theirs.events,
                theirs.game,
                theirs.seal,
                theirs.end,
            )


@pytest.mark.parametrize("name", FINDINGS)
def test_going_on_begins_with_the_same_fault(name: str) -> None:
    for one, many in zip(
        judged(FOLDER / name),
        judged(FOLDER / name, Settings(everything=True, table=True)),
        strict=True,
    ):
        assert (one.verdict, one.events) == (many.verdict, many.events)
        assert many.faults[:1] == one.faults
        places = [fault.event for fault in many.faults]
        assert places == sorted(set(places))
        assert all(fault.code in CODES for fault in many.faults)
        table = many.table()
        if table is not None:
            assert table.n == many.events


def test_the_files_are_those_of_the_script() -> None:
    written = msgspec.json.decode((FOLDER / "findings.json").read_bytes())
    names = set()
    for name, data, finding in cases():
        path = FOLDER / f"{name}.jsonl"
        path = path if path.exists() else FOLDER / f"{name}.jsonl.gz"
        assert bytes_of(path.name) == data, name
        assert written[path.name] == finding
        assert len(data) < 20_000 or path.suffix == ".gz"
        names.add(path.name)
    assert names == set(written)
    assert len(names) >= 60
    there = {path.name for path in FOLDER.iterdir()} - {"findings.json", "found.json"}
    assert there == set(FINDINGS)


def test_every_code_is_reached() -> None:
    # Anchors stand outside of a log, so they have tests of their own (test_anchors).
    anchors = {code for code, (stage, _) in CODES.items() if stage == "anchors"}
    reached = {finding.get("code") for finding in FINDINGS.values()} - {None}
    assert reached == set(CODES) - GUARDS - anchors


def test_every_code_in_the_source_is_listed() -> None:
    used: set[str] = set()
    for room in ("game", "log", "audit"):
        for path in (ROOT / "tenlog" / room).rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            for pattern in (
                r'Refusal\(\s*"([a-z0-9-]+)"',
                r'_differs\(\s*"([a-z0-9-]+)"',
                r'CodecError\(\s*"([a-z0-9-]+)"',
                r'at_event\(\s*[^",]+,\s*"([a-z0-9-]+)"',
                r'^    "\w+": \("([a-z0-9-]+)", "[0-9.]+"',
                r'fault = "([a-z0-9-]+)"',
                r'\bat\(\s*"([a-z0-9-]+)"',
                r'found\(\s*"([a-z0-9-]+)"',
                r'_nowhere\([^"]*(?:"",)?[^"]*"([a-z0-9-]+)"',
                r'code = "([a-z0-9-]+)" if .* else "[a-z-]+"',
                r'code = "[a-z0-9-]+" if .* else "([a-z-]+)"',
            ):
                used |= set(re.findall(pattern, text, re.MULTILINE))
    assert used == set(CODES)


def test_every_code_is_documented() -> None:
    text = page("audit")
    for code, (stage, meaning) in CODES.items():
        assert f"| {stage} | `{code}` | {meaning} |" in text
    for stage, meaning in STAGES.items():
        assert f"{stage}: {meaning}"[:-1] in text.replace("**", "")


def test_one_broken_file_never_hides_another() -> None:
    summary = Summary()
    for item in audit([str(FOLDER)]):
        summary.count(item)
    assert summary.faulty >= 100
    assert summary.unread == 0
    done = run_cli("audit", FOLDER, "-q")
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", b"")
