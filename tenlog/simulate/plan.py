"""Plans: which games a run consists of. Game i follows from the plan and i, from nothing else."""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import sha256
from typing import Final

import msgspec

from tenlog.errors import SetupError
from tenlog.game.events import FORMAT, GameStarted
from tenlog.game.ruleset import Ruleset
from tenlog.game.start import check_start
from tenlog.shuffle import SEED_LENGTH, check_seed, commitment
from tenlog.story import counted

MAX_GAMES: Final = 1_000_000_000


class GameSpec(msgspec.Struct, frozen=True):
    """One game of a plan.

    Attributes:
        index: its place in the plan, from 0.
        game: its id.
        seed: its seed.
        rules: what GameStarted says of the ruleset.
        names: names by seat.
        bots: specifications by seat.
        slots: by seat: which contestant of its group sits there.
        group: which group of the plan it belongs to.
    """

    index: int
    game: str
    seed: str
    rules: str | Ruleset
    names: tuple[str, ...]
    bots: tuple[str, ...]
    slots: tuple[int, ...]
    group: int

    def start(self) -> GameStarted:
        """The first event of the game."""
        return GameStarted(
            FORMAT, self.game, self.rules, self.names, self.seed, commitment(self.seed)
        )


class Group(msgspec.Struct, frozen=True):
    """Games that are counted together: one ruleset, one number of players, the same contestants.

    Attributes:
        rules: what GameStarted says of the ruleset.
        ruleset: its name.
        bots: the contestants, by slot.
        players: seats at a table; in a tournament at the largest.
        label: what it is called in tables and ids; empty if there is only one group.
    """

    rules: str | Ruleset
    ruleset: str
    bots: tuple[str, ...]
    players: int
    label: str = ""


def check_spec(spec: GameSpec) -> None:
    """Refuse a game that can't be started.

    Raises:
        SetupError: saying why.
    """
    refused = check_start(spec.start())
    if refused is not None:
        raise SetupError(refused.message)


@lru_cache(maxsize=256)
def id_from_seed(seed: str) -> str:
    """The beginning of game ids for a seed: the seed itself where it may stand in an id, else what
    may of it and a few digits that keep ids of different seeds apart.

    >>> id_from_seed("study-1"), id_from_seed("Ä 1")
    ('study-1', '1-f193ce1b')
    """
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", seed).strip("-")
    if plain == seed and len(seed) <= 32:
        return seed
    return f"{plain[:23]}-{sha256(seed.encode()).hexdigest()[:8]}".lstrip("-")


@lru_cache(maxsize=256)
def bot_label(spec: str) -> str:
    """A short name of a bot for players' names, of letters that every log may hold."""
    label = re.sub(r"[^A-Za-z0-9._-]+", "-", spec).strip("-")
    return label[:40] or "bot"


class SimulationPlan(msgspec.Struct, frozen=True, tag="simulation"):
    """``games`` games under each ruleset and number of players, on the same seeds.

    Attributes:
        games: for each combination of ruleset and number of players.
        seed: game i has the seed ``<seed>/<i>``.
        bots: contestants; with more seats than bots they repeat around the table, with fewer they
            take turns.
        players: numbers of players.
        rulesets: what GameStarted says of them.
        fixed_seats: contestant s always sits at seat s, and the last ones nowhere at a table that
            is too small; otherwise seats rotate by one each game.
    """

    games: int
    seed: str
    bots: tuple[str, ...]
    players: tuple[int, ...]
    rulesets: tuple[str | Ruleset, ...] = ("ten/1",)
    fixed_seats: bool = False

    def check(self) -> None:
        """Refuse what can't be run.

        Raises:
            SetupError, SeedError, RulesetError: saying what.
        """
        if not 1 <= self.games <= MAX_GAMES:
            raise SetupError(f"the number of games must be 1 to {MAX_GAMES}, not {self.games}")
        if not self.bots or not self.players or not self.rulesets:
            raise SetupError("a simulation needs at least one bot, number of players and ruleset")
        names = [rules if isinstance(rules, str) else rules.name for rules in self.rulesets]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise SetupError(
                f"two rulesets are called {twice!r}: give each once, and others another name"
            )
        check_seed(self.seed)
        if len(f"{self.seed}/{self.games - 1}") > SEED_LENGTH:
            raise SetupError(f"with /{self.games - 1} behind it, the seed is longer than allowed")
        for i in range(len(self.groups())):
            check_spec(self.spec(i * self.games))
        most = max(self.players)
        if most < len(self.bots):
            bots, seats = counted(len(self.bots), "bot"), counted(most, "seat")
            raise SetupError(
                f"{bots} for {seats} at most: the largest table needs a seat for each; name fewer "
                "with --bots, or allow more with --players"
            )

    def groups(self) -> list[Group]:
        """The groups of the plan: rulesets in order, within each the numbers of players."""
        groups = []
        several = len(self.rulesets) * len(self.players) > 1
        for r, rules in enumerate(self.rulesets):
            for count in self.players:
                name = rules if isinstance(rules, str) else rules.name
                parts = []
                if len(self.rulesets) > 1:
                    parts.append(f"r{r + 1}")
                if len(self.players) > 1:
                    parts.append(f"p{count}")
                slots = count if self.fixed_seats else max(count, len(self.bots))
                bots = tuple(self.bots[slot % len(self.bots)] for slot in range(slots))
                label = "-".join(parts) if several else ""
                groups.append(Group(rules, name, bots, count, label))
        return groups

    def left_out(self) -> tuple[str, ...]:
        """The contestants that have no seat at the smallest table."""
        return self.bots[min(self.players) :] if self.fixed_seats else ()

    @property
    def total(self) -> int:
        """How many games there are in all."""
        return self.games * len(self.rulesets) * len(self.players)

    @property
    def units(self) -> int:
        """How many units: each game, under all rulesets."""
        return self.games * len(self.players)

    def unit(self, number: int, groups: list[Group]) -> list[GameSpec]:
        """A game under each ruleset, 0 … units − 1."""
        return [self.spec(index, groups) for index in range(number, self.total, self.units)]

    def spec(self, index: int, groups: list[Group] | None = None) -> GameSpec:
        """Game ``index`` of the plan, 0 … total − 1."""
        number, i = divmod(index, self.games)
        group = (groups or self.groups())[number]
        around = len(group.bots)
        shift = 0 if self.fixed_seats else i % around
        slots = tuple((seat + shift) % around for seat in range(group.players))
        label = f"{group.label}-" if group.label else ""
        return GameSpec(
            index,
            f"{id_from_seed(self.seed)}-{label}{i}",
            f"{self.seed}/{i}",
            group.rules,
            tuple(f"{bot_label(group.bots[slot])}-{slot + 1}" for slot in slots),
            tuple(group.bots[slot] for slot in slots),
            slots,
            number,
        )


def parse_players(text: str) -> tuple[int, ...]:
    """Numbers of players: ``4``, ``2..5`` or ``2,4``.

    Raises:
        SetupError: the text is not of this form.

    >>> parse_players("2..5"), parse_players("2,4")
    ((2, 3, 4, 5), (2, 4))
    """
    found: list[int] = []
    for part in text.split(","):
        span = re.fullmatch(r"\s*(\d{1,3})(?:\.\.(\d{1,3}))?\s*", part)
        if span is None:
            raise SetupError(f"players {text!r}: write a number, or a range such as 2..5")
        low = int(span[1])
        found += range(low, int(span[2] or low) + 1)
    if not found or len(set(found)) < len(found):
        raise SetupError(f"players {text!r}: each number once, the smaller one first")
    return tuple(found)
