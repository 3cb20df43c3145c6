"""tenlog: an event-sourced engine, game log and toolbox for TEN.

What a notebook needs is here; each name is loaded when it is first used:

>>> from tenlog import fold, new_game, score_cards
>>> game = new_game(["Ann", "Bob"], seed=42)
>>> while not game.over:
...     happened = game.do(game.legal()[0])
>>> len(game.events), game.state.scores, fold(game.events) == game.state
(133, (2, 1), True)
>>> score_cards(["B1", "B2", "B3", "B5", "B7", "BW"]).total
5
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tenlog.errors import (
        BotError,
        CardError,
        IllegalMove,
        LogError,
        LogFault,
        RulesetError,
        SeedError,
        SetupError,
        TenlogError,
    )
    from tenlog.game.commands import (
        Bid,
        Buy,
        Command,
        Decline,
        Draw,
        Pass,
        TakeCurrency,
        TakeNumbers,
    )
    from tenlog.game.decide import Deck, decide
    from tenlog.game.events import Event, Payment
    from tenlog.game.evolve import evolve, fold
    from tenlog.game.judge import Judge
    from tenlog.game.legal import Options, is_legal, legal, options, refusal
    from tenlog.game.payments import parse_payment, payment_text, suggest
    from tenlog.game.ruleset import Ruleset, find_ruleset, parse_ruleset, ruleset_from
    from tenlog.game.scoring import Score, best_score, score_cards
    from tenlog.game.state import Phase, State
    from tenlog.game.view import View, redact
    from tenlog.log.read import Fault, GameLog, read_games, read_one
    from tenlog.log.replay import Replay, replay
    from tenlog.play.game import Game, new_game
    from tenlog.play.session import Session, new_session, resume_session
    from tenlog.shuffle import commitment

__version__ = "0.1.0"

_HOMES = {
    "errors": (
        "BotError CardError IllegalMove LogError LogFault RulesetError SeedError SetupError "
        "TenlogError"
    ),
    "game.commands": "Bid Buy Command Decline Draw Pass TakeCurrency TakeNumbers",
    "game.decide": "Deck decide",
    "game.events": "Event Payment",
    "game.evolve": "evolve fold",
    "game.judge": "Judge",
    "game.legal": "Options is_legal legal options refusal",
    "game.payments": "parse_payment payment_text suggest",
    "game.ruleset": "Ruleset find_ruleset parse_ruleset ruleset_from",
    "game.scoring": "Score best_score score_cards",
    "game.state": "Phase State",
    "game.view": "View redact",
    "log.read": "Fault GameLog read_games read_one",
    "log.replay": "Replay replay",
    "play.game": "Game new_game",
    "play.session": "Session new_session resume_session",
    "shuffle": "commitment",
}
_HOME = {name: module for module, names in _HOMES.items() for name in names.split()}

__all__ = [
    "Bid",
    "BotError",
    "Buy",
    "CardError",
    "Command",
    "Deck",
    "Decline",
    "Draw",
    "Event",
    "Fault",
    "Game",
    "GameLog",
    "IllegalMove",
    "Judge",
    "LogError",
    "LogFault",
    "Options",
    "Pass",
    "Payment",
    "Phase",
    "Replay",
    "Ruleset",
    "RulesetError",
    "Score",
    "SeedError",
    "Session",
    "SetupError",
    "State",
    "TakeCurrency",
    "TakeNumbers",
    "TenlogError",
    "View",
    "best_score",
    "commitment",
    "decide",
    "evolve",
    "find_ruleset",
    "fold",
    "is_legal",
    "legal",
    "new_game",
    "new_session",
    "options",
    "parse_payment",
    "parse_ruleset",
    "payment_text",
    "read_games",
    "read_one",
    "redact",
    "refusal",
    "replay",
    "resume_session",
    "ruleset_from",
    "score_cards",
    "suggest",
]


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'tenlog' has no attribute {name!r}")
    value = getattr(import_module(f"tenlog.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
