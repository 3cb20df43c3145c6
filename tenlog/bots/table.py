"""A whole game between bots: the one loop that plays it when nobody waits for single decisions."""

from __future__ import annotations

from collections.abc import Sequence

from tenlog.bots.base import Bot
from tenlog.bots.house import choice_of
from tenlog.bots.stream import Stream, alias_of, stream_key
from tenlog.game.decide import Deck, advance, perform
from tenlog.game.events import Event, GameStarted
from tenlog.game.state import OVER, State, start_state
from tenlog.game.view import View


def play_out(state: State, deck: Deck, minds: Sequence[Bot], events: list[Event]) -> None:
    """Let bots decide until the game is over; in place, for bulk.

    ``state`` must be the caller's own and ``deck`` its deck; ``minds`` has a bot for each seat (the
    same one may sit at several). What happens is appended to ``events``. Each decision gets the
    stream that it would get in a game that is played one decision at a time, so both ways give the
    same events. As everywhere, bots see the table under another id than the log's.

    Raises:
        IllegalMove: a bot that is not of the house wanted what the rules refuse; the events before
            that stand.
    """
    view = View(state)
    choices = [choice_of(mind) for mind in minds]
    streams = [Stream(stream_key(deck.seed, seat), 0) for seat in range(len(minds))]
    game, state.game = state.game, alias_of(deck.seed)
    try:
        while state.phase is not OVER:
            seat = state.to_act
            stream = streams[seat]
            stream.seek(state.n)
            choose = choices[seat]
            if choose is not None:
                perform(state, choose(state, stream), deck, events)
            else:
                advance(state, minds[seat].decide(view, stream), deck, events)
    finally:
        state.game = game


def play_game(start: GameStarted, seed: str, minds: Sequence[Bot]) -> tuple[list[Event], State]:
    """A whole game from its first event: all events, and the table at its end.

    ``seed`` is the seed of the game: ``start`` may keep it secret.

    Raises:
        RulesetError, SetupError, SeedError: ``start`` can't be played.
        IllegalMove: a bot wanted what the rules refuse.
    """
    state = start_state(start)
    events: list[Event] = [start]
    play_out(state, Deck(state.rules, seed), minds, events)
    return events, state
