"""The choices of whoever is asked: the chosen one, the amount to bid, and what each key does."""

from __future__ import annotations

from tenlog.game.commands import Bid, Command
from tenlog.game.legal import options
from tenlog.game.state import State
from tenlog.play.advice import Choice, bid_pieces, choices
from tenlog.play.prompt import make_bid
from tenlog_cli.paint import Line
from tenlog_cli.tui import panes


class Menu:
    """What may be done at a table.

    Attributes:
        chosen: the number of the choice that is marked.
        amount: what would be bid.
    """

    def __init__(self, state: State, *, hints: bool) -> None:
        self.chosen = 0
        self.amount = options(state).min_bid
        self._state = state
        self._hints = hints
        self._choices = choices(state, advice=hints)

    @property
    def bids(self) -> bool:
        """Whether a bid may be made."""
        return self.amount > 0

    def move(self, step: int) -> None:
        """Mark another choice."""
        self.chosen = (self.chosen + step) % len(self._choices)

    def raise_bid(self, step: int) -> None:
        """Another amount, within what may be bid."""
        may = options(self._state)
        if self.bids:
            self.amount = max(may.min_bid, min(may.max_bid, self.amount + step))
            self.chosen = 0

    def command(self, number: int | None = None) -> Command:
        """What the marked choice does, or that of a number."""
        command = self._choices[self.chosen if number is None else number].command
        return self._bid() if isinstance(command, Bid) else command

    def _bid(self) -> Bid:
        return make_bid(self._state, self._state.to_act, self.amount)

    def keys(self) -> list[str]:
        """What key stands before each choice: cards to buy are counted."""
        keys, number = [], 0
        for choice in self._choices:
            if choice.does.startswith("buy "):
                number += 1
                keys.append(str(number) if number <= 9 else "")
            else:
                keys.append(choice.key[0])
        return keys

    def find(self, key: str) -> int | None:
        """The number of the choice that a key makes at once."""
        keys = self.keys()
        return keys.index(key) if key in keys else None

    def shown(self) -> list[Choice]:
        """The choices, the bid as it is set."""
        shown = []
        for choice in self._choices:
            if isinstance(choice.command, Bid):
                bid = self._bid()
                pieces = bid_pieces(self._state, bid, advice=self._hints)
                choice = Choice(bid, choice.key, f"bid ◂{bid.amount}▸", pieces)
            shown.append(choice)
        return shown

    def lines(self, room: int, rows: int) -> list[Line]:
        """As many choices as so many rows show."""
        return panes.choice_lines(self.shown(), self.keys(), self.chosen, room, rows)

    def at_row(self, row: int, rows: int) -> int | None:
        """Which choice stands in a row, counted from 0."""
        window = panes.window(len(self._choices), self.chosen, rows)
        return window[row] if 0 <= row < len(window) else None
