"""The decision that is made for a bot that makes none."""

from __future__ import annotations

from tenlog.game.commands import Command, Decline, Draw, Pass, TakeCurrency, TakeNumbers
from tenlog.game.legal import options
from tenlog.game.state import State


def safe_command(state: State) -> Command:
    """Pass; decline; take the numbers if there are any, else the currency, else draw.

    It never pays anything, never busts where that can be avoided, and the rules always allow it.
    Somebody must be asked.
    """
    may = options(state)
    if may.passing:
        return Pass(may.seat)
    if may.decline:
        return Decline(may.seat)
    if may.take_numbers:
        return TakeNumbers(may.seat)
    if may.take_currency:
        return TakeCurrency(may.seat)
    return Draw(may.seat)
