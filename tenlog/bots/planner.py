"""``planner``: plays what could happen out, on decks that could be, and takes what does best.

For each decision it lists a few things that it might do. Then it deals the unseen cards in random
orders, the same ones for each candidate, plays every candidate on them, lets ``greedy`` decide for
all seats until a few turns have passed, and compares the tables that result: how much the
collection and the tokens of its own seat are worth against those of the others.

Its cost is counted in nodes: decisions played out. A given number of nodes gives the same decision
on every machine. With a time limit (``ms``) it also stops when the time is over; then what it does
depends on how fast the machine is, and a game can't be repeated from its seed.
"""

from __future__ import annotations

import time
from math import sqrt
from typing import ClassVar, Final

from tenlog.bots.base import need_between
from tenlog.bots.greedy import GreedyBot
from tenlog.bots.stream import Stream
from tenlog.game.cards import CARDS
from tenlog.game.commands import Bid, Buy, Command, Decline, Draw, Pass, TakeCurrency, TakeNumbers
from tenlog.game.decide import Deck, perform
from tenlog.game.events import Event
from tenlog.game.legal import Options, options
from tenlog.game.payments import suggest
from tenlog.game.scoring import best_total
from tenlog.game.state import OVER, State
from tenlog.game.view import View

_LEAST: Final = 8  # deals after which a candidate that is far behind is played no more
_NO_RANDOMNESS = Stream(0, 0)  # greedy needs none
_CLEARLY: Final = 2.0


def _spread(total: float, squares: float, count: int) -> float:
    """The standard error of a sum of so many differences."""
    return sqrt(max(squares - total * total / count, 0.0))


def _deal(state: State, unseen: list[int]) -> Deck:
    """A deck as it could be: places for the cards that are out, then the unseen ones."""
    return Deck(state.rules, "?", (0,) * state.drawn + tuple(unseen))


