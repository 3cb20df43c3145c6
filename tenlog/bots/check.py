"""Whether a bot behaves: it is played through hundreds of positions of every kind, and watched.

The games have 1 to 5 players, by ten/1 and by a ruleset where much is different. The other seats
are ``random``, and every other decision of the bot's own seat too, so that odd positions come up. A
bot that does not answer properly has the safe
decision made for it, and the check goes on.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Final

import msgspec

from tenlog.bots.base import BotFault, BotInfo
from tenlog.bots.outside import ProgramBot
from tenlog.bots.rand import RandomBot
from tenlog.bots.registry import describe
from tenlog.bots.safe import safe_command
from tenlog.bots.seats import Seated, Seats
from tenlog.bots.stream import Stream, stream_key
from tenlog.errors import BotError
from tenlog.game.commands import Command
from tenlog.game.decide import Deck, advance
from tenlog.game.events import FORMAT, Event, GameStarted
from tenlog.game.ruleset import Ruleset, rules_field, ruleset_from
from tenlog.game.state import FINAL_BUY, OVER, State, start_state
from tenlog.game.view import View
from tenlog.shuffle import commitment

EXAMPLES: Final = 3  # of each fault that are quoted
AGAIN: Final = 5  # every so many positions the same question is asked twice
SPREAD: Final = 10  # games in which every number of players has played both rulesets
MAX_GAMES: Final = 100_000

PHASES: Final = ("draw", "auction", "buy", "final_buy")


class BotCheck(msgspec.Struct, frozen=True):
    """What ``tenlog bots check`` found.

    Attributes:
        spec: the specification of the bot.
        bot: what is known of it; None if it could not be made or greeted.
        ok: whether there is no finding.
        positions: how many decisions it was asked for.
        legal: how many of its answers the rules allow.
        phases: how many of the positions were in each phase.
        games: how many games that took; they had 1 to 5 players.
        faults: bad answers by kind, as in :class:`~tenlog.bots.base.Forfeit`.
        asked_again: how many questions were asked twice.
        unsteady: how many of these were answered differently the second time, so that games
            with this bot can't be repeated or resumed faithfully.
        start_ms: milliseconds that starting it took, for a program with its greeting.
        mean_ms: milliseconds that an answer took, on average, without any start; a program's as its
            limit counts them.
        worst_ms: milliseconds that the slowest answer took.
        findings: what is wrong, in words, with examples.
    """

    spec: str
    bot: BotInfo | None
    ok: bool
    positions: int
    legal: int
    phases: dict[str, int]
    games: int
    faults: dict[str, int]
    asked_again: int
    unsteady: int
    start_ms: float
    mean_ms: float
    worst_ms: float
    findings: tuple[str, ...]


def odd_ruleset() -> Ruleset:
    """A ruleset where much is different from ten/1: a bot should ask the rules, not know them."""
    return ruleset_from(
        {
            "name": "check/odd",
            "seats": {"min": 1, "max": 5},
            "tokens": {"start": 2, "limit": 6, "supply": 20},
            "busts": {"supply": 3, "value": 4},
            "bust_limit": 7,
            "full_run_bonus": 5,
            "unsold_wild": "drawer",
            "spent_cards": "market",
            "auction_cards": False,
            "deck": {"R9": [], "C5": [1, 1, 1], "W1": [1, 1], "WW": [1, 1, 1]},
        }
    )


def _games(seed: str) -> Iterator[tuple[GameStarted, str, int]]:
    """Games without end: how they start, their seeds, and the seat of the bot."""
    odd = odd_ruleset()
    for number in range(MAX_GAMES):
        players = number % 5 + 1
        text = f"{seed}/{number}"
        start = GameStarted(
            format=FORMAT,
            game=f"check-{number}",
            rules="ten/1" if number // 5 % 2 == 0 else rules_field(odd),
            players=tuple([f"p{seat}" for seat in range(players)]),
            seed=text,
            commitment=commitment(text),
        )
        yield start, text, number // 10 % players


class _Checker:
    """One check under way."""

    def __init__(self, spec: str, seed: str) -> None:
        self.spec = spec
        self.seed = seed
        self.seated = Seated(spec)
        self.others = RandomBot()
        self.phases = dict.fromkeys(PHASES, 0)
        self.faults: dict[str, int] = {}
        self.findings: list[str] = []
        self.positions = self.legal = self.games = self.again = self.unsteady = 0
        self.unwilling = False
        self.started = self.took = self.worst = 0.0

    def fault(self, kind: str, text: str) -> None:
        """Count a fault; the first few are quoted."""
        self.faults[kind] = self.faults.get(kind, 0) + 1
        if self.faults[kind] <= EXAMPLES:
            self.findings.append(f"{kind}: {text}")

    def play(self, start: GameStarted, seed: str, mine: int) -> None:
        """One game with the bot at a seat, asked for about half of the decisions there."""
        state = start_state(start)
        deck = Deck(state.rules, seed)
        seats: list[Seated | None] = [None] * len(state.players)
        seats[mine] = self.seated
        table = Seats(seats)
        keys = [stream_key(seed, seat) for seat in range(len(seats))]
        events: list[Event] = []
        self.games += 1
        try:
            began = time.perf_counter()
            self.unwilling = True  # unless it can be started; else every game would end here
            table.start(seed, state)
            self.unwilling = False
            self.started = max(self.started, time.perf_counter() - began)
            while state.phase is not OVER:
                seat = state.to_act
                stream = Stream(keys[seat], state.n)
                if seat == mine and (state.phase is FINAL_BUY or stream.below(2)):
                    command = self.ask(table, state)
                else:
                    command = self.others.decide(View(state), stream)
                advance(state, command, deck, events)
            table.end(state)
        except BotError as error:
            self.fault("failed", str(error))

    def ask(self, table: Seats, state: State) -> Command:
        """The bot's decision, or the safe one; watched, and sometimes asked for twice."""
        self.positions += 1
        self.phases[state.phase.name.lower()] += 1
        began = time.perf_counter()
        command = self._once(table, state)
        bot = self.seated.bot
        took = bot.waited if isinstance(bot, ProgramBot) else time.perf_counter() - began
        self.took += took
        self.worst = max(self.worst, took)
        if command is None:
            return safe_command(state)
        self.legal += 1
        if self.positions % AGAIN == 0:
            self.again += 1
            second = self._once(table, state)
            if second is not None and second != command:
                self.unsteady += 1
                if self.unsteady <= EXAMPLES:
                    self.findings.append(
                        f"unsteady: first {command}, then {second} "
                        f"(after event {state.n - 1} of {state.game})"
                    )
        return command

    def _once(self, table: Seats, state: State) -> Command | None:
        known = len(table.forfeits)
        try:
            command = table.decide(state)
        except BotFault as fault:
            self.fault(fault.fault, str(fault))
            return None
        if len(table.forfeits) > known:
            forfeit = table.forfeits[-1]
            where = f"{state.phase.name.lower()}, after event {state.n - 1} of {state.game}"
            self.fault(forfeit.fault, f"{forfeit.detail} ({where})")
            return None
        return command


