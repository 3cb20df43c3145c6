"""Games for the laws: rulesets of all kinds, decisions and payments as odd as the rules allow."""

from __future__ import annotations

import json
from io import BytesIO
from random import Random
from typing import Any

import msgspec
from hypothesis import strategies as st

from tenlog.game.cards import CARDS, NUMBERS_END, OWNED_END
from tenlog.game.commands import Bid, Buy, Command, Decline, Draw, Pass, TakeCurrency, TakeNumbers
from tenlog.game.decide import Deck, advance
from tenlog.game.events import Event, GameFinished, Payment
from tenlog.game.legal import options
from tenlog.game.ruleset import Ruleset, ruleset_from
from tenlog.game.state import OVER, State, start_state
from tenlog.log.read import read_game
from tenlog.log.replay import replay
from tenlog.log.source import split_games
from tenlog.play.session import start_event
from tests.referee.referee import Verdict

NAMES = ("Zoë", "p1", "李", "p3", "p 4")


def random_ruleset(rng: Random, small: bool = False) -> Ruleset:
    """A ruleset that can work, drawn from far more than anybody would print."""
    deck: dict[str, list[int]] = {card: [] for card in CARDS}
    for card in rng.sample(CARDS, rng.randint(1, 6 if small else 40)):
        deck[card] = [rng.choice((1, 1, 1, 2, 3)) for _ in range(rng.randint(1, 2 if small else 4))]
    if not any(1 in copies for copies in deck.values()):
        deck["R1"] = [1]
    limit = rng.choice((0, 1, 3, 10, 10, 40))
    start = rng.randint(0, min(limit, 8))
    return ruleset_from(
        {
            "name": f"r{rng.randint(0, 99)}",
            "seats": {"min": 1, "max": 5},
            "deck": deck,
            "tokens": {
                "start": start,
                "limit": limit,
                "supply": start * 5 + rng.choice((0, 1, 4, 25, 100)),
            },
            "busts": {"supply": rng.choice((0, 1, 2, 15)), "value": rng.choice((1, 2, 3, 3, 5))},
            "bust_limit": rng.choice((1, 5, 9, 10, 10, 10, 14, 25)),
            "full_run_bonus": rng.choice((0, 1, 1, 7)),
            "unsold_wild": rng.choice(("discard", "drawer")),
            "spent_cards": rng.choice(("discard", "market")),
            "auction_cards": rng.choice((True, True, False)),
        }
    )


def small_ruleset() -> Ruleset:
    """Games of a few dozen events in which everything happens."""
    base: dict[str, list[int]] = {card: [] for card in CARDS}
    deck = {**base, "R1": [1, 1], "R2": [1], "B9": [1, 1], "C2": [1, 1], "C5": [1, 1], "WW": [1]}
    return ruleset_from({"name": "small", "deck": {**deck, "G2": [1], "W2": [1]}})


def rulesets(small: bool = False) -> st.SearchStrategy[Ruleset | None]:
    """ten/1 as None, or a custom one."""
    custom = st.integers(0, 2**32).map(lambda n: random_ruleset(Random(n), small))
    return custom if small else st.one_of(st.none(), custom)


def seeds() -> st.SearchStrategy[str]:
    """All that may be a seed: 1 to 128 characters without control characters."""
    characters = st.characters(exclude_categories=("Cc", "Cs"))
    return st.one_of(
        st.integers(0, 2**64).map(str),
        st.text(characters, min_size=1, max_size=128),
        st.binary(min_size=16, max_size=16).map(bytes.hex),
    )


def owned(state: State, seat: int) -> list[str]:
    """A collection written out."""
    return [CARDS[k] for k in range(OWNED_END) for _ in range(state.cards[seat][k])]


def odd_payment(
    rng: Random, state: State, seat: int, price: int, auction: bool = False
) -> Payment | None:
    """Any payment that RULES 6.3 and 6.4 allow, all shapes as likely; None if there is none."""
    value = state.rules.bust_value
    cards = owned(state, seat) if state.rules.auction_cards or not auction else []
    shapes = []
    for b in range(min(state.busts[seat], price) + 1):
        for c in range(min(len(cards), price) + 1):
            for t in range(min(state.tokens[seat], price) + 1):
                total = t + c + b * value
                items = [1] * (t + c) + [value] * b
                if total >= price and all(total - item < price for item in items):
                    shapes.append((t, b, c))
    if not shapes:
        return None
    t, b, c = rng.choice(shapes)
    return Payment(t, b, tuple(rng.sample(cards, c)))  # type: ignore[arg-type]


