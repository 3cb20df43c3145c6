"""What a person types, turned into a decision: any front end can ask here.

Words may be cut short as long as only one is meant. Which words are meant first depends on what the
game waits for: ``b 3`` bids in an auction, ``b R4`` buys in a buy phase. ``d`` always draws: where
nobody may draw it is refused, and never gives a purchase away.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

import msgspec

from tenlog.errors import PromptError
from tenlog.game.cards import CARDS, VALUE, card_of, kind_of
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
from tenlog.game.decide import numbers_in, others_gain, own_gain
from tenlog.game.events import NOTHING_PAID, Payment
from tenlog.game.legal import Options, options, worth
from tenlog.game.payments import parse_payment, payment_text, short_payment, suggest
from tenlog.game.state import AUCTION, BUY, DRAW, FINAL_BUY, State
from tenlog.story import Span, Words, card_words, counted, join, payment_words, plain

# What a person may ask besides deciding.
Ask = Literal["help", "odds", "legal", "show", "hints", "history", "rules", "undo", "quit"]
ASKS: Final[tuple[Ask, ...]] = (
    "help", "odds", "legal", "show", "hints", "history", "rules", "undo", "quit"
)  # fmt: skip

_DRAWING: Final = ("draw", "numbers", "currency", "take")
_BIDDING: Final = ("bid", "pass")
_BUYING: Final = ("buy", "decline")

_PAID: Final = 33  # columns for a payment in a hint of 80, beside all else that it says


class Wish(msgspec.Struct, frozen=True):
    """What a line asks for: a decision, or something to see (``ask``, and the words after it)."""

    command: Command | None = None
    ask: Ask | None = None
    rest: str = ""


class Hint(msgspec.Struct, frozen=True):
    """One thing that may be done now.

    Attributes:
        key: the shortest thing to type.
        does: what it does, in a word or two.
        words: what comes of it.
    """

    key: str
    does: str
    words: tuple[Span, ...] = ()


def due_words(state: State) -> tuple[str, ...]:
    """The decisions that the game waits for, as words to type."""
    if state.phase is DRAW:
        return _DRAWING
    if state.phase is AUCTION:
        return _BIDDING
    if state.phase is BUY or state.phase is FINAL_BUY:
        return _BUYING
    return ()


def read_wish(line: str, state: State) -> Wish:
    """What a person means who typed this line at this table; the seat that is asked speaks.

    A decision is not judged here: what the rules refuse is refused when it is carried out.

    Raises:
        PromptError: it means nothing, or more than one thing; says what would do.
        CardError: a card was named that does not exist.
        IllegalMove: a payment makes no sense, or is beyond the seat's means.
    """
    words = line.split()
    if not words:
        raise PromptError(f"type {_offer(state)}, or ? for help")
    first = words[0].lower()
    rest = words[1:]
    due = due_words(state)
    if first == "?":
        return Wish(ask="help")
    if first == "h":
        return Wish(ask="hints")
    if first == "x":
        first = "decline" if due == _BUYING else "pass" if due == _BIDDING else first
    if first == "d" and due in (_BIDDING, _BUYING):
        way_out = "x passes" if due == _BIDDING else "x declines"
        raise PromptError(
            f"'d' draws, which can't be done now: {way_out}, ? shows what may be done"
        )
    if due == _BIDDING and first.isascii() and first.isdigit():
        first, rest = "bid", words
    if due == _BUYING and len(first) == 2 and first.upper() in CARDS:
        first, rest = "buy", words
    word = _complete(first, due, state)
    if word in ASKS:
        return Wish(ask=word, rest=" ".join(rest))
    return Wish(command=_command(word, rest, state))


def _offer(state: State) -> str:
    due = due_words(state)
    return " or ".join(word for word in due if word != "take")


def _complete(first: str, due: Sequence[str], state: State) -> str:
    everything = (*_DRAWING, *_BIDDING, *_BUYING)
    # What the game waits for comes first, then what may be asked, then what is not due now (which
    # the rules will refuse, and say why).
    for group in (due, ASKS, everything):
        like = [word for word in group if word.startswith(first)]
        if first in like:
            return first
        if len(like) == 1:
            return like[0]
        if len(like) > 1 and group is not everything:
            raise PromptError(f"{first[:20]!r} may be {' or '.join(like)}: write more of it")
    offer = _offer(state)
    raise PromptError(f"{first[:20]!r} is none of {offer}; ? shows what may be typed")


def _command(word: str, rest: list[str], state: State) -> Command:
    seat = state.to_act
    if word == "take":
        if not rest:
            raise PromptError("take what? numbers or currency")
        word = _complete(rest[0].lower(), ("numbers", "currency"), state)
        rest = rest[1:]
        if word not in ("numbers", "currency"):
            raise PromptError("take what? numbers or currency")
    if word == "bid":
        return _bid(rest, state)
    if word == "buy":
        return _buy(rest, state)
    if rest:
        raise PromptError(f"nothing goes after {word}, so what does {rest[0][:20]!r} mean?")
    simple: dict[str, type[Draw | TakeNumbers | TakeCurrency | Pass | Decline]] = {
        "draw": Draw,
        "numbers": TakeNumbers,
        "currency": TakeCurrency,
        "pass": Pass,
        "decline": Decline,
    }
    return simple[word](seat)


def _bid(rest: list[str], state: State) -> Bid:
    amount = read_amount(rest[0] if rest else "")
    if amount is None:
        least = state.bid + 1
        raise PromptError(f"bid how much? a whole number from {least}, such as: bid {least}")
    return make_bid(state, state.to_act, amount, _payment(rest[1:]))


def read_amount(text: str) -> int | None:
    """The amount of a bid, or None if it is no whole number.

    Raises:
        PromptError: it is larger than any that could be paid.
    """
    if not (text.isascii() and text.isdigit()):
        return None
    digits = text.lstrip("0") or "0"
    if len(digits) > 9:
        shown = digits if len(digits) <= 30 else f"{digits[:20]}… ({len(digits)} digits)"
        raise PromptError(f"a bid of {shown} is more than anybody can pay")
    return int(digits)


def _buy(rest: list[str], state: State) -> Buy:
    if not rest:
        buys = options(state).buys
        if not buys:
            raise PromptError("buy what? there is nothing that you could buy: decline")
        few = " ".join(CARDS[kind] for kind in buys)
        raise PromptError(f"buy which card? one of {few}")
    return make_buy(state, state.to_act, rest[0], _payment(rest[1:]))


def _payment(rest: list[str]) -> Payment | None:
    # --pay before it, as on a command line, is no harm.
    items = [word.removeprefix("--pay=") for word in rest if word != "--pay"]
    return parse_payment("+".join(items)) if rest else None


def make_bid(state: State, seat: int, amount: int, payment: Payment | None = None) -> Bid:
    """A bid, paid as said or so that what is worth most is kept. It may still be illegal.

    Raises:
        PromptError: the amount is out of all bounds.
    """
    if not 0 <= amount < 2**31:
        raise PromptError(f"a bid of {amount} is out of all bounds")
    if payment is None:
        in_reach = amount <= worth(state, seat, auction=True)
        payment = suggest(state, seat, amount, auction=True) if in_reach else NOTHING_PAID
    return Bid(seat, amount, payment)


def make_buy(state: State, seat: int, card: str, payment: Payment | None = None) -> Buy:
    """A buy, paid as said or so that what is worth most is kept. It may still be illegal.

    Raises:
        CardError: there is no such card.
    """
    kind = kind_of(card)
    if payment is None:
        price = VALUE[kind]
        in_reach = 0 < price <= worth(state, seat)
        payment = suggest(state, seat, price, bought=kind) if in_reach else NOTHING_PAID
    return Buy(seat, card_of(kind), payment)


def hints(state: State, may: Options | None = None) -> list[Hint]:
    """What the seat that is asked may do now, for a prompt."""
    may = may or options(state)
    found: list[Hint] = []
    if may.draw:
        found.append(Hint("d", "draw", (Span(f"{state.deck_left} left"),)))
    if may.take_numbers:
        words = card_words(numbers_in(state.tableau))
        gains = [gain for gain in others_gain(state) if gain]
        if gains:
            each = len(gains) == len(state.players) - 1 and len(set(gains)) == 1
            given = f"; {counted(gains[0], 'token')} to each other" if each else ""
            words.append(Span(given or f"; {counted(sum(gains), 'token')} to the others"))
        found.append(Hint("n", "take numbers", tuple(words)))
    if may.take_currency:
        words = [Span(counted(own_gain(state), "token"))]
        numbers = numbers_in(state.tableau)
        if numbers:
            words += [Span("; "), *card_words(numbers), Span(" to market")]
        found.append(Hint("c", "take currency", tuple(words)))
    if may.max_bid:
        found.append(Hint("b N", "bid", bid_words(may, make_bid(state, may.seat, may.min_bid))))
    if may.passing:
        found.append(Hint("p", "pass", why_no_bid(state, may)))
    if may.buys:
        found.append(Hint("b CARD", "buy", tuple(card_words(CARDS[kind] for kind in may.buys))))
    if may.decline:
        found.append(Hint("x", "decline", why_no_buy(state, may)))
    return found


def bid_words(may: Options, lowest: Bid) -> tuple[Span, ...]:
    """What may be bid, and how the lowest bid would be paid, in what a line has room for."""
    words = paid(lowest.payment)
    if len(plain(words)) > _PAID:
        words = (Span(f"for {short_payment(lowest.payment, _PAID - 4)}"),)
    which = f"; {may.min_bid} " if may.max_bid > may.min_bid else " "
    return (Span(bid_range(may) + which), *words)


def bid_range(may: Options) -> str:
    """From what to what may be bid."""
    most = f" to {may.max_bid}" if may.max_bid > may.min_bid else ""
    return f"{may.min_bid}{most}"


def paid(payment: Payment) -> tuple[Span, ...]:
    """How something is paid."""
    return (Span("for "), *payment_words(payment))


def why_no_bid(state: State, may: Options) -> tuple[Span, ...]:
    """Why the seat that is asked can only pass, if it can't do more."""
    if may.max_bid:
        return ()
    most = worth(state, may.seat, auction=True)
    return (Span(f"a bid must be at least {state.bid + 1} now, you have {most}"),)


