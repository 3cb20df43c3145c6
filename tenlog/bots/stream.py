"""The randomness of bots: drawn from the seed of the game, never from global state (FORMAT 4).

A stream belongs to one decision of one seat, so that a bot need not remember how much of it was
used: whoever resumes a game, or asks a bot again, gets the same numbers. From its stream a bot can
find neither the seed nor the stream of another seat.

The stream of seat s of a game with the seed S has the key K: the first 64 bits of the SHA-256 of
``tenlog/bot/1:S:s``, big-endian. Word k (from 0) of the decision asked after n events is
``mix(K + (n·2^16 + k + 1)·γ)``, where γ is 0x9E3779B97F4A7C15, all arithmetic is modulo 2^64, and
``mix`` is the finaliser of SplitMix64 (Steele, Lea, Flood 2014).
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Final, TypeVar

_T = TypeVar("_T")

_MASK: Final = (1 << 64) - 1
_GAMMA: Final = 0x9E3779B97F4A7C15
WORDS: Final = 1 << 16  # of one decision; the words behind these are the next decision's
_DECISION: Final = _GAMMA << 16  # from a decision's first word to that of the next
_PER_GAMMA: Final = pow(_GAMMA, -1, 1 << 64)


def stream_key(seed: str, seat: int) -> int:
    """The key of all streams of a seat in a game: 64 bits."""
    return int.from_bytes(sha256(f"tenlog/bot/1:{seed}:{seat}".encode()).digest()[:8], "big")


def alias_of(seed: str) -> str:
    """What bots are told as the id of the game with this seed (FORMAT 7).

    Logs' ids are for people: those of ``simulate`` have the seed in them. This is the first 64 bits
    of the SHA-256 of ``tenlog/alias/1:SEED``, as 16 hex digits. Who asks a bot of the game again
    tells it the same.
    """
    return sha256(f"tenlog/alias/1:{seed}".encode()).hexdigest()[:16]


class Stream:
    """Random numbers for one decision; at most 2^16 of them are its own."""

    __slots__ = ("_at", "_key")

    def __init__(self, key: int, n: int) -> None:
        self._key = key
        self._at = key + n * _DECISION

    def seek(self, n: int) -> None:
        """Become the stream of the same seat's decision after ``n`` events."""
        self._at = self._key + n * _DECISION

    def used(self, n: int) -> int:
        """How many words the decision after ``n`` events has taken; not to be more than
        :data:`WORDS`. Counted from where the stream stands, so that taking a word costs nothing."""
        return (self._at - self._key - n * _DECISION) * _PER_GAMMA & _MASK

    def word(self) -> int:
        """The next word: 0 … 2^64−1.

        >>> s = Stream(0, 0); hex(s.word()), hex(s.word())
        ('0xe220a8397b1dcdaf', '0x6e789e6aa1b965f4')
        """
        self._at = at = (self._at + _GAMMA) & _MASK
        at = ((at ^ (at >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        at = ((at ^ (at >> 27)) * 0x94D049BB133111EB) & _MASK
        return at ^ (at >> 31)

    def below(self, end: int) -> int:
        """A whole number from 0 to ``end`` − 1, each as likely as another (to 1 in 2^64/end).

        ``end`` is at least 1.
        """
        # As word(), written out: this is what bots call most.
        self._at = at = (self._at + _GAMMA) & _MASK
        at = ((at ^ (at >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        at = ((at ^ (at >> 27)) * 0x94D049BB133111EB) & _MASK
        return ((at ^ (at >> 31)) * end) >> 64

    def coin(self) -> int:
        """0 or 1, each as likely: ``below(2)``, sooner."""
        self._at = at = (self._at + _GAMMA) & _MASK
        at = ((at ^ (at >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        # Only the highest bit is asked for, and the last step of word() leaves that as it is.
        return ((at ^ (at >> 27)) * 0x94D049BB133111EB) >> 63 & 1

    def chance(self, probability: float) -> bool:
        """True with this probability (0 to 1)."""
        return (self.word() >> 11) < probability * (1 << 53)

    def choice(self, items: Sequence[_T]) -> _T:
        """One of the items, each as likely as another; there must be one."""
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[_T]) -> list[_T]:
        """The items in a random order."""
        order = list(items)
        for i in range(len(order) - 1, 0, -1):
            j = self.below(i + 1)
            order[i], order[j] = order[j], order[i]
        return order
