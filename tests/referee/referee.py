"""A second opinion on logs, written from RULES.md and FORMAT.md alone.

It shares neither code nor ideas with the engine: plain dicts, lists and searches, slow where that
is clearer. `judge` reads the bytes of a log file and says what it thinks of each game in it,
`Table` is the rules, `shuffle` the deck and `best_score` the scoring.
"""

import hashlib
import itertools
import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Event = dict[str, Any]

COLOURS = "RBOG"
ALL_CARDS = (
    [f"{colour}{number}" for colour in COLOURS for number in range(1, 10)]
    + [f"{colour}W" for colour in COLOURS]
    + [f"W{number}" for number in range(1, 10)]
    + ["WW"]
    + [f"C{value}" for value in range(1, 6)]
)  # in the order of FORMAT.md 4.1


class Foul(Exception):
    """Something in a log that the rules or the format do not allow."""

    def __init__(self, message: str, code: str = "rules") -> None:
        super().__init__(message)
        self.message = message
        self.code = code


@dataclass(frozen=True)
class Verdict:
    """What the referee thinks of one game of a file.

    `verdict` is "clean", "unfinished" (in progress, all of it committed), "torn" (as unfinished,
    but for an uncommitted tail) or "faulty". `events` counts the committed events, in a faulty
    game the events before the fault. `fault_event` is the place within the game (the `n` that the
    line ought to have), `fault_line` the line of the file from 1; a torn game has the place
    where its tail begins there. `code` is "line", "seal", "start", "rules" or "end".
    """

    game: str | None
    verdict: str
    events: int
    fault_event: int | None = None
    fault_line: int | None = None
    code: str | None = None
    message: str = ""


# --- the cards -----------------------------------------------------------------------------------


def is_currency(card: str) -> bool:
    return card[0] == "C"


def is_wild(card: str) -> bool:
    return "W" in card


def is_number(card: str) -> bool:
    return not is_currency(card) and not is_wild(card)


def ten_deck() -> dict[str, list[int]]:
    """The deck of ten/1 (RULES.md 2): for each copy, from how many players it is in play."""
    deck: dict[str, list[int]] = {}
    for card in ALL_CARDS:
        if is_currency(card):
            deck[card] = [1, 3, 4] if card == "C5" else [1, 1, 3, 3, 4, 4]
        elif is_number(card):
            deck[card] = [1, 3, 4] if int(card[1]) <= 6 else [1]
        else:
            deck[card] = [1, 1] if card[0] in COLOURS else [1]
    return deck


# --- rulesets ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rules:
    """A ruleset (RULES.md 10) as plain values."""

    name: str
    seats_min: int
    seats_max: int
    deck: dict[str, list[int]]
    tokens_start: int
    tokens_limit: int
    tokens_supply: int
    busts_supply: int
    busts_value: int
    bust_limit: int
    full_run_bonus: int
    unsold_wild: str
    spent_cards: str
    auction_cards: bool


TEN = Rules(
    name="ten/1",
    seats_min=1,
    seats_max=5,
    deck=ten_deck(),
    tokens_start=5,
    tokens_limit=10,
    tokens_supply=50,
    busts_supply=15,
    busts_value=3,
    bust_limit=10,
    full_run_bonus=1,
    unsold_wild="discard",
    spent_cards="discard",
    auction_cards=True,
)


def rules_as_object(rules: Rules) -> dict[str, Any]:
    """The ruleset in the layout that GameStarted carries."""
    return {
        "name": rules.name,
        "seats": {"min": rules.seats_min, "max": rules.seats_max},
        "deck": rules.deck,
        "tokens": {
            "start": rules.tokens_start,
            "limit": rules.tokens_limit,
            "supply": rules.tokens_supply,
        },
        "busts": {"supply": rules.busts_supply, "value": rules.busts_value},
        "bust_limit": rules.bust_limit,
        "full_run_bonus": rules.full_run_bonus,
        "unsold_wild": rules.unsold_wild,
        "spent_cards": rules.spent_cards,
        "auction_cards": rules.auction_cards,
    }


