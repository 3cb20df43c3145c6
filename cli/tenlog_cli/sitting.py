"""One sitting at the keyboard: a game, its end, and the next one; in full screen or in lines."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import msgspec

from tenlog_cli.output import home, note, on_terminal, shown_path

if TYPE_CHECKING:
    from pathlib import Path

    from tenlog.play.session import Session


class Sitting(msgspec.Struct):
    """How people want to play.

    Attributes:
        pace: seconds after what a bot does.
        hints: whether choices say what they lead to; None for until a first game is finished.
        plain: lines, also on a terminal.
        archive: whether finished games go into the archive.
    """

    pace: float
    hints: bool | None = None
    plain: bool = False
    archive: bool = True


def go_on(log: Path, *, trust: bool, archive: bool) -> Session:
    """The game of a log, to go on with; of a finished one, only what was left undone is done."""
    from tenlog.errors import LogOver
    from tenlog.log.read import read_one
    from tenlog.play.session import resume_session
    from tenlog_cli.guide import finish_up

    try:
        return resume_session(log, foreign=trust)
    except LogOver:
        finish_up(log, read_one(log), archive=archive)
        raise


def sit(session: Session, sitting: Sitting, *, fresh: bool) -> None:
    """Play a session, and rematches as long as they are wanted; every session is closed."""
    from tenlog_cli import tui
    from tenlog_cli.guide import rematch

    going: Session | None = session
    while going is not None:
        hints = _hints(going) if sitting.hints is None else sitting.hints
        full = tui.possible(sitting.plain)
        last = (_in_full if full else _in_lines)(going, sitting, hints, fresh)
        going = None if last is None else rematch(last)
        fresh = True


def _hints(session: Session) -> bool:
    """Whether somebody at the table has not finished a game yet."""
    from tenlog.play.player import has_finished
    from tenlog_cli.guide import persons

    return any(not has_finished(home(), session.state.players[seat]) for seat in persons(session))


def _in_full(session: Session, sitting: Sitting, hints: bool, fresh: bool) -> Session | None:
    """A game in full screen; returns it if a rematch of it is wanted."""
    from tenlog_cli import tui
    from tenlog_cli.guide import say_kept
    from tenlog_cli.paint import put, say_path, width
    from tenlog_cli.screen import standings
    from tenlog_cli.tui.game import GameView

    view = GameView(
        session, pace=sitting.pace, hints=hints, fresh=fresh, archive=sitting.archive,
        motion=tui.motion(),
    )  # fmt: skip
    try:
        with tui.real_size():
            again = view.run() == "rematch"
    finally:
        view.session.close()
    session = view.session  # not the same, if a decision was taken back
    if session.over:
        # What was reached stays to be seen when the full screen is gone.
        put([*standings(session.state, width()), *view.record, []])
        say_path("log:", shown_path(session.writer.path))
    else:
        say_kept(session.writer.path)
    if view.problem is not None:
        note(f"tenlog: {view.problem}")
    if view.trouble is not None:
        raise view.trouble
    if view.ended:
        raise SystemExit(tui.ENDED)
    return session if again else None


def _in_lines(session: Session, sitting: Sitting, hints: bool, fresh: bool) -> Session | None:
    """A game in lines; returns it if a rematch of it is wanted."""
    from tenlog_cli.guide import keep, record_lines
    from tenlog_cli.paint import put, width
    from tenlog_cli.play import Table

    table = Table(session, sitting.pace, hints=hints)
    table.run(fresh=fresh)
    session = table.session  # not the same, if a decision was taken back
    if not session.over:
        return None
    if sitting.archive:
        keep(session.writer.path)
    put(record_lines(session, width()))
    return session if _again(session) else None


def _again(session: Session) -> bool:
    """Ask whether there is to be a rematch; only where somebody sits who can answer."""
    from tenlog.play.player import next_seed

    if not (sys.stdin.isatty() and on_terminal()):
        return False
    from tenlog_cli.paint import cut

    sealed = getattr(session.events[0], "seed", None) is None
    seed = "a random seed" if sealed else f"seed {cut(next_seed(session.seed), 40)}"
    try:
        answer = input(f"A rematch, with {seed}? y or n> ")
    except (EOFError, KeyboardInterrupt):
        sys.stdout.write("\n")
        return False
    return answer.strip().lower() in ("y", "yes")
