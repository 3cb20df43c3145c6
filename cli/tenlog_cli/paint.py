"""From words to the terminal: fitted to its width, coloured where it has colours, ASCII where it
has no more.

Lines are lists of :class:`tenlog.story.Span`. Escapes are written here and not by Rich, so that a
command that prints a table starts as fast as a bare one; only a picture (:func:`to_svg`) asks Rich.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Final

from tenlog.story import Role, Span
from tenlog_cli.output import ascii_only, harmless, on_terminal

WIDEST: Final = 80
NARROW: Final = 60  # below this, tables are stacked
LEAST: Final = 24

# Colours by role, as "foreground background" of the 256-colour palette. They differ in lightness as
# well as in hue (after Okabe and Ito), and a letter stands in every card, so that no colour needs
# to be seen.
_CARDS: Final[dict[str, tuple[int, int]]] = {
    "R": (231, 160),
    "B": (231, 25),
    "O": (16, 214),
    "G": (16, 79),
    "W": (16, 253),
    "C": (231, 240),
}
_CARDS_16: Final[dict[str, tuple[int, int]]] = {
    "R": (97, 41),
    "B": (97, 44),
    "O": (30, 43),
    "G": (30, 46),
    "W": (30, 47),
    "C": (97, 100),
}
_SGR: Final[dict[Role, str]] = {
    "name": "1",
    "good": "36",
    "bad": "1;35",
    "dim": "2",
    "strong": "1",
    "title": "1;4",
    "key": "1;36",
}

# What ASCII has instead, character for character.
_ASCII: Final = str.maketrans("─│·●○▸…×→✓•“”’–", '-|-*.>~x>+*""\'-')
_ONE_CELL: Final = frozenset("─│·●○▸…×→✓•“”’–")

Line = Sequence[Span]


def width() -> int:
    """How many columns there are to write on: the terminal's, at most 80."""
    return max(LEAST, min(WIDEST, shutil.get_terminal_size((WIDEST, 24)).columns))


def safe(text: str) -> str:
    """A text as it can be shown here: harmless, and in the characters that the output has."""
    text = harmless(text).replace("\n", " ")
    if text.isascii() or not ascii_only():
        return text
    return _as_ascii(text)


def _as_ascii(text: str) -> str:
    if text.isascii():
        return text
    encoding = sys.stdout.encoding or "ascii"
    return text.translate(_ASCII).encode(encoding, "replace").decode(encoding)


def cells(text: str) -> int:
    """How many columns a text takes."""
    if text.isascii() or all(c in _ONE_CELL or c < "\u0300" for c in text):
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def line_cells(line: Iterable[Span]) -> int:
    """How many columns a line takes, as it will be shown."""
    return sum([cells(safe(span.text)) for span in line])


def cut(text: str, room: int) -> str:
    """A text in at most so many columns; what is cut off is marked."""
    text = safe(text)
    if cells(text) <= room:
        return text
    kept = ""
    for c in text:
        if cells(kept + c) > room - 1:
            break
        kept += c
    return kept + safe("…") if room > 0 else ""


def pad(text: str, room: int) -> str:
    """A text in exactly so many columns."""
    text = cut(text, room)
    return text + " " * (room - cells(text))


_PIECES = re.compile(r" +|[^ ]+")


def _glued(line: Line) -> list[list[Span]]:
    """Blanks, and words that may consist of several spans."""
    words: list[list[Span]] = []
    open_word = False
    for span in line:
        for piece in _PIECES.findall(safe(span.text)):
            part = Span(piece, span.role)
            if piece[0] == " ":
                words.append([part])
                open_word = False
            elif open_word:
                words[-1].append(part)
            else:
                words.append([part])
                open_word = True
    return words


def wrap(line: Line, room: int, indent: int = 0, first: int = 0) -> list[list[Span]]:
    """A sentence in lines of at most ``room`` columns, broken at spaces; the first one begins with
    ``first`` spaces, the others with ``indent``."""
    lines: list[list[Span]] = []
    now: list[Span] = [Span(" " * first)] if first else []
    used, start = first, first
    for word in _glued(line):
        size = sum([cells(part.text) for part in word])
        blank = word[0].text[0] == " "
        if used + size > room and used > start:
            lines.append(_trimmed(now))
            now, used, start = [Span(" " * indent)] if indent else [], indent, indent
        if blank and used == start and lines:
            continue
        if used + size <= room:
            now += word
            used += size
            continue
        for text, role in word:  # a word that is wider than a line
            while text:
                head = cut_hard(text, room - used)
                if used + cells(head) > room and used > start:
                    lines.append(now)
                    now, used, start = [Span(" " * indent)] if indent else [], indent, indent
                    continue
                now.append(Span(head, role))
                used += cells(head)
                text = text[len(head) :]
    lines.append(_trimmed(now))
    return lines