def read_rules(value: Any) -> Rules:
    """`"ten/1"` or a whole ruleset as an object; what cannot work is a foul of the start."""
    if isinstance(value, str):
        if value != "ten/1":
            raise Foul(f"rules: unknown ruleset {value!r}", "start")
        return TEN

    def want(good: bool, message: str) -> None:
        if not good:
            raise Foul(f"rules: {message}", "start")

    def keys(obj: Any, names: list[str], where: str) -> None:
        want(isinstance(obj, dict) and list(obj) == names, f"{where} must have the keys {names}")

    def count(number: Any, where: str, least: int = 0, most: int = 1000) -> int:
        good = is_int(number) and least <= number <= most
        want(good, f"{where} must be a whole number from {least} to {most}")
        return int(number)

    keys(value, list(rules_as_object(TEN)), "the ruleset")
    keys(value["seats"], ["min", "max"], "seats")
    keys(value["tokens"], ["start", "limit", "supply"], "tokens")
    keys(value["busts"], ["supply", "value"], "busts")
    name = value["name"]
    good_name = isinstance(name, str) and re.fullmatch("[A-Za-z0-9._/-]{1,32}", name) is not None
    want(good_name, "name must be 1 to 32 of A-Z a-z 0-9 . _ / -")
    want(isinstance(value["deck"], dict), "deck must be an object")
    for card, copies in value["deck"].items():
        want(card in ALL_CARDS, f"deck: there is no card {card!r}")
        want(isinstance(copies, list), f"deck.{card} must be a list")
        want(len(copies) <= 99, f"deck.{card} has more than 99 copies")
        for least in copies:
            count(least, f"deck.{card}", 1, 10)
    in_order = [card for card in ALL_CARDS if card in value["deck"]]
    want(list(value["deck"]) == in_order, "deck: the cards must be in the order of the page")
    want(value["unsold_wild"] in ("discard", "drawer"), "unsold_wild: discard or drawer")
    want(value["spent_cards"] in ("discard", "market"), "spent_cards: discard or market")
    want(isinstance(value["auction_cards"], bool), "auction_cards: true or false")
    rules = Rules(
        name=value["name"],
        seats_min=count(value["seats"]["min"], "seats.min", 1, 10),
        seats_max=count(value["seats"]["max"], "seats.max", 1, 10),
        deck=value["deck"],
        tokens_start=count(value["tokens"]["start"], "tokens.start"),
        tokens_limit=count(value["tokens"]["limit"], "tokens.limit"),
        tokens_supply=count(value["tokens"]["supply"], "tokens.supply"),
        busts_supply=count(value["busts"]["supply"], "busts.supply"),
        busts_value=count(value["busts"]["value"], "busts.value", 1),
        bust_limit=count(value["bust_limit"], "bust_limit", 1),
        full_run_bonus=count(value["full_run_bonus"], "full_run_bonus"),
        unsold_wild=value["unsold_wild"],
        spent_cards=value["spent_cards"],
        auction_cards=value["auction_cards"],
    )
    want(rules.seats_min <= rules.seats_max, "seats.min is more than seats.max")
    want(rules.tokens_start <= rules.tokens_limit, "tokens.start is more than tokens.limit")
    want(
        rules.tokens_start * rules.seats_max <= rules.tokens_supply,
        "tokens.start for every seat is more than tokens.supply",
    )
    # More players never take a copy out, so the fewest players have the smallest deck.
    want(bool(deck_in_order(rules.seats_min, rules.deck)), "deck is empty")
    most_cards = len(deck_in_order(rules.seats_max, rules.deck))
    want(most_cards <= 1000, "deck has more than 1000 cards")
    want(rules.name != "ten/1" or rules == TEN, "name ten/1 is taken")
    return rules


# --- the deck ------------------------------------------------------------------------------------


def deck_in_order(players: int, deck_table: dict[str, list[int]] | None = None) -> list[str]:
    """The deck for so many players in the order of FORMAT.md 4.1, not yet shuffled."""
    table = TEN.deck if deck_table is None else deck_table
    return [card for card in ALL_CARDS for least in table.get(card, []) if least <= players]


def shuffle(seed: str, players: int, deck_table: dict[str, list[int]] | None = None) -> list[str]:
    """The draw order, first card first (FORMAT.md 4)."""
    keyed = []
    for i, card in enumerate(deck_in_order(players, deck_table)):
        digest = hashlib.sha256(f"tenlog/shuffle/1:{seed}:{i // 4}".encode()).hexdigest()
        keyed.append((digest[16 * (i % 4) : 16 * (i % 4) + 16], i, card))
    return [card for _, _, card in sorted(keyed)]


def commitment_to(seed: str) -> str:
    return hashlib.sha256(f"tenlog/seed/1:{seed}".encode()).hexdigest()


# --- scoring -------------------------------------------------------------------------------------


