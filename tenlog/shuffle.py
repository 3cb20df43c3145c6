"""Seeds, their commitments, and the shuffle that every log can be checked against (FORMAT 4).

Nothing here knows cards: a deck is a number of places, a shuffle is an order of them.
"""

from __future__ import annotations

import os
from hashlib import sha256

from tenlog.errors import SeedError

SEED_LENGTH = 128  # characters at most


def has_control(text: str) -> bool:
    """Whether a text holds a control character (C0, DEL or C1) or half a surrogate pair.

    >>> has_control("Zoë"), has_control("a\\tb"), has_control("\\x7f")
    (False, True, True)
    """
    if text.isascii() and text.isprintable():
        return False
    return any(c < " " or "\x7f" <= c <= "\x9f" or "\ud800" <= c <= "\udfff" for c in text)


def check_seed(seed: str) -> str:
    """The seed itself, if it may be one.

    Raises:
        SeedError: not 1 to 128 characters, or among them a control character or a half surrogate
            pair, which is what bytes are that are not UTF-8 (FORMAT 4).
    """
    if not 1 <= len(seed) <= SEED_LENGTH:
        raise SeedError(f"a seed has 1 to {SEED_LENGTH} characters, this one has {len(seed)}")
    if has_control(seed):
        if any("\ud800" <= c <= "\udfff" for c in seed):
            raise SeedError(f"a seed is text in UTF-8, this one is not: {seed!r}")
        raise SeedError(f"a seed has no control characters, this one does: {seed!r}")
    return seed


def random_seed() -> str:
    """A fresh seed: 128 random bits as 32 hex digits."""
    return os.urandom(16).hex()


def is_guessable(seed: str) -> bool:
    """Whether a seed could be found by trying what its commitment is of: there are fewer than 2**64
    texts of its length and of as many different characters.

    >>> is_guessable("11"), is_guessable("20261201123456"), is_guessable(random_seed())
    (True, True, False)
    """
    like: int = len(set(seed)) ** len(seed)
    return like < 2**64


def commitment(seed: str) -> str:
    """What is published of a seed before the game: 64 hex digits (FORMAT 3).

    >>> commitment("42")[:16]
    'f8714fe9a7555f0a'
    """
    return sha256(f"tenlog/seed/1:{seed}".encode()).hexdigest()


def shuffle(seed: str, size: int) -> list[int]:
    """The order in which the places 0 … size−1 of a deck are drawn (FORMAT 4, version 1).

    One SHA-256 gives the sort keys of four places; equal keys, should they ever occur, are
    ordered by place.

    Raises:
        SeedError: the seed may not be one.

    >>> shuffle("42", 8)
    [3, 1, 6, 7, 2, 4, 5, 0]
    """
    prefix = f"tenlog/shuffle/1:{check_seed(seed)}:".encode()
    digests = b"".join(
        [sha256(prefix + b"%d" % block).digest() for block in range((size + 3) // 4)]
    )
    # Bytes sort as their hex digits do, so the digests need not be written out; and as Latin-1 text
    # they sort as they do as bytes, only sooner.
    text = digests.decode("latin-1")
    keys = [text[at : at + 8] for at in range(0, 8 * size, 8)]
    # sorted() is stable: equal keys stay in the order of their places.
    return sorted(range(size), key=keys.__getitem__)
