"""Deciding: ``decide(state, command, deck) → events``, refused or complete.

A decision is answered with its own event and everything that it entails: a bust, the end of an
auction, a turn that ends with nothing, the end of the game. What must follow is asked of the state
alone (:func:`forced`), so that a game loaded at any event knows it too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tenlog.errors import IllegalMove, SetupError
from tenlog.game.cards import CARDS, CURRENCY, KIND, NUMBERS_END, VALUE, Card
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
    NothingTaken,
    NumbersTaken,
)
from tenlog.game.evolve import (
    apply,
    bid_passed,
    bid_placed,
    buy_declined,
    card_bought,
    card_drawn,
    currency_taken,
    numbers_taken,
)
from tenlog.game.legal import refusal
from tenlog.game.ruleset import Rules
from tenlog.game.scoring import best_total
from tenlog.game.state import AUCTION, BUST, BUY, DRAW, END, FINAL_BUY, NOTHING, SOLD, State
from tenlog.shuffle import shuffle


class Deck:
    """The secret of a game: its seed, and the order in which the cards are drawn.

    Attributes:
        seed: 1 to 128 characters.
        order: kinds in the order drawn.
        cards: the same as texts.
    """

    __slots__ = ("cards", "order", "seed")

    def __init__(self, rules: Rules, seed: str, order: tuple[int, ...] = ()) -> None:
        """The deck that a seed gives; or one in another ``order``, as it could be, to try out."""
        self.seed: str = seed
        deck = rules.deck
        self.order: tuple[int, ...] = order or tuple(
            [deck[i] for i in shuffle(seed, rules.deck_size)]
        )
        self.cards: tuple[Card, ...] = tuple([CARDS[kind] for kind in self.order])

    def __repr__(self) -> str:
        return f"<Deck of {len(self.order)}>"  # without the seed: a repr ends up in logs


def others_gain(state: State) -> tuple[int, ...]:
    """What each seat receives if the active player takes the numbers or busts by numbers: the
    currency total for each other, up to the limit, clockwise as far as the supply goes
    (RULES 5, 5.3)."""
    seats = state.rules.players
    value = state.currency
    if not value:
        return (0,) * seats
    active = state.active
    supply = state.supply
    limit = state.rules.token_limit
    if supply >= value * (seats - 1):  # it reaches for all, whatever the order
        gains = [value if have + value <= limit else limit - have for have in state.tokens]
        gains[active] = 0
        return tuple(gains)
    gains = [0] * seats
    for step in range(1, seats):
        seat = (active + step) % seats
        gain = min(value, limit - state.tokens[seat], supply)
        gains[seat] = gain
        supply -= gain
    return tuple(gains)


def own_gain(state: State) -> int:
    """What the active player receives for taking the currency (RULES 5, 5.3)."""
    limit = state.rules.token_limit
    return min(state.currency, limit - state.tokens[state.active], state.supply)


def numbers_in(tableau: tuple[int, ...]) -> tuple[Card, ...]:
    """The number cards of a tableau, in the order drawn."""
    return tuple([CARDS[kind] for kind in tableau if kind < NUMBERS_END])


def final_scores(state: State) -> tuple[int, ...]:
    """Points by seat for the collections as they are (RULES 9)."""
    bonus = state.rules.bonus
    return tuple([best_total(counts, bonus) for counts in state.cards])


def winners(state: State, scores: tuple[int, ...]) -> tuple[int, ...]:
    """Winners' seats: most points, then most tokens, then fewest cards, else shared (RULES 9.3)."""
    ranks = [
        (-score, -tokens, sum(cards))
        for score, tokens, cards in zip(scores, state.tokens, state.cards, strict=True)
    ]
    best = min(ranks)
    return tuple([seat for seat, rank in enumerate(ranks) if rank == best])


