"""Commands: what a player may want (FORMAT 3). Everything else follows from them.

Each names the seat that wants it. A command is a wish: :func:`tenlog.game.decide.decide` refuses it
or answers with events.
"""

from __future__ import annotations

import msgspec

from tenlog.game.cards import Card
from tenlog.game.events import Count, Payment


class _Command(
    msgspec.Struct, frozen=True, gc=False, tag_field="type", tag=True, forbid_unknown_fields=True
):
    """What all commands share: immutable, tagged by ``type``."""


class Draw(_Command, frozen=True):
    """Turn up the top card (RULES 4.1)."""

    seat: Count


class TakeNumbers(_Command, frozen=True):
    """Stop and take the number cards (RULES 5)."""

    seat: Count


class TakeCurrency(_Command, frozen=True):
    """Stop and take the currency (RULES 5)."""

    seat: Count


class Bid(_Command, frozen=True):
    """Bid ``amount`` (1 or more) for the wild, and say how it would be paid (RULES 7.2, 7.3)."""

    seat: Count
    amount: Count
    payment: Payment


class Pass(_Command, frozen=True):
    """Do not bid (RULES 7.2)."""

    seat: Count


class Buy(_Command, frozen=True):
    """Buy a card from the market (RULES 6)."""

    seat: Count
    card: Card
    payment: Payment


class Decline(_Command, frozen=True):
    """Do not buy (RULES 6.1)."""

    seat: Count


Command = Draw | TakeNumbers | TakeCurrency | Bid | Pass | Buy | Decline
