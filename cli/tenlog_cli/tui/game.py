"""A game in full screen: the table, the story, and what may be done now."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Sequence
from typing import Final, Literal

from textual import events
from textual.widgets import Input

from tenlog.errors import IllegalMove, TenlogError, UndoRefused
from tenlog.game.commands import Command
from tenlog.game.events import Busted, Event
from tenlog.game.evolve import evolve
from tenlog.game.odds import odds
from tenlog.game.state import AUCTION, DRAW, State
from tenlog.log.store import now_ms
from tenlog.play.branch import undo
from tenlog.play.prompt import read_wish
from tenlog.play.session import Session
from tenlog.story import Span
from tenlog_cli.guide import archived, bust_words, full_run_words, record_lines
from tenlog_cli.paint import safe
from tenlog_cli.screen import (
    event_lines,
    history_lines,
    legal_lines,
    odds_lines,
)
from tenlog_cli.tui import pages
from tenlog_cli.tui.board import Board
from tenlog_cli.tui.menu import Menu

STEP: Final = 2.5  # a step of the full screen, in paces: there is more to look at than one line
FELT: Final = 3.0  # how many steps a bust or a full run stays by itself
GLIMPSE: Final = 0.1  # seconds between two pictures where nobody waits
MOMENT: Final = 0.9  # seconds for it where bots don't pause at all, for the person whose it is


class GameView(Board):
    """Plays a session until its end, or until somebody leaves.

    Attributes:
        trouble: why it had to be left, if it had to.
        problem: why the finished game is not in the archive, if it should be and is not.
    """

    def __init__(
        self,
        session: Session,
        *,
        pace: float,
        hints: bool,
        fresh: bool,
        archive: bool = True,
        motion: bool = True,
        colour: bool | None = None,
    ) -> None:
        super().__init__(session, hints=hints, colour=colour)
        self.trouble: TenlogError | None = None
        self.problem: str | None = None
        self._pace = pace * STEP
        self._archive = archive
        self._motion = motion and pace > 0
        self._fresh = fresh
        self._refused = ""  # the rule that refused what was wanted last
        self._answer: asyncio.Future[Command | None] | None = None
        self._skip = asyncio.Event()

    def on_ready(self) -> None:
        self.run_worker(self._play(), exit_on_error=True)

    # The course of the game.

    async def _play(self) -> None:
        try:
            self._begin()
            while not self.session.over:
                session = self.session
                if session.bot_to_act():
                    command = await asyncio.to_thread(session.bot_decision)
                    await self._happen(session.do(command), own=False)
                    continue
                wanted = await self._ask()
                if wanted is None:
                    self._undo()
                    continue
                try:
                    happened = session.do(wanted, at=now_ms())
                except IllegalMove as error:
                    self._refuse(error)
                    continue
                await self._happen(happened, own=True)
            await self._finish()
        except TenlogError as error:
            self.trouble = error
            self.exit("left")

    def _undo(self) -> None:
        """Take the last decision back, if that may be: the game goes on in a branch."""
        try:
            self.session = undo(self.session)
        except UndoRefused as error:
            self._say(f"can't be taken back: {error}", "bad")
            return
        self.recall()
        self._say(f"Taken back. The game goes on as {self._state.game}.", "strong")

    def _begin(self) -> None:
        self.recall()
        hello = "New game." if self._fresh else f"{self._state.game} goes on."
        self._say(f"{hello} ? explains the rule that applies; q leaves and keeps the game.", "dim")

    async def _happen(self, happened: Sequence[Event], *, own: bool) -> None:
        """Show events, one after another, at the pace that was asked for."""
        for event in happened:
            before = self._state
            self._state = evolve(before.copy(), event)
            self._chronicle.tell([event])
            self._felt = self._answers = False
            self._said = [Span(" "), *self._sentence(event, before)]
            bust = bust_words(self._state)
            runs = full_run_words(before, self._state)
            if bust:
                name = self._state.players[self._state.active]
                self._feel(f"× BUST ×  {name}: {bust}")
            elif isinstance(event, Busted):
                self._felt = True
            elif runs:
                self._feel(f"✓ FULL RUN ✓  {runs[0]}")
            if own or bust or runs or not self._hurried():
                self.draw()
            if bust or runs:
                await self._pause(max(self._pace * FELT, MOMENT if own and self._motion else 0))
            elif not own:
                await self._pause(self._pace)

    def _hurried(self) -> bool:
        """Whether bots don't pause now, and the screen was drawn just before."""
        waits = self._pace > 0 and not self._skip.is_set()
        return not waits and time.monotonic() - self._drawn < GLIMPSE

    def _sentence(self, event: Event, before: State) -> list[Span]:
        lines = event_lines(event, before, self._state, 10_000)
        return list(lines[0]) if lines else []

    async def _pause(self, seconds: float) -> None:
        if not self._skip.is_set() and seconds > 0:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._skip.wait(), seconds)

    def _feel(self, text: str) -> None:
        """Something that is to be felt: bold, in words, and, where motion is welcome, flashing."""
        self._said = [Span(f" {safe(text)}", "strong")]
        self._felt = True
        if self._motion:
            self._flash(5)

    def _flash(self, times: int) -> None:
        status = self.query_one("#status")
        status.set_class(times % 2 == 1, "flash")
        if times:
            self.set_timer(0.16, lambda: self._flash(times - 1))

    async def _ask(self) -> Command | None:
        """Wait for what the person decides who is asked; None is to take the last decision back."""
        self._skip.clear()
        self._chronicle.flush()
        self._state = self.session.state
        self._menu = Menu(self._state, hints=self._hints)
        self._answer = asyncio.get_running_loop().create_future()
        self.draw()
        try:
            return await self._answer
        finally:
            self._answer = None
            self._refused = ""
            self._menu = None

    def _decide(self, command: Command | None) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(command)

    def _refuse(self, error: TenlogError) -> None:
        self._refused = getattr(error, "rule", "")
        rule = f" (? rule {self._refused})" if self._refused else ""
        self._say(f"{error}{rule}", "bad")

    def _say(self, text: str, role: Literal["bad", "dim", "strong"]) -> None:
        self._felt = False
        self._answers = True
        self._said = [Span(f" {safe(text)}", role)]
        self.draw()

    async def _finish(self) -> None:
        self._chronicle.flush()
        self._state = self.session.state
        self.draw()
        if self._archive:
            self.problem = await asyncio.to_thread(archived, self.session.writer.path)
        room = max(24, self.size.width - 2)
        self.record = await asyncio.to_thread(record_lines, self.session, min(room, 80))
        self.draw()

    # Keys and clicks.

    def on_key(self, event: events.Key) -> None:
        if len(self.screen_stack) > 1 or self.typed(event):
            return
        if self._asks(event) or (self._menu is not None and self._moves(event, self._menu)):
            event.stop()
            event.prevent_default()

    def _asks(self, event: events.Key) -> bool:
        """Keys that show something, or leave."""
        state, key = self._state, event.character or event.key
        if key == "q":
            self.action_leave()
        elif key == "r" and self.session.over:
            self.exit("rematch")
        elif key == "?":
            refused, asked = self._refused, self._menu is not None
            self.read("Here", lambda room: pages.explained(state, refused, asked, room))
        elif key == "s":
            self.read("The table", lambda room: pages.whole(state, self.persons, room))
        elif key == "u" and self._menu is not None:
            self._decide(None)
        elif key == "l" and self._menu is not None:
            self.read("Everything that may be done", lambda room: legal_lines(state, room))
        elif key == "o":
            self.read("The odds", lambda room: odds_lines(odds(state), state, room))
        elif key == "h":
            self._hints = not self._hints
            if self._menu is not None:
                self._menu = Menu(state, hints=self._hints)
            self.draw()
        elif event.key == "space" and self._menu is None:
            self._skip.set()
        else:
            return False
        return True

    def _moves(self, event: events.Key, menu: Menu) -> bool:
        """Keys that choose and decide."""
        phase, key = self._state.phase, event.character or ""
        number = menu.find(key) if key else None
        if event.key in ("up", "down"):
            menu.move(1 if event.key == "down" else -1)
        elif event.key in ("left", "right"):
            menu.raise_bid(1 if event.key == "right" else -1)
        elif event.key == "enter":
            self._decide(menu.command())
        elif key in ("/", ":"):
            self.open_line("")
        elif key == "b" and phase is not DRAW:
            self.open_line(f"bid {menu.amount}" if phase is AUCTION else "buy ")
        elif key.isdigit() and phase is AUCTION:
            self.open_line(f"bid {key}")
        elif number is not None:
            self._decide(menu.command(number))
        elif key in ("d", "n", "c", "p", "x"):
            self._type(key)  # not due: the rules say why
        else:
            return False
        self.draw()
        return True

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self.close_line()
        self._type(event.value)

    def _type(self, text: str) -> None:
        """Do what a typed line asks for."""
        if not text.strip() or self._menu is None:
            self.draw()
            return
        try:
            wish = read_wish(text, self._state)
        except TenlogError as error:
            self._refuse(error)
            return
        if wish.command is not None:
            self._decide(wish.command)
        elif wish.ask == "quit":
            self.action_leave()
        elif wish.ask == "rules":
            number = wish.rest or "contents"
            self.read("The rules", lambda room: pages.section(number, room))
        elif wish.ask == "history":
            told, state = self.session.events, self._state
            self.read("The last round", lambda room: history_lines(told, state, room))
        elif wish.ask is not None:
            keys = {"help": "?", "odds": "o", "legal": "l", "show": "s", "hints": "h", "undo": "u"}
            key = keys[wish.ask]
            self._asks(events.Key(key, key))
            self.draw()

    def on_click(self, event: events.Click) -> None:
        """A click chooses; a click on what is chosen does it."""
        if self._menu is None or event.widget is None or event.widget.id != "prompt":
            return
        number = self._menu.at_row(event.y - 1, self._rows(self.size.height))
        if number is not None and number == self._menu.chosen:
            self._decide(self._menu.command())
        elif number is not None:
            self._menu.chosen = number
            self.draw()

    def action_leave(self) -> None:
        """Out of here; the game is kept."""
        self.exit("over" if self.session.over else "left")
