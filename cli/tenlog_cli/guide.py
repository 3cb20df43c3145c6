"""What both front ends of a game say besides the story: rules that apply, what is to be felt, and
what comes after the end."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from tenlog.game.cards import COLOUR_NAMES
from tenlog.game.evolve import evolve
from tenlog.game.state import BUST, State
from tenlog.play.advice import full_runs, own_numbers
from tenlog.story import Span, counted
from tenlog_cli.output import home, in_shell, note
from tenlog_cli.paint import Line, say_path, wrap

if TYPE_CHECKING:
    from tenlog.game.events import Event
    from tenlog.game.ruleset import Ruleset
    from tenlog.log.read import GameLog
    from tenlog.play.session import Session


def rule_lines(numbers: Iterable[str], ruleset: Ruleset, room: int) -> list[Line]:
    """Points of the rules, such as 4.3, each with its number and in full, as ``ten/1`` has them;
    before them, what holds otherwise in a game by another ruleset."""
    from tenlog.docs import find_section
    from tenlog_cli.reference import place_lines

    lines: list[Line] = []
    own = own_numbers(ruleset)
    if own:
        head = f"In this game ({ruleset.name}), other than in the rules below: "
        lines += wrap([Span(head, "strong"), Span("; ".join(own) + ".")], room)
    for number in numbers:
        section = find_section("rules", number)
        if section is None:
            continue
        lines += [[]] if lines else []
        lines += place_lines("rules", section, room)
    return lines


def bust_words(state: State) -> str:
    """Why the active player of a table is bust, in few words; empty if nobody is."""
    if state.phase is not BUST:
        return ""
    limit = state.rules.bust_limit
    if state.currency > limit:
        return f"currency {state.currency} is over {limit}"
    return f"total {state.total} is over {limit}"


def full_run_words(before: State, after: State) -> list[str]:
    """A sentence for each run from 1 to 9 that has just been completed."""
    points = 9 + after.rules.bonus
    return [
        f"{after.players[seat]} has a full run in {COLOUR_NAMES[colour]}: "
        f"{counted(points, 'point')}"
        for seat, colour in full_runs(before, after)
    ]


def full_runs_told(before: State | None, events: Iterable[Event]) -> list[str]:
    """The same, for what happened at a table."""
    state = None if before is None else before.copy()
    told: list[str] = []
    for event in events:
        last = None if state is None else state.copy()
        state = evolve(state, event)
        if last is not None:
            told += full_run_words(last, state)
    return told


def archived(log: Path) -> str | None:
    """Add the finished games of a log to the archive of the home; None, or why it did not work."""
    from tenlog.archive import add_played, default_archive

    return add_played(default_archive(home()), log)


def keep(log: Path) -> None:
    """The same; what did not work is said on standard error, and hinders nobody."""
    problem = archived(log)
    if problem is not None:
        sys.stdout.flush()
        note(f"tenlog: {problem}")


def finish_up(log: Path, found: GameLog, *, archive: bool) -> None:
    """Do what a process left undone that was killed right after the last move of a game: the seed
    is removed, and (with ``archive``) a game that people played is kept."""
    from tenlog.errors import LogError
    from tenlog.log.store import forget_revealed

    try:
        forget_revealed(log, found)
    except LogError as error:
        note(f"tenlog: {error}")
    if archive and (not found.bots or None in found.bots):
        keep(log)


def record_lines(session: Session, room: int) -> list[Line]:
    """What the archive knows of the persons at the table; nothing where it knows nothing."""
    from tenlog.archive import default_archive
    from tenlog.archive.record import record_of
    from tenlog.errors import ArchiveError

    lines: list[Line] = []
    for seat in persons(session):
        name = session.state.players[seat]
        try:
            record = record_of(default_archive(home()), name)
        except ArchiveError:
            return []
        if record is not None:
            words = [
                Span(name, "name"),
                Span(f": {counted(record.games, 'game')}, {record.won} won"),
                Span(f" · best {record.best} · {record.mean:.1f} points on average"),
            ]
            lines += wrap(words, room, 2)
    return lines


def persons(session: Session) -> list[int]:
    """The seats where people sit."""
    return [seat for seat, bot in enumerate(session.bots) if bot is None]


def called(path: Path) -> str:
    """What a command calls a log: a game of the home by its id, another one by its path."""
    from tenlog.play.home import demos_folder, games_folder, name_of

    kept = path.parent in (games_folder(home()), demos_folder(home()))
    return shlex.quote(name_of(path)) if kept else in_shell(path)


def say_kept(path: Path) -> None:
    """Say how a game that was left is gone on with."""
    say_path("The game is kept. Go on with", f"tenlog resume {called(path)}", "")


def rematch(session: Session) -> Session:
    """A new game between the same, in the home, with the seed that follows on the last one; where
    that was sealed, with a random one, as everybody knows the last one by now."""
    from tenlog.game.events import GameStarted
    from tenlog.play.home import log_path, new_game_id
    from tenlog.play.player import next_seed
    from tenlog.play.session import new_session

    start = session.events[0]
    assert isinstance(start, GameStarted)
    sealed = start.seed is None
    game = new_game_id()
    return new_session(
        log_path(home(), game),
        start.players,
        game=game,
        seed=None if sealed else next_seed(session.seed),
        bots=session.bots if any(session.bots) else (),
        ruleset=session.state.rules.ruleset,
        sealed=sealed,
    )
