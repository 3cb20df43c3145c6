"""Auctions, payments, purchases (RULES 6, 7)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tenlog.game.cards import CARDS
from tenlog.game.events import (
    NOTHING_PAID,
    AuctionUnsold,
    AuctionWon,
    BidPassed,
    BidPlaced,
    BuyDeclined,
    CardBought,
    CurrencyTaken,
    Payment,
)
from tests.audit.broken.games import Case, changed, find, forged, of, without


def bids() -> Iterator[Case]:
    """RULES 7.2, 7.3, 6.4."""
    events, n, state = find(of(BidPlaced, lambda e, s: s.bid > 0))
    low = changed(events, n, amount=state.bid, payment=NOTHING_PAID)
    yield forged("bid-too-low", "bid-too-low", n, low)
    events, n, state = find(of(BidPlaced))
    nothing = changed(events, n, amount=0, payment=NOTHING_PAID)
    yield forged("bid-of-nothing", "bid-too-low", n, nothing)
    rich = changed(events, n, amount=99, payment=Payment(99, 0, ()))
    yield forged("bid-beyond-means", "bid-beyond-means", n, rich)
    events, n, state = find(
        of(BidPlaced, lambda e, s: e.payment.tokens == e.amount and s.tokens[e.seat] > e.amount)
    )
    bid: Any = events[n]
    for name, code, payment in (
        ("short", "payment-short", Payment(bid.amount - 1, 0, ())),
        ("superfluous", "payment-superfluous", Payment(bid.amount + 1, 0, ())),
        ("not-owned", "payment-not-owned", Payment(0, 40, ())),
    ):
        yield forged(f"bid-payment-{name}", code, n, changed(events, n, payment=payment))
    card = changed(events, n, payment=Payment(bid.amount - 1, 0, ("G9",)))
    yield forged("bid-with-card-not-owned", "payment-not-owned", n, card)
    events, n, state = find(
        of(BidPlaced, lambda e, s: s.busts[e.seat] > 0 and s.tokens[e.seat] >= 2 and s.bid < 4)
    )
    # Worth 5 for a price of 4: a token can be left out (RULES 6.4).
    over = changed(events, n, amount=4, payment=Payment(2, 1, ()))[: n + 1]
    yield forged("bust-token-and-two-for-four", "payment-superfluous", n, over)
    events, n, state = find(of(BidPlaced, lambda e, s: any(s.cards[e.seat])), ruleset="no-cards")
    bid = events[n]
    own = next(kind for kind, count in enumerate(state.cards[bid.seat]) if count)
    with_card = changed(
        events, n, amount=state.bid + 1, payment=Payment(state.bid, 0, (CARDS[own],))
    )
    yield forged("card-bid-against-ruleset", "cards-cannot-pay", n, with_card)


def auctions() -> Iterator[Case]:
    """RULES 7.2, 7.3, 7.4."""
    events, n, _ = find(of(BidPassed))
    passed: Any = events[n]
    drawer = [*events[:n], BidPassed((passed.seat + 2) % 3)]
    yield forged("drawer-bids-first", "wrong-seat", n, drawer)
    events, n, _ = find(of(AuctionWon))
    won: Any = events[n]
    for name, code, fields in (
        ("auction-won-by-another", "wrong-seat", {"seat": (won.seat + 1) % 3}),
        ("auction-another-price", "wrong-price", {"price": won.price + 1}),
        ("auction-another-card", "wrong-card", {"card": "W1"}),
        ("auction-another-payment", "wrong-payment", {"payment": NOTHING_PAID}),
    ):
        yield forged(name, code, n, changed(events, n, **fields))
    yield forged("auction-forgotten", "not-due", n, without(events, n))
    unsold = [*events[:n], AuctionUnsold(won.card)]
    yield forged("auction-unsold-in-spite-of-a-bid", "not-due", n, unsold)


def buys() -> Iterator[Case]:
    """RULES 6.1, 6.2, 6.4, 6.6."""
    events, n, state = find(of(CardBought))
    bought: Any = events[n]
    price = changed(events, n, price=bought.price + 1)
    yield forged("buy-at-another-price", "wrong-price", n, price)
    yield forged("buy-unpaid", "payment-short", n, changed(events, n, payment=NOTHING_PAID))
    absent = next(card for kind, card in enumerate(CARDS[:36]) if not state.market[kind])
    other = changed(events, n, card=absent, price=int(absent[1]))
    yield forged("buy-not-in-market", "not-in-market", n, other)
    wild = changed(events, n, card="WW", price=1)
    yield forged("buy-a-wild", "not-in-market", n, wild)
    events, n, state = find(
        lambda e, i, s: (
            isinstance(e[i], CardBought | BuyDeclined)
            and any(m and o for m, o in zip(s.market, s.cards[s.to_act], strict=False))
        ),
        ruleset="twice",
    )
    own = state.cards[state.to_act]
    copy = next(kind for kind, count in enumerate(state.market) if count and own[kind])
    number = copy % 9 + 1
    second = CardBought(state.to_act, CARDS[copy], number, Payment(number, 0, ()))
    yield forged("buy-a-second-copy", "owns-copy", n, [*events[:n], second])
    events, n, state = find(of(CurrencyTaken))
    after = [*events[: n + 1], BuyDeclined(state.active)]
    yield forged("buy-after-currency", "wrong-seat", n + 1, after)


def cases() -> Iterator[Case]:
    """All of them."""
    yield from bids()
    yield from auctions()
    yield from buys()
