"""The rulesets that come with the package, each a TOML file of this folder."""

from functools import cache
from pathlib import Path

FILES = {"ten/1": "ten-1.toml"}


@cache
def shipped(name: str) -> bytes | None:
    """The TOML text of a shipped ruleset, or None if there is none of this name."""
    file = FILES.get(name)
    # Not through importlib.resources, which is slow to load: every command comes by here.
    return None if file is None else Path(__file__).with_name(file).read_bytes()
