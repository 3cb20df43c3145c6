"""The story of a game in words: what a person at the table would tell of each event.

A *passage* is one sentence or so, made of *spans*: a text and the role that it plays, so that who
prints it can colour cards and names without searching for them. Names stand in the spans as they
are in the log: whoever prints them sees to it that they can't do any harm.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

import msgspec

from tenlog.game.cards import CARDS, COLOUR_NAMES, CURRENCY, KIND, is_wild
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
from tenlog.game.state import AUCTION, BUY, DRAW, FINAL_BUY, OVER, State

Role = Literal["", "card", "name", "good", "bad", "dim", "strong", "title", "key"]
Kind = Literal["game", "turn", "draws", "auction", "bust", "reward", "buy", "end"]


class Span(NamedTuple):
    """A piece of text and what it is; ``card`` is the text of a card."""

    text: str
    role: Role = ""


Words = list[Span]


class Passage(msgspec.Struct, frozen=True):
    """A piece of the story.

    Attributes:
        kind: what it tells of; ``turn`` is the headline of a turn.
        n: the last event that it tells.
        turn: the turn that it belongs to, from 1.
        seat: whom it is about; -1 for nobody in particular.
        words: the sentence.
    """

    kind: Kind
    n: int
    turn: int
    seat: int
    words: tuple[Span, ...]

    @property
    def text(self) -> str:
        """The sentence without roles."""
        return plain(self.words)


def plain(words: Iterable[Span]) -> str:
    """Spans as bare text.

    >>> plain([Span("takes "), Span("R5", "card")])
    'takes R5'
    """
    return "".join([span.text for span in words])


def counted(number: int, one: str, many: str | None = None) -> str:
    """A number and its noun.

    >>> counted(1, "token"), counted(0, "token"), counted(2, "copy", "copies")
    ('1 token', '0 tokens', '2 copies')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def wild_text(wild: str) -> str:
    """What a wild can stand for.

    >>> wild_text("GW"), wild_text("W8"), wild_text("WW")
    ('any green number', '8 of any colour', 'any number of any colour')
    """
    colour, number = wild[0], wild[1]
    if colour != "W":
        return f"any {COLOUR_NAMES['RBOG'.index(colour)]} number"
    return f"{'any number' if number == 'W' else number} of any colour"


def card_words(cards: Iterable[str]) -> Words:
    """Cards with a space between."""
    words: Words = []
    for card in cards:
        if words:
            words.append(Span(" "))
        words.append(Span(card, "card"))
    return words


def join(parts: Sequence[Words], between: str = ", ", last: str | None = None) -> Words:
    """Sentences in a row, with something between them."""
    words: Words = []
    for i, part in enumerate(parts):
        if i:
            words.append(Span(last if last is not None and i == len(parts) - 1 else between))
        words += part
    return words


def payment_words(payment: Payment) -> Words:
    """What was paid: ``2 tokens, 1 bust token and R4``."""
    parts: list[Words] = []
    if payment.tokens:
        parts.append([Span(counted(payment.tokens, "token"))])
    if payment.busts:
        parts.append([Span(counted(payment.busts, "bust token"))])
    if payment.cards:
        parts.append(card_words(payment.cards))
    return join(parts, last=" and ") or [Span("nothing")]


def gain_words(players: Sequence[str], taker: int, gains: Sequence[int], due: int) -> Words:
    """Who received how many tokens; empty where none were due or nobody else sits there."""
    others = [seat for seat in range(len(players)) if seat != taker]
    if not due or not others:
        return []
    if all(gains[seat] == due for seat in others):
        who = [Span(players[others[0]], "name")] if len(others) == 1 else [Span("each other")]
        return [*who, Span(f" gets {counted(due, 'token')}")]
    parts: list[Words] = []
    for seat in others:
        if gains[seat]:
            short = f" of {due}" if gains[seat] < due else ""
            parts.append([Span(players[seat], "name"), Span(f" gets {gains[seat]}{short}")])
    none = len(others) - len(parts)
    if none:
        parts.append([Span("the rest can take none" if parts else "the others can take none")])
    return join(parts)


