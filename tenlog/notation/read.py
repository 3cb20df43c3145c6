"""Reading a one-line game: every decision carried out by the engine, every fault located."""

from __future__ import annotations

import re
from typing import Final, NoReturn

from tenlog.errors import IllegalMove, NotationError, SeedError
from tenlog.game.cards import KIND, NUMBERS_END, Card, card_of
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
from tenlog.game.decide import Deck, advance, settle
from tenlog.game.decision import only_choice
from tenlog.game.events import FORMAT, NOTHING_PAID, CardDrawn, Event, GameStarted
from tenlog.game.evolve import apply
from tenlog.game.legal import check_draw, options
from tenlog.game.start import check_game_id, check_start
from tenlog.game.state import AUCTION, DRAW, OVER, State, start_state, who
from tenlog.notation.fields import CHECK_DIGITS, TAG, checksum, from_base64, read_rules, unescape
from tenlog.notation.payments import read_payment
from tenlog.notation.write import AMOUNTS, ways_to_pay, write_line
from tenlog.shuffle import check_seed, commitment

MAX_LENGTH: Final = 1 << 20  # characters; no honest game comes near

_NAMES: Final = ("the tag", "the id", "the ruleset", "the players", "the seed", "the moves")
_STOP: Final = re.compile(r"/([1-9][0-9]{0,6})\Z")


def read_line(text: str) -> list[Event]:
    """The events of the game that a line stands for.

    Raises:
        NotationError: the line is broken; ``position`` is the faulty character, from 1.
    """
    if len(text) > MAX_LENGTH:
        raise NotationError(MAX_LENGTH + 1, f"the line goes on beyond {MAX_LENGTH} characters")
    try:
        return _read(text)
    except NotationError as fault:
        head, colon, check = text.rpartition(":")
        if text.startswith(f"{TAG}:") and colon and checksum(head) != check:
            raise NotationError(fault.position, f"{_said(fault)}; {_CHANGED}") from None
        raise


_CHANGED: Final = "the checksum shows that the line was changed or cut"


def _said(fault: NotationError) -> str:
    return str(fault).partition(": ")[2]


def _read(text: str) -> list[Event]:
    fields, starts = _split(text)
    body, check = text[: starts[6] - 2], fields[6]
    start, seed = _start(fields, starts)
    stop = _STOP.search(fields[5])
    moves = fields[5] if stop is None else fields[5][: stop.start()]
    if stop is None and seed is None:
        raise NotationError(
            starts[4],
            "a commitment (++) is for a game in progress: its moves end with / and "
            "the number of its events",
        )
    if stop is not None and start.seed is None and seed is not None:
        raise NotationError(starts[4], "a sealed game (+) whose seed is known is finished")
    reader = _Reader(start, seed, moves, starts[5], None if stop is None else int(stop[1]))
    events = reader.read()
    if checksum(body) != check:
        raise NotationError(
            starts[6],
            f"the checksum over what stands before it is {checksum(body)}, not {check!r}: "
            "something in the line was changed, but what stands there is a game too",
        )
    again = write_line(events)
    if again != text:
        at = next((i for i, (a, b) in enumerate(zip(text, again, strict=False)) if a != b), 0)
        raise NotationError(
            at + 1, f"there is one way to write a game, and here is due {again[at : at + 12]!r}"
        )
    return events


def _split(text: str) -> tuple[list[str], list[int]]:
    """The seven fields and the positions of their first characters."""
    tag = text.partition(":")[0]
    if tag != TAG:
        newer = re.fullmatch("TEN[0-9]{1,4}", tag)
        hint = "this tenlog reads TEN1 only: update it" if newer else "a game begins with TEN1:"
        raise NotationError(1, f"{tag[:20]!r} is no notation that can be read; {hint}")
    fields = text.split(":")
    starts = [1]
    for field in fields:
        starts.append(starts[-1] + len(field) + 1)
    if len(fields) < 7:
        missing = [*_NAMES, "the checksum"][len(fields)]
        raise NotationError(len(text) + 1, f"the line ends here, and {missing} is missing")
    if len(fields) > 7:
        raise NotationError(starts[7] - 1, "nothing may follow the checksum")
    if not re.fullmatch(f"[0-9a-f]{{{CHECK_DIGITS}}}", fields[6]):
        raise NotationError(
            starts[6], f"the checksum is {CHECK_DIGITS} of 0-9 a-f, not {fields[6][:20]!r}"
        )
    return fields, starts


def _start(fields: list[str], starts: list[int]) -> tuple[GameStarted, str | None]:
    """The first event, and the seed if the line tells it."""
    refused = check_game_id(fields[1])
    if refused is not None:
        raise NotationError(starts[1], refused.message)
    rules = read_rules(fields[2], starts[2])
    players: list[str] = []
    at = starts[3]
    for name in fields[3].split(","):
        players.append(unescape(name, at))
        at += len(name) + 1
    said = fields[4]
    if said.startswith("++"):
        seed = None
        digest = from_base64(said[2:], starts[4] + 2, "a commitment").hex()
        if len(digest) != 64:
            raise NotationError(starts[4] + 2, "a commitment has 43 characters")
    else:
        sealed = said.startswith("+")
        seed = unescape(said[sealed:], starts[4] + sealed)
        try:
            digest = commitment(check_seed(seed))
        except SeedError as error:
            raise NotationError(starts[4], str(error)) from None
    open_seed = None if said.startswith("+") else seed
    start = GameStarted(FORMAT, fields[1], rules, tuple(players), open_seed, digest)
    refused = check_start(start)
    if refused is not None:
        raise NotationError(starts[3], refused.message)
    return start, seed


