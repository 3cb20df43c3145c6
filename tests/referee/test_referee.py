"""The referee on the samples of the format, on mistakes, and against plain brute force."""

import hashlib
import itertools
import json
import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.referee.generate import generate, seal_lines
from tests.referee.referee import (
    ALL_CARDS,
    TEN,
    Event,
    Foul,
    Rules,
    Table,
    best_score,
    commitment_to,
    deck_in_order,
    encode,
    is_number,
    judge,
    read_rules,
    rules_as_object,
    shuffle,
)

SAMPLES = Path(__file__).parent / "samples"
THREE = (SAMPLES / "three-seats.jsonl").read_bytes()
SOLO_AND_FIVE = (SAMPLES / "solo-and-five.jsonl").read_bytes()

Lines = list[dict[str, Any]]


def lines_of(data: bytes) -> Lines:
    return [json.loads(raw) for raw in data.splitlines()]


def five() -> Lines:
    """The sealed game of the samples."""
    lines = lines_of(SOLO_AND_FIVE)
    return lines[121:]


def renumber(lines: Lines) -> None:
    for n, line in enumerate(lines):
        line["n"] = n


def only(data: bytes) -> tuple[str, int, int | None, str | None]:
    [verdict] = judge(data)
    return verdict.verdict, verdict.events, verdict.fault_event, verdict.code


# --- samples and vectors -------------------------------------------------------------------------


def test_samples_are_clean() -> None:
    verdicts = judge(THREE) + judge(SOLO_AND_FIVE)
    assert [(v.game, v.verdict, v.events) for v in verdicts] == [
        ("sample-a-0", "clean", 245),
        ("sample-b-0", "clean", 121),
        ("sample-c-0", "clean", 425),
    ]


def test_shuffle_vectors() -> None:
    for vector in json.loads((SAMPLES / "shuffle.json").read_text(encoding="utf-8")):
        deck = shuffle(vector["seed"], vector["players"])
        assert deck[:12] == vector["first_12"]
        assert deck[-3:] == vector["last_3"]
        digest = hashlib.sha256(" ".join(deck).encode()).hexdigest()
        assert digest == vector["sha256_of_whole_deck_joined_by_spaces"]


def test_deck_sizes() -> None:
    assert [len(deck_in_order(players)) for players in range(1, 6)] == [63, 63, 96, 129, 129]


def test_empty_file() -> None:
    assert judge(b"") == []


# --- doctored samples, sealed again: the rules have to find it -----------------------------------


def set_field(n: int, field: str, value: Any) -> Callable[[Lines], None]:
    def change(lines: Lines) -> None:
        assert lines[n]["ev"][field] != value
        lines[n]["ev"][field] = value

    return change


def set_event(n: int, event: Event) -> Callable[[Lines], None]:
    def change(lines: Lines) -> None:
        lines[n]["ev"] = event

    return change


def drop(n: int) -> Callable[[Lines], None]:
    def change(lines: Lines) -> None:
        del lines[n]
        renumber(lines)

    return change


def twice(n: int) -> Callable[[Lines], None]:
    def change(lines: Lines) -> None:
        lines.insert(n, {"n": n, "ev": lines[n]["ev"]})
        renumber(lines)

    return change


def swap(n: int) -> Callable[[Lines], None]:
    def change(lines: Lines) -> None:
        lines[n]["ev"], lines[n + 1]["ev"] = lines[n + 1]["ev"], lines[n]["ev"]

    return change


def pays(tokens: int, busts: int, cards: list[str]) -> Event:
    return {"tokens": tokens, "busts": busts, "cards": cards}


