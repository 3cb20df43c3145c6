"""Judging events that somebody else wrote: strict replay, one event at a time.

A :class:`Judge` holds the table as it stands, says of each further event whether the rules, the
deck and the arithmetic allow it, and folds it if they do. What is due and what is legal it asks of
the same functions that made the events of our own games.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tenlog.game.cards import KIND, NUMBERS_END, OWNED_END
from tenlog.game.decide import Deck, forced, numbers_in, others_gain, own_gain
from tenlog.game.events import (
    AuctionUnsold,
    AuctionWon,
    BidPassed,
    BidPlaced,
    Busted,
    BuyDeclined,
    CardBought,
    CardDrawn,
    CurrencyTaken,
    Event,
    GameFinished,
    GameStarted,
    NothingTaken,
    NumbersTaken,
    Payment,
)
from tenlog.game.evolve import (
    HANDLERS,
    bid_passed,
    bid_placed,
    buy_declined,
    card_bought,
    card_drawn,
    currency_taken,
    numbers_taken,
)
from tenlog.game.legal import (
    Refusal,
    check_bid,
    check_buy,
    check_decline,
    check_draw,
    check_pass,
    check_take_currency,
    check_take_numbers,
)
from tenlog.game.payments import payment_text
from tenlog.game.start import check_revealed
from tenlog.game.state import END, OVER, State, start_state, who


class Judge:
    """The table of a game that somebody else wrote down, and what may stand there next.

    Args:
        start: the first event, which :func:`tenlog.game.start.check_start` has passed.
        seed: the seed, if it is known (of a sealed game, from its end or from the file beside it).
            Without one, draws are checked against what the deck can still hold only.
        with_deck: False to do without the deck even if the seed is known.

    Attributes:
        state: the table after the events that were seen; not to be changed by the caller.
        deck: the deck, or None if the seed is unknown.
    """

    __slots__ = ("_start", "deck", "state")

    def __init__(
        self, start: GameStarted, seed: str | None = None, *, with_deck: bool = True
    ) -> None:
        self._start = start
        self.state: State = start_state(start)
        seed = start.seed if start.seed is not None else seed
        if not with_deck:
            seed = None
        self.deck: Deck | None = None if seed is None else Deck(self.state.rules, seed)

    def see(self, event: Event) -> Refusal | None:
        """Judge the next event, and fold it if it may stand there.

        Returns None if it may, else what is wrong with it; the table is then as it was before.
        """
        refused = _JUDGES[type(event)](self, event)
        if refused is None:
            self.state.n += 1
        return refused

    def check_end_seed(self, seed: str) -> Refusal | None:
        """Whether the end of the game may reveal this seed (FORMAT 5)."""
        if self._start.seed is not None:
            if seed == self._start.seed:
                return None
            return Refusal(
                "wrong-seed",
                "FORMAT 3",
                f"the game was started with the seed {self._start.seed[:40]!r} "
                f"and can't end with {seed[:40]!r}",
            )
        return check_revealed(seed, self._start.commitment)


_RULE_OF_FORCED: Final = {
    Busted: "4.3",
    AuctionWon: "7.3",
    AuctionUnsold: "7.4",
    NothingTaken: "8.1",
    GameFinished: "8.3",
}


def _due(state: State, event: Event) -> Refusal | None:
    """What a decision is judged by first: nothing forced stands before it."""
    if state.phase is OVER:
        return Refusal("after-end", "8.3", f"{_name(event)} after the end of the game")
    if state.phase is END:
        return Refusal("not-due", "8.3", f"GameFinished must follow here, not {_name(event)}")
    due = forced(state, None)
    if due is not None:
        return Refusal(
            "not-due",
            _RULE_OF_FORCED[type(due)],
            f"{_name(due)} must follow here, not {_name(event)}",
        )
    return None


def _name(event: Event) -> str:
    return type(event).__name__


def _decision(state: State, event: Event, refused: Refusal) -> Refusal:
    return _due(state, event) or refused


# Each judges an event of its type, and folds it if it may stand there.


def _card_drawn(judge: Judge, event: CardDrawn) -> Refusal | None:
    state = judge.state
    refused = check_draw(state, event.seat)
    if refused is not None:
        return _decision(state, event, refused)
    deck = judge.deck
    if deck is not None:
        due = deck.cards[state.drawn]
        if event.card != due:
            return Refusal(
                "wrong-card",
                "FORMAT 4",
                f"card {state.drawn + 1} of the deck that the seed gives is {due}, "
                f"not {event.card}",
            )
    elif not _left(state, KIND[event.card]):
        return Refusal("card-not-left", "2", f"the deck has no {event.card} left")
    card_drawn(state, event)
    return None


def _left(state: State, kind: int) -> int:
    """How many copies of one kind are still in the deck: :attr:`State.unseen` for it alone."""
    left = state.rules.counts[kind] - state.discard[kind] - state.tableau.count(kind)
    if kind < OWNED_END:
        left -= sum([own[kind] for own in state.cards])
    if kind < NUMBERS_END:
        left -= state.market[kind]
    return left


def _bid_placed(judge: Judge, event: BidPlaced) -> Refusal | None:
    state = judge.state
    refused = check_bid(state, event.seat, event.amount, event.payment)
    if refused is not None:
        return _decision(state, event, refused)
    bid_placed(state, event)
    return None


def _bid_passed(judge: Judge, event: BidPassed) -> Refusal | None:
    state = judge.state
    refused = check_pass(state, event.seat)
    if refused is not None:
        return _decision(state, event, refused)
    bid_passed(state, event)
    return None


def _numbers_taken(judge: Judge, event: NumbersTaken) -> Refusal | None:
    state = judge.state
    refused = check_take_numbers(state, event.seat)
    if refused is not None:
        return _decision(state, event, refused)
    cards = numbers_in(state.tableau)
    if event.cards != cards:
        return _differs("wrong-cards", "5", "the number cards of the tableau", cards, event.cards)
    gains = others_gain(state)
    if event.gains != gains:
        return _differs("wrong-gains", "5.3", _of_all("the gains", state), gains, event.gains)
    numbers_taken(state, event)
    return None


def _currency_taken(judge: Judge, event: CurrencyTaken) -> Refusal | None:
    state = judge.state
    refused = check_take_currency(state, event.seat)
    if refused is not None:
        return _decision(state, event, refused)
    tokens = own_gain(state)
    if event.tokens != tokens:
        what = f"the tokens received by {who(state, event.seat)}"
        return _differs("wrong-gains", "5.3", what, tokens, event.tokens)
    cards = numbers_in(state.tableau)
    if event.cards != cards:
        return _differs("wrong-cards", "5", "the number cards of the tableau", cards, event.cards)
    currency_taken(state, event)
    return None


def _card_bought(judge: Judge, event: CardBought) -> Refusal | None:
    state = judge.state
    refused = check_buy(state, event.seat, event.card, event.payment)
    price = KIND[event.card] % 9 + 1
    # A wrong price is said before what a payment for the right one lacks.
    if event.price != price and (refused is None or refused.code.startswith("payment")):
        return _differs("wrong-price", "6.2", f"the price of {event.card}", price, event.price)
    if refused is not None:
        return _decision(state, event, refused)
    card_bought(state, event)
    return None


def _buy_declined(judge: Judge, event: BuyDeclined) -> Refusal | None:
    state = judge.state
    refused = check_decline(state, event.seat)
    if refused is not None:
        return _decision(state, event, refused)
    buy_declined(state, event)
    return None


# What is said of a field of a forced event that differs: code, rule, what it is.
_FIELDS: Final[dict[str, tuple[str, str, str]]] = {
    "cause": ("wrong-cause", "4.3", "the cause of the bust"),
    "gains": ("wrong-gains", "5.3", "the gains"),
    "bust_tokens": ("wrong-bust-tokens", "5.4", "the bust tokens received"),
    "seat": ("wrong-seat", "7.3", "the seat"),
    "card": ("wrong-card", "7.3", "the card"),
    "price": ("wrong-price", "7.3", "the price"),
    "payment": ("wrong-payment", "7.3", "the payment of the winning bid"),
    "scores": ("wrong-scores", "9.1", "the scores"),
    "winners": ("wrong-winners", "9.3", "the winners"),
}


def _forced(judge: Judge, event: Event) -> Refusal | None:
    state = judge.state
    # The seed of GameFinished is judged by itself: what it must be is not known to the table.
    seed = event.seed if type(event) is GameFinished else None
    due = forced(state, seed)
    if due == event:
        refused = None if seed is None else judge.check_end_seed(seed)
        if refused is None:
            HANDLERS[type(event)](state, event)
        return refused
    if due is None or type(due) is not type(event):
        refused = _due(state, event)
        if refused is not None:
            return refused
        rule = _RULE_OF_FORCED[type(event)]
        asked = f"{who(state, state.to_act)} is to decide"
        return Refusal("not-due", rule, f"{_name(event)} can't stand here: {asked}")
    for field, (code, rule, what) in _FIELDS.items():
        expected = getattr(due, field, None)
        found = getattr(event, field, None)
        if expected != found:
            if field in ("gains", "scores"):
                what = _of_all(what, state)
            elif field in ("seat", "winners"):
                expected, found = _people(state, expected), _people(state, found)
            return _differs(code, rule, what, expected, found)
    raise AssertionError(f"unequal without a difference: {due} and {event}")


def _game_started(judge: Judge, event: GameStarted) -> Refusal | None:
    return Refusal("not-due", "FORMAT 3", "GameStarted can't stand inside a game")


def _of_all(what: str, state: State) -> str:
    """What is a number for each seat, with the names in the order of the numbers."""
    return f"{what} of {', '.join(state.players)}"


def _people(state: State, seats: Any) -> str:
    """One seat or several, by name."""
    several = seats if isinstance(seats, tuple) else (seats,)
    return ", ".join([who(state, seat) for seat in several]) or "none"


def _differs(code: str, rule: str, what: str, expected: object, found: object) -> Refusal:
    return Refusal(code, rule, f"{what} must be {_show(expected)}, not {_show(found)}")


def _show(value: object) -> str:
    if isinstance(value, tuple):
        text = " ".join(str(item) for item in value) or "none"
    elif isinstance(value, Payment):
        text = payment_text(value)
    else:
        text = str(value)
    return text if len(text) <= 200 else text[:200] + "…"


_JUDGES: Final[dict[type[Event], Callable[[Judge, Any], Refusal | None]]] = {
    GameStarted: _game_started,
    CardDrawn: _card_drawn,
    BidPlaced: _bid_placed,
    BidPassed: _bid_passed,
    AuctionWon: _forced,
    AuctionUnsold: _forced,
    Busted: _forced,
    NumbersTaken: _numbers_taken,
    CurrencyTaken: _currency_taken,
    NothingTaken: _forced,
    CardBought: _card_bought,
    BuyDeclined: _buy_declined,
    GameFinished: _forced,
}
