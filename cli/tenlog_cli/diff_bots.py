"""``tenlog diff --bots``: what the bots of a game would decide today."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from tenlog_cli.diff import counted_cards
from tenlog_cli.output import home, print_json

if TYPE_CHECKING:
    from tenlog.rethink import RethinkReport
    from tenlog.story import Words
    from tenlog.table import Table

SHOWN = 10  # decisions that are shown one by one


def diff_bots(
    path: str, game: str | None, said: list[str], trust: bool, as_json: bool, quiet: bool
) -> None:
    """Ask the bots of a log again; exit code 1 if one of them would decide otherwise."""
    from tenlog.errors import SetupError
    from tenlog.play.home import find_log
    from tenlog.rethink import rethink_file

    specs: dict[int, str] = {}
    for text in said:
        seat, equals, spec = text.partition("=")
        if not equals or not seat.isdecimal() or not spec:
            raise SetupError(f"--bot {text!r} is not SEAT=KIND, such as 0=greedy")
        specs[int(seat)] = spec
    same = True
    for report in rethink_file(find_log(home(), path), game, specs, foreign=trust):
        same = same and report.same
        if as_json:
            print_json(report)
        elif not quiet:
            _show_bots(report)
    if not same:
        raise typer.Exit(1)


def _show_bots(report: RethinkReport) -> None:
    from tenlog.play.prompt import command_words
    from tenlog.story import Span, counted
    from tenlog_cli.paint import put, width, wrap

    room = width()
    put(wrap([Span(report.file, "strong"), Span(f", game {report.game}")], room))
    for seat in report.seats:
        text = f"{counted(seat.decisions, 'decision')}, {seat.otherwise} otherwise"
        if seat.forfeits:
            text += f", {counted(seat.forfeits, 'forfeit')}"
        words = [Span(seat.name, "name"), Span(f" (seat {seat.seat}, {seat.bot}): {text}")]
        put(wrap(words, room, 4, 2))
    for item in report.otherwise[:SHOWN]:
        table = item.before
        name = table.seats[item.seat].name
        put([[]])
        words = [Span(f"event {item.n}", "strong"), Span(f", turn {table.turn}: "), Span(name)]
        put(wrap([*words, Span(f" (seat {item.seat})")], room))
        put(wrap([Span("log    "), *command_words(item.logged)], room, 9, 2))
        put(wrap([Span("today  "), *command_words(item.now)], room, 9, 2))
        put(wrap([Span("at     "), *_at(table, item.seat)], room, 9, 2))
    more = len(report.otherwise) - SHOWN
    if more > 0:
        put([[], *wrap([Span(f"and {more} more: --json lists all of them")], room)])


def _at(table: Table, seat: int) -> Words:
    from tenlog.story import Span, card_words, counted

    own = table.seats[seat]
    words: Words = []
    if table.auction is not None:
        words += [Span("auction of "), Span(table.auction.card, "card"), Span("; ")]
    elif table.tableau:
        words += [*card_words(table.tableau), Span(f", total {table.total}; ")]
    elif table.phase in ("buy", "final_buy"):
        words += [Span("market "), *(counted_cards(table.market) or [Span("empty")]), Span("; ")]
    has = ", ".join(
        [
            counted(own.tokens, "token"),
            counted(own.busts, "bust token"),
            counted(len(own.cards), "card"),
        ]
    )
    return [*words, Span(has)]