MUTATIONS: dict[str, tuple[int, str, Callable[[Lines], None]]] = {
    "another card is drawn": (3, "rules", set_field(3, "card", "R5")),
    "another seat draws": (3, "rules", set_field(3, "seat", 2)),
    "a seat that is not there": (3, "rules", set_field(3, "seat", 3)),
    "a decline is left out": (6, "rules", drop(6)),
    "a decline comes twice": (7, "rules", twice(6)),
    "too many tokens taken": (2, "rules", set_field(2, "tokens", 5)),
    "too few tokens taken": (2, "rules", set_field(2, "tokens", 3)),
    "cards lost when taking currency": (26, "rules", set_field(26, "cards", [])),
    "numbers in another order": (5, "rules", set_field(5, "cards", ["B3", "R6"])),
    "a gain from nothing": (5, "rules", set_field(5, "gains", [0, 0, 1])),
    "gains for a seat too many": (5, "rules", set_field(5, "gains", [0, 0, 0, 0])),
    "the wrong cause": (23, "rules", set_field(23, "cause", "currency")),
    "a gain cut short": (214, "rules", set_field(214, "gains", [0, 3, 2])),
    "the buster gains too": (214, "rules", set_field(214, "gains", [3, 3, 3])),
    "no bust token": (23, "rules", set_field(23, "bust_tokens", 0)),
    "a bust is left out": (23, "rules", drop(23)),
    "a bust comes twice": (24, "rules", twice(23)),
    "a bid as high as the one before": (
        19,
        "rules",
        set_event(19, {"type": "BidPlaced", "seat": 2, "amount": 2, "payment": pays(2, 0, [])}),
    ),
    "a superfluous token": (18, "rules", set_field(18, "payment", pays(1, 0, ["R6", "G6"]))),
    "one card paid twice": (18, "rules", set_field(18, "payment", pays(0, 0, ["R6", "R6"]))),
    "a negative payment": (18, "rules", set_field(18, "payment", pays(-1, 0, ["R6", "B3", "G6"]))),
    "a bid below its payment": (18, "rules", set_field(18, "amount", 1)),
    "a bid above its payment": (18, "rules", set_field(18, "amount", 3)),
    "bids in another order": (17, "rules", swap(17)),
    "a bidder is passed over": (17, "rules", drop(17)),
    "another price": (20, "rules", set_field(20, "price", 2)),
    "another winner": (20, "rules", set_field(20, "seat", 1)),
    "another wild": (20, "rules", set_field(20, "card", "RW")),
    "another order of payment": (31, "rules", set_field(31, "payment", pays(5, 0, ["G6", "B3"]))),
    "unsold after a bid": (20, "rules", set_event(20, {"type": "AuctionUnsold", "card": "GW"})),
    "a cheaper buy": (52, "rules", set_field(52, "price", 4)),
    "a buy from nowhere": (52, "rules", set_field(52, "card", "O6")),
    "a buy paid with others' cards": (
        52,
        "rules",
        set_field(52, "payment", pays(1, 0, ["R4", "W3", "B2", "G3"])),
    ),
    "a final buy is left out": (243, "end", drop(243)),
    "a finish in the middle": (
        100,
        "end",
        set_event(100, {"type": "GameFinished", "scores": [0, 0, 0], "winners": [0], "seed": "x"}),
    ),
    "another score": (244, "end", set_field(244, "scores", [2, 7, 3])),
    "another winner of the game": (244, "end", set_field(244, "winners", [1, 2])),
    "another seed at the end": (244, "end", set_field(244, "seed", "sample-a/1")),
    "another seed at the start": (0, "start", set_field(0, "seed", "sample-a/1")),
    "another commitment": (0, "start", set_field(0, "commitment", "0" * 64)),
    "an unknown ruleset": (0, "start", set_field(0, "rules", "ten/2")),
    "a newer format": (0, "start", set_field(0, "format", 2)),
    "a bad game id": (0, "start", set_field(0, "game", "a b")),
    "two of one name": (0, "start", set_field(0, "players", ["p0", "p1", "p0"])),
    "a control character": (0, "start", set_field(0, "players", ["p0", "p1", "p\t"])),
    "too many players": (0, "start", set_field(0, "players", list("abcdef"))),
    "another number of players": (1, "rules", set_field(0, "players", list("abcd"))),
    "a start in the middle": (3, "line", lambda lines: set_event(3, lines[0]["ev"])(lines)),
    "a gap in n": (100, "line", lambda lines: lines[100].update(n=101)),
}


