"""The rulesets that come with the package, each a TOML file of this folder."""

from functools import cache
from importlib.resources import files

FILES = {"ten/1": "ten-1.toml"}


@cache
def shipped(name: str) -> bytes | None:
    """The TOML text of a shipped ruleset, or None if there is none of this name."""
    file = FILES.get(name)
    return None if file is None else files(__name__).joinpath(file).read_bytes()
