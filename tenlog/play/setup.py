"""Before a game: who sits where, and by which rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from tenlog.bots.registry import make_bot
from tenlog.bots.spec import command_words, parse_spec
from tenlog.errors import RulesetError
from tenlog.game.cards import CARDS
from tenlog.game.ruleset import Ruleset, find_ruleset, parse_ruleset
from tenlog.game.start import check_game_id
from tenlog.log.opening import read_small
from tenlog.log.source import log_error

PERSON = "Guest"  # what a person is called who gives no name
DEFAULT_BOTS = ("greedy", "greedy", "greedy")
_MOST_RULES: Final = 1 << 16  # bytes of a file with a ruleset


class Seats(msgspec.Struct, frozen=True):
    """Who plays: names, and by seat the bot's specification, or None for a person."""

    names: tuple[str, ...]
    bots: tuple[str | None, ...]


def seat_players(asked: Sequence[tuple[str, str]], *, alone: bool = False) -> Seats:
    """Seats from what was asked for, in seat order: ``("player", name)`` or ``("bot", spec)``.

    Without any bot asked for and at most one person, three ``greedy`` bots join, unless ``alone``.
    Without any person, one called ``Guest`` takes seat 0.

    Raises:
        BotError: there is no such bot.
    """
    wanted = list(asked)
    persons = [name for kind, name in wanted if kind == "player"]
    if not persons:
        wanted.insert(0, ("player", PERSON))
    if len(persons) <= 1 and len(wanted) == 1 and not alone:
        wanted += [("bot", spec) for spec in DEFAULT_BOTS]
    return name_seats(wanted)


def name_seats(wanted: Sequence[tuple[str, str]]) -> Seats:
    """Seats exactly as asked for; bots are called after their kind, and numbered if need be.

    Raises:
        BotError: there is no such bot.
    """
    taken = {name for kind, name in wanted if kind == "player"}
    kinds = [_short(text) if kind == "bot" else "" for kind, text in wanted]
    names: list[str] = []
    bots: list[str | None] = []
    for (kind, text), bot in zip(wanted, kinds, strict=True):
        if kind == "player":
            names.append(text)
            bots.append(None)
            continue
        make_bot(text)
        name = bot
        number = 1
        while name in taken or (number == 1 and kinds.count(bot) > 1):
            name = f"{bot} {number}"
            number += 1
        taken.add(name)
        names.append(name)
        bots.append(text)
    return Seats(tuple(names), tuple(bots))


def _short(spec: str) -> str:
    """What a bot is called at the table: its kind, without folders and parameters."""
    parsed = parse_spec(spec)
    if parsed.kind == "program":
        name = command_words(parsed)[0].rstrip("/").rpartition("/")[2]
    else:
        name = parsed.target.rpartition(":")[2]
    return name[:40] or "bot"


def load_ruleset(text: str) -> Ruleset:
    """A ruleset by its name (``ten/1``), or from a ``.toml`` or ``.json`` file.

    Raises:
        RulesetError: no such ruleset, or one that cannot work; names the field.
        LogError: the file cannot be read.
    """
    if not text.endswith((".toml", ".json")):
        try:
            return find_ruleset(text)
        except RulesetError as error:
            raise RulesetError(
                "name", f"{str(error).partition(': ')[2]}; a file ends in .toml or .json"
            ) from None
    try:
        data = read_small(text, _MOST_RULES, piped=True)
    except OSError as error:
        raise log_error(text, error, "read the ruleset") from None
    try:
        return parse_ruleset(data, "toml" if text.endswith(".toml") else "json")
    except RulesetError as error:
        raise RulesetError(error.field, error.detail, text) from None


def ruleset_toml(ruleset: Ruleset) -> str:
    """A ruleset as a whole TOML file, to be changed and loaded again.

    >>> ruleset_toml(find_ruleset("ten/1")).splitlines()[:3]
    ['name = "ten/1"', 'bust_limit = 10', 'full_run_bonus = 1']
    """
    r = ruleset
    lines = [
        f'name = "{r.name}"',
        f"bust_limit = {r.bust_limit}",
        f"full_run_bonus = {r.full_run_bonus}",
        f'unsold_wild = "{r.unsold_wild}"',
        f'spent_cards = "{r.spent_cards}"',
        f"auction_cards = {'true' if r.auction_cards else 'false'}",
        f"seats = {{ min = {r.seats.min}, max = {r.seats.max} }}",
        f"tokens = {{ start = {r.tokens.start}, limit = {r.tokens.limit}, "
        f"supply = {r.tokens.supply} }}",
        f"busts = {{ supply = {r.busts.supply}, value = {r.busts.value} }}",
        "",
        "# For each copy of a card: the least number of players with which it is in play.",
        "[deck]",
    ]
    # What is left out of a file is as in ten/1, so cards without copies must be named.
    lines += [f"{card} = {list(r.deck.get(card, ()))}" for card in CARDS]
    return "\n".join(lines) + "\n"


def new_id_refused(game: str) -> str | None:
    """Why a new game can't have an id, or None. Stricter than the format: a log that is named so
    would be hidden, or taken for an option."""
    refused = check_game_id(game)
    if refused is not None:
        return refused.message
    if game.startswith((".", "-")):
        return f"the id of a new game begins with a letter, a digit or _, not {game!r}"
    return None
