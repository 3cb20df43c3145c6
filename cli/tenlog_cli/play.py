"""``tenlog play`` and ``tenlog resume``: a game at the prompt."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

import typer

from tenlog_cli.asked import (
    AloneOption,
    BotOption,
    HintsOption,
    LogArgument,
    NewGameOption,
    NewLogOption,
    NoArchiveOption,
    PlainOption,
    PlayerOption,
    RulesOption,
    SealedOption,
    SeatCommand,
    SeedOption,
    SpeedOption,
    TrustOption,
    seats_asked,
)
from tenlog_cli.output import home, note, on_terminal, shown_path

if TYPE_CHECKING:
    from tenlog.game.state import State
    from tenlog.play.prompt import Wish
    from tenlog.play.session import Session
    from tenlog_cli.telling import Teller

# Commands that are of a class of their own.
CLASSES: Final = {"play": SeatCommand}


def play(
    ctx: typer.Context,
    player: PlayerOption = None,
    bot: BotOption = None,
    alone: AloneOption = False,
    seed: SeedOption = None,
    rules: RulesOption = None,
    log: NewLogOption = None,
    game: NewGameOption = None,
    sealed: SealedOption = False,
    speed: SpeedOption = "normal",
    hints: HintsOption = None,
    plain: PlainOption = False,
    no_archive: NoArchiveOption = False,
) -> None:
    """Play a game in the terminal; without options, you against three greedy bots.

    A name that is given once is remembered. Every decision is on the disk before the next one.
    Ctrl-C, Ctrl-D or q leaves the game, and tenlog resume goes on with it.
    """
    from tenlog_cli.moves import open_new, warn_of_seed
    from tenlog_cli.sitting import Sitting, sit
    from tenlog_cli.telling import pace_of

    sitting = Sitting(pace_of(speed), hints, plain, not no_archive)
    seats = seats_asked(ctx)
    named = _named(seats)
    session = open_new(
        named, alone=alone, seed=seed, rules=rules, log=log, game=game, sealed=sealed
    )
    warn_of_seed(seed, sealed)
    _remember(seats)
    sit(session, sitting, fresh=True)


def resume(
    log: LogArgument = None,
    speed: SpeedOption = "normal",
    hints: HintsOption = None,
    plain: PlainOption = False,
    no_archive: NoArchiveOption = False,
    trust: TrustOption = False,
) -> None:
    """Go on with a game that was left: the latest one, or the one that is named."""
    from tenlog.play.home import find_log
    from tenlog_cli.sitting import Sitting, go_on, sit
    from tenlog_cli.telling import pace_of

    sitting = Sitting(pace_of(speed), hints, plain, not no_archive)
    session = go_on(find_log(home(), log), trust=trust, archive=not no_archive)
    sit(session, sitting, fresh=False)


def _named(seats: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The seats that were asked for; if no person is among them, with the one who is remembered."""
    from tenlog.errors import LogError
    from tenlog.play.player import read_settings

    if any(kind == "player" for kind, _ in seats):
        return seats
    try:
        name = read_settings(home()).name
    except LogError as error:
        note(f"tenlog: {error}")
        return seats
    return seats if name is None else [("player", name), *seats]


def _remember(seats: list[tuple[str, str]]) -> None:
    """Keep the name of the one person who was named, for the next time."""
    import msgspec

    from tenlog.errors import LogError
    from tenlog.play.player import Settings, read_settings, write_settings

    names = [name for kind, name in seats if kind == "player"]
    if len(names) != 1:
        return
    try:
        try:
            settings = read_settings(home())
        except LogError:
            settings = Settings()
        if settings.name != names[0]:
            write_settings(home(), msgspec.structs.replace(settings, name=names[0]))
    except LogError as error:
        note(f"tenlog: {error}")