class _Reader:
    """The moves of a line, and the table on which they are carried out."""

    def __init__(
        self, start: GameStarted, seed: str | None, moves: str, at: int, stop: int | None
    ) -> None:
        self._state: State = start_state(start)
        self._seed = seed
        self._deck = None if seed is None else Deck(self._state.rules, seed)
        self._moves = moves
        self._at = at  # the position of the first move
        self._i = 0
        self._stop = stop  # how many events there are, or None for a finished game
        self._events: list[Event] = [start]
        self._draws = 0  # still to be made of a run
        self._passing = False  # "." was read, and the auction goes on

    def read(self) -> list[Event]:
        """All events."""
        state, stop, events = self._state, self._stop, self._events
        while state.phase is not OVER and (stop is None or len(events) < stop):
            self._step()
        i = self._i - (self._draws > 0)
        if i < len(self._moves):
            over = stop is None or len(events) < stop
            self._fail(i, "the game is over" if over else f"the {stop} events end before this move")
        if stop is not None:
            if len(events) < stop:
                self._fail(len(self._moves), f"the game is over after {len(events)} events")
            if state.phase is OVER and len(events) == stop:
                self._fail(len(self._moves), "a finished game is written without / and a number")
            del events[stop:]
        return events

    def _fail(self, i: int, message: str) -> NoReturn:
        raise NotationError(self._at + i, message)

    def _step(self) -> None:
        """One decision: the only one that may be made, or the next one of the line."""
        state = self._state
        only = only_choice(options(state))
        if isinstance(only, Draw) and self._deck is None:
            only = None
        self._passing = self._passing and state.phase is AUCTION
        if only is not None:
            self._do(only, self._i)
        elif self._passing:
            self._do(Pass(state.to_act), self._i - 1)
        elif self._draws:
            if state.phase is not DRAW:
                self._fail(self._i - 1, f"{self._draws} more draws, but {self._due()}")
            self._draws -= 1
            self._do(Draw(state.to_act), self._i - 1)
        else:
            self._next()

    def _due(self) -> str:
        state = self._state
        what = {AUCTION: "bid or pass", DRAW: "draw or take a reward"}.get(
            state.phase, "buy or decline"
        )
        return f"{who(state, state.to_act)} is to {what} (event {state.n})"

    def _next(self) -> None:
        state, i = self._state, self._i
        if i >= len(self._moves):
            self._fail(i, f"the moves end here, but {self._due()}")
        char = self._moves[i]
        self._i += 1
        if state.phase is AUCTION:
            self._auction(char, i)
        elif state.phase is DRAW:
            self._draw(char, i)
        elif char == "-":
            self._do(Decline(state.to_act), i)
        else:
            self._i = i
            card = self._card(i)
            if KIND[card] >= NUMBERS_END:
                self._fail(i, f"{card} can't be bought; {self._due()}")
            self._paid(Buy(state.to_act, card, NOTHING_PAID), i)

    def _draw(self, char: str, i: int) -> None:
        seat = self._state.to_act
        if char == "n":
            self._do(TakeNumbers(seat), i)
        elif char == "c":
            self._do(TakeCurrency(seat), i)
        elif self._deck is None:
            self._i = i
            self._draw_card(self._card(i), i)
        elif char in "123456789":
            self._draws = int(char)
        else:
            self._fail(i, f"{char!r} is no move here: {self._due()} (1-9, n or c)")

    def _card(self, i: int) -> Card:
        text = self._moves[i : i + 2]
        if text not in KIND:
            self._fail(i, f"{text!r} is no move here: {self._due()}")
        self._i = i + 2
        return card_of(KIND[text])

    def _draw_card(self, card: Card, i: int) -> None:
        """A draw from a deck that nobody knows yet."""
        state = self._state
        refused = check_draw(state, state.to_act)
        if refused is not None:
            self._fail(i, refused.message)
        if not state.unseen[KIND[card]]:
            self._fail(i, f"the deck has no {card} left")
        event = CardDrawn(state.to_act, card)
        apply(state, event)
        self._events.append(event)
        settle(state, None, self._events)

    def _auction(self, char: str, i: int) -> None:
        seat = self._state.to_act
        if char == "-":
            self._do(Pass(seat), i)
        elif char == ".":
            self._passing = True
        elif char == "_":
            found = re.compile("([1-9][0-9]{0,5})_").match(self._moves, self._i)
            if found is None:
                self._fail(i, "a bid above 61 is a number between underscores")
            self._i = found.end()
            self._paid(Bid(seat, int(found[1]), NOTHING_PAID), i)
        elif char in AMOUNTS:
            self._paid(Bid(seat, AMOUNTS.index(char), NOTHING_PAID), i)
        else:
            self._fail(i, f"{char!r} is no move here: {self._due()} (0-9 a-z A-Z, - or .)")

    def _paid(self, command: Bid | Buy, i: int) -> None:
        """A bid or a purchase with the payment that stands behind it, or the thrifty one."""
        mark = self._moves[self._i : self._i + 1]
        seat = command.seat
        if mark == "+":
            at = self._i + 1
            end = self._moves.find("+", at)
            payment = read_payment(self._moves[at:end]) if end >= 0 else None
            if payment is None:
                self._fail(self._i, "a payment is tokens, bust tokens, cards: such as +2t1bR4+")
            self._i = end + 1
        else:
            try:
                payment = ways_to_pay(self._state, command)[mark == ","]
            except IllegalMove as error:
                self._fail(i, str(error))
            self._i += mark == ","
        if isinstance(command, Bid):
            self._do(Bid(seat, command.amount, payment), i)
        else:
            self._do(Buy(seat, command.card, payment), i)

    def _do(self, command: Command, i: int) -> None:
        try:
            advance(self._state, command, self._deck, self._events)
        except IllegalMove as error:
            self._fail(i, f"{error} (rule {error.rule}, event {self._state.n})")
