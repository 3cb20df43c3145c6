"""Who plays whom: round robin or pools, each deal from every seat.

A *unit* is one deal. Every table that has it plays it once for each rotation of its seats: so seats
are balanced exactly, and contestants of a table are compared on the same cards. In a round robin
every table of every size plays the same deals.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import Final, Literal

import msgspec

from tenlog.bots.stream import Stream, stream_key
from tenlog.errors import SetupError
from tenlog.game.ruleset import Ruleset
from tenlog.shuffle import SEED_LENGTH, check_seed
from tenlog.simulate.plan import GameSpec, Group, bot_label, check_spec, id_from_seed

MAX_TABLES: Final = 5000
MAX_DEALS: Final = 10_000_000


class TournamentPlan(msgspec.Struct, frozen=True, tag="tournament"):
    """A tournament.

    Attributes:
        deals: how many deals each table plays at most.
        seed: deal d has the seed ``<seed>/<d>``.
        bots: the contestants, no two alike.
        players: table sizes.
        rules: what GameStarted says of the ruleset.
        form: ``round-robin`` (every table of these sizes that can be formed) or ``pools`` (for each
            deal the contestants are drawn to tables anew; who is left over sits that deal out).
    """

    deals: int
    seed: str
    bots: tuple[str, ...]
    players: tuple[int, ...]
    rules: str | Ruleset = "ten/1"
    form: Literal["round-robin", "pools"] = "round-robin"

    def check(self) -> None:
        """Refuse what can't be played.

        Raises:
            SetupError, SeedError, RulesetError: saying what.
        """
        if not 1 <= self.deals <= MAX_DEALS:
            raise SetupError(f"the number of deals must be 1 to {MAX_DEALS}, not {self.deals}")
        if len(self.bots) < 2:
            raise SetupError("a tournament needs at least two bots")
        if len(set(self.bots)) < len(self.bots):
            twice = next(bot for bot in self.bots if self.bots.count(bot) > 1)
            raise SetupError(f"{twice} is named twice: each contestant once")
        for count in self.players:
            if not 2 <= count <= len(self.bots):
                fit = "only 2 fits" if len(self.bots) == 2 else f"2 to {len(self.bots)} fit"
                raise SetupError(
                    f"tables of {count} can't be formed from {len(self.bots)} bots: {fit}"
                )
        check_seed(self.seed)
        if len(f"{self.seed}/{self.deals - 1}") > SEED_LENGTH:
            raise SetupError(f"with /{self.deals - 1} behind it, the seed is longer than allowed")
        tables = self._tables_per_deal()
        if tables > MAX_TABLES:
            raise SetupError(f"{tables} tables a deal are too many: use --form pools")
        for spec in self.unit(0, self.groups()):
            check_spec(spec)

    def _tables_of(self, count: int) -> int:
        if self.form == "pools":
            return len(self.bots) // count
        return math.comb(len(self.bots), count)

    def _tables_per_deal(self) -> int:
        return sum(self._tables_of(count) for count in self.players)

    def groups(self) -> list[Group]:
        """One group: a deal is a sample, whatever tables play it."""
        name = self.rules if isinstance(self.rules, str) else self.rules.name
        return [Group(self.rules, name, self.bots, max(self.players))]

    @property
    def units(self) -> int:
        """How many units: deals."""
        return self.deals

    @property
    def per_deal(self) -> int:
        """How many games a deal has."""
        return sum(self._tables_of(count) * count for count in self.players)

    @property
    def total(self) -> int:
        """How many games there are in all."""
        return self.deals * self.per_deal

    def unit(self, number: int, groups: list[Group]) -> list[GameSpec]:
        """All games of a deal: by table size and table, once for each rotation of the seats."""
        base = id_from_seed(self.seed)
        index = number * self.per_deal
        specs: list[GameSpec] = []
        for count in self.players:
            label = f"p{count}-" if len(self.players) > 1 else ""
            for table, slots in enumerate(self._tables(number, count)):
                for turn in range(count):
                    seated = slots[turn:] + slots[:turn]
                    specs.append(
                        GameSpec(
                            index + len(specs),
                            f"{base}-{label}{number}-{table}-{turn}",
                            f"{self.seed}/{number}",
                            self.rules,
                            tuple(f"{bot_label(self.bots[slot])}-{slot + 1}" for slot in seated),
                            tuple(self.bots[slot] for slot in seated),
                            seated,
                            0,
                        )
                    )
        return specs

    def _tables(self, deal: int, count: int) -> list[tuple[int, ...]]:
        """By table: its contestants, in the order of the seats before any rotation."""
        slots = range(len(self.bots))
        if self.form == "round-robin":
            return list(combinations(slots, count))
        # Seat −1 is nobody's: a stream of its own for the draw of each deal.
        order = Stream(stream_key(self.seed, -1), deal).shuffled(slots)
        ends = range(count, len(order) + 1, count)
        return [tuple(order[end - count : end]) for end in ends]