def best_score(cards: list[str], full_run_bonus: int = 1) -> int:
    """The most points that these cards can score (RULES.md 9).

    Colour by colour, every run from a to b is tried; what is missing in it is filled with the
    colour's own wilds first (they fit nowhere else), then with every choice of number wilds, then
    with full wilds. What is left of number and full wilds goes on to the next colour.
    """
    number_wilds = tuple(cards.count(f"W{number}") for number in range(1, 10))
    states: dict[tuple[tuple[int, ...], int], int] = {(number_wilds, cards.count("WW")): 0}
    for colour in COLOURS:
        owned = {number for number in range(1, 10) if f"{colour}{number}" in cards}
        colour_wilds = cards.count(f"{colour}W")
        reached = dict(states)  # no run at all in this colour
        for (numbers_left, fulls_left), score in states.items():
            for first in range(1, 10):
                for last in range(first, 10):
                    points = score + last - first + 1
                    if (first, last) == (1, 9):
                        points += full_run_bonus
                    missing = [n for n in range(first, last + 1) if n not in owned]
                    open_places = max(0, len(missing) - colour_wilds)
                    usable = [n for n in missing if numbers_left[n - 1] > 0]
                    for size in range(min(open_places, len(usable)) + 1):
                        if open_places - size > fulls_left:
                            continue
                        for used in itertools.combinations(usable, size):
                            numbers = list(numbers_left)
                            for n in used:
                                numbers[n - 1] -= 1
                            state = (tuple(numbers), fulls_left - (open_places - size))
                            reached[state] = max(reached.get(state, 0), points)
        states = reached
    return max(states.values())


# --- the table -----------------------------------------------------------------------------------


