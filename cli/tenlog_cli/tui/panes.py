"""What stands in the panes of the full screen, as lines for a given room: no screen is needed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from tenlog.game.cards import CARDS
from tenlog.game.state import AUCTION, OVER, SOLD, State
from tenlog.play.advice import Choice
from tenlog.story import Passage, Span, Words, card_words
from tenlog_cli.paint import Line, cells, cut, line_cells, wrap
from tenlog_cli.screen import collection_words, passage_lines, seat_lines, sorted_collection

LOG_PASSAGES: Final = 200  # how much of the story is kept on the screen to be scrolled back to
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


def table(state: State, room: int, height: int, you: Sequence[int]) -> list[Line]:
    """Players, market and tableau, in the fullest form that fits into so many lines."""
    last = _forms(state, room, you, others=False, own=False, spaced=False)
    for others, own, spaced in ((True, True, True), (True, True, False), (False, True, False)):
        lines = _forms(state, room, you, others=others, own=own, spaced=spaced)
        if len(lines) <= height:
            return lines
    return last


def _forms(
    state: State, room: int, you: Sequence[int], *, others: bool, own: bool, spaced: bool
) -> list[Line]:
    """``others``, ``own``: whether collections are shown of the others, and of whom it is about."""
    lines: list[Line] = []
    about = state.to_act if state.to_act in you or not you else you[0]
    for seat in range(len(state.players)):
        whole = seat_lines(state, seat, room, seat in you and len(you) == 1)
        if not (others or (own and seat == about)):
            whole = whole[:1]
        lines += whole
        if spaced and len(state.players) > 1 and seat < len(state.players) - 1 and others:
            continue
    gap: list[Line] = [[]] if spaced else []
    market = collection_words(state.market) or [Span("empty", "dim")]
    lines += gap
    lines += wrap([Span("market   ", "dim"), *market], room, LABEL, 0)
    lines += gap
    lines += tableau(state, room)
    return lines


def tableau(state: State, room: int) -> list[Line]:
    """What lies before the active player, with both totals against the limit; always as many
    lines, where the cards need no second one."""
    cards = card_words([CARDS[kind] for kind in state.tableau]) or [Span("empty", "dim")]
    lines: list[Line] = list(wrap([Span("tableau  ", "dim"), *cards], room, LABEL))
    limit = state.rules.bust_limit
    gauges = [_gauge("total", state.total, limit), _gauge("currency", state.currency, limit)]
    both: Words = [Span(" " * LABEL), *gauges[0], Span("   "), *gauges[1]]
    if line_cells(both) <= room:
        lines.append(both)
    else:
        lines += [[Span(" " * LABEL), *gauge] for gauge in gauges]
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
    if state.phase is not AUCTION and state.phase is not SOLD:
        return []
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
        if passage.kind in ("turn", "end") and lines:
            lines.append([])
        lines += passage_lines(passage, room)
    return lines


def collection_line(state: State, seat: int, room: int) -> list[Line]:
    """What a seat owns."""
    cards = sorted_collection(state.cards[seat]) or [Span("no cards yet", "dim")]
    return list(wrap(cards, room))


def choice_lines(
    choices: Sequence[Choice], keys: Sequence[str], chosen: int, room: int, rows: int
) -> tuple[list[Line], int]:
    """The choices, one in a line, as many as there is room for around the chosen one; and the
    number of the first that is shown. What does not fit of a line's last pieces is left out."""
    first = max(0, min(chosen - rows // 2, len(choices) - rows))
    widest_key = max([len(key) for key in keys], default=0)
    widest = max([len(choice.does) for choice in choices], default=0)
    lines: list[Line] = []
    for number in range(first, min(len(choices), first + rows)):
        choice = choices[number]
        mark = "▸" if number == chosen else " "
        line: Words = [
            Span(f" {mark} ", "strong"),
            Span(f"{keys[number]:<{widest_key}}", "key"),
            Span(f" {choice.does:<{widest}}", "strong" if number == chosen else ""),
        ]
        for place, piece in enumerate(choice.pieces):
            more = [Span(" · " if place else "  ", "dim"), *piece]
            if line_cells([*line, *more]) <= room:
                line += more
        lines.append(line)
    hidden = len(choices) - first - rows
    if lines and (hidden > 0 or first > 0):
        note = f"  {chosen + 1}/{len(choices)}"
        at = -1 if hidden > 0 else 0
        if line_cells(lines[at]) + len(note) <= room:
            lines[at] = [*lines[at], Span(note, "dim")]
    return lines, first


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
    from tenlog.story import to_do

    if state.phase is OVER:
        return [Span(" The game is finished", "strong")]
    name = cut(state.players[state.to_act], max(8, room - 20))
    return [Span(" "), Span(name, "name"), Span(f": {to_do(state)}", "strong")]
