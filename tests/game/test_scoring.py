"""The scoring solver against two slower ones that share no code with it (RULES 9, STYLE law 7)."""

from collections.abc import Iterator
from itertools import product
from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tenlog.errors import CardError
from tenlog.game import scoring, windows
from tenlog.game.cards import CARDS, kind_of
from tenlog.game.scoring import Score, best_score, best_total, run_points, score_cards

BONUSES = st.sampled_from([0, 1, 1, 2, 5, 100])


def pack(numbers: set[int], wilds: dict[int, int]) -> bytes:
    counts = bytearray(50)
    for kind in numbers:
        counts[kind] = 1
    for kind, copies in wilds.items():
        counts[kind] = copies
    return bytes(counts)


def slow_run(numbers: set[int]) -> int:
    longest = 0
    for first in range(1, 10):
        length = 0
        while first + length in numbers and first + length < 10:
            length += 1
        longest = max(longest, length)
    return longest


RUNS = [slow_run({n for n in range(1, 10) if mask >> n - 1 & 1}) for mask in range(512)]


def colour_points(cards: int, bonus: int) -> tuple[int, ...]:
    """Points per colour of a 36-bit mask of number cards."""
    runs = [RUNS[cards >> 9 * colour & 511] for colour in range(4)]
    return tuple(run + bonus if run == 9 else run for run in runs)


def stands_for(wild: int) -> list[int]:
    """The number cards that a wild can stand for (RULES 1)."""
    if wild < 40:
        return [(wild - 36) * 9 + number for number in range(9)]
    if wild < 49:
        return [colour * 9 + wild - 40 for colour in range(4)]
    return list(range(36))


def brute_force(counts: bytes, bonus: int) -> tuple[int, ...]:
    """Points per colour of the best total, most in red: every wild as every card, or unused."""
    reached = {sum(1 << kind for kind in range(36) if counts[kind])}
    for wild in range(36, 50):
        for _ in range(counts[wild]):
            reached |= {cards | 1 << kind for cards in reached for kind in stands_for(wild)}
    return max(
        (colour_points(cards, bonus) for cards in reached),
        key=lambda points: (sum(points), points),
    )


def shares(numbers: list[int]) -> Iterator[tuple[int, ...]]:
    """All ways to give one colour at most one of each number wild."""
    return product(*[range(min(copies, 1) + 1) for copies in numbers])


def slow_total(counts: bytes, bonus: int) -> int:
    """Colour by colour, the best points for every stock of number and full wilds handed out."""
    spent: dict[tuple[tuple[int, ...], int], int] = {((0,) * 9, 0): 0}
    stock, full = list(counts[40:49]), counts[49]
    for colour in range(4):
        owned = {n for n in range(9) if counts[colour * 9 + n]}
        offers: dict[tuple[tuple[int, ...], int], int] = {}
        for share in shares(stock):
            got = owned | {n for n in range(9) if share[n]}
            for more in range(min(full, 9) + 1):
                fill = counts[36 + colour] + more
                length = max(
                    size
                    for size in range(10)
                    for first in range(10 - size)
                    if len(set(range(first, first + size)) - got) <= fill
                )
                offers[share, more] = length + bonus if length == 9 else length
        # Drop offers that one with less gives too.
        best = {
            (share, more): points
            for (share, more), points in offers.items()
            if (more == 0 or offers[share, more - 1] < points)
            and all(
                not share[n] or offers[(*share[:n], 0, *share[n + 1 :]), more] < points
                for n in range(9)
            )
        }
        after: dict[tuple[tuple[int, ...], int], int] = {}
        for (used, used_full), points in spent.items():
            for (share, more), gain in best.items():
                key = tuple(a + b for a, b in zip(used, share, strict=True)), used_full + more
                if key[1] <= full and all(a <= b for a, b in zip(key[0], stock, strict=True)):
                    after[key] = max(after.get(key, 0), points + gain)
        spent = after
    return max(spent.values())


def check_assignment(counts: bytes, bonus: int, score: Score) -> None:
    """The reported wilds exist, may stand for what they do, and give the reported points."""
    left = list(counts)
    cards = sum(1 << kind for kind in range(36) if counts[kind])
    for wild, card in score.wilds:
        left[kind_of(wild)] -= 1
        assert kind_of(card) in stands_for(kind_of(wild))
        assert not cards >> kind_of(card) & 1, "a wild is spent on a card that is there"
        cards |= 1 << kind_of(card)
    assert min(left) >= 0, "a wild is used more often than it is there"
    assert score.colours == colour_points(cards, bonus)
    assert score.total == sum(score.colours)
    pairs = [(kind_of(wild), kind_of(card)) for wild, card in score.wilds]
    assert pairs == sorted(pairs)


@st.composite
def collections(draw: st.DrawFn, wilds: int, copies: int, kinds: int = 14) -> bytes:
    numbers = draw(st.sets(st.integers(0, 35), max_size=24))
    chosen = draw(st.lists(st.integers(36, 49), max_size=wilds))
    counts: dict[int, int] = {}
    for wild in chosen:
        if wild in counts or len(counts) < kinds:
            counts[wild] = min(counts.get(wild, 0) + 1, copies)
    return pack(numbers, counts)


@settings(max_examples=120, deadline=None)
@given(collections(wilds=4, copies=4), BONUSES)
def test_every_assignment_of_few_wilds_is_tried(counts: bytes, bonus: int) -> None:
    score = best_score(counts, bonus)
    check_assignment(counts, bonus, score)
    best = brute_force(counts, bonus)
    assert score.total == sum(best)
    assert score.colours[0] == best[0], "ties go to the longest run in red"
    assert best_total(counts, bonus) == score.total


