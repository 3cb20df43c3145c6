"""What a collection scores, and which wild stands for what (RULES 9.1, 9.2).

The search for the best windows and wilds is in :mod:`tenlog.game.windows`.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache

import msgspec

from tenlog.errors import CardError
from tenlog.game.cards import CARDS, COLOUR_WILDS, OWNED_END, Card, kind_of
from tenlog.game.windows import REACH, WINDOWS, Option, Problem, fill


class Score(msgspec.Struct, frozen=True, gc=False):
    """A scored collection (RULES 9).

    ``colours`` are the points of red, blue, orange, green, full-run bonus included. ``wilds``
    pairs each wild with the number card that it stands for, in the order of kinds (colour wilds,
    number wilds, full wilds; then by card); wilds that are of no use are left out.
    """

    total: int
    colours: tuple[int, int, int, int]
    wilds: tuple[tuple[Card, Card], ...]


def run_points(mask: int, bonus: int = 1) -> int:
    """Points of one colour's numbers (bit n − 1 = number n, 0 to 511) without wilds (RULES 9.1).

    >>> run_points(0b001010111), run_points(0b111111111)
    (3, 10)
    """
    length = REACH[mask]
    return length + bonus if length == 9 else length


@lru_cache(maxsize=8_192)
def _solved(counts: bytes, bonus: int) -> list[Option]:
    """The window of each colour; shared, so never to be changed."""
    if bonus < 0:
        raise ValueError(f"the full-run bonus is at least 0, not {bonus}")
    return Problem(counts).solve(bonus)


@lru_cache(maxsize=65_536)
def _best_total(counts: bytes, bonus: int) -> int:
    total = 0
    for option in _solved(counts, bonus):
        total += option[0]
        if option[0] == 9:
            total += bonus
    return total


def best_total(counts: bytes, bonus: int = 1) -> int:
    """The highest total of a collection (RULES 9.2): the number of ``best_score``, sooner.

    ``counts`` are 50 counts by kind, ``bonus`` (0 or more) the extra points of a full run. Cached.

    Raises:
        ValueError: not 50 counts, or a negative bonus.
    """
    return _best_total(counts, bonus)


def colour_points(counts: bytes, bonus: int = 1) -> tuple[int, ...]:
    """The points of red, blue, orange and green alone, as :func:`best_score` gives them, sooner.

    Raises:
        ValueError: not 50 counts, or a negative bonus.
    """
    return tuple([9 + bonus if option[0] == 9 else option[0] for option in _solved(counts, bonus)])


@lru_cache(maxsize=8_192)
def _best_score(counts: bytes, bonus: int) -> Score:
    problem = Problem(counts)
    cells: list[int] = []
    for colour, (length, _, _, window) in enumerate(_solved(counts, bonus)):
        owned = 0
        for bit in range(9):
            owned |= (counts[colour * 9 + bit] > 0) << bit
        if window == 0 and length > 0:
            # Of the windows that need no shared wild, the one that spends the fewest wilds.
            fewest = 10
            for candidate in WINDOWS[length]:
                gaps = (candidate & ~problem.masks[colour]).bit_count()
                spent = (candidate & ~owned).bit_count()
                if gaps <= problem.own[colour] and spent < fewest:
                    fewest, window = spent, candidate
        for bit in range(9):
            if window & ~owned & 1 << bit:
                cells.append(colour * 9 + bit)
    wilds = tuple(
        (CARDS[wild], CARDS[cell])
        for wild, cell in fill(cells, list(counts[COLOUR_WILDS:OWNED_END]))
    )
    red, blue, orange, green = colours = colour_points(counts, bonus)
    return Score(sum(colours), (red, blue, orange, green), wilds)


def best_score(counts: bytes, bonus: int = 1) -> Score:
    """The highest score of a collection, with the assignment that reaches it (RULES 9.2).

    ``counts`` are 50 counts by kind, ``bonus`` (0 or more) the extra points of a full run. Always
    the same assignment for the same collection (the order is in the module docstring). Cached.

    Raises:
        ValueError: not 50 counts, or a negative bonus.
    """
    return _best_score(counts, bonus)


def score_cards(cards: Iterable[str], bonus: int = 1) -> Score:
    """The score of a collection given as card texts.

    Raises:
        CardError: a text that names no card, or a currency card.
        ValueError: a negative bonus.

    >>> score_cards(["B1", "B2", "B3", "B5", "B7"]).total
    3
    >>> score_cards(["B1", "B2", "B3", "B5", "B7", "BW"]).wilds
    (('BW', 'B4'),)
    >>> score_cards(["B1", "B2", "B3", "B5", "B7", "BW", "W6"])
    Score(total=7, colours=(0, 7, 0, 0), wilds=(('BW', 'B4'), ('W6', 'B6')))
    >>> score_cards("R1 R2 R3 R4 R5 B7 B8 B9 O1 O2 O4 G6 G8".split()).total
    11
    """
    counts = bytearray(OWNED_END)
    for text in cards:
        kind = kind_of(text)
        if kind >= OWNED_END:
            raise CardError(f"a currency card can't be owned: {CARDS[kind]}")
        counts[kind] = min(counts[kind] + 1, 255)  # more than 36 of a kind are never of use
    return best_score(bytes(counts), bonus)


def tie_break(
    scores: Sequence[int], tokens: Sequence[int], winners: Sequence[int]
) -> tuple[tuple[int, ...], str]:
    """Whom the winners are ahead of at equal points, and by what (RULES 9.3): ``more tokens``,
    ``fewer cards``, or both where it is one for some and the other for others.

    >>> tie_break((7, 9, 9), (0, 1, 3), (2,))
    ((1,), 'more tokens')
    """
    tied = [seat for seat, points in enumerate(scores) if points == max(scores)]
    richest = [seat for seat in tied if tokens[seat] == max([tokens[other] for other in tied])]
    by = ["more tokens"] if len(richest) < len(tied) else []
    by += ["fewer cards"] if len(winners) < len(richest) else []
    return tuple([seat for seat in tied if seat not in winners]), " or ".join(by)
