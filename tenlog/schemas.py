"""JSON Schemas (draft 2020-12) of what tenlog writes: lines, events, rulesets, ``--json`` outputs.

Generated from the types that do the writing, so that they can't fall behind. What a schema can't
say stands in the format page: the order of the keys, seals, and whether a game keeps to the rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final, NamedTuple

import msgspec

from tenlog.errors import SetupError
from tenlog.game.cards import CARDS

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


class Schema(NamedTuple):
    """Where a type is found, whether an output is a list of them, and what it is for."""

    module: str
    type: str
    about: str
    listed: bool = False


_EVENTS: Final = (
    "GameStarted", "CardDrawn", "BidPlaced", "BidPassed", "AuctionWon", "AuctionUnsold", "Busted",
    "NumbersTaken", "CurrencyTaken", "NothingTaken", "CardBought", "BuyDeclined", "GameFinished",
)  # fmt: skip

SCHEMAS: Final[Mapping[str, Schema]] = {
    "line": Schema("tenlog.log.codec", "Line", "a line of a log"),
    "event": Schema("tenlog.game.events", "Event", "any event: what stands under ev"),
    **{name: Schema("tenlog.game.events", name, f"the event {name}") for name in _EVENTS},
    "command": Schema("tenlog.game.commands", "Command", "any decision, as bots send it"),
    "ruleset": Schema("tenlog.game.ruleset", "Ruleset", "a ruleset; rules --ruleset NAME --json"),
    "archive-add": Schema("tenlog.archive.add", "Added", "archive add --json"),
    "archive-info": Schema("tenlog.archive.read", "Info", "archive info --json"),
    "archive-ls": Schema("tenlog.archive.read", "Listed", "archive ls --json", listed=True),
    "archive-rebuild": Schema("tenlog.archive.manage", "Rebuilt", "archive rebuild --json"),
    "archive-recover": Schema("tenlog.archive.recover", "Recovered", "archive recover --json"),
    "archive-verify": Schema("tenlog.archive.verify", "Verified", "archive verify --json"),
    "audit": Schema("tenlog.audit.verdict", "Verdict", "audit --json, a line a game"),
    "bots": Schema("tenlog.bots.base", "BotInfo", "bots --json", listed=True),
    "bots-check": Schema("tenlog.bots.check", "BotCheck", "bots check --json"),
    "bots-show": Schema("tenlog.bots.base", "BotInfo", "bots show --json"),
    "branch": Schema("tenlog.play.branch", "BranchReport", "branch --json"),
    "demo": Schema("tenlog.play.answers", "DemoAnswer", "demo --json"),
    "diff": Schema("tenlog.diff", "DiffReport", "diff A B --json"),
    "diff-bots": Schema("tenlog.rethink", "RethinkReport", "diff --bots --json, a line a game"),
    "export": Schema("tenlog.protocol", "GameDocument", "export --json, a line a game"),
    "legal": Schema("tenlog.play.answers", "LegalAnswer", "legal --json"),
    "ls": Schema("tenlog.play.home", "GameRow", "ls --json", listed=True),
    "move": Schema(
        "tenlog.play.answers", "MoveAnswer", "new, draw, take, bid, pass, buy, decline --json"
    ),
    "odds": Schema("tenlog.game.odds", "Odds", "odds --json"),
    "replay": Schema("tenlog.play.answers", "StoryAnswer", "replay --json, a line an event"),
    "report": Schema("tenlog.archive.reports", "ReportAnswer", "report NAME --json"),
    "rules": Schema("tenlog.play.answers", "RuleAnswer", "rules --json, --find: a line a place"),
    "seal": Schema("tenlog.audit.seal", "LastSeal", "seal --json, a line a game"),
    "show": Schema("tenlog.play.answers", "TableAnswer", "show --json, replay --at N --json"),
    "sign": Schema("tenlog.audit.sign", "Signature", "sign --json, a line a game"),
    "simulate": Schema("tenlog.simulate.report", "Summary", "simulate --json"),
    "simulate-repeat": Schema("tenlog.simulate.report", "Repeat", "simulate --repeat --json"),
    "tournament": Schema("tenlog.tournament.result", "Result", "tournament --json"),
}


def schema_type(name: str) -> Any:
    """The type behind a name; its module is loaded only now.

    Raises:
        SetupError: there is no such schema.
    """
    found = SCHEMAS.get(name)
    if found is None:
        raise SetupError(f"no schema {name[:40]!r}: tenlog schema lists them")
    kind: Any = getattr(import_module(found.module), found.type)
    return list[kind] if found.listed else kind


def json_schema(name: str) -> dict[str, Any]:
    """The JSON Schema of a name.

    Raises:
        SetupError: there is no such schema.
    """
    kind = schema_type(name)
    (schema,), parts = msgspec.json.schema_components([kind], ref_template="#/$defs/{name}")
    about = SCHEMAS[name].about
    parts = _cards_once(parts)
    whole: dict[str, Any] = {"$schema": DIALECT, "title": f"tenlog {name}: {about}", **schema}
    if parts:
        whole["$defs"] = {part: parts[part] for part in sorted(parts)}
    return whole


def _cards_once(parts: dict[str, Any]) -> dict[str, Any]:
    """The list of all cards as a part of its own, wherever it stands."""
    cards = sorted(CARDS)
    used = False

    def walk(value: Any) -> Any:
        nonlocal used
        if isinstance(value, dict):
            if value == {"enum": cards}:
                used = True
                return {"$ref": "#/$defs/Card"}
            return {key: walk(item) for key, item in value.items()}
        if isinstance(value, list):
            return [walk(item) for item in value]
        return value

    walked: dict[str, Any] = walk(parts)
    if used:
        walked["Card"] = {"title": "Card", "description": "FORMAT 1", "enum": list(CARDS)}
    return walked


def schema_text(name: str) -> str:
    """The JSON Schema of a name as it stands in ``schemas/``: indented, ends with a newline.

    Raises:
        SetupError: there is no such schema.
    """
    data = msgspec.json.encode(json_schema(name))
    return msgspec.json.format(data, indent=2).decode() + "\n"
