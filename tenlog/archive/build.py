"""From the bytes of games to what a part is written from, at columnar speed.

Events repeat: ``{"type":"CardDrawn","seat":2,"card":"R5"}`` stands in every other game. So each
different body of a line is decoded once, strictly, and turned into a row of a *dictionary*; what
remains of a game is a list of numbers (``codes``), one for each event. Numbers and dictionary are
spilled to JSON files, which DuckDB joins into typed columns. No Python object is made for an event
that was seen before, and memory does not grow with the number of games.

Nothing is taken on trust. Here: heads, bodies and seals are put together again and compared with
the game's bytes, each body is canonical by the codec, and the first and last line come back from
the rows of ``games`` and ``players``. When the part is written (:mod:`tenlog.archive.parts`): each
body is rebuilt in SQL from its typed columns, and what stands on the disk is compared with what was
to be written. A game that fails is refused, never kept inexactly.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from hashlib import sha256
from itertools import accumulate
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

import msgspec
from msgspec import UNSET

from tenlog.archive.rows import (
    GameRow,
    PlayerRow,
    first_event,
    last_event,
)
from tenlog.game.events import (
    AuctionUnsold,
    AuctionWon,
    Busted,
    BuyDeclined,
    CardBought,
    CardDrawn,
    CurrencyTaken,
    Event,
    GameFinished,
    GameStarted,
    NothingTaken,
    NumbersTaken,
)
from tenlog.game.judge import check_start
from tenlog.game.ruleset import MAX_SEATS, Rules, rules_for
from tenlog.game.scoring import best_score
from tenlog.game.state import State
from tenlog.log.codec import (
    NO_SEAL,
    SEAL_KEY,
    CodecError,
    Line,
    decode_event,
    decode_line,
    seal_of,
)

FIRST: Final = 0  # the code of every GameStarted
LAST: Final = 1  # the code of every GameFinished
DICTIONARY: Final = 200_000  # bodies that are remembered; then it starts anew
_LINES: Final = 1024  # heads of lines that are prepared at first

_encode = msgspec.json.Encoder().encode

# What may stand between the body of a line and its end.
_METADATA = re.compile(rb'\}(?:,"at":([0-9]+))?(?:,"h":"([0-9a-f]{32})")?\}$')


# Types whose event is the last one of a turn; a buy ends one too, save in the final buys.
TURN_ENDS: Final = frozenset({Busted, CurrencyTaken, NothingTaken, CardBought, BuyDeclined})


class NotKept(Exception):
    """A game that the archive can't hold: why, in the words of the log's faults."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


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


class _Dictionary(dict[bytes, Entry]):
    """Bodies by their bytes (with the brace that closes a line); new ones are checked, numbered
    and written out."""

    def __init__(self, out: IO[bytes]) -> None:
        super().__init__()
        self.next = LAST + 1
        self._out = out
        for code, name in ((FIRST, "GameStarted"), (LAST, "GameFinished")):
            out.write(b'{"code":%d,"ev":{"type":"%b"}}\n' % (code, name.encode()))

    def __missing__(self, key: bytes) -> Entry:
        event = decode_event(key[:-1])
        kind = type(event)
        if kind is GameStarted or kind is GameFinished:
            raise NotKept("bad-sequence", f"{kind.__name__} stands in the middle of the game")
        effect = _EFFECTS.get(kind)
        code = self.next
        self[key] = entry = (
            code,
            1 if kind in TURN_ENDS else 0,
            None if effect is None else effect(event),
        )
        self._out.write(b'{"code":%d,"ev":%b\n' % (code, key))
        self.next = code + 1
        return entry


class Taken(NamedTuple):
    """A game's lines without their metadata."""

    first: Line
    last: Line
    keys: list[bytes]  # of the events between the first and the last one
    moments: list[int | None] | None  # of all lines; None if no line has one
    seals: list[bool] | None  # of all lines; None if only the last one has one


