"""What is typed at the prompt, and what it means."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tenlog.bots.stream import Stream
from tenlog.errors import IllegalMove, PromptError, TenlogError
from tenlog.game.commands import Bid, Buy, Draw, Pass, TakeCurrency, TakeNumbers
from tenlog.game.decide import Deck, advance
from tenlog.game.events import Event, Payment
from tenlog.game.legal import legal
from tenlog.game.state import AUCTION, BUY, DRAW, OVER, Phase, State, start_state
from tenlog.play.advice import bid_pieces, choices
from tenlog.play.prompt import command_words, completions, hints, read_wish
from tenlog.play.session import start_event
from tenlog.story import plain
from tests.rules.table import Given, pays


def _tables(seed: str, moves: int) -> State:
    """A table after some moves, each as likely as another."""
    state = start_state(start_event(("A", "B", "C"), seed, game="g"))
    deck = Deck(state.rules, seed)
    stream = Stream(hash_free(seed), 0)
    events: list[Event] = []
    for _ in range(moves):
        if state.phase is OVER:
            break
        advance(state, stream.choice(legal(state)), deck, events)
    return state


def hash_free(seed: str) -> int:
    return int.from_bytes(seed.encode()[:8], "big")


def _table_in(phase: Phase) -> State:
    for moves in range(200):
        state = _tables("prompt", moves)
        if state.phase is phase and (phase is not DRAW or state.tableau):
            return state
    raise AssertionError(phase)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 40), st.integers(0, 150))
def test_every_legal_command_can_be_typed_as_it_is_listed(seed: int, moves: int) -> None:
    state = _tables(str(seed), moves)
    for command in legal(state):
        assert read_wish(plain(command_words(command)), state).command == command
    assert bool(hints(state)) == (state.phase is not OVER)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=30), st.sampled_from([DRAW, AUCTION, BUY]))
def test_anything_else_is_answered_with_a_message(line: str, phase: Phase) -> None:
    state = TABLES[phase]
    with contextlib.suppress(TenlogError):
        wish = read_wish(line, state)
        assert (wish.command is None) != (wish.ask is None)
    completions(line, state)


TABLES = {phase: _table_in(phase) for phase in (DRAW, AUCTION, BUY)}


def test_words_may_be_cut_short() -> None:
    drawing, auction, buying = TABLES[DRAW], TABLES[AUCTION], TABLES[BUY]
    seat = drawing.to_act
    assert read_wish("d", drawing).command == Draw(seat)
    assert read_wish("TAKE n", drawing).command == TakeNumbers(seat)
    assert read_wish("c", drawing).command == TakeCurrency(seat)
    assert read_wish("p", auction).command == Pass(auction.to_act)
    assert read_wish("x", auction).command == Pass(auction.to_act)
    for line in ("1 1t", "b 1 1t", "bid 1 1 t"):
        if line != "bid 1 1 t":
            assert read_wish(line, auction).command == Bid(auction.to_act, 1, Payment(1, 0, ()))
    wish = read_wish("r4 2t+B1", buying).command
    assert wish == Buy(buying.to_act, "R4", Payment(2, 0, ("B1",)))
    assert read_wish("b R4 2t B1", buying).command == wish
    assert read_wish("?", drawing).ask == "help"
    assert read_wish("r 6.4", drawing).rest == "6.4"
    assert read_wish("dec", buying) == read_wish("x", buying)


@pytest.mark.parametrize(
    ("line", "phase", "says"),
    [
        ("", DRAW, "type draw"),
        ("take", DRAW, "numbers or currency"),
        ("take it", DRAW, "none of"),
        ("bid", AUCTION, "bid how much"),
        ("bid -1", AUCTION, "bid how much"),
        ("bid 1.5", AUCTION, "bid how much"),
        ("bid 9999999999", AUCTION, "a bid of 9999999999 is more than anybody can pay"),
        ("00000000009999999999", AUCTION, "a bid of 9999999999 is more than"),
        ("buy", BUY, "buy"),
        ("d", BUY, "x declines"),
        ("D", AUCTION, "x passes"),
        ("draw 3", DRAW, "nothing goes after draw"),
        ("zzz", DRAW, "none of draw or numbers or currency"),
    ],
)
def test_what_is_not_understood(line: str, phase: Phase, says: str) -> None:
    with pytest.raises(PromptError, match=says):
        read_wish(line, TABLES[phase])


def test_a_payment_may_be_said_as_on_a_command_line() -> None:
    buying, auction = TABLES[BUY], TABLES[AUCTION]
    wish = read_wish("buy R4 2t+B1", buying)
    assert read_wish("buy R4 --pay 2t+B1", buying) == wish
    assert read_wish("b R4 --pay=2t B1", buying) == wish
    assert read_wish("1 --pay 1t", auction) == read_wish("bid 1 1t", auction)
    with pytest.raises(IllegalMove, match="write tokens as 2t"):
        read_wish("1 --pay", auction)


def test_completions() -> None:
    assert completions("d", TABLES[DRAW]) == ["draw"]
    assert completions("take ", TABLES[DRAW]) == ["numbers", "currency"]
    assert "pass" in completions("", TABLES[AUCTION])


def test_what_is_kept_is_worth_most_with_the_wild_that_is_won() -> None:
    """Red 2 is part of a run of four with the red wild, green 4 is not missed."""
    own = "R2 R4 R5 B5 OW G4 G6"
    table = Given(2, "RW R1", tokens=(5, 10), cards=["", own]).after(Draw(0)).state
    bid = Bid(1, 11, pays(10, 0, "G4"))
    assert read_wish("bid 11", table).command == bid
    assert bid in legal(table)
    (lowest, *_) = (choice for choice in choices(table) if isinstance(choice.command, Bid))
    assert bid_pieces(table, bid)[1] == lowest.pieces[1], "as many points as for tokens alone"