class Table:
    """One game after GameStarted: `apply` takes events one by one or raises Foul.

    `deck` is the draw order where it is known; without it drawn cards are only held against the
    composition of the deck. `phase` is what is awaited: "turn" (draw or take), "auction" (a bid or
    a pass), "hammer" (the outcome of the auction), "bust", "buy", "end" (GameFinished), "over".
    """

    def __init__(self, rules: Rules, players: int, deck: list[str] | None = None) -> None:
        self.rules = rules
        self.players = players
        self.deck = deck
        self.undrawn = Counter(deck_in_order(players, rules.deck))
        self.drawn: list[str] = []
        self.tokens = [rules.tokens_start] * players
        self.busts = [0] * players
        self.cards: list[list[str]] = [[] for _ in range(players)]
        self.supply = rules.tokens_supply - rules.tokens_start * players
        self.bust_supply = rules.busts_supply
        self.market: list[str] = []
        self.discard: list[str] = []
        self.active = 0
        self.tableau: list[str] = []
        self.phase = "turn"
        self.bust_cause = ""
        self.wild = ""
        self.bidders: list[int] = []
        self.best_bid: Event | None = None
        self.buyer = 0
        self.final_buyers: list[int] | None = None  # None before the end (RULES.md 8.2)

    # what can be asked

    def deck_left(self) -> int:
        return sum(self.undrawn.values())

    def clockwise(self) -> list[int]:
        """All seats from the active player's left round to the active player."""
        return [(self.active + step) % self.players for step in range(1, self.players + 1)]

    def numbers(self) -> list[str]:
        return [card for card in self.tableau if is_number(card)]

    def currency_total(self) -> int:
        return sum(int(card[1]) for card in self.tableau if is_currency(card))

    def total(self) -> int:
        return sum(int(card[1]) for card in self.numbers()) - self.currency_total()

    def receivable(self, seat: int, tokens: int, supply: int) -> int:
        """How many of so many tokens the seat really gets (RULES.md 5.3)."""
        return max(0, min(tokens, self.rules.tokens_limit - self.tokens[seat], supply))

    def gains(self) -> list[int]:
        """What each seat receives if each other player takes the currency total."""
        gains = [0] * self.players
        supply = self.supply
        for seat in self.clockwise():
            if seat != self.active:
                gains[seat] = self.receivable(seat, self.currency_total(), supply)
                supply -= gains[seat]
        return gains

    def due(self) -> Event | None:
        """The event that must come next whatever the players want, if there is one.

        GameFinished comes without its seed, which is not the table's business.
        """
        if self.phase == "bust":
            by_numbers = self.bust_cause == "numbers"
            return {
                "type": "Busted",
                "seat": self.active,
                "cause": self.bust_cause,
                "gains": self.gains() if by_numbers else [0] * self.players,
                "bust_tokens": min(1, self.bust_supply),
            }
        if self.phase == "hammer":
            if self.best_bid is None:
                return {"type": "AuctionUnsold", "card": self.wild}
            return {
                "type": "AuctionWon",
                "seat": self.best_bid["seat"],
                "card": self.wild,
                "price": self.best_bid["amount"],
                "payment": self.best_bid["payment"],
            }
        if self.phase == "turn" and not self.tableau and self.deck_left() == 0:
            return {"type": "NothingTaken", "seat": self.active}
        if self.phase == "end":
            scores = [best_score(cards, self.rules.full_run_bonus) for cards in self.cards]
            ranks = [
                (scores[seat], self.tokens[seat], -len(self.cards[seat]))
                for seat in range(self.players)
            ]
            winners = [seat for seat, rank in enumerate(ranks) if rank == max(ranks)]
            return {"type": "GameFinished", "scores": scores, "winners": winners}
        return None

    def taking_numbers(self) -> Event:
        return {
            "type": "NumbersTaken",
            "seat": self.active,
            "cards": self.numbers(),
            "gains": self.gains(),
        }

    def taking_currency(self) -> Event:
        tokens = self.receivable(self.active, self.currency_total(), self.supply)
        return {
            "type": "CurrencyTaken",
            "seat": self.active,
            "tokens": tokens,
            "cards": self.numbers(),
        }

    def check_payment(self, seat: int, price: int, payment: Event, cards_pay: bool) -> None:
        """RULES.md 6.3 and 6.4."""
        tokens, busts, cards = payment["tokens"], payment["busts"], payment["cards"]
        if not 0 <= tokens <= self.tokens[seat]:
            raise Foul(f"seat {seat} pays {tokens} tokens of {self.tokens[seat]}")
        if not 0 <= busts <= self.busts[seat]:
            raise Foul(f"seat {seat} pays {busts} bust tokens of {self.busts[seat]}")
        if cards and not cards_pay:
            raise Foul("cards may not pay in auctions under these rules")
        paid: Counter[str] = Counter(cards)
        lacking = paid - Counter(self.cards[seat])
        if lacking:
            raise Foul(f"seat {seat} pays with {sorted(lacking)} which it does not own")
        value = tokens + busts * self.rules.busts_value + len(cards)
        if value < price:
            raise Foul(f"a payment of {value} does not reach the price of {price}")
        if (tokens or cards) and value - 1 >= price:
            raise Foul(f"a token or card of the payment of {value} for {price} is superfluous")
        if busts and value - self.rules.busts_value >= price:
            raise Foul(f"a bust token of the payment of {value} for {price} is superfluous")

    # what happens

    def apply(self, event: Event) -> None:
        """Take one event (FORMAT.md 3) of the right shape, or raise Foul and change nothing."""
        handlers: dict[str, Callable[[Event], None]] = {
            "CardDrawn": self._card_drawn,
            "BidPlaced": self._bid_placed,
            "BidPassed": self._bid_passed,
            "AuctionWon": self._auction_won,
            "AuctionUnsold": self._auction_unsold,
            "Busted": self._busted,
            "NumbersTaken": self._numbers_taken,
            "CurrencyTaken": self._currency_taken,
            "NothingTaken": self._nothing_taken,
            "CardBought": self._card_bought,
            "BuyDeclined": self._buy_declined,
            "GameFinished": self._game_finished,
        }
        handlers[event["type"]](event)

    def _in_phase(self, event: Event, phase: str) -> None:
        if self.phase != phase:
            raise Foul(f"{event['type']} does not fit here: the game is at {self.phase!r}")

    def _same(self, event: Event, expected: Event | None) -> None:
        """Hold an event of which every field follows from the game against what follows."""
        if expected is None or event["type"] != expected["type"]:
            what = "a decision" if expected is None else expected["type"]
            raise Foul(f"{event['type']} does not fit here: {what} comes next")
        for field, value in expected.items():
            if event[field] != value:
                raise Foul(f"{event['type']}: {field} is {event[field]}, must be {value}")

    def _card_drawn(self, event: Event) -> None:
        self._in_phase(event, "turn")
        card = event["card"]
        if event["seat"] != self.active:
            raise Foul(f"seat {event['seat']} draws in the turn of seat {self.active}")
        if self.deck_left() == 0:
            raise Foul("a card is drawn from the empty deck")
        if self.deck is not None and self.deck[len(self.drawn)] != card:
            raise Foul(f"{card} is drawn where the deck has {self.deck[len(self.drawn)]}")
        if self.undrawn[card] == 0:
            raise Foul(f"no copy of {card} is left in the deck")
        self.undrawn[card] -= 1
        self.drawn.append(card)
        if is_wild(card):  # RULES.md 7
            self.wild = card
            self.bidders = self.clockwise()
            self.best_bid = None
            self.phase = "auction"
            return
        self.tableau.append(card)
        if is_number(card) and self.total() > self.rules.bust_limit:
            self.phase, self.bust_cause = "bust", "numbers"
        if is_currency(card) and self.currency_total() > self.rules.bust_limit:
            self.phase, self.bust_cause = "bust", "currency"

    def _bidder(self, event: Event) -> None:
        self._in_phase(event, "auction")
        if event["seat"] != self.bidders[0]:
            raise Foul(f"seat {event['seat']} bids or passes, it is seat {self.bidders[0]}'s turn")

    def _next_bidder(self) -> None:
        self.bidders.pop(0)
        if not self.bidders:
            self.phase = "hammer"

    def _bid_placed(self, event: Event) -> None:
        self._bidder(event)
        least = 1 if self.best_bid is None else self.best_bid["amount"] + 1
        if event["amount"] < least:
            raise Foul(f"a bid of {event['amount']} where {least} is the least")
        cards_pay = self.rules.auction_cards
        self.check_payment(event["seat"], event["amount"], event["payment"], cards_pay)
        self.best_bid = event
        self._next_bidder()

    def _bid_passed(self, event: Event) -> None:
        self._bidder(event)
        self._next_bidder()

    def _auction_won(self, event: Event) -> None:
        self._same(event, self.due())
        self._pay(event["seat"], event["payment"])
        self.cards[event["seat"]].append(self.wild)
        self.phase = "turn"

    def _auction_unsold(self, event: Event) -> None:
        self._same(event, self.due())
        if self.rules.unsold_wild == "drawer":
            self.cards[self.active].append(self.wild)
        else:
            self.discard.append(self.wild)
        self.phase = "turn"

    def _busted(self, event: Event) -> None:
        self._same(event, self.due())
        self._receive(event["gains"])
        self.busts[self.active] += event["bust_tokens"]
        self.bust_supply -= event["bust_tokens"]
        self.market += self.numbers()
        self._end_turn()

    def _numbers_taken(self, event: Event) -> None:
        self._in_phase(event, "turn")
        if not self.numbers():
            raise Foul("numbers are taken without a number card in the tableau")
        self._same(event, self.taking_numbers())
        self._receive(event["gains"])
        self.cards[self.active] += self.numbers()
        self.discard += [card for card in self.tableau if is_currency(card)]
        self.tableau = []
        self.phase, self.buyer = "buy", self.active

    def _currency_taken(self, event: Event) -> None:
        self._in_phase(event, "turn")
        if not any(is_currency(card) for card in self.tableau):
            raise Foul("currency is taken without a currency card in the tableau")
        self._same(event, self.taking_currency())
        self.tokens[self.active] += event["tokens"]
        self.supply -= event["tokens"]
        self.market += self.numbers()
        self._end_turn()

    def _nothing_taken(self, event: Event) -> None:
        self._same(event, self.due())
        self._end_turn()

    def _buying(self, event: Event) -> None:
        self._in_phase(event, "buy")
        if event["seat"] != self.buyer:
            raise Foul(f"seat {event['seat']} buys or declines, it is seat {self.buyer}'s turn")

    def _card_bought(self, event: Event) -> None:
        self._buying(event)
        seat, card = event["seat"], event["card"]
        if card not in self.market:
            raise Foul(f"{card} is not in the market")
        if card in self.cards[seat]:  # before the payment, RULES.md 6.6
            raise Foul(f"seat {seat} owns a {card} already")
        if event["price"] != int(card[1]):
            raise Foul(f"{card} is bought for {event['price']}")
        self.check_payment(seat, event["price"], event["payment"], True)
        self.market.remove(card)
        self._pay(seat, event["payment"])
        self.cards[seat].append(card)
        self._bought()

    def _buy_declined(self, event: Event) -> None:
        self._buying(event)
        self._bought()

    def _game_finished(self, event: Event) -> None:
        self._same(event, self.due())
        self.phase = "over"

    def _pay(self, seat: int, payment: Event) -> None:
        self.tokens[seat] -= payment["tokens"]
        self.supply += payment["tokens"]
        self.busts[seat] -= payment["busts"]
        self.bust_supply += payment["busts"]
        for card in payment["cards"]:
            self.cards[seat].remove(card)
            if self.rules.spent_cards == "market" and is_number(card):
                self.market.append(card)
            else:
                self.discard.append(card)

    def _receive(self, gains: list[int]) -> None:
        for seat, gain in enumerate(gains):
            self.tokens[seat] += gain
            self.supply -= gain

    def _bought(self) -> None:
        if self.final_buyers is None:
            self._end_turn()
        else:
            self._next_final_buyer()

    def _end_turn(self) -> None:
        self.discard += [card for card in self.tableau if is_currency(card)]
        self.tableau = []
        if self.deck_left() == 0:
            self.final_buyers = self.clockwise()
            self._next_final_buyer()
        else:
            self.active = (self.active + 1) % self.players
            self.phase = "turn"

    def _next_final_buyer(self) -> None:
        assert self.final_buyers is not None
        if self.final_buyers:
            self.buyer = self.final_buyers.pop(0)
            self.phase = "buy"
        else:
            self.phase = "end"


