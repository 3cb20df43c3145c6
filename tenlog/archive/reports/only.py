"""Which games a report is about: those of some rulesets and numbers of players, or all."""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import groupby
from typing import Final

import msgspec

from tenlog.archive.engine import quote
from tenlog.archive.schema import COLUMNS, VIEWS
from tenlog.errors import QueryError

Kind = tuple[str, int]  # of a game: its ruleset and its number of players

_NAMED: Final = 5  # rulesets that a line for people names


class Only(msgspec.Struct, frozen=True):
    """The games that are meant: of these rulesets, of these numbers of players; of any where there
    are none."""

    rulesets: tuple[str, ...] = ()
    players: tuple[int, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.rulesets or self.players)

    def condition(self) -> str:
        """What is true of the row of such a game, as SQL.

        Raises:
            QueryError: the name of a ruleset is no text.
        """
        for name in self.rulesets:
            if not name.isprintable():
                raise QueryError(f"no ruleset is called {name!r}")
        tests = []
        if self.rulesets:
            tests.append(f"ruleset in ({', '.join(map(quote, self.rulesets))})")
        if self.players:
            tests.append(f"players in ({', '.join(map(str, self.players))})")
        return " and ".join(tests) or "true"

    def narrow(self, sql: str) -> str:
        """The same question, asked of these games alone: every table that it reads is put behind
        one of the same name that has nothing else in it. So no question has to know of it.

        >>> print(Only(players=(2, 3)).narrow("select count(*) from draws"))
        with games as (
          select * from main.games where players in (2, 3)
        ), draws as (
          select * from main.draws semi join games using (game)
        )
        select count(*) from draws
        """
        if not self:
            return sql
        body = re.sub(r"\A(--.*\n)*", "", sql)
        head = sql.removesuffix(body)
        narrowed = f"games as (\n  select * from main.games where {self.condition()}\n)"
        for table in (*COLUMNS, *VIEWS):
            if table != "games" and re.search(rf"\b(?:from|join) {table}\b", body):
                inner = f"select * from main.{table} semi join games using (game)"
                narrowed += f", {table} as (\n  {inner}\n)"
        own = body.removeprefix("with ")
        return f"{head}with {narrowed}{chr(10) if own == body else ', '}{own}"

    def check(self, kinds: Collection[Kind], where: str) -> None:
        """That there are such games among those of an archive.

        Raises:
            QueryError: there are none of a ruleset, of a number of players, or of both together;
                the message names what there is.
        """
        missing = [f"of ruleset {name!r}" for name in self.rulesets if name not in dict(kinds)]
        if sizes := {*self.players} - {players for _, players in kinds}:
            missing.append(f"at tables of {spans(sizes)}")
        if not missing and not any(map(self._means, kinds)):
            missing = [str(self)]
        if missing:
            there = [
                f"{ruleset} (tables of {spans([players for _, players in group])})"
                for ruleset, group in groupby(sorted(kinds), key=lambda kind: kind[0])
            ]
            raise QueryError(
                f"no games {' or '.join(missing)} in {where}: there are {named(there) or 'none'}"
            )

    def _means(self, kind: Kind) -> bool:
        ruleset, players = kind
        return (not self.rulesets or ruleset in self.rulesets) and (
            not self.players or players in self.players
        )

    def __str__(self) -> str:
        """For people.

        >>> str(Only(("ten/1",), (2, 3, 5)))
        'of ten/1 at tables of 2 to 3, 5'
        """
        rulesets = f"of {named(self.rulesets)}" if self.rulesets else ""
        tables = f"at tables of {spans(self.players)}" if self.players else ""
        return " ".join(filter(None, [rulesets, tables]))


def pooled(rulesets: Collection[str], players: Collection[int], columns: Collection[str]) -> str:
    """What an answer takes together though it may differ, as a sentence; empty if nothing. What has
    a column of its own is not taken together.

    >>> pooled(["a/1", "ten/1"], [2, 3, 4], ["total"])
    'Pools 2 rulesets (a/1, ten/1) and tables of 2 to 4.'
    """
    pools = []
    if len(rulesets) > 1 and "ruleset" not in columns:
        pools.append(f"{len(rulesets)} rulesets ({named(rulesets)})")
    if len(players) > 1 and "players" not in columns:
        pools.append(f"tables of {spans(players)}")
    return f"Pools {' and '.join(pools)}." if pools else ""


def named(names: Collection[str]) -> str:
    """Names for people, in their order: the first few of many.

    >>> named("abcdefgh")
    'a, b, c, d, e and 3 more'
    """
    first = ", ".join([*names][:_NAMED])
    return first if len(names) <= _NAMED else f"{first} and {len(names) - _NAMED} more"


def spans(numbers: Collection[int]) -> str:
    """Numbers for people.

    >>> spans([2, 3, 4, 6])
    '2 to 4, 6'
    """
    found: list[list[int]] = []
    for n in sorted(numbers):
        if found and n == found[-1][-1] + 1:
            found[-1].append(n)
        else:
            found.append([n])
    return ", ".join([f"{r[0]} to {r[-1]}" if len(r) > 1 else str(r[0]) for r in found])
