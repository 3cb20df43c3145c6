"""The table, the story and the choices of a game, as the full screen shows them."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Final

from textual.containers import VerticalScroll

from tenlog.game.odds import odds
from tenlog.game.state import State
from tenlog.play.session import Session
from tenlog.story import Passage, Span
from tenlog_cli.guide import persons
from tenlog_cli.paint import Line, wrap
from tenlog_cli.screen import odds_lines, standings
from tenlog_cli.telling import Teller
from tenlog_cli.tui import panes
from tenlog_cli.tui.look import View
from tenlog_cli.tui.menu import Menu
from tenlog_cli.tui.panes import Key

_PLAYING: Final = (
    Key("↑↓ enter", "choose", "do"),
    Key("?", "rule", "rule"),
    Key("h", "hints"),
    Key("o", "odds"),
    Key("u", "undo"),
    Key("s", "table"),
    Key("/", "type"),
    Key("q", "leave"),
)
_BIDDING: Final = (Key("←→", "amount", "bid"), *_PLAYING)
_WATCHING: Final = (
    Key("space", "skip ahead", "skip"),
    Key("?", "rule"),
    Key("s", "table"),
    Key("q", "leave"),
)
_OVER: Final = (
    Key("r", "rematch"),
    Key("s", "table"),
    Key("PgUp PgDn", "story"),
    Key("q", "leave"),
)
_TYPING: Final = (Key("enter", "do it"), Key("esc", "never mind"))


class Chronicle(Teller):
    """The story so far, kept instead of printed."""

    def __init__(self) -> None:
        super().__init__()
        self.passages: list[Passage] = []

    def _print(self, passages: Iterable[Passage]) -> None:
        self.passages += passages


class Board(View):
    """Shows a session: where it stands, or stood a moment ago, while that is being shown.

    Attributes:
        session: the game; another one after a decision was taken back.
        persons: the seats where people sit.
        record: what the archive knows of them, once the game is finished.
    """

    def __init__(self, session: Session, *, hints: bool, colour: bool | None) -> None:
        super().__init__(colour=colour)
        self.session = session
        self.persons = persons(session)
        self.record: list[Line] = []
        self._state: State = session.state
        self._hints = hints
        self._chronicle = Chronicle()
        self._menu: Menu | None = None  # while somebody is asked
        self._said: list[Span] = []  # the line under the table
        self._felt = False  # whether that line is to be felt
        self._answers = False  # whether it answers a person: then it may be two lines
        self._drawn = 0.0  # when it was drawn last
        self._told = (0, 0)  # passages and columns of the story as it is shown

    def recall(self) -> None:
        """Show the table of the session, and tell what led to it."""
        self._chronicle = Chronicle()
        self._chronicle.tell(self.session.events)
        self._chronicle.flush()
        self._state = self.session.state
        self._told = (0, 0)

    def draw(self) -> None:
        """Draw everything anew."""
        if not self.is_running or not self.screen_stack:
            return
        self._drawn = time.monotonic()
        state, width, height = self._state, self.size.width, self.size.height
        beside = self.lay_out()
        base = self.screen_stack[0]
        mode = "hints on" if self._hints else "hints off"
        self.put("#head", [panes.header(state, width, mode)])
        rows = self._rows(height)
        status = self._status(width)
        self.put("#status", status)
        typing = bool(self.query_one("#line").display)
        prompt = self._prompt(width, rows, rows + 2 - len(status) - typing)
        self.put("#prompt", prompt)
        self.put("#foot", [panes.footer(self._keys(), width)])
        beside_table = 0 if not beside else panes.story_width(width)
        table_width = width - beside_table - 2 if beside else width
        free = height - len(prompt) - len(status) - typing - 4  # head, foot, rules
        most = free if beside else free - max(2, free // 4)
        lines, hides = panes.table(
            state, min(table_width, 100) - 1, most, self.persons, titled=not beside
        )
        if self._hints and self._menu is not None:
            outlook = odds_lines(odds(state), state, min(table_width, 80))
            lines += [[], *outlook] if len(lines) + len(outlook) + 1 <= most else []
        self.say_hidden(hides)
        self.put("#table-lines", lines if beside else lines[:most])
        story_room = beside_table - 3 if beside else width
        told = (len(self._chronicle.passages), story_room)
        if told != self._told:
            self._told = told
            self.put("#story-lines", panes.story(self._chronicle.passages, story_room))
            base.query_one("#story", VerticalScroll).scroll_end(animate=False)

    def _rows(self, height: int) -> int:
        """How many choices are shown at once."""
        return 3 if height < 22 else 4 if height < 30 else 8

    def _keys(self) -> Sequence[Key]:
        if self.query_one("#line").display:
            return _TYPING
        if self.session.over and self._state.scores:
            return _OVER
        if self._menu is None:
            return _WATCHING
        return _BIDDING if self._menu.bids else _PLAYING

    def _status(self, width: int) -> list[Line]:
        self.query_one("#status").set_class(self._felt, "felt")
        most = 2 if self._answers else 1
        lines: list[Line] = [*wrap(self._said, width - 2, 1)]
        if len(lines) > most:
            lines[most - 1] = [*lines[most - 1], Span(" …", "dim")]
        return lines[:most] or [[]]

    def _prompt(self, width: int, rows: int, height: int) -> list[Line]:
        """What is asked and may be answered, in ``rows`` choices; no lower than ``height``."""
        state = self._state
        lines: list[Line]
        if self._menu is not None:
            lines = [panes.waiting_title(state, width), *self._menu.lines(width, rows)]
        elif state.scores:
            lines = [[Span(" "), *line] for line in self._result(width - 1)]
            return lines
        else:
            lines = [panes.waiting_title(state, width)]
        return lines + [[] for _ in range(height - len(lines))]

    def _result(self, room: int) -> list[Line]:
        """The end of a game: who has how much, for what, and what is known of the player."""
        lines = list(standings(self._state, min(room, 80)))
        most = max(5, self.size.height // 2 - len(self.record))
        if len(lines) > most:
            lines = [line for line in lines if any("points" in span.text for span in line)]
        return [*lines, *self.record]
