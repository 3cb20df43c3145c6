"""The line protocol by which programs in any language play (docs/bots.md), and the bot that speaks
it.

One JSON object a line. What tenlog says is told apart by ``type``: ``hello``, ``start``,
``decide``, ``end``, ``bye``. The program answers ``hello`` and ``decide``, nothing else.
"""

from __future__ import annotations

import shutil
from typing import Annotated, Any, Final, Literal

import msgspec

from tenlog import __version__
from tenlog.bots.base import BotFault, need_between
from tenlog.bots.program import Program
from tenlog.bots.spec import Spec, command_words
from tenlog.bots.stream import Stream
from tenlog.errors import BotError, IllegalMove
from tenlog.game.cards import CARDS, Card
from tenlog.game.commands import (
    Bid,
    Buy,
    Command,
    Decline,
    Draw,
    Pass,
    TakeCurrency,
    TakeNumbers,
)
from tenlog.game.events import FORMAT, Count, Payment
from tenlog.game.legal import options
from tenlog.game.payments import suggest
from tenlog.game.ruleset import Ruleset
from tenlog.game.state import State
from tenlog.game.view import View, public

PROTOCOL: Final = 1
FAULT_LIMIT: Final = 5  # bad answers in one game after which a program is not asked any more
STALE_LIMIT: Final = 100  # late answers that are passed over while one answer is waited for


class Hello(msgspec.Struct, frozen=True, tag="hello"):
    """First, and only once: versions, and how long an answer may take."""

    protocol: int
    tenlog: str
    format: int
    ms: int


class Start(msgspec.Struct, frozen=True, tag="start"):
    """A game begins, or goes on, with the program at a seat. No answer."""

    game: str
    seat: int
    players: tuple[str, ...]
    ruleset: Ruleset


class Bids(msgspec.Struct, frozen=True):
    """Any whole number from ``min`` to ``max`` may be bid."""

    min: int
    max: int


class Decide(msgspec.Struct, frozen=True, tag="decide"):
    """A decision is due. Answer with one of ``legal``, or with another payment or bid.

    Attributes:
        id: comes back in the answer.
        seat: whose decision it is.
        random: 64 random bits as 16 hex digits, the same whenever this game is repeated.
        legal: decisions that are allowed, complete as they stand; of bids only the lowest.
        bids: what may be bid, or null.
        view: the table, as ``tenlog show --json`` gives it.
    """

    id: int
    seat: int
    random: str
    legal: tuple[Command, ...]
    bids: Bids | None
    view: dict[str, Any]


class End(msgspec.Struct, frozen=True, tag="end"):
    """The game is over, or broken off; ``view`` has the scores and winners, or null. No answer."""

    seat: int
    view: dict[str, Any]


class Bye(msgspec.Struct, frozen=True, tag="bye"):
    """Nothing more will come. No answer; end yourself."""


Name = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]


class HelloAnswer(msgspec.Struct, frozen=True):
    """What a program says of itself."""

    type: Literal["hello"]
    protocol: int
    name: Name
    version: Annotated[str, msgspec.Meta(max_length=64)] = ""


class Answer(msgspec.Struct, frozen=True):
    """A decision. ``amount`` belongs to a bid, ``card`` to a purchase; without ``payment`` the one
    that keeps what is worth most is taken."""

    id: int
    type: Literal["Draw", "TakeNumbers", "TakeCurrency", "Bid", "Pass", "Buy", "Decline"]
    amount: Count | None = None
    card: Card | None = None
    payment: Payment | None = None


Message = Hello | Start | Decide | End | Bye

_encode = msgspec.json.Encoder().encode
_hello_answer = msgspec.json.Decoder(HelloAnswer)
_answer = msgspec.json.Decoder(Answer)


def question(state: State, number: int, random: int) -> Decide:
    """What is asked of the seat that is to decide."""
    may = options(state)
    seat = may.seat
    legal: list[Command] = []
    if may.draw:
        legal.append(Draw(seat))
    if may.take_numbers:
        legal.append(TakeNumbers(seat))
    if may.take_currency:
        legal.append(TakeCurrency(seat))
    if may.max_bid:
        payment = suggest(state, seat, may.min_bid, auction=True)
        legal.append(Bid(seat, may.min_bid, payment))
    for kind in may.buys:
        legal.append(Buy(seat, CARDS[kind], suggest(state, seat, kind % 9 + 1, bought=kind)))
    if may.passing:
        legal.append(Pass(seat))
    if may.decline:
        legal.append(Decline(seat))
    bids = Bids(may.min_bid, may.max_bid) if may.max_bid else None
    return Decide(number, seat, f"{random:016x}", tuple(legal), bids, public(state))


def command_of(answer: Answer, state: State) -> Command:
    """The command that an answer means.

    Raises:
        BotFault: a bid without an amount, a purchase without a card, or one nobody could pay.
    """
    seat = state.to_act
    kind = answer.type
    if kind == "Draw":
        return Draw(seat)
    if kind == "TakeNumbers":
        return TakeNumbers(seat)
    if kind == "TakeCurrency":
        return TakeCurrency(seat)
    if kind == "Pass":
        return Pass(seat)
    if kind == "Decline":
        return Decline(seat)
    payment = answer.payment
    try:
        if kind == "Bid":
            if answer.amount is None:
                raise BotFault("garbled", "a bid without an amount")
            if payment is None:
                payment = suggest(state, seat, answer.amount, auction=True)
            return Bid(seat, answer.amount, payment)
        if answer.card is None:
            raise BotFault("garbled", "a purchase without a card")
        if payment is None:
            number = answer.card[1]
            price = int(number) if number != "W" else 0
            payment = suggest(state, seat, price)
        return Buy(seat, answer.card, payment)
    except IllegalMove as error:
        raise BotFault("illegal", f"{error} (rule {error.rule})") from None