@pytest.mark.parametrize("name", MUTATIONS)
@pytest.mark.parametrize("sealing", ["each", "end"])
def test_mutations(name: str, sealing: str) -> None:
    place, code, change = MUTATIONS[name]
    lines = lines_of(THREE)
    change(lines)
    assert only(seal_lines(lines, sealing)) == ("faulty", place, place, code)


@pytest.mark.parametrize("n", range(1, 244))
def test_every_event_is_needed(n: int) -> None:
    lines = lines_of(THREE)
    drop(n)(lines)
    verdict, _, place, _ = only(seal_lines(lines, "each"))
    assert verdict == "faulty"
    assert place is not None
    assert place >= n


# --- doctored bytes ------------------------------------------------------------------------------

BYTES: dict[str, tuple[bytes, bytes]] = {
    "a space": (b'{"n":3,', b'{"n": 3,'),
    "a float": (b'{"n":3,', b'{"n":3.0,'),
    "a minus": (b'"seat":0,"card":"O3"', b'"seat":-0,"card":"O3"'),
    "true for a number": (b'"seat":1,"card":"B3"', b'"seat":true,"card":"B3"'),
    "order of keys": (b'"seat":1,"card":"B3"', b'"card":"B3","seat":1'),
    "a doubled key": (b'"seat":1,"card":"B3"', b'"seat":1,"seat":1,"card":"B3"'),
    "an unknown key": (b'"seat":1,"card":"B3"', b'"seat":1,"card":"B3","x":1'),
    "an unknown key outside": (b'"card":"B3"},', b'"card":"B3"},"x":1,'),
    "a missing key": (b'"seat":1,"card":"B3"', b'"seat":1'),
    "an escape": (b'"card":"B3"}', b'"card":"\\u0042\\u0033"}'),
    "no such card": (b'"card":"B3"}', b'"card":"B0"}'),
    "no such type": (b'"CardDrawn","seat":1,"card":"B3"', b'"CardDraw","seat":1,"card":"B3"'),
    "not JSON": (b'"card":"B3"}', b'"card":NaN}'),
    "not UTF-8": (b'"card":"B3"}', b'"card":"\xff"}'),
    "half a surrogate": (b'"card":"B3"}', b'"card":"\\ud800"}'),
    "a line of nothing": (b'{"n":3,', b'\n{"n":3,'),
    "CRLF": (b'\n{"n":4,', b'\r\n{"n":4,'),
    "two lines in one": (b'\n{"n":4,', b'{"n":4,'),
    "bots on a later line": (b'"card":"B3"},', b'"card":"B3"},"bots":[null,null,null],'),
    "a fractional time": (b'"card":"B3"},', b'"card":"B3"},"at":1.5,'),
    "a byte order mark": (b'{"n":0,', b'\xef\xbb\xbf{"n":0,'),
}


@pytest.mark.parametrize("name", BYTES)
def test_bytes(name: str) -> None:
    old, new = BYTES[name]
    assert old in THREE
    verdict, _, _, code = only(THREE.replace(old, new, 1))
    assert (verdict, code) == ("faulty", "line")


def test_any_changed_byte_is_found() -> None:
    rng = random.Random(1)
    for _ in range(150):
        place = rng.randrange(len(THREE) - 1)
        data = bytearray(THREE)
        data[place] ^= 1 << rng.randrange(7)
        assert all(v.verdict != "clean" for v in judge(bytes(data)))


def test_seals() -> None:
    changed = THREE.replace(b'"players":["p0"', b'"players":["px"', 1)
    assert only(changed) == ("faulty", 0, 0, "seal")
    late = THREE.replace(b'"h":"8f92e675', b'"h":"8F92e675')
    assert only(late) == ("faulty", 244, 244, "seal")
    lines = THREE.splitlines(keepends=True)
    without = lines[100][: lines[100].index(b',"h"')] + b"}\n"
    assert only(b"".join([*lines[:100], without, *lines[101:]])) == ("faulty", 101, 101, "seal")
    last = lines[-1][: lines[-1].index(b',"h"')] + b"}\n"
    assert only(b"".join([*lines[:-1], last])) == ("faulty", 244, 244, "seal")


