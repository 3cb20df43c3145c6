"""``tenlog diff``: where two games part, and what it led to; or what bots would decide today."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from tenlog_cli.asked import JsonOption, QuietOption, complete_log
from tenlog_cli.output import home, print_json

if TYPE_CHECKING:
    from tenlog.diff import DiffReport, GameDiff, Parting, Side
    from tenlog.game.events import Event
    from tenlog.story import Role, Words
    from tenlog.table import Standing, Table
    from tenlog_cli.paint import Line

_LOG = "A log, - for standard input, or a game of the home by its id or a part of it."


def diff(
    a: Annotated[str, typer.Argument(help=_LOG, autocompletion=complete_log)],
    b: Annotated[
        str | None, typer.Argument(help="The log to compare it with.", autocompletion=complete_log)
    ] = None,
    state: Annotated[
        int | None,
        typer.Option("--state", metavar="N", min=0, help="Also both tables after event N."),
    ] = None,
    bots: Annotated[
        bool,
        typer.Option("--bots", help="Compare A with what its bots would decide today; no B."),
    ] = False,
    bot: Annotated[
        list[str] | None,
        typer.Option(
            "--bot",
            metavar="SEAT=KIND",
            help="With --bots: who decides for a seat, such as 0=greedy; repeatable. "
            "Else the bots that the log names.",
        ),
    ] = None,
    trust: Annotated[
        bool,
        typer.Option(
            "--trust", help="With --bots: also run programs and Python code that the log names."
        ),
    ] = False,
    game: Annotated[
        str | None, typer.Option("--game", metavar="ID", help="With --bots: only this game.")
    ] = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Show where two games part, what was done instead, and what it led to.

    If each log holds exactly one game, these are compared, whatever their ids; else games with the
    same id are, and those that only one side has are listed. Games are the same if all their
    events are, byte for byte; seals, times, bots and the like make no difference.

    Exit code 0 if all is the same, 1 if not.
    """
    from tenlog.errors import SetupError

    if bots:
        if b is not None or state is not None:
            raise SetupError("--bots compares one log with its bots: leave B and --state out")
        from tenlog_cli.diff_bots import diff_bots

        diff_bots(a, game, bot or [], trust, as_json, quiet)
        return
    if b is None:
        raise SetupError("two logs are compared: give a second one, or --bots")
    if bot or trust or game is not None:
        raise SetupError("--bot, --trust and --game go with --bots")
    if a == b == "-":
        raise SetupError("standard input can only be one of the two logs")
    from tenlog.diff import diff_files
    from tenlog.play.home import find_log

    report = diff_files(find_log(home(), a), find_log(home(), b), state)
    if as_json:
        print_json(report)
    elif not quiet:
        _show(report)
    if not report.same:
        raise typer.Exit(1)


def _show(report: DiffReport) -> None:
    from tenlog.story import Span, counted
    from tenlog_cli.paint import put, width, wrap

    room = width()
    many = len(report.games) != 1 or report.only_a or report.only_b
    for i, game in enumerate(report.games):
        if many and game.same and game.tables is None:
            continue
        put([[]] if i else [])
        put(_game(game, room))
    for side, missing in (("A", report.only_a), ("B", report.only_b)):
        if missing:
            words = [Span(f"only in {side}: ", "bad"), Span(", ".join(missing))]
            put([[], *wrap(words, room, 11)])
    if many:
        same = sum(game.same for game in report.games)
        text = f"{counted(len(report.games), 'game')} compared, {same} the same"
        put([[], *wrap([Span(text, "strong")], room)])
        if not report.games:
            put(wrap([Span("no game of one log has the id of a game of the other")], room))


