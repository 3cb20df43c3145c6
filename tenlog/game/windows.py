"""Which windows a collection fills best, and with which wilds (RULES 9.1, 9.2).

A colour's score only depends on one *window*, a stretch of numbers that it fills: its own cards
fill some of it, wilds the rest. So the solver picks one window per colour. Colour wilds are nobody
else's, hence a table says what a colour reaches alone. Colours only compete for the number wilds
and the full wilds. A window whose colour wilds leave ``need`` gaps open, with number wilds around
for the gaps ``wants``, can be filled together with others if, for every set T of colours,

    sum of need over T − sum over numbers of min(its wilds, windows of T that want it) ≤ full wilds

(the min-cut of the flow from number wilds to colours). The search tries windows from long to short
under two upper bounds and stops testing a branch at the first T that fails.

Which assignment is reported: of all with the highest total those with the longest run in red, of
these those with the first red window in the fixed order of ``windows_of``; then likewise for blue,
orange and green. Nothing depends on hashing or on earlier calls.
"""

from functools import lru_cache
from operator import itemgetter
from typing import Final

from tenlog.game.cards import COLOUR_WILDS, FULL_WILD, NUMBER_WILDS, OWNED_END

ALL: Final = 0b1_1111_1111  # the mask of all numbers; bit n − 1 is number n
UNIT: Final = 64  # prices and bounds of the search are in parts of a point
FUEL: Final = 256  # options that a search tries before it is worth finding prices
CELLS: Final = 36  # no more wilds than this can ever be of use

# Masks of the 10 − length windows of each length, from the lowest start up.
WINDOWS: Final[tuple[tuple[int, ...], ...]] = tuple(
    tuple(((1 << length) - 1) << start for start in range(10 - length)) for length in range(10)
)
# Turns counts into the digits of a binary number: 0 stays 0, any other count is 1.
_FLAGS: Final = b"0" + b"1" * 255
_TO_NINE: Final = bytes([min(n, 9) for n in range(256)])


def _reach_table() -> bytes:
    """Longest run by ``wilds * 512 + mask``, for 0 to 9 wilds that stand for any number.

    Made when the module is loaded, so it must not take long: whole rows are looked up at once.
    """
    longest = bytearray(512)
    for length in range(1, 10):
        for window in WINDOWS[length]:
            # All supersets of the window, by counting through the bits outside it.
            rest = extra = 511 & ~window
            while True:
                longest[window | extra] = length
                if not extra:
                    break
                extra = (extra - 1) & rest
    row = bytes(longest)
    table = row
    with_bit = [itemgetter(*[mask | 1 << bit for mask in range(512)]) for bit in range(9)]
    for _ in range(9):
        row = bytes(map(max, *[look_up(row) for look_up in with_bit]))
        table += row
    return table


REACH: Final = _reach_table()

# A window that a colour may go for: (length, need, wants, window). ``need`` gaps are left open by
# the colour wilds; ``wants`` is the mask of gaps that number wilds exist for, three times over (see
# _Search). window 0 stands for the longest run without number and full wilds.
Option = tuple[int, int, int, int]


@lru_cache(maxsize=16_384)
def windows_of(mask: int, own: int, numbers: int, full: int) -> tuple[Option, ...]:
    """A colour's windows worth trying: by falling length, then need, then start; at least one.

    ``own`` colour wilds, ``full`` full wilds (0 to 9 each), ``numbers`` the mask of number wilds.
    """
    base = REACH[own << 9 | mask]
    top = REACH[min(own + full, 9) << 9 | mask | numbers]
    kept: list[Option] = []
    for length in range(top, base, -1):
        found: list[tuple[int, int, int]] = []
        for window in WINDOWS[length]:
            gaps = window & ~mask
            need = gaps.bit_count() - own
            wants = gaps & numbers
            if need - wants.bit_count() <= full:
                found.append((need, window, wants))
        found.sort()
        for need, window, wants in found:
            # A kept window is at least as long. It is no harder to fill if what it needs, together
            # with the number wilds of this one that it has no place for, is no more than this need.
            for _, other_need, other, _ in kept:
                if other_need + (wants & ~(other & ~mask)).bit_count() <= need:
                    break
            else:
                kept.append((length, need, wants | wants << 9 | wants << 18, window))
    kept.append((base, 0, 0, 0))
    return tuple(kept)


