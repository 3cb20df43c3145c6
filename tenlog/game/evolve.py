"""Folding: ``evolve(state, event) → state``. It never judges; an event is a fact.

One handler for each type of event changes a state in place; what the public functions return is
never changed afterwards by anybody else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import add
from typing import Any, Final

from tenlog.errors import SetupError
from tenlog.game.cards import CURRENCY, KIND, NUMBERS_END, VALUE
from tenlog.game.events import (
    NOTHING_PAID,
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
from tenlog.game.state import (
    AUCTION,
    BUST,
    BUY,
    DRAW,
    END,
    FINAL_BUY,
    NOTHING,
    OVER,
    SOLD,
    State,
    start_state,
)


def _plus(values: tuple[int, ...], seat: int, change: int) -> tuple[int, ...]:
    changed = list(values)
    changed[seat] += change
    return tuple(changed)


def _with_card(counts: bytes, kind: int) -> bytes:
    changed = bytearray(counts)
    changed[kind] += 1
    return bytes(changed)


def _own(state: State, seat: int, counts: bytes) -> None:
    collections = list(state.cards)
    collections[seat] = counts
    state.cards = tuple(collections)


def _trade(state: State, seat: int, payment: Payment, kind: int) -> None:
    """A card for a payment. Tokens and bust tokens go to the supply; cards to the discard, or as
    the ruleset says (RULES 6.5, 10)."""
    if payment.tokens:
        state.tokens = _plus(state.tokens, seat, -payment.tokens)
        state.supply += payment.tokens
    if payment.busts:
        state.busts = _plus(state.busts, seat, -payment.busts)
        state.bust_supply += payment.busts
    own = bytearray(state.cards[seat])
    if payment.cards:
        to_market = state.rules.spent_to_market
        discard = bytearray(state.discard)
        for card in payment.cards:
            paid = KIND[card]
            own[paid] -= 1
            if to_market and paid < NUMBERS_END:
                state.market = _with_card(state.market, paid)
            else:
                discard[paid] += 1
        state.discard = bytes(discard)
    own[kind] += 1
    _own(state, seat, bytes(own))


def _end_auction(state: State) -> None:
    state.wild = -1
    state.asked = 0
    state.bid = 0
    state.bidder = -1
    state.payment = NOTHING_PAID
    state.to_act = state.active
    # RULES 8.1: nothing turned up but wilds, and nothing left to draw.
    if not state.tableau and state.drawn >= state.rules.deck_size:
        state.phase = NOTHING
    else:
        state.phase = DRAW


def _clear_tableau(state: State) -> None:
    """Currency cards go to the discard every time (RULES 5.1)."""
    if state.currency:
        discard = bytearray(state.discard)
        for kind in state.tableau:
            if kind >= CURRENCY:
                discard[kind] += 1
        state.discard = bytes(discard)
        state.currency = 0
    state.tableau = ()
    state.total = 0


def _end_turn(state: State) -> None:
    seats = state.rules.players
    following = state.active + 1
    if following == seats:
        following = 0
    state.to_act = following
    if state.drawn >= state.rules.deck_size:
        state.phase = FINAL_BUY  # RULES 8.2; active stays, the round ends with that seat
    else:
        state.active = following
        state.turn += 1
        state.phase = DRAW


def _gain(state: State, gains: tuple[int, ...]) -> None:
    total = sum(gains)
    if total:
        if len(gains) != len(state.tokens):
            raise ValueError(f"{len(gains)} gains for {len(state.tokens)} seats")
        state.tokens = tuple(map(add, state.tokens, gains))
        state.supply -= total


def game_started(state: State, event: GameStarted) -> None:
    raise SetupError("a game starts only once: GameStarted can't follow other events")


def card_drawn(state: State, event: CardDrawn) -> None:
    kind = KIND[event.card]
    state.drawn += 1
    if kind < NUMBERS_END:
        state.tableau += (kind,)
        state.total += VALUE[kind]
        if state.total > state.rules.bust_limit:
            state.phase = BUST
    elif kind >= CURRENCY:
        state.tableau += (kind,)
        state.total -= VALUE[kind]
        state.currency += VALUE[kind]
        if state.currency > state.rules.bust_limit:
            state.phase = BUST
    else:
        state.wild = kind
        state.phase = AUCTION
        state.to_act = (state.active + 1) % state.rules.players  # RULES 7.2


def _asked(state: State) -> None:
    state.asked += 1
    seats = state.rules.players
    if state.asked == seats:
        state.phase = SOLD
    else:
        state.to_act = (state.to_act + 1) % seats


def bid_placed(state: State, event: BidPlaced) -> None:
    state.bid = event.amount
    state.bidder = event.seat
    state.payment = event.payment
    _asked(state)


def bid_passed(state: State, event: BidPassed) -> None:
    _asked(state)


def auction_won(state: State, event: AuctionWon) -> None:
    _trade(state, event.seat, event.payment, KIND[event.card])
    _end_auction(state)


def auction_unsold(state: State, event: AuctionUnsold) -> None:
    if state.rules.unsold_to_drawer:
        _own(state, state.active, _with_card(state.cards[state.active], KIND[event.card]))
    else:
        state.discard = _with_card(state.discard, KIND[event.card])
    _end_auction(state)


def _to_market(state: State) -> None:
    """The number cards of the tableau (RULES 5)."""
    market = bytearray(state.market)
    for kind in state.tableau:
        if kind < NUMBERS_END:
            market[kind] += 1
    state.market = bytes(market)


def busted(state: State, event: Busted) -> None:
    _gain(state, event.gains)
    if event.bust_tokens:
        state.busts = _plus(state.busts, event.seat, event.bust_tokens)
        state.bust_supply -= event.bust_tokens
    _to_market(state)
    _clear_tableau(state)
    _end_turn(state)


def numbers_taken(state: State, event: NumbersTaken) -> None:
    own = bytearray(state.cards[event.seat])
    for card in event.cards:
        own[KIND[card]] += 1
    _own(state, event.seat, bytes(own))
    _gain(state, event.gains)
    _clear_tableau(state)
    state.phase = BUY
    state.to_act = state.active


def currency_taken(state: State, event: CurrencyTaken) -> None:
    if event.tokens:
        state.tokens = _plus(state.tokens, event.seat, event.tokens)
        state.supply -= event.tokens
    _to_market(state)
    _clear_tableau(state)
    _end_turn(state)


def nothing_taken(state: State, event: NothingTaken) -> None:
    _end_turn(state)


def _buy_over(state: State) -> None:
    if state.phase is BUY:
        _end_turn(state)
    elif state.to_act == state.active:
        state.phase = END
    else:
        state.to_act = (state.to_act + 1) % state.rules.players


def card_bought(state: State, event: CardBought) -> None:
    # The card leaves the market first: with "spent_cards = market" a paid copy comes back to it.
    kind = KIND[event.card]
    market = bytearray(state.market)
    market[kind] -= 1
    state.market = bytes(market)
    _trade(state, event.seat, event.payment, kind)
    _buy_over(state)


def buy_declined(state: State, event: BuyDeclined) -> None:
    _buy_over(state)


def game_finished(state: State, event: GameFinished) -> None:
    state.scores = event.scores
    state.winners = event.winners
    state.phase = OVER


# For loops that count events themselves; everybody else calls apply() or evolve().
HANDLERS: Final[dict[type[Event], Callable[[State, Any], None]]] = {
    CardDrawn: card_drawn,
    BidPlaced: bid_placed,
    BidPassed: bid_passed,
    AuctionWon: auction_won,
    AuctionUnsold: auction_unsold,
    Busted: busted,
    NumbersTaken: numbers_taken,
    CurrencyTaken: currency_taken,
    NothingTaken: nothing_taken,
    CardBought: card_bought,
    BuyDeclined: buy_declined,
    GameFinished: game_finished,
    GameStarted: game_started,
}


def apply(state: State, event: Event) -> None:
    """Fold one event into a state that is the caller's own, in place."""
    HANDLERS[type(event)](state, event)
    state.n += 1


def evolve(state: State | None, event: Event) -> State:
    """The state after an event; ``state`` stays as it is. ``None`` is the state before a game.

    The event is taken for a fact: whether the rules allow it is asked elsewhere
    (:func:`tenlog.game.judge.judge`).

    Raises:
        SetupError: the first event is not GameStarted, or a later one is.
        RulesetError: GameStarted names no ruleset that can work.
    """
    if state is None:
        if not isinstance(event, GameStarted):
            raise SetupError(f"a game starts with GameStarted, not with {type(event).__name__}")
        return start_state(event)
    new = state.copy()
    apply(new, event)
    return new


def fold(events: Iterable[Event], state: State | None = None) -> State:
    """The state after many events, from the start of a game or from ``state`` (which stays as it
    is).

    Raises:
        SetupError: no events and no state, or GameStarted is missing or comes twice.
        RulesetError: GameStarted names no ruleset that can work.
    """
    left = iter(events)
    if state is None:
        first = next(left, None)
        if first is None:
            raise SetupError("no events: a game starts with GameStarted")
        work = evolve(None, first)
    else:
        work = state.copy()
    handlers = HANDLERS
    count = 0
    for event in left:
        handlers[type(event)](work, event)
        count += 1
    work.n += count
    return work