def _game(found: GameDiff, room: int) -> list[Line]:
    from tenlog.story import Span
    from tenlog_cli.paint import wrap

    lines: list[Line] = [*_side("A", found.a, room), *_side("B", found.b, room), []]
    if found.setup:
        for item in found.setup:
            label = {"game": "id", "commitment": "seed (commitment)"}.get(item.field, item.field)
            lines += wrap([Span(f"different {label}", "bad")], room, 2)
            lines += wrap([Span("A  "), Span(item.a)], room, 5, 2)
            lines += wrap([Span("B  "), Span(item.b)], room, 5, 2)
        lines.append([])
    parting = found.parting
    if parting is None:
        lines += wrap([Span(_same(found), "strong")], room)
    elif parting.before is None:
        why = (
            "a broken start leaves nothing to compare"
            if parting.kind == "fault"
            else "other rules or other seats: the tables can't be laid side by side"
        )
        lines += wrap([Span(f"They part before the first decision: {why}.", "strong")], room)
        lines += _led_to(found, room)
    else:
        lines += _parted(found, parting, parting.before, room)
    if found.metadata:
        what = ", ".join(found.metadata)
        text = f"Outside of the events these differ, too: {what}. That is no difference."
        lines += [[], *wrap([Span(text, "dim")], room)]
    if found.tables is not None:
        for name, table in (("A", found.tables.a), ("B", found.tables.b)):
            lines += [[], *wrap([Span(f"{name} after event {found.tables.n}", "title")], room)]
            if table is None:
                lines += wrap([Span("there is no such event")], room, 2, 2)
            else:
                lines += _table(table, room)
    return lines


def _same(found: GameDiff) -> str:
    count = found.a.events
    if found.same:
        return f"The same game: all {count} events are equal."
    if [item.field for item in found.setup] == ["game"]:
        return f"The same course under two ids: all {count - 1} other events are equal."
    return f"The same course: all {count - 1} events after the start are equal."


def _side(name: str, side: Side, room: int) -> list[Line]:
    from tenlog.story import Span, counted
    from tenlog_cli.paint import wrap

    end = "finished" if side.finished else "in progress"
    if side.torn:
        end += f", {side.torn} torn bytes left out"
    text = f"game {side.game}, " if side.game else ""
    head = [Span(f"{name}  ", "strong"), Span(side.file)]
    lines = wrap(head, room, 3)
    lines += wrap([Span(f"{text}{counted(side.events, 'event')}, {end}")], room, 3, 3)
    if side.fault is not None:
        words = [Span("faulty, compared up to there: ", "bad"), Span(side.fault)]
        lines += wrap(words, room, 3, 3)
    return list(lines)


def _parted(found: GameDiff, parting: Parting, before: Table, room: int) -> list[Line]:
    from tenlog.protocol import short_name
    from tenlog.story import Span
    from tenlog_cli.paint import wrap

    players = [seat.name for seat in before.seats]
    n = parting.n
    what = {
        "decision": "a decision",
        "card": "the next card: not a decision, but another deck",
        "consequence": "what follows by itself",
        "end": f"{'A' if not parting.a else 'B'} ends there",
        "fault": "a fault",
        "setup": "the start",
    }[parting.kind]
    if parting.seat is not None:
        what += f" of {short_name(players, parting.seat)} (seat {parting.seat})"
    shared = f"The first {n} events are shared" if n > 1 else "Only the start is shared"
    text = f"{shared}. They part at event {n}, in turn {before.turn}: {what}."
    lines: list[Line] = [*wrap([Span(text, "strong")], room), []]
    lines += wrap([Span(f"The table just before, after event {before.n}", "title")], room)
    lines += [*_table(before, room), [], *wrap([Span("What came instead", "title")], room)]
    for name, events, side in (("A", parting.a, found.a), ("B", parting.b, found.b)):
        lines += _happened(name, events, players, side, n, room)
    return lines + _led_to(found, room)


def _happened(
    name: str, events: Sequence[Event], players: list[str], side: Side, n: int, room: int
) -> list[Line]:
    from tenlog.protocol import event_text
    from tenlog.story import Span
    from tenlog_cli.paint import wrap

    head = Span(f"{name}  ", "strong")
    if not events:
        text = "what stands there breaks the rules" if side.fault else "the log ends here"
        return list(wrap([head, Span(text)], room, 5, 2))
    lines: list[Line] = []
    for i, event in enumerate(events):
        words = [head if not i else Span("   "), Span(f"{n + i} ", "dim")]
        lines += wrap([*words, Span(event_text(event, players))], room, 9, 2)
    return lines


