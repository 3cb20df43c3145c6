"""Counting results: whole numbers only, so that the order of adding up can't change a figure."""

from __future__ import annotations

import math
from typing import Final

import msgspec

from tenlog.game.events import Busted, Event, GameFinished

# A victory is counted in this many parts, so that one shared by up to ten stays a whole number.
VICTORY: Final = 2520
Z95: Final = 1.959963984540054


class Interval(msgspec.Struct, frozen=True):
    """A figure and its 95 % interval; null bounds where there are too few games for one."""

    value: float
    low: float | None
    high: float | None

    @classmethod
    def of(cls, triple: tuple[float, float, float]) -> Interval:
        """From a figure and its bounds."""
        value, low, high = triple
        return cls(value, _finite(low), _finite(high))


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def clipped(triple: tuple[float, float, float]) -> tuple[float, float, float]:
    """A difference of shares is never beyond -1 and 1; bounds that there are not stay so."""
    value, low, high = triple
    if not math.isfinite(low):
        return triple
    return value, max(-1.0, low), min(1.0, high)


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
        return p, min(p, max(0.0, centre - half)), max(p, min(1.0, centre + half))

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


class Pair(msgspec.Struct):
    """Two contestants compared over units in which both played the same deals from the same seats.

    What is added up, for each unit, is the difference first minus second, summed over its games.
    """

    units: int = 0
    games: int = 0
    victories: int = 0
    victory_squares: int = 0
    score: int = 0
    score_squares: int = 0

    def add(self, games: int, victories: int, score: int) -> None:
        """Count a unit."""
        self.units += 1
        self.games += games
        self.victories += victories
        self.victory_squares += victories * victories
        self.score += score
        self.score_squares += score * score

    def merge(self, other: Pair) -> None:
        """Count what another process counted."""
        self.units += other.units
        self.games += other.games
        self.victories += other.victories
        self.victory_squares += other.victory_squares
        self.score += other.score
        self.score_squares += other.score_squares

    def win_difference(self, z: float = Z95) -> tuple[float, float, float]:
        """By how much more often the first won, as a share of games, and its interval."""
        return self._mean(self.victories, self.victory_squares, VICTORY, z)

    def score_difference(self, z: float = Z95) -> tuple[float, float, float]:
        """By how many points a game the first scored more, and its interval."""
        return self._mean(self.score, self.score_squares, 1, z)

    def _mean(self, total: int, squares: int, part: int, z: float) -> tuple[float, float, float]:
        # The unit is what was drawn at random, so the spread is taken over units.
        n = self.units
        if not n:
            return math.nan, math.nan, math.nan
        per_unit = self.games / n * part
        mean = total / n / per_unit
        if n == 1:
            return mean, -math.inf, math.inf
        variance = max(0.0, (squares - total * total / n) / (n - 1))
        half = z * math.sqrt(variance / n) / per_unit
        return mean, mean - half, mean + half


class GroupTally(msgspec.Struct):
    """The results of a group: by slot (contestant), by seat, how often each score came; where
    contestants are paired, by pair (``"0-1"``), and the finishing orders, game by game."""

    slots: list[Sums]
    seats: list[Sums]
    scores: dict[int, int]
    pairs: dict[str, Pair] = {}
    orders: list[list[list[int]]] = []
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

    def pair_up(self, games: list[tuple[tuple[int, ...], list[Event]]]) -> None:
        """Compare the contestants of a unit: the same deal played from every seat."""
        victories: dict[int, int] = {}
        points: dict[int, int] = {}
        for slots, events in games:
            end = events[-1]
            assert isinstance(end, GameFinished)
            part = VICTORY // len(end.winners)
            ranks: dict[tuple[bool, int], list[int]] = {}
            for seat, slot in enumerate(slots):
                won = seat in end.winners
                victories[slot] = victories.get(slot, 0) + (part if won else 0)
                points[slot] = points.get(slot, 0) + end.scores[seat]
                ranks.setdefault((not won, -end.scores[seat]), []).append(slot)
            self.orders.append([sorted(ranks[rank]) for rank in sorted(ranks)])
        seated = sorted(victories)
        for i, one in enumerate(seated):
            for two in seated[i + 1 :]:
                self.pairs.setdefault(f"{one}-{two}", Pair()).add(
                    len(games), victories[one] - victories[two], points[one] - points[two]
                )

    def merge(self, other: GroupTally) -> None:
        """Count what another process counted; finishing orders are not kept."""
        for key, pair in other.pairs.items():
            self.pairs.setdefault(key, Pair()).merge(pair)
        for mine, theirs in zip(self.slots, other.slots, strict=True):
            mine.merge(theirs)
        for mine, theirs in zip(self.seats, other.seats, strict=True):
            mine.merge(theirs)
        for score, count in other.scores.items():
            self.scores[score] = self.scores.get(score, 0) + count
        self.games += other.games
        self.events += other.events
        self.busts += other.busts


def empty_tally(slots: int, seats: int) -> GroupTally:
    """Nothing counted yet, for so many contestants and seats."""
    return GroupTally([Sums() for _ in range(slots)], [Sums() for _ in range(seats)], {})
