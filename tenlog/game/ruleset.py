"""Rulesets as data (RULES 10), and the compact form in which the engine asks them.

A :class:`Ruleset` is what a file or a log holds. :class:`Rules` is the same for a given number of
players, checked and flattened into plain integers; every state carries one.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final, Literal, NoReturn, get_args

import msgspec

from tenlog.errors import RulesetError, SetupError
from tenlog.game.cards import CARDS, KIND, KINDS, Card
from tenlog.rulesets import FILES, shipped

MAX_SEATS: Final = 10
MAX_COPIES: Final = 99  # of one card
MAX_DECK: Final = 1000
MAX_NUMBER: Final = 1000  # for token counts, limits, values and bonuses

_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)
_NAME = re.compile(r"[A-Za-z0-9._/-]{1,32}\Z")


UnsoldWild = Literal["discard", "drawer"]
SpentCards = Literal["discard", "market"]


class Seats(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many may play: 1 ≤ min ≤ max ≤ 10."""

    min: int
    max: int


class Tokens(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Tokens at the start, the most that one may hold, and how many there are in all."""

    start: int
    limit: int
    supply: int


class Busts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many bust tokens there are, and what one is worth as payment."""

    supply: int
    value: int


class _FrozenDeck(dict[Card, tuple[int, ...]]):
    """A deck table that cannot be changed (a dict, so that it is encoded as one)."""

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("a ruleset cannot be changed; make another one with ruleset_from")

    def __reduce__(self) -> tuple[type[_FrozenDeck], tuple[dict[Card, tuple[int, ...]]]]:
        # Rebuilt in one go: the way of a plain dict would set its items one by one.
        return _FrozenDeck, (dict(self),)

    __setitem__ = __delitem__ = clear = pop = popitem = setdefault = update = __ior__ = _refuse


class Ruleset(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A whole ruleset as it stands in a log. ``deck`` gives, for each copy of a card, the least
    number of players with which that copy is in play (RULES 2.4)."""

    name: str
    seats: Seats
    deck: dict[Card, tuple[int, ...]]
    tokens: Tokens
    busts: Busts
    bust_limit: int
    full_run_bonus: int
    unsold_wild: UnsoldWild
    spent_cards: SpentCards
    auction_cards: bool

    def __post_init__(self) -> None:
        # Frozen all the way down: a shared ruleset must not change under a running game.
        msgspec.structs.force_setattr(self, "deck", _FrozenDeck(self.deck))


def _need(ok: bool, field: str, message: str) -> None:
    if not ok:
        raise RulesetError(field, message)


def _between(value: int, low: int, high: int, field: str) -> None:
    _need(low <= value <= high, field, f"must be {low} to {high}, is {_number(value)}")


def _number(value: int) -> str:
    """A number for people; thousands of digits can't be written out (``0xfff…`` in TOML)."""
    return str(value) if -(1 << 63) <= value < 1 << 63 else "far beyond"


def check_ruleset(ruleset: Ruleset) -> Ruleset:
    """The ruleset itself, if a game can be played by it.

    Raises:
        RulesetError: it cannot; the error names the field (RULES 10).
    """
    r = ruleset
    _need(
        _NAME.match(r.name) is not None,
        "name",
        f"must be 1 to 32 of the characters A-Z a-z 0-9 . _ / -, is {r.name[:40]!r}",
    )
    _between(r.seats.min, 1, MAX_SEATS, "seats.min")
    _between(r.seats.max, r.seats.min, MAX_SEATS, "seats.max")
    _need(len(r.deck) > 0, "deck", "is empty")
    in_order = [card for card in CARDS if card in r.deck]
    _need([*r.deck] == in_order, "deck", "must name its cards in the order R1 to G9, RW to WW, C1")
    for card, copies in r.deck.items():
        field = f"deck.{card}"
        _need(card in KIND, field, "is not a card")
        _between(len(copies), 0, MAX_COPIES, f"{field} (copies)")
        for least in copies:
            _between(least, 1, MAX_SEATS, field)
    for players in range(r.seats.min, r.seats.max + 1):
        size = sum(least <= players for copies in r.deck.values() for least in copies)
        _need(size > 0, "deck", f"is empty with {players} players")
        _need(size <= MAX_DECK, "deck", f"has more than {MAX_DECK} cards with {players} players")
    _between(r.tokens.limit, 0, MAX_NUMBER, "tokens.limit")
    _between(r.tokens.supply, 0, MAX_NUMBER, "tokens.supply")
    start, limit = r.tokens.start, r.tokens.limit
    _need(
        0 <= start <= limit,
        "tokens.start",
        f"must be 0 to tokens.limit ({limit}), is {_number(start)}",
    )
    _need(
        r.tokens.start * r.seats.max <= r.tokens.supply,
        "tokens.start",
        f"{r.tokens.start} for each of {r.seats.max} players is more than "
        f"the supply of {r.tokens.supply}",
    )
    _between(r.busts.supply, 0, MAX_NUMBER, "busts.supply")
    _between(r.busts.value, 1, MAX_NUMBER, "busts.value")
    _between(r.bust_limit, 1, MAX_NUMBER, "bust_limit")
    _between(r.full_run_bonus, 0, MAX_NUMBER, "full_run_bonus")
    if r.name in FILES:
        _need(r == find_ruleset(r.name), "name", f"{r.name} is taken by the shipped ruleset")
    return r


@lru_cache(maxsize=8)
def _shipped(name: str) -> Ruleset | None:
    text = shipped(name)
    if text is None:
        return None
    return _convert(msgspec.toml.decode(text))


def find_ruleset(name: str) -> Ruleset:
    """A shipped ruleset by name.

    Raises:
        RulesetError: there is none of this name.
    """
    found = _shipped(name)
    if found is None:
        known = ", ".join(FILES)
        raise RulesetError("name", f"no ruleset {name[:40]!r} comes with tenlog (it has: {known})")
    return found


def _unknown(table: str, field: str) -> RulesetError:
    from difflib import get_close_matches

    kind = {"": Ruleset, "seats": Seats, "tokens": Tokens, "busts": Busts}.get(table)
    known = () if kind is None else kind.__struct_fields__
    close = get_close_matches(field, known, 1)
    hint = f": did you mean {close[0]}?" if close else f" (known: {', '.join(known)})"
    name = f"{table}.{field}" if table else field
    return RulesetError(name[:80], f"is unknown{hint if known else ''}")


_CARD: Final = "deck[...]"  # what msgspec calls any entry of the deck
_CHOICES: Final = {"unsold_wild": get_args(UnsoldWild), "spent_cards": get_args(SpentCards)}


def _bad_card(deck: dict[str, Any]) -> str:
    """The first card whose copies are not what they have to be."""
    for card, copies in deck.items():
        try:
            msgspec.convert(copies, tuple[int, ...])
        except msgspec.ValidationError:
            return card
    return ""  # cannot be: msgspec found one


def _convert(data: Any) -> Ruleset:
    try:
        return msgspec.convert(data, Ruleset)
    except msgspec.ValidationError as error:
        message, _, path = str(error).partition(" - at `$")
        field = path.strip("`.") or "(whole file)"
        unknown = _UNKNOWN.fullmatch(message)
        if unknown is not None:
            raise _unknown(path.strip("`."), unknown[1]) from None
        if field.startswith(_CARD):
            field = f"deck.{_bad_card(data['deck'])}{field.removeprefix(_CARD)}"
        if field in _CHOICES:
            allowed = " or ".join(_CHOICES[field])
            message = f"must be {allowed}, is {repr(data[field])[:40]}"
        raise RulesetError(field, message[:1].lower() + message[1:]) from None


def ruleset_from(data: Any) -> Ruleset:
    """A ruleset from what a user wrote: only ``name`` is required, what is left out is as in ten/1.

    Tables (``tokens = {limit = 12}``) are completed field by field, the deck card by card; a card
    with no copies (``C5 = []``) is taken out.

    Raises:
        RulesetError: a field is unknown, of the wrong type, or cannot work (RULES 10).
    """
    if not isinstance(data, dict):
        raise RulesetError("(whole file)", "must be a table of fields")
    if "name" not in data:
        raise RulesetError("name", "is missing: give your ruleset a name of its own")
    base: dict[str, Any] = msgspec.to_builtins(find_ruleset("ten/1"))
    for field, value in data.items():
        if field in ("seats", "tokens", "busts", "deck") and isinstance(value, dict):
            base[field] = {**base[field], **value}
        else:
            base[field] = value
    if isinstance(base["deck"], dict):
        # In the order of the kinds, so that equal rulesets are equal bytes in a log.
        deck = base["deck"]
        unknown = [card for card in deck if card not in KIND]
        _need(not unknown, f"deck.{unknown[0] if unknown else ''}", "is not a card")
        base["deck"] = {card: deck[card] for card in CARDS if card in deck and deck[card] != []}
    return check_ruleset(_convert(base))


def _check_keys(text: bytes) -> None:
    """Refuse JSON with a key twice, as TOML is; msgspec takes the last one without a word."""
    import json

    def once(pairs: list[tuple[str, Any]]) -> None:
        keys = [key for key, _ in pairs]
        for key in keys:
            _need(keys.count(key) == 1, key, "is given twice")

    json.loads(text, object_pairs_hook=once)


def parse_ruleset(text: bytes, kind: Literal["toml", "json"]) -> Ruleset:
    """A ruleset from the bytes of a file.

    Raises:
        RulesetError: the text is not TOML or JSON, or the ruleset cannot work.
    """
    try:
        data = msgspec.toml.decode(text) if kind == "toml" else msgspec.json.decode(text)
        if kind == "json":
            _check_keys(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RulesetError("(whole file)", f"is not {kind.upper()}: {error}") from None
    except ValueError:  # from int(), which tomllib lets through as it is
        raise RulesetError("(whole file)", "has a number with thousands of digits") from None
    return ruleset_from(data)


class Rules:
    """A ruleset for a given number of players, flattened for the engine. Never changes."""

    __slots__ = (
        "auction_cards",
        "bonus",
        "bust_limit",
        "bust_supply",
        "bust_value",
        "counts",
        "deck",
        "deck_size",
        "players",
        "ruleset",
        "spent_to_market",
        "start",
        "token_limit",
        "token_supply",
        "unsold_to_drawer",
    )

    def __init__(self, ruleset: Ruleset, players: int) -> None:
        if not ruleset.seats.min <= players <= ruleset.seats.max:
            raise SetupError(
                f"{ruleset.name} is for {ruleset.seats.min} to {ruleset.seats.max} players, "
                f"not {players}"
            )
        counts = bytearray(KINDS)
        for card, copies in ruleset.deck.items():
            counts[KIND[card]] = sum(least <= players for least in copies)
        self.ruleset = ruleset
        self.players = players
        self.counts = bytes(counts)  # copies in play by kind
        self.deck = tuple(kind for kind in range(KINDS) for _ in range(counts[kind]))
        self.deck_size = len(self.deck)
        self.start = ruleset.tokens.start
        self.token_limit = ruleset.tokens.limit
        self.token_supply = ruleset.tokens.supply
        self.bust_supply = ruleset.busts.supply
        self.bust_value = ruleset.busts.value
        self.bust_limit = ruleset.bust_limit
        self.bonus = ruleset.full_run_bonus
        self.unsold_to_drawer = ruleset.unsold_wild == "drawer"
        self.spent_to_market = ruleset.spent_cards == "market"
        self.auction_cards = ruleset.auction_cards


_encode = msgspec.json.Encoder().encode


@lru_cache(maxsize=256)
def _rules_of_name(name: str, players: int) -> Rules:
    return Rules(find_ruleset(name), players)


@lru_cache(maxsize=256)
def _rules_of_text(text: bytes, players: int) -> Rules:
    return Rules(check_ruleset(msgspec.json.decode(text, type=Ruleset)), players)


def rules_for(rules: str | Ruleset, players: int) -> Rules:
    """What the engine asks, for what ``GameStarted.rules`` holds and a number of players.

    Raises:
        RulesetError: no such ruleset, or one that cannot work.
        SetupError: not for this number of players.
    """
    if isinstance(rules, str):
        return _rules_of_name(rules, players)
    return _rules_of_text(_encode(rules), players)


def rules_field(ruleset: Ruleset) -> str | Ruleset:
    """What ``GameStarted.rules`` says of a ruleset: the name of a shipped one, else all of it."""
    return ruleset.name if ruleset.name in FILES else ruleset
