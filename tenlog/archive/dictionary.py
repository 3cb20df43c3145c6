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
from tenlog.log.codec import CodecError, decode_event, decode_events

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


_ENDS: Final = frozenset({GameStarted, GameFinished})

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
        self.longest = 0
        self._out = out
        self._older: dict[bytes, Entry] = {}
        for code, name in ((FIRST, "GameStarted"), (LAST, "GameFinished")):
            out.write(b'{"code":%d,"ev":{"type":"%b"}}\n' % (code, name.encode()))

    def entries(self, keys: list[bytes]) -> list[Entry]:
        """The entries of a game's bodies; what was never seen is learnt first.

        Raises:
            CodecError: a body is not an event in its canonical form.
            NotKept: a body is an event that can't stand there.
        """
        found = list(map(self.get, keys))
        if not all(found):
            missing = [at for at, entry in enumerate(found) if entry is None]
            self._learn([keys[at] for at in missing])
            for at in missing:
                found[at] = self[keys[at]]
        return found  # type: ignore[return-value]

    def trim(self, most: int) -> None:
        """Forget bodies that were not seen for long, if there are more than ``most``."""
        if len(self) > most:
            self._older = dict(self)
            self.clear()

    def _learn(self, keys: list[bytes]) -> None:
        fresh = []
        for key in dict.fromkeys(keys):
            older = self._older.pop(key, None)
            if older is None:
                fresh.append(key)
            else:
                self[key] = older
        if not fresh:
            return
        bodies = b"\n".join([*[key[:-1] for key in fresh], b""])
        try:
            events = decode_events(bodies)
        except CodecError:
            for key in fresh:  # which one it is
                decode_event(key[:-1])
            raise
        for event in events:
            if type(event) in _ENDS:
                name = type(event).__name__
                raise NotKept("bad-sequence", f"{name} stands in the middle of the game")
        code = self.next
        out = []
        for key, event in zip(fresh, events, strict=True):
            kind = type(event)
            effect = _EFFECTS.get(kind)
            self[key] = (
                code,
                1 if kind in TURN_ENDS else 0,
                None if effect is None else effect(event),
            )
            out.append(b'{"code":%d,"ev":%b\n' % (code, key))
            code += 1
        self.next = code
        self.longest = max(self.longest, *map(len, out))
        self._out.write(b"".join(out))
