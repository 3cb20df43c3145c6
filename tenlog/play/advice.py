"""What a player may do now, and what it would lead to: for any front end.

Everything said is certain or an exact chance: what the next card may do (it is known which cards
are left, only their order is not), what a reward would give at once, what a card would add to the
score. What is *wise* is another question, which :mod:`tenlog.game.odds` answers with a model.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from tenlog.game.cards import CARDS, KIND, VALUE
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
from tenlog.game.events import NOTHING_PAID
from tenlog.game.legal import Options, options
from tenlog.game.odds import odds
from tenlog.game.ruleset import Ruleset, find_ruleset
from tenlog.game.scoring import best_score, best_total
from tenlog.game.state import AUCTION, BUY, DRAW, FINAL_BUY, OVER, State
from tenlog.play.prompt import (
    Hint,
    bid_range,
    bid_words,
    hints,
    make_bid,
    make_buy,
    paid,
    why_no_bid,
    why_no_buy,
)
from tenlog.story import Role, Span, Words, card_words, counted, join

FULL_RUN: Final = 9  # cards of a run from 1 to 9 (RULES 9.1)


class Choice(msgspec.Struct, frozen=True):
    """One thing that may be done now.

    Attributes:
        command: what does it; of a bid, the lowest one.
        key: what to type for it at a prompt.
        does: what it does, in a word or two.
        pieces: what it would lead to, the most important first.
    """

    command: Command
    key: str
    does: str
    pieces: tuple[tuple[Span, ...], ...] = ()

    @property
    def words(self) -> Words:
        """All pieces in a line."""
        return join([list(piece) for piece in self.pieces], between="; ")


def choices(state: State, *, advice: bool = True) -> list[Choice]:
    """What the seat that is asked may do; with ``advice``, what it would lead to.

    Cards that may be bought come with what adds most to the score first.
    """
    may = options(state)
    seat = may.seat
    found: list[Choice] = []
    if may.draw:
        found.append(Choice(Draw(seat), "d", "draw", _drawing(state, advice)))
    if may.take_numbers:
        found.append(Choice(TakeNumbers(seat), "n", "take numbers", _numbers(state, advice)))
    if may.take_currency:
        found.append(Choice(TakeCurrency(seat), "c", "take currency", _currency(state)))
    if may.max_bid:
        lowest = make_bid(state, seat, may.min_bid)
        found.append(Choice(lowest, "b N", "bid", bid_pieces(state, lowest, advice=advice)))
    if may.passing:
        found.append(Choice(Pass(seat), "p", "pass", _pieces(why_no_bid(state, may))))
    found += _buying(state, may, advice)
    if may.decline:
        found.append(Choice(Decline(seat), "x", "decline", _pieces(why_no_buy(state, may))))
    return found


def as_hints(state: State, *, advice: bool) -> list[Hint]:
    """The choices as lines of a prompt; without ``advice``, cards to buy share a line."""
    if not advice:
        return hints(state)
    return [Hint(choice.key, choice.does, _hint_words(state, choice)) for choice in choices(state)]


def _hint_words(state: State, choice: Choice) -> tuple[Span, ...]:
    """What a choice would lead to, in a line. Of a bid it has to be said which one is meant."""
    if not isinstance(choice.command, Bid):
        return tuple(choice.words)
    _, points, _ = choice.pieces
    return (*bid_words(options(state), choice.command), Span(": "), *points)


def _pieces(why: tuple[Span, ...]) -> tuple[tuple[Span, ...], ...]:
    return (why,) if why else ()


def _piece(text: str) -> tuple[Span, ...]:
    return (Span(text),)


def _share(part: int, whole: int) -> str:
    """A chance in percent; what can happen is never shown as 0, what may fail never as 100."""
    percent = part / whole * 100
    shown = round(percent)
    if 0 < part < whole and shown in (0, 100):
        return "under 1%" if shown == 0 else "over 99%"
    return f"{shown}%"


def _drawing(state: State, advice: bool) -> tuple[tuple[Span, ...], ...]:
    left = _piece(f"{state.deck_left} left")
    if not advice:
        return (left,)
    found = odds(state)
    busts = found.bust_numbers + found.bust_currency
    if not busts:
        first = _piece("can't bust")
    else:
        share = _share(busts, found.deck_left)
        first = (Span(f"busts {share}", "strong"), Span(f" ({busts} of {found.deck_left})"))
    if not found.wild:
        return (first,)
    return (first, _piece(f"a wild {_share(found.wild, found.deck_left)}"))


def _given(state: State) -> tuple[tuple[Span, ...], ...]:
    """What the others would get for it."""
    gains = [gain for gain in others_gain(state) if gain]
    if not gains:
        return ()
    if len(gains) == len(state.players) - 1 and len(set(gains)) == 1:
        return (_piece(f"{counted(gains[0], 'token')} to each other"),)
    return (_piece(f"{counted(sum(gains), 'token')} to the others"),)


def _numbers(state: State, advice: bool) -> tuple[tuple[Span, ...], ...]:
    taken = numbers_in(state.tableau)
    cards = tuple(card_words(taken))
    if not advice:
        return (cards, *_given(state))
    after = bytearray(state.cards[state.active])
    for card in taken:
        after[KIND[card]] += 1
    return (_points(state, state.active, bytes(after)), cards, *_given(state))


def _currency(state: State) -> tuple[tuple[Span, ...], ...]:
    gain = own_gain(state)
    numbers = numbers_in(state.tableau)
    pieces = [_piece(f"+{counted(gain, 'token')}")]
    limit = state.rules.token_limit
    if gain < state.currency and state.tokens[state.active] + gain == limit:
        pieces.append(_piece(f"{limit} is the most"))
    if numbers:
        pieces.append((*card_words(numbers), Span(" to market")))
    return tuple(pieces)


def _buying(state: State, may: Options, advice: bool) -> list[Choice]:
    found: list[tuple[int, int, Choice]] = []
    now = best_total(state.cards[may.seat], state.rules.bonus) if may.buys else 0
    for kind in may.buys:
        card = CARDS[kind]
        buy = make_buy(state, may.seat, card)
        price = paid(buy.payment)
        gain = best_total(after_payment(state, may.seat, buy), state.rules.bonus) - now
        pieces: tuple[tuple[Span, ...], ...] = (_gain(gain), price) if advice else (price,)
        order = -gain if advice else 0
        found.append((order, VALUE[kind], Choice(buy, f"b {card}", f"buy {card}", pieces)))
    found.sort(key=lambda row: row[:2])
    return [choice for _, _, choice in found]


def after_payment(state: State, seat: int, move: Bid | Buy) -> bytes:
    """What a seat's collection would be with what it gets, and without the cards that it pays."""
    kind = KIND[move.card] if isinstance(move, Buy) else state.wild
    cards = bytearray(state.cards[seat])
    cards[kind] += 1
    for card in move.payment.cards:
        cards[KIND[card]] -= 1
    return bytes(cards)