def winner_words(state: State, event: GameFinished) -> Words:
    """Who won, with how many points, and what decided where others have as many."""
    players = state.players
    names = join([[Span(players[seat], "name")] for seat in event.winners], last=" and ")
    points = counted(event.scores[event.winners[0]], "point")
    if len(players) == 1:
        return [*names, Span(f" scores {points}")]
    shared = len(event.winners) > 1
    words = [
        *names,
        Span(f" share the victory with {points} each" if shared else f" wins with {points}"),
    ]
    others, by = tie_break(event.scores, state.tokens, event.winners)
    if not others:
        return words
    level = join([[Span(players[seat], "name")] for seat in others], last=" and ")
    return [*words, Span(", as many as "), *level, Span(f", but {by}")]


class Narrator:
    """Tells a game, event by event. Cards drawn in a row, and the bids of an auction, are told
    together: :meth:`flush` tells what is still held back.

    Attributes:
        hide_seed: leave the seed out, as for a player of a game in progress.
    """

    def __init__(self, *, hide_seed: bool = False) -> None:
        self.hide_seed = hide_seed
        self._turn = 0
        self._final = False
        self._drawn: list[str] = []
        self._bids: list[Words] = []
        self._drawer = -1
        self._sums = (0, 0)  # total and currency total after the last of them
        self._state: State | None = None
        self._told: list[Passage] = []

    def feed(self, event: Event, state: State) -> list[Passage]:
        """What can be told after an event; ``state`` is the table after it, read at once."""
        before = self._state
        self._state = state.copy()
        if isinstance(event, CardDrawn):
            self._card_drawn(event, state)
        elif isinstance(event, BidPlaced | BidPassed):
            self._flush_draws()
            self._bid(event, state)
        else:
            self._flush_all()
            self._other(event, before, state)
        if state.phase is FINAL_BUY and not self._final:
            # Before anybody is asked for theirs.
            self._final = True
            self._tell("turn", -1, [Span("The last buys", "title"), Span(" · the deck is empty")])
        return self._take()

    def begin(self, state: State) -> None:
        """Start in the middle of a game: the next event happens at this table."""
        self._state = state.copy()
        self._turn = state.turn
        self._final = True

    def flush(self) -> list[Passage]:
        """What was held back so far."""
        self._flush_all()
        return self._take()

    def _take(self) -> list[Passage]:
        told, self._told = self._told, []
        return told

    def _flush_all(self) -> None:
        self._flush_draws()
        if self._bids:
            words = join(self._bids, between=" · ")
            self._bids = []
            self._tell("auction", -1, words)

    def _tell(self, kind: Kind, seat: int, words: Words) -> None:
        state = self._state
        assert state is not None
        self._told.append(Passage(kind, state.n - 1, max(1, self._turn), seat, tuple(words)))

    def _card_drawn(self, event: CardDrawn, state: State) -> None:
        if state.turn != self._turn:
            self._flush_all()
            self._turn = state.turn
            left = state.deck_left + 1
            headline = [
                Span(f"Turn {state.turn}", "title"),
                Span(" · "),
                Span(state.players[event.seat], "name"),
                Span(f" · {counted(left, 'card')} left", "dim"),
            ]
            self._tell("turn", event.seat, headline)
        kind = KIND[event.card]
        if is_wild(kind):
            self._flush_draws()
            words = [Span("turns up the wild "), Span(event.card, "card"), Span(": an auction")]
            self._tell("auction", event.seat, words)
            return
        self._drawn.append(event.card)
        self._sums = (state.total, state.currency)
        self._drawer = event.seat

    def _flush_draws(self) -> None:
        if not self._drawn:
            return
        total, currency = self._sums
        words = [Span("draws "), *card_words(self._drawn), Span(f": total {total}")]
        if currency:
            words.append(Span(f", currency {currency}"))
        self._drawn = []
        self._tell("draws", self._drawer, words)

    def _bid(self, event: BidPlaced | BidPassed, state: State) -> None:
        name = Span(state.players[event.seat], "name")
        if isinstance(event, BidPlaced):
            self._bids.append([name, Span(f" bids {event.amount}")])
        else:
            self._bids.append([name, Span(" passes")])

    def _other(self, event: Event, before: State | None, state: State) -> None:
        players = state.players
        if isinstance(event, GameStarted):
            self._tell("game", -1, self._opening(event, state))
            return
        assert before is not None
        if isinstance(event, AuctionWon):
            words = [Span(players[event.seat], "name"), Span(" wins "), Span(event.card, "card")]
            words += [Span(f" for {event.price}, paying "), *payment_words(event.payment)]
            self._tell("auction", event.seat, words)
        elif isinstance(event, AuctionUnsold):
            self._tell("auction", -1, _unsold(event, state))
        elif isinstance(event, Busted):
            self._tell("bust", event.seat, _bust(event, before))
        elif isinstance(event, NumbersTaken):
            words = [Span("takes the numbers ", "good"), *card_words(event.cards)]
            gains = gain_words(players, event.seat, event.gains, before.currency)
            self._tell("reward", event.seat, [*words, Span("; "), *gains] if gains else words)
        elif isinstance(event, CurrencyTaken):
            self._tell("reward", event.seat, _currency(event, before))
        elif isinstance(event, NothingTaken):
            self._tell("reward", event.seat, [Span("gets nothing: deck and tableau are empty")])
        elif isinstance(event, CardBought | BuyDeclined):
            self._buy(event, before)
        elif isinstance(event, GameFinished):
            words = [Span("The end", "title"), Span(" · "), *winner_words(state, event)]
            self._tell("end", -1, words)

    def _opening(self, event: GameStarted, state: State) -> Words:
        words = [Span("TEN", "title"), Span(f" · {event.game} · {state.rules.ruleset.name} · ")]
        if event.seed is None or self.hide_seed:
            words.append(Span("the seed is not told", "dim"))
        else:
            words.append(Span(f"seed {event.seed}", "dim"))
        return words

    def _buy(self, event: CardBought | BuyDeclined, before: State) -> None:
        words: Words = []
        if before.phase is FINAL_BUY:
            words = [Span(before.players[event.seat], "name"), Span(" ")]
        if isinstance(event, CardBought):
            words += [Span("buys ", "good"), Span(event.card, "card")]
            words += [Span(f" for {event.price}, paying "), *payment_words(event.payment)]
        else:
            empty = not any(before.market)
            words.append(Span("buys nothing: the market is empty" if empty else "buys nothing"))
        self._tell("buy", event.seat, words)


