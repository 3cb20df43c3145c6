"""Seals alone, from the raw bytes: nothing is decoded.

What this tells: every seal that stands in a game is the one over the bytes since the seal before
it, the last line of a finished game is sealed, nothing follows it, and each game begins as games
do. So any change of committed bytes by somebody who did not seal them anew is found.

What it does not: whether a line is JSON or canonical, whether ``n`` counts, whether ruleset,
commitment, deck and rules allow what stands there. Who changes a log and seals it anew passes.
"""

from __future__ import annotations

import re
from hashlib import sha256
from typing import Final

from tenlog.audit.verdict import Judged, Word
from tenlog.log.codec import NO_SEAL, SEAL_KEY, START
from tenlog.log.read import SEALED_END, UNSEALED_END, Fault, unsealed_end
from tenlog.log.source import GameText

_KEY: Final = len(SEAL_KEY)
_SEAL: Final = re.compile(rb"[0-9a-f]{32}")
_ID: Final = re.compile(re.escape(START) + rb'"format":\d+,"game":"([A-Za-z0-9._-]{1,64})"')
_N: Final = re.compile(rb'\{"n":(\d{1,9}),"ev":\{"type":"(GameFinished")?')
# Inside of a text a quotation mark has a backslash before it, so this is nothing but a seal.
_LINE_SEAL: Final = re.compile(rb',"h":"([0-9a-f]{32})"\}$', re.MULTILINE)
_HIT_SEAL: Final = re.compile(rb',"h":|[0-9a-f]{32}"\}$', re.MULTILINE)


class _Scan:
    """How far the seals of a game hold."""

    __slots__ = ("data", "events", "fault", "finished", "last", "seal", "sealed")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.seal = NO_SEAL.encode()
        self.sealed = 0  # where the last sealed line ends
        self.last = 0  # where it begins
        self.events = 0
        self.finished = False
        self.fault: tuple[str, int, str] | None = None

    def run(self) -> None:
        data = self.data
        view = memoryview(data)
        at = data.find(SEAL_KEY)
        while at >= 0 and not self.finished:
            begin = data.rfind(b"\n", 0, at) + 1
            stated = data[at + _KEY : at + _KEY + 32]
            end = at + _KEY + 34
            closing = data[end - 2 : end + 1]
            if data.find(b"\n", at) < 0 and not SEALED_END.search(data, begin):
                break  # a piece of a line: the tail
            if not _SEAL.fullmatch(stated) or closing not in (b'"}\n', b'"}'):
                self.fault = "bad-seal", begin, "a seal is broken, or does not end its line"
                return
            digest = sha256(self.seal)
            digest.update(view[self.sealed : at])
            due = digest.hexdigest()[:32].encode()
            if due != stated:
                what = f"the seal over these bytes is {due.decode()}, not {stated.decode()}"
                self.fault = "bad-seal", begin, what
                return
            self.seal = due
            self.last = begin
            self.sealed = min(end + 1, len(data))
            said = _N.match(data, begin)
            self.finished = said is not None and said[2] is not None
            self.events = int(said[1]) + 1 if said else self.events + 1
            at = data.find(SEAL_KEY, self.sealed)
        self._tail()

    def _tail(self) -> None:
        rest = self.data[self.sealed :]
        if not rest:
            return
        if self.finished:
            if b"\n" in rest or not START.startswith(rest):
                self.fault = "after-end", self.sealed, "something follows the end of the game"
            return
        whole = rest[: rest.rfind(b"\n") + 1]
        hit = _HIT_SEAL.search(whole)
        if hit is not None:
            begin = whole.rfind(b"\n", 0, hit.start()) + 1
            self.fault = "bad-seal", self.sealed + begin, "a seal that stood here was damaged"
            return
        end = unsealed_end(whole, 0)
        if end is not None:
            self.fault = "missing-seal", self.sealed + end, UNSEALED_END


def passed_seals(data: bytes, noted: frozenset[str]) -> tuple[str, ...]:
    """Which of some seals stand at the end of a line of a game's bytes, in their order there."""
    if not noted:
        return ()
    return tuple([seal for found in _LINE_SEAL.findall(data) if (seal := found.decode()) in noted])


def scan_seals(text: GameText, file: str, noted: frozenset[str] = frozenset()) -> Judged:
    """A game judged by its seals only."""
    data = text.data
    named = _ID.match(data)
    game = named[1].decode() if named and (b"\n" in data or SEAL_KEY in data) else None
    scan = _Scan(data)
    if data.startswith(START):
        scan.run()
    elif not START.startswith(data):
        scan.fault = "no-start", 0, "a game starts with GameStarted, and nothing else does"
    if text.too_long is not None and scan.fault is None:
        scan.fault = "too-long", len(data), text.too_long

    def place(offset: int) -> tuple[int, int, int]:
        n = data.count(b"\n", 0, offset)
        return n, text.line + n, text.offset + offset

    if scan.fault is not None:
        code, offset, message = scan.fault
        n, line, offset = place(offset)
        fault = Fault(code, "FORMAT 2", message, n, line, offset)
        return Judged(file, game, "faulty", n, (fault,), deck_known=False)
    word: Word = "clean" if scan.finished else "unfinished"
    if scan.sealed < len(data):
        word = "torn"
    n = max(0, scan.events - 1)
    line = text.line + n
    end = (n, line, text.offset + scan.last)
    return Judged(
        file,
        game,
        word,
        scan.events,
        (),
        scan.seal.decode(),
        end,
        deck_known=False,
        passed=passed_seals(data[: scan.sealed], noted),
    )
