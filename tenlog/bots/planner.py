"""``planner``: plays what could happen out, on decks that could be, and takes what does best.

For each decision it lists a few things that it might do: first what ``greedy`` would, with four
seats or more one that keeps its tokens less. Then it deals the unseen cards in random orders, the
same ones for each candidate (:mod:`tenlog.bots.deals`), plays every candidate on them, lets
``greedy`` decide for all seats until a few turns have passed, and compares the tables that result:
how much the collection and the tokens of its own seat are worth against those of the others.

After 8, 16, 32 … deals it drops what is clearly worse than the best, so that the other candidates
get more of them. With fewer than 8 deals, or where nothing looks better by more than chance would
often make it look, it takes the first candidate: a few nodes are never worse than none.

Its cost is counted in nodes: decisions played out. A given number of nodes gives the same decision
on every machine: worths are compared as whole numbers, whose sums don't depend on the order or on
the Python. With a time limit (``ms``) it also stops when the time is over; then what it does
depends on how fast the machine is, and a game can't be repeated from its seed.
"""

from __future__ import annotations

import time
from math import inf, sqrt
from typing import ClassVar, Final

from tenlog.bots.base import need_between
from tenlog.bots.deals import OWN, Deals, to_bottom
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

_LEAST: Final = 8  # deals before anything is dropped, or preferred to the first candidate
_TURN: Final = 8  # nodes that a turn takes, or somewhat fewer
_CLEARLY: Final = 2.5  # standard errors by which what is dropped is worse
_UNIT: Final = 65536  # worths are counted in points by this
_NO_RANDOMNESS = Stream(0, 0)  # greedy needs none


def _lead(better: list[int], worse: list[int]) -> float:
    """By how many standard errors one is better than another, deal by deal (two at least)."""
    differences = [a - b for a, b in zip(better, worse, strict=True)]
    total = sum(differences)
    if total <= 0:
        return 0.0
    count = len(differences)
    scatter = count * sum([difference**2 for difference in differences]) - total**2
    return total / sqrt(scatter / (count - 1)) if scatter else inf


class PlannerBot:
    """Samples the unseen cards and plays its candidates out with ``greedy`` for everybody.

    Parameters:
        nodes: how many decisions it plays out for one of its own at most, 10 to 10000000.
        turns: how many further turns it plays out, in rounds of the table, 0 to 20; fewer if there
            are too few nodes for them.
        ms: also stop after so many milliseconds, 0 to 600000; 0 is no limit. With a limit, games
            can't be repeated.
        doubt: by how many standard errors another choice than the first must look better, 0 to 10.
        rivals: how much the best of the others counts, against all of them alike, 0 to 1.
    """

    version = "3"
    house: ClassVar[bool] = True

    def __init__(
        self,
        nodes: int = 2000,
        turns: float = 1.0,
        ms: int = 0,
        doubt: float = 1.0,
        rivals: float = 0.5,
    ) -> None:
        self.nodes = need_between("nodes", nodes, 10, 10_000_000)
        self.turns = need_between("turns", turns, 0, 20)
        self.ms = need_between("ms", ms, 0, 600_000)
        self.doubt = need_between("doubt", doubt, 0, 10)
        self.rivals = need_between("rivals", rivals, 0, 1)
        self._greedy = GreedyBot()
        # Measured against greedy: better at four seats and five, worse at two.
        self._bolder = GreedyBot(token=0.3, hope=0.3, bust=2.0, bid=1.2, late=1.0, envy=0.0)

    def decide(self, view: View, stream: Stream) -> Command:
        """:meth:`choose`, as every bot is asked."""
        return self.choose(view.what_if(), stream)

    def choose(self, state: State, stream: Stream) -> Command:
        """Its decision, on deals that the stream gives."""
        mind = self._bolder if state.rules.players > 3 else self._greedy
        first = mind.choose(state, stream)
        candidates = self._candidates(state, first)
        if len(candidates) == 1:
            return first
        until = time.monotonic() + self.ms / 1000 if self.ms else None
        return self._best(state, candidates, stream, until)

    def _candidates(self, state: State, first: Command) -> list[Command]:
        """What is worth trying, the first candidate first."""
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
        deals = Deals(state, stream)
        worths: list[list[int]] = [[] for _ in candidates]  # by candidate, deal by deal
        totals = [0] * len(candidates)
        alive = list(range(len(candidates)))
        best = done = 0
        check = _LEAST
        left = self.nodes
        # Rather fewer turns than too few deals to tell anything by.
        reach = self.nodes // (_LEAST * _TURN * len(candidates))
        last = state.turn + min(round(self.turns * state.rules.players), reach)
        while len(alive) > 1 and left > 0:
            deal = deals.deal()
            for index in alive:
                worth, nodes = self._play_out(state, candidates[index], deal, last)
                worths[index].append(worth)
                totals[index] += worth
                left -= nodes
            done += 1
            best = max(alive, key=totals.__getitem__)
            if done == check:
                check *= 2
                alive = [index for index in alive if _lead(worths[best], worths[index]) < _CLEARLY]
            if until is not None and time.monotonic() >= until:
                break
        if alive[0] == 0 and (done < _LEAST or _lead(worths[best], worths[0]) <= self.doubt):
            return candidates[0]
        return candidates[best]

    def _play_out(self, start: State, command: Command, deal: Deck, last: int) -> tuple[int, int]:
        """How the table looks, for the seat that was to act, after a command and the turns up to
        the last, and how many nodes it took."""
        state = start.copy()
        events: list[Event] = []
        perform(state, command, deal, events)
        nodes = 1
        turn = start.turn
        end = start.drawn + OWN  # of the cards of this turn
        choose = self._greedy.choose
        while state.turn <= last and state.phase is not OVER:
            if state.turn != turn:
                turn = state.turn
                at = state.drawn
                if at < end:
                    deal = to_bottom(state.rules, deal, at, end)
                    end = at
                end += OWN
            perform(state, choose(state, _NO_RANDOMNESS), deal, events)
            nodes += 1
            events.clear()
        return self._worth(state, start.to_act), nodes

    def _worth(self, state: State, seat: int) -> int:
        worths = [round(worth * _UNIT) for worth in self._greedy.standings(state)]
        mine = worths.pop(seat)
        if not worths:
            return mine
        mean = sum(worths) / len(worths)
        return mine - round(self.rivals * max(worths) + (1.0 - self.rivals) * mean)
