"""What may be done now: the one source of legality.

The checks below are asked by :func:`tenlog.game.decide.decide` (before an event is made), by
:func:`tenlog.game.judge.judge` (about an event that somebody else made), by the bots and by the
command line. Each returns None, or a :class:`Refusal`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import compress
from typing import Any, Final

import msgspec

from tenlog.game.cards import CARDS, KIND, NUMBERS_END, OWNED_END, Card
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
from tenlog.game.events import Payment
from tenlog.game.ruleset import MAX_SEATS
from tenlog.game.state import AUCTION, BUY, DRAW, FINAL_BUY, OVER, State, who

MAX_LISTED: Final = 100  # items of a payment that a message still spells out


class Refusal(msgspec.Struct, frozen=True):
    """Why the rules refuse something: a code for programs, the rule's number, words for people."""

    code: str
    rule: str
    message: str


class Options(msgspec.Struct, frozen=True, gc=False):
    """What the seat that is asked may do now.

    Attributes:
        seat: who is asked; -1 where nobody is.
        draw: may draw; ``take_numbers``, ``take_currency``: may take (RULES 4.5, 5.2).
        min_bid, max_bid: any whole number between may be bid (RULES 7.2); both 0 if none may.
        passing: may pass.
        buys: kinds of market cards that may be bought and can be afforded, ascending (RULES 6).
        decline: may decline to buy.
    """

    seat: int
    draw: bool = False
    take_numbers: bool = False
    take_currency: bool = False
    min_bid: int = 0
    max_bid: int = 0
    passing: bool = False
    buys: tuple[int, ...] = ()
    decline: bool = False


def worth(state: State, seat: int, auction: bool = False) -> int:
    """What a seat could pay at most: tokens + bust tokens at their value + cards (RULES 6.3, 7.2).

    With ``auction``, cards count only if the ruleset lets them pay in auctions (RULES 10).
    """
    value = state.tokens[seat] + state.busts[seat] * state.rules.bust_value
    if not auction or state.rules.auction_cards:
        value += sum(state.cards[seat])
    return value


_TURN_RULES: Final = {AUCTION: "7.2", BUY: "6.1", FINAL_BUY: "8.2"}  # who is asked there


def check_turn(state: State, seat: int, verb: str) -> Refusal | None:
    """Whether it is this seat's turn to decide anything at all."""
    if state.phase is OVER:
        return Refusal("after-end", "8.3", "the game is over")
    if seat != state.to_act:
        return Refusal(
            "wrong-seat",
            _TURN_RULES.get(state.phase, "4.1"),
            f"{who(state, seat)} can't {verb} now: it is the turn of {who(state, state.to_act)}",
        )
    return None


def _not_due(state: State, verb: str) -> Refusal:
    due = {
        DRAW: ("4.5", "draw, or stop and take a reward"),
        AUCTION: ("7.2", "bid or pass"),
        BUY: ("6.1", "buy or decline"),
        FINAL_BUY: ("8.2", "buy or decline"),
    }.get(state.phase)
    if due is None:
        return Refusal("not-due", "4.1", f"nobody can {verb} now")
    return Refusal(
        "not-due", due[0], f"can't {verb} now: {who(state, state.to_act)} is to {due[1]}"
    )


def check_draw(state: State, seat: int) -> Refusal | None:
    """RULES 4.1, 4.5: the active player, in the draw phase, if the deck has a card."""
    if state.phase is not DRAW:
        return check_turn(state, seat, "draw") or _not_due(state, "draw")
    if seat != state.to_act:
        return check_turn(state, seat, "draw")
    if state.drawn >= state.rules.deck_size:
        return Refusal("deck-empty", "8.1", "the deck is empty: take a reward")
    return None


def check_take_numbers(state: State, seat: int) -> Refusal | None:
    """RULES 5.2: needs a number card in the tableau."""
    if state.phase is not DRAW or seat != state.to_act:
        return check_turn(state, seat, "take numbers") or _not_due(state, "take numbers")
    if state.total + state.currency == 0:  # what the number cards add up to
        return Refusal("reward-not-due", "5.2", "there is no number card in the tableau to take")
    return None


def check_take_currency(state: State, seat: int) -> Refusal | None:
    """RULES 5.2: needs a currency card in the tableau."""
    if state.phase is not DRAW or seat != state.to_act:
        return check_turn(state, seat, "take currency") or _not_due(state, "take currency")
    if state.currency == 0:
        return Refusal("reward-not-due", "5.2", "there is no currency card in the tableau to take")
    return None


