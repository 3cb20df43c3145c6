"""How the full screen looks: from lines to Textual, and the parts that both views share."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Iterable
from typing import ClassVar, Final

from rich.color import Color
from rich.style import Style
from rich.text import Text
from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import Container, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from tenlog.story import Role, Span
from tenlog_cli.output import ascii_only
from tenlog_cli.paint import Line, card_colours, colours, joined, safe
from tenlog_cli.tui.panes import FIGURES, HIDDEN, story_width

_BARE: Final[dict[Role, Style]] = {
    "card": Style(bold=True),
    "name": Style(bold=True),
    "good": Style(bold=True),
    "bad": Style(bold=True),
    "dim": Style(dim=True),
    "strong": Style(bold=True),
    "title": Style(bold=True),
    "key": Style(bold=True, underline=True),
}
_COLOURED: Final[dict[Role, Style]] = {
    **_BARE,
    "good": Style(color="cyan"),
    "bad": Style(color="magenta", bold=True),
    "key": Style(color="cyan", bold=True),
}

WIDE: Final = 76  # columns from which the story stands beside the table

CSS: Final = """
Screen { layout: vertical; background: ansi_default; color: ansi_default; }
Static { width: 100%; height: auto; }
#head { height: 1; }
#body { height: 1fr; layout: horizontal; border-top: solid ansi_bright_black;
        border-bottom: solid ansi_bright_black;
        border-title-align: right; border-title-color: ansi_default;
        border-subtitle-align: left; border-subtitle-color: ansi_default; }
#body.stacked { layout: vertical; border-bottom: none; }
#table { width: 1fr; height: 100%; padding: 0 1; scrollbar-size: 1 1; overflow-x: hidden; }
#table-lines { text-wrap: nowrap; }
#story { height: 100%; padding: 0 1; border-left: solid ansi_bright_black; scrollbar-size: 0 0; }
#body.stacked #table { width: 100%; height: auto; padding: 0; }
#body.stacked #story { width: 100%; height: 1fr; border-left: none; padding: 0;
                       border-top: dashed ansi_bright_black;
                       border-title-color: ansi_default; }
#status.felt { text-style: bold; }
#status.flash { text-style: bold reverse; }
#foot { height: 1; }
Reader { align: center middle; }
#reader { width: 100%; max-width: 84; height: auto; max-height: 100%; background: ansi_default;
          border: round ansi_bright_black; border-title-style: bold; padding: 0 1;
          scrollbar-size: 1 1; }