# --- lines ---------------------------------------------------------------------------------------


def is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def is_text(value: Any) -> bool:
    return isinstance(value, str)


def is_card(value: Any) -> bool:
    return isinstance(value, str) and value in ALL_CARDS


def is_cards(value: Any) -> bool:
    return isinstance(value, list) and all(is_card(card) for card in value)


def is_ints(value: Any) -> bool:
    return isinstance(value, list) and all(is_int(number) for number in value)


def is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(is_text(item) for item in value)


def is_bots(value: Any) -> bool:
    return isinstance(value, list) and all(bot is None or is_text(bot) for bot in value)


def is_payment(value: Any) -> bool:
    if not isinstance(value, dict) or list(value) != ["tokens", "busts", "cards"]:
        return False
    return is_int(value["tokens"]) and is_int(value["busts"]) and is_cards(value["cards"])


def is_moment(value: Any) -> bool:
    return is_int(value) and 0 <= value <= 2**53


def is_branch(value: Any) -> bool:
    if not isinstance(value, dict) or list(value) != ["seal", "n"]:
        return False
    seal_ok = is_text(value["seal"]) and re.fullmatch("[0-9a-f]{32}", value["seal"]) is not None
    return seal_ok and is_int(value["n"]) and value["n"] >= 0


SHAPES: dict[str, dict[str, Callable[[Any], bool]]] = {
    "GameStarted": {
        "format": is_int,
        "game": is_text,
        "rules": lambda value: isinstance(value, str | dict),
        "players": is_texts,
        "seed": lambda value: value is None or is_text(value),
        "commitment": is_text,
    },
    "CardDrawn": {"seat": is_int, "card": is_card},
    "BidPlaced": {"seat": is_int, "amount": is_int, "payment": is_payment},
    "BidPassed": {"seat": is_int},
    "AuctionWon": {"seat": is_int, "card": is_card, "price": is_int, "payment": is_payment},
    "AuctionUnsold": {"card": is_card},
    "Busted": {
        "seat": is_int,
        "cause": lambda value: value in ("numbers", "currency"),
        "gains": is_ints,
        "bust_tokens": is_int,
    },
    "NumbersTaken": {"seat": is_int, "cards": is_cards, "gains": is_ints},
    "CurrencyTaken": {"seat": is_int, "tokens": is_int, "cards": is_cards},
    "NothingTaken": {"seat": is_int},
    "CardBought": {"seat": is_int, "card": is_card, "price": is_int, "payment": is_payment},
    "BuyDeclined": {"seat": is_int},
    "GameFinished": {"scores": is_ints, "winners": is_ints, "seed": is_text},
}

