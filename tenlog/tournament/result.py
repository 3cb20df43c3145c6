"""Who is better than whom, and how sure that is."""

from __future__ import annotations

from collections.abc import Callable
from statistics import NormalDist
from typing import Any, Final

import msgspec

from tenlog.errors import SetupError, extra_hint
from tenlog.simulate.forfeits import ProgramAnswers
from tenlog.simulate.journal import Chunk
from tenlog.simulate.run import Outcome
from tenlog.simulate.tables import TournamentPlan
from tenlog.simulate.tally import GroupTally, Interval, clipped

LEAST: Final = 30  # deals below which an interval of a difference is not to be trusted


class Standing(msgspec.Struct, frozen=True):
    """A contestant: share of games won (shared victories in part), mean score, rating.

    ``rating`` is the openskill ordinal scale (mean 25 at the start) with mean ± 1.96 sigma, or null
    where ratings were not asked for.
    """

    bot: str
    games: int
    won: Interval
    score: Interval
    rating: Interval | None


class Difference(msgspec.Struct, frozen=True):
    """Two contestants on the same deals from the same seats: first minus second, a game.

    ``won``: difference of the share of games won, within -1 and 1; ``score``: of the score.
    ``units``: how many deals both played at the same tables, from every seat; they are the samples.
    ``decided``: whether the interval of ``won`` leaves out 0; never with fewer than 30 deals: an
    interval from so few, or one without any width because so few came out the same, is not to be
    trusted.
    """

    first: str
    second: str
    units: int
    won: Interval
    score: Interval
    decided: bool


class Result(msgspec.Struct, frozen=True):
    """``tournament --json``.

    ``leader`` is the contestant with the highest share of games won; ``decided`` whether it is
    ahead of every other one at ``confidence``, allowing for how often that was looked at; never
    with fewer than 30 deals in a comparison. ``skipped``: games of deals that were left out (with
    --keep-going). ``forfeits``: decisions that were made for programs; ``programs``: how each of
    them answered.
    """

    games: int
    events: int
    deals: int
    digest: str
    ruleset: str
    players: list[int]
    standings: list[Standing]
    differences: list[Difference]
    leader: str
    decided: bool
    confidence: float
    skipped: int
    forfeits: int
    programs: list[ProgramAnswers]


def leader_of(tally: GroupTally, alpha: float) -> tuple[int, bool]:
    """The leading contestant, and whether it is ahead of all others.

    ``alpha`` (0 to 1) is the chance of a wrong «ahead» that is accepted in all; it is shared out
    over the comparisons. With fewer than 30 deals in any of them, nobody is ahead.
    """
    rates = [sums.victories / sums.games if sums.games else -1.0 for sums in tally.bots.values()]
    leader = rates.index(max(rates))
    z = NormalDist().inv_cdf(1 - alpha / max(1, len(rates) - 1))
    for other in range(len(rates)):
        if other == leader:
            continue
        pair = tally.pairs.get(f"{min(leader, other)}-{max(leader, other)}")
        if pair is None or pair.samples < LEAST:
            return leader, False
        _, low, high = pair.mean_victories(z)
        if (low if leader < other else -high) <= 0:
            return leader, False
    return leader, True


def why_open(result: Result) -> str:
    """Why it is not decided that the leader is ahead of all others, for people."""
    met = [d for d in result.differences if result.leader in (d.first, d.second)]
    if len(met) < len(result.standings) - 1:
        return "it did not meet all others"
    fewest = min(d.units for d in met)
    if fewest < LEAST:
        return f"too few deals: {fewest}, and it takes at least {LEAST}"
    for d in met:
        if not d.decided:
            other = d.second if d.first == result.leader else d.first
            return f"the difference to {other} may be chance"
    return "each difference alone is clear, but all of them at once are not"