def test_metadata() -> None:
    lines = lines_of(THREE)
    lines[0]["at"] = 1790000000000
    lines[0]["bots"] = ["greedy:é\n", None, None]
    lines[0]["from"] = {"seal": "0" * 32, "n": 4}
    lines[7]["at"] = 1790000000001
    assert only(seal_lines(lines, "each")) == ("clean", 245, None, None)
    lines[0]["bots"] = [None]
    assert only(seal_lines(lines, "each")) == ("faulty", 0, 0, "start")


def test_cut_at_every_byte() -> None:
    ends = list(itertools.accumulate(len(raw) for raw in THREE.splitlines(keepends=True)))
    for cut in [*range(1, ends[1] + 10), *range(ends[-4], len(THREE))]:
        [verdict] = judge(THREE[:cut])
        # A line's seal is there once only its newline is missing.
        sealed = sum(1 for end in ends if cut >= end - 1)
        assert verdict.events == sealed
        if cut in ends or cut + 1 in ends:
            assert verdict.verdict == ("clean" if sealed == 245 else "unfinished")
        else:
            assert verdict.verdict == "torn"
            assert verdict.fault_event == sealed


def test_a_well_formed_tail_is_a_tail() -> None:
    lines = THREE.splitlines(keepends=True)
    unsealed = [raw[: raw.index(b',"h"')] + b"}\n" for raw in lines]
    data = b"".join(lines[:50] + unsealed[50:60])
    assert only(data) == ("torn", 50, 50, None)
    assert only(data + b"rubbish\n\xff") == ("torn", 50, 50, None)
    nonsense = unsealed[50].replace(b'"n":50', b'"n":70')
    assert only(b"".join(lines[:50]) + nonsense) == ("torn", 50, 50, None)
    # What is broken before a later seal is damage.
    assert only(data + lines[60]) == ("faulty", 60, 60, "seal")


def test_many_games() -> None:
    broken = THREE.replace(b'"n":9,', b'"n":8,')
    half = b"".join(THREE.splitlines(keepends=True)[:20])
    data = SOLO_AND_FIVE + broken + half + THREE + half + b'{"n":20'
    verdicts = judge(data)
    assert [(v.verdict, v.events, v.fault_line) for v in verdicts] == [
        ("clean", 121, None),
        ("clean", 425, None),
        ("faulty", 9, 546 + 10),
        ("unfinished", 20, None),
        ("clean", 245, None),
        ("torn", 20, 546 + 245 + 20 + 245 + 21),
    ]
    verdicts = judge(half + b'{"n":20\n' + THREE)
    # What follows the last seal of a game in progress is a tail, also before another game.
    assert [(v.verdict, v.events) for v in verdicts] == [("torn", 20), ("clean", 245)]


def test_lines_after_the_end() -> None:
    extra = THREE.splitlines(keepends=True)[-2].replace(b'"n":243', b'"n":245')
    assert only(THREE + extra) == ("faulty", 245, 245, "line")
    assert [v.verdict for v in judge(THREE + b"\n")] == ["clean", "faulty"]
    assert [v.verdict for v in judge(THREE + b'{"n":0,"ev":{"ty')] == ["clean", "torn"]
    assert [v.verdict for v in judge(THREE + THREE[:100])] == ["clean", "torn"]
    assert [v.verdict for v in judge(b"x\n" + THREE)] == ["faulty", "clean"]


# --- sealed games --------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 30, 200])
def test_a_wrong_draw_in_a_sealed_game(n: int) -> None:
    lines = five()
    n = next(i for i in range(n, 400) if lines[i]["ev"]["type"] == "CardDrawn")
    card = lines[n]["ev"]["card"]
    lines[n]["ev"]["card"] = "R2" if card != "R2" else "R3"
    assert only(seal_lines(lines, "end")) == ("faulty", n, n, "rules")


def test_a_broken_commitment() -> None:
    lines = five()
    lines[-1]["ev"]["seed"] = "another"
    assert only(seal_lines(lines, "each")) == ("faulty", 424, 424, "end")