class Problem:
    """A collection, read into masks and small numbers."""

    def __init__(self, counts: bytes) -> None:
        if len(counts) != OWNED_END:
            raise ValueError(f"a collection is {OWNED_END} counts, not {len(counts)}")
        flags = counts.translate(_FLAGS)
        cards = int(flags[35::-1], 2)
        m0, m1, m2, m3 = cards & ALL, cards >> 9 & ALL, cards >> 18 & ALL, cards >> 27
        self.own = counts[COLOUR_WILDS:NUMBER_WILDS].translate(_TO_NINE)
        self.full = min(counts[FULL_WILD], CELLS)
        # Bit n − 1 of one, two, three: at least so many number wilds n.
        one = int(flags[48:39:-1], 2)
        two = three = four = 0
        if one:
            for bit, n in enumerate(counts[NUMBER_WILDS:FULL_WILD]):
                if n > 1:
                    two |= 1 << bit
                    three |= (n > 2) << bit
                    four |= (n > 3) << bit
            # Where there is a number wild for every colour that lacks the number, nobody competes.
            both, either = m0 & m1, m0 | m1
            both2, either2 = m2 & m3, m2 | m3
            free = one & (both & either2 | either & both2)
            free |= two & (both | both2 | either & either2) | three & (either | either2) | four
            if free:
                m0, m1, m2, m3 = m0 | free, m1 | free, m2 | free, m3 | free
                one, two, three = one & ~free, two & ~free, three & ~free
        self.masks = (m0, m1, m2, m3)
        self.numbers = one
        self.supply = one | two << 9 | three << 18

    def solve(self, bonus: int) -> list[Option]:
        """The best window of each colour."""
        best: list[Option] = []
        contested: list[int] = []
        numbers, full = self.numbers, min(self.full, 9)
        for colour, mask in enumerate(self.masks):
            own = self.own[colour]
            base = REACH[own << 9 | mask]
            best.append((base, 0, 0, 0))
            if (numbers or full) and REACH[min(own + full, 9) << 9 | mask | numbers] > base:
                contested.append(colour)
        if contested:
            options = [windows_of(self.masks[c], self.own[c], numbers, full) for c in contested]
            if len(contested) == 1:
                best[contested[0]] = options[0][0]
            else:
                search = _Search(options, self.supply, self.full, bonus)
                for colour, option in zip(contested, search.run(), strict=True):
                    best[colour] = option
        return best


