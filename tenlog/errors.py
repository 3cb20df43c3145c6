"""Everything that tenlog raises on purpose, in one tree.

::

    TenlogError                what a caller may want to catch: a message for people
    ├── CardError              a text names no card
    ├── RulesetError           a ruleset that cannot work; ``field`` names the culprit
    ├── SeedError              a seed that is empty, too long or has control characters
    ├── SetupError             players, seats or a game id that a game cannot start with
    ├── PromptError            a typed line that means nothing, or more than one thing
    ├── IllegalMove            the rules refuse a command; ``rule`` says where they do
    ├── UndoRefused            a decision that can't be taken back, and why
    ├── LogError               a log that cannot be read or written
    │   ├── LogFault           bytes that break the format, the seals or the rules
    │   │   └── NotationError  a one-line game that cannot be read; ``position`` is where
    │   ├── LogLocked          somebody else is writing this log
    │   ├── LogChanged         a log changed under the hands of its writer
    │   └── LogOver            the game of a log is finished, and can't be gone on with
    ├── ArchiveError           an archive that cannot be read or written, or is damaged
    │   └── QueryError         a question that the archive refuses or that went wrong
    ├── BotError               a bot that does not exist, fails to start or misbehaves
    ├── SimulationError        a run in which a bot failed, or games came out otherwise than before
    └── WorkerDied             a process of a run was killed; what was done is kept

Messages are short and lower case: what is wrong, where, and what to do.
"""

from __future__ import annotations


class TenlogError(Exception):
    """The root of the tree."""


def extra_hint(extra: str) -> str:
    """What to do where an optional package is missing.

    >>> extra_hint("html")
    "needs the extra html: pip install '.[html]' in tenlog's folder"
    """
    return f"needs the extra {extra}: pip install '.[{extra}]' in tenlog's folder"


class CardError(TenlogError):
    """A text that names no card (RULES 2)."""


class RulesetError(TenlogError):
    """A ruleset that cannot work (RULES 10). ``field`` is the culprit's path, as in ``deck.R1``;
    ``file`` the file that it stands in, if it is one's."""

    def __init__(self, field: str, message: str, file: str = "") -> None:
        super().__init__(f"{file}{': ' if file else ''}ruleset field {field}: {message}")
        self.field = field
        self.file = file
        self.detail = message


class SeedError(TenlogError):
    """A seed that is not 1 to 128 characters without control characters (FORMAT 4)."""


class SetupError(TenlogError):
    """Players, seats or a game id that a game cannot start with."""


class PromptError(TenlogError):
    """A line typed by a player that means nothing, or more than one thing."""


class IllegalMove(TenlogError):
    """The rules refuse a command. ``rule`` is the number of the rule, such as ``6.4``."""

    def __init__(self, rule: str, message: str) -> None:
        super().__init__(message)
        self.rule = rule


class UndoRefused(TenlogError):
    """A decision that can't be taken back: the message says why."""


class LogError(TenlogError):
    """A log that cannot be read or written; the message names the file."""


class LogFault(LogError):
    """Bytes that break the format, the seals or the rules, in a log that has to be good."""


class NotationError(LogFault):
    """A one-line game that cannot be read. ``position`` is the faulty character, from 1."""

    def __init__(self, position: int, message: str) -> None:
        super().__init__(f"character {position}: {message}")
        self.position = position


class LogLocked(LogError):
    """Somebody else is writing this log."""


class LogChanged(LogError):
    """A log was replaced, shortened or lengthened under the hands of its writer."""


class LogOver(LogError):
    """The game of a log is finished, and can't be gone on with."""


class ArchiveError(TenlogError):
    """An archive that cannot be read or written, or is damaged; the message names it."""


class QueryError(ArchiveError):
    """A question to the archive that is refused or wrong: DuckDB's words, where there are any."""


class BotError(TenlogError):
    """A bot that does not exist, fails to start or misbehaves."""


class SimulationError(TenlogError):
    """A run of many games that went wrong: a bot failed (the message names the seed, the bot and
    the error), or games came out otherwise than before."""


class WorkerDied(TenlogError):
    """A process of a run was killed, or had no memory left; what was done is kept."""
