"""What stands in the panes of the full screen, as lines for a given room: no screen is needed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from tenlog.game.cards import CARDS
from tenlog.game.commands import Bid, Buy
from tenlog.game.payments import short_payment
from tenlog.game.scoring import best_total
from tenlog.game.state import AUCTION, FINAL_BUY, OVER, SOLD, State
from tenlog.play.advice import Choice
from tenlog.story import Passage, Span, Words, card_words, to_do, wild_text
from tenlog_cli.paint import NARROW, Line, cells, cut, line_cells, pad, wrap
from tenlog_cli.screen import collection_words, passage_lines, seat_lines, sorted_collection

LOG_PASSAGES: Final = 120  # how much of the story is kept on the screen to be scrolled back to
LABEL: Final = 9  # columns of the words market, tableau, auction


class Key(NamedTuple):
    """A key of the footer, and what it does; short where there is little room."""

    key: str
    does: str
    short: str = ""


def header(state: State, room: int, right: str = "") -> Line:
    """The game in a line: the turn, the deck, and something at the right end if it fits."""
    name = state.rules.ruleset.name
    left: Words = [Span(" TEN", "title"), Span(f"  turn {state.turn}", "strong")]
    deck = f" · {state.deck_left} of {state.rules.deck_size} cards left"
    left.append(Span(deck if room >= 60 else f" · {state.deck_left} left"))
    for text in (f"{state.game} · {name} · {right}", f"{name} · {right}", right):
        text = text.strip(" ·")
        gap = room - line_cells(left) - cells(text) - 1
        if text and gap >= 2:
            return [*left, Span(" " * gap), Span(text, "dim")]
    return left


HIDDEN: Final = "s shows all cards"


def table(
    state: State, room: int, height: int, you: Sequence[int], *, titled: bool = False
) -> tuple[list[Line], bool]:
    """Players, market and tableau, in the fullest form that fits into so many lines; and whether
    cards that somebody owns are not shown in it.

    ``titled``: :data:`FIGURES` stands above already.
    """
    lines: list[Line] = []
    hides = False
    for whose, headed, spaced in _FORMS:
        gap: list[Line] = [[]] if spaced else []
        lines = players(state, room, you, whose, headed=headed, titled=titled)
        market = collection_words(state.market) or [Span("empty", "dim")]
        lines += [*gap, *wrap([Span("market   ", "dim"), *market], room, LABEL)]
        lines += [*gap, *tableau(state, room)]
        hides = any(
            any(cards) and not _shown(state, seat, you, whose)
            for seat, cards in enumerate(state.cards)
        )
        if len(lines) <= height:
            break
    return lines, hides


def _shown(state: State, seat: int, you: Sequence[int], whose: _Whose) -> bool:
    """Whether the cards of a seat are shown: of whom it is about, if not of everybody."""
    about = state.to_act if state.to_act in you or not you else you[0]
    return whose == "all" or (whose == "own" and seat == about)


# From the fullest form to the shortest: whose collections are shown, whether figures have a
# headline, whether blank lines part what is different.
_Whose = Literal["all", "own", "nobody"]
_FORMS: Final[tuple[tuple[_Whose, bool, bool], ...]] = (
    ("all", True, True), ("all", True, False), ("all", False, False),
    ("own", True, False), ("own", False, False), ("nobody", False, False),
)  # fmt: skip


def players(
    state: State,
    room: int,
    you: Sequence[int],
    whose: _Whose = "all",
    *,
    headed: bool = True,
    titled: bool = False,
) -> list[Line]:
    """The seats with their money and points, and collections: of all, or of whom it is about."""
    lines: list[Line] = []
    narrow = room < NARROW
    if narrow and headed and not titled:
        lines.append([Span(f"{FIGURES:>{room}}", "dim")])
    for seat in range(len(state.players)):
        whole = seat_lines(state, seat, room, seat in you and len(you) == 1)
        if narrow and (headed or titled):
            whole[0] = _figures(whole[0], state, seat, room)
        lines += whole if _shown(state, seat, you, whose) else whole[:1]
    return lines


FIGURES: Final = "tokens  bust  points"


def _figures(line: Line, state: State, seat: int, room: int) -> Line:
    """A seat's line with its figures under the headline instead of beside their letters."""
    points = best_total(state.cards[seat], state.rules.bonus)
    figures = f"{state.tokens[seat]:>6}  {state.busts[seat]:>4}  {points:>6}"
    mark, number, name = line[0], line[1], line[2]
    size = room - line_cells([mark, number]) - len(figures) - 1
    return [mark, number, Span(pad(name.text.rstrip(), size), name.role), Span(" " + figures)]


