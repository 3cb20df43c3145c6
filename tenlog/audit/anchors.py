"""Anchors outside a log: seals that were written down, signatures of somebody trusted, the ruleset
that was agreed upon.

A log that was changed and sealed anew by the rules is a good log. That it is another one than it
was, or by other rules than it should be, only something that is not in it can tell.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from tenlog.audit.sign import SIGNATURES, Signature, Truster, load_signatures, signature_path
from tenlog.audit.verdict import ANCHORS, Judged
from tenlog.errors import LogError, TenlogError
from tenlog.game.ruleset import Ruleset
from tenlog.log.codec import NO_SEAL
from tenlog.log.paths import Unread, files_beside, label_of
from tenlog.log.read import Fault

_EXPECTED: Final = re.compile(r"(?:([A-Za-z0-9._-]{1,64})=)?([0-9a-f]{32})\Z")

_SEAL_LINE: Final = re.compile(r"([0-9a-f]{32})\s+\S+\s+[0-9,]+ events?, [a-z ]+\Z")


def _nowhere(file: str, game: str | None, code: str, message: str) -> Judged:
    """A finding about a game that is not there."""
    return Judged(file, game, "faulty", 0, (Fault(code, ANCHORS, message, 0, 0, 0),))


def parse_seals(texts: Sequence[str]) -> list[tuple[str | None, str]]:
    """Seals that were written down: ``SEAL`` or ``GAME=SEAL``, as (game or None, seal). A whole
    line that ``tenlog seal`` printed serves too: its first word counts.

    Raises:
        TenlogError: a text is neither.
    """
    seals: list[tuple[str | None, str]] = []
    for line in texts:
        sealed = _SEAL_LINE.match(line.strip())
        text = line if sealed is None else sealed[1]
        found = _EXPECTED.match(text.strip().lower() if "=" not in text else text.strip())
        if found is None:
            raise TenlogError(
                f"no seal {text[:110]!r}: a seal is 32 hex digits, alone or as GAME=SEAL"
            )
        seals.append((found[1], found[2]))
    return seals


class Played:
    """The rulesets that games may be played by: what GameStarted says of them."""

    def __init__(self, rules: Sequence[str | Ruleset]) -> None:
        self._rules = rules
        self._names = " or ".join(r.name if isinstance(r, Ruleset) else r for r in rules)

    def check(self, game: Judged) -> Judged:
        """The game, with a fault if it is played by another one."""
        if game.faults or game.rules is None or game.rules in self._rules:
            return game
        name = game.ruleset
        if isinstance(game.rules, Ruleset):
            same = any(isinstance(r, Ruleset) and r.name == name for r in self._rules)
            name = f"{name}, which is another one of this name" if same else f"{name}, its own"
        return game.found("other-rules", f"the ruleset must be {self._names}: it is {name}")

    def absent(self) -> Iterator[Judged]:
        """Nothing: a ruleset that no game is played by is none that is missed."""
        return iter(())


class Expected:
    """Seals that games end with: every game with one of those without a game, a game with one of
    its own."""

    def __init__(self, seals: Sequence[tuple[str | None, str]]) -> None:
        self._any: dict[str, bool] = {}  # whether it was met
        self._named: dict[str, dict[str, bool]] = {}
        for game, seal in seals:
            (self._any if game is None else self._named.setdefault(game, {}))[seal] = False
        self._missed = False

    def check(self, game: Judged) -> Judged:
        """The game, with a fault if it does not end as it should."""
        named = self._named.get(game.game or "", {})
        if game.seal in named:
            named[game.seal] = True
            return game
        if game.seal in self._any:
            self._any[game.seal] = True
            return game
        due = [*named] or [*self._any]
        if not due:
            return game
        for seal in named:
            named[seal] = True  # it is told here
        self._missed = self._missed or not named
        if game.faults:
            return game
        stands = "it has none" if game.seal == NO_SEAL else f"it ends with {game.seal}"
        seals = due[0] if len(due) == 1 else f"one of {len(due)} seals"
        return game.found("unexpected-seal", f"the game must end with {seals}: {stands}")

    def absent(self) -> Iterator[Judged]:
        """What was expected and never came."""
        for name, seals in self._named.items():
            if not any(seals.values()):
                what = f"there is no game {name}, which must end with {next(iter(seals))}"
                yield _nowhere("", name, "seal-absent", what)
        if not self._missed:
            for seal, met in self._any.items():
                if not met:
                    yield _nowhere("", None, "seal-absent", f"no game ends with {seal}")


class Noted:
    """Seals that were noted while games were played: each stands in some game, or in the one that
    it is said to be of."""

    def __init__(self, seals: Sequence[tuple[str | None, str]]) -> None:
        self._seals = seals
        self._met: set[tuple[str | None, str]] = set()

    def check(self, game: Judged) -> Judged:
        """The game, with a fault if it does not have a seal of its own."""
        for name, seal in self._seals:
            if seal in game.passed and name in (None, game.game):
                self._met.add((name, seal))
            elif name is not None and name == game.game:
                self._met.add((name, seal))  # it is told here
                if not game.faults:
                    what = f"the seal {seal}, noted while it was played, is not in this game"
                    game = game.found("seal-not-passed", what)
        return game

    def absent(self) -> Iterator[Judged]:
        """What was noted and is in no game."""
        for name, seal in self._seals:
            if (name, seal) not in self._met:
                which = "no game has the seal" if name is None else f"there is no game {name} with"
                yield _nowhere(
                    "", name, "seal-absent", f"{which} {seal}, noted while it was played"
                )


class Trusted:
    """Signatures by trusted keys, looked for beside each log (``<log>.sig``) or in one file; those
    beside logs that are gone too, in the folders among ``paths``."""

    def __init__(self, keys: Sequence[Path], signatures: Path | None, paths: Sequence[str]) -> None:
        self._truster = Truster(keys)
        self._paths = paths
        self._one = load_signatures(signatures, needed=True) if signatures is not None else None
        self._file: str | None = None
        self._beside: dict[str, list[Signature]] = {}
        self._met: set[str] = set()

    def enter(self, file: str, path: bytes) -> Unread | None:
        """From now on games of this file are checked."""
        self._file = file
        if self._one is not None:
            self._beside = self._one
            return None
        self._met = set()
        try:
            self._beside = load_signatures(signature_path(path)) if path else {}
        except LogError as error:
            self._beside = {}
            return Unread(file, str(error))
        return None

    def check(self, game: Judged) -> Judged:
        """The game, with a fault if no trusted key has signed it as it is."""
        records = self._beside.get(game.game or "", [])
        if records and game.game is not None:
            self._met.add(game.game)
        if game.faults:
            return game
        ours = [record for record in records if self._truster.knows(record)]
        if not ours:
            return game.found("unsigned", "no trusted key has signed this game")
        good = [record for record in ours if self._truster.holds(record)]
        if any(record.seal == game.seal for record in good):
            return game
        if any(record.seal == game.seal for record in ours) or not good:
            return game.found("bad-signature", "the signature is not by the key that it names")
        return game.found(
            "other-seal-signed",
            f"a trusted key has signed this game when it ended with {good[0].seal}; "
            f"now it ends with {game.seal}",
        )

    def leave(self) -> Iterator[Judged]:
        """Games that were signed and are not in the file that was read."""
        if self._one is None:
            yield from self._missing(self._file or "")

    def absent(self) -> Iterator[Judged | Unread]:
        """Games that were signed and were in no log: by the one file of signatures, or by those
        whose log is gone."""
        if self._one is not None:
            self._beside = self._one
            yield from self._missing("")
            return
        for file in files_beside(self._paths, SIGNATURES):
            log = file.removesuffix(SIGNATURES)
            if not os.path.lexists(log):
                unread = self.enter(label_of(log), os.fsencode(log))
                yield from self._missing(label_of(log)) if unread is None else (unread,)

    def _missing(self, file: str) -> Iterator[Judged]:
        for game, records in self._beside.items():
            if game in self._met:
                continue
            if any(self._truster.knows(r) and self._truster.holds(r) for r in records):
                what = f"a trusted key has signed a game {game}, and it is not there"
                yield _nowhere(file, game, "game-absent", what)
