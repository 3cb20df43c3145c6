"""The dictionary of bodies: each different event of a part once, checked, numbered, written out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import compress, count
from typing import IO, Any, Final

import msgspec

from tenlog.archive.lines import NotKept
from tenlog.game.events import (
    AuctionUnsold,
    AuctionWon,
    Busted,
    BuyDeclined,
    CardBought,
    CurrencyTaken,
    Event,
    GameFinished,
    GameStarted,
    NothingTaken,
    NumbersTaken,
)
from tenlog.log.codec import CodecError, decode_event, decode_events

FIRST: Final = 0  # the code of every GameStarted
LAST: Final = 1  # the code of every GameFinished

# Types whose event is the last one of a turn; a buy ends one too, save in the final buys.
TURN_ENDS: Final = frozenset({Busted, CurrencyTaken, NothingTaken, CardBought, BuyDeclined})


class Effect(msgspec.Struct, frozen=True, gc=False):
    """What an event does to what players hold.

    Attributes:
        seat: of whom it is told; -1 is nobody, or the drawer.
        tokens, busts, cards: what that seat gets or gives.
        seats: of how many seats gains are told, 0 if of none.
        gains: the seats that gain tokens, and how many.
    """

    seat: int
    tokens: int = 0
    busts: int = 0
    cards: int = 0
    seats: int = 0
    gains: tuple[tuple[int, int], ...] = ()


def _gains(gains: Sequence[int]) -> tuple[tuple[int, int], ...]:
    return tuple([(seat, gain) for seat, gain in enumerate(gains) if gain])


def _paid(event: Any) -> Effect:
    paid = event.payment
    return Effect(event.seat, -paid.tokens, -paid.busts, 1 - len(paid.cards))


_ENDS: Final = frozenset({GameStarted, GameFinished})

_EFFECTS: Final[dict[type[Event], Callable[[Any], Effect]]] = {
    NumbersTaken: lambda e: Effect(
        e.seat, cards=len(e.cards), seats=len(e.gains), gains=_gains(e.gains)
    ),
    CurrencyTaken: lambda e: Effect(e.seat, e.tokens),
    Busted: lambda e: Effect(
        e.seat, busts=e.bust_tokens, seats=len(e.gains), gains=_gains(e.gains)
    ),
    AuctionWon: _paid,
    CardBought: _paid,
    AuctionUnsold: lambda _: Effect(-1, cards=1),
}


class Dictionary:
    """Bodies by their bytes (with the brace that closes a line); new ones are checked, numbered
    and written out.

    What is kept of each body lies in a column, at its number: nothing here is an object that the
    garbage collector has to look at again and again.

    Attributes:
        ends: for each body 1 if it ends a turn, else 0.
        longest: bytes of the longest line that was written out.
    """

    def __init__(self, out: IO[bytes]) -> None:
        self.ends = bytearray(2)
        self.longest = 0
        self._effects: list[Effect | None] = [None, None]
        self._does = bytearray(2)  # for each body 1 if it has an effect
        self._codes: dict[bytes, int] = {}
        self._older: dict[bytes, int] = {}
        self._out = out
        for code, name in ((FIRST, "GameStarted"), (LAST, "GameFinished")):
            out.write(b'{"code":%d,"ev":{"type":"%b"}}\n' % (code, name.encode()))

    def codes(self, keys: list[bytes]) -> list[int]:
        """The numbers of a game's bodies; what was never seen is learnt first.

        Raises:
            CodecError: a body is not an event in its canonical form.
            NotKept: a body is an event that can't stand there.
        """
        found = list(map(self._codes.get, keys))
        if None in found:
            missing = [at for at, code in enumerate(found) if code is None]
            self._learn([keys[at] for at in missing])
            for at in missing:
                found[at] = self._codes[keys[at]]
        return found  # type: ignore[return-value]

    def effects_of(self, codes: list[int]) -> Iterator[tuple[int, Effect]]:
        """What the bodies do that do anything, each with its place among them."""
        for n in compress(count(), map(self._does.__getitem__, codes)):
            effect = self._effects[codes[n]]
            assert effect is not None
            yield n, effect

    def trim(self, most: int) -> None:
        """Forget the bytes of bodies that were not seen for long, if there are more than
        ``most``."""
        if len(self._codes) > most:
            self._older, self._codes = self._codes, {}

    def _learn(self, keys: list[bytes]) -> None:
        fresh = list(dict.fromkeys(keys))
        if self._older:
            known = {key: self._older.pop(key) for key in fresh if key in self._older}
            self._codes |= known
            fresh = [key for key in fresh if key not in known]
            if not fresh:
                return
        bodies = b"\n".join([*[key[:-1] for key in fresh], b""])
        try:
            events = decode_events(bodies)
        except CodecError:
            for key in fresh:  # which one it is
                decode_event(key[:-1])
            raise
        kinds = list(map(type, events))
        for kind in _ENDS.intersection(kinds):
            raise NotKept("bad-sequence", f"{kind.__name__} stands in the middle of the game")
        code = len(self.ends)
        self._codes.update(zip(fresh, range(code, code + len(fresh)), strict=True))
        self.ends += bytes([kind in TURN_ENDS for kind in kinds])
        makers = list(map(_EFFECTS.get, kinds))
        self._does += bytes([make is not None for make in makers])
        self._effects += [
            None if make is None else make(event)
            for make, event in zip(makers, events, strict=True)
        ]
        out = [b'{"code":%d,"ev":%b\n' % told for told in enumerate(fresh, code)]
        self.longest = max(self.longest, *map(len, out))
        self._out.write(b"".join(out))
