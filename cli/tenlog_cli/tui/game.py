"""A game in full screen: the table, the story, and what may be done now."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Iterable, Sequence
from typing import ClassVar, Final, Literal

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Container, VerticalScroll
from textual.widgets import Input, Static

from tenlog.errors import IllegalMove, TenlogError
from tenlog.game.commands import Bid, Command
from tenlog.game.events import Busted, Event
from tenlog.game.evolve import evolve
from tenlog.game.legal import options
from tenlog.game.odds import odds
from tenlog.game.state import AUCTION, BUY, DRAW, FINAL_BUY, State
from tenlog.log.store import now_ms
from tenlog.play.advice import Choice, bid_pieces, choices, paid, rules_here
from tenlog.play.prompt import make_bid, read_wish
from tenlog.play.session import Session
from tenlog.story import Passage, Span
from tenlog_cli.guide import bust_words, full_run_words, keep, persons, record_lines, rule_lines
from tenlog_cli.paint import Line, safe, wrap
from tenlog_cli.screen import (
    event_lines,
    help_lines,
    legal_lines,
    odds_lines,
    standings,
)
from tenlog_cli.screen import table as whole_table
from tenlog_cli.telling import Teller
from tenlog_cli.tui import panes
from tenlog_cli.tui.look import View
from tenlog_cli.tui.panes import Key

Outcome = Literal["left", "over", "rematch"]

STEP: Final = 2.5  # a step of the full screen, in paces: there is more to look at than one line
FELT: Final = 3.0  # how many steps a bust or a full run stays by itself
GLIMPSE: Final = 0.1  # seconds between two pictures where nobody waits
MOMENT: Final = 0.9  # seconds for it where bots don't pause at all, for the person whose it is

_PLAYING: Final = (
    Key("↑↓ enter", "choose", "do"),
    Key("?", "rule", "rule"),
    Key("h", "hints"),
    Key("o", "odds"),
    Key("s", "table"),
    Key("/", "type", "type"),
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


class GameView(View):
    """Plays a session until its end, or until somebody leaves.

    Attributes:
        session: the game.
        trouble: why it had to be left, if it had to.
        problem: why the finished game is not in the archive, if it should be and is not.
    """

    BINDINGS: ClassVar = [
        Binding("ctrl+c,ctrl+d,ctrl+q", "leave", priority=True, show=False),
        Binding("pageup", "scroll_story(-1)", show=False),
        Binding("pagedown", "scroll_story(1)", show=False),
    ]

    def __init__(
        self,
        session: Session,
        *,
        pace: float,
        hints: bool,
        fresh: bool,
        archive: bool = True,
        motion: bool = True,
        colour: bool = True,
    ) -> None:
        super().__init__(colour=colour)
        self.session = session
        self.trouble: TenlogError | None = None
        self.problem: str | None = None
        self.persons = persons(session)
        self._pace = pace * STEP
        self._hints = hints
        self._archive = archive
        self._motion = motion and pace > 0
        self._fresh = fresh
        self._chronicle = Chronicle()
        self._state: State = session.state
        self._said: list[Span] = []  # the line under the table
        self._felt = False
        self._refused = ""  # the rule that refused what was wanted last
        self._choices: list[Choice] = []
        self._chosen = 0
        self._amount = 0
        self._answer: asyncio.Future[Command] | None = None
        self._skip = asyncio.Event()
        self._record: list[Line] = []
        self._drawn = 0.0  # when it was drawn last
        self._told = (0, 0)  # passages and columns of the story as it is shown

    # What it consists of.

    def compose(self) -> ComposeResult:
        yield Static(id="head")
        with Container(id="body"):
            with VerticalScroll(id="table", can_focus=False):
                yield Static(id="table-lines")
            with VerticalScroll(id="story", can_focus=False):
                yield Static(id="story-lines")
        yield Static(id="status")
        yield Static(id="prompt")
        line = Input(id="line", compact=True, select_on_focus=False)
        line.display = False
        yield line
        yield Static(id="foot")

    def on_mount(self) -> None:
        self.run_worker(self._play(), exit_on_error=True)

    def on_resize(self) -> None:
        self.call_after_refresh(self.draw)

    # The course of the game.

    async def _play(self) -> None:
        session = self.session
        try:
            self._begin()
            while not session.over:
                if session.bot_to_act():
                    command = await asyncio.to_thread(session.bot_decision)
                    await self._happen(session.do(command), own=False)
                    continue
                command = await self._ask()
                try:
                    happened = session.do(command, at=now_ms())
                except IllegalMove as error:
                    self._refuse(error)
                    continue
                await self._happen(happened, own=True)
            await self._finish()
        except TenlogError as error:
            self.trouble = error
            self.exit("left")

    def _begin(self) -> None:
        past = self.session.events
        self._chronicle.tell(past)
        self._chronicle.flush()
        self._state = self.session.state
        hello = "New game." if self._fresh else "On it goes."
        self._say(f"{hello} ? explains the rule that applies; q leaves and keeps the game.", "dim")

    async def _happen(self, happened: Sequence[Event], *, own: bool) -> None:
        """Show events, one after another, at the pace that was asked for."""
        for event in happened:
            before = self._state
            self._state = evolve(before.copy(), event)
            self._chronicle.tell([event])
            self._felt = False
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

    async def _ask(self) -> Command:
        """Wait for what the person decides who is asked."""
        self._skip.clear()
        self._chronicle.flush()
        self._state = self.session.state
        self._set_choices()
        self._chosen = 0
        self._answer = asyncio.get_running_loop().create_future()
        self.draw()
        try:
            return await self._answer
        finally:
            self._answer = None
            self._refused = ""
            self._choices = []

    def _set_choices(self) -> None:
        state = self._state
        self._choices = choices(state, advice=self._hints)
        self._amount = options(state).min_bid

    def _decide(self, command: Command) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(command)

    def _refuse(self, error: TenlogError) -> None:
        self._refused = getattr(error, "rule", "")
        rule = f" (rule {self._refused}: ? explains it)" if self._refused else ""
        self._say(f"{error}{rule}", "bad")

    def _say(self, text: str, role: Literal["bad", "dim", "strong"]) -> None:
        self._felt = False
        self._said = [Span(f" {safe(text)}", role)]
        self.draw()

    async def _finish(self) -> None:
        self._chronicle.flush()
        self._state = self.session.state
        self.draw()
        if self._archive:
            self.problem = await asyncio.to_thread(keep, self.session)
        room = max(24, self.size.width - 2)
        self._record = await asyncio.to_thread(record_lines, self.session, min(room, 80))
        self.draw()

    # What is drawn.

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
        prompt = self._prompt(width, rows)
        self.put("#prompt", prompt)
        self.put("#status", [self._status(width)])
        self.put("#foot", [panes.footer(self._keys(), width)])
        beside_table = 0 if not beside else panes.story_width(width)
        table_width = width - beside_table - 2 if beside else width
        free = height - len(prompt) - 5  # head, status, foot, and two rules
        most = free if beside else free - max(2, free // 3)
        lines = panes.table(
            state, min(table_width, 100) - (not beside), most, self.persons, titled=not beside
        )
        if self._hints and self._answer is not None:
            outlook = odds_lines(odds(state), state, min(table_width, 80))
            lines += [[], *outlook] if len(lines) + len(outlook) + 1 <= most else []
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
        if self._answer is None:
            return _WATCHING
        bids = any(isinstance(choice.command, Bid) for choice in self._choices)
        return _BIDDING if bids else _PLAYING

    def _status(self, width: int) -> list[Span]:
        self.query_one("#status").set_class(self._felt, "felt")
        lines = wrap(self._said, width - 2)
        if len(lines) > 1:
            return [*lines[0], Span(" …", "dim")]
        return list(lines[0]) if lines else []

    def _prompt(self, width: int, rows: int) -> list[Line]:
        state = self._state
        lines: list[Line]
        if self._answer is not None:
            shown = self._shown_choices()
            lines = panes.choice_lines(shown, self._choice_keys(), self._chosen, width, rows)
            lines = [panes.waiting_title(state, width), *lines]
        elif state.scores:
            lines = [[Span(" "), *line] for line in self._result(width - 1)]
            return lines
        else:
            lines = [panes.waiting_title(state, width)]
        return lines + [[] for _ in range(rows + 1 - len(lines))]

    def _result(self, room: int) -> list[Line]:
        """The end of a game: who has how much, for what, and what is known of the player."""
        lines = list(standings(self._state, min(room, 80)))
        most = max(5, self.size.height // 2 - len(self._record))
        if len(lines) > most:
            lines = [line for line in lines if any("points" in span.text for span in line)]
        return [*lines, *self._record]

    def _shown_choices(self) -> list[Choice]:
        """The choices, the bid as it is set."""
        shown = []
        for choice in self._choices:
            if isinstance(choice.command, Bid):
                bid = self._bid()
                pieces = [*choice.pieces[:1]]
                pieces += bid_pieces(self._state, bid) if self._hints else (paid(bid.payment),)
                does = f"bid ◂{bid.amount}▸"
                choice = Choice(bid, choice.key, does, tuple(pieces))
            shown.append(choice)
        return shown

    def _choice_keys(self) -> list[str]:
        """What key stands before each choice."""
        keys, number = [], 0
        for choice in self._choices:
            if choice.key.startswith("b ") and choice.key != "b N":
                number += 1
                keys.append(str(number) if number <= 9 else "")
            else:
                keys.append(choice.key[0])
        return keys

    def _bid(self) -> Bid:
        return make_bid(self._state, self._state.to_act, self._amount)

    # Keys and clicks.

    def on_key(self, event: events.Key) -> None:
        if len(self.screen_stack) > 1 or self.typed(event):
            return
        if self._asks(event) or (self._answer is not None and self._moves(event)):
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
            self.read("What may be done here", self._explain)
        elif key == "s":
            self.read("The table", self._whole)
        elif key == "l" and self._answer is not None:
            self.read("Everything that may be done", lambda room: legal_lines(state, room))
        elif key == "o":
            self.read("The odds", lambda room: odds_lines(odds(state), state, room))
        elif key == "h":
            self._hints = not self._hints
            if self._answer is not None:
                amount = self._amount
                self._set_choices()
                self._amount = amount
            self.draw()
        elif event.key == "space" and self._answer is None:
            self._skip.set()
        else:
            return False
        return True

    def _moves(self, event: events.Key) -> bool:
        """Keys that choose and decide."""
        state, key = self._state, event.character or ""
        if event.key in ("up", "down"):
            step = 1 if event.key == "down" else -1
            self._chosen = (self._chosen + step) % len(self._choices)
        elif event.key in ("left", "right") and state.phase is AUCTION:
            may = options(state)
            step = 1 if event.key == "right" else -1
            self._amount = max(may.min_bid, min(may.max_bid, self._amount + step))
            self._chosen = 0
        elif event.key == "enter":
            self._decide(self._shown_choices()[self._chosen].command)
            return True
        elif key == "/" or key == ":":
            self.open_line("")
        elif key == "b" and state.phase in (AUCTION, BUY, FINAL_BUY):
            self.open_line(f"bid {self._amount}" if state.phase is AUCTION else "buy ")
        elif key.isdigit() and state.phase is AUCTION:
            self.open_line(f"bid {key}")
        elif key and key in self._choice_keys():
            self._decide(self._choices[self._choice_keys().index(key)].command)
            return True
        elif key in ("d", "n", "c", "p", "x") and state.phase in (DRAW, AUCTION, BUY, FINAL_BUY):
            self._type(key)  # not due: the rules say why
            return True
        else:
            return False
        self.draw()
        return True

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self.close_line()
        self._type(event.value)

    def _type(self, text: str) -> None:
        """Do what a typed line asks for."""
        if not text.strip() or self._answer is None:
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
            self.read("The rules", lambda room: _rules(number, room))
        elif wish.ask is not None:
            keys = {"help": "?", "odds": "o", "legal": "l", "show": "s", "hints": "h"}
            key = keys.get(wish.ask)
            if key is not None:
                self._asks(events.Key(key, key))
            self.draw()

    def on_click(self, event: events.Click) -> None:
        """A click chooses; a click on what is chosen does it."""
        if self._answer is None or event.widget is None or event.widget.id != "prompt":
            return
        rows = self._rows(self.size.height)
        shown = panes.window(len(self._choices), self._chosen, rows)
        if not 1 <= event.y <= len(shown):
            return
        number = shown[event.y - 1]
        if number == self._chosen:
            self._decide(self._shown_choices()[number].command)
        else:
            self._chosen = number
            self.draw()

    def action_leave(self) -> None:
        """Out of here; the game is kept."""
        self.exit("over" if self.session.over else "left")

    def _whole(self, room: int) -> list[Line]:
        """The table with all that everybody owns; after the end, what it scored."""
        lines = whole_table(self._state, room, you=self.persons)
        if self._state.scores:
            lines += [[], *standings(self._state, room)]
        return lines

    def _explain(self, room: int) -> list[Line]:
        """The rules that apply here, and what may be typed."""
        numbers = rules_here(self._state)
        if self._refused and self._refused not in numbers:
            numbers = (self._refused, *numbers)
        lines = rule_lines(numbers, room)
        if self._answer is not None:
            lines += [[], *help_lines(self._state, room)]
        return lines


def _rules(wanted: str, room: int) -> list[Line]:
    """A section of the rules, or why there is none."""
    from tenlog_cli.reference import find

    try:
        _, section = find(wanted)
    except TenlogError as error:
        return list(wrap([Span(str(error), "bad")], room))
    lines: list[Line] = []
    for line in section.text.replace("*", "").replace("`", "").splitlines():
        lines += wrap([Span(line, "strong" if line.startswith("#") else "")], room)
    return lines


def run_game(
    session: Session,
    *,
    pace: float,
    hints: bool,
    fresh: bool,
    archive: bool,
    motion: bool,
) -> tuple[Outcome, GameView]:
    """Play a session in full screen. The session is not closed.

    Raises:
        TenlogError: what made going on impossible, after the full screen was left.
    """
    from tenlog_cli.paint import colours

    view = GameView(
        session, pace=pace, hints=hints, fresh=fresh, archive=archive, motion=motion,
        colour=colours() > 0,
    )  # fmt: skip
    outcome = view.run()
    if outcome == "rematch":
        return "rematch", view
    return ("over" if session.over else "left"), view
