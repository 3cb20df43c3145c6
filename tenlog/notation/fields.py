"""The fields of a one-line game that are not moves: texts, rulesets, the checksum.

Only the characters ``A-Z a-z 0-9 . _ - % + , : /`` ever stand in a line: none that a shell, a URL
or a file of CSV would take for its own.
"""

from __future__ import annotations

import binascii
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import sha256
from typing import Any, Final

import msgspec

from tenlog.errors import NotationError, RulesetError
from tenlog.game.cards import CARDS
from tenlog.game.ruleset import Ruleset, check_ruleset, find_ruleset
from tenlog.rulesets import FILES

TAG: Final = "TEN1"
CHECK_DIGITS: Final = 6
BASE: Final = "ten/1"  # what an embedded ruleset is written against; never another one in TEN1

_PLAIN: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")
_BASE64: Final = re.compile(r"[A-Za-z0-9_-]+\Z")


def checksum(text: str) -> str:
    """Six hex digits over a line up to its last colon, which is left out.

    >>> checksum("TEN1:a")
    '44e4a8'
    """
    return sha256(text.encode()).hexdigest()[:CHECK_DIGITS]


def escape(text: str) -> str:
    """A text in which every byte of its UTF-8 is escaped but letters, digits, ``.``, ``_``, ``-``.

    >>> escape("Zoë & co")
    'Zo%C3%AB%20%26%20co'
    """
    return "".join(
        c if c in _PLAIN else "".join(f"%{byte:02X}" for byte in c.encode()) for c in text
    )


def unescape(text: str, at: int) -> str:
    """The text that :func:`escape` wrote; ``at`` is the position of its first character.

    Raises:
        NotationError: a character is not allowed, or an escape is broken.
    """
    data = bytearray()
    i = 0
    while i < len(text):
        char = text[i]
        if char == "%":
            digits = text[i + 1 : i + 3]
            if not re.fullmatch("[0-9A-F]{2}", digits):
                raise NotationError(at + i, f"after % stand two of 0-9 A-F, not {digits!r}")
            data.append(int(digits, 16))
            i += 3
        elif char in _PLAIN:
            data += char.encode()
            i += 1
        else:
            raise NotationError(at + i, f"{char!r} can't stand in a name or a seed; escape it by %")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise NotationError(
            at, f"the escapes of {text[:40]!r} are not UTF-8 ({error.reason})"
        ) from None


def to_base64(data: bytes) -> str:
    """Bytes as base64 for URLs, without padding."""
    return urlsafe_b64encode(data).decode().rstrip("=")


def from_base64(text: str, at: int, what: str) -> bytes:
    """The bytes that :func:`to_base64` wrote.

    Raises:
        NotationError: the text is not of this form.
    """
    try:
        if not _BASE64.match(text):
            raise ValueError
        return urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (ValueError, binascii.Error):
        raise NotationError(at, f"{what} must be base64 (A-Z a-z 0-9 _ -)") from None


def write_rules(rules: str | Ruleset) -> str:
    """A ruleset: the name of a shipped one, or ``+`` and what differs from ten/1."""
    if isinstance(rules, str):
        return rules
    return "+" + to_base64(msgspec.json.encode(_patch(rules)))


def _patch(rules: Ruleset) -> dict[str, Any]:
    """The fields that differ from ten/1, the deck card by card."""
    base = msgspec.to_builtins(find_ruleset(BASE))
    full = msgspec.to_builtins(rules)
    patch = {field: value for field, value in full.items() if value != base[field]}
    patch["name"] = rules.name
    if "deck" in patch:
        deck, usual = full["deck"], base["deck"]
        patch["deck"] = {c: deck.get(c) for c in CARDS if deck.get(c) != usual.get(c)}
    return patch


def read_rules(text: str, at: int) -> str | Ruleset:
    """What :func:`write_rules` wrote.

    Raises:
        NotationError: no such ruleset, or one that cannot work.
    """
    if not text.startswith("+"):
        if text not in FILES:
            known = ", ".join(FILES)
            raise NotationError(at, f"no ruleset {text[:40]!r} comes with tenlog (it has: {known})")
        return text
    data = from_base64(text[1:], at + 1, "an embedded ruleset")
    try:
        patch = msgspec.json.decode(data)
        if not isinstance(patch, dict):
            raise NotationError(at + 1, "the embedded ruleset is not a table of fields")
        return check_ruleset(msgspec.convert(_patched(patch), Ruleset))
    except (
        msgspec.MsgspecError,
        UnicodeDecodeError,
        RecursionError,
        TypeError,
        ValueError,
    ) as error:
        raise NotationError(at + 1, f"the embedded ruleset can't be read: {error}") from None
    except RulesetError as error:
        raise NotationError(at + 1, f"the embedded ruleset can't work: {error}") from None


def _patched(patch: dict[str, Any]) -> dict[str, Any]:
    base = msgspec.to_builtins(find_ruleset(BASE))
    deck = patch.get("deck", {})
    if not isinstance(deck, dict):
        raise TypeError("deck is not a table of cards")
    merged = {**base["deck"], **deck}
    order = [card for card in CARDS if card in merged] + [
        card for card in deck if card not in CARDS
    ]
    cards = {card: merged[card] for card in order if merged[card] is not None}
    return {**base, **patch, "deck": cards}