METADATA: dict[str, Callable[[Any], bool]] = {"at": is_moment, "bots": is_bots, "from": is_branch}


def encode(value: Any) -> bytes:
    """The canonical bytes of a JSON value: compact, non-ASCII characters as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def no_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = [key for key, _ in pairs]
    if len(set(keys)) < len(keys):
        raise ValueError("a key stands twice in one object")
    return dict(pairs)


def no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def read_line(raw: bytes) -> dict[str, Any]:
    """One line without its newline as a dict, or a Foul with the code "line" (FORMAT.md 2)."""
    try:
        text = raw.decode()
        line = json.loads(text, object_pairs_hook=no_doubles, parse_constant=no_constant)
        again = encode(line)
    except (ValueError, RecursionError) as error:
        raise Foul(f"not a line of JSON: {error}", "line") from None
    if not isinstance(line, dict) or "n" not in line or "ev" not in line:
        raise Foul("not an object with n and ev", "line")
    if list(line) != [key for key in ("n", "ev", *METADATA, "h") if key in line]:
        raise Foul(f"the keys {list(line)} are unknown or out of order", "line")
    if not is_int(line["n"]) or ("h" in line and not is_text(line["h"])):
        raise Foul("n must be a whole number and h text", "line")
    for name, good in METADATA.items():
        if name in line and not good(line[name]):
            raise Foul(f"{name} is not as it should be", "line")
    check_shape(line["ev"])
    if again != raw:
        raise Foul("the line is not canonical: writing it again gives other bytes", "line")
    if line["ev"]["type"] != "GameStarted" and ("bots" in line or "from" in line):
        raise Foul("bots and from may stand on the first line only", "line")
    return line


def check_shape(event: Any) -> None:
    if not isinstance(event, dict) or not is_text(event.get("type")):
        raise Foul("ev is not an object with a type", "line")
    kind = event["type"]
    if kind not in SHAPES:
        raise Foul(f"unknown event type {kind!r}", "line")
    if kind == "GameStarted" and is_int(event.get("format")) and event["format"] != 1:
        return  # its fields are not known here; opening the game refuses it
    if list(event) != ["type", *SHAPES[kind]]:
        raise Foul(f"{kind} has the fields {list(event)}", "line")
    for field, good in SHAPES[kind].items():
        if not good(event[field]):
            raise Foul(f"{kind}: {field} is not as it should be: {event[field]!r}", "line")


def lenient(raw: bytes) -> Any:
    """What a line says, whether it is canonical or not; None where it says nothing."""
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None


FIRST_BYTES = b'{"n":0,"ev":{"type":"GameStarted",'


def may_start_game(raw: bytes) -> bool:
    """Whether a piece of a line can be the beginning of a game (FORMAT.md 2)."""
    return raw[: len(FIRST_BYTES)] == FIRST_BYTES[: len(raw)]


def starts_game(raw: bytes) -> bool:
    if raw.startswith(FIRST_BYTES):
        return True
    line = lenient(raw)
    if not isinstance(line, dict) or not isinstance(line.get("ev"), dict):
        return False
    return line.get("n") == 0 and line["ev"].get("type") == "GameStarted"


def game_id(raw: bytes) -> str | None:
    line = lenient(raw)
    if isinstance(line, dict) and isinstance(line.get("ev"), dict):
        game = line["ev"].get("game")
        return game if isinstance(game, str) else None
    return None


# --- games ---------------------------------------------------------------------------------------


def has_control(text: str) -> bool:
    """Whether the text has a control character (Unicode category Cc)."""
    return any(ord(char) < 32 or 127 <= ord(char) < 160 for char in text)


def is_seed(text: str) -> bool:
    return 1 <= len(text) <= 128 and not has_control(text)


def open_table(line: dict[str, Any], revealed: str | None) -> Table:
    """The table that GameStarted sets; `revealed` is the seed that the game's end gives."""

    def want(good: bool, message: str) -> None:
        if not good:
            raise Foul(message, "start")

    event = line["ev"]
    want(event["format"] == 1, f"format {event['format']} is not known, only 1 is")
    want(re.fullmatch("[A-Za-z0-9._-]{1,64}", event["game"]) is not None, "not a game id")
    rules = read_rules(event["rules"])
    names = event["players"]
    want(rules.seats_min <= len(names) <= rules.seats_max, f"{len(names)} players")
    want(len(set(names)) == len(names), "two players have the same name")
    for name in names:
        want(1 <= len(name) <= 64 and not has_control(name), f"not a player's name: {name!r}")
    if "bots" in line:
        want(len(line["bots"]) == len(names), "bots does not have an entry for each seat")
    seed = event["seed"]
    if seed is None:
        well_formed = re.fullmatch("[0-9a-f]{64}", event["commitment"]) is not None
        want(well_formed, "the commitment is not a hex SHA-256")
        # With a seed that does not keep the commitment the game is judged without a deck, up to
        # GameFinished, where the fault is; and so it is with what may not be a seed at all.
        kept = revealed is not None and commitment_to(revealed) == event["commitment"]
        if kept and is_seed(revealed or ""):
            seed = revealed
    else:
        want(is_seed(seed), "not a seed")
        want(commitment_to(seed) == event["commitment"], "the commitment is not the seed's")
    deck = None if seed is None else shuffle(seed, len(names), rules.deck)
    return Table(rules, len(names), deck)


