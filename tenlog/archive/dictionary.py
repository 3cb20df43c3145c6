"""The dictionary of bodies: each different event of a part once, checked, numbered, written out."""

from __future__ import annotations

from collections.abc import Callable
from typing import IO, Any, Final

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
from tenlog.log.codec import decode_event

FIRST: Final = 0  # the code of every GameStarted
LAST: Final = 1  # the code of every GameFinished

# Types whose event is the last one of a turn; a buy ends one too, save in the final buys.
TURN_ENDS: Final = frozenset({Busted, CurrencyTaken, NothingTaken, CardBought, BuyDeclined})

# What an event does to what players hold: seat, tokens, bust tokens, cards, tokens by seat.
Effect = tuple[int, int, int, int, tuple[int, ...]]
# A body in the dictionary: its code, 1 if it ends a turn, what it does. Plain tuples: they are made
# for every new body.
Entry = tuple[int, int, Effect | None]


def _paid(event: Any) -> Effect:
    paid = event.payment
    return event.seat, -paid.tokens, -paid.busts, 1 - len(paid.cards), ()


_EFFECTS: Final[dict[type[Event], Callable[[Any], Effect]]] = {
    NumbersTaken: lambda e: (e.seat, 0, 0, len(e.cards), e.gains),
    CurrencyTaken: lambda e: (e.seat, e.tokens, 0, 0, ()),
    Busted: lambda e: (e.seat, 0, e.bust_tokens, 0, e.gains),
    AuctionWon: _paid,
    CardBought: _paid,
    AuctionUnsold: lambda e: (-1, 0, 0, 1, ()),  # for nobody, or for the drawer
}


class Dictionary(dict[bytes, Entry]):
    """Bodies by their bytes (with the brace that closes a line); new ones are checked, numbered
    and written out."""

    def __init__(self, out: IO[bytes]) -> None:
        super().__init__()
        self.next = LAST + 1
        self._out = out
        self._older: dict[bytes, Entry] = {}
        for code, name in ((FIRST, "GameStarted"), (LAST, "GameFinished")):
            out.write(b'{"code":%d,"ev":{"type":"%b"}}\n' % (code, name.encode()))

    def __missing__(self, key: bytes) -> Entry:
        entry = self._older.pop(key, None)
        if entry is None:
            entry = self._new(key)
        self[key] = entry
        return entry

    def trim(self, most: int) -> None:
        """Forget bodies that were not seen for long, if there are more than ``most``."""
        if len(self) > most:
            self._older = dict(self)
            self.clear()

    def _new(self, key: bytes) -> Entry:
        event = decode_event(key[:-1])
        kind = type(event)
        if kind is GameStarted or kind is GameFinished:
            raise NotKept("bad-sequence", f"{kind.__name__} stands in the middle of the game")
        effect = _EFFECTS.get(kind)
        code = self.next
        entry = (
            code,
            1 if kind in TURN_ENDS else 0,
            None if effect is None else effect(event),
        )
        self._out.write(b'{"code":%d,"ev":%b\n' % (code, key))
        self.next = code + 1
        return entry
