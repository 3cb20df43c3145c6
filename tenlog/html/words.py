"""What happened, as text for people: pieces that a page sets in its own type.

A piece is a text, a seat (whole number, to be shown as that player's name) or a card (``[kind]``).
Names and cards are kept apart from the text so that no name can pass for a part of a sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from tenlog.game.cards import CURRENCY, KIND, VALUE
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
from tenlog.game.scoring import tie_break
from tenlog.game.state import State

Piece = str | int | list[int]

# Embeddings, overrides and isolates: what follows them could be read in another order. (The marks
# that honest right-to-left names need are not among them.)
_STEERING: Final = frozenset("\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def plain(text: str, most: int = 160) -> str:
    """A text from a log or a caller, fit for a page: characters that turn the direction of what
    follows, control characters and broken surrogates are spelled out, and what is longer than
    ``most`` characters is cut, with its length told.

    >>> plain("a\\u202eb"), plain("x" * 500, 5)
    ('a\\\\u202eb', 'xxxxx… (500 characters)')
    """
    shown = ""
    for c in text:
        harm = c in _STEERING or c < " " or "\x7f" <= c < "\xa0" or "\ud800" <= c <= "\udfff"
        piece = ascii(c)[1:-1] if harm else c
        if len(shown) + len(piece) > most:
            return f"{shown}… ({len(text):,} characters)"
        shown += piece
    return shown


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def _cards(cards: Iterable[str]) -> list[Piece]:
    return [[KIND[card]] for card in cards]


def _payment(payment: Payment) -> list[Piece]:
    coins = []
    if payment.tokens:
        coins.append(_count(payment.tokens, "token"))
    if payment.busts:
        coins.append(_count(payment.busts, "bust token"))
    text = " and ".join(coins)
    if not payment.cards:
        return [text or "nothing"]
    return [f"{text} and " if text else "", *_cards(payment.cards)]


def _gains(gains: tuple[int, ...], seat: int) -> list[Piece]:
    """What the others get, if anything: ``; 1 gets 4, 2 gets 2``."""
    got = [(other, gain) for other, gain in enumerate(gains) if gain and other != seat]
    if not got:
        return []
    if len(got) == len(gains) - 1 > 1 and len({gain for _, gain in got}) == 1:
        return [f"; each other player gets {_count(got[0][1], 'token')}"]
    pieces: list[Piece] = []
    for other, gain in got:
        pieces += ["; " if not pieces else ", ", other, f" gets {_count(gain, 'token')}"]
    return pieces


def _started(ev: GameStarted, state: State) -> list[Piece]:
    seats = len(ev.players)
    return [
        f"The game begins: {_count(seats, 'player')}, {state.rules.deck_size} cards, "
        f"rules {plain(state.rules.ruleset.name, 32)}"
    ]


def _drawn(ev: CardDrawn, state: State) -> list[Piece]:
    kind = KIND[ev.card]
    if kind >= CURRENCY:
        more = f": currency {state.currency}, total {state.total}"
    elif VALUE[kind] and state.wild < 0:
        more = f": total {state.total}"
    else:
        more = ": an auction"
    return [ev.seat, " draws ", [kind], more]


def _bid(ev: BidPlaced, state: State) -> list[Piece]:
    return [ev.seat, f" bids {ev.amount}: ", *_payment(ev.payment)]


def _passed(ev: BidPassed, state: State) -> list[Piece]:
    return [ev.seat, " passes"]


def _won(ev: AuctionWon, state: State) -> list[Piece]:
    paid = _payment(ev.payment)
    return [ev.seat, " wins ", [KIND[ev.card]], f" for {ev.price}, paying ", *paid]


def _unsold(ev: AuctionUnsold, state: State) -> list[Piece]:
    if state.rules.unsold_to_drawer:
        return ["Nobody bids: ", [KIND[ev.card]], " goes to ", state.active, " for nothing"]
    return ["Nobody bids: ", [KIND[ev.card]], " goes to the discard"]


def _busted(ev: Busted, state: State) -> list[Piece]:
    what = "the numbers" if ev.cause == "numbers" else "the currency"
    token = " and gets a bust token" if ev.bust_tokens else ""
    limit = f"{what} went over {state.rules.bust_limit}"
    return [ev.seat, f" busts ({limit}){token}", *_gains(ev.gains, ev.seat)]


def _numbers(ev: NumbersTaken, state: State) -> list[Piece]:
    return [ev.seat, " takes ", *_cards(ev.cards), *_gains(ev.gains, ev.seat)]


def _currency(ev: CurrencyTaken, state: State) -> list[Piece]:
    pieces: list[Piece] = [ev.seat, f" takes {_count(ev.tokens, 'token')}"]
    if ev.cards:
        pieces += ["; ", *_cards(ev.cards), " to the market"]
    return pieces


def _nothing(ev: NothingTaken, state: State) -> list[Piece]:
    return [ev.seat, " takes nothing: deck and tableau are empty"]


def _bought(ev: CardBought, state: State) -> list[Piece]:
    paid = _payment(ev.payment)
    return [ev.seat, " buys ", [KIND[ev.card]], f" for {ev.price}, paying ", *paid]


def _declined(ev: BuyDeclined, state: State) -> list[Piece]:
    return [ev.seat, " buys nothing"]


def _finished(ev: GameFinished, state: State) -> list[Piece]:
    pieces: list[Piece] = ["The game is over: "]
    for i, seat in enumerate(ev.winners):
        pieces += [" and " if i else "", seat]
    verb = " wins with " if len(ev.winners) == 1 else " share the victory with "
    pieces += [verb, _count(ev.scores[ev.winners[0]], "point")]
    pieces.append("" if len(ev.winners) == 1 else " each")
    others, by = tie_break(ev.scores, state.tokens, ev.winners)
    if others:
        pieces.append(", as many as ")
        for i, seat in enumerate(others):
            pieces += [" and " if i else "", seat]
        pieces.append(f", but {by}")
    return pieces


_WORDS: Final[dict[type[Event], Callable[[Any, State], list[Piece]]]] = {
    GameStarted: _started,
    CardDrawn: _drawn,
    BidPlaced: _bid,
    BidPassed: _passed,
    AuctionWon: _won,
    AuctionUnsold: _unsold,
    Busted: _busted,
    NumbersTaken: _numbers,
    CurrencyTaken: _currency,
    NothingTaken: _nothing,
    CardBought: _bought,
    BuyDeclined: _declined,
    GameFinished: _finished,
}


def describe(event: Event, state: State) -> list[Piece]:
    """What an event says, for people; ``state`` is the table after it."""
    return [piece for piece in _WORDS[type(event)](event, state) if piece != ""]