def bid_pieces(state: State, bid: Bid, *, advice: bool = True) -> tuple[tuple[Span, ...], ...]:
    """What may be bid, and what a certain bid would lead to if it won: (with ``advice``) points,
    and how it is paid."""
    span = _piece(bid_range(options(state)))
    if not advice:
        return (span, paid(bid.payment))
    return (span, _won(state, bid), paid(bid.payment))


def _won(state: State, bid: Bid) -> tuple[Span, ...]:
    """The points of a bid that wins, without the cards that pay for it; and where those count, the
    points of the wild alone."""
    now, bonus = state.cards[bid.seat], state.rules.bonus
    free = Bid(bid.seat, bid.amount, NOTHING_PAID)
    wild, gain = (
        best_total(after_payment(state, bid.seat, move), bonus) - best_total(now, bonus)
        for move in (free, bid)
    )
    if wild == gain:
        return _gain(gain)
    return (*_gain(gain), Span(f" ({CARDS[state.wild]} {_sign(wild)}{abs(wild)})"))


def _points(state: State, seat: int, after: bytes) -> tuple[Span, ...]:
    bonus = state.rules.bonus
    return _gain(best_total(after, bonus) - best_total(state.cards[seat], bonus))


def _gain(points: int) -> tuple[Span, ...]:
    role: Role = "strong" if points > 0 else ""
    return (Span(f"{_sign(points)}{counted(abs(points), 'point')}", role),)


def _sign(points: int) -> str:
    return "+" if points >= 0 else "−"


def rules_here(state: State) -> tuple[str, ...]:
    """The numbers of the rules that say what may be done now."""
    phase = state.phase
    if phase is DRAW:
        return ("4.5", "4.3", "5.2") if state.tableau else ("4.1", "4.3")
    if phase is AUCTION:
        return ("7.2", "7.3", "6.4")
    if phase is BUY:
        return ("6.1", "6.4", "6.6")
    if phase is FINAL_BUY:
        return ("8.2", "6.4", "6.6")
    return ("9.3",) if phase is OVER else ()


def own_numbers(ruleset: Ruleset) -> tuple[str, ...]:
    """What a ruleset says otherwise than ``ten/1``, by which the rules are worded; a sentence each.

    Nothing for the deck, of which the table shows what counts.
    """
    usual, own = find_ruleset("ten/1"), ruleset
    limit = own.bust_limit
    value = own.busts.value
    tokens, held = own.tokens, own.tokens.limit
    said = (
        (limit != usual.bust_limit, f"{limit + 1} or more busts, exactly {limit} is safe (4.3)"),
        (held != usual.tokens.limit, f"nobody holds more than {held} tokens (5.3)"),
        (tokens.start != usual.tokens.start, f"each starts with {tokens.start} tokens (3.1)"),
        (tokens.supply != usual.tokens.supply, f"there are {tokens.supply} tokens (3.1)"),
        (own.busts.supply != usual.busts.supply, f"there are {own.busts.supply} bust tokens (3.1)"),
        (value != usual.busts.value, f"a bust token pays {value} (6.3)"),
        (own.full_run_bonus != usual.full_run_bonus, f"a run 1 to 9 is {own.full_run_bonus} more"),
        (own.unsold_wild != usual.unsold_wild, "a wild that nobody bids for is the drawer's (7.4)"),
        (own.spent_cards != usual.spent_cards, "number cards that are paid go to market (6.5)"),
        (own.auction_cards != usual.auction_cards, "cards can't pay for a bid (7.3)"),
    )
    return tuple([text for differs, text in said if differs])


def full_runs(before: State, after: State) -> list[tuple[int, int]]:
    """Seats and colours (0 to 3) that have a run from 1 to 9 now and had none (RULES 9.1)."""
    found = []
    for seat, (old, new) in enumerate(zip(before.cards, after.cards, strict=True)):
        if old != new and sum(new) >= FULL_RUN:
            had, has = _full(old, after), _full(new, after)
            found += [(seat, colour) for colour in has if colour not in had]
    return found


def _full(cards: bytes, state: State) -> Sequence[int]:
    score = best_score(cards, state.rules.bonus)
    whole = FULL_RUN + state.rules.bonus
    return [colour for colour, points in enumerate(score.colours) if points == whole]