def test_a_sealed_game_in_progress_is_held_against_the_composition() -> None:
    lines = five()[:300]
    assert only(seal_lines(lines, "each")) == ("unfinished", 300, None, None)
    drawn = [n for n in range(300) if lines[n]["ev"]["type"] == "CardDrawn"]
    wilds = [n for n in drawn if lines[n]["ev"]["card"] in ("WW", "W1", "W2", "W3", "W4")]
    first, second = wilds[:2]
    card = lines[first]["ev"]["card"]
    for line in lines[second:]:
        if line["ev"].get("card") == lines[second]["ev"]["card"]:
            line["ev"] = {**line["ev"], "card": card}
            break
    assert only(seal_lines(lines, "each")) == ("faulty", second, second, "rules")


# --- the mistakes of RULES.md 12 -----------------------------------------------------------------


def table(players: int, cards: str, rules: Rules = TEN) -> Table:
    """A table whose deck is exactly these cards in this order."""
    deck = cards.split()
    counts = Counter(deck)
    rules = replace(rules, deck={card: [1] * counts[card] for card in ALL_CARDS})
    return Table(rules, players, deck)


def draw(game: Table, times: int = 1) -> None:
    assert game.deck is not None
    for _ in range(times):
        card = game.deck[len(game.drawn)]
        game.apply({"type": "CardDrawn", "seat": game.active, "card": card})


def forced(game: Table) -> Event:
    event = game.due()
    assert event is not None
    game.apply(event)
    return event


def decline(game: Table) -> None:
    game.apply({"type": "BuyDeclined", "seat": game.buyer})


def refuse(game: Table, event: Event) -> None:
    with pytest.raises(Foul):
        game.apply(event)


def test_1_exactly_ten_is_safe() -> None:
    game = table(2, "R9 R1 R2")
    draw(game, 2)
    assert game.phase == "turn"
    draw(game)
    assert forced(game)["cause"] == "numbers"
    assert sorted(game.market) == ["R1", "R2", "R9"]
    game = table(2, "C5 C5 C1")
    draw(game, 2)
    assert game.phase == "turn"
    draw(game)
    assert forced(game)["cause"] == "currency"


def test_2_currency_counts_by_itself() -> None:
    game = table(2, "R3 C5 C5 C1 R1")
    draw(game, 4)
    assert game.total() == -8
    assert forced(game) == {
        "type": "Busted",
        "seat": 0,
        "cause": "currency",
        "gains": [0, 0],
        "bust_tokens": 1,
    }


def test_3_no_buy_after_currency() -> None:
    game = table(2, "R1 C1 R2")
    draw(game, 2)
    game.apply(game.taking_currency())
    refuse(game, buy(0, "R1", 1, pays(1, 0, [])))
    refuse(game, {"type": "BuyDeclined", "seat": 0})
    assert (game.phase, game.active) == ("turn", 1)


def buy(seat: int, card: str, price: int, payment: Event) -> Event:
    return {"type": "CardBought", "seat": seat, "card": card, "price": price, "payment": payment}


def test_4_a_currency_bust_pays_nobody() -> None:
    game = table(3, "C5 C5 C1 R1")
    draw(game, 3)
    paid = {**(game.due() or {}), "gains": [0, 5, 5]}
    refuse(game, paid)
    forced(game)
    assert game.tokens == [5, 5, 5]


def test_5_each_other_player_gets_all() -> None:
    game = table(3, "R4 C4 R1")
    draw(game, 2)
    assert game.taking_numbers()["gains"] == [0, 4, 4]
    refuse(game, {**game.taking_numbers(), "gains": [0, 2, 2]})


def test_6_a_buster_chooses_nothing() -> None:
    game = table(2, "R9 C1 R5 R1")
    draw(game, 3)
    refuse(game, {"type": "NumbersTaken", "seat": 0, "cards": ["R9", "R5"], "gains": [0, 1]})
    refuse(game, {"type": "CurrencyTaken", "seat": 0, "tokens": 1, "cards": ["R9", "R5"]})
    assert forced(game)["gains"] == [0, 1]