@settings(max_examples=25, deadline=None)
@given(
    st.sets(st.integers(0, 35), max_size=20),
    st.lists(st.sampled_from([36, 37, 38, 39, *range(40, 49)]), min_size=5, max_size=6),
    BONUSES,
)
def test_more_wilds_without_full_ones(numbers: set[int], wilds: list[int], bonus: int) -> None:
    counts = pack(numbers, {wild: min(wilds.count(wild), 2) for wild in wilds})
    score = best_score(counts, bonus)
    check_assignment(counts, bonus, score)
    best = brute_force(counts, bonus)
    assert (score.total, score.colours[0]) == (sum(best), best[0])


@settings(max_examples=60, deadline=None)
@given(collections(wilds=14, copies=2, kinds=9), BONUSES)
@example(pack({10, 12, 14, 16, 28, 30, 32, 34}, dict.fromkeys(range(40, 46), 1)), 1)
def test_many_wilds_against_the_slow_solver(counts: bytes, bonus: int) -> None:
    score = best_score(counts, bonus)
    check_assignment(counts, bonus, score)
    assert score.total == best_total(counts, bonus) == slow_total(counts, bonus)


@pytest.mark.parametrize("seed", range(24))
def test_scattered_cards_with_all_kinds_of_wilds(seed: int) -> None:
    random = Random(seed)
    share = random.choice((0.1, 0.25, 0.4))
    numbers = {kind for kind in range(36) if random.random() < share}
    wilds = {kind: random.randint(0, 2) for kind in range(36, 40)}
    if seed % 2:
        wilds |= dict.fromkeys(random.sample(range(40, 49), 6), 1)
    else:
        wilds |= {kind: random.randint(1, 3) for kind in random.sample(range(40, 49), 4)}
    wilds[49] = random.randint(0, 3)
    counts = pack(numbers, wilds)
    for bonus in (0, 1, 9, 100):
        score = best_score(counts, bonus)
        check_assignment(counts, bonus, score)
        assert score.total == slow_total(counts, bonus)


@settings(max_examples=100, deadline=None)
@given(collections(wilds=60, copies=20), BONUSES)
def test_any_stock_gives_a_true_assignment(counts: bytes, bonus: int) -> None:
    check_assignment(counts, bonus, best_score(counts, bonus))


@pytest.mark.parametrize("fuel", [1, 16, 10**9])
def test_prices_change_nothing_that_is_found(fuel: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(5)
    problems = []
    for _ in range(60):
        numbers = {kind for kind in range(36) if random.random() < 0.25}
        wilds = {kind: random.randint(0, 2) for kind in range(36, 50)}
        problems.append((pack(numbers, wilds), random.choice((0, 1, 100))))
    expected = [best_score(counts, bonus) for counts, bonus in problems]
    monkeypatch.setattr(windows, "FUEL", fuel)
    scoring._best_score.cache_clear()
    scoring._solved.cache_clear()
    assert [best_score(counts, bonus) for counts, bonus in problems] == expected


def test_no_cards_score_nothing() -> None:
    assert best_score(bytes(50)) == Score(0, (0, 0, 0, 0), ())


def test_all_cards_score_40_without_wilds() -> None:
    counts = bytes([3, 3, 3, 3, 3, 3, 1, 1, 1] * 4 + [2] * 4 + [1] * 10)
    assert best_score(counts) == Score(40, (10, 10, 10, 10), ())
    assert best_total(bytes([255] * 50), 0) == 36


def test_one_wild_is_not_used_in_two_colours() -> None:
    cards = ["R1", "R3", "B1", "B3", "W2"]
    assert score_cards(cards) == Score(4, (3, 1, 0, 0), (("W2", "R2"),))
    assert score_cards([*cards, "w2"]).colours == (3, 3, 0, 0)


def test_a_holder_moves_over_for_another() -> None:
    cards = [colour + number for colour in "RB" for number in "12346789"]
    score = score_cards([*cards, "RW", "W5"])
    assert score == Score(20, (10, 10, 0, 0), (("RW", "R5"), ("W5", "B5")))


def test_a_full_run_may_be_worth_more_than_everything_else() -> None:
    cards = [*CARDS[:8], "B1", "B3", "O1", "O3", "WW"]
    assert score_cards(cards, 0).wilds == (("WW", "B2"),)
    assert score_cards(cards, 100).wilds == (("WW", "R9"),)


def test_run_points_by_mask() -> None:
    for mask in range(512):
        assert run_points(mask, 0) == RUNS[mask]
        assert run_points(mask, 7) == RUNS[mask] + 7 * (mask == 511)


def test_what_cannot_be_scored_is_refused() -> None:
    with pytest.raises(CardError, match="currency card can't be owned: C3"):
        score_cards(["R1", "c3"])
    with pytest.raises(CardError, match="no card 'X1'"):
        score_cards(["X1"])
    for call in (best_score, best_total):
        with pytest.raises(ValueError, match="50 counts, not 49"):
            call(bytes(49))
        with pytest.raises(ValueError, match="at least 0, not -1"):
            call(bytes(50), -1)


def test_more_copies_than_a_count_holds_are_no_matter() -> None:
    assert score_cards(["WW"] * 300).total == 40
    assert len(score_cards(CARDS[:36]).wilds) == 0
