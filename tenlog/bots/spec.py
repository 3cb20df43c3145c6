"""How a bot is named in a text: the grammar of specifications.

::

    spec        what it names
    ----------  ---------------------------------------------------------------------------
    NAME        a bot that comes with tenlog, or an entry point of the group tenlog.bots
    NAME:PARAMS the same, told something:                        greedy:risk=0.2,token=0.1
    MODULE:OBJECT[,PARAMS]   a Python class (or function):       mypkg.mod:MyBot,risk=1
    cmd[,PARAMS]:COMMAND     a program in any language:          cmd,ms=500:./mybot --flag

PARAMS are ``key=value`` joined by commas. What follows the first colon is an object if its first
part has no ``=``. A command is split into words as a shell does, but no shell runs it: no pipes, no
variables, no ``~``.
"""

from __future__ import annotations

import re
import shlex
from typing import Final, Literal

import msgspec

from tenlog.errors import BotError
from tenlog.shuffle import has_control

SPEC_LENGTH: Final = 1000  # characters at most; specifications stand in logs

_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*\Z")
_KEY: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_DOTTED: Final = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*\Z")
# A part of a list that goes on with the parameters of the bot before it.
_GOES_ON: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")


class Spec(msgspec.Struct, frozen=True):
    """A specification taken apart.

    Attributes:
        text: as it was written.
        kind: which row of the module's table it is.
        target: the name; or ``module:object``; or the command as written.
        parameters: what it is told, as text.
    """

    text: str
    kind: Literal["name", "object", "program"]
    target: str
    parameters: dict[str, str]

    @property
    def foreign(self) -> bool:
        """Whether making this bot runs code that does not come with tenlog or its plug-ins: not to
        be done only because a log says so."""
        return self.kind != "name"


def _parameters(text: str, parts: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for part in parts:
        key, equals, value = part.partition("=")
        if not equals or not _KEY.match(key):
            raise BotError(f"bot {text!r}: {part!r} is not parameter=value")
        if key in found:
            raise BotError(f"bot {text!r}: {key} is given twice")
        found[key] = value
    return found


def parse_spec(text: str) -> Spec:
    """A specification taken apart; whether there is such a bot is not asked.

    Raises:
        BotError: the text is none.

    >>> parse_spec("greedy:risk=0.2").parameters
    {'risk': '0.2'}
    >>> parse_spec("mypkg.mod:MyBot,risk=1").target
    'mypkg.mod:MyBot'
    >>> parse_spec("cmd,ms=500:./mybot --flag").target
    './mybot --flag'
    """
    if not text or len(text) > SPEC_LENGTH or has_control(text):
        raise BotError(
            f"bot {text[:40]!r}: a specification has 1 to {SPEC_LENGTH} characters, "
            "none of them a control character"
        )
    head, colon, rest = text.partition(":")
    name, *told = head.split(",")
    if name == "cmd":
        if not rest.strip():
            raise BotError(f"bot {text!r}: no command; write it behind a colon, as in cmd:./mybot")
        return Spec(text, "program", rest.strip(), _parameters(text, told))
    if told:
        raise BotError(
            f"bot {text!r}: parameters stand behind a colon, as in {name}:{','.join(told)}"
        )
    if not _NAME.match(name):
        raise BotError(f"bot {text!r}: {name!r} is no name of a bot")
    if not colon:
        return Spec(text, "name", name, {})
    first, *more = rest.split(",")
    if "=" in first or not rest:
        if not rest:
            raise BotError(f"bot {text!r}: nothing stands behind the colon")
        return Spec(text, "name", name, _parameters(text, [first, *more]))
    if not _DOTTED.match(name) or not _DOTTED.match(first):
        raise BotError(
            f"bot {text!r}: {first!r} is neither parameter=value nor, with {name!r} as its module, "
            "a Python object"
        )
    return Spec(text, "object", f"{name}:{first}", _parameters(text, more))


def split_specs(text: str) -> list[str]:
    """A list of specifications, joined by commas, taken apart. A part ``key=value`` belongs to the
    bot before it; so a command of a program may not have commas here (give it by itself).

    Raises:
        BotError: a part is no specification.

    >>> split_specs("greedy:risk=0.2,token=0.1,random,cmd,ms=50:./bot -x")
    ['greedy:risk=0.2,token=0.1', 'random', 'cmd,ms=50:./bot -x']
    """
    found: list[str] = []
    for part in text.split(","):
        if found and _GOES_ON.match(part):
            found[-1] += "," + part
        else:
            found.append(part)
    for spec in found:
        parse_spec(spec)
    return found


def specs_of(lists: list[str]) -> tuple[str, ...]:
    """The specifications of several lists together. Where there are several, one that begins with
    a program is that program alone: its command may have commas.

    Raises:
        BotError: a part is no specification.

    >>> specs_of(["cmd:./bot -x 1,2", "greedy,random"])
    ('cmd:./bot -x 1,2', 'greedy', 'random')
    """
    found: list[str] = []
    for text in lists:
        if len(lists) > 1 and text.startswith(("cmd:", "cmd,")):
            parse_spec(text)
            found.append(text)
        else:
            found += split_specs(text)
    return tuple(found)


def command_words(spec: Spec) -> list[str]:
    """The words of a program's command.

    Raises:
        BotError: a quote is not closed, or there is no word.
    """
    try:
        words = shlex.split(spec.target)
    except ValueError as error:
        raise BotError(f"bot {spec.text!r}: {str(error).lower()} in its command") from None
    if not words:
        raise BotError(f"bot {spec.text!r}: its command is empty")
    return words
