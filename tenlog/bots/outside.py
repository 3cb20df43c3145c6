"""The bot that is a program, spoken to in the line protocol (:mod:`tenlog.bots.protocol`)."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path
from typing import Final

import msgspec

from tenlog import __version__
from tenlog.bots.base import BotFault, need_between
from tenlog.bots.program import Program
from tenlog.bots.protocol import (
    PROTOCOL,
    Answer,
    Bye,
    End,
    Hello,
    HelloAnswer,
    Message,
    Start,
    command_of,
    question,
)
from tenlog.bots.spec import Spec, command_words
from tenlog.bots.stream import Stream
from tenlog.errors import BotError
from tenlog.game.commands import Command
from tenlog.game.events import FORMAT
from tenlog.game.view import View, public

FAULT_LIMIT: Final = 5  # bad answers in one game after which a program is not asked any more
STALE_LIMIT: Final = 100  # late answers that are passed over while one answer is waited for

_encode = msgspec.json.Encoder().encode
_hello_answer = msgspec.json.Decoder(HelloAnswer)
_answer = msgspec.json.Decoder(Answer)


class ProgramBot:
    """A bot that is a program: started when a game begins, ended by :meth:`close`.

    One program plays game after game. If it ends or has to be ended, it is started again for the
    next game.

    Attributes:
        waited: seconds that its last decision was waited for, which is what the limit is about;
            making the question and reading the answer is not its time.
    """

    def __init__(self, spec: Spec, ms: int = 1000, start: int = 10_000) -> None:
        self.spec = spec
        self.ms = need_between("ms", ms, 1, 3_600_000)
        self.start_ms = need_between("start", start, 1, 3_600_000)
        self.words = command_words(spec)
        if shutil.which(self.words[0]) is None:
            raise BotError(f"bot {spec.text!r}: {_why_not(self.words[0])}")
        self.name = ""
        self.version = ""
        self.waited = 0.0
        self._program: Program | None = None
        self._asked = 0
        self._faults = 0
        self._gone = False
        self._last_words = ""

    def start(self, seat: int, view: View) -> None:
        """Tell it that a game begins.

        Raises:
            BotError: it can't be started, or has never answered properly yet.
        """
        self._faults = 0
        self._gone = False
        try:
            self.greet()
        except BotError:
            if not self.name:
                raise
            self._gone = True
            return
        self._tell(Start(view.game, seat, view.players, view.rules.ruleset))

    def greet(self) -> None:
        """Start the program, if it does not run, and exchange greetings.

        Raises:
            BotError: it can't be started, or does not answer as it should.
        """
        if self._program is not None:
            return
        self._program = Program(self.words)
        self._tell(Hello(PROTOCOL, __version__, FORMAT, self.ms))
        try:
            line = self._program.hear(self.start_ms / 1000)
            try:
                said = _hello_answer.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                raise BotFault("garbled", f"not a hello ({error}): {_shown(line)}") from None
            if said.protocol != PROTOCOL:
                raise BotFault(
                    "garbled", f"it speaks protocol {said.protocol}, this tenlog speaks {PROTOCOL}"
                )
        except BotFault as fault:
            self._drop()
            raise BotError(
                f"bot {self.spec.text!r} did not say hello: {fault}{self.last_words()}"
            ) from None
        self.name, self.version = said.name, said.version

    def decide(self, view: View, stream: Stream) -> Command:
        """Its answer, as it gave it: it may be illegal.

        Raises:
            BotFault: it gave none, or none that could be understood.
        """
        self.waited = 0.0
        if self._program is None and not self._gone:
            self.start(view.seat, view)
        if self._gone or self._program is None:
            raise BotFault("gone", "given up earlier in this game")
        state = view.what_if()
        self._asked += 1
        self._tell(question(state, self._asked, stream.word()))
        began = time.monotonic()
        try:
            try:
                answer = self._hear_answer(self._program, began)
            finally:
                self.waited = time.monotonic() - began
            return command_of(answer, state)
        except BotFault as fault:
            self.blame(fault)
            raise

    def _hear_answer(self, program: Program, began: float) -> Answer:
        for _ in range(STALE_LIMIT):
            line = program.hear(self.ms / 1000, began)
            try:
                answer = _answer.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                raise BotFault("garbled", f"not an answer ({error}): {_shown(line)}") from None
            if answer.id == self._asked:
                return answer
            if answer.id > self._asked:
                raise BotFault(
                    "garbled", f"an answer to question {answer.id}, asked is {self._asked}"
                )
            # Late: the answer to a question that was forfeited.
        raise BotFault("flooded", f"more than {STALE_LIMIT} answers to earlier questions")

    def blame(self, fault: BotFault) -> None:
        """Count a bad answer; at the worst, or after too many, the program is ended."""
        self._faults += 1
        if fault.fault in ("closed", "flooded") or self._faults >= FAULT_LIMIT:
            self._gone = True
            self._drop()

    def end(self, seat: int, view: View) -> None:
        """Tell it how the game ended."""
        if self._program is not None:
            self._tell(End(seat, public(view.what_if())))

    def close(self) -> None:
        """End the program; returns when it is gone."""
        if self._program is not None:
            self._tell(Bye())
            self._drop()

    def last_words(self) -> str:
        """The end of what it said on standard error, in one line behind a colon; may be empty."""
        said = self._program.stderr_tail() if self._program is not None else self._last_words
        lines = [line.strip() for line in said.splitlines() if line.strip()]
        return f"; its standard error ends: {lines[-1][:300]}" if lines else ""

    def stderr(self) -> str:
        """The end of what it said on standard error, at most 4 KiB."""
        return self._program.stderr_tail() if self._program is not None else self._last_words

    def _tell(self, message: Message) -> None:
        assert self._program is not None
        self._program.tell(_encode(message))

    def _drop(self) -> None:
        program = self._program
        if program is not None:
            program.stop()
            self._last_words = program.stderr_tail()
            self._program = None


def _why_not(program: str) -> str:
    """What keeps a program from being run."""
    path = Path(program)
    if os.sep in program and path.is_dir():
        return f"{program!r} is a folder, not a program"
    if os.sep in program and path.exists():
        return f"{program!r} may not be run: make it executable (chmod +x), or name what runs it"
    return f"there is no program {program!r} to run"


def _shown(line: bytes) -> str:
    text = line[:80].decode("utf-8", "replace")
    return repr(text + ("…" if len(line) > 80 else ""))