def check_payment(
    state: State, seat: int, price: int, payment: Payment, auction: bool = False
) -> Refusal | None:
    """RULES 6.3, 6.4, 7.3: owned, enough, and no single item of it superfluous."""
    tokens, busts, cards = payment.tokens, payment.busts, payment.cards
    if tokens < 0 or busts < 0:
        return Refusal("payment-not-owned", "6.3", "a payment can't have negative amounts")
    if tokens > state.tokens[seat]:
        return Refusal(
            "payment-not-owned", "6.3", f"{tokens} tokens are more than {state.tokens[seat]} owned"
        )
    if busts > state.busts[seat]:
        return Refusal(
            "payment-not-owned",
            "6.3",
            f"{busts} bust tokens are more than {state.busts[seat]} owned",
        )
    if cards:
        refusal = _check_cards(state, seat, cards, auction)
        if refusal is not None:
            return refusal
    singles = tokens + len(cards)
    value = singles + busts * state.rules.bust_value
    if value < price:
        return Refusal(
            "payment-short", "6.4", f"the payment is worth {value}, the price is {price}"
        )
    least = 1 if singles else state.rules.bust_value
    if value - least >= price:
        item = "a token" if tokens else "a card" if cards else "a bust token"
        return Refusal(
            "payment-superfluous",
            "6.4",
            f"{item} of this payment is superfluous: it is worth {value}, the price is {price}",
        )
    return None


def _check_cards(state: State, seat: int, cards: tuple[Card, ...], auction: bool) -> Refusal | None:
    if auction and not state.rules.auction_cards:
        return Refusal("cards-cannot-pay", "10", "cards can't pay in auctions in this ruleset")
    own = state.cards[seat]
    for card in cards if len(cards) == 1 else set(cards):
        kind = KIND[card]
        have = own[kind] if kind < OWNED_END else 0
        if have < len(cards) and cards.count(card) > have:
            wanted = cards.count(card)
            return Refusal(
                "payment-not-owned", "6.3", f"{wanted} × {card} to pay with, but {have} owned"
            )
    return None


def check_bid(state: State, seat: int, amount: int, payment: Payment) -> Refusal | None:
    """RULES 7.2, 7.3: in turn, higher than every earlier bid, within means, payable as said."""
    if state.phase is not AUCTION or seat != state.to_act:
        return check_turn(state, seat, "bid") or _not_due(state, "bid")
    if amount <= state.bid:
        return Refusal(
            "bid-too-low", "7.2", f"a bid must be at least {state.bid + 1} now, not {amount}"
        )
    refused = check_payment(state, seat, amount, payment, True)
    if refused is not None:
        # Who can pay a bid has the means for it: only a refused payment may lack them.
        most = worth(state, seat, auction=True)
        if amount > most:
            return Refusal(
                "bid-beyond-means",
                "7.2",
                f"{who(state, seat)} can pay {most} at most, not {amount}",
            )
    return refused


def check_pass(state: State, seat: int) -> Refusal | None:
    """RULES 7.2: each player once, in turn."""
    if state.phase is not AUCTION or seat != state.to_act:
        return check_turn(state, seat, "pass") or _not_due(state, "pass")
    return None


def check_buy(state: State, seat: int, card: Card, payment: Payment) -> Refusal | None:
    """RULES 6: a market card, no copy of it owned, its number paid."""
    if (state.phase is not BUY and state.phase is not FINAL_BUY) or seat != state.to_act:
        return check_turn(state, seat, "buy") or _not_due(state, "buy")
    kind = KIND[card]
    if kind >= NUMBERS_END or not state.market[kind]:
        return Refusal("not-in-market", "6.1", f"{card} is not in the market")
    if state.cards[seat][kind]:
        return Refusal(
            "owns-copy", "6.6", f"{who(state, seat)} has a {card} already and can't buy another one"
        )
    return check_payment(state, seat, kind % 9 + 1, payment)


def check_decline(state: State, seat: int) -> Refusal | None:
    """RULES 6.1: in a buy phase."""
    if (state.phase is not BUY and state.phase is not FINAL_BUY) or seat != state.to_act:
        return check_turn(state, seat, "decline") or _not_due(state, "decline")
    return None