def check_end(table: Table, event: Event, start: Event) -> None:
    try:
        table.apply(event)
    except Foul as foul:
        raise Foul(foul.message, "end") from None
    if start["seed"] is not None and event["seed"] != start["seed"]:
        raise Foul("GameFinished names another seed than GameStarted", "end")
    if not is_seed(event["seed"]) or commitment_to(event["seed"]) != start["commitment"]:
        raise Foul("the revealed seed does not keep the commitment", "end")


def revealed_seed(lines: list[bytes]) -> str | None:
    """The seed of the game's GameFinished, read ahead to place a wrong draw where it is."""
    for raw in reversed(lines):
        line = lenient(raw)
        if isinstance(line, dict) and isinstance(line.get("ev"), dict):
            event = line["ev"]
            if event.get("type") == "GameFinished" and isinstance(event.get("seed"), str):
                return str(event["seed"]) if is_utf8(event["seed"]) else None
    return None


def is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def committed(lines: list[bytes], terminated: bool) -> int:
    """How many of a game's lines stand before its uncommitted tail, if it is in progress.

    A broken line counts as sealed if it is whole (it has its newline) and has the key `h`: what a
    torn write leaves is not like that, so it is damage and no tail. An unsealed GameFinished is no
    tail either: it makes the game a finished one, which must have a seal.
    """
    count = 0
    for i, raw in enumerate(lines):
        line = lenient(raw)
        whole = terminated or i < len(lines) - 1 or line is not None
        event = line.get("ev") if isinstance(line, dict) else None
        finished = isinstance(event, dict) and event.get("type") == "GameFinished"
        if whole and (b',"h":' in raw or finished):
            count = i + 1
    return count