def test_7_bust_tokens_do_not_count() -> None:
    game = table(2, "C5 R1")
    game.tokens, game.busts = [6, 6], [9, 0]
    draw(game)
    assert game.taking_currency()["tokens"] == 4
    game.phase = "end"
    assert (game.due() or {})["winners"] == [0, 1]


def bid(seat: int, amount: int, payment: Event) -> Event:
    return {"type": "BidPlaced", "seat": seat, "amount": amount, "payment": payment}


def test_8_the_drawer_bids_last_and_once() -> None:
    game = table(3, "WW R1")
    draw(game)
    refuse(game, bid(0, 1, pays(1, 0, [])))
    for seat in (1, 2, 0):
        refuse(game, {"type": "CardDrawn", "seat": 0, "card": "R1"})
        game.apply({"type": "BidPassed", "seat": seat})
    refuse(game, bid(0, 1, pays(1, 0, [])))
    forced(game)
    assert game.discard == ["WW"]
    assert game.active == 0


def test_9_final_buys_from_the_left_of_the_last_player() -> None:
    game = table(3, "C1 R1 W5")
    draw(game)
    game.apply(game.taking_currency())
    draw(game)
    game.apply(game.taking_numbers())
    decline(game)
    draw(game)
    for seat in (0, 1, 2):
        game.apply({"type": "BidPassed", "seat": seat})
    forced(game)
    assert forced(game) == {"type": "NothingTaken", "seat": 2}
    for seat in (0, 1, 2):
        assert game.buyer == seat
        refuse(game, {"type": "GameFinished", "scores": [0, 1, 0], "winners": [1]})
        decline(game)
    assert forced(game)["winners"] == [1]


def test_10_one_wild_is_one_card() -> None:
    assert best_score(["R1", "B1", "W2"]) == 3
    assert best_score(["R1", "B1", "WW"]) == 3
    assert best_score(["R1", "R2", "R4", "B1", "B3", "W3"]) == 5


# --- other points of the rules -------------------------------------------------------------------


def test_an_empty_deck_leaves_a_reward_to_take() -> None:
    game = table(1, "R1 WW")
    draw(game, 2)
    game.apply({"type": "BidPassed", "seat": 0})
    forced(game)
    refuse(game, {"type": "NothingTaken", "seat": 0})
    refuse(game, {"type": "CurrencyTaken", "seat": 0, "tokens": 0, "cards": ["R1"]})
    game.apply(game.taking_numbers())
    decline(game)  # the buy phase after the numbers
    decline(game)  # the final one
    assert game.phase == "end"


def test_only_wilds_oblige_to_draw() -> None:
    game = table(1, "WW C1")
    draw(game)
    game.apply({"type": "BidPassed", "seat": 0})
    forced(game)
    refuse(game, {"type": "NumbersTaken", "seat": 0, "cards": [], "gains": [0]})
    refuse(game, {"type": "NothingTaken", "seat": 0})
    draw(game)


def test_gains_go_clockwise_as_far_as_they_go() -> None:
    game = table(4, "C5 C5 R1 R2")
    game.tokens, game.supply, game.active = [5, 2, 9, 5], 7, 2
    draw(game, 3)
    assert game.taking_numbers()["gains"] == [2, 0, 0, 5]


def test_payments() -> None:
    game = table(2, "R4 R1")
    game.market = ["B4", "O4", "R4"]
    game.tokens, game.busts, game.cards[0] = [5, 5], [2, 0], ["B4", "W1", "BW"]
    game.phase, game.buyer = "buy", 0
    for bad in (
        pays(2, 1, []),
        pays(5, 0, []),
        pays(3, 0, []),
        pays(1, 1, ["W1"]),
        pays(1, 2, []),
        pays(0, 3, []),
        pays(3, 0, ["O4"]),
        pays(2, 0, ["W1", "W1"]),
    ):
        refuse(game, buy(0, "O4", 4, bad))
    refuse(game, buy(0, "B4", 4, pays(3, 0, ["B4"])))  # the ban looks before the payment
    refuse(game, buy(0, "O4", 3, pays(3, 0, [])))
    refuse(game, buy(0, "G4", 4, pays(4, 0, [])))
    for good in (pays(1, 1, []), pays(0, 2, []), pays(1, 0, ["W1", "B4", "BW"]), pays(4, 0, [])):
        game.check_payment(0, 4, good, True)
    game.apply(buy(0, "O4", 4, pays(0, 2, [])))
    assert game.bust_supply == 17
    assert game.cards[0] == ["B4", "W1", "BW", "O4"]