def check_bot(spec: str, positions: int = 300, seed: str = "check") -> BotCheck:
    """Play a bot through at least so many positions (1 or more) and ten games.

    A bot that can't be made is reported, not raised.
    """
    try:
        info = describe(spec)
        checker = _Checker(spec, seed)
    except BotError as error:
        phases = dict.fromkeys(PHASES, 0)
        return BotCheck(spec, None, False, 0, 0, phases, 0, {}, 0, 0, 0.0, 0.0, 0.0, (str(error),))
    try:
        for start, text, mine in _games(seed):
            checker.play(start, text, mine)
            if checker.unwilling or (checker.games >= SPREAD and checker.positions >= positions):
                break
    finally:
        try:
            checker.seated.close()
        except BotError as error:
            checker.fault("failed", str(error))
        if isinstance(checker.seated.bot, ProgramBot) and checker.findings:
            said = checker.seated.bot.last_words()
            if said:
                checker.findings.append(said.removeprefix("; "))
    counts = {**checker.faults, "unsteady": checker.unsteady}
    for kind, count in counts.items():
        if count > EXAMPLES:
            checker.findings.append(f"{kind}: {count - EXAMPLES} more")
    asked = max(checker.positions, 1)
    return BotCheck(
        spec=spec,
        bot=info,
        ok=not checker.findings,
        positions=checker.positions,
        legal=checker.legal,
        phases=checker.phases,
        games=checker.games,
        faults=checker.faults,
        asked_again=checker.again,
        unsteady=checker.unsteady,
        start_ms=round(checker.started * 1000, 3),
        mean_ms=round(checker.took / asked * 1000, 3),
        worst_ms=round(checker.worst * 1000, 3),
        findings=tuple(checker.findings),
    )