def odd_decision(rng: Random, state: State) -> Command:
    """A legal decision, with odd amounts and payments."""
    may = options(state)
    seat = may.seat
    if may.passing:
        if may.max_bid and rng.random() < 0.6:
            most = may.max_bid if rng.random() < 0.2 else min(may.max_bid, may.min_bid + 2)
            amount = rng.randint(may.min_bid, most)
            payment = odd_payment(rng, state, seat, amount, auction=True)
            if payment is not None:
                return Bid(seat, amount, payment)
        return Pass(seat)
    if may.decline:
        if may.buys and rng.random() < 0.7:
            kind = rng.choice(may.buys)
            payment = odd_payment(rng, state, seat, kind % 9 + 1)
            if payment is not None:
                return Buy(seat, CARDS[kind], payment)
        return Decline(seat)
    choices: list[Command] = []
    if may.draw:
        choices += [Draw(seat)] * 3
    if may.take_numbers:
        choices.append(TakeNumbers(seat))
    if may.take_currency:
        choices.append(TakeCurrency(seat))
    return rng.choice(choices)


def any_command(rng: Random, state: State) -> Command:
    """Whatever somebody could type, mostly illegal; half of the time nearly legal."""
    seats = len(state.players)
    seat = state.to_act if rng.random() < 0.7 else rng.randint(0, seats)
    holder = min(seat, seats - 1)
    kind = rng.randrange(7)
    if kind == 0:
        return Draw(seat)
    if kind == 1:
        return TakeNumbers(seat)
    if kind == 2:
        return TakeCurrency(seat)
    if kind == 3:
        return Pass(seat)
    if kind == 4:
        return Decline(seat)
    market = [k for k in range(NUMBERS_END) if state.market[k]]
    price = rng.randint(0, 12)
    bought = rng.randrange(len(CARDS))
    if kind == 5 and market and rng.random() < 0.8:
        bought = rng.choice(market)
        price = bought % 9 + 1
    payment = odd_payment(rng, state, holder, max(price, 1), auction=kind == 6)
    if payment is None or rng.random() < 0.5:
        pool: list[Any] = [*owned(state, holder), rng.choice(CARDS)]
        payment = Payment(
            rng.randint(0, 6), rng.randint(0, 2), tuple(rng.choices(pool, k=rng.randint(0, 3)))
        )
    if kind == 5:
        return Buy(seat, CARDS[bought], payment)
    return Bid(seat, price, payment)


def odd_game(
    seed: str,
    players: int,
    ruleset: Ruleset | None = None,
    *,
    choices: int = 0,
    sealed: bool = False,
    game: str = "g",
) -> list[Event]:
    """A whole game of odd decisions."""
    rng = Random(choices)
    start = start_event(NAMES[:players], seed, game=game, ruleset=ruleset, sealed=sealed)
    state = start_state(start)
    deck = Deck(state.rules, seed)
    events: list[Event] = [start]
    while state.phase is not OVER:
        advance(state, odd_decision(rng, state), deck, events)
    return events


def as_lines(events: list[Event]) -> list[dict[str, Any]]:
    """Events as the plain lines that the referee's sealer takes."""
    return [
        {"n": n, "ev": json.loads(msgspec.json.encode(event))} for n, event in enumerate(events)
    ]


def engine_verdicts(data: bytes) -> list[Verdict]:
    """What the engine thinks of the bytes of a log, game by game, in the referee's words."""
    verdicts = []
    for text in split_games(BytesIO(data)):
        log = read_game(text)
        found = replay(log)
        n = len(found.events)
        if found.fault is not None:
            fault = found.fault
            verdict = Verdict(
                log.game, "faulty", n, fault.event, fault.line, fault.code, fault.message
            )
        elif found.events and isinstance(found.events[-1], GameFinished):
            verdict = Verdict(log.game, "clean", n)
        else:
            verdict = Verdict(log.game, "torn" if log.tail else "unfinished", n)
        verdicts.append(verdict)
    return verdicts
