"""Makes ``fixtures/broken``: small broken logs, each with the finding that must be made.

Run by hand: ``python tests/audit/make_broken.py``. Deterministic. The expectations stand here, in
words of the rules; nothing is copied from what the audit says. A game that suits a fault is looked
for among short games between random bots.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT)]

from tenlog.game.cards import CARDS, KIND  # noqa: E402
from tenlog.game.events import (  # noqa: E402
    AuctionUnsold,
    AuctionWon,
    BidPassed,
    BidPlaced,
    Busted,
    BuyDeclined,
    CardBought,
    CardDrawn,
    CurrencyTaken,
    Event,
    GameFinished,
    GameStarted,
    NumbersTaken,
    Payment,
)
from tenlog.game.evolve import fold  # noqa: E402
from tenlog.game.ruleset import Ruleset, find_ruleset, ruleset_from  # noqa: E402
from tenlog.game.state import State  # noqa: E402
from tenlog.log.codec import NO_SEAL, SEAL_KEY  # noqa: E402
from tenlog.log.store import game_lines, seal_block  # noqa: E402
from tenlog.shuffle import commitment  # noqa: E402
from tests.support import play_game  # noqa: E402

FOLDER = ROOT / "fixtures" / "broken"

# A short game with everything in it: 20 cards for any number of players, little supply.
MINI = ruleset_from(
    {
        "name": "mini",
        "deck": {
            card: []
            for card in (
                [c + n for c in "OG" for n in "123456789"]
                + [c + n for c in "RB" for n in "789"]
                + ["OW", "GW", "BW", "C1", "C2"]
                + [f"W{n}" for n in "12345678"]
            )
        }
        | {f"{c}{n}": [1] for c in "RB" for n in "123456"}
        | {"RW": [1], "W9": [1], "WW": [1], "C3": [1], "C4": [1, 1], "C5": [1, 1]},
    }
)
TWICE = ruleset_from(
    {
        **msgspec.to_builtins(MINI),
        "name": "twice",
        "deck": {
            **{card: [] for card in msgspec.to_builtins(find_ruleset("ten/1"))["deck"]},
            **msgspec.to_builtins(MINI)["deck"],
            **{f"{c}{m}": [1, 1] for c in "RB" for m in "1234"},
        },
    }
)
NO_CARDS = ruleset_from({
        **msgspec.to_builtins(MINI),
        "name": "no-cards",
        "deck": {
            **{card: [] for card in msgspec.to_builtins(find_ruleset("ten/1"))["deck"]},
            **msgspec.to_builtins(MINI)["deck"],
        },
        "auction_cards": False,
    })

Game = list[Event]
Case = tuple[str, bytes, dict[str, Any]]


def seal_each(events: Sequence[Event]) -> bytes:
    """Every line sealed."""
    out, seal = b"", NO_SEAL
    for n, event in enumerate(events):
        block, seal = seal_block(seal, game_lines([event], first=n) if n else game_lines([event]))
        out += block
    return out


def seal_end(events: Sequence[Event]) -> bytes:
    """Only the last line sealed."""
    return seal_block(NO_SEAL, game_lines(events))[0]


_RULESETS = {"mini": MINI, "no-cards": NO_CARDS, "twice": TWICE}


@cache
def games(players: int, ruleset: str = "mini", sealed: bool = False) -> list[Game]:
    """Short games to look for a suitable one in."""
    rules = _RULESETS[ruleset]
    return [
        play_game(f"broken/{i}", players, ruleset=rules, game="broken", sealed=sealed)[0]
        for i in range(150)
    ]


Test = Callable[[Game, int, State], bool]


def find(
    test: Test, players: int = 3, ruleset: str = "mini", sealed: bool = False
) -> tuple[Game, int, State]:
    """The first game and event n for which a test holds, with the table before that event."""
    for events in games(players, ruleset, sealed):
        for n in range(1, len(events)):
            state = fold(events[:n])
            if test(events, n, state):
                return list(events), n, state
    raise LookupError("no game fits")


def of(kind: type[Event], more: Callable[[Any, State], bool] = lambda e, s: True) -> Test:
    """Events of a type for which more holds."""
    return lambda events, n, state: isinstance(events[n], kind) and more(events[n], state)


def changed(events: Game, n: int, **fields: Any) -> Game:
    """The game with fields of event n changed."""
    return [*events[:n], replace(events[n], **fields), *events[n + 1 :]]  # type: ignore[type-var]


def faulty(code: str, event: int, **more: Any) -> dict[str, Any]:
    """The finding: which fault, at which event."""
    return {"verdict": "faulty", "code": code, "event": event, **more}


def _other(card: str) -> Any:
    return "R1" if card != "R1" else "B2"


def line_cases() -> Iterator[Case]:
    """Lines and seals (FORMAT 2)."""
    events = games(2)[0]
    data = seal_each(events)
    lines = data.splitlines(keepends=True)

    def put(n: int, line: bytes) -> bytes:
        return b"".join([*lines[:n], line, *lines[n + 1 :]])

    yield "bit-flip-in-event", put(9, lines[9].replace(b'"seat":', b'"seau":')), faulty("bad-shape", 9)
    flipped = bytearray(lines[7])
    flipped[flipped.index(b'"h":"') + 6] ^= 1
    yield "bit-flip-in-seal", put(7, bytes(flipped)), faulty("bad-seal", 7)
    yield "bit-flip-not-utf8", put(5, lines[5].replace(b'"type"', b'"typ\xe5"')), faulty("not-utf8", 5)
    yield "bit-flip-in-brace", put(6, b"z" + lines[6][1:]), faulty("not-json", 6)
    end = seal_end(events)
    flip_at = end.index(b'"n":20,') + 4
    other = end[:flip_at] + b"3" + end[flip_at + 1 :]
    yield "bit-flip-in-number", other, faulty("bad-sequence", 20)
    yield "value-changed-under-seal", put(1, lines[1].replace(b'"seat":0', b'"seat":1')), faulty("bad-seal", 1)
    yield "cut-in-last-line", data[:-20], {"verdict": "torn", "events": len(events) - 1}
    yield "cut-after-last-line", b"".join(lines[:-1]), {"verdict": "unfinished", "events": len(events) - 1}
    yield "cut-in-first-line", lines[0][:60], {"verdict": "torn", "events": 0}
    yield "cut-bulk-in-the-middle", end[: len(end) // 2], {"verdict": "torn", "events": 0}
    yield "end-without-seal", put(len(lines) - 1, lines[-1][: lines[-1].index(SEAL_KEY)] + b"}\n"), faulty("missing-seal", len(lines) - 1)
    yield "swapped-lines", put(4, lines[5] + lines[4]).replace(lines[4] + lines[5], lines[4], 1), faulty("bad-sequence", 4)
    yield "dropped-line", put(8, b""), faulty("bad-sequence", 8)
    yield "dropped-first-line", put(0, b""), faulty("no-start", 0)
    yield "doubled-line", put(8, lines[8] * 2), faulty("bad-sequence", 9)
    yield "inserted-line", put(8, lines[8] + b'{"n":9,"ev":{"type":"BidPassed","seat":0}}\n'), faulty("bad-sequence", 10)
    yield "unknown-event", put(8, lines[8].replace(b'{"type":"', b'{"type":"X')), faulty("bad-shape", 8)
    yield "unknown-key", put(3, lines[3].replace(b',"h":', b',"x":1,"h":')), faulty("bad-shape", 3)
    yield "doubled-key", put(3, lines[3].replace(b'"seat":', b'"seat":1,"seat":')), faulty("not-canonical", 3)
    yield "space-in-line", put(3, lines[3].replace(b'"n":3,', b'"n": 3,')), faulty("not-canonical", 3)
    yield "key-order", put(3, lines[3].replace(b'"n":3,"ev":', b'"ev":').replace(b',"h":', b',"n":3,"h":')), faulty("not-canonical", 3)
    yield "crlf", data.replace(b"\n", b"\r\n"), faulty("not-canonical", 0)
    yield "byte-order-mark", b"\xef\xbb\xbf" + data, faulty("not-canonical", 0)
    yield "empty-line", put(3, b"\n" + lines[3]), faulty("not-json", 3)
    yield "blank-first-line", b"\n" + data, faulty("not-json", 0)
    yield "events-after-end", data + b'{"n":%d,"ev":{"type":"BidPassed","seat":0}}\n' % len(lines), faulty("after-end", len(lines))
    yield "text-after-end", data + b"that was fun\n", faulty("after-end", len(lines))
    yield "number-as-text", put(2, lines[2].replace(b'"seat":1', b'"seat":"1"').replace(b'"seat":0', b'"seat":"0"')), faulty("bad-shape", 2)
    yield "negative-number", put(2, lines[2].replace(b'"seat":', b'"seat":-')), faulty("bad-shape", 2)
    yield "huge-number", put(2, lines[2].replace(b'"seat":', b'"seat":' + b"9" * 40)), faulty("bad-shape", 2)
    yield "deep-nesting", put(2, b"[" * 5000 + b'"h":"' + b"0" * 32 + b'"}\n'), faulty("not-json", 2)
    yield "no-such-card", put(1, lines[1].replace(lines[1][lines[1].index(b'"card":"') :][:11], b'"card":"R0"')), faulty("bad-shape", 1)
    bots = seal_block(NO_SEAL, game_lines(events, bots=["random"]))[0]
    yield "bots-not-by-seat", bots, faulty("bad-metadata", 0)
    second = list(game_lines(events))
    second[3] = replace(second[3], bots=("random", None))
    yield "bots-on-a-later-line", seal_block(NO_SEAL, second)[0], faulty("bad-metadata", 3)
    a, b = [seal_each(replace_game(games(2)[i], f"game-{i}")).splitlines(True) for i in (0, 1)]
    mixed = b"".join([*a[:6], *b[:6], *a[6:], *b[6:]])
    yield "two-games-interleaved", mixed, faulty("bad-sequence", 6, which=1)
    good = seal_each(replace_game(games(2)[2], "good"))
    yield "broken-before-good", put(7, bytes(flipped)) + good, faulty("bad-seal", 7, then=["clean"])
    yield "line-too-long", put(4, b'{"n":4,"x":"' + b"x" * ((1 << 20) + 10) + b'"}\n'), faulty("too-long", 4)


def replace_game(events: Game, game: str) -> Game:
    """The same game under another id."""
    return changed(events, 0, game=game)


def start_cases() -> Iterator[Case]:
    """What a game starts with (FORMAT 3, 4; RULES 10)."""
    events = games(2)[3]

    def put(**fields: Any) -> bytes:
        return seal_end(changed(events, 0, **fields))

    start = events[0]
    assert isinstance(start, GameStarted)
    yield "newer-format", put(format=2), faulty("newer-format", 0)
    text = put(format=7).replace(b'"type":"CardDrawn"', b'"type":"CardTurned"')
    yield "newer-format-new-events", text, faulty("newer-format", 0)
    yield "no-such-format", put(format=0), faulty("bad-format", 0)
    yield "bad-game-id", put(game="a game"), faulty("bad-game-id", 0)
    yield "empty-game-id", put(game=""), faulty("bad-game-id", 0)
    yield "unknown-ruleset", put(rules="ten/9"), faulty("unknown-ruleset", 0)
    yield "two-players-alike", put(players=("x", "x")), faulty("bad-players", 0)
    yield "no-players", put(players=()), faulty("bad-players", 0)
    yield "name-with-control-character", put(players=("x", "y\x1b[2J")), faulty("bad-players", 0)
    yield "name-too-long", put(players=("x", "y" * 65)), faulty("bad-players", 0)
    yield "too-many-players", put(players=tuple("abcdef")), faulty("bad-players", 0)
    yield "empty-seed", put(seed="", commitment=commitment("")), faulty("bad-seed", 0)
    yield "seed-with-newline", put(seed="a\nb", commitment=commitment("a\nb")), faulty("bad-seed", 0)
    yield "commitment-of-another-seed", put(commitment=commitment("other")), faulty("bad-commitment", 0)
    yield "commitment-in-capitals", put(commitment=start.commitment.upper()), faulty("bad-commitment", 0)
    rules = msgspec.to_builtins(MINI)
    for name, fields in {
        "ruleset-empty-deck": {"deck": {}},
        "ruleset-negative-limit": {"tokens": {"start": 0, "limit": -1, "supply": 50}},
        "ruleset-too-few-tokens": {"tokens": {"start": 5, "limit": 10, "supply": 20}},
        "ruleset-no-bust-limit": {"bust_limit": 0},
        "ruleset-in-ten-1-clothes": {"name": "ten/1"},
    }.items():
        bad = msgspec.convert({**rules, **fields}, Ruleset)
        yield name, put(rules=bad), faulty("bad-ruleset", 0)
    sealed = games(2, "mini", True)[0]
    lies = changed(sealed, len(sealed) - 1, seed="another seed")
    yield "wrong-revealed-seed", seal_end(lies), faulty("bad-commitment", len(sealed) - 1)
    plain = changed(events, len(events) - 1, seed="another seed")
    yield "end-with-another-seed", seal_end(plain), faulty("wrong-seed", len(events) - 1)


def draw_and_reward_cases() -> Iterator[Case]:
    """Draws, rewards, busts (RULES 4, 5)."""
    events, n, _ = find(of(CardDrawn, lambda e, s: s.drawn > 5))
    yield "wrong-card", seal_each(changed(events, n, card=_other(events[n].card))), faulty("wrong-card", n)  # type: ignore[union-attr]
    yield "wrong-seat-draws", seal_each(changed(events, n, seat=(events[n].seat + 1) % 3)), faulty("wrong-seat", n)  # type: ignore[union-attr]
    sealed, n, state = find(of(CardDrawn, lambda e, s: s.drawn > 8), sealed=True)
    gone = next(card for card in ("R1", "R2", "R3", "B1", "B2", "B3", "R4", "B4") if not state.unseen[KIND[card]])
    cut = changed(sealed, n, card=gone)[: n + 1]
    yield "card-of-which-none-is-left", seal_each(cut), faulty("card-not-left", n)
    events, n, state = find(lambda e, i, s: s.deck_left == 0 and s.phase == 0 and isinstance(e[i], NumbersTaken | CurrencyTaken))
    extra = [*events[:n], CardDrawn(state.active, "R1")]
    yield "draw-from-empty-deck", seal_each(extra), faulty("deck-empty", n)
    events, n, state = find(of(NumbersTaken, lambda e, s: s.currency == 0))
    swap: Event = CurrencyTaken(state.active, 0, events[n].cards)  # type: ignore[union-attr]
    yield "currency-without-currency", seal_each([*events[:n], swap]), faulty("reward-not-due", n)
    events, n, state = find(of(CurrencyTaken, lambda e, s: not e.cards))
    swap = NumbersTaken(state.active, (), (0, 0, 0))
    yield "numbers-without-numbers", seal_each([*events[:n], swap]), faulty("reward-not-due", n)
    events, n, _ = find(of(NumbersTaken, lambda e, s: len(set(e.cards)) > 1))
    taken = events[n]
    assert isinstance(taken, NumbersTaken)
    yield "numbers-in-another-order", seal_each(changed(events, n, cards=taken.cards[::-1])), faulty("wrong-cards", n)
    yield "numbers-one-card-kept-back", seal_each(changed(events, n, cards=taken.cards[1:])), faulty("wrong-cards", n)
    events, n, state = find(of(NumbersTaken, lambda e, s: any(s.tokens[i] + s.currency > 10 and i != s.active for i in range(3)) and s.currency > 0))
    full = tuple(0 if seat == state.active else state.currency for seat in range(3))
    yield "gains-beyond-ten", seal_each(changed(events, n, gains=full)), faulty("wrong-gains", n)
    events, n, state = find(of(NumbersTaken, lambda e, s: sum(e.gains) > 2))
    gains = events[n].gains  # type: ignore[union-attr]
    shared = tuple(g // 2 for g in gains)
    yield "currency-shared-out", seal_each(changed(events, n, gains=shared)), faulty("wrong-gains", n)
    mine = tuple(g if seat != state.active else 1 for seat, g in enumerate(gains))
    yield "drawer-gains-too", seal_each(changed(events, n, gains=mine)), faulty("wrong-gains", n)
    events, n, _ = find(of(CurrencyTaken, lambda e, s: s.tokens[s.active] + s.currency > 10))
    yield "currency-beyond-ten", seal_each(changed(events, n, tokens=events[n].tokens + 1)), faulty("wrong-gains", n)  # type: ignore[union-attr]
    events, n, _ = find(of(CurrencyTaken, lambda e, s: len(e.cards) > 0))
    yield "market-cards-forgotten", seal_each(changed(events, n, cards=())), faulty("wrong-cards", n)
    events, n, _ = find(of(Busted, lambda e, s: e.cause == "numbers"))
    yield "wrong-bust-cause", seal_each(changed(events, n, cause="currency")), faulty("wrong-cause", n)
    yield "bust-forgotten", seal_each([*events[:n], *events[n + 1 :]]), faulty("not-due", n)
    yield "buster-takes-numbers", seal_each([*events[:n], NumbersTaken(events[n].seat, (), (0, 0, 0))]), faulty("not-due", n)  # type: ignore[union-attr]
    yield "two-bust-tokens", seal_each(changed(events, n, bust_tokens=2)), faulty("wrong-bust-tokens", n)
    events, n, state = find(of(Busted, lambda e, s: e.cause == "currency"))
    paid = tuple(0 if seat == state.active else 1 for seat in range(3))
    yield "currency-bust-pays-out", seal_each(changed(events, n, gains=paid)), faulty("wrong-gains", n)
    events, n, state = find(lambda e, i, s: isinstance(e[i], CardDrawn) and s.phase == 0 and bool(s.tableau))
    yield "bust-at-exactly-ten-or-less", seal_each([*events[:n], Busted(state.active, "numbers", (0, 0, 0), 1)]), faulty("not-due", n)


def payment_and_auction_cases() -> Iterator[Case]:
    """Auctions, payments, purchases (RULES 6, 7)."""
    events, n, state = find(of(BidPlaced, lambda e, s: s.bid > 0))
    low = Payment(0, 0, ())
    yield "bid-too-low", seal_each(changed(events, n, amount=state.bid, payment=low)), faulty("bid-too-low", n)
    events, n, state = find(of(BidPlaced))
    yield "bid-of-nothing", seal_each(changed(events, n, amount=0, payment=low)), faulty("bid-too-low", n)
    yield "bid-beyond-means", seal_each(changed(events, n, amount=99, payment=Payment(99, 0, ()))), faulty("bid-beyond-means", n)
    events, n, state = find(of(BidPlaced, lambda e, s: e.payment.tokens == e.amount and s.tokens[e.seat] > e.amount))
    bid = events[n]
    assert isinstance(bid, BidPlaced)
    yield "bid-payment-short", seal_each(changed(events, n, payment=Payment(bid.amount - 1, 0, ()))), faulty("payment-short", n)
    yield "bid-payment-superfluous", seal_each(changed(events, n, payment=Payment(bid.amount + 1, 0, ()))), faulty("payment-superfluous", n)
    yield "bid-payment-not-owned", seal_each(changed(events, n, payment=Payment(0, 40, ()))), faulty("payment-not-owned", n)
    yield "bid-with-card-not-owned", seal_each(changed(events, n, amount=bid.amount, payment=Payment(bid.amount - 1, 0, ("G9",)))), faulty("payment-not-owned", n)
    events, n, state = find(of(BidPlaced, lambda e, s: s.busts[e.seat] > 0 and s.tokens[e.seat] >= 2), players=3)
    over = Payment(2, 1, ())
    yield "bust-token-and-two-for-four", seal_each([*events[:n], replace(events[n], amount=max(4, state.bid + 1) if state.bid < 4 else 4, payment=over)]), faulty("payment-superfluous" if state.bid < 4 else "bid-too-low", n)  # type: ignore[type-var]
    events, n, state = find(of(BidPlaced, lambda e, s: any(s.cards[e.seat])), ruleset="no-cards")
    own = next(kind for kind, count in enumerate(state.cards[events[n].seat]) if count)  # type: ignore[union-attr]
    with_card = Payment(state.bid, 0, (CARDS[own],))
    yield "card-bid-against-ruleset", seal_each(changed(events, n, amount=state.bid + 1, payment=with_card)), faulty("cards-cannot-pay", n)
    events, n, state = find(of(BidPassed))
    yield "drawer-bids-first", seal_each([*events[:n], BidPassed((events[n].seat + 2) % 3)]), faulty("wrong-seat", n)  # type: ignore[union-attr]
    events, n, state = find(of(AuctionWon, lambda e, s: True))
    won = events[n]
    assert isinstance(won, AuctionWon)
    yield "auction-won-by-another", seal_each(changed(events, n, seat=(won.seat + 1) % 3)), faulty("wrong-seat", n)
    yield "auction-another-price", seal_each(changed(events, n, price=won.price + 1)), faulty("wrong-price", n)
    yield "auction-another-card", seal_each(changed(events, n, card="W1")), faulty("wrong-card", n)
    yield "auction-another-payment", seal_each(changed(events, n, payment=Payment(0, 0, ()))), faulty("wrong-payment", n)
    yield "auction-forgotten", seal_each([*events[:n], *events[n + 1 :]]), faulty("not-due", n)
    yield "auction-unsold-in-spite-of-a-bid", seal_each([*events[:n], AuctionUnsold(won.card)]), faulty("not-due", n)
    events, n, state = find(of(CardBought))
    bought = events[n]
    assert isinstance(bought, CardBought)
    yield "buy-at-another-price", seal_each(changed(events, n, price=bought.price + 1)), faulty("wrong-price", n)
    yield "buy-unpaid", seal_each(changed(events, n, payment=Payment(0, 0, ()))), faulty("payment-short", n)
    absent = next(card for kind, card in enumerate(CARDS[:36]) if not state.market[kind])
    yield "buy-not-in-market", seal_each(changed(events, n, card=absent, price=int(absent[1]))), faulty("not-in-market", n)
    yield "buy-a-wild", seal_each(changed(events, n, card="WW", price=1)), faulty("not-in-market", n)
    events, n, state = find(lambda e, i, s: isinstance(e[i], CardBought | BuyDeclined) and any(m and o for m, o in zip(s.market, s.cards[s.to_act], strict=False)), ruleset="twice")
    copy = next(kind for kind, count in enumerate(state.market) if count and state.cards[state.to_act][kind])
    buy = CardBought(state.to_act, CARDS[copy], copy % 9 + 1, Payment(copy % 9 + 1, 0, ()))
    yield "buy-a-second-copy", seal_each([*events[:n], buy]), faulty("owns-copy", n)
    events, n, state = find(of(CurrencyTaken))
    yield "buy-after-currency", seal_each([*events[: n + 1], BuyDeclined(state.active)]), faulty("wrong-seat", n + 1)


def end_cases() -> Iterator[Case]:
    """The end, scores and winners (RULES 8, 9)."""
    events, n, state = find(of(GameFinished))
    end = events[n]
    assert isinstance(end, GameFinished)
    last_decision = n - 1
    yield "missing-final-buy", seal_each([*events[:last_decision], end]), faulty("not-due", last_decision)
    yield "final-buys-left-out", seal_each([*events[: n - 3], end]), faulty("not-due", n - 3)
    yield "end-too-early", seal_each([*events[:5], end]), faulty("not-due", 5)
    scores = (end.scores[0] + 1, *end.scores[1:])
    yield "wrong-score", seal_each(changed(events, n, scores=scores)), faulty("wrong-scores", n)
    yield "winner-by-nobody", seal_each(changed(events, n, winners=())), faulty("wrong-winners", n)
    yield "too-few-scores", seal_each(changed(events, n, scores=end.scores[:2])), faulty("wrong-scores", n)

    def ranks(e: GameFinished, s: State) -> list[tuple[int, int, int]]:
        return [(-e.scores[i], -s.tokens[i], sum(s.cards[i])) for i in range(len(e.scores))]

    def tie(depth: int) -> Callable[[Any, State], bool]:
        def test(e: GameFinished, s: State) -> bool:
            best = min(ranks(e, s))
            level = [r for r in ranks(e, s) if r[:depth] == best[:depth]]
            return len(level) > 1 and (depth == 3 or any(r[depth] != best[depth] for r in level))

        return test

    for depth, name in ((1, "tokens"), (2, "cards"), (3, "all-equal")):
        events, n, state = find(of(GameFinished, tie(depth)), players=2 if depth == 3 else 3)
        end = events[n]
        assert isinstance(end, GameFinished)
        order = ranks(end, state)
        best = min(order)
        level = tuple(i for i, r in enumerate(order) if r[:depth] == best[:depth])
        if depth == 3:
            yield f"winner-tie-{name}-not-shared", seal_each(changed(events, n, winners=level[:1])), faulty("wrong-winners", n)
        else:
            yield f"winner-tie-by-{name}-shared", seal_each(changed(events, n, winners=level)), faulty("wrong-winners", n)
            wrong = tuple(i for i in level if i not in end.winners)[:1]
            yield f"winner-tie-by-{name}-lost", seal_each(changed(events, n, winners=wrong)), faulty("wrong-winners", n)


def cases() -> list[Case]:
    """All of them, by name."""
    found = [
        *line_cases(),
        *start_cases(),
        *draw_and_reward_cases(),
        *payment_and_auction_cases(),
        *end_cases(),
    ]
    names = [name for name, _, _ in found]
    assert len(set(names)) == len(names)
    return found


def main() -> None:
    """Write the logs and the findings."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for old in FOLDER.iterdir():
        old.unlink()
    index = {}
    for name, data, finding in cases():
        suffix = ".jsonl"
        if len(data) > 1 << 20:
            import gzip

            data, suffix = gzip.compress(data, mtime=0), ".jsonl.gz"
        (FOLDER / f"{name}{suffix}").write_bytes(data)
        index[f"{name}{suffix}"] = finding
    text = msgspec.json.format(msgspec.json.encode(index), indent=1)
    (FOLDER / "findings.json").write_bytes(text + b"\n")


if __name__ == "__main__":
    main()
