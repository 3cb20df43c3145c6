"""Rulesets compared on the same deals, game by game.

A game has the same deal and the same seats under each ruleset, so what is counted is the difference
of the two games: most of what chance does to one it does to the other. What is added up are whole
numbers, the difference and its square; so nothing grows with the games, and neither the order of
adding up nor the cut into chunks can change a figure.
"""

from __future__ import annotations

import math
from typing import Final

import msgspec

from tenlog.game.events import Busted, Event, GameFinished
from tenlog.game.state import State
from tenlog.simulate.plan import GameSpec, Group
from tenlog.simulate.tally import VICTORY, Z95, Interval, Sums, clipped

# A share of turns is counted in this many parts; rounding it is all that is not exact.
SHARE: Final = 10**12


class Change(msgspec.Struct):
    """Sums over games: a figure under the first ruleset, by how much it was more under the other
    one, and the squares of that."""

    first: int = 0
    difference: int = 0
    squares: int = 0

    def add(self, first: int, other: int) -> None:
        """Count a game that was played under both."""
        difference = other - first
        self.first += first
        self.difference += difference
        self.squares += difference * difference

    def merge(self, other: Change) -> None:
        """Count what another process counted."""
        self.first += other.first
        self.difference += other.difference
        self.squares += other.squares


class BotChange(msgspec.Struct):
    """What a bot got, all its seats together, in the games that it sat in: victories (in 1/2520)
    and points under the first ruleset, and how much more of them under the other one."""

    victories: int
    score: int
    more: Sums

    def merge(self, other: BotChange) -> None:
        """Count what another process counted."""
        self.victories += other.victories
        self.score += other.score
        self.more.merge(other.more)


class RulesTally(msgspec.Struct):
    """The games of a number of players under the first ruleset and under another one, counted
    where both could be played: by bot, and what a designer compares."""

    games: int
    bots: dict[str, BotChange]
    winning_score: Change
    turns: Change
    bust_rate: Change
    events: Change
    first_seat: Change

    def add(self, first: Figures, other: Figures) -> None:
        """Count a game that was played under both."""
        self.games += 1
        for bot, (seats, victories, score) in first.bots.items():
            _, more_victories, more_score = other.bots[bot]
            change = self.bots.setdefault(bot, BotChange(0, 0, Sums()))
            change.victories += victories
            change.score += score
            change.more.add(seats, more_victories - victories, more_score - score)
        self.winning_score.add(first.winning_score, other.winning_score)
        self.turns.add(first.turns, other.turns)
        self.bust_rate.add(first.bust_rate, other.bust_rate)
        self.events.add(first.events, other.events)
        self.first_seat.add(first.first_seat, other.first_seat)

    def merge(self, other: RulesTally) -> None:
        """Count what another process counted."""
        self.games += other.games
        for bot, theirs in other.bots.items():
            self.bots.setdefault(bot, BotChange(0, 0, Sums())).merge(theirs)
        self.winning_score.merge(other.winning_score)
        self.turns.merge(other.turns)
        self.bust_rate.merge(other.bust_rate)
        self.events.merge(other.events)
        self.first_seat.merge(other.first_seat)


def no_games() -> RulesTally:
    """Nothing compared yet."""
    return RulesTally(0, {}, Change(), Change(), Change(), Change(), Change())


class Figures(msgspec.Struct, frozen=True):
    """What is compared of one game, in whole numbers: by bot its seats, victories and points, and
    so on. ``bust_rate`` is the share of turns that ended in a bust, in 1/10^12."""

    bots: dict[str, tuple[int, int, int]]
    winning_score: int
    turns: int
    bust_rate: int
    events: int
    first_seat: int


def figures_of(spec: GameSpec, events: list[Event], state: State) -> Figures:
    """What is compared of a finished game."""
    end = events[-1]
    assert isinstance(end, GameFinished)
    part = VICTORY // len(end.winners)
    bots: dict[str, tuple[int, int, int]] = {}
    for seat, bot in enumerate(spec.bots):
        seats, victories, score = bots.get(bot, (0, 0, 0))
        won = part if seat in end.winners else 0
        bots[bot] = (seats + 1, victories + won, score + end.scores[seat])
    busts = sum([type(event) is Busted for event in events])
    return Figures(
        bots,
        max(end.scores),
        state.turn,
        (2 * SHARE * busts + state.turn) // (2 * state.turn),
        len(events),
        part if 0 in end.winners else 0,
    )


class Changed(msgspec.Struct, frozen=True):
    """A figure under the first ruleset, under the other one, and other minus first."""

    first: float
    other: float
    difference: Interval


class BotChanged(msgspec.Struct, frozen=True):
    """A bot under both rulesets: share of games won, mean score."""

    name: str
    won: Changed
    score: Changed


class Comparison(msgspec.Struct, frozen=True):
    """Two rulesets at one number of players: means over the games that were played under both, on
    the same deals from the same seats; and the differences game by game, with their 95 % intervals.

    Attributes:
        players, games: seats at a table; games under each.
        first, other: the names of the rulesets.
        bots: by bot, over the games that it sat in; its seats together, where it has several.
        winning_score: the highest score of a game.
        turns, events: the length of a game.
        bust_rate: the share of a game's turns that ended in a bust.
        first_seat: the first seat's share of games won, above 1/players.
    """

    players: int
    games: int
    first: str
    other: str
    bots: list[BotChanged]
    winning_score: Changed
    turns: Changed
    events: Changed
    bust_rate: Changed
    first_seat: Changed


def _changed(sums: Change, games: int, parts: int, fair: float | None = None) -> Changed:
    """``parts``: in how many parts a whole was counted. ``fair``: what is taken off a share."""
    mean = sums.difference / (games * parts)
    half = math.inf
    if games > 1:
        spread = games * sums.squares - sums.difference * sums.difference
        half = Z95 * math.sqrt(spread / (games * games * (games - 1) * parts * parts))
    triple = (mean, mean - half, mean + half)
    first = sums.first / (games * parts) - (fair or 0.0)
    other = (sums.first + sums.difference) / (games * parts) - (fair or 0.0)
    return Changed(first, other, Interval.of(triple if fair is None else clipped(triple)))


def _bot_changed(bot: str, change: BotChange) -> BotChanged:
    """By seat; over the games that the bot sat in."""
    more = change.more
    figures = []
    for first, part, triple in (
        (change.victories, VICTORY, clipped(more.mean_victories())),
        (change.score, 1, more.mean_score()),
    ):
        mean = first / (more.games * part)
        figures.append(Changed(mean, mean + triple[0], Interval.of(triple)))
    return BotChanged(bot, *figures)


def comparisons_of(groups: list[Group], tallies: dict[int, RulesTally]) -> list[Comparison]:
    """What is published of comparisons; ``tallies`` by the number of the other ruleset's group."""
    found = []
    for number, tally in sorted(tallies.items()):
        other = groups[number]
        first = next(group for group in groups if group.players == other.players)
        games = tally.games
        bots = [
            _bot_changed(bot, tally.bots[bot])
            for bot in dict.fromkeys(other.bots)
            if bot in tally.bots
        ]
        found.append(
            Comparison(
                other.players,
                games,
                first.ruleset,
                other.ruleset,
                bots,
                _changed(tally.winning_score, games, 1),
                _changed(tally.turns, games, 1),
                _changed(tally.events, games, 1),
                _changed(tally.bust_rate, games, SHARE, 0.0),
                _changed(tally.first_seat, games, VICTORY, 1 / other.players),
            )
        )
    return found
