"""From a specification to a bot, and what is known of it (the grammar: :mod:`tenlog.bots.spec`)."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from typing import Any, Final, get_type_hints

import msgspec

from tenlog.bots.base import Bot, BotInfo, Origin, aside, what_failed
from tenlog.bots.outside import ProgramBot
from tenlog.bots.spec import Spec, parse_spec
from tenlog.errors import BotError

GROUP: Final = "tenlog.bots"  # of the entry points by which other packages bring bots

# Name → module, class, one line for people. Modules are loaded when a bot is made.
BUILT_IN: Final[dict[str, tuple[str, str, str]]] = {
    "random": ("tenlog.bots.rand", "RandomBot", "does anything that is allowed"),
    "cautious": ("tenlog.bots.cautious", "CautiousBot", "stops on good odds, pays little"),
    "greedy": ("tenlog.bots.greedy", "GreedyBot", "counts cards, weighs all by its final score"),
    "planner": ("tenlog.bots.planner", "PlannerBot", "plays out what could happen, by sampling"),
}

_SIMPLE: Final = (str, int, float, bool)


def _entry_points() -> dict[str, Any]:
    from importlib.metadata import entry_points  # takes longer than making most bots

    found = sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, entry.value))
    return {entry.name: entry for entry in found}


def bot_names() -> list[str]:
    """Names of all bots that need no path: those that come with tenlog, then entry points."""
    return [*BUILT_IN, *(name for name in _entry_points() if name not in BUILT_IN)]


def _about(spec: Spec, kind: Callable[..., Any]) -> str:
    if spec.target in BUILT_IN:
        return BUILT_IN[spec.target][2]
    lines = (getattr(kind, "__doc__", None) or "").strip().splitlines()
    return lines[0][:200] if lines else ""


def manual(name: str) -> str:
    """What the class of a bot says of itself and of its parameters; empty if it says nothing.

    Raises:
        BotError: there is no such bot, or it is a program.
    """
    spec = parse_spec(name)
    if spec.kind == "program":
        raise BotError(f"bot {name!r} is a program; ask it for its help")
    return inspect.getdoc(_maker(spec)[0]) or ""


def make_bot(spec: str) -> Bot:
    """A new bot from its specification. A program is not started yet.

    Raises:
        BotError: there is no such bot, or not with such parameters.
    """
    return find_bot(spec)[0]


def find_bot(text: str) -> tuple[Bot, Origin]:
    """A new bot from its specification, and where it comes from.

    Raises:
        BotError: there is no such bot, or not with such parameters.
    """
    spec = parse_spec(text)
    if spec.kind == "program":
        return _make_program(spec), "program"
    with aside():
        kind, origin = _maker(spec)
    values = _values(spec, _accepted(kind))
    try:
        with aside():
            bot: Any = kind(**values)
    except BotError as error:
        raise BotError(f"bot {text!r}: {error}") from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # nobody leaves by exit()
        raise BotError(f"bot {text!r} can't be made: {what_failed(error, kind)}") from error
    if not callable(getattr(bot, "decide", None)):
        raise BotError(f"bot {text!r}: what it makes has no method decide(view, stream)")
    return bot, origin


def describe(text: str) -> BotInfo:
    """What is known of a bot. A program is started to be asked, and ended again.

    Raises:
        BotError: there is no such bot, or not with such parameters, or it says no hello.
    """
    spec = parse_spec(text)
    if spec.kind == "program":
        bot = _make_program(spec)
        try:
            bot.greet()
        finally:
            bot.close()
        told: dict[str, str | int | float | bool] = {"ms": bot.ms, "start": bot.start_ms}
        return BotInfo(text, bot.name, bot.version, "program", told)
    made, origin = find_bot(text)
    kind, _ = _maker(spec)
    accepted = _accepted(kind)
    values = _values(spec, accepted)
    parameters = {
        name: value
        for name, (_, default) in accepted.items()
        if isinstance(value := values.get(name, default), _SIMPLE)
    }
    name = spec.target if spec.kind == "name" else spec.target.rpartition(":")[2]
    version = str(getattr(made, "version", ""))[:64]
    _close(made)
    return BotInfo(text, name, version, origin, parameters, _about(spec, kind))


def _close(bot: object) -> None:
    close = getattr(bot, "close", None)
    if callable(close):
        close()


def _make_program(spec: Spec) -> ProgramBot:
    accepted: dict[str, tuple[type, object]] = {"ms": (int, 1000), "start": (int, 10_000)}
    values = _values(spec, accepted)
    try:
        return ProgramBot(spec, **values)
    except BotError as error:
        text = str(error)
        raise BotError(text if text.startswith("bot ") else f"bot {spec.text!r}: {text}") from None


def _maker(spec: Spec) -> tuple[Callable[..., Any], Origin]:
    if spec.kind == "object":
        return _load_object(spec), "object"
    name = spec.target
    if name in BUILT_IN:
        module, cls, _ = BUILT_IN[name]
        kind: Callable[..., Any] = getattr(import_module(module), cls)
        return kind, "built-in"
    entries = _entry_points()
    if name not in entries:
        known = ", ".join([*BUILT_IN, *(other for other in entries if other not in BUILT_IN)])
        raise BotError(f"no bot {name!r}: there are {known} (see tenlog bots)")
    try:
        loaded = entries[name].load()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise BotError(
            f"bot {name!r} ({entries[name].value}) can't be loaded: {what_failed(error, None)}"
        ) from error
    return _callable(spec, loaded), "entry-point"


def _load_object(spec: Spec) -> Callable[..., Any]:
    module, _, path = spec.target.partition(":")
    # As with ``python -m``: modules of the current folder are found too, behind all others.
    here = str(Path.cwd())
    if here not in sys.path and "" not in sys.path:
        sys.path.append(here)
    try:
        found: Any = import_module(module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise BotError(
            f"bot {spec.text!r}: module {module!r} can't be loaded: {what_failed(error, None)}"
        ) from error
    for part in path.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            raise BotError(f"bot {spec.text!r}: {module} has no {path}") from None
    return _callable(spec, found)


def _callable(spec: Spec, found: Any) -> Callable[..., Any]:
    if not callable(found):
        raise BotError(
            f"bot {spec.text!r}: {spec.target} is {type(found).__name__}, not a class or function "
            "that makes a bot"
        )
    made: Callable[..., Any] = found
    return made


def _accepted(kind: Callable[..., Any]) -> dict[str, tuple[type, object]]:
    """Names, types and defaults of what a bot can be told, from its constructor."""
    maker: Any = kind
    if isinstance(kind, type):
        maker = inspect.getattr_static(kind, "__init__")
        if maker is object.__init__:
            return {}
    try:
        parameters: Iterable[inspect.Parameter] = inspect.signature(kind).parameters.values()
        hints = get_type_hints(maker)
    except (TypeError, ValueError, NameError):
        return {}
    accepted: dict[str, tuple[type, object]] = {}
    for parameter in parameters:
        if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            hint = hints.get(parameter.name, str)
            accepted[parameter.name] = (hint if hint in _SIMPLE else str, parameter.default)
    return accepted


def _values(spec: Spec, accepted: dict[str, tuple[type, object]]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key, text in spec.parameters.items():
        if key not in accepted:
            known = ", ".join(accepted) or "none"
            raise BotError(f"bot {spec.text!r}: no parameter {key!r} (it has: {known})")
        kind = accepted[key][0]
        try:
            values[key] = msgspec.convert(text, kind, strict=False)
        except msgspec.ValidationError:
            raise BotError(
                f"bot {spec.text!r}: {key} must be of type {kind.__name__}, not {text!r}"
            ) from None
    return values
