"""Writing a game as one line."""

from __future__ import annotations

import binascii
from collections.abc import Sequence
from typing import Final

from tenlog.errors import SetupError
from tenlog.game.cards import KIND
from tenlog.game.commands import Bid, Buy, Command, Draw, Pass, TakeCurrency, TakeNumbers
from tenlog.game.decide import forced
from tenlog.game.decision import decision_of, only_choice
from tenlog.game.events import BidPassed, CardDrawn, Event, GameFinished, GameStarted, Payment
from tenlog.game.evolve import apply
from tenlog.game.legal import options
from tenlog.game.state import END, State, start_state
from tenlog.notation.fields import TAG, checksum, escape, to_base64, write_rules
from tenlog.notation.payments import plain, thrifty, write_payment

AMOUNTS: Final = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
MOST_DRAWS: Final = 9  # that one digit stands for


def write_line(events: Sequence[Event]) -> str:
    """A game, finished or not, as one line without a newline (``docs/notation.md``).

    ``events`` must be a game that the rules allow, from GameStarted on
    (:func:`tenlog.log.replay.replay` gives such).

    Raises:
        SetupError: they don't begin with GameStarted.
    """
    start = events[0] if events else None
    if not isinstance(start, GameStarted):
        raise SetupError("a game starts with GameStarted")
    last = events[-1]
    finished = isinstance(last, GameFinished)
    if start.seed is not None:
        seed = escape(start.seed)
    elif isinstance(last, GameFinished):
        seed = "+" + escape(last.seed)
    else:
        seed = "++" + to_base64(binascii.unhexlify(start.commitment))
    moves = _Moves(start, hidden=start.seed is None and not finished).write(events)
    fields = (
        TAG,
        start.game,
        write_rules(start.rules),
        ",".join(map(escape, start.players)),
        seed,
        moves if finished else f"{moves}/{len(events)}",
    )
    text = ":".join(fields)
    return f"{text}:{checksum(text)}"


class _Moves:
    """The moves of a game. ``hidden``: the deck is unknown, so draws are written as cards."""

    def __init__(self, start: GameStarted, hidden: bool) -> None:
        self._state = start_state(start)
        self._hidden = hidden
        self._text: list[str] = []
        self._draws = 0  # chosen one after another, and not yet written

    def write(self, events: Sequence[Event]) -> str:
        state = self._state
        skip = 0  # passes that a "." has said already
        for n in range(1, len(events)):
            event = events[n]
            command = decision_of(event)
            if command is None or forced(state, None) is not None or state.phase is END:
                pass
            elif skip and isinstance(command, Pass):
                skip -= 1
            elif self._hidden and isinstance(event, CardDrawn):
                self._text.append(event.card)
            elif only_choice(options(state)) is None:
                if isinstance(command, Pass) and _rest_passes(state, events, n):
                    skip = state.rules.players - state.asked - 1
                    self._say(".")
                else:
                    self._choice(command)
            apply(state, event)
        self._flush()
        return "".join(self._text)

    def _choice(self, command: Command) -> None:
        state = self._state
        if isinstance(command, Draw):
            self._draws += 1
        elif isinstance(command, Bid):
            self._say(write_amount(command.amount) + pay_text(state, command))
        elif isinstance(command, Buy):
            self._say(command.card + pay_text(state, command))
        elif isinstance(command, TakeNumbers):
            self._say("n")
        elif isinstance(command, TakeCurrency):
            self._say("c")
        else:
            self._say("-")

    def _say(self, text: str) -> None:
        self._flush()
        self._text.append(text)

    def _flush(self) -> None:
        nines, rest = divmod(self._draws, MOST_DRAWS)
        self._text.append("9" * nines + (str(rest) if rest else ""))
        self._draws = 0


def _rest_passes(state: State, events: Sequence[Event], n: int) -> bool:
    """Whether the auction goes on to its end without a bid from event n on."""
    left = events[n : n + state.rules.players - state.asked]
    return len(left) == state.rules.players - state.asked and all(
        isinstance(event, BidPassed) for event in left
    )


def write_amount(amount: int) -> str:
    """A bid: one character up to 61, above that a number between underscores.

    >>> write_amount(9), write_amount(10), write_amount(61), write_amount(62)
    ('9', 'a', 'Z', '_62_')
    """
    return AMOUNTS[amount] if amount < len(AMOUNTS) else f"_{amount}_"


def ways_to_pay(state: State, command: Bid | Buy) -> tuple[Payment, Payment]:
    """The thrifty and the plain payment for what is bid or bought."""
    if isinstance(command, Bid):
        price, auction, bought = command.amount, True, -1
    else:
        bought = KIND[command.card]
        price, auction = bought % 9 + 1, False
    return (
        thrifty(state, command.seat, price, auction=auction, bought=bought),
        plain(state, command.seat, price, auction=auction),
    )


def pay_text(state: State, command: Bid | Buy) -> str:
    """How a payment is written: nothing if it is the thrifty one, ``,`` if the plain one."""
    cheap, simple = ways_to_pay(state, command)
    if command.payment == cheap:
        return ""
    if command.payment == simple:
        return ","
    return f"+{write_payment(command.payment)}+"
