"""How programs answered in many games: counted by program and by what was wrong."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from tenlog.bots.base import FaultKind, Forfeit


class Answers(msgspec.Struct):
    """How a program answered: decisions that it was asked for, by fault the forfeited ones, and the
    first of these."""

    decisions: int = 0
    faults: dict[FaultKind, int] = {}
    first: Forfeit | None = None

    def merge(self, other: Answers) -> None:
        """Count what another process counted, of games that come later."""
        self.first = self.first or other.first
        self.decisions += other.decisions
        for fault, count in other.faults.items():
            self.faults[fault] = self.faults.get(fault, 0) + count


def count_answers(
    programs: dict[str, Answers], asked: Mapping[str, int], forfeits: Iterable[Forfeit]
) -> None:
    """Count a game: how often each program was asked in it, and what was forfeited."""
    for bot, decisions in asked.items():
        programs.setdefault(bot, Answers()).decisions += decisions
    for forfeit in forfeits:
        answers = programs[forfeit.bot]
        answers.first = answers.first or forfeit
        answers.faults[forfeit.fault] = answers.faults.get(forfeit.fault, 0) + 1


class ProgramAnswers(msgspec.Struct, frozen=True):
    """How a program answered in a run.

    Attributes:
        bot: its specification.
        decisions: how many it was asked for.
        forfeits: how many of them it forfeited, so that the safe decision was made for it.
        faults: these by what was wrong, as in :class:`~tenlog.bots.base.Forfeit`.
        first: the first of these.
    """

    bot: str
    decisions: int
    forfeits: int
    faults: dict[FaultKind, int]
    first: Forfeit | None


def answers_of(bots: Iterable[str], programs: Mapping[str, Answers]) -> list[ProgramAnswers]:
    """What is published of the programs of a run, in the order of its bots."""
    return [
        ProgramAnswers(
            bot,
            programs[bot].decisions,
            sum(programs[bot].faults.values()),
            dict(sorted(programs[bot].faults.items())),
            programs[bot].first,
        )
        for bot in dict.fromkeys(bots)
        if bot in programs
    ]
