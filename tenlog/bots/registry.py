"""From a specification to a bot: ``name`` or ``name:parameter=value,parameter=value``."""

from __future__ import annotations

from importlib import import_module
from typing import Final

import msgspec

from tenlog.bots.base import Bot
from tenlog.errors import BotError

# Name → module, class, one line for people. Modules are loaded when a bot is made.
BUILT_IN: Final[dict[str, tuple[str, str, str]]] = {
    "random": ("tenlog.bots.rand", "RandomBot", "does anything that is allowed"),
    "cautious": ("tenlog.bots.cautious", "CautiousBot", "stops on good odds"),
    "greedy": ("tenlog.bots.greedy", "GreedyBot", "counts cards, values all by its final score"),
}


def parse_spec(spec: str) -> tuple[str, dict[str, str]]:
    """The name and the parameters of a specification.

    Raises:
        BotError: a parameter is not ``name=value``.

    >>> parse_spec("greedy:risk=0.2")
    ('greedy', {'risk': '0.2'})
    """
    name, _, rest = spec.partition(":")
    parameters: dict[str, str] = {}
    for part in rest.split(",") if rest else []:
        key, equals, value = part.partition("=")
        if not equals or not key:
            raise BotError(f"bot {spec!r}: {part!r} is not parameter=value")
        parameters[key] = value
    return name, parameters


def make_bot(spec: str) -> Bot:
    """A new bot from its specification.

    Raises:
        BotError: there is no such bot, or not with such parameters.
    """
    name, parameters = parse_spec(spec)
    found = BUILT_IN.get(name)
    if found is None:
        raise BotError(f"no bot {name!r}: there are {', '.join(BUILT_IN)} (see tenlog bots)")
    module, cls, _ = found
    kind: type[Bot] = getattr(import_module(module), cls)
    accepted = _parameters(kind)
    values: dict[str, object] = {}
    for key, value in parameters.items():
        if key not in accepted:
            known = ", ".join(accepted) or "none"
            raise BotError(f"bot {spec!r}: no parameter {key!r} (it has: {known})")
        try:
            values[key] = msgspec.convert(value, accepted[key], strict=False)
        except msgspec.ValidationError:
            raise BotError(
                f"bot {spec!r}: {key} must be of type {accepted[key].__name__}, not {value!r}"
            ) from None
    return kind(**values)


def _parameters(kind: type[Bot]) -> dict[str, type]:
    """Names and types of what a bot can be told, from its constructor."""
    import inspect
    from typing import get_type_hints

    if kind.__init__ is object.__init__:
        return {}
    hints = get_type_hints(kind.__init__)
    return {
        name: hints.get(name, str) for name in list(inspect.signature(kind.__init__).parameters)[1:]
    }