def judge_game(lines: list[bytes], first_line: int, last: bool, terminated: bool) -> list[Verdict]:
    """The verdict on the lines from one GameStarted up to the next.

    A second verdict without a game stands for lines after the end that belong to nothing.
    """
    game = game_id(lines[0])
    count = committed(lines, terminated)
    start: Event = {}
    table: Table | None = None
    seal = "0" * 32
    unsealed = b""

    def place(verdict: str, n: int, code: str | None, message: str) -> Verdict:
        return Verdict(game, verdict, n, n, first_line + n, code, message)

    for n, raw in enumerate(lines[:count]):
        try:
            line = read_line(raw)
            if line["n"] != n:
                raise Foul(f"n is {line['n']}, must be {n}", "line")
            event = line["ev"]
            if (event["type"] == "GameStarted") != (n == 0):
                raise Foul(f"{event['type']} as event {n}", "line")
            if "h" in line:
                body = unsealed + raw[: raw.rindex(b',"h":')]
                seal = hashlib.sha256(seal.encode() + body).hexdigest()[:32]
                unsealed = b""
                if line["h"] != seal:
                    raise Foul(f"the seal is {line['h']}, must be {seal}", "seal")
            else:
                unsealed += raw + b"\n"
            if table is None:
                start = event
                table = open_table(line, revealed_seed(lines))
            elif event["type"] == "GameFinished":
                check_end(table, event, start)
                if "h" not in line:
                    raise Foul("the last line of a finished game has no seal", "seal")
                return judge_rest(lines, n + 1, first_line, last, terminated)
            else:
                table.apply(event)
        except Foul as foul:
            return [place("faulty", n, foul.code, foul.message)]
    if count == len(lines):
        return [Verdict(game, "unfinished", count)]
    return [place("torn", count, None, "an uncommitted tail after the last seal")]


def judge_rest(
    lines: list[bytes], n: int, first_line: int, last: bool, terminated: bool
) -> list[Verdict]:
    """The verdicts on a game whose first n lines are a finished game without a fault."""
    game = game_id(lines[0])
    clean = Verdict(game, "clean", n)
    if n == len(lines):
        return [clean]
    line_number = first_line + n
    following = lenient(lines[n])
    if isinstance(following, dict) and following.get("n") == n:
        message = "an event after GameFinished"
        return [Verdict(game, "faulty", n, n, line_number, "line", message)]
    if last and not terminated and n == len(lines) - 1 and may_start_game(lines[n]):
        message = "a torn line after the last game"
        return [clean, Verdict(None, "torn", 0, 0, line_number, None, message)]
    return [clean, orphan(line_number)]


def orphan(line_number: int) -> Verdict:
    return Verdict(None, "faulty", 0, 0, line_number, "line", "a line that belongs to no game")


def judge(data: bytes) -> list[Verdict]:
    """Judge a whole log file, one verdict a game, in the order of the file.

    Bytes that belong to no game get a verdict of their own with the game None.
    """
    lines = data.split(b"\n")
    terminated = lines[-1] == b""
    if terminated:
        lines.pop()
    starts = [i for i, raw in enumerate(lines) if starts_game(raw)]
    verdicts = []
    before = starts[0] if starts else len(lines)
    if before > 0:
        if before == len(lines) == 1 and not terminated and may_start_game(lines[0]):
            verdicts.append(Verdict(None, "torn", 0, 0, 1, None, "a torn first line"))
        else:
            verdicts.append(orphan(1))
    for i, start in enumerate(starts):
        last = i == len(starts) - 1
        end = len(lines) if last else starts[i + 1]
        verdicts += judge_game(lines[start:end], start + 1, last, terminated or not last)
    return verdicts
