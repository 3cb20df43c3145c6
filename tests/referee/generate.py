"""Random legal games made with the referee's own table, for programs that share nothing with it."""

import hashlib
import random
from typing import Any, Literal

from tests.referee.referee import (
    TEN,
    Event,
    Rules,
    Table,
    commitment_to,
    encode,
    read_rules,
    rules_as_object,
    shuffle,
)


def random_payment(
    rng: random.Random, table: Table, seat: int, price: int, cards_pay: bool
) -> Event | None:
    """Any legal payment of the price by the seat, odd ones too, or None if there is none."""
    value = table.rules.busts_value
    most_cards = len(table.cards[seat]) if cards_pay else 0
    options = []
    for busts in range(min(table.busts[seat], price) + 1):
        for cards in range(min(most_cards, price) + 1):
            for tokens in range(min(table.tokens[seat], price) + 1):
                worth = tokens + busts * value + cards
                exact_enough = worth == price or not (tokens or cards)
                if worth >= price and exact_enough and (not busts or worth - value < price):
                    options.append((tokens, busts, cards))
    if not options:
        return None
    tokens, busts, cards = rng.choice(options)
    return {
        "tokens": tokens,
        "busts": busts,
        "cards": rng.sample(table.cards[seat], cards),
    }


class Chooser:
    """The decisions of one game; its habits are drawn once, so that games differ in kind."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.daring = rng.choice([0.1, 0.4, 0.6, 0.8, 0.95])
        self.greed = rng.choice([0.2, 0.5, 0.8])
        self.thirst = rng.choice([0.2, 0.6, 0.95])

    def turn(self, table: Table) -> Event:
        draw: Event = {"type": "CardDrawn", "seat": table.active}
        takes = []
        if table.numbers():
            takes.append(table.taking_numbers())
        if len(table.numbers()) < len(table.tableau):
            takes.append(table.taking_currency())
        if not takes or (table.deck_left() > 0 and self.rng.random() < self.daring):
            assert table.deck is not None
            draw["card"] = table.deck[len(table.drawn)]
            return draw
        return self.rng.choice(takes)

    def bid(self, table: Table) -> Event:
        seat = table.bidders[0]
        least = 1 if table.best_bid is None else int(table.best_bid["amount"]) + 1
        most = table.tokens[seat] + table.busts[seat] * table.rules.busts_value
        if table.rules.auction_cards:
            most += len(table.cards[seat])
        if most >= least and self.rng.random() < self.greed:
            amount = self.rng.randint(least, most if self.rng.random() < 0.1 else least)
            payment = random_payment(self.rng, table, seat, amount, table.rules.auction_cards)
            if payment is not None:
                return {"type": "BidPlaced", "seat": seat, "amount": amount, "payment": payment}
        return {"type": "BidPassed", "seat": seat}

    def buy(self, table: Table) -> Event:
        seat = table.buyer
        wanted = sorted(set(table.market) - set(table.cards[seat]))
        self.rng.shuffle(wanted)
        if self.rng.random() < self.thirst:
            for card in wanted:
                price = int(card[1])
                payment = random_payment(self.rng, table, seat, price, True)
                if payment is not None:
                    return {
                        "type": "CardBought",
                        "seat": seat,
                        "card": card,
                        "price": price,
                        "payment": payment,
                    }
        return {"type": "BuyDeclined", "seat": seat}

    def decide(self, table: Table) -> Event:
        if table.phase == "auction":
            return self.bid(table)
        if table.phase == "buy":
            return self.buy(table)
        return self.turn(table)


def seal_lines(lines: list[dict[str, Any]], sealing: str) -> bytes:
    """The lines of one game as bytes, sealed on each line or at the end (FORMAT.md 2)."""
    seal = "0" * 32
    unsealed = b""
    out = b""
    for i, line in enumerate(lines):
        bare = encode({key: value for key, value in line.items() if key != "h"})
        if sealing == "each" or i == len(lines) - 1:
            seal = hashlib.sha256(seal.encode() + unsealed + bare[:-1]).hexdigest()[:32]
            unsealed = b""
            out += bare[:-1] + b',"h":"' + seal.encode() + b'"}\n'
        else:
            unsealed += bare + b"\n"
            out += bare + b"\n"
    return out


def generate(
    seed: str,
    players: int,
    sealing: Literal["each", "end"],
    sealed: bool = False,
    rules: Rules | dict[str, Any] | None = None,
    choice_seed: int = 0,
) -> bytes:
    """A finished game of random legal decisions as the bytes of a log.

    The same arguments give the same bytes. `rules` is a ruleset, or the object that GameStarted
    carries; None is ten/1. `sealed` keeps the seed back until the end.
    """
    if isinstance(rules, dict):
        rules = read_rules(rules)
    table_rules = TEN if rules is None else rules
    rng = random.Random(f"{seed}/{choice_seed}")
    table = Table(table_rules, players, shuffle(seed, players, table_rules.deck))
    chooser = Chooser(rng)
    tag = hashlib.sha256(f"{seed}/{players}/{choice_seed}".encode()).hexdigest()[:12]
    events: list[Event] = [
        {
            "type": "GameStarted",
            "format": 1,
            "game": f"gen-{tag}",
            "rules": "ten/1" if rules is None else rules_as_object(rules),
            "players": [f"játékos {seat}" for seat in range(players)],
            "seed": None if sealed else seed,
            "commitment": commitment_to(seed),
        }
    ]
    while table.phase != "over":
        event = table.due() or chooser.decide(table)
        table.apply(event)
        if event["type"] == "GameFinished":
            event["seed"] = seed
        events.append(event)
    return seal_lines([{"n": n, "ev": event} for n, event in enumerate(events)], sealing)