class ProgramBot:
    """A bot that is a program: started when a game begins, ended by :meth:`close`.

    One program plays game after game. If it ends or has to be ended, it is started again for the
    next game.
    """

    def __init__(self, spec: Spec, ms: int = 1000, start: int = 10_000) -> None:
        self.spec = spec
        self.ms = need_between("ms", ms, 1, 3_600_000)
        self.start_ms = need_between("start", start, 1, 3_600_000)
        self.words = command_words(spec)
        if shutil.which(self.words[0]) is None:
            raise BotError(f"bot {spec.text!r}: there is no program {self.words[0]!r} to run")
        self.name = ""
        self.version = ""
        self._program: Program | None = None
        self._asked = 0
        self._faults = 0
        self._gone = False
        self._last_words = ""

    def start(self, seat: int, view: View) -> None:
        """Tell it that a game begins.

        Raises:
            BotError: it can't be started, or has never answered properly yet.
        """
        self._faults = 0
        self._gone = False
        try:
            self.greet()
        except BotError:
            if not self.name:
                raise
            self._gone = True
            return
        self._tell(Start(view.what_if().game, seat, view.players, view.rules.ruleset))

    def greet(self) -> None:
        """Start the program, if it does not run, and exchange greetings.

        Raises:
            BotError: it can't be started, or does not answer as it should.
        """
        if self._program is not None:
            return
        self._program = Program(self.words)
        self._tell(Hello(PROTOCOL, __version__, FORMAT, self.ms))
        try:
            line = self._program.hear(self.start_ms / 1000)
            try:
                said = _hello_answer.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                raise BotFault("garbled", f"not a hello ({error}): {_shown(line)}") from None
            if said.protocol != PROTOCOL:
                raise BotFault(
                    "garbled", f"it speaks protocol {said.protocol}, this tenlog speaks {PROTOCOL}"
                )
        except BotFault as fault:
            self._drop()
            raise BotError(
                f"bot {self.spec.text!r} did not say hello: {fault}{self.last_words()}"
            ) from None
        self.name, self.version = said.name, said.version

    def decide(self, view: View, stream: Stream) -> Command:
        """Its answer, as it gave it: it may be illegal.

        Raises:
            BotFault: it gave none, or none that could be understood.
        """
        if self._program is None and not self._gone:
            self.start(view.seat, view)
        if self._gone or self._program is None:
            raise BotFault("gone", "given up earlier in this game")
        state = view.what_if()
        self._asked += 1
        self._tell(question(state, self._asked, stream.word()))
        try:
            return command_of(self._hear_answer(self._program), state)
        except BotFault as fault:
            self.blame(fault)
            raise

    def _hear_answer(self, program: Program) -> Answer:
        for _ in range(STALE_LIMIT):
            line = program.hear(self.ms / 1000)
            try:
                answer = _answer.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                raise BotFault("garbled", f"not an answer ({error}): {_shown(line)}") from None
            if answer.id == self._asked:
                return answer
            if answer.id > self._asked:
                raise BotFault(
                    "garbled", f"an answer to question {answer.id}, asked is {self._asked}"
                )
            # Late: the answer to a question that was forfeited.
        raise BotFault("flooded", f"more than {STALE_LIMIT} answers to earlier questions")

    def blame(self, fault: BotFault) -> None:
        """Count a bad answer; at the worst, or after too many, the program is ended."""
        self._faults += 1
        if fault.fault in ("closed", "flooded") or self._faults >= FAULT_LIMIT:
            self._gone = True
            self._drop()

    def end(self, seat: int, view: View) -> None:
        """Tell it how the game ended."""
        if self._program is not None:
            self._tell(End(seat, public(view.what_if())))

    def close(self) -> None:
        """End the program; returns when it is gone."""
        if self._program is not None:
            self._tell(Bye())
            self._drop()

    def last_words(self) -> str:
        """The end of what it said on standard error, in one line behind a colon; may be empty."""
        said = self._program.stderr_tail() if self._program is not None else self._last_words
        lines = [line.strip() for line in said.splitlines() if line.strip()]
        return f"; its standard error ends: {lines[-1][:300]}" if lines else ""

    def stderr(self) -> str:
        """The end of what it said on standard error, at most 4 KiB."""
        return self._program.stderr_tail() if self._program is not None else self._last_words

    def _tell(self, message: Message) -> None:
        assert self._program is not None
        self._program.tell(_encode(message))

    def _drop(self) -> None:
        program = self._program
        if program is not None:
            program.stop()
            self._last_words = program.stderr_tail()
            self._program = None


def _shown(line: bytes) -> str:
    text = line[:80].decode("utf-8", "replace")
    return repr(text + ("…" if len(line) > 80 else ""))