def tableau(state: State, room: int) -> list[Line]:
    """What lies before the active player, with both totals against the limit; and the auction."""
    cards = card_words([CARDS[kind] for kind in state.tableau]) or [Span("empty", "dim")]
    lines: list[Line] = list(wrap([Span("tableau  ", "dim"), *cards], room, LABEL))
    limit = state.rules.bust_limit
    gauges = [_gauge("total", state.total, limit), _gauge("currency", state.currency, limit)]
    both: Words = [Span(" " * LABEL), *gauges[0], Span("   "), *gauges[1]]
    if line_cells(both) <= room:
        lines.append(both)
    elif state.tableau:
        short = f"total {state.total}, currency {state.currency} of {limit}"
        if line_cells(lines[-1]) + 2 + len(short) <= room:
            lines[-1] = [*lines[-1], Span("  "), Span(short, "strong")]
        else:
            indent = max(0, min(LABEL, room - len(short)))
            lines.append([Span(" " * indent), Span(short, "strong")])
    if state.phase is AUCTION or state.phase is SOLD:
        lines.append(_auction(state, room))
    return lines


def _gauge(label: str, value: int, limit: int) -> Words:
    """A total against what it may be."""
    words: Words = [Span(f"{label} ", "dim"), Span(f"{value:>2}", "strong")]
    if limit <= 12:
        full = max(0, min(limit, value))
        over = value > limit
        words.append(Span(" " + "●" * full + "○" * (limit - full), "bad" if over else "dim"))
    else:
        words.append(Span(f" of {limit}", "dim"))
    return words


def _auction(state: State, room: int) -> Line:
    words: Words = [Span("auction  ", "strong"), Span(CARDS[state.wild], "card")]
    if state.bidder >= 0:
        name = cut(state.players[state.bidder], max(8, room - 22))
        words += [Span(f"  {state.bid} bid by "), Span(name, "name")]
    else:
        words.append(Span("  no bid yet"))
    return words


def story(passages: Sequence[Passage], room: int) -> list[Line]:
    """The story so far, a blank line before each turn."""
    lines: list[Line] = []
    for passage in passages[-LOG_PASSAGES:]:
        if passage.kind == "game":
            continue  # the header says it
        if passage.kind in ("turn", "end") and lines:
            lines.append([])
        lines += passage_lines(passage, room)
    return lines


def collection_line(state: State, seat: int, room: int) -> list[Line]:
    """What a seat owns."""
    cards = sorted_collection(state.cards[seat]) or [Span("no cards yet", "dim")]
    return list(wrap(cards, room))