"""


def to_text(lines: Iterable[Line], colour: bool) -> Text:
    """Lines as Textual takes them."""
    text = Text(no_wrap=True, overflow="crop", end="")
    for number, line in enumerate(lines):
        if number:
            text.append("\n")
        for part, role in joined(line):
            style = (_COLOURED if colour else _BARE).get(role)
            if colour and role == "card":
                front, back = card_colours(part)
                style = Style(
                    color=Color.from_ansi(front), bgcolor=Color.from_ansi(back), bold=True
                )
            text.append(safe(part), style)
    return text


class View(App[str]):
    """What both views share: a quiet screen in the terminal's own colours.

    Attributes:
        ended: whether a signal told the program to end.
    """

    ENABLE_COMMAND_PALETTE = False
    AUTO_FOCUS = None
    CSS = CSS
    BINDINGS: ClassVar = [
        Binding("ctrl+c,ctrl+d,ctrl+q", "leave", priority=True, show=False),
        Binding("ctrl+z", "suspend_process", priority=True, show=False),
        Binding("pageup", "scroll_story(-1)", show=False),
        Binding("pagedown", "scroll_story(1)", show=False),
    ]

    def __init__(self, *, colour: bool | None) -> None:
        # Asked, and kept, while standard output is still the terminal's.
        ascii_only()
        has_colour = colours() > 0 if colour is None else colour
        super().__init__(ansi_color=True)
        self.theme = "ansi-dark"
        self.colour = has_colour
        self.ended = False

    def on_mount(self) -> None:
        # By itself the signal would end the program with the terminal still in full screen.
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, self._end)

    def _end(self) -> None:
        self.ended = True
        self.action_leave()

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

    def on_resize(self) -> None:
        self.call_after_refresh(self.draw)

    def action_leave(self) -> None:
        """Back to where one came from."""
        self.exit("left")

    def action_suspend_process(self) -> None:
        """Be put aside until the shell's fg, as the plain lines are.

        Textual's own way stops this process alone, and also where there is no shell to go on with
        it. So what the terminal itself does at Ctrl-Z is done here: the signal goes to all that
        was started with us, and the system passes over it where nobody could ever say fg.
        """
        with self.suspend():
            before = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
            os.killpg(os.getpgrp(), signal.SIGTSTP)
            signal.signal(signal.SIGTSTP, before)

    def put(self, selector: str, lines: Iterable[Line]) -> None:
        """Show lines in one of the parts."""
        self.screen_stack[0].query_one(selector, Static).update(to_text(lines, self.colour))

    def say_hidden(self, hidden: bool) -> None:
        """Say, at the edge of the table, how to see the cards for which there is no room."""
        base = self.screen_stack[0]
        text = HIDDEN if hidden else ""
        stacked = base.query_one("#body").has_class("stacked")
        base.query_one("#story").border_title = text if stacked else ""
        base.query_one("#body").border_subtitle = "" if stacked else text

    def lay_out(self) -> bool:
        """Put the story beside the table, or below it where it is narrow; whether it is beside."""
        beside = self.size.width >= WIDE
        base = self.screen_stack[0]
        body = base.query_one("#body")
        body.set_class(not beside, "stacked")
        body.border_title = FIGURES if not beside else ""
        base.query_one("#story").styles.width = story_width(self.size.width) if beside else "100%"
        return beside

    def action_scroll_story(self, way: int) -> None:
        """A page of the story up or down."""
        story = self.screen_stack[0].query_one("#story", VerticalScroll)
        if way < 0:
            story.scroll_page_up(animate=False)
        else:
            story.scroll_page_down(animate=False)

    def typed(self, event: events.Key) -> bool:
        """Give a key to the line that is being typed, if there is one: keys that follow closely on
        the one that opened it come here before it has the focus. Whether there is one."""
        line = self.query_one("#line", Input)
        if not line.display:
            return False
        focused = self.focused is line  # then its own keys are still to come to it
        if event.key == "escape":
            self.close_line()
        elif event.key == "enter" and not focused:
            self.run_worker(line.action_submit())
        elif event.key == "backspace" and not focused:
            line.action_delete_left()
        elif event.is_printable and event.character:
            line.insert_text_at_cursor(event.character)
        return True

    def open_line(self, text: str) -> None:
        """Let a line be typed that begins like this."""
        line = self.query_one("#line", Input)
        line.value = text
        line.display = True
        line.cursor_position = len(text)
        line.focus()

    def close_line(self) -> None:
        """Enough of typing."""
        self.query_one("#line").display = False
        self.set_focus(None)
        self.draw()

    def draw(self) -> None:
        """Draw everything anew."""
        raise NotImplementedError

    def read(self, title: str, lines: Callable[[int], list[Line]]) -> None:
        """Show a page over everything, until a key closes it."""
        self.push_screen(Reader(title, lines, self.colour))


class Reader(ModalScreen[None]):
    """A page to read: scrolled with the arrows, closed with any other key."""

    _SCROLL: ClassVar = {"up", "down", "pageup", "pagedown", "home", "end"}

    def __init__(self, title: str, lines: Callable[[int], list[Line]], colour: bool) -> None:
        super().__init__()
        self._title = title
        self._lines = lines
        self._colour = colour

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="reader") as page:
            page.border_title = safe(self._title)
            page.border_subtitle = "↑↓ scroll · any other key closes"
            yield Static(id="page")

    def on_mount(self) -> None:
        self.query_one("#reader").focus()
        self._fill()

    def on_resize(self) -> None:
        self._fill()

    def _fill(self) -> None:
        room = max(24, min(84, self.app.size.width) - 6)
        lines = [*self._lines(room), [Span("")]]
        self.query_one("#page", Static).update(to_text(lines, self._colour))

    def on_key(self, event: events.Key) -> None:
        if event.key not in self._SCROLL:
            event.stop()
            event.prevent_default()
            self.dismiss()