def cut_hard(text: str, room: int) -> str:
    """As many of the first characters as fit, at least one."""
    end = 1
    while end < len(text) and cells(text[: end + 1]) <= room:
        end += 1
    return text[:end]


def _trimmed(line: list[Span]) -> list[Span]:
    while line and line[-1].text.isspace():
        line.pop()
    return line


def rule(room: int) -> list[Span]:
    """A line across."""
    return [Span("─" * room, "dim")]


@cache
def colours() -> int:
    """How many colours may be used: 0 (a pipe, NO_COLOR, TERM=dumb), 16 or 256."""
    if os.environ.get("NO_COLOR") or not on_terminal():
        return 0
    deep = "256color" in os.environ.get("TERM", "") or os.environ.get("COLORTERM")
    return 256 if deep else 16


def card_colours(card: str) -> tuple[int, int]:
    """What a card is printed in: foreground and background, of the 256-colour palette."""
    return _CARDS.get(card[:1], (16, 253))


def _card_colours(card: str, depth: int) -> str:
    if depth == 256:
        front, back = card_colours(card)
        return f"1;38;5;{front};48;5;{back}"
    front, back = _CARDS_16.get(card[:1], (30, 47))
    return f"{front};{back}"


def painted(line: Line, depth: int) -> str:
    """A line with its escapes for so many colours; 0 is without any."""
    parts: list[str] = []
    for text, role in line:
        text = safe(text)
        if depth and role == "card":
            parts.append(f"\x1b[{_card_colours(text, depth)}m{text}\x1b[0m")
        elif depth and role in _SGR and text:
            parts.append(f"\x1b[{_SGR[role]}m{text}\x1b[0m")
        else:
            parts.append(text)
    return "".join(parts)


class Recorder:
    """Keeps what is printed, for a picture of it."""

    def __init__(self) -> None:
        self.lines: list[Line] = []


_listeners: list[Callable[[Line], None]] = []


def record(recorder: Recorder) -> None:
    """From now on, also keep what is printed."""
    _listeners.append(recorder.lines.append)


def joined(line: Line) -> list[Span]:
    """A line with neighbours of the same role made one."""
    spans: list[Span] = []
    for span in line:
        if spans and spans[-1].role == span.role != "card":
            spans[-1] = Span(spans[-1].text + span.text, span.role)
        elif span.text:
            spans.append(span)
    return spans


def put(lines: Iterable[Line]) -> None:
    """Print lines on standard output."""
    depth = colours()
    for line in map(joined, lines):
        for listener in _listeners:
            listener(line)
        sys.stdout.write(painted(line, depth) + "\n")
    if on_terminal():
        sys.stdout.flush()


def say(text: str, role: Role = "") -> None:
    """Print one sentence, wrapped."""
    put(wrap([Span(text, role)], width()))


def say_path(what: str, path: str, role: Role = "dim") -> None:
    """Print a path, or a command with one, after a word or a sentence; it is never folded, so that
    it can be copied."""
    if cells(safe(what)) + 1 + cells(safe(path)) <= width() or " " not in what:
        put([[Span(f"{what} {path}", role)]])
    else:
        put([*wrap([Span(what, role)], width()), [Span(path, role)]])


# A picture must look the same everywhere and load nothing: the reader's own fixed-width font.
_FONT_FACES: Final = re.compile(r" *@font-face \{\{.*?\}\}\n", re.DOTALL)
_FONTS: Final = "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace"


def to_svg(lines: Sequence[Line], title: str, room: int) -> str:
    """A picture of lines in a terminal window, as SVG text; the same lines give the same text."""
    import io

    from rich._export_format import CONSOLE_SVG_FORMAT
    from rich.color import Color
    from rich.console import Console
    from rich.style import Style
    from rich.text import Text

    console = Console(
        record=True, width=room, file=io.StringIO(), force_terminal=True, color_system="truecolor",
        legacy_windows=False, no_color=False, highlight=False, emoji=False, markup=False,
    )  # fmt: skip
    styles: dict[str, Style] = {
        "name": Style(bold=True),
        "good": Style(color="#56b4e9"),
        "bad": Style(color="#e78ac3", bold=True),
        "dim": Style(color="#8a8f98"),
        "strong": Style(bold=True),
        "title": Style(bold=True, underline=True),
        "key": Style(color="#56b4e9", bold=True),
    }
    for line in lines:
        text = Text()
        for part, role in line:
            if role == "card":
                front, back = card_colours(part)
                style = Style(
                    color=Color.from_ansi(front), bgcolor=Color.from_ansi(back), bold=True
                )
                text.append(safe(part), style)
            else:
                text.append(safe(part), styles.get(role))
        console.print(text, soft_wrap=True)
    frame = _FONT_FACES.sub("", CONSOLE_SVG_FORMAT).replace("Fira Code, monospace", _FONTS)
    return console.export_svg(title=title, unique_id="tenlog", code_format=frame)