def test_no_bust_token_left() -> None:
    game = table(1, "R9 R2 R1", replace(TEN, busts_supply=0))
    draw(game, 2)
    assert forced(game)["bust_tokens"] == 0


def test_winners() -> None:
    game = table(3, "R1")
    game.phase = "end"
    game.cards = [["R1"], ["R1", "R1"], []]
    assert (game.due() or {})["winners"] == [0]
    game.tokens = [5, 6, 10]
    assert (game.due() or {})["winners"] == [1]
    game.cards[1].pop()
    game.tokens = [6, 6, 10]
    assert (game.due() or {})["winners"] == [0, 1]


def test_custom_rules() -> None:
    game = table(2, "WW W1 R1", replace(TEN, unsold_wild="drawer", spent_cards="market"))
    draw(game)
    game.apply({"type": "BidPassed", "seat": 1})
    game.apply({"type": "BidPassed", "seat": 0})
    forced(game)
    assert game.cards[0] == ["WW"]
    game.cards[1] = ["R5", "W9"]
    draw(game)
    game.apply(bid(1, 2, pays(0, 0, ["R5", "W9"])))
    game.apply({"type": "BidPassed", "seat": 0})
    forced(game)
    assert (game.market, game.discard, game.cards[1]) == (["R5"], ["W9"], ["W1"])
    game = table(2, "WW R1", replace(TEN, auction_cards=False))
    game.cards[1] = ["R5"]
    draw(game)
    refuse(game, bid(1, 1, pays(0, 0, ["R5"])))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("deck", {}),
        ("deck", {"R1": [6]}),
        ("deck", {"CW": [1]}),
        ("deck", {"R1": 3}),
        ("bust_limit", -1),
        ("tokens.start", 11),
        ("tokens.supply", 24),
        ("tokens.limit", True),
        ("seats.min", 0),
        ("seats.max", 0),
        ("unsold_wild", "nobody"),
        ("spent_cards", 1),
        ("auction_cards", 1),
        ("name", None),
        ("name", "a b"),
        ("bust_limit", 0),
        ("busts.value", 0),
        ("busts.supply", 1001),
        ("deck", {"R2": [1], "R1": [1]}),
        ("deck", {"R1": [1] * 100}),
    ],
)
def test_rules_that_cannot_work(path: str, value: Any) -> None:
    rules = json.loads(encode(rules_as_object(TEN)))
    assert read_rules(rules) == TEN
    where = rules
    *parents, key = path.split(".")
    for parent in parents:
        where = where[parent]
    where[key] = value
    with pytest.raises(Foul, match=parents[0] if parents else key):
        read_rules(rules)


# --- scoring -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "score"),
    [
        ("", 0),
        ("B1 B2 B3 B5 B7", 3),
        ("B1 B2 B3 B5 B7 BW", 5),
        ("B1 B2 B3 B5 B7 BW W6", 7),
        ("R1 R2 R3 R4 R5 B1 B2 B3 O4 O5 G9 G7 G9", 11),
        ("R1 R2 R3 R4 R5 R6 R7 R8 R9", 10),
        ("R1 R2 R3 R4 WW R6 R7 R8 R9", 10),
        ("RW", 1),
        ("RW RW", 2),
        ("W5 W6", 2),
        ("WW", 1),
        ("R3 R3", 1),
    ],
)
def test_scores(cards: str, score: int) -> None:
    assert best_score(cards.split()) == score


def test_the_most_is_forty() -> None:
    assert best_score([card for card in ALL_CARDS if is_number(card)]) == 40
    assert best_score([card for card in ALL_CARDS if is_number(card)], 0) == 36


