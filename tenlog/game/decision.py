"""From an event back to the decision behind it.

Of all events only those of seven types record what a player decided (FORMAT 3); everything else
followed. This is the inverse of what :func:`tenlog.game.decide.decide` does with a command.
"""

from __future__ import annotations

from tenlog.game.commands import (
    Bid,
    Buy,
    Command,
    Decline,
    Draw,
    Pass,
    TakeCurrency,
    TakeNumbers,
)
from tenlog.game.events import (
    BidPassed,
    BidPlaced,
    BuyDeclined,
    CardBought,
    CardDrawn,
    CurrencyTaken,
    Event,
    NumbersTaken,
)
from tenlog.game.legal import Options


def decision_of(event: Event) -> Command | None:
    """The command that an event answers, or None if nobody decided it.

    >>> decision_of(CardDrawn(2, "R5"))
    Draw(seat=2)
    """
    if isinstance(event, CardDrawn):
        return Draw(event.seat)
    if isinstance(event, NumbersTaken):
        return TakeNumbers(event.seat)
    if isinstance(event, CurrencyTaken):
        return TakeCurrency(event.seat)
    if isinstance(event, BidPlaced):
        return Bid(event.seat, event.amount, event.payment)
    if isinstance(event, BidPassed):
        return Pass(event.seat)
    if isinstance(event, CardBought):
        return Buy(event.seat, event.card, event.payment)
    if isinstance(event, BuyDeclined):
        return Decline(event.seat)
    return None


def only_choice(may: Options) -> Command | None:
    """The one thing that may be done, where nothing else may: a first draw, a pass of who can't
    bid, a decline of who can't buy; None where there is a choice."""
    seat = may.seat
    if may.passing:
        return None if may.max_bid else Pass(seat)
    if may.decline:
        return None if may.buys else Decline(seat)
    if may.draw + may.take_numbers + may.take_currency != 1:
        return None
    if may.draw:
        return Draw(seat)
    return TakeNumbers(seat) if may.take_numbers else TakeCurrency(seat)
