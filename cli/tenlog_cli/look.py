"""Looking at games: the table, what may be done, the odds, and the list of games."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tenlog_cli.asked import GameOption, JsonOption, SeenLog
from tenlog_cli.output import home, note, print_json

if TYPE_CHECKING:
    from tenlog.game.state import State
    from tenlog.log.read import GameLog
    from tenlog.play.home import GameRow
    from tenlog.story import Words


def load(log: str | None, game: str | None = None) -> tuple[str, GameLog]:
    """The game that is meant, and where it is; a torn tail is reported."""
    from tenlog.log.read import read_one
    from tenlog.play.home import find_log

    path = str(find_log(home(), log))
    found = read_one(path, game)
    if found.fault is None and found.tail and not found.finished:
        note(
            f"tenlog: {path} ends in {len(found.tail)} bytes that were never committed; "
            "they are ignored"
        )
    return path, found


def load_table(log: str | None, game: str | None = None) -> State:
    """The table of the game that is meant, which has to be a good one."""
    from tenlog.log.replay import replay_strictly

    path, found = load(log, game)
    state = replay_strictly(found, path).state
    assert state is not None
    return state


def show(log: SeenLog = None, game: GameOption = None, as_json: JsonOption = False) -> None:
    """Print the table of a game: seats, collections, market, tableau, and whose turn it is."""
    state = load_table(log, game)
    if as_json:
        from tenlog.play.answers import table_answer

        print_json(table_answer(state))
        return
    from tenlog.game.state import OVER
    from tenlog_cli.paint import put, width
    from tenlog_cli.screen import standings, table, waiting

    room = width()
    put(table(state, room))
    put([[]])
    put(waiting(state, room))
    if state.phase is OVER:
        put(standings(state, room))


def legal(log: SeenLog = None, game: GameOption = None, as_json: JsonOption = False) -> None:
    """Print what may be done now, with the payment that keeps what is worth most."""
    state = load_table(log, game)
    if as_json:
        from tenlog.play.answers import legal_answer

        print_json(legal_answer(state))
        return
    from tenlog_cli.paint import put, width
    from tenlog_cli.screen import legal_lines, waiting

    put(waiting(state, width()))
    put(legal_lines(state, width()))


def odds(log: SeenLog = None, game: GameOption = None, as_json: JsonOption = False) -> None:
    """Print the exact odds of the next card, and what drawing is worth against stopping.

    From the public cards alone: what is left in the deck is known to everybody, its order is not.
    """
    from tenlog.game.odds import odds as odds_of

    state = load_table(log, game)
    found = odds_of(state)
    if as_json:
        print_json(found)
        return
    from tenlog_cli.paint import put, width
    from tenlog_cli.screen import odds_lines

    put(odds_lines(found, state, width()))


def ls(
    playing: Annotated[bool, typer.Option("--playing", help="Only games in progress.")] = False,
    as_json: JsonOption = False,
) -> None:
    """List the games that are kept, the latest first.

    They live in the folder games of TENLOG_HOME, or of the usual place for applications.
    """
    from tenlog.play.home import games_folder, list_games

    rows = [row for row in list_games(home()) if not playing or row.state == "playing"]
    if as_json:
        print_json(rows)
        return
    from tenlog_cli.output import shown_path
    from tenlog_cli.paint import put, say

    folder = shown_path(games_folder(home()))
    if not rows:
        what = "game in progress" if playing else "game yet"
        say(f"No {what} in {folder}: start one with tenlog play.")
        return
    for row in rows:
        put(_row(row))
    say(folder, "dim")


def _row(row: GameRow) -> list[Any]:
    from tenlog.story import Span, counted, join
    from tenlog_cli.paint import pad, width, wrap

    room = width()
    day = time.strftime("%Y-%m-%d %H:%M", time.localtime(row.at / 1000)) if row.at else "?"
    words: Words = [Span(pad(row.game, max(15, len(row.game) + 2)), "strong")]
    words.append(Span(f"{day}  ", "dim"))
    if row.state == "faulty":
        words += [Span("faulty", "bad"), Span(f": {row.fault}")]
        return wrap(words, room, 4)
    if row.state == "finished":
        names = join([[Span(row.players[seat], "name")] for seat in row.winners], last=" and ")
        points = counted(max(row.scores, default=0), "point")
        words += [Span("finished: "), *names, Span(f", {points}")]
    elif row.state == "left":
        words += [Span("left: goes on as "), Span(row.goes_on_as or "", "name")]
    else:
        assert row.to_act is not None
        name = Span(row.players[row.to_act], "name")
        words += [Span(f"turn {row.turn}: "), name, Span(f" to {row.to_do}")]
    lines = wrap(words, room, 4)
    seats = ", ".join(
        f"{name}{'' if bot is None or name.startswith(bot) else f' ({bot})'}"
        for name, bot in zip(row.players, row.bots or (None,) * len(row.players), strict=True)
    )
    seed = "sealed" if row.seed is None else f"seed {row.seed}"
    return [*lines, *wrap([Span(f"{seats} · {row.ruleset} · {seed}", "dim")], room, 4, 4)]
