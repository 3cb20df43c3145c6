"""Makes ``fixtures/broken``: small broken logs, each with the finding that must be made.

Run by hand: ``python tests/audit/make_broken.py``. Deterministic. The expectations stand in
``tests/audit/broken``, in words of the rules; nothing is copied from what the audit says. What
fuzzing has found is kept beside them, as ``found-*`` with its finding in ``found.json``.
"""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

import msgspec

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT)]

from tests.audit.broken import ends, lines, payments, starts, turns  # noqa: E402
from tests.audit.broken.games import Case  # noqa: E402

FOLDER = ROOT / "fixtures" / "broken"


def cases() -> list[Case]:
    """All of them: name, bytes, finding."""
    found = [
        *lines.cases(),
        *starts.cases(),
        *turns.cases(),
        *payments.cases(),
        *ends.cases(),
    ]
    names = [name for name, _, _ in found]
    assert len(set(names)) == len(names)
    return found


def main() -> None:
    """Write the logs and the findings."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for old in FOLDER.iterdir():
        if not old.name.startswith("found"):
            old.unlink()
    index = {}
    for name, data, finding in cases():
        suffix = ".jsonl"
        if len(data) > 1 << 20:
            data, suffix = gzip.compress(data, mtime=0), ".jsonl.gz"
        (FOLDER / f"{name}{suffix}").write_bytes(data)
        index[f"{name}{suffix}"] = finding
    text = msgspec.json.format(msgspec.json.encode(index), indent=1)
    (FOLDER / "findings.json").write_bytes(text + b"\n")


if __name__ == "__main__":
    main()
