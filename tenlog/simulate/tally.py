"""Counting results: whole numbers only, so that the order of adding up can't change a figure."""

from __future__ import annotations

import math
from typing import Final

import msgspec

from tenlog.game.events import Busted, Event, GameFinished

# A victory is counted in this many parts, so that one shared by up to ten stays a whole number.
VICTORY: Final = 2520
Z95: Final = 1.959963984540054


class Sums(msgspec.Struct):
    """What is added up for somebody: games, victories in 1/2520, scores, their squares."""

    games: int = 0
    victories: int = 0
    score: int = 0
    squares: int = 0

    def add(self, victories: int, score: int) -> None:
        """Count a game."""
        self.games += 1
        self.victories += victories
        self.score += score
        self.squares += score * score

    def merge(self, other: Sums) -> None:
        """Count what somebody else counted."""
        self.games += other.games
        self.victories += other.victories
        self.score += other.score
        self.squares += other.squares

    def win_rate(self) -> tuple[float, float, float]:
        """Share of games won (a shared victory counts in part), and its 95 % interval (Wilson)."""
        n = self.games
        if not n:
            return math.nan, 0.0, 1.0
        p = self.victories / VICTORY / n
        z2 = Z95 * Z95
        centre = (p + z2 / (2 * n)) / (1 + z2 / n)
        half = Z95 * math.sqrt(p * (1 - p) / n + z2 / (4 * n * n)) / (1 + z2 / n)
        return p, max(0.0, centre - half), min(1.0, centre + half)

    def mean_score(self) -> tuple[float, float, float]:
        """Mean score, and its 95 % interval (normal)."""
        n = self.games
        if not n:
            return math.nan, math.nan, math.nan
        mean = self.score / n
        if n == 1:
            return mean, -math.inf, math.inf
        variance = max(0.0, (self.squares - self.score * self.score / n) / (n - 1))
        half = Z95 * math.sqrt(variance / n)
        return mean, mean - half, mean + half


class GroupTally(msgspec.Struct):
    """The results of a group: by slot (contestant), by seat, and how often each score came."""

    slots: list[Sums]
    seats: list[Sums]
    scores: dict[int, int]
    games: int = 0
    events: int = 0
    busts: int = 0

    def count(self, slots: tuple[int, ...], events: list[Event]) -> None:
        """Count a finished game."""
        end = events[-1]
        assert isinstance(end, GameFinished)
        part = VICTORY // len(end.winners)
        for seat, score in enumerate(end.scores):
            victories = part if seat in end.winners else 0
            self.slots[slots[seat]].add(victories, score)
            self.seats[seat].add(victories, score)
            self.scores[score] = self.scores.get(score, 0) + 1
        self.games += 1
        self.events += len(events)
        self.busts += sum([type(event) is Busted for event in events])

    def merge(self, other: GroupTally) -> None:
        """Count what another process counted."""
        for mine, theirs in zip(self.slots, other.slots, strict=True):
            mine.merge(theirs)
        for mine, theirs in zip(self.seats, other.seats, strict=True):
            mine.merge(theirs)
        for score, count in other.scores.items():
            self.scores[score] = self.scores.get(score, 0) + count
        self.games += other.games
        self.events += other.events
        self.busts += other.busts


def empty_tally(seats: int) -> GroupTally:
    """Nothing counted yet, for so many seats."""
    return GroupTally([Sums() for _ in range(seats)], [Sums() for _ in range(seats)], {})
