"""What an audit says: of a game, of a file, of the whole."""

from __future__ import annotations

from typing import Final, Literal

import msgspec
from msgspec import UNSET, UnsetType

from tenlog.game.evolve import fold
from tenlog.game.ruleset import Ruleset
from tenlog.game.state import State
from tenlog.log.codec import NO_SEAL, decode_event
from tenlog.log.paths import Unread
from tenlog.log.read import Fault

ANCHORS: Final = "AUDIT 5"  # where findings of anchors are ruled: tenlog rules audit

Word = Literal["clean", "unfinished", "torn", "faulty"]

WORDS: Final[dict[Word, str]] = {
    "clean": "finished, and nothing is wrong with it",
    "unfinished": "in progress, and nothing is wrong so far",
    "torn": "nothing is wrong but a last write that was cut off",
    "faulty": "something is wrong",
}


class Verdict(msgspec.Struct, frozen=True):
    """One line of ``tenlog audit --json``.

    Attributes:
        file: the file as it was found; ``-`` is standard input.
        game: the game's id, or null where it cannot be told.
        verdict: ``clean``, ``unfinished``, ``torn`` or ``faulty``.
        events: how many events hold.
        ruleset: the name of the ruleset that the game is played by, or null where it was not
            looked at or cannot be told. Any name but that of a shipped ruleset is one that the log
            brings along.
        event: of a fault, the place of the faulty event within the game, from 0.
        line: its line in the file, from 1; 0 if it is nowhere in the file.
        offset: the offset of that line in the (uncompressed) file, in bytes.
        code: one of the documented codes.
        message: what was expected and what stands there.
    """

    file: str
    game: str | None
    verdict: Word
    events: int
    ruleset: str | None = None
    event: int | UnsetType = UNSET
    line: int | UnsetType = UNSET
    offset: int | UnsetType = UNSET
    code: str | UnsetType = UNSET
    message: str | UnsetType = UNSET


class Judged(msgspec.Struct, frozen=True):
    """One game, judged.

    Attributes:
        file: the file as it was found.
        game: the game's id, or None where it cannot be told.
        verdict: see :class:`Verdict`.
        events: how many events hold.
        faults: the first fault; with ``everything`` also those after it that can be told.
        seal: the last good seal, or 32 zeros.
        end: event, line and offset of the line that has that seal; or of where the game begins.
        deck_known: whether the draws were held against the deck that the seed gives.
        rules: what the game is played by: the name of a shipped ruleset, or all of one that the
            log brings along; None where that was not looked at or cannot be told.
        passed: which of the seals that were asked for stand in the game.
        held: with ``table``, the events before the first fault, one on each line.
    """

    file: str
    game: str | None
    verdict: Word
    events: int
    faults: tuple[Fault, ...] = ()
    seal: str = NO_SEAL
    end: tuple[int, int, int] = (0, 0, 0)
    deck_known: bool = True
    rules: str | Ruleset | None = None
    passed: tuple[str, ...] = ()
    held: bytes = b""

    @property
    def ruleset(self) -> str | None:
        """The name of what the game is played by."""
        return self.rules.name if isinstance(self.rules, Ruleset) else self.rules

    @property
    def absent(self) -> bool:
        """Whether this is no game, but one that should be there and is not."""
        return bool(self.faults) and self.faults[0].line == 0

    def lines(self) -> list[Verdict]:
        """What ``--json`` says of the game: one line, or one for each fault."""
        if not self.faults:
            return [Verdict(self.file, self.game, self.verdict, self.events, self.ruleset)]
        return [
            Verdict(
                self.file,
                self.game,
                self.verdict,
                self.events,
                self.ruleset,
                fault.event,
                fault.line,
                fault.offset,
                fault.code,
                fault.message,
            )
            for fault in self.faults
        ]

    def table(self) -> State | None:
        """The table before the first fault, if the audit was asked to keep it and there is one."""
        if not self.held:
            return None
        return fold(decode_event(line) for line in self.held.splitlines())

    def moved(self, lines: int) -> Judged:
        """The same, so many lines further down in the file."""
        if not lines:
            return self
        n, line, offset = self.end
        return msgspec.structs.replace(
            self,
            faults=tuple(
                [msgspec.structs.replace(fault, line=fault.line + lines) for fault in self.faults]
            ),
            end=(n, line + lines, offset),
        )

    def found(self, code: str, message: str) -> Judged:
        """The same with a fault that concerns the game as a whole, placed at its last seal."""
        n, line, offset = self.end
        fault = Fault(code, ANCHORS, message, n, line, offset)
        return msgspec.structs.replace(self, verdict="faulty", faults=(*self.faults, fault))


_NAMED: Final = 3  # rulesets that are still named; a hostile file may have a million


class Summary(msgspec.Struct):
    """What was seen in all; ``absent`` games, which should be there, count as nothing else.

    ``own_rules`` are games without a fault that are played by a ruleset which their log brings
    along, ``own_names`` the first of these rulesets.
    """

    games: int = 0
    events: int = 0
    clean: int = 0
    unfinished: int = 0
    torn: int = 0
    faulty: int = 0
    files: int = 0
    unread: int = 0
    absent: int = 0
    deck_unknown: int = 0
    own_rules: int = 0
    own_names: list[str] = []

    def count(self, found: Judged | Unread) -> None:
        """Add one."""
        if isinstance(found, Unread):
            self.unread += 1
        elif found.absent:
            self.absent += 1
        else:
            self.games += 1
            self.events += found.events
            if found.verdict == "clean":
                self.clean += 1
            elif found.verdict == "unfinished":
                self.unfinished += 1
            elif found.verdict == "torn":
                self.torn += 1
            else:
                self.faulty += 1
            if found.verdict != "faulty":
                self.deck_unknown += not found.deck_known
                self._count_rules(found.rules)

    def _count_rules(self, rules: str | Ruleset | None) -> None:
        if isinstance(rules, Ruleset):
            self.own_rules += 1
            if rules.name not in self.own_names and len(self.own_names) <= _NAMED:
                self.own_names.append(rules.name)

    @property
    def own_named(self) -> str:
        """The rulesets that logs brought along, as far as they are named."""
        more = " …" if len(self.own_names) > _NAMED else ""
        return ", ".join(self.own_names[:_NAMED]) + more

    @property
    def exit_code(self) -> int:
        """1 if anything is faulty or absent, else 3 if something could not be read, else 0."""
        return 1 if self.faulty or self.absent else 3 if self.unread else 0
