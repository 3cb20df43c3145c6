"""The verdict over one game."""

from __future__ import annotations

from typing import Any, Final, Literal

import msgspec
from msgspec import UNSET, UnsetType

from tenlog.audit.seals import scan_seals
from tenlog.game.events import Event, GameStarted
from tenlog.game.evolve import apply
from tenlog.game.judge import Judge, check_conserved, check_start
from tenlog.game.legal import Refusal
from tenlog.game.state import OVER, State
from tenlog.game.view import public
from tenlog.log.codec import CodecError, decode_line
from tenlog.log.read import Fault, GameLog, read_game
from tenlog.log.replay import known_seed
from tenlog.log.source import GameText

Kind = Literal["clean", "unfinished", "torn", "faulty"]
Level = Literal["full", "no-seed", "seals"]

MORE: Final = 100  # further faults of a game that are listed at most


class Verdict(msgspec.Struct, frozen=True, omit_defaults=True):
    """The verdict over one game: one line of ``audit --json``.

    Attributes:
        file: where it stands.
        game: its id, or null if that can't be told.
        verdict: ``clean``; ``unfinished``: clean so far; ``torn``: clean but for a cut last line;
            ``faulty``.
        events: how many events hold: all that are committed, or those before the first fault.
        event, line, offset: of the first fault: ``n`` of the event, its line in the file from 1,
            the line's offset in the (uncompressed) file in bytes.
        code, rule, message: which fault, where it is ruled, what was expected and stands there.
        state: with ``--explain``, the table just before the fault (as ``show --json``).
        more: with ``--all``, further faults of the game.
        seal: the last good seal.
    """

    file: str
    game: str | None
    verdict: Kind
    events: int
    event: int | UnsetType = UNSET
    line: int | UnsetType = UNSET
    offset: int | UnsetType = UNSET
    code: str | UnsetType = UNSET
    rule: str | UnsetType = UNSET
    message: str | UnsetType = UNSET
    state: dict[str, Any] | UnsetType = UNSET
    more: tuple[Fault, ...] | UnsetType = UNSET
    seal: str | UnsetType = UNSET


def faulty(
    file: str,
    game: str | None,
    events: int,
    fault: Fault,
    *,
    seal: str | None = None,
    state: State | None = None,
    more: tuple[Fault, ...] = (),
) -> Verdict:
    """The verdict for a fault."""
    return Verdict(
        file,
        game,
        "faulty",
        events,
        fault.event,
        fault.line,
        fault.offset,
        fault.code,
        fault.rule,
        fault.message,
        UNSET if state is None else public(state),
        more or UNSET,
        seal or UNSET,
    )


def judge_text(
    file: str,
    text: GameText,
    level: Level = "full",
    *,
    explain: bool = False,
    everything: bool = False,
) -> Verdict:
    """Judge one game: its lines, seals, start, then each event against rules and deck, the end.

    ``explain`` adds the table at the fault, ``everything`` what else is wrong after it. Never
    raises for anything that stands in the bytes.
    """
    if level == "seals":
        return _judge_seals(file, text)
    log = read_game(text)
    game = log.game
    found = _Found(log, level)
    if found.fault is not None:
        more = tuple(found.further()) if everything else ()
        state = found.state if explain else None
        return faulty(file, game, found.events, found.fault, seal=log.seal, state=state, more=more)
    kind: Kind = "torn" if log.tail else "clean" if found.over else "unfinished"
    return Verdict(file, game, kind, found.events, seal=log.seal)


class _Found:
    """How far a game holds, and what is wrong there."""

    def __init__(self, log: GameLog, level: Level) -> None:
        self.log = log
        self.fault: Fault | None = None
        self.events = 0
        self._judge: Judge | None = None
        if log.lines:
            self._run(level)
        if self.fault is None:
            self.fault = log.fault

    @property
    def state(self) -> State | None:
        """The table after the events that hold."""
        return None if self._judge is None else self._judge.state

    @property
    def over(self) -> bool:
        """Whether the game has come to its end."""
        return self._judge is not None and self._judge.state.phase is OVER

    def _run(self, level: Level) -> None:
        lines = self.log.lines
        start = lines[0].ev
        assert isinstance(start, GameStarted)  # read_game has seen to it
        refused = check_start(start)
        if refused is not None:
            self._at(0, refused)
            return
        seed = known_seed(start, lines[-1].ev)
        judge = self._judge = Judge(start, seed, with_deck=level == "full")
        see = judge.see
        for line in lines[1:]:
            refused = see(line.ev)
            if refused is not None:
                self.events = line.n
                self._at(line.n, refused)
                return
        self.events = len(lines)
        refused = check_conserved(judge.state)
        if refused is not None:
            self._at(len(lines) - 1, refused)

    def _at(self, n: int, refused: Refusal) -> None:
        self.fault = self._place(n, refused)

    def _place(self, n: int, refused: Refusal) -> Fault:
        return self.log.at_event(n, refused.code, refused.rule, refused.message)

    def further(self) -> list[Fault]:
        """What else is wrong after the first fault, as far as that means something: lines that are
        none, and events that don't fit the table as the events before them left it."""
        found: list[Fault] = []
        fault = self.fault
        assert fault is not None
        judge = self._judge
        for line in self.log.lines[fault.event :] if judge is not None else []:
            assert judge is not None
            if line.n > fault.event:
                refused = judge.see(line.ev)
                if refused is None:
                    continue
                found.append(self._place(line.n, refused))
            if len(found) >= MORE or not _force(judge, line.ev):
                break
        read = self.log.fault
        if read is not None and read != fault:
            found.append(read)
        if read is not None and read.code not in ("too-long", "newer-format"):
            found += self._bad_lines(read.event + 1)
        return found[:MORE]

    def _bad_lines(self, first: int) -> list[Fault]:
        """Lines from the given one on that are no lines, before the tail."""
        found = []
        raw = self.log.text.data.split(b"\n")
        for n, line in enumerate(raw[:-1]):
            if n >= first:
                try:
                    decode_line(line)
                except CodecError as error:
                    found.append(self.log.at_event(n, error.code, "FORMAT 2", str(error)))
                    if len(found) >= MORE:
                        break
        return found


def _force(judge: Judge, event: Event) -> bool:
    """Fold an event that does not fit, if it can be folded at all."""
    trial = judge.state.copy()
    try:
        apply(trial, event)
    except (ValueError, IndexError, OverflowError, TypeError):
        return False
    if any(seat < 0 for seat in (*trial.tokens, *trial.busts)):
        return False
    apply(judge.state, event)
    return True


def _judge_seals(file: str, text: GameText) -> Verdict:
    scan = scan_seals(text)
    if scan.fault is not None:
        return faulty(file, scan.game, scan.events, scan.fault, seal=scan.seal)
    kind: Kind = "torn" if scan.tail else "clean" if scan.finished else "unfinished"
    return Verdict(file, scan.game, kind, scan.events, seal=scan.seal)