def _led_to(found: GameDiff, room: int) -> list[Line]:
    from tenlog.story import Span
    from tenlog_cli.paint import wrap

    a, b = found.a.end, found.b.end
    if a is None or b is None:
        return []
    ends = [
        "finished" if side.finished else f"so far, event {side.events - 1}"
        for side in (found.a, found.b)
    ]
    lines: list[Line] = [
        [],
        *wrap([Span(f"What it led to (A {ends[0]}; B {ends[1]})", "title")], room),
    ]
    if not found.changes:
        for name, table in (("A", a), ("B", b)):
            lines += wrap([Span(f"{name}", "strong")], room)
            lines += _seats(table.seats, room)
    else:
        lines += _changes(found, a, b, room)
    for name, side, table in (("A", found.a, a), ("B", found.b, b)):
        if side.winners:
            names = ", ".join(table.seats[seat].name for seat in side.winners)
            lines += wrap([Span(f"{name}  ", "strong"), Span(f"won by {names}")], room, 5, 2)
    return lines


_NUMBERS = ("points", "tokens", "busts", "cards")


def _changes(found: GameDiff, a: Table, b: Table, room: int) -> list[Line]:
    """By seat, each number in A, in B, and the change."""
    from tenlog.story import Span
    from tenlog_cli.paint import NARROW, pad

    lines: list[Line] = []
    wide = room >= NARROW
    name_room = 16 if wide else max(6, room - 32)
    size = 12 if wide else 7
    labels = _NUMBERS if wide else ("pts", "tok", "bust", "card")
    lines.append(
        [
            Span("  " + pad("", name_room), "dim"),
            *(Span(f"{label:>{size}}", "dim") for label in labels),
        ]
    )
    for one, other, change in zip(a.seats, b.seats, found.changes, strict=True):
        cells: list[Span] = []
        for field in _NUMBERS:
            x, y = _number(one, field), _number(other, field)
            step: int = getattr(change, field)
            text = f"{x}→{y}" if x != y else f"{x}"
            if wide and step:
                text += f" {step:+}"
            role: Role = "good" if step > 0 else "bad" if step < 0 else ""
            cells.append(Span(f"{text:>{size}}", role))
        lines.append([Span("  " + pad(one.name, name_room), "name"), *cells])
    return lines


def _number(seat: Standing, field: str) -> int:
    value: object = getattr(seat, field)
    return len(value) if isinstance(value, tuple) else int(str(value))


def _table(table: Table, room: int) -> list[Line]:
    from tenlog.story import Span, card_words
    from tenlog_cli.paint import wrap

    lines = _seats(table.seats, room)
    lines += wrap(
        [Span("market   "), *(counted_cards(table.market) or [Span("empty", "dim")])], room, 11, 2
    )
    words: Words = [Span("tableau  "), *(card_words(table.tableau) or [Span("empty", "dim")])]
    if table.tableau:
        words.append(Span(f"   total {table.total}, currency {table.currency}"))
    lines += wrap(words, room, 11, 2)
    if table.auction is not None:
        up = table.auction
        text = " no bid yet"
        if up.bidder is not None:
            text = f" {table.seats[up.bidder].name} bids {up.bid}"
        lines += wrap([Span("auction  "), Span(up.card, "card"), Span(text)], room, 11, 2)
    lines += wrap([Span(f"deck     {table.deck} cards, turn {table.turn}", "")], room, 11, 2)
    return lines


def _seats(seats: Sequence[Standing], room: int) -> list[Line]:
    from tenlog.story import Span, counted
    from tenlog_cli.paint import NARROW, pad, wrap

    lines: list[Line] = []
    for seat in seats:
        has = (
            f"{counted(seat.points, 'point')}, {counted(seat.tokens, 'token')}, "
            f"{counted(seat.busts, 'bust token')}"
        )
        if room >= NARROW:
            lines.append([Span("  " + pad(seat.name, 16), "name"), Span(" " + has)])
        else:
            lines += wrap([Span(seat.name, "name")], room, 4, 2)
            lines += wrap([Span(has)], room, 4, 4)
        lines += wrap(counted_cards(seat.cards) or [Span("no cards", "dim")], room, 4, 4)
    return lines


def counted_cards(cards: Sequence[str]) -> Words:
    """Cards, equal ones as one with a count."""
    from tenlog.story import Span

    words: Words = []
    for card in dict.fromkeys(cards):
        count = cards.count(card)
        words += [Span(" ")] if words else []
        words.append(Span(card, "card"))
        words += [Span(f"×{count}")] if count > 1 else []
    return words
