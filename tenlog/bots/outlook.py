"""What a collection may yet become: the worth of cards in points, before the game is over.

A red 7 beside nothing scores a point now; beside a red 5 it scores nothing more now, and much if
the red 6 comes. So a colour is not valued by its run today but by the mean of its run at the end,
if each missing number is still got with a probability that falls with the cards left in the deck
and is lower for numbers of which there are few. The means over all 512 sets of numbers of a colour
are computed at once and looked up from then on.

A colour wild fills any gap, a full wild any gap of any colour: both are counts of free gaps. Number
wilds and full wilds are given to the colour where they add most when they are read, one after
another; that is not always best, but the exact solver is asked wherever the score itself counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from tenlog.game.cards import COLOUR_WILDS, FULL_WILD, NUMBER_WILDS, NUMBERS_END
from tenlog.game.ruleset import Rules
from tenlog.game.scoring import run_points

LEVELS: Final = 16  # steps in which the deck runs out
FREE: Final = 4  # more free gaps than this in one colour are not told apart
BITS: Final = tuple(1 << kind % 9 for kind in range(NUMBERS_END))  # of a number card, by kind

# Turns counts into the digits of a binary number: 0 stays 0, any other count is 1.
_FLAGS: Final = b"0" + b"1" * 255

# By free gaps, then by the mask of a colour's numbers: points at the end, on average.
Table = tuple[tuple[float, ...], ...]


@lru_cache(maxsize=8)
def _now(bonus: int) -> tuple[tuple[int, ...], ...]:
    """Points of a colour as it stands, by free gaps and mask."""
    rows = [tuple([run_points(mask, bonus) for mask in range(512)])]
    for _ in range(FREE):
        last = rows[-1]
        rows.append(tuple([max([last[m | 1 << bit] for bit in range(9)]) for m in range(512)]))
    return tuple(rows)


@lru_cache(maxsize=512)
def _table(bonus: int, chances: tuple[float, ...]) -> Table:
    rows: list[tuple[float, ...]] = []
    for now in _now(bonus):
        row: list[float] = list(now)
        for chance in chances:
            # The mean over the lowest number coming or not. Then its bit moves to the top, so that
            # the next number is the lowest; after all nine each is where it was.
            with_it = row[1::2]
            without = row[::2]
            row = [a + chance * (b - a) for a, b in zip(without, with_it, strict=True)] + with_it
        rows.append(tuple(row))
    return tuple(rows)


class Tables(dict[int, Table]):
    """The tables of a ruleset by level, 0 (the deck is empty) to LEVELS (it is whole); each is made
    when it is first asked for.

    ``hope`` (0 to 1) is the chance to get one given copy of a card while the whole deck is drawn.
    With a part of the deck left it shrinks as the part to the power of ``bend`` (0.1 to 10): below
    1, because towards the end players know better what they want, and have the means.
    """

    def __init__(self, rules: Rules, hope: float, bend: float) -> None:
        self._bonus = rules.bonus
        self._hope = hope
        self._bend = bend
        self._copies = [sum(rules.counts[bit:NUMBERS_END:9]) / 4 for bit in range(9)]

    def __missing__(self, level: int) -> Table:
        missed = 1.0 - self._hope * (level / LEVELS) ** self._bend
        table = _table(self._bonus, tuple([1.0 - missed**copies for copies in self._copies]))
        self[level] = table
        return table


class Holding:
    """A collection read for valuing: by colour its mask and free gaps, and how many spare copies.

    Not to be changed: holdings are shared.
    """

    __slots__ = ("free", "masks", "spare", "value")

    def __init__(self, counts: bytes, table: Table) -> None:
        flags = int(counts[NUMBERS_END - 1 :: -1].translate(_FLAGS), 2)
        masks = [flags & 511, flags >> 9 & 511, flags >> 18 & 511, flags >> 27]
        free = [0, 0, 0, 0]
        if any(counts[NUMBERS_END:]):
            free = [min(count, FREE) for count in counts[COLOUR_WILDS:NUMBER_WILDS]]
            for number in range(9):
                # More than four of a number are of no use: there are four colours.
                for _ in range(min(counts[NUMBER_WILDS + number], 4)):
                    colour, gain = best_number(table, masks, free, 1 << number)
                    if gain > 0:
                        masks[colour] |= 1 << number
            for _ in range(min(counts[FULL_WILD], 4 * FREE)):
                colour, gain = best_full(table, masks, free)
                if gain > 0:
                    free[colour] += 1
        self.masks: Sequence[int] = masks
        self.free: Sequence[int] = free
        self.spare = sum(counts[:NUMBERS_END]) - flags.bit_count()
        self.value = (
            table[free[0]][masks[0]]
            + table[free[1]][masks[1]]
            + table[free[2]][masks[2]]
            + table[free[3]][masks[3]]
        )


def best_number(
    table: Table, masks: Sequence[int], free: Sequence[int], flag: int
) -> tuple[int, float]:
    """The colour in which a number wild (its bit) adds most, and how much; 0 if it adds nothing."""
    best, most = 0, 0.0
    for colour in range(4):
        row = table[free[colour]]
        gain = row[masks[colour] | flag] - row[masks[colour]]
        if gain > most:
            best, most = colour, gain
    return best, most


def best_full(table: Table, masks: Sequence[int], free: Sequence[int]) -> tuple[int, float]:
    """The colour in which one more free gap adds most, and how much; 0 if it adds nothing."""
    best, most = 0, 0.0
    for colour in range(4):
        if free[colour] < FREE:
            gain = table[free[colour] + 1][masks[colour]] - table[free[colour]][masks[colour]]
            if gain > most:
                best, most = colour, gain
    return best, most


def wild_gain(table: Table, held: Holding, wild: int) -> float:
    """What a wild (by kind) would add to a holding, in points."""
    masks, free = held.masks, held.free
    if wild < NUMBER_WILDS:
        colour = wild - COLOUR_WILDS
        if free[colour] >= FREE:
            return 0.0
        mask = masks[colour]
        return table[free[colour] + 1][mask] - table[free[colour]][mask]
    if wild < FULL_WILD:
        return best_number(table, masks, free, 1 << (wild - NUMBER_WILDS))[1]
    return best_full(table, masks, free)[1]