class PlannerBot:
    """Samples the unseen cards and plays its candidates out with ``greedy`` for everybody.

    Parameters:
        nodes: how many decisions it plays out for one of its own at most, 10 to 10000000.
        turns: how many further turns it plays out, in rounds of the table, 0 to 20.
        ms: also stop after so many milliseconds, 0 to 600000; 0 is no limit. With a limit, games
            can't be repeated.
        doubt: by how many standard errors another choice than greedy's must look better, 0 to 10.
        rivals: how much the best of the others counts, against all of them alike, 0 to 1.
    """

    version = "2"
    house: ClassVar[bool] = True

    def __init__(
        self,
        nodes: int = 2000,
        turns: float = 1.0,
        ms: int = 0,
        doubt: float = 0.5,
        rivals: float = 0.5,
    ) -> None:
        self.nodes = need_between("nodes", nodes, 10, 10_000_000)
        self.turns = need_between("turns", turns, 0, 20)
        self.ms = need_between("ms", ms, 0, 600_000)
        self.doubt = need_between("doubt", doubt, 0, 10)
        self.rivals = need_between("rivals", rivals, 0, 1)
        self._greedy = GreedyBot()

    def decide(self, view: View, stream: Stream) -> Command:
        """:meth:`choose`, as every bot is asked."""
        return self.choose(view.what_if(), stream)

    def choose(self, state: State, stream: Stream) -> Command:
        """Its decision, on deals that the stream gives."""
        first = self._greedy.choose(state, stream)
        candidates = self._candidates(state, first)
        if len(candidates) == 1:
            return first
        until = time.monotonic() + self.ms / 1000 if self.ms else None
        return self._best(state, candidates, stream, until)

    def _candidates(self, state: State, first: Command) -> list[Command]:
        """What is worth trying, what greedy would do first."""
        may = options(state)
        seat = may.seat
        found: list[Command] = [first]
        if may.draw:
            found.append(Draw(seat))
        if may.take_numbers:
            found.append(TakeNumbers(seat))
        if may.take_currency:
            found.append(TakeCurrency(seat))
        if may.passing:
            found.append(Pass(seat))
            found += self._bids(state, may, first)
        if may.decline:
            found.append(Decline(seat))
            found += self._buys(state, may)
        unique: list[Command] = []
        for command in found:
            if command not in unique:
                unique.append(command)
        return unique

    def _bids(self, state: State, may: Options, first: Command) -> list[Command]:
        if not may.max_bid:
            return []
        seat = may.seat
        purse = state.tokens[seat] + state.busts[seat] * state.rules.bust_value
        around = first.amount if isinstance(first, Bid) else may.min_bid
        amounts = {may.min_bid, around - 1, around + 1, around + 3}
        last = state.asked + 1 == state.rules.players
        return [
            Bid(seat, amount, suggest(state, seat, amount, auction=True, bought=state.wild))
            for amount in sorted({may.min_bid} if last else amounts)
            if may.min_bid <= amount <= min(may.max_bid, purse)
        ]

    def _buys(self, state: State, may: Options) -> list[Command]:
        seat = may.seat
        own = bytearray(state.cards[seat])
        bonus = state.rules.bonus
        purse = state.tokens[seat] + state.busts[seat] * state.rules.bust_value
        ranked: list[tuple[int, int, int]] = []
        for kind in may.buys:
            price = kind % 9 + 1
            if price <= purse:
                own[kind] += 1
                ranked.append((-best_total(bytes(own), bonus), price, kind))
                own[kind] -= 1
        ranked.sort()
        return [
            Buy(seat, CARDS[kind], suggest(state, seat, price, bought=kind))
            for _, price, kind in ranked[:4]
        ]

    def _best(
        self, state: State, candidates: list[Command], stream: Stream, until: float | None
    ) -> Command:
        unseen = [kind for kind, count in enumerate(state.unseen) for _ in range(count)]
        seat = state.to_act
        # Of each candidate against greedy's own choice, deal by deal: sum and sum of squares.
        sums = [0.0] * len(candidates)
        squares = [0.0] * len(candidates)
        alive = list(range(1, len(candidates)))
        deals = 0
        left = self.nodes
        while left > 0 and alive:
            deal = _deal(state, stream.shuffled(unseen))
            deals += 1
            base, nodes = self._play_out(state, candidates[0], deal, seat)
            left -= nodes
            for index in alive:
                worth, nodes = self._play_out(state, candidates[index], deal, seat)
                left -= nodes
                sums[index] += worth - base
                squares[index] += (worth - base) ** 2
            if deals >= _LEAST:
                # What is clearly worse than greedy's choice is played no more.
                alive = [
                    index
                    for index in alive
                    if sums[index] > -_CLEARLY * _spread(sums[index], squares[index], deals)
                ]
            if until is not None and time.monotonic() >= until:
                break
        best, most = 0, 0.0
        for index in alive:
            # Better by more than chance would often make it look.
            lead = sums[index] - self.doubt * _spread(sums[index], squares[index], deals)
            if lead > most:
                best, most = index, lead
        return candidates[best]

    def _play_out(self, start: State, command: Command, deal: Deck, seat: int) -> tuple[float, int]:
        """How a table looks for a seat some turns after a command, and how many nodes it took."""
        state = start.copy()
        events: list[Event] = []
        perform(state, command, deal, events)
        nodes = 1
        last = start.turn + 1 + round(self.turns * start.rules.players)
        choose = self._greedy.choose
        while state.turn < last and state.phase is not OVER:
            perform(state, choose(state, _NO_RANDOMNESS), deal, events)
            nodes += 1
            events.clear()
        return self._worth(state, seat), nodes

    def _worth(self, state: State, seat: int) -> float:
        worths = self._greedy.standings(state)
        mine = worths.pop(seat)
        if not worths:
            return mine
        return mine - self.rivals * max(worths) - (1.0 - self.rivals) * sum(worths) / len(worths)
