"""The story tells everything that happened, and the same however it is fed."""

from __future__ import annotations

import pytest

from tenlog.game.cards import CARDS
from tenlog.game.events import AuctionWon, Busted, CardBought, CardDrawn, GameFinished
from tenlog.game.evolve import evolve
from tenlog.game.state import FINAL_BUY, State
from tenlog.html.words import describe
from tenlog.story import Narrator, Passage, plain, tell, winner_words
from tenlog_cli.screen import standings
from tests.support import play_game


@pytest.mark.parametrize("players", [1, 2, 3, 5])
def test_every_card_and_every_event_is_told(players: int) -> None:
    for seed in range(6):
        events, state = play_game(str(seed), players)
        passages = tell(events)
        drawn = [event.card for event in events if isinstance(event, CardDrawn)]
        told = [
            span.text
            for passage in passages
            for span in passage.words
            if span.role == "card"
            and (passage.kind == "draws" or passage.text.startswith("turns up"))
        ]
        assert told == drawn
        busts = sum(isinstance(event, Busted) for event in events)
        assert sum(passage.kind == "bust" for passage in passages) == busts
        buys = sum(isinstance(event, CardBought) for event in events)
        assert sum("buys " in p.text and " for " in p.text for p in passages) == buys
        won = [event for event in events if isinstance(event, AuctionWon)]
        assert sum(" wins " in p.text and p.kind == "auction" for p in passages) == len(won)
        assert [p.turn for p in passages] == sorted(p.turn for p in passages)
        assert passages[-1].n == len(events) - 1
        assert state.players[state.winners[0]] in passages[-1].text
        assert all(passage.text.strip() == passage.text for passage in passages)
        cards = {span.text for p in passages for span in p.words if span.role == "card"}
        assert cards <= set(CARDS)


def test_telling_as_it_happens_tells_the_same() -> None:
    """Flushing between events only cuts draws and bids into more pieces."""
    events, _ = play_game("story", 4)
    narrator = Narrator()
    state: State | None = None
    pieces: list[Passage] = []
    for event in events:
        state = evolve(state, event)
        pieces += narrator.feed(event, state)
        pieces += narrator.flush()
    whole = tell(events)

    def firm(passages: list[Passage]) -> list[Passage]:
        loose = ("draws", "auction")
        return [p for p in passages if p.kind not in loose or " wins " in p.text]

    assert firm(pieces) == firm(whole)


def test_the_last_buys_are_announced_before_anybody_is_asked() -> None:
    for players in (1, 3):
        events, _ = play_game("last", players)
        narrator = Narrator()
        state: State | None = None
        told: list[str] = []
        for event in events:
            state = evolve(state, event)
            told += [passage.text for passage in narrator.feed(event, state)]
            if state.phase is FINAL_BUY:
                assert told.count("The last buys · the deck is empty") == 1
                break
        whole = [passage.text for passage in tell(events)]
        assert whole.count("The last buys · the deck is empty") == 1


@pytest.mark.parametrize(
    ("scores", "tokens", "winners", "says"),
    [
        ((9, 8, 7), (0, 5, 5), (0,), "p0 wins with 9 points"),
        ((9, 9, 7), (0, 5, 5), (1,), "p1 wins with 9 points, as many as p0, but more tokens"),
        ((9, 9, 7), (5, 5, 5), (0,), "p0 wins with 9 points, as many as p1, but fewer cards"),
        (
            (9, 9, 9), (4, 5, 5), (1,),
            "p1 wins with 9 points, as many as p0 and p2, but more tokens or fewer cards",
        ),
        ((9, 9, 7), (5, 5, 5), (0, 1), "p0 and p1 share the victory with 9 points each"),
        (
            (9, 9, 9), (4, 5, 5), (1, 2),
            "p1 and p2 share the victory with 9 points each, as many as p0, but more tokens",
        ),
    ],
)  # fmt: skip
def test_what_decided(
    scores: tuple[int, ...], tokens: tuple[int, ...], winners: tuple[int, ...], says: str
) -> None:
    state = play_game("decided", 3)[1].copy()
    state.tokens = tokens
    end = GameFinished(scores, winners, "decided")
    assert plain(winner_words(state, end)) == says
    html = "".join(
        f"p{piece}" if isinstance(piece, int) else str(piece) for piece in describe(end, state)
    )
    assert html == f"The game is over: {says}"
    state.scores, state.winners = scores, winners
    (first, *_) = standings(state, 80)
    by = says.partition(", but ")[2]
    assert plain(first).endswith("winner" + (f", {by}" if by else ""))


def test_the_seed_is_hidden_from_a_player() -> None:
    events, _ = play_game("tell-tale", 3)
    assert "tell-tale" in tell(events)[0].text
    assert "tell-tale" not in tell(events, hide_seed=True)[0].text