def _unsold(event: AuctionUnsold, state: State) -> Words:
    card = Span(event.card, "card")
    if state.rules.unsold_to_drawer:
        return [
            Span("nobody bids: "),
            Span(state.players[state.active], "name"),
            Span(" keeps "),
            card,
        ]
    return [Span("nobody bids: "), card, Span(" is out of the game")]


def _bust(event: Busted, before: State) -> Words:
    limit = before.rules.bust_limit
    if event.cause == "numbers":
        words = [Span("busts", "bad"), Span(f": total {before.total} is over {limit}")]
    else:
        words = [Span("busts", "bad"), Span(f": currency {before.currency} is over {limit}")]
    if event.bust_tokens:
        words.append(Span("; gets 1 bust token"))
    numbers = [CARDS[kind] for kind in before.tableau if kind < CURRENCY]
    if numbers:
        words += [Span("; "), *card_words(numbers), Span(" to the market")]
    if event.cause == "numbers":
        gains = gain_words(before.players, event.seat, event.gains, before.currency)
        if gains:
            words += [Span("; "), *gains]
    return words


def _currency(event: CurrencyTaken, before: State) -> Words:
    words = [Span("takes the currency", "good"), Span(f": {counted(event.tokens, 'token')}")]
    if event.tokens < before.currency:
        why = "nobody may hold more than " + str(before.rules.token_limit)
        if before.tokens[event.seat] + event.tokens < before.rules.token_limit:
            why = "the supply has no more"
        words.append(Span(f" of {before.currency}, as {why}"))
    if event.cards:
        words += [Span("; "), *card_words(event.cards), Span(" to the market")]
    return words


def tell(events: Iterable[Event], *, hide_seed: bool = False) -> list[Passage]:
    """The whole story of a game's events, from GameStarted on.

    Raises:
        SetupError, RulesetError: the first event is not one that a game can start with.
    """
    from tenlog.game.evolve import evolve

    narrator = Narrator(hide_seed=hide_seed)
    told: list[Passage] = []
    state: State | None = None
    for event in events:
        state = evolve(state, event)
        told += narrator.feed(event, state)
    return told + narrator.flush()


def to_do(state: State) -> str:
    """What the seat that is asked is to do, such as ``bid or pass``; ``finished`` after the end."""
    phase = state.phase
    if phase is OVER:
        return "finished"
    if phase is DRAW:
        return "draw or stop" if state.tableau else "draw"
    if phase is AUCTION:
        return "bid or pass"
    if phase is BUY or phase is FINAL_BUY:
        return "buy or decline"
    return "go on"
