"""Lines and seals (FORMAT 2)."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from tenlog.log.codec import NO_SEAL, SEAL_KEY
from tenlog.log.store import game_lines, seal_block
from tests.audit.broken.games import Case, Game, changed, faulty, games, seal_each, seal_end


def named(events: Game, game: str) -> Game:
    """The same game under another id."""
    return changed(events, 0, game=game)


class _Lines:
    """A good game, sealed on each line, and what it is when one line is another."""

    def __init__(self) -> None:
        self.events = games(2)[0]
        self.data = seal_each(self.events)
        self.lines = self.data.splitlines(keepends=True)

    def put(self, n: int, line: bytes) -> bytes:
        return b"".join([*self.lines[:n], line, *self.lines[n + 1 :]])

    def swap(self, n: int, old: bytes, new: bytes) -> bytes:
        assert old in self.lines[n], (old, self.lines[n])
        return self.put(n, self.lines[n].replace(old, new))


def damage() -> Iterator[Case]:
    """What happens to bytes: flips, cuts, lines lost, doubled or swapped."""
    good = _Lines()
    events, data, lines = good.events, good.data, good.lines
    count = len(lines)
    yield "bit-flip-in-event", good.swap(9, b'"seat":', b'"seau":'), faulty("bad-shape", 9)
    flipped = bytearray(lines[7])
    flipped[flipped.index(b'"h":"') + 6] ^= 1
    yield "bit-flip-in-seal", good.put(7, bytes(flipped)), faulty("bad-seal", 7)
    yield "bit-flip-not-utf8", good.swap(5, b'"type"', b'"typ\xe5"'), faulty("not-utf8", 5)
    yield "bit-flip-in-brace", good.put(6, b"z" + lines[6][1:]), faulty("not-json", 6)
    end = seal_end(events)
    at = end.index(b'"n":20,') + 4
    yield "bit-flip-in-number", end[:at] + b"3" + end[at + 1 :], faulty("bad-sequence", 20)
    other = good.swap(1, b'"seat":0', b'"seat":1')
    yield "value-changed-under-seal", other, faulty("bad-seal", 1)
    yield "cut-in-last-line", data[:-20], {"verdict": "torn", "events": count - 1}
    whole = b"".join(lines[:-1])
    yield "cut-after-last-line", whole, {"verdict": "unfinished", "events": count - 1}
    yield "cut-last-newline", data[:-1], {"verdict": "clean", "events": count}
    yield "cut-in-first-line", lines[0][:60], {"verdict": "torn", "events": 0}
    yield "cut-bulk-in-the-middle", end[: len(end) // 2], {"verdict": "torn", "events": 0}
    glued = whole + lines[-1][:40] + b"\n" + seal_each(named(games(2)[2], "next"))
    finding = {"verdict": "torn", "events": count - 1, "then": ["clean"]}
    yield "cut-and-another-game-behind", glued, finding
    next_start = data + lines[0][:20]
    yield "cut-in-next-first-line", next_start, {"verdict": "torn", "events": count}
    zeros = whole + bytes(300)
    yield "zeros-after-a-crash", zeros, {"verdict": "torn", "events": count - 1}
    unsealed = lines[-1][: lines[-1].index(SEAL_KEY)] + b"}\n"
    yield "end-without-seal", good.put(count - 1, unsealed), faulty("missing-seal", count - 1)
    swapped = b"".join([*lines[:4], lines[5], lines[4], *lines[6:]])
    yield "swapped-lines", swapped, faulty("bad-sequence", 4)
    yield "dropped-line", good.put(8, b""), faulty("bad-sequence", 8)
    yield "dropped-first-line", good.put(0, b""), faulty("no-start", 0)
    yield "doubled-line", good.put(8, lines[8] * 2), faulty("bad-sequence", 9)
    more = lines[8] + b'{"n":9,"ev":{"type":"BidPassed","seat":0}}\n'
    yield "inserted-line", good.put(8, more), faulty("bad-sequence", 10)
    a, b = [seal_each(named(games(2)[i], f"game-{i}")).splitlines(True) for i in (0, 1)]
    mixed = b"".join([*a[:6], *b[:6], *a[6:], *b[6:]])
    yield "two-games-interleaved", mixed, faulty("bad-seal", 6, which=1)
    a, b = [seal_end(named(games(2)[i], f"game-{i}")).splitlines(True) for i in (0, 1)]
    mixed = b"".join(line for pair in zip(a, b, strict=False) for line in pair)
    # The line behind GameStarted draws the first card of the other game's deck.
    yield "two-games-line-by-line", mixed, faulty("wrong-card", 1, which=1)
    two = good.put(7, bytes(flipped)) + seal_each(named(games(2)[2], "good"))
    yield "broken-before-good", two, faulty("bad-seal", 7, then=["clean"])


def spelling() -> Iterator[Case]:
    """What a line may not be like."""
    good = _Lines()
    events, data, lines = good.events, good.data, good.lines
    count = len(lines)
    yield "unknown-event", good.swap(8, b'{"type":"', b'{"type":"X'), faulty("bad-shape", 8)
    yield "unknown-key", good.swap(3, b',"h":', b',"x":1,"h":'), faulty("bad-shape", 3)
    doubled = good.swap(3, b'"seat":', b'"seat":1,"seat":')
    yield "doubled-key", doubled, faulty("not-canonical", 3)
    yield "space-in-line", good.swap(3, b'"n":3,', b'"n": 3,'), faulty("not-canonical", 3)
    order = lines[3].replace(b'"n":3,"ev":', b'"ev":').replace(b',"h":', b',"n":3,"h":')
    yield "key-order", good.put(3, order), faulty("not-canonical", 3)
    yield "crlf", data.replace(b"\n", b"\r\n"), faulty("not-canonical", 0)
    yield "byte-order-mark", b"\xef\xbb\xbf" + data, faulty("not-canonical", 0)
    yield "empty-line", good.put(3, b"\n" + lines[3]), faulty("not-json", 3)
    yield "blank-first-line", b"\n" + data, faulty("not-json", 0)
    more = b'{"n":%d,"ev":{"type":"BidPassed","seat":0}}\n' % count
    yield "events-after-end", data + more, faulty("after-end", count)
    yield "text-after-end", data + b"that was fun\n", faulty("after-end", count)
    text = lines[2].replace(b'"seat":1', b'"seat":"1"').replace(b'"seat":0', b'"seat":"0"')
    yield "number-as-text", good.put(2, text), faulty("bad-shape", 2)
    yield "negative-number", good.swap(2, b'"seat":0', b'"seat":-1'), faulty("bad-shape", 2)
    huge = good.swap(2, b'"seat":', b'"seat":' + b"9" * 40)
    yield "huge-number", huge, faulty("bad-shape", 2)
    deep = good.put(2, b"[" * 5000 + b'"h":"' + b"0" * 32 + b'"}\n')
    yield "deep-nesting", deep, faulty("not-json", 2)
    at = lines[1].index(b'"card":"')
    card = lines[1].replace(lines[1][at : at + 11], b'"card":"R0"')
    yield "no-such-card", good.put(1, card), faulty("bad-shape", 1)
    bots = seal_block(NO_SEAL, game_lines(events, bots=["random"]))[0]
    yield "bots-not-by-seat", bots, faulty("bad-metadata", 0)
    later = list(game_lines(events))
    later[3] = replace(later[3], bots=("random", None))
    yield "bots-on-a-later-line", seal_block(NO_SEAL, later)[0], faulty("bad-metadata", 3)
    long = good.put(4, b'{"n":4,"x":"' + b"x" * ((1 << 20) + 10) + b'"}\n')
    yield "line-too-long", long, faulty("too-long", 4)
    yield "no-log-at-all", b"hello, world\nthis is a letter\n", faulty("not-json", 0)


def cases() -> Iterator[Case]:
    """All of them."""
    yield from damage()
    yield from spelling()
