"""A game written out: a protocol in a fixed layout, one JSON document, or rows for a table.

What is written depends on the log alone: not on the terminal, the clock or the locale.
"""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec
from msgspec import UNSET

from tenlog.game.cards import CARDS, KIND, is_wild
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
from tenlog.game.evolve import apply
from tenlog.game.payments import payment_text
from tenlog.game.ruleset import Ruleset
from tenlog.game.state import OVER, State, start_state
from tenlog.log.codec import Origin
from tenlog.log.read import GameLog
from tenlog.log.replay import Replay
from tenlog.table import Table, table_of

WIDTH: Final = 80
NAME_CELLS: Final = 16  # a longer name is written as its seat

CSV_COLUMNS: Final = (
    "game", "n", "turn", "type", "seat", "player", "card", "amount", "payment", "gains",
    "bust_tokens", "cause", "cards", "scores", "winners", "total", "currency", "deck", "at",
)  # fmt: skip


class GameDocument(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``export --json``: a whole game as one document.

    Attributes:
        format: of the log.
        game: its id.
        ruleset: the whole ruleset, also where the log only names it.
        players: names by seat.
        bots: by seat: the bot's specification, or None for a person; empty if the log is silent.
        seed: None in a sealed game in progress.
        sealed: whether the seed was kept back until the end.
        commitment: to the seed.
        origin: (``from``) where it branched off another game, or None.
        finished: whether the game is over.
        seal: the last seal.
        torn: bytes of an uncommitted tail, which are left out.
        events: all events; their places in this list are their numbers.
        end: the table after the last event, with the points of every seat.
        winners: seats; empty in a game in progress.
    """

    format: int
    game: str
    ruleset: Ruleset
    players: tuple[str, ...]
    bots: tuple[str | None, ...]
    seed: str | None
    sealed: bool
    commitment: str
    origin: Origin | None = msgspec.field(name="from")
    finished: bool
    seal: str
    torn: int
    events: tuple[Event, ...]
    end: Table
    winners: tuple[int, ...]


def document(log: GameLog, found: Replay) -> GameDocument:
    """A game as one document; ``found`` is what :func:`tenlog.log.replay.replay_strictly` gave."""
    start = found.events[0]
    state = found.state
    assert isinstance(start, GameStarted)
    assert state is not None
    origin = log.lines[0].origin
    return GameDocument(
        format=start.format,
        game=start.game,
        ruleset=state.rules.ruleset,
        players=start.players,
        bots=log.bots,
        seed=found.seed,
        sealed=start.seed is None,
        commitment=start.commitment,
        origin=origin if isinstance(origin, Origin) else None,
        finished=state.phase is OVER,
        seal=log.seal,
        torn=len(log.tail),
        events=tuple(found.events),
        end=table_of(state),
        winners=state.winners,
    )


def short_name(players: Sequence[str], seat: int) -> str:
    """A name that fits into a line; one that is long or can't be printed is its seat.

    >>> short_name(("Ada", "B" * 60), 1)
    'seat 1'
    """
    name = players[seat]
    wide = sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in name)
    return name if wide <= NAME_CELLS and name.isprintable() and name.strip() else f"seat {seat}"


def paid_text(payment: Payment) -> str:
    """What was paid, in brackets."""
    return f"({payment_text(payment)})"


def gains_text(players: Sequence[str], gains: Sequence[int]) -> str:
    """Who received tokens; empty if nobody did."""
    return ", ".join(
        f"{short_name(players, seat)} +{gain}" for seat, gain in enumerate(gains) if gain
    )


def event_text(event: Event, players: Sequence[str]) -> str:
    """One event as a sentence, names shortened.

    >>> event_text(CardBought(0, "R4", 4, Payment(1, 1, ())), ("Ada", "Bob"))
    'Ada buys R4 for 4 (1t+1b)'
    """
    match event:
        case CardDrawn(seat=seat, card=card):
            what = f"draws {card}" + (" (auction)" if is_wild(KIND[card]) else "")
        case BidPlaced(seat=seat, amount=amount, payment=payment):
            what = f"bids {amount} {paid_text(payment)}"
        case BidPassed(seat=seat):
            what = "passes"
        case AuctionWon(seat=seat, card=card, price=price, payment=payment):
            what = f"wins {card} for {price} {paid_text(payment)}"
        case AuctionUnsold(card=card):
            return f"nobody bids for {card}"
        case Busted(seat=seat, cause=cause, gains=gains, bust_tokens=tokens):
            got = gains_text(players, gains)
            what = f"busts by {cause}: {tokens} bust token{'' if tokens == 1 else 's'}"
            what += f"; {got}" if got else ""
        case NumbersTaken(seat=seat, cards=cards, gains=gains):
            got = gains_text(players, gains)
            what = f"takes the numbers {' '.join(cards)}" + (f"; {got}" if got else "")
        case CurrencyTaken(seat=seat, tokens=tokens, cards=cards):
            what = f"takes the currency: +{tokens}"
            what += f"; {' '.join(cards)} to the market" if cards else ""
        case NothingTaken(seat=seat):
            what = "takes nothing: the deck is empty"
        case CardBought(seat=seat, card=card, price=price, payment=payment):
            what = f"buys {card} for {price} {paid_text(payment)}"
        case BuyDeclined(seat=seat):
            what = "buys nothing"
        case GameFinished(winners=winners):
            names = ", ".join(short_name(players, seat) for seat in winners)
            return f"the game is over: won by {names}"
        case GameStarted(game=game):
            return f"the game {game} starts"
    return f"{short_name(players, seat)} {what}"


def text_protocol(log: GameLog, found: Replay) -> str:
    """A protocol for people in a fixed layout, at most 80 columns wide (names that have more than
    16 are in full only at the top); ends with a newline."""
    start, last = found.events[0], found.state
    assert isinstance(start, GameStarted)
    assert last is not None
    lines = list(_head(log, found, start, last))
    state = start_state(start)
    turn = 0
    final = False
    for n, event in enumerate(found.events[1:], 1):
        if state.phase.name == "FINAL_BUY" and not final:
            final = True
            lines += ["", "final buys"]
        elif state.turn != turn and not final:
            turn = state.turn
            lines += ["", f"turn {turn}, {short_name(start.players, state.active)}"]
        apply(state, event)
        lines += _wrapped(f"{n:5}  ", _with_totals(event, state, start.players), 9)
        if state.turn != turn or (state.phase.name == "FINAL_BUY" and not final):
            lines += _wrapped("       = ", _stock(state), 9)
    lines += ["", *_foot(last)]
    return "\n".join(lines) + "\n"


def _wrapped(head: str, text: str, indent: int) -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent=head, subsequent_indent=" " * indent, break_on_hyphens=False
    )


def _with_totals(event: Event, state: State, players: Sequence[str]) -> str:
    text = event_text(event, players)
    if isinstance(event, CardDrawn) and not is_wild(KIND[event.card]):
        text += f"; total {state.total}"
        if state.currency:
            text += f", currency {state.currency}"
    return text


def _stock(state: State) -> str:
    market = " ".join(table_cards(state.market)) or "empty"
    return (
        f"tokens {_row(state.tokens)}; bust tokens {_row(state.busts)}; "
        f"cards {_row([sum(own) for own in state.cards])}; deck {state.deck_left}; "
        f"market {market}"
    )


def _row(values: Sequence[int]) -> str:
    return " ".join(map(str, values))


def table_cards(counts: bytes) -> list[str]:
    """Counts by kind as cards, copies counted: ``R5x2``."""
    return [
        CARDS[kind] + (f"x{count}" if count > 1 else "")
        for kind, count in enumerate(counts)
        if count
    ]


def _head(log: GameLog, found: Replay, start: GameStarted, last: State) -> Iterator[str]:
    yield f"TEN game {start.game}"
    yield f"ruleset     {last.rules.ruleset.name}, {last.rules.deck_size} cards"
    if found.seed is None:
        yield "seed        sealed until the end"
        yield f"commitment  {start.commitment}"
    else:
        yield f"seed        {found.seed}" + (" (sealed until the end)" if not start.seed else "")
    origin = log.lines[0].origin
    if origin is not UNSET:
        yield f"branch of   the game with the seal {origin.seal} at event {origin.n}"
    bots = log.bots or ("",) * len(start.players)
    for seat, name in enumerate(start.players):
        who = bots[seat]
        yield f"seat {seat}      {name}" + (
            f" (bot {who})" if who else " (person)" if who is None else ""
        )
    yield f"events      {len(found.events)}" + ("" if last.phase is OVER else ", in progress")
    if log.tail:
        yield f"torn        {len(log.tail)} bytes at the end were never committed; left out"


def _foot(state: State) -> Iterator[str]:
    table = table_of(state)
    over = state.phase is OVER
    yield "result" if over else "so far"
    for seat in table.seats:
        mark = "  winner" if seat.seat in state.winners else ""
        name = short_name(state.players, seat.seat)
        yield (
            f"       {name:<{NAME_CELLS}} {seat.points:>3} points {seat.tokens:>3} tokens "
            f"{seat.busts:>3} bust tokens {len(seat.cards):>3} cards{mark}"
        ).rstrip()
        cards = " ".join(table_cards(state.cards[seat.seat])) or "no cards"
        yield from _wrapped("         ", cards, 9)
    if not over and table.to_act is not None:
        what = {"draw": "draw or take", "auction": "bid or pass"}.get(table.phase, "buy or decline")
        yield f"       {short_name(state.players, table.to_act)} is to {what}"


def csv_rows(log: GameLog, found: Replay) -> Iterator[list[str]]:
    """A row for each event, in the order of CSV_COLUMNS; all values as text, several of them with
    spaces between. A name that a spreadsheet would take for a formula begins with an apostrophe.

    ``total``, ``currency`` and ``deck`` are those after the event.
    """
    start = found.events[0]
    assert isinstance(start, GameStarted)
    state = start_state(start)
    for n, event in enumerate(found.events):
        turn = state.turn
        if n:
            apply(state, event)
        seat: int | None = getattr(event, "seat", None)
        at = log.lines[n].at
        yield [
            start.game,
            str(n),
            str(turn),
            type(event).__name__,
            "" if seat is None else str(seat),
            "" if seat is None else _no_formula(start.players[seat]),
            getattr(event, "card", ""),
            _amount(event),
            payment_text(event.payment) if hasattr(event, "payment") else "",
            _row(getattr(event, "gains", ())),
            str(getattr(event, "bust_tokens", "")),
            getattr(event, "cause", ""),
            " ".join(getattr(event, "cards", ())),
            _row(getattr(event, "scores", ())),
            _row(getattr(event, "winners", ())),
            str(state.total),
            str(state.currency),
            str(state.deck_left),
            "" if at is UNSET else str(at),
        ]


def _amount(event: Event) -> str:
    for field in ("amount", "price", "tokens"):
        if hasattr(event, field):
            return str(getattr(event, field))
    return ""


def _no_formula(name: str) -> str:
    return "'" + name if name[:1] in ("=", "+", "-", "@") else name