_CHECKS: Final[dict[type[Command], Callable[[State, Any], Refusal | None]]] = {
    Draw: lambda state, wish: check_draw(state, wish.seat),
    TakeNumbers: lambda state, wish: check_take_numbers(state, wish.seat),
    TakeCurrency: lambda state, wish: check_take_currency(state, wish.seat),
    Bid: lambda state, wish: check_bid(state, wish.seat, wish.amount, wish.payment),
    Pass: lambda state, wish: check_pass(state, wish.seat),
    Buy: lambda state, wish: check_buy(state, wish.seat, wish.card, wish.payment),
    Decline: lambda state, wish: check_decline(state, wish.seat),
}


def refusal(state: State, command: Command) -> Refusal | None:
    """Why the rules refuse a command now, or None if they allow it."""
    return _CHECKS[type(command)](state, command)


def is_legal(state: State, command: Command) -> bool:
    """Whether the rules allow a command now; ``decide`` accepts exactly these."""
    return refusal(state, command) is None


_NOBODY: Final = Options(-1)
_NUMBER_KINDS: Final = tuple(range(NUMBERS_END))

TurnCommand = Draw | TakeNumbers | TakeCurrency


def _turn_commands(seat: int) -> tuple[tuple[TurnCommand, ...], ...]:
    every: tuple[TurnCommand, ...] = (Draw(seat), TakeNumbers(seat), TakeCurrency(seat))
    return tuple(
        [tuple([one for bit, one in enumerate(every) if may >> bit & 1]) for may in range(8)]
    )


# By seat. Commands that say nothing but the seat are made once.
_TURNS: Final = tuple([_turn_commands(seat) for seat in range(MAX_SEATS)])
PASSES: Final = tuple([Pass(seat) for seat in range(MAX_SEATS)])
DECLINES: Final = tuple([Decline(seat) for seat in range(MAX_SEATS)])


def turn_commands(state: State) -> tuple[TurnCommand, ...]:
    """What may be done in the draw phase (RULES 4.5, 5.2): a draw, the numbers, the currency, in
    this order, as far as they may."""
    may = 1 if state.drawn < state.rules.deck_size else 0
    # What the number cards add up to: 1 or more, if there is one.
    if state.total + state.currency > 0:
        may += 2
    if state.currency > 0:
        may += 4
    return _TURNS[state.to_act][may]


def buyable(state: State) -> list[int]:
    """In a buy phase: kinds of market cards that may be bought and can be afforded, ascending
    (RULES 6)."""
    seat = state.to_act
    own = state.cards[seat]
    budget = state.tokens[seat] + state.busts[seat] * state.rules.bust_value
    if budget < 9:  # else it buys anything without the cards
        budget += sum(own)
    return [
        kind
        for kind in compress(_NUMBER_KINDS, state.market)
        if not own[kind] and kind % 9 < budget
    ]


def options(state: State) -> Options:
    """What the seat that is asked may do now."""
    phase = state.phase
    seat = state.to_act
    if phase is DRAW:
        may = [type(command) for command in turn_commands(state)]
        return Options(seat, Draw in may, TakeNumbers in may, TakeCurrency in may)
    if phase is AUCTION:
        most = worth(state, seat, True)
        if most > state.bid:
            return Options(seat, min_bid=state.bid + 1, max_bid=most, passing=True)
        return Options(seat, passing=True)
    if phase is BUY or phase is FINAL_BUY:
        return Options(seat, buys=tuple(buyable(state)), decline=True)
    return _NOBODY


def commands(state: State) -> Iterator[Command]:
    """One command for each thing that may be done now: every amount that may be bid and every card
    that may be bought once, with the payment that keeps what is worth most to the payer."""
    from tenlog.game.payments import suggest

    may = options(state)
    seat = may.seat
    if may.draw:
        yield Draw(seat)
    if may.take_numbers:
        yield TakeNumbers(seat)
    if may.take_currency:
        yield TakeCurrency(seat)
    if may.passing:
        yield Pass(seat)
    if may.max_bid:
        for amount in range(may.min_bid, may.max_bid + 1):
            yield Bid(seat, amount, suggest(state, seat, amount, auction=True))
    for kind in may.buys:
        yield Buy(seat, CARDS[kind], suggest(state, seat, kind % 9 + 1, bought=kind))
    if may.decline:
        yield Decline(seat)


def legal(state: State) -> list[Command]:
    """What may be done now, as a list of commands; empty where nobody is asked.

    Payments are the sensible ones that :func:`tenlog.game.payments.suggest` finds; any other
    payment that :func:`check_payment` accepts is as legal.
    """
    return list(commands(state))
