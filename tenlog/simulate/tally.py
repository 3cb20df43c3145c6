"""Counting results: whole numbers only, so that the order of adding up can't change a figure."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Final

import msgspec

from tenlog.game.events import Busted, Event, GameFinished
from tenlog.simulate.plan import GameSpec, Group

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
    """What somebody's seats got, added up over samples.

    A sample is what was drawn at random by itself: a game, or in a tournament all games of a deal.
    Seats of the same game take from each other, and games of one deal share its luck, so what
    varies is the total of a sample; of these totals it holds the sums, squares and products.

    Attributes:
        samples: how many.
        games: the seats, one for each game that somebody sat in once.
        victories, score: what they got; victories in 1/2520.
        games_2, victories_2, score_2: the squares of a sample's totals.
        games_victories, games_score: the products of a sample's totals.
    """

    samples: int = 0
    games: int = 0
    victories: int = 0
    score: int = 0
    games_2: int = 0
    victories_2: int = 0
    score_2: int = 0
    games_victories: int = 0
    games_score: int = 0

    def add(self, games: int, victories: int, score: int) -> None:
        """Count a sample, by its totals."""
        self.samples += 1
        self.games += games
        self.victories += victories
        self.score += score
        self.games_2 += games * games
        self.victories_2 += victories * victories
        self.score_2 += score * score
        self.games_victories += games * victories
        self.games_score += games * score

    def merge(self, other: Sums) -> None:
        """Count what another process counted."""
        self.samples += other.samples
        self.games += other.games
        self.victories += other.victories
        self.score += other.score
        self.games_2 += other.games_2
        self.victories_2 += other.victories_2
        self.score_2 += other.score_2
        self.games_victories += other.games_victories
        self.games_score += other.games_score

    def win_rate(self) -> tuple[float, float, float]:
        """Share of games won (a shared victory counts in part), and its 95 % interval (Wilson).

        With more than one seat in a sample it is that of as many independent games as would make
        the share vary as much as it did over samples.
        """
        share = self.victories / (VICTORY * self.games) if self.games else math.nan
        if not self.games or self.games_2 == self.samples or share in (0, 1):
            return _wilson(share, self.samples)
        variance = self._variance(self.victories, self.victories_2, self.games_victories)
        variance /= VICTORY * VICTORY
        if not variance:
            return share, share, share
        if not math.isfinite(variance):
            return share, -math.inf, math.inf
        return _wilson(share, share * (1 - share) / variance)

    def mean_victories(self, z: float = Z95) -> tuple[float, float, float]:
        """Victories a game and their interval (normal); for a difference, which may be negative."""
        variance = self._variance(self.victories, self.victories_2, self.games_victories)
        return self._mean(self.victories, variance, VICTORY, z)

    def mean_score(self, z: float = Z95) -> tuple[float, float, float]:
        """Score a game, and its interval (normal)."""
        return self._mean(
            self.score, self._variance(self.score, self.score_2, self.games_score), 1, z
        )

    def _mean(self, total: int, variance: float, part: int, z: float) -> tuple[float, float, float]:
        if not self.games:
            return math.nan, math.nan, math.nan
        mean = total / (self.games * part)
        half = z * math.sqrt(variance) / part
        return mean, mean - half, mean + half

    def _variance(self, total: int, squares: int, products: int) -> float:
        """Of total / games, as a ratio of two sums over samples; infinite for a single sample.
        Whole numbers up to the last division: what does not vary gives exactly 0."""
        n, games = self.samples, self.games
        if n < 2:
            return math.inf
        spread = squares * games * games - 2 * total * games * products
        spread += total * total * self.games_2
        return n * spread / ((n - 1) * games**4)


def _wilson(share: float, n: float) -> tuple[float, float, float]:
    """A share of n games, and its 95 % interval."""
    if not n:
        return share, 0.0, 1.0
    z2 = Z95 * Z95
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = Z95 * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    return share, min(share, max(0.0, centre - half)), max(share, min(1.0, centre + half))


class GroupTally(msgspec.Struct):
    """The results of a group: by bot, all its seats together; by seat, game by game; how often each
    score came; where contestants are compared, what one got more than the other at the tables of
    both, by pair of slots (``"0-1"``), and the finishing orders, game by game."""

    bots: dict[str, Sums]
    seats: list[Sums]
    scores: dict[int, int]
    pairs: dict[str, Sums] = {}
    orders: list[list[list[int]]] = []
    games: int = 0
    events: int = 0
    busts: int = 0

    def count(self, sample: list[tuple[GameSpec, list[Event]]]) -> None:
        """Count a sample: finished games that depend on each other."""
        totals: dict[str, tuple[int, int, int]] = {}
        for spec, events in sample:
            end = events[-1]
            assert isinstance(end, GameFinished)
            part = VICTORY // len(end.winners)
            for seat, (bot, score) in enumerate(zip(spec.bots, end.scores, strict=True)):
                won = part if seat in end.winners else 0
                self.seats[seat].add(1, won, score)
                self.scores[score] = self.scores.get(score, 0) + 1
                games, victories, points = totals.get(bot, (0, 0, 0))
                totals[bot] = games + 1, victories + won, points + score
            self.games += 1
            self.events += len(events)
            self.busts += list(map(type, events)).count(Busted)
        for bot, total in totals.items():
            self.bots[bot].add(*total)

    def pair_up(self, sample: list[tuple[GameSpec, list[Event]]]) -> None:
        """Compare the contestants of a deal, which each table played from every seat."""
        differences: dict[str, tuple[int, int, int]] = {}
        for spec, events in sample:
            end = events[-1]
            assert isinstance(end, GameFinished)
            part = VICTORY // len(end.winners)
            ranks: dict[tuple[bool, int], list[int]] = {}
            got = []
            for seat, slot in enumerate(spec.slots):
                won = seat in end.winners
                got.append((slot, part if won else 0, end.scores[seat]))
                ranks.setdefault((not won, -end.scores[seat]), []).append(slot)
            self.orders.append([sorted(ranks[rank]) for rank in sorted(ranks)])
            for one, two in combinations(sorted(got), 2):
                key = f"{one[0]}-{two[0]}"
                games, victories, score = differences.get(key, (0, 0, 0))
                differences[key] = games + 1, victories + one[1] - two[1], score + one[2] - two[2]
        for key, difference in differences.items():
            self.pairs.setdefault(key, Sums()).add(*difference)

    def merge(self, other: GroupTally) -> None:
        """Count what another process counted; finishing orders are not kept."""
        for key, pair in other.pairs.items():
            self.pairs.setdefault(key, Sums()).merge(pair)
        for bot, theirs in other.bots.items():
            self.bots[bot].merge(theirs)
        for mine, theirs in zip(self.seats, other.seats, strict=True):
            mine.merge(theirs)
        for score, count in other.scores.items():
            self.scores[score] = self.scores.get(score, 0) + count
        self.games += other.games
        self.events += other.events
        self.busts += other.busts


def empty_tally(group: Group) -> GroupTally:
    """Nothing counted yet."""
    seats = [Sums() for _ in range(group.players)]
    return GroupTally({bot: Sums() for bot in group.bots}, seats, {})
