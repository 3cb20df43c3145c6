"""Coverage-guided fuzzing of the audit: ``python tests/fuzz/fuzz_audit.py -max_total_time=60``.

Needs ``atheris``. Every input is judged in every way that there is; what is said must be
well-formed (:func:`tests.audit.test_hostile.everything`), and anything else is a crash. Starts from
``fixtures/broken``; a crash leaves the input in the current folder, to be kept there as
``found-*.jsonl`` with its finding in ``found.json``.
"""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path

import atheris

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT)]

with atheris.instrument_imports(include=["tenlog.log", "tenlog.audit", "tenlog.game"]):
    from tenlog.log.codec import NO_SEAL, SEAL_KEY, seal_of
    from tests.audit.test_hostile import NASTY, everything

FOLDER = ROOT / "fixtures" / "broken"


def sealed_anew(data: bytes) -> bytes:
    """Lines with whatever seals they have replaced by good ones: what a forger would do."""
    out = b""
    seal = NO_SEAL
    for line in data.split(b"\n"):
        body, key, _ = line.partition(SEAL_KEY)
        if key:
            seal = seal_of(NO_SEAL if body.startswith(b'{"n":0,') else seal, body)
            out += body + SEAL_KEY + seal.encode() + b'"}\n'
        else:
            out += line + b"\n"
    return out


def mutate(data: bytes, max_size: int, seed: int) -> bytes:
    """Now a mutation of bytes, now one of a JSON value, now one of lines."""
    rng = random.Random(seed)
    way = rng.randrange(6)
    lines = data.split(b"\n")
    if way == 0:
        return bytes(atheris.Mutate(data, max_size))
    i = rng.randrange(len(lines))
    if way == 1:
        lines.insert(i, rng.choice(lines))
    elif way == 2 and len(lines) > 1:
        del lines[i]
    elif way == 3 and len(lines) > 1:
        j = rng.randrange(len(lines))
        lines[i], lines[j] = lines[j], lines[i]
    else:
        colons = [at for at, c in enumerate(lines[i]) if c == ord(":")]
        if colons:
            at = rng.choice(colons) + 1
            ends = [lines[i].find(mark, at) for mark in (b",", b"}", b"]")]
            end = min((found for found in ends if found >= 0), default=len(lines[i]))
            value = rng.choice((*NASTY, str(rng.randint(0, 12)))).encode("utf-8", "replace")
            lines[i] = lines[i][:at] + value + lines[i][end:]
    changed = b"\n".join(lines)
    return (sealed_anew(changed) if rng.random() < 0.5 else changed)[:max_size]


def main() -> None:
    """Fuzz with the options of libFuzzer that are given."""
    with tempfile.TemporaryDirectory() as corpus:
        for path in FOLDER.glob("*.jsonl"):
            (Path(corpus) / path.name).write_bytes(path.read_bytes())
        arguments = [*sys.argv, corpus]
        atheris.Setup(arguments, everything, custom_mutator=mutate)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
