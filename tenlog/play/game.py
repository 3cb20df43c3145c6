"""A game in memory: what a notebook plays with. Nothing is written unless it is saved."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tenlog.game.commands import Command
from tenlog.game.decide import Deck, advance
from tenlog.game.events import Event
from tenlog.game.legal import legal
from tenlog.game.ruleset import Ruleset
from tenlog.game.scoring import Score, best_score
from tenlog.game.state import OVER, State, start_state
from tenlog.log.store import create_log
from tenlog.play.session import start_event
from tenlog.shuffle import commitment, random_seed


class Game:
    """A game that decisions are made in, one after another.

    Attributes:
        events: all events so far, GameStarted first.
        deck: the secret: the seed and the order of the cards.
    """

    def __init__(self, events: list[Event], state: State, deck: Deck) -> None:
        self.events = events
        self.deck = deck
        self._state = state

    @property
    def state(self) -> State:
        """The table now: a copy, which the game doesn't change any more."""
        return self._state.copy()

    @property
    def over(self) -> bool:
        """Whether the game is finished."""
        return self._state.phase is OVER

    def legal(self) -> list[Command]:
        """What may be done now; see :func:`tenlog.game.legal.legal`."""
        return legal(self._state)

    def do(self, command: Command) -> list[Event]:
        """Make a decision; returns what happened.

        Raises:
            IllegalMove: the rules refuse it, and nothing has changed.
        """
        happened: list[Event] = []
        advance(self._state, command, self.deck, happened)
        self.events += happened
        return happened

    def scores(self) -> list[Score]:
        """By seat: what the collections score as they are now (RULES 9)."""
        bonus = self._state.rules.bonus
        return [best_score(counts, bonus) for counts in self._state.cards]

    def save(self, path: str | Path) -> None:
        """Write the game to a new log, sealed on its last line.

        Raises:
            LogError: the file is there already, or cannot be written.
        """
        create_log(Path(path), self.events, seed=self.deck.seed).close()


def new_game(
    players: Sequence[str],
    seed: str | int | None = None,
    *,
    ruleset: Ruleset | None = None,
    sealed: bool = False,
    game: str | None = None,
) -> Game:
    """A new game in memory.

    Args:
        players: names by seat, 1 to 5 in ten/1.
        seed: any text of 1 to 128 characters; a number is its decimal text; None is a random one.
        ruleset: ten/1 unless another one is given (RULES 10).
        sealed: keep the seed out of the events until the end (FORMAT 5).
        game: the id; by default it comes from the seed.

    Raises:
        SeedError, SetupError, RulesetError: a game can't be started like this.

    >>> game = new_game(["Ann", "Bob"], seed=42)
    >>> game.legal()
    [Draw(seat=0)]
    >>> game.do(game.legal()[0])
    [CardDrawn(seat=0, card='C3')]
    """
    text = random_seed() if seed is None else str(seed)
    name = f"g-{commitment(text)[:12]}" if game is None else game
    start = start_event(players, text, game=name, ruleset=ruleset, sealed=sealed)
    state = start_state(start)
    return Game([start], state, Deck(state.rules, text))