def why_no_buy(state: State, may: Options) -> tuple[Span, ...]:
    """Why the seat that is asked can only decline, if it can't do more."""
    if may.buys:
        return ()
    new = [kind for kind, count in enumerate(state.market) if count]
    if not new:
        return (Span("the market is empty"),)
    if all(state.cards[may.seat][kind] for kind in new):
        return (Span("all that is for sale is owned already"),)
    return (Span("what is new there costs too much"),)


def completions(text: str, state: State) -> list[str]:
    """What a half-typed line may become: words, then amounts or cards."""
    words = text.split()
    may = options(state)
    if not words or (len(words) == 1 and not text.endswith(" ")):
        start = words[0].lower() if words else ""
        return [word for word in (*due_words(state), *ASKS) if word.startswith(start)]
    start = "" if text.endswith(" ") else words[-1].upper()
    if "buy".startswith(words[0].lower()) and may.buys:
        return [CARDS[kind] for kind in may.buys if CARDS[kind].startswith(start)]
    if "take".startswith(words[0].lower()) and state.phase is DRAW:
        return [word for word in ("numbers", "currency") if word.startswith(start.lower())]
    return []


def command_words(command: Command) -> Words:
    """A command as a person would type it, with its payment: ``buy R4 2t+B1``."""
    if isinstance(command, Bid):
        return [Span(f"bid {command.amount} "), Span(payment_text(command.payment), "dim")]
    if isinstance(command, Buy):
        pay = Span(payment_text(command.payment), "dim")
        return [Span("buy "), Span(command.card, "card"), Span(" "), pay]
    names = {
        Draw: "draw",
        TakeNumbers: "take numbers",
        TakeCurrency: "take currency",
        Pass: "pass",
        Decline: "decline",
    }
    return [Span(names[type(command)])]


def hint_words(hint: Hint) -> Words:
    """A hint in a line: key, what it does, what comes of it."""
    words = [Span(hint.key, "key"), Span(f" {hint.does}")]
    return join([words, list(hint.words)], between=" ") if hint.words else words