class _Search:
    """Looks for the highest total that the contested colours can reach together.

    Depth first in the order of the colours and options; a later choice replaces an earlier one only
    if its total is higher. Two upper bounds cut branches off. The first is a knapsack: the points
    of the colours to come if any wild could be spent anywhere. The second is Lagrangian: every
    wild gets a price, a window is worth its points minus the cheapest wilds for its need; then the
    best window of each colour plus the price of all wilds is at least the best total, whatever the
    prices. Finding good prices takes longer than most searches, so that is only done for a search
    that runs out of ``fuel``, which then starts anew, with what it found as the total to beat.
    Prices and fuel only decide how much is searched, not what is found: always the first choice, in
    that order, of the highest total.
    """

    def __init__(
        self, options: list[tuple[Option, ...]], supply: int, full: int, bonus: int
    ) -> None:
        self.options = options
        self.supply = supply
        self.full = full
        self.points = [UNIT * n for n in range(9)] + [UNIT * (9 + bonus)]
        self.best: list[Option] = []
        self.best_points = -UNIT
        self.chosen = [choices[-1] for choices in options]
        self.fuel = 0
        # rest[d][w]: knapsack bound for the colours from d on, w number and full wilds being left.
        self.wilds = full + supply.bit_count()
        self.rest = [[0] * (self.wilds + 1)]
        for choices in reversed(options):
            self.rest.append(self._knapsack(choices, self.rest[-1]))
        self.rest.reverse()
        # Per colour and option: how much less it is worth, at the prices, than the colour's best.
        self.losses = [[0] * len(choices) for choices in options]
        self.bound = self.rest[0][self.wilds]
        self.full_price = UNIT
        self.prices = [UNIT] * 9
        self.step = (9 + bonus) * UNIT // 20

    def _knapsack(self, choices: tuple[Option, ...], after: list[int]) -> list[int]:
        steps: list[tuple[int, int]] = []  # (need, points), only where more need gives more points
        least = CELLS + 1
        for length, need, _, _ in choices:
            if need < least:
                least = need
                steps.append((need, self.points[length]))
        bounds: list[int] = []
        for left in range(self.wilds + 1):
            most = 0
            for need, gain in steps:
                if need <= left:
                    gain += after[left - need]
                    if gain > most:
                        most = gain
            bounds.append(most)
        return bounds

    def run(self) -> list[Option]:
        """The chosen option of each colour."""
        fuel = self.fuel = FUEL
        self._descend(0, 0, self.bound, self.wilds, [(0, 0)])
        if self.fuel > 0:
            return self.best
        self._raise_prices()
        upper = self.bound // UNIT * UNIT
        while upper > self.best_points:
            # A higher total to beat cuts more off; what fails tells as much as what succeeds.
            found = self.best_points
            target = (found + upper + UNIT) // UNIT // 2 * UNIT
            self.best_points = target - UNIT
            fuel *= 2
            self.fuel = fuel
            self._descend(0, 0, self.bound, self.wilds, [(0, 0)])
            if self.best_points < target:
                self.best_points = found
                if self.fuel > 0:
                    upper = target - UNIT
            elif self.fuel > 0:
                break
            if self.fuel <= 0:
                self._raise_prices()
                upper = min(upper, self.bound // UNIT * UNIT)
        return self.best

    def _descend(
        self, depth: int, points: int, bound: int, left: int, sets: list[tuple[int, int]]
    ) -> None:
        """Choose for the colours from ``depth`` on, with ``left`` wilds.

        ``sets`` has, for every set T of the colours chosen so far, its need and the numbers that at
        least one, two, three windows of T want (9 bits each). Only such numbers as the supply has
        so many wilds of count, so the last formula of the loop is the one of the module docstring.
        """
        if depth == len(self.options):
            self.best_points = points
            self.best = self.chosen.copy()
            return
        supply, full = self.supply, self.full
        losses = self.losses[depth]
        rest = self.rest[depth + 1]
        for at, option in enumerate(self.options[depth]):
            length, need, wants, _ = option
            total = points + self.points[length]
            if total + rest[left] <= self.best_points:
                return  # and the options to come are no longer than this one
            reach = bound - losses[at]
            if (
                need > left
                or reach < self.best_points + UNIT
                or total + rest[left - need] <= self.best_points
            ):
                continue
            self.fuel -= 1
            if self.fuel <= 0:
                return
            more: list[tuple[int, int]] = []
            if need:
                for set_need, set_wants in sets:
                    set_need += need
                    set_wants |= (set_wants << 9 | ALL) & wants
                    if set_need - (set_wants & supply).bit_count() > full:
                        break
                    more.append((set_need, set_wants))
                else:
                    # The largest sets stand first: they are the likeliest to fail.
                    self.chosen[depth] = option
                    self._descend(depth + 1, total, reach, left - need, more + sets)
            else:
                self.chosen[depth] = option
                self._descend(depth + 1, total, reach, left, sets)

    def _raise_prices(self) -> None:
        """Eight subgradient steps: what is asked for more than it is there gets dearer."""
        stock = [0] * 9
        for bit in range(27):
            stock[bit % 9] += self.supply >> bit & 1
        for _ in range(8):
            prices, full_price = self.prices, self.full_price
            order = sorted([(prices[bit], bit) for bit in range(9) if stock[bit]])
            bound = full_price * self.full
            for price, bit in order:
                bound += price * stock[bit]
            losses: list[list[int]] = []
            spare, full_spare = stock.copy(), self.full
            for choices in self.options:
                worth: list[int] = []
                for length, need, wants, _ in choices:
                    value = self.points[length]
                    for price, bit in order:
                        if need <= 0:
                            break
                        if wants >> bit & 1:
                            value -= price
                            need -= 1
                    worth.append(value - max(need, 0) * full_price)
                most = max(worth)
                bound += most
                losses.append([most - value for value in worth])
                _, need, wants, _ = choices[worth.index(most)]
                for _, bit in order:
                    if need > 0 and wants >> bit & 1:
                        spare[bit] -= 1
                        need -= 1
                full_spare -= max(need, 0)
            if bound < self.bound:
                self.bound, self.losses = bound, losses
            # A full wild stands in for any number wild, so it is never the cheaper one.
            self.prices = [max(0, prices[bit] - self.step * spare[bit]) for bit in range(9)]
            self.full_price = max(full_price - self.step * full_spare, *self.prices)
            self.step = max(1, self.step * 7 // 8)


def fill(cells: list[int], stock: list[int]) -> list[tuple[int, int]]:
    """One wild for each cell (number kind), as (wild kind, cell); ``stock`` has 14 counts of wilds.

    Augmenting paths: a cell takes a colour, number or full wild, in this order; if all are taken,
    the holder of one moves over to another. The cells must be fillable.
    """
    held: list[list[int]] = [[] for _ in stock]
    for cell in cells:
        # Breadth first over the wilds; came[w] is the cell that would take w.
        came = [-1] * len(stock)
        source = [-1] * len(stock)  # the wild that came[w] would leave; −1 for the new cell
        queue: list[int] = []
        for wild in (cell // 9, 4 + cell % 9, 13):
            came[wild] = cell
            queue.append(wild)
        at = 0
        while len(held[queue[at]]) >= stock[queue[at]]:
            for holder in held[queue[at]]:
                for wild in (holder // 9, 4 + holder % 9, 13):
                    if came[wild] < 0:
                        came[wild], source[wild] = holder, queue[at]
                        queue.append(wild)
            at += 1
        wild = queue[at]
        while wild >= 0:
            held[wild].append(came[wild])
            if source[wild] >= 0:
                held[source[wild]].remove(came[wild])
            wild = source[wild]
    return [
        (COLOUR_WILDS + wild, cell) for wild, taken in enumerate(held) for cell in sorted(taken)
    ]
