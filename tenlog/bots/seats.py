"""The bots of a game by seat, and the rules of the house for them.

All bots get a snapshot of the table that nothing hangs on, under another id than the log's
(:func:`tenlog.bots.stream.alias_of`). What others than those of tenlog answer is checked before it
is used:

- a Python object that raises or wants something illegal is an error: whoever wrote it is here to
  put it right;
- a program that answers badly or not at all *forfeits*: the safe decision is made for it
  (:func:`tenlog.bots.safe.safe_command`), recorded in :attr:`Seats.forfeits`, and the game goes on.

Forfeits by time depend on the machine: a game with such a forfeit need not repeat.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tenlog.bots.base import Bot, BotFault, Forfeit, aside, what_failed
from tenlog.bots.outside import ProgramBot
from tenlog.bots.registry import find_bot
from tenlog.bots.safe import safe_command
from tenlog.bots.stream import WORDS, Stream, alias_of, stream_key
from tenlog.errors import BotError, TenlogError
from tenlog.game.commands import Command
from tenlog.game.legal import refusal
from tenlog.game.state import State
from tenlog.game.view import View


class Seated:
    """A bot with its specification, ready to sit down anywhere; one seat at a time.

    Attributes:
        spec: its specification.
        bot: the bot.
        house: whether it comes with tenlog, so that its answers need no check.
    """

    __slots__ = ("bot", "house", "spec")

    def __init__(self, spec: str, bot: Bot | None = None) -> None:
        """Raises BotError where there is no such bot."""
        self.spec = spec
        if bot is None:
            self.bot, origin = find_bot(spec)
            self.house = origin == "built-in"
        else:
            self.bot, self.house = bot, False

    def close(self) -> None:
        """End it: a program is gone when this returns."""
        _call(self, "close")


def _call(seated: Seated, hook: str, *args: object) -> None:
    method: Callable[..., Any] | None = getattr(seated.bot, hook, None)
    if method is None:
        return
    try:
        with aside():
            method(*args)
    except TenlogError:
        raise
    except (Exception, SystemExit) as error:
        raise BotError(
            f"bot {seated.spec!r} failed in {hook}: {what_failed(error, seated.bot)}"
        ) from error


class Seats:
    """Who sits where in the games that are played one after another; None is a person.

    A context manager: leaving it closes all bots.

    Attributes:
        forfeits: all forfeits so far, oldest first.
    """

    def __init__(self, bots: Sequence[str | Seated | None]) -> None:
        """Raises BotError where there is no such bot."""
        self.forfeits: list[Forfeit] = []
        self._seated: list[Seated | None] = []
        try:
            for bot in bots:
                self._seated.append(Seated(bot) if isinstance(bot, str) else bot)
        except BaseException:
            self.close()
            raise
        self._seed = ""
        self._alias = ""
        self._keys: list[int] = []
        self._playing = False

    def __len__(self) -> int:
        return len(self._seated)

    def is_bot(self, seat: int) -> bool:
        """Whether a bot sits there."""
        return self._seated[seat] is not None

    def start(self, seed: str, state: State) -> None:
        """A game begins, or goes on.

        Raises:
            BotError: a bot can't be started.
        """
        self._seed = seed
        self._alias = alias_of(seed)
        self._keys = [stream_key(seed, seat) for seat in range(len(self._seated))]
        self._playing = True
        for seat, seated in enumerate(self._seated):
            if seated is not None:
                _call(seated, "start", seat, self._shown(state))

    def _shown(self, state: State) -> View:
        """A snapshot for a bot, without the log's id: that may tell the seed."""
        table = state.copy()
        table.game = self._alias
        return View(table)

    def decide(self, state: State) -> Command:
        """What the bot that is asked decides; always something that the rules allow.

        Raises:
            BotFault: a Python object failed, or wants what the rules refuse; the message names it,
                the seed and the place. It is a BotError.
        """
        seat = state.to_act
        seated = self._seated[seat]
        if seated is None:
            raise BotError(f"seat {seat} is a person's: no bot decides for it")
        stream = Stream(self._keys[seat], state.n)
        bot = seated.bot
        if seated.house:
            return bot.decide(self._shown(state), stream)
        if isinstance(bot, ProgramBot):
            return self._ask_program(state, seated, bot, stream)
        where = f"bot {seated.spec!r} at seat {seat} after event {state.n - 1} of {self._seed!r}"
        try:
            with aside():
                command = bot.decide(self._shown(state), stream)
        except (Exception, SystemExit) as error:  # nobody leaves the table by exit()
            raise BotFault("failed", f"{where} failed: {what_failed(error, bot)}") from error
        if stream.used(state.n) > WORDS:
            raise BotFault("failed", f"{where} took more than {WORDS:,} random numbers")
        if not isinstance(command, Command):
            raise BotFault("garbled", f"{where} answered {command!r:.100}: not a command")
        refused = refusal(state, command)
        if refused is not None:
            raise BotFault("illegal", f"{where}: {refused.message} (rule {refused.rule})")
        return command

    def _ask_program(
        self, state: State, seated: Seated, bot: ProgramBot, stream: Stream
    ) -> Command:
        try:
            command = bot.decide(self._shown(state), stream)
            refused = refusal(state, command)
            if refused is None:
                return command
            fault = BotFault("illegal", f"{refused.message} (rule {refused.rule})")
            bot.blame(fault)
        except BotFault as found:
            fault = found
        command = safe_command(state)
        self.forfeits.append(
            Forfeit(
                game=state.game,
                seed=self._seed,
                n=state.n,
                seat=state.to_act,
                bot=seated.spec,
                fault=fault.fault,
                detail=f"{fault}{bot.last_words() if fault.fault == 'closed' else ''}",
                decision=type(command).__name__,
            )
        )
        return command

    def end(self, state: State) -> None:
        """The game is over, or broken off; does nothing if none is being played."""
        if self._playing:
            self._playing = False
            for seat, seated in enumerate(self._seated):
                if seated is not None:
                    _call(seated, "end", seat, self._shown(state))

    def close(self) -> None:
        """Close all bots, even if one of them fails to; the first failure is raised."""
        failed: BaseException | None = None
        for seated in self._seated:
            if seated is not None:
                try:
                    seated.close()
                except BaseException as error:  # nor does Ctrl-C leave a program behind
                    failed = failed or error
        if failed is not None:
            raise failed

    def __enter__(self) -> Seats:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