class Watch:
    """Looks at a tournament as it goes on: rates the contestants, and says when it is decided.

    The more often one looks, the likelier a wrong «decided»: so it looks after 1, 2, 4, 8 … chunks,
    and look k may err with (1 − confidence) / (k (k + 1)) only, which adds up to 1 − confidence.
    """

    def __init__(self, until: float | None, rate: Callable[[list[list[int]]], None] | None) -> None:
        self._until = until
        self._rate = rate
        self.decided = False

    def __call__(self, chunk: Chunk, tallies: list[GroupTally]) -> bool:
        """Take a chunk in; True where the leader is decided."""
        if self._rate is not None:
            for tally in chunk.tallies.values():
                for order in tally.orders:
                    self._rate(order)
        if self._until is None or not self.may_end(chunk.chunk):
            return False
        look = (chunk.chunk + 1).bit_length()
        _, self.decided = leader_of(tallies[0], (1 - self._until) / (look * (look + 1)))
        return self.decided

    def may_end(self, chunk: int) -> bool:
        """Whether it looks after this chunk."""
        return self._until is not None and not (chunk + 1) & chunk


class Ratings:
    """Plackett–Luce ratings of the contestants (openskill), game by game."""

    def __init__(self, contestants: int) -> None:
        try:
            from openskill.models import PlackettLuce
        except ImportError:
            raise SetupError(f"a rating {extra_hint('ratings')}") from None
        self._model: Any = PlackettLuce()
        self._ratings: list[Any] = [self._model.rating() for _ in range(contestants)]

    def rate(self, order: list[list[int]]) -> None:
        """Take a game in: contestants in the order they came in, equals together."""
        slots = [slot for rank in order for slot in rank]
        ranks = [float(i) for i, rank in enumerate(order) for _ in rank]
        teams = [[self._ratings[slot]] for slot in slots]
        for slot, (rating,) in zip(slots, self._model.rate(teams, ranks=ranks), strict=True):
            self._ratings[slot] = rating

    def of(self, slot: int) -> Interval:
        """Mean, and mean ± 1.96 sigma."""
        rating = self._ratings[slot]
        half = 1.96 * rating.sigma
        return Interval(rating.mu, rating.mu - half, rating.mu + half)


def summarise(
    plan: TournamentPlan, outcome: Outcome, ratings: Ratings | None, confidence: float
) -> Result:
    """The figures of a tournament, the best first."""
    tally = outcome.tallies[0]
    slots = list(tally.bots.values())
    order = sorted(
        range(len(slots)),
        key=lambda slot: (-slots[slot].victories / max(1, slots[slot].games), slot),
    )
    standings = [
        Standing(
            plan.bots[slot],
            slots[slot].games,
            Interval.of(slots[slot].win_rate()),
            Interval.of(slots[slot].mean_score()),
            None if ratings is None else ratings.of(slot),
        )
        for slot in order
    ]
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    differences = []
    for i, one in enumerate(order):
        for two in order[i + 1 :]:
            pair = tally.pairs.get(f"{min(one, two)}-{max(one, two)}")
            if pair is None:
                continue
            won, score = clipped(pair.mean_victories(z)), pair.mean_score(z)
            if one > two:
                won, score = _turned(won), _turned(score)
            decided = pair.samples >= LEAST and (won[1] > 0 or won[2] < 0)
            differences.append(
                Difference(
                    plan.bots[one],
                    plan.bots[two],
                    pair.samples,
                    Interval.of(won),
                    Interval.of(score),
                    decided,
                )
            )
    leader, ahead = leader_of(tally, 1 - confidence)
    return Result(
        outcome.games,
        outcome.events,
        outcome.games // plan.per_deal,
        outcome.digest,
        outcome.groups[0].ruleset,
        list(plan.players),
        standings,
        differences,
        plan.bots[leader],
        ahead,
        confidence,
        outcome.skips,
        outcome.forfeits,
        outcome.programs,
    )


def _turned(triple: tuple[float, float, float]) -> tuple[float, float, float]:
    value, low, high = triple
    return -value, -high, -low
