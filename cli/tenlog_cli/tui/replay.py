"""A game that was played, in full screen: the table at any event, stepped through with keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from textual import events as ui
from textual.containers import VerticalScroll
from textual.widgets import Input

from tenlog.game.events import Event
from tenlog.game.state import State
from tenlog.play.prompt import Hint
from tenlog.story import Passage, Span, Words
from tenlog_cli.guide import bust_words, full_run_words
from tenlog_cli.paint import Line, cut, wrap
from tenlog_cli.screen import event_lines, hint_lines, waiting
from tenlog_cli.step import Way, move
from tenlog_cli.tui import pages, panes
from tenlog_cli.tui.look import View
from tenlog_cli.tui.panes import Key

_KEYS: Final[dict[str, Way]] = {
    "right": "forward", "space": "forward", "l": "forward", "enter": "forward",
    "left": "back", "backspace": "back",
    "down": "next turn", "n": "next turn", "up": "turn before", "p": "turn before",
    "a": "next auction", "A": "auction before",
    "home": "first", "0": "first", "end": "last", "G": "last",
}  # fmt: skip
_HELP: Final = (
    Hint("→ space", "", (Span("next event"),)),
    Hint("←", "", (Span("event before"),)),
    Hint("↓ n", "", (Span("next turn"),)),
    Hint("↑ p", "", (Span("start of the turn, turn before"),)),
    Hint("a A", "", (Span("next auction, auction before"),)),
    Hint("Home End", "", (Span("first event, last event"),)),
    Hint("g 1…9", "", (Span("go to an event"),)),
    Hint("PgUp PgDn", "", (Span("the story up and down"),)),
    Hint("s", "", (Span("the table, with all cards"),)),
    Hint("?", "", (Span("this"),)),
    Hint("q", "", (Span("leave"),)),
)
_FOOT: Final = (
    Key("←→", "event", "step"),
    Key("↑↓", "turn"),
    Key("a", "auction"),
    Key("g", "go to"),
    Key("s", "table"),
    Key("?", "keys"),
    Key("Home End", "first, last", "ends"),
    Key("q", "leave"),
)
_TYPING: Final = (Key("enter", "go there"), Key("esc", "never mind"))


class ReplayView(View):
    """Shows a game event by event.

    Attributes:
        at: the event that is shown, from 0.
    """

    def __init__(
        self,
        events: Sequence[Event],
        states: Sequence[State],
        *,
        you: Sequence[int] = (),
        verdict: str = "",
        colour: bool | None = None,
    ) -> None:
        super().__init__(colour=colour)
        self.at = 0
        self._happened = events
        self._states = states
        self._you = you
        self._verdict = verdict
        self._passages = _told(events, states, hide_seed=bool(you))

    def on_ready(self) -> None:
        self.draw()

    def go(self, at: int) -> None:
        """Show event ``at``, or the nearest that there is."""
        self.at = max(0, min(len(self._states) - 1, at))
        self.draw()

    def draw(self) -> None:
        """Draw everything anew."""
        if not self.is_running or not self.screen_stack:
            return
        state, width, height = self._states[self.at], self.size.width, self.size.height
        beside = self.lay_out()
        last = len(self._states) - 1
        self.put("#head", [panes.header(state, width, f"event {self.at} of {last}")])
        story_width = panes.story_width(width) if beside else width
        table_width = width - story_width - 2 if beside else width
        prompt = self._prompt(width, 2 if height < 22 else 3)
        free = height - len(prompt) - 5
        most = free if beside else free - max(2, free // 3)
        lines, hides = panes.table(
            state, min(table_width, 100) - 1, most, self._you, titled=not beside
        )
        self.say_hidden(hides)
        self.put("#table-lines", lines if beside else lines[:most])
        past = [passage for passage in self._passages if passage.n <= self.at]
        self.put("#story-lines", panes.story(past, story_width - 3 if beside else width))
        story = self.screen_stack[0].query_one("#story", VerticalScroll)
        story.scroll_end(animate=False)
        self.put("#status", [panes.progress(self._turn_starts(), self.at, last, width)])
        self.put("#prompt", prompt)
        keys = _TYPING if self.query_one("#line").display else _FOOT
        self.put("#foot", [panes.footer(keys, width)])

    def _turn_starts(self) -> list[int]:
        states = self._states
        return [n for n in range(1, len(states)) if states[n].turn > states[n - 1].turn]

    def _prompt(self, width: int, rows: int) -> list[Line]:
        """The event in words, and what is to be felt about it; always as many lines."""
        before = self._states[self.at - 1] if self.at else None
        state = self._states[self.at]
        told = event_lines(self._happened[self.at], before, state, 10_000)
        words: Words = [Span(" "), *(told[0] if told else [])]
        bust = bust_words(state)
        runs = [] if before is None else full_run_words(before, state)
        if bust:
            words = [Span(" × BUST ×  ", "bad"), *words[1:], Span(f": {bust}", "strong")]
        elif runs:
            words += [Span(f"  ✓ FULL RUN ✓ {runs[0]}", "strong")]
        lines: list[Line] = list(wrap(words, width, 2))
        if self.at == len(self._states) - 1:
            if self._verdict:
                lines.append([Span(cut(f" × {self._verdict}", width), "bad")])
            elif not state.scores:
                lines += [[Span(" "), *line] for line in waiting(state, width - 1)]
        lines = lines[:rows]
        return lines + [[] for _ in range(rows - len(lines))]

    def on_key(self, event: ui.Key) -> None:
        if len(self.screen_stack) > 1 or self.typed(event):
            return
        key = event.character or event.key
        way = _KEYS.get(event.key) or _KEYS.get(key)
        if way is not None:
            self.go(move(self._states, self.at, way))
        elif key == "q":
            self.action_leave()
        elif key == "?":
            self.read("Keys", lambda room: hint_lines(_HELP, room))
        elif key == "s":
            state = self._states[self.at]
            self.read("The table", lambda room: pages.whole(state, self._you, room))
        elif key == "g" or (key.isdigit() and key != "0"):
            self.open_line(key if key.isdigit() else "")
            self.draw()
        else:
            return
        event.stop()
        event.prevent_default()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        typed = event.value.strip()
        self.close_line()
        if typed.isascii() and typed.isdigit():
            self.go(int(typed))

    def on_mouse_scroll_down(self) -> None:
        """The wheel steps, as the arrows do."""
        self.go(self.at + 1)

    def on_mouse_scroll_up(self) -> None:
        """The wheel steps, as the arrows do."""
        self.go(self.at - 1)


def _told(events: Sequence[Event], states: Sequence[State], *, hide_seed: bool) -> list[Passage]:
    """The whole story, from the events and the tables that are there already."""
    from tenlog.story import Narrator

    narrator = Narrator(hide_seed=hide_seed)
    passages: list[Passage] = []
    for event, state in zip(events, states, strict=True):
        passages += narrator.feed(event, state)
    return passages + narrator.flush()


def run_replay(
    events: Sequence[Event], states: Sequence[State], *, you: Sequence[int], verdict: str
) -> None:
    """Step through a game in full screen, until the reader has had enough."""
    from tenlog_cli.tui import ENDED, real_size

    view = ReplayView(events, states, you=you, verdict=verdict)
    with real_size():
        view.run()
    if view.ended:
        raise SystemExit(ENDED)
