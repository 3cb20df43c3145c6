"""Manifests: what a run was, so that anybody can repeat it and see whether it is the same."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Final

import msgspec

import tenlog
from tenlog.bots.base import BotInfo, Forfeit
from tenlog.bots.registry import describe
from tenlog.errors import LogError
from tenlog.log.opening import read_small
from tenlog.log.source import log_error
from tenlog.log.whole import part_of
from tenlog.simulate.compare import Comparison
from tenlog.simulate.forfeits import ProgramAnswers
from tenlog.simulate.journal import Skipped
from tenlog.simulate.run import AnyPlan, Outcome, Part
from tenlog.simulate.tables import TournamentPlan

MANIFEST: Final = "run.json"
_MOST: Final = 1 << 26  # bytes of a manifest; each part and each skipped game takes some


class Manifest(msgspec.Struct, frozen=True):
    """``run.json``: all that is needed to repeat a run, and to know whether it came out the same.

    Attributes:
        tenlog, python, platform: versions that it was made with; the results depend on the first
            alone, and only where rules or bots changed.
        command: the command line.
        plan: the games.
        sink: what became of them.
        bots: what each specification stood for.
        games, events, digest: how many there are, and what they hash to.
        parts: the files.
        skips: games that were left out; ``skipped`` has some that could not be played.
        forfeits: decisions that were made for programs which failed to; ``forfeited`` has some,
            ``programs`` how each program answered.
        comparisons: each further ruleset against the first one, on the same deals.
    """

    tenlog: str
    python: str
    platform: str
    command: list[str]
    plan: AnyPlan
    sink: str
    bots: list[BotInfo]
    games: int
    events: int
    digest: str
    parts: list[Part]
    skipped: list[Skipped]
    skips: int = 0
    forfeits: int = 0
    forfeited: list[Forfeit] = []
    comparisons: list[Comparison] = []
    programs: list[ProgramAnswers] = []

    def played(self) -> AnyPlan:
        """The plan as far as it was played: a tournament that was decided ends before its last
        deal (``--until``)."""
        plan = self.plan
        if not isinstance(plan, TournamentPlan):
            return plan
        deals = max(1, (self.games + self.skips) // plan.per_deal)
        return msgspec.structs.replace(plan, deals=min(deals, plan.deals))


def make_manifest(plan: AnyPlan, sink: str, outcome: Outcome, command: list[str]) -> Manifest:
    """The manifest of a run that is complete."""
    return Manifest(
        tenlog.__version__,
        platform.python_version(),
        platform.platform(),
        command,
        plan,
        sink,
        [describe(spec) for spec in dict.fromkeys(plan.bots)],
        outcome.games,
        outcome.events,
        outcome.digest,
        outcome.parts,
        outcome.skipped,
        outcome.skips,
        outcome.forfeits,
        outcome.forfeited,
        outcome.comparisons,
        outcome.programs,
    )


def write_manifest(folder: Path, manifest: Manifest) -> Path:
    """Write ``run.json``, whole or not at all.

    Raises:
        LogError: it cannot be written.
    """
    path = folder / MANIFEST
    data = msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n"
    try:
        with part_of(path) as part, part.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise log_error(path, error, "write") from None
    return path


def read_manifest(path: Path) -> Manifest:
    """The manifest in a file.

    Raises:
        LogError: it cannot be read, or is none.
    """
    try:
        data = read_small(path, _MOST, piped=True)
    except OSError as error:
        raise log_error(path, error) from None
    try:
        return msgspec.json.decode(data, type=Manifest)
    except msgspec.MsgspecError as error:
        raise LogError(f"{path} is no manifest of a run: {error}") from None