class Table:
    """The people at one keyboard, and a game."""

    def __init__(self, session: Session, pace: float, *, hints: bool = False) -> None:
        from tenlog_cli.guide import persons
        from tenlog_cli.telling import Teller

        self.session = session
        self.advice = hints
        self.persons = persons(session)
        self.teller: Teller = Teller(pace=pace)
        self._shown = (-1, -1)  # whom, and in which turn, the table was last shown to

    def run(self, *, fresh: bool) -> None:
        """Play until the end, or until somebody leaves."""
        from tenlog.errors import LogError

        # What is typed need not be text in the terminal's encoding.
        reconfigure = getattr(sys.stdin, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")
        try:
            self._open(fresh)
            while self._bots() and self._person():
                pass
        except (KeyboardInterrupt, EOFError):
            sys.stdout.write("\n")
            self._left()
        except LogError:
            self._left()
            raise
        else:
            if self.session.over:
                self._finish()
            else:
                self._left()
        finally:
            self.session.close()

    def _open(self, fresh: bool) -> None:
        from tenlog.story import Span
        from tenlog_cli.paint import put, say, say_path, width, wrap
        from tenlog_cli.screen import table

        if fresh:
            self.teller.tell(self.session.events)
        else:
            self.teller.tell(self.session.events[:1])
            self.teller.skip(self.session.events[1:])
        names = [
            f"{seat} {name}{' (you)' if [seat] == self.persons else ''}"
            for seat, name in enumerate(self.session.state.players)
        ]
        put(wrap([Span("seats: " + ", ".join(names), "dim")], width(), 7))
        say_path("log:", shown_path(self.session.writer.path))
        if not fresh and not self.session.over:
            put([[], *table(self.session.state, width(), you=self.persons)])
            self._shown = (self.session.state.to_act, self.session.state.turn)
            self._history(this_turn=True)
        if fresh:
            say("Type ? for help; Ctrl-D leaves the game, tenlog resume goes on with it.", "dim")

    def _bots(self) -> bool:
        """Let the bots answer; whether a person is asked then."""
        for _, events in self.session.bots_move():
            self.teller.tell(events)
        self.teller.flush()
        return not self.session.over

    def _person(self) -> bool:
        """Ask the person whose turn it is until there is a decision; False if they leave."""
        self._show_prompt()
        while True:
            wish = self._read()
            if wish is None:
                continue
            if wish.ask == "quit":
                return False
            if wish.ask == "undo":
                if self._undo():
                    return True
                continue
            if wish.command is None:
                self._answer(wish)
                continue
            if self._do(wish):
                return True

    def _do(self, wish: Wish) -> bool:
        from tenlog.errors import IllegalMove
        from tenlog.log.store import now_ms
        from tenlog_cli.guide import full_runs_told
        from tenlog_cli.paint import say

        assert wish.command is not None
        before = self.session.state
        try:
            events = self.session.do(wish.command, at=now_ms())
        except IllegalMove as error:
            say(f"{error} (rule {error.rule})", "bad")
            return False
        self.teller.tell(events)
        for text in full_runs_told(before, events):
            say(f"  ✓ {text}", "good")
        if self.session.state.phase == 0:
            # Draws are told one by one to the person who makes them.
            self.teller.flush()
        return True

    def _undo(self) -> bool:
        """Take the last decision back, if that may be: the game goes on in a branch."""
        from tenlog.errors import UndoRefused
        from tenlog.play.branch import undo
        from tenlog_cli.paint import say
        from tenlog_cli.telling import Teller

        try:
            self.session = undo(self.session)
        except UndoRefused as error:
            say(f"can't be taken back: {error}", "bad")
            return False
        self.teller = Teller(pace=self.teller.pace)
        self.teller.skip(self.session.events)
        say(f"Taken back. The game goes on as {self.session.state.game}.")
        return True

    def _read(self) -> Wish | None:
        from tenlog.errors import TenlogError
        from tenlog.play.prompt import read_wish
        from tenlog_cli.paint import cut, say

        state = self.session.state
        line = read_line(f"{cut(state.players[state.to_act], 20)}> ", state)
        if not line.strip():
            self._hints()
            return None
        try:
            return read_wish(line, state)
        except TenlogError as error:
            say(str(error), "bad")
            return None

    def _show_prompt(self) -> None:
        from tenlog.game.state import DRAW
        from tenlog_cli.paint import put, width
        from tenlog_cli.screen import own_lines, table

        state = self.session.state
        seat = state.to_act
        put([[]])
        if state.phase is DRAW and not state.tableau and self._shown != (seat, state.turn):
            self._shown = (seat, state.turn)
            put(table(state, width(), you=self.persons))
            put([[]])
        elif state.phase is not DRAW:
            put(own_lines(state, seat, width()))
        self._hints()

    def _hints(self) -> None:
        from tenlog.play.advice import as_hints
        from tenlog_cli.paint import put, width
        from tenlog_cli.screen import hint_lines

        put(hint_lines(as_hints(self.session.state, advice=self.advice), width()))

    def _answer(self, wish: Wish) -> None:
        from tenlog_cli.paint import put, say, width
        from tenlog_cli.screen import help_lines, legal_lines, odds_lines, table

        state = self.session.state
        room = width()
        if wish.ask == "help":
            from tenlog.play.advice import rules_here
            from tenlog_cli.guide import rule_lines

            rules = rule_lines(rules_here(state), state.rules.ruleset, room)
            put([*rules, [], *help_lines(state, room)])
        elif wish.ask == "hints":
            self.advice = not self.advice
            say(f"hints are {'on' if self.advice else 'off'}", "dim")
            self._hints()
        elif wish.ask == "odds":
            from tenlog.game.odds import odds

            put(odds_lines(odds(state), state, room))
        elif wish.ask == "legal":
            put(legal_lines(state, room))
        elif wish.ask == "show":
            put(table(state, room, you=self.persons))
        elif wish.ask == "history":
            self._history()
        elif wish.ask == "rules":
            self._rules(wish.rest)

    def _history(self, *, this_turn: bool = False) -> None:
        """The last round once more, or only the turn so far."""
        from tenlog_cli.paint import put, width
        from tenlog_cli.screen import history_lines

        session = self.session
        put([[], *history_lines(session.events, session.state, width(), this_turn=this_turn)])

    def _rules(self, rest: str) -> None:
        from tenlog.errors import TenlogError
        from tenlog_cli.paint import say
        from tenlog_cli.reference import show_rules

        try:
            show_rules(rest or "contents")
        except TenlogError as error:
            say(str(error), "bad")

    def _left(self) -> None:
        from tenlog_cli.guide import say_kept

        say_kept(self.session.writer.path)

    def _finish(self) -> None:
        from tenlog_cli.paint import put, say, say_path, width
        from tenlog_cli.screen import standings

        put([[]])
        put(standings(self.session.state, width()))
        put([[]])
        say_path("log:", shown_path(self.session.writer.path))
        say("tenlog replay tells it again, tenlog audit judges it.", "dim")


def read_line(prompt: str, state: State) -> str:
    """A line from the keyboard, with editing and completion on a terminal.

    Raises:
        EOFError: there is no more input.
    """
    if sys.stdin.isatty() and on_terminal():
        _set_completion(state)
        return input(prompt)
    line = input(prompt)
    # What a script types is shown as if it had been typed.
    from tenlog_cli.paint import safe

    sys.stdout.write(safe(line) + "\n")
    return line


def _set_completion(state: State) -> None:
    """Tab completes what may be typed now, where Python has readline."""
    try:
        import readline
    except ImportError:
        return
    from tenlog.play.prompt import completions

    def complete(text: str, number: int) -> str | None:
        typed = readline.get_line_buffer()[: readline.get_endidx()]
        found = completions(typed, state)
        return f"{found[number]} " if number < len(found) else None

    readline.set_completer(complete)
    readline.set_completer_delims(" ")
    readline.parse_and_bind("tab: complete")
