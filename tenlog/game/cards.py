"""Cards: their text (two characters), and the small numbers that the engine counts with.

A *kind* is a number from 0 to 54, one for each different card:

====== ============== =====================================================
kinds  text           what it is
====== ============== =====================================================
0–35   ``R1`` … ``G9``  number cards, colour by colour (R B O G), 1 to 9
36–39  ``RW`` … ``GW``  colour wilds: that colour, any number
40–48  ``W1`` … ``W9``  number wilds: that number, any colour
49     ``WW``         full wild: any colour, any number
50–54  ``C1`` … ``C5``  currency cards
====== ============== =====================================================

Kinds below 50 can be owned; that is why a collection is 50 counts. The order of the kinds is the
order in which a deck is written down before it is shuffled.
"""

from typing import Final, Literal, get_args

from tenlog.errors import CardError

Card = Literal[
    "R1", "R2", "R3", "R4", "R5", "R6", "R7", "R8", "R9",
    "B1", "B2", "B3", "B4", "B5", "B6", "B7", "B8", "B9",
    "O1", "O2", "O3", "O4", "O5", "O6", "O7", "O8", "O9",
    "G1", "G2", "G3", "G4", "G5", "G6", "G7", "G8", "G9",
    "RW", "BW", "OW", "GW",
    "W1", "W2", "W3", "W4", "W5", "W6", "W7", "W8", "W9",
    "WW",
    "C1", "C2", "C3", "C4", "C5",
]  # fmt: skip

CARDS: Final[tuple[Card, ...]] = get_args(Card)
KIND: Final[dict[str, int]] = {card: kind for kind, card in enumerate(CARDS)}

COLOURS: Final = "RBOG"
COLOUR_NAMES: Final = ("red", "blue", "orange", "green")

NUMBERS_END: Final = 36  # kinds below are number cards
COLOUR_WILDS: Final = 36  # first colour wild
NUMBER_WILDS: Final = 40  # first number wild
FULL_WILD: Final = 49
OWNED_END: Final = 50  # kinds below can be owned
CURRENCY: Final = 50  # first currency card
KINDS: Final = 55

# What a card adds to the running total of a turn, by kind (RULES 4.2): number cards their number,
# currency cards minus their value, wilds nothing. VALUE is the printed number of either.
VALUE: Final[tuple[int, ...]] = tuple(int(card[1]) if card[1] != "W" else 0 for card in CARDS)


def is_number(kind: int) -> bool:
    """Whether a kind is a number card (colour and number, no wild)."""
    return kind < NUMBERS_END


def is_wild(kind: int) -> bool:
    """Whether a kind is a colour, number or full wild."""
    return NUMBERS_END <= kind < CURRENCY


def is_currency(kind: int) -> bool:
    """Whether a kind is a currency card."""
    return kind >= CURRENCY


def kind_of(text: str) -> int:
    """The kind (0–54) of a card's text; upper or lower case.

    Raises:
        CardError: the text names no card.

    >>> kind_of("R5"), kind_of("ww"), CARDS[4]
    (4, 49, 'R5')
    """
    kind = KIND.get(text.upper())
    if kind is None:
        raise CardError(
            f"no card {text[:20]!r}: a card is a colour R B O G, W for wild or C for currency, "
            "then 1-9 or W, such as R5, RW, W7, WW, C3"
        )
    return kind


def card_of(kind: int) -> Card:
    """The text of a kind (0–54)."""
    return CARDS[kind]