def forced(state: State, seed: str | None) -> Event | None:
    """The event that must follow now without anybody's decision, or None.

    ``seed`` is what GameFinished reveals; without it the end of the game is None too.
    """
    phase = state.phase
    if phase is SOLD:
        card = CARDS[state.wild]
        if state.bidder >= 0:
            return AuctionWon(state.bidder, card, state.bid, state.payment)
        return AuctionUnsold(card)
    if phase is BUST:
        bust_tokens = 1 if state.bust_supply > 0 else 0
        if state.tableau[-1] >= CURRENCY:
            # RULES 4.3: a currency bust, whatever the total is; nobody gets anything.
            return Busted(state.active, "currency", (0,) * state.rules.players, bust_tokens)
        return Busted(state.active, "numbers", others_gain(state), bust_tokens)
    if phase is NOTHING:
        return NothingTaken(state.active)
    if phase is END and seed is not None:
        scores = final_scores(state)
        return GameFinished(scores, winners(state, scores), seed)
    return None


# A command that the rules allow, as its event, which is folded already.


def _draw(state: State, command: Draw, deck: Deck | None) -> Event:
    if deck is None:
        raise SetupError("nobody can draw without the seed of the game")
    event = CardDrawn(command.seat, deck.cards[state.drawn])
    card_drawn(state, event)
    return event


def _take_numbers(state: State, command: TakeNumbers, deck: Deck | None) -> Event:
    event = NumbersTaken(command.seat, numbers_in(state.tableau), others_gain(state))
    numbers_taken(state, event)
    return event


def _take_currency(state: State, command: TakeCurrency, deck: Deck | None) -> Event:
    event = CurrencyTaken(command.seat, own_gain(state), numbers_in(state.tableau))
    currency_taken(state, event)
    return event


def _bid(state: State, command: Bid, deck: Deck | None) -> Event:
    event = BidPlaced(command.seat, command.amount, command.payment)
    bid_placed(state, event)
    return event


def _pass(state: State, command: Pass, deck: Deck | None) -> Event:
    event = BidPassed(command.seat)
    bid_passed(state, event)
    return event


def _buy(state: State, command: Buy, deck: Deck | None) -> Event:
    event = CardBought(command.seat, command.card, VALUE[KIND[command.card]], command.payment)
    card_bought(state, event)
    return event


def _decline(state: State, command: Decline, deck: Deck | None) -> Event:
    event = BuyDeclined(command.seat)
    buy_declined(state, event)
    return event


_DOINGS: Final[dict[type[Command], Callable[[State, Any, Deck | None], Event]]] = {
    Draw: _draw,
    TakeNumbers: _take_numbers,
    TakeCurrency: _take_currency,
    Bid: _bid,
    Pass: _pass,
    Buy: _buy,
    Decline: _decline,
}


def settle(state: State, seed: str | None, events: list[Event]) -> None:
    """Fold and append everything that must follow, until somebody is asked; in place."""
    while True:
        phase = state.phase
        if phase is DRAW or phase is AUCTION or phase is BUY or phase is FINAL_BUY:
            return
        follows = forced(state, seed)
        if follows is None:
            return
        apply(state, follows)
        events.append(follows)


def perform(state: State, command: Command, deck: Deck | None, events: list[Event]) -> None:
    """:func:`advance` without asking whether the rules allow the command: they must.

    Only for commands that were made from what :mod:`tenlog.game.legal` says of this very state; of
    any other command it makes events that no game can have.

    Raises:
        SetupError: a draw without a deck.
    """
    events.append(_DOINGS[type(command)](state, command, deck))
    state.n += 1
    phase = state.phase
    if phase is not DRAW and phase is not AUCTION and phase is not BUY and phase is not FINAL_BUY:
        settle(state, deck.seed if deck is not None else None, events)


def advance(state: State, command: Command, deck: Deck | None, events: list[Event]) -> None:
    """:func:`decide` in place, for bulk: changes ``state``, which must be the caller's own, and
    appends to ``events``. A refused command changes neither.

    Raises:
        IllegalMove: the rules refuse the command.
        SetupError: a draw without a deck.
    """
    refused = refusal(state, command)
    if refused is not None:
        raise IllegalMove(refused.rule, refused.message)
    perform(state, command, deck, events)


def decide(state: State, command: Command, deck: Deck | None = None) -> tuple[Event, ...]:
    """The events that a command leads to; ``state`` stays as it is.

    ``deck`` is needed to draw, and for the seed that the end of the game reveals: without it the
    last decision of a game is answered without GameFinished.

    Raises:
        IllegalMove: the rules refuse the command; ``rule`` is the rule's number.
        SetupError: a draw without a deck.
    """
    events: list[Event] = []
    advance(state.copy(), command, deck, events)
    return tuple(events)