def window(count: int, chosen: int, rows: int) -> list[int]:
    """Which of ``count`` choices are shown in so many rows: those around the chosen one, and always
    the last one, which is the way out."""
    if count <= rows:
        return list(range(count))
    first = max(0, min(chosen - (rows - 1) // 2, count - rows))
    return [*range(first, first + rows - 1), count - 1]


def choice_lines(
    choices: Sequence[Choice], keys: Sequence[str], chosen: int, room: int, rows: int
) -> list[Line]:
    """The choices, one in a line, as many as :func:`window` shows. What does not fit of a line's
    last pieces is left out; but how it would be paid is always told, in short if need be."""
    widest_key = max([len(key) for key in keys], default=0)
    widest = max([len(choice.does) for choice in choices], default=0)
    lines: list[Line] = []
    for number in window(len(choices), chosen, rows):
        choice = choices[number]
        line: Words = [
            Span(f" {'▸' if number == chosen else ' '} ", "strong"),
            Span(f"{keys[number]:<{widest_key}}", "key"),
            Span(f" {choice.does:<{widest}}", "strong" if number == chosen else ""),
        ]
        between = "  "
        for piece in choice.pieces:
            short = _paid_in_short(choice, room - line_cells(line) - 2)
            last = piece is choice.pieces[-1]
            kept = len(f" · {short}") if short and not last else 0
            ways = ([Span(f"for {short}")], [Span(short)]) if short and last else (_brief(piece),)
            for part in (piece, *ways):
                more = [Span(between, "dim"), *part]
                if line_cells([*line, *more]) + kept <= room:
                    line += more
                    between = " · "
                    break
        lines.append(line)
    if len(choices) > rows:
        note = f"   ↑↓ {len(choices)} choices"
        if line_cells(lines[-1]) + len(note) <= room:
            lines[-1] = [*lines[-1], Span(note, "dim")]
    return lines


def _paid_in_short(choice: Choice, room: int) -> str:
    """How a choice would be paid, as it would be typed if there is room for that; empty for what
    costs nothing."""
    command = choice.command
    return short_payment(command.payment, room) if isinstance(command, Bid | Buy) else ""


def _brief(piece: Sequence[Span]) -> Sequence[Span]:
    """A piece without what stands in brackets at its end."""
    return piece[:1] if len(piece) > 1 and piece[1].text.startswith(" (") else piece


def footer(keys: Sequence[Key], room: int) -> Line:
    """As many keys as fit, the first ones in any case; the last one (leaving) always."""
    for short in (False, True):
        parts = [_key_words(key, short) for key in keys]
        line = _joined(parts)
        if line_cells(line) <= room:
            return line
    while len(parts) > 2 and line_cells(_joined(parts)) > room:
        del parts[-2]
    return _joined(parts)


def _key_words(key: Key, short: bool) -> Words:
    return [Span(key.key, "key"), Span(f" {(key.short if short else '') or key.does}")]


def _joined(parts: Sequence[Words]) -> Words:
    line: Words = [Span(" ")]
    for part in parts:
        line += [Span("  ")] if len(line) > 1 else []
        line += part
    return line


def waiting_title(state: State, room: int) -> Words:
    """Who is asked, and for what."""
    if state.phase is OVER:
        return [Span(" The game is finished", "strong")]
    name = cut(state.players[state.to_act], max(8, room - 20))
    words = [Span(" "), Span(name, "name"), Span(f": {to_do(state)}", "strong")]
    if state.phase is AUCTION:
        wild = CARDS[state.wild]
        for text in (f", {wild_text(wild)}", ""):
            longer = [*words, Span(" for "), Span(wild, "card"), Span(text)]
            if line_cells(longer) <= room:
                return longer
    if state.phase is FINAL_BUY:
        longer = [*words, Span(", your last buy")]
        return longer if line_cells(longer) <= room else words
    return words


def story_width(width: int) -> int:
    """Columns of the story beside the table."""
    return max(30, min(64, width * 2 // 5), min(90, width - 104))


def progress(turns: Sequence[int], at: int, last: int, room: int) -> Line:
    """Where in the game one is: a line across, with the turn beside it."""
    turn = sum(1 for start in turns if start <= at) + 1
    label = f" turn {turn}/{len(turns) + 1} "
    size = max(4, room - len(label) - 1)
    here = round(at / last * (size - 1)) if last else 0
    return [
        Span(label, "strong"),
        Span("─" * here),
        Span("●", "key"),
        Span("·" * (size - 1 - here), "dim"),
    ]