def brute_force(cards: list[str], bonus: int) -> int:
    """Every wild as every card that it can stand for, or unused."""
    choices = []
    for card in cards:
        if is_number(card):
            continue
        choices.append(
            [None]
            + [
                colour + number
                for colour in ("RBOG" if card[0] == "W" else card[0])
                for number in ("123456789" if card[1] == "W" else card[1])
            ]
        )
    naturals = {card for card in cards if is_number(card)}
    best = 0
    for stands in itertools.product(*choices):
        have = naturals | {card for card in stands if card is not None}
        score = 0
        for colour in "RBOG":
            marks = "".join("x" if f"{colour}{n}" in have else " " for n in range(1, 10))
            longest = max(len(run) for run in marks.split(" "))
            score += longest + (bonus if longest == 9 else 0)
        best = max(best, score)
    return best


def test_best_score_against_brute_force() -> None:
    rng = random.Random(9)
    number_cards = [card for card in ALL_CARDS if is_number(card)]
    wilds = ["RW", "RW", "BW", "OW", "GW", *(f"W{n}" for n in range(1, 10)), "W5", "WW", "WW"]
    for trial in range(250):
        colours = rng.choice(["R", "RB", "RBO", "RBOG"])
        pool = [card for card in number_cards if card[0] in colours]
        cards = rng.choices(pool, k=rng.randrange(12)) + rng.sample(wilds, rng.randrange(4))
        bonus = rng.choice([0, 1, 1, 3])
        assert best_score(cards, bonus) == brute_force(cards, bonus), (trial, cards)


def test_best_score_is_fast_enough() -> None:
    rng = random.Random(5)
    deck = deck_in_order(5)
    wilds = [card for card in deck if "W" in card]
    numbers = [card for card in deck if is_number(card)]
    for _ in range(10):
        cards = rng.sample(numbers, 19) + rng.sample(wilds, 6)
        start = time.perf_counter()
        best_score(cards)
        assert time.perf_counter() - start < 1


# --- the generator -------------------------------------------------------------------------------

SMALL: dict[str, Any] = {
    "name": "small",
    "seats": {"min": 1, "max": 6},
    "deck": {"R1": [1, 2], "R9": [1], "B2": [1, 1, 3], "OW": [1], "WW": [1, 1], "C5": [1, 1, 1]},
    "tokens": {"start": 1, "limit": 6, "supply": 7},
    "busts": {"supply": 1, "value": 2},
    "bust_limit": 9,
    "full_run_bonus": 2,
    "unsold_wild": "drawer",
    "spent_cards": "market",
    "auction_cards": False,
}


def test_generated_games_are_clean() -> None:
    kinds: Counter[str] = Counter()
    for choice in range(100):
        players = choice % 5 + 1
        sealing: Any = "each" if choice % 2 else "end"
        rules = None if choice % 4 == 3 else SMALL
        data = generate(f"köszönöm {choice}", players, sealing, choice % 3 == 0, rules, choice)
        assert data == generate(
            f"köszönöm {choice}", players, sealing, choice % 3 == 0, rules, choice
        )
        lines = lines_of(data)
        assert only(data) == ("clean", len(lines), None, None)
        kinds.update(line["ev"]["type"] for line in lines)
        assert lines[0]["ev"]["commitment"] == commitment_to(f"köszönöm {choice}")
    assert len(kinds) == 13


def test_nothing_is_lost_or_made() -> None:
    for choice in range(10):
        players = choice % 5 + 1
        lines = lines_of(generate(f"keep {choice}", players, "end", choice_seed=choice))
        game = Table(TEN, players, shuffle(f"keep {choice}", players))
        for line in lines[1:]:
            game.apply(line["ev"])
            assert sum(game.tokens) + game.supply == 50
            assert sum(game.busts) + game.bust_supply == 15
            assert max(game.tokens) <= 10
            held = Counter(game.market + game.discard + game.tableau)
            held.update(itertools.chain(*game.cards))
            if game.phase in ("auction", "hammer"):
                held[game.wild] += 1
            assert held + game.undrawn == Counter(deck_in_order(players))
