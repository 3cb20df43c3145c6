"""Files that a user names: rulesets."""

from __future__ import annotations

from pathlib import Path

from tenlog.errors import LogError, RulesetError
from tenlog.game.ruleset import Ruleset, find_ruleset, parse_ruleset
from tenlog.log.source import log_error
from tenlog.rulesets import FILES

MAX_RULESET = 1 << 20  # bytes


def load_ruleset(name: str) -> Ruleset:
    """A ruleset by the name of a shipped one, or from a ``.toml`` or ``.json`` file.

    Raises:
        RulesetError: there is none of this name, or it cannot work; the message names the file.
        LogError: the file cannot be read.
    """
    if name in FILES:
        return find_ruleset(name)
    path = Path(name)
    if path.suffix not in (".toml", ".json"):
        known = ", ".join(FILES)
        raise RulesetError(
            "name", f"no ruleset {name[:60]!r}: give {known}, or a .toml or .json file"
        )
    try:
        with path.open("rb") as file:
            text = file.read(MAX_RULESET + 1)
    except (OSError, ValueError) as error:
        raise log_error(path, error) from None
    if len(text) > MAX_RULESET:
        raise LogError(f"{path} is too long to be a ruleset")
    try:
        return parse_ruleset(text, "toml" if path.suffix == ".toml" else "json")
    except RulesetError as error:
        raise RulesetError(error.field, f"{error.detail} (in {path})") from None
