"""What a bot is, what is known of one, and what is recorded when one forfeits a decision."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from traceback import walk_tb
from typing import Final, Literal, Protocol, TypeVar

import msgspec

from tenlog.bots.stream import Stream
from tenlog.errors import BotError
from tenlog.game.commands import Command
from tenlog.game.view import View

# Files of frames that only lead to somebody's code: it is being imported.
_MACHINERY: Final = re.compile(r"<frozen |.*[/\\]importlib[/\\]")


class Bot(Protocol):
    """Somebody who decides for a seat.

    What is decided should depend on the view and the stream alone: then a game can be resumed, and
    repeated to the byte. ``decide`` is all that is needed. Where a bot has these, they are used:

    - ``version``: a text that changes whenever the bot would decide differently;
    - ``start(seat, view)``: a game begins, or goes on, with the bot at this seat;
    - ``end(seat, view)``: that game is over, or broken off; the view shows the table as it is left;
    - ``close()``: the bot is not needed any more.
    """

    def decide(self, view: View, stream: Stream) -> Command:
        """What the viewer does now; it must be one of the things that ``view.options`` allows."""
        ...


Origin = Literal["built-in", "entry-point", "object", "program"]


class BotInfo(msgspec.Struct, frozen=True):
    """What is known of a bot: enough to repeat what it did, if it is still the same version.

    Attributes:
        spec: the specification that it was asked by.
        name: what it is called.
        version: its version, empty if it names none.
        origin: where it comes from.
        parameters: all that it can be told, with the values that hold here.
        about: what it does, in one line; may be empty.
    """

    spec: str
    name: str
    version: str
    origin: Origin
    parameters: dict[str, str | int | float | bool]
    about: str = ""


FaultKind = Literal["slow", "closed", "flooded", "garbled", "illegal", "gone", "failed"]


class Forfeit(msgspec.Struct, frozen=True):
    """A decision that a bot did not make, so that the safe one was made for it.

    Attributes:
        game: the game's id.
        seed: its seed.
        n: how many events had happened when the bot was asked.
        seat: whose decision it was.
        bot: the bot's specification.
        fault: ``slow``: no answer in time; ``closed``: it ended, or closed its output;
            ``flooded``: far more output than an answer; ``garbled``: not an answer; ``illegal``:
            the rules refuse it; ``gone``: given up earlier in this game; ``failed``: it raised.
        detail: what exactly was wrong, for people; may quote the bot.
        decision: what was done instead, such as ``Pass``.
    """

    game: str
    seed: str
    n: int
    seat: int
    bot: str
    fault: FaultKind
    detail: str
    decision: str


class BotFault(BotError):
    """A bot that did not answer as it should; a program's becomes a :class:`Forfeit`."""

    def __init__(self, fault: FaultKind, detail: str) -> None:
        super().__init__(detail)
        self.fault: FaultKind = fault


@contextmanager
def aside() -> Iterator[None]:
    """Where somebody else's Python code runs: what it prints goes to standard error, so that it
    can't get between the answers of a command."""
    before, target = sys.stdout, sys.stderr
    sys.stdout = target
    try:
        yield
    finally:
        # A screen that was left while the bot thought, in a thread, has put back its own already.
        if sys.stdout is target:
            sys.stdout = before


def what_failed(error: BaseException, bot: object) -> str:
    """An error of somebody else's code in one line: what it is, and where it came up in the file of
    ``bot``, which is the bot or what makes it; where it never was there, the last place at all."""
    text = str(error)[:300]
    text = "".join([c if c.isprintable() else ascii(c)[1:-1] for c in text])
    said = f"{type(error).__name__}: {text}" if text else type(error).__name__
    home = getattr(sys.modules.get(getattr(bot, "__module__", "")), "__file__", None)
    places = [
        (frame.f_code.co_filename, line)
        for frame, line in walk_tb(error.__traceback__)
        if not _MACHINERY.match(frame.f_code.co_filename)
    ][1:]  # the first one is ours, which called
    own = [place for place in places if place[0] == home] or places
    return f"{said} ({own[-1][0]}, line {own[-1][1]})" if own else said


_Number = TypeVar("_Number", int, float)


def need_between(name: str, value: _Number, low: float, high: float) -> _Number:
    """A parameter itself, if it lies between two bounds, both included.

    Raises:
        BotError: it does not.
    """
    if not low <= value <= high:
        raise BotError(f"{name} must be {low} to {high}, not {value}")
    return value