class Seen(NamedTuple):
    """All that the archive keeps of a game."""

    game: GameRow
    seats: list[PlayerRow]
    codes: list[int]
    turns: list[int]
    moments: list[int | None] | None
    seals: list[bool] | None


def _heads(count: int) -> list[bytes]:
    return [b'\n{"n":%d,"ev":' % n for n in range(count)]


class Builder:
    """Collects games for one part, in a folder of its own.

    Attributes:
        games, events: how many have been taken.
        ids: the digest of each game that has been taken, by its id, in order.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.games = 0
        self.events = 0
        self.ids: dict[str, str] = {}
        self._bodies = (folder / "bodies.jsonl").open("wb")
        self._codes = (folder / "codes.jsonl").open("wb")
        self._rows = (folder / "rows.jsonl").open("wb")
        self._dictionary = _Dictionary(self._bodies)
        self._heads = _heads(_LINES)
        self._skips = [len(head) - 1 for head in self._heads]

    def add(self, data: bytes, audit: str, state: State | None = None) -> str:
        """Take a finished game, exactly its bytes; returns its digest.

        ``audit`` says how it was judged. ``state`` is the table at its end where the caller has
        it; without it the points by colour stay unknown.

        Raises:
            NotKept: it can't be given back byte for byte.
        """
        seen = self.examine(data, audit, state)
        number = self.games
        record = {"g": number, "game": seen.game.game, "c": seen.codes, "t": seen.turns}
        if seen.moments is not None:
            record["at"] = seen.moments
        if seen.seals is not None:
            record["s"] = seen.seals
        self._codes.write(_encode(record) + b"\n")
        self._rows.write(_encode({"g": number, "game": seen.game, "players": seen.seats}) + b"\n")
        self.ids[seen.game.game] = seen.game.digest
        self.games += 1
        self.events += len(seen.codes)
        return seen.game.digest

    def examine(self, data: bytes, audit: str, state: State | None = None) -> Seen:
        """What :meth:`add` would keep of a game.

        Raises:
            NotKept: it can't be given back byte for byte.
        """
        if len(self._dictionary) > DICTIONARY:
            self._dictionary.clear()
        try:
            taken = self._take(data)
            entries = [self._dictionary[key] for key in taken.keys]
            start, end = taken.first.ev, taken.last.ev
            assert isinstance(start, GameStarted)
            assert isinstance(end, GameFinished)
            seats = _seats(start, end, taken, entries, state)
        except CodecError as error:
            raise NotKept(error.code, str(error)) from None
        turns = _turns(entries, len(start.players))
        game = _game(taken, sha256(data).hexdigest(), turns[-1], audit, seats)
        _prove_ends(taken, game, seats)
        codes = [FIRST, *[entry[0] for entry in entries], LAST]
        return Seen(game, seats, codes, turns, taken.moments, taken.seals)

    def close(self) -> None:
        """No more games: everything is in the files."""
        for file in (self._bodies, self._codes, self._rows):
            file.close()

    def _take(self, data: bytes) -> Taken:
        """The lines of a game, every byte accounted for: heads and bodies (or, where there is
        metadata, heads, bodies and metadata) are put together again and compared."""
        lines = data.split(b"\n")
        if lines.pop() != b"" or len(lines) < 2:
            raise NotKept("torn", "the game does not end with a newline")
        count = len(lines)
        while count > len(self._heads):
            self._heads = _heads(2 * len(self._heads))
            self._skips = [len(head) - 1 for head in self._heads]
        first, last = decode_line(lines[0]), decode_line(lines[-1])
        _check_ends(first, last, count)
        middle = lines[1:-1]
        keys = [line[skip:] for line, skip in zip(middle, self._skips[1:], strict=False)]
        heads = self._heads[1 : count - 1]
        again = b"".join([head + key for head, key in zip(heads, keys, strict=True)])
        tail = len(lines[0])
        if (
            b',"at":' not in data
            and data.count(SEAL_KEY) == 1
            and data[tail : tail + len(again)] == again
        ):
            cut = len(data) - len(SEAL_KEY) - 32 - len('"}\n')
            if seal_of(NO_SEAL, data[:cut]) != last.h:
                raise NotKept("bad-seal", "the seal of the last line is wrong")
            return Taken(first, last, keys, None, None)
        return self._take_with_metadata(lines, first, last)

    def _take_with_metadata(self, lines: list[bytes], first: Line, last: Line) -> Taken:
        keys: list[bytes] = []
        moments: list[int | None] = []
        seals: list[bool] = []
        previous, before = NO_SEAL, b""
        final = len(lines) - 1
        for n, line in enumerate(lines):
            found = _METADATA.search(line)
            if found is None:
                raise NotKept("not-json", f"line {n} of the game does not end as a line does")
            at, seal = found.groups()
            moments.append(None if at is None else int(at))
            seals.append(seal is not None)
            if 0 < n < final:
                head = self._heads[n][1:]
                body = line[len(head) : found.start() + 1]
                again = head + body + line[found.start() + 1 :]
                if again != line or (at is not None and b"%d" % int(at) != at):
                    raise NotKept("bad-sequence", f"line {n} of the game is not its line {n}")
                keys.append(body + b"}")
            if seal is None:
                before += line + b"\n"
                continue
            due = seal_of(previous, before + line[: line.rindex(SEAL_KEY)])
            if due.encode() != seal:
                raise NotKept("bad-seal", f"the seal of line {n} is wrong")
            previous, before = due, b""
        bulk = not any(seals[:-1])
        timed = any(at is not None for at in moments)
        return Taken(first, last, keys, moments if timed else None, None if bulk else seals)


def _check_ends(first: Line, last: Line, count: int) -> None:
    """The first and the last line, as far as they must be right for a game to be kept at all."""
    start, end = first.ev, last.ev
    if not isinstance(start, GameStarted) or first.n != 0:
        raise NotKept("no-start", "a game starts with GameStarted")
    if not isinstance(end, GameFinished):
        raise NotKept("unfinished", "the game is not finished")
    if last.n != count - 1:
        raise NotKept("bad-sequence", f"the last line must have n {count - 1}, not {last.n}")
    if last.h is UNSET:
        raise NotKept("missing-seal", "the last line of a finished game needs a seal")
    refused = check_start(start)
    if refused is not None:
        raise NotKept(refused.code, refused.message)
    seats = len(start.players)
    if len(end.scores) != seats:
        raise NotKept("bad-scores", f"{len(end.scores)} scores for {seats} players")
    bots = first.bots
    if bots is not UNSET and len(bots) != seats:
        raise NotKept("bad-metadata", "bots must say one thing for each seat")
    if not end.winners or any(seat >= seats for seat in end.winners):
        raise NotKept("bad-winners", f"winners {list(end.winners)} are not seats of the game")


def _turns(entries: list[Entry], seats: int) -> list[int]:
    """The turn of every event: GameStarted is in turn 0, the final buys are in the last one."""
    ended = accumulate([entry[1] for entry in entries], initial=1)
    turns = [0, *ended]  # the turn of an event counts the ends before it
    after = min(seats + 1, len(turns) - 1)  # final buys and GameFinished
    last = turns[-after - 1] if len(turns) > after + 1 else 1
    turns[-after:] = [last] * after
    return turns


def _prove_ends(taken: Taken, game: GameRow, seats: list[PlayerRow]) -> None:
    first, last = taken.first, taken.last
    if first.ev != first_event(game, seats) or last.ev != last_event(game, seats):
        raise NotKept("bad-commitment", "the seeds at the start and at the end differ")


def _drawer(keys: list[bytes], n: int) -> int:
    """Who turned up the wild whose auction began at the n-th event after GameStarted."""
    drawn = decode_event(keys[max(n, 0)][:-1])
    return drawn.seat if isinstance(drawn, CardDrawn) else MAX_SEATS


def _holdings(
    start: GameStarted, keys: list[bytes], entries: list[Entry], state: State | None
) -> tuple[Rules, list[int], list[int], list[int]]:
    """Tokens, bust tokens and numbers of cards by seat at the end of the game."""
    seats = len(start.players)
    rules = rules_for(start.rules, seats)
    if state is not None:
        return rules, list(state.tokens), list(state.busts), [sum(own) for own in state.cards]
    tokens, busts, cards = [rules.start] * seats, [0] * seats, [0] * seats
    for n, entry in enumerate(entries):
        if (effect := entry[2]) is None:
            continue
        seat, own, bust, count, gains = effect
        if seat < 0:
            if not rules.unsold_to_drawer:
                continue
            seat = _drawer(keys, n - seats - 1)
        if seat >= seats or len(gains) not in (0, seats):
            raise NotKept("bad-seat", f"an event names seats that the game of {seats} has not")
        tokens[seat] += own
        busts[seat] += bust
        cards[seat] += count
        if any(gains):
            for other, gain in enumerate(gains):
                tokens[other] += gain
    return rules, tokens, busts, cards


def _seats(
    start: GameStarted,
    end: GameFinished,
    taken: Taken,
    entries: list[Entry],
    state: State | None,
) -> list[PlayerRow]:
    rules, tokens, busts, cards = _holdings(start, taken.keys, entries, state)
    bots = taken.first.bots
    order = [
        (-score, -held, own) for score, held, own in zip(end.scores, tokens, cards, strict=True)
    ]
    rows = []
    for seat, name in enumerate(start.players):
        row = PlayerRow(
            name=name,
            bot=None if bots is UNSET else bots[seat],
            score=end.scores[seat],
            tokens=tokens[seat],
            busts=busts[seat],
            cards=cards[seat],
            rank=1 + sum(other < order[seat] for other in order),
            won=seat in end.winners,
        )
        if state is not None:
            colours = best_score(state.cards[seat], rules.bonus).colours
            row.red, row.blue, row.orange, row.green = colours
        rows.append(row)
    return rows


def _decided_by(seats: list[PlayerRow]) -> str:
    """What told the winner from the others (RULES 9.3)."""
    if len(seats) == 1:
        return "solo"
    best, second = sorted(seats, key=lambda row: (-row.score, -row.tokens, row.cards))[:2]
    if best.score != second.score:
        return "points"
    if best.tokens != second.tokens:
        return "tokens"
    return "cards" if best.cards != second.cards else "shared"


def _game(taken: Taken, digest: str, turns: int, audit: str, seats: list[PlayerRow]) -> GameRow:
    start, end = taken.first.ev, taken.last.ev
    assert isinstance(start, GameStarted)
    assert isinstance(end, GameFinished)
    rules = rules_for(start.rules, len(start.players))
    named = isinstance(start.rules, str)
    origin = taken.first.origin
    scores = sorted(end.scores, reverse=True)
    told = [at for at in taken.moments or () if at is not None]
    return GameRow(
        game=start.game,
        digest=digest,
        ruleset=start.rules if isinstance(start.rules, str) else start.rules.name,
        rules=None if named else _encode(start.rules).decode(),
        seed=end.seed,
        start_tokens=rules.start,
        unsold=rules.ruleset.unsold_wild,
        hidden=start.seed is None,
        players=len(seats),
        events=len(taken.keys) + 2,
        turns=turns,
        started=told[0] if told else None,
        finished=told[-1] if told else None,
        winners=end.winners,
        winning_score=scores[0],
        margin=scores[0] - scores[1] if len(scores) > 1 else None,
        decided_by=_decided_by(seats),
        audit=audit,
        has_bots=taken.first.bots is not UNSET,
        origin_seal=None if origin is UNSET else origin.seal,
        origin_n=None if origin is UNSET else origin.n,
    )
