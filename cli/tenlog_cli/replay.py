"""``tenlog replay``: the story of a game, the table at any point of it, and a game that goes on."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Annotated

import typer

from tenlog_cli.asked import GameOption, PlainOption, SeenLog
from tenlog_cli.look import load
from tenlog_cli.output import home, note, on_terminal, print_json

if TYPE_CHECKING:
    from tenlog.game.events import Event
    from tenlog.game.state import State
    from tenlog.log.read import Fault

POLL = 0.2  # seconds between two looks at a growing log


def replay(
    log: SeenLog = None,
    game: GameOption = None,
    at: Annotated[
        int | None, typer.Option("--at", metavar="N", help="Only the table after event N (from 0).")
    ] = None,
    turn: Annotated[
        int | None,
        typer.Option("--turn", metavar="N", help="Only the table as turn N (from 1) begins."),
    ] = None,
    step: Annotated[
        bool, typer.Option("--step", help="Step through the game with keys, in full screen.")
    ] = False,
    plain: PlainOption = False,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Go on telling while the game is being played.")
    ] = False,
    seat: Annotated[
        int | None,
        typer.Option("--as", metavar="SEAT", help="Only what the player of this seat could know."),
    ] = None,
    html: Annotated[
        str | None,
        typer.Option(
            "--html",
            metavar="FILE",
            help="Write the game as one HTML page to watch and share (- for standard output).",
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="One line of JSON for each event (or for the table).")
    ] = False,
) -> None:
    """Tell a game turn by turn, every event checked against the rules, the deck and the seals.

    A log with a fault is told up to it; the fault goes to standard error, and the exit code is 1.
    """
    from tenlog.errors import SetupError

    _one_of({"--at": at is not None, "--turn": turn is not None, "--step": step,
             "--follow": follow, "--html": html is not None})  # fmt: skip
    if step and as_json:
        raise SetupError("--step and --json don't go together")
    if follow:
        _follow(log, game, seat, as_json)
        return
    path, told = load(log, game)
    if html is not None:
        from tenlog.log.replay import replay as judge
        from tenlog.notation import write_line
        from tenlog_cli.html import write_html

        judged = judge(told)
        notation = write_line(judged.events) if judged.events else None
        write_html(html, told, notation=notation)
        _fail(path, judged.fault)
        return
    found = _Story(seat)
    fault = found.read(told)
    if not found.states:
        _fail(path, fault)
    if step:
        from tenlog_cli.step import step_through

        you = [] if seat is None else [seat]
        verdict = "" if fault is None else f"the log breaks here: {fault.message}"
        step_through(found.events, found.states, you=you, plain=plain, verdict=verdict)
    elif at is not None or turn is not None:
        found.table(at, turn, as_json)
    else:
        found.print(0, as_json)
        found.close(as_json)
    _fail(path, fault)


def _one_of(given: dict[str, bool]) -> None:
    from tenlog.errors import SetupError

    named = [name for name, is_given in given.items() if is_given]
    if len(named) > 1:
        raise SetupError(f"{' and '.join(named)} don't go together: choose one")


def _fail(path: str, fault: Fault | None) -> None:
    """End with a finding, if there is one."""
    from tenlog.errors import LogFault

    if fault is not None:
        raise LogFault(f"{path}, line {fault.line} (event {fault.event}): {fault.message}")


class _Story:
    """Events that hold, with the table after each of them."""

    def __init__(self, seat: int | None) -> None:
        from tenlog_cli.telling import Teller

        self.seat = seat
        self.events: list[Event] = []
        self.states: list[State] = []
        self.teller = Teller(hide_seed=seat is not None)

    def read(self, log: object) -> Fault | None:
        """Take a game in, as far as it holds. Replaces what was read before."""
        from tenlog.errors import LogError
        from tenlog.game.view import redact
        from tenlog.log.read import GameLog
        from tenlog.log.replay import replay as judge
        from tenlog_cli.moves import check_seat

        assert isinstance(log, GameLog)
        self.events, self.states = [], []

        def watch(event: Event, state: State) -> None:
            self.events.append(event if self.seat is None else redact(event))
            self.states.append(state.copy())

        fault = judge(log, watch=watch).fault
        if self.states:
            check_seat(self.states[0], self.seat)
        elif fault is None:
            raise LogError("nothing of the game is committed: its first line was cut")
        return fault

    def print(self, first: int, as_json: bool) -> None:
        """Print what happened from event ``first`` on."""
        if as_json:
            from tenlog.play.answers import story_answer

            for event, state in zip(self.events[first:], self.states[first:], strict=True):
                print_json(story_answer(event, state))
            return
        self.teller.tell(self.events[first:])

    def close(self, as_json: bool) -> None:
        """After the last event: the result, or whom the game waits for."""
        if as_json:
            return
        from tenlog.game.state import OVER
        from tenlog_cli.paint import put, width
        from tenlog_cli.screen import standings, waiting

        self.teller.flush()
        state = self.states[-1]
        put([[]])
        put(standings(state, width()) if state.phase is OVER else waiting(state, width()))

    def table(self, at: int | None, turn: int | None, as_json: bool) -> None:
        """Print the table after an event, or as a turn begins."""
        from tenlog.errors import SetupError

        last = len(self.states) - 1
        if at is None:
            assert turn is not None
            found = [n for n, state in enumerate(self.states) if state.turn == turn]
            if not found:
                raise SetupError(f"no turn {turn}: the game has 1 to {self.states[-1].turn}")
            at = found[0]
        if not 0 <= at <= last:
            raise SetupError(f"no event {at}: the game has 0 to {last}")
        state = self.states[at]
        if as_json:
            from tenlog.play.answers import table_answer

            print_json(table_answer(state))
            return
        from tenlog_cli.paint import put, width
        from tenlog_cli.screen import table, waiting

        put(table(state, width(), you=[] if self.seat is None else [self.seat]))
        put([[]])
        put(waiting(state, width()))


def _follow(log: str | None, game: str | None, seat: int | None, as_json: bool) -> None:
    """Tell a game while it grows, until it is finished or the reader has had enough."""
    from pathlib import Path

    from tenlog.errors import LogChanged, SetupError
    from tenlog.log.read import read_one
    from tenlog.play.home import find_log

    if log == "-":
        raise SetupError("--follow needs a log that can be read again, not standard input")
    path = find_log(home(), log)
    found = _Story(seat)
    told = 0
    seen = (-1, -1)
    try:
        while True:
            stat = Path(path).stat()
            if (stat.st_size, stat.st_mtime_ns) != seen:
                seen = (stat.st_size, stat.st_mtime_ns)
                before = found.events
                fault = found.read(read_one(path, game))
                if found.events[: len(before)] != before:
                    raise LogChanged(f"{path} was replaced by another game while it was followed")
                found.print(told, as_json)
                told = len(found.events)
                _fail(str(path), fault)
                if found.states[-1].phase.name == "OVER":
                    found.close(as_json)
                    return
                if not as_json:
                    found.teller.flush()
                sys.stdout.flush()
            time.sleep(POLL)
    except FileNotFoundError:
        raise LogChanged(f"{path} went away while it was followed") from None
    except KeyboardInterrupt:
        if on_terminal():
            note("")
