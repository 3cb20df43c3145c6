"""The codes of all faults, in the order in which things are looked at. Part of what ``audit`` says
for ever: a code is never changed or reused."""

from __future__ import annotations

from typing import Final

import msgspec


class Code(msgspec.Struct, frozen=True):
    """A kind of fault: the stage at which it is found, and what it means."""

    code: str
    stage: str
    meaning: str


_TABLE: Final = """
lines    too-long             a line or a game is longer than any honest one
lines    not-utf8             a line is not UTF-8
lines    not-json             a line is not JSON
lines    bad-shape            a line has unknown, missing or mistyped fields, or no known event
lines    not-canonical        a line is not in the one form that encoding it gives
lines    no-start             the bytes do not begin with GameStarted
lines    bad-sequence         n does not count 0, 1, 2 …
lines    bad-metadata         metadata stands where it may not, or not for each seat
lines    after-end            something follows the end of the game
seals    missing-seal         the last line of a finished game has no seal
seals    bad-seal             a seal does not fit the bytes that it covers
start    newer-format         the log has a newer format than this tenlog reads
start    bad-format           there is no such format
start    bad-game-id          the game's id has characters that it may not have
start    bad-players          names, or their number, that a game cannot have
start    unknown-ruleset      a ruleset is named that does not come with tenlog
start    bad-ruleset          the ruleset cannot work
start    bad-seed             a seed that cannot be one
start    bad-commitment       the commitment is none, or not that of the seed
rules    not-due              an event that cannot come now; something else must
rules    wrong-seat           an event of a seat whose turn it is not
rules    deck-empty           a draw from an empty deck
rules    wrong-card           not the card that the seed gives, or not the one under auction
rules    card-not-left        a card of which the deck has none left
rules    bid-too-low          a bid not above the earlier ones
rules    bid-beyond-means     a bid above what the bidder owns
rules    payment-not-owned    a payment of what the payer does not own
rules    payment-short        a payment below the price
rules    payment-superfluous  a payment with an item that could be left out
rules    cards-cannot-pay     cards as payment in an auction, against the ruleset
rules    wrong-payment        not the payment of the winning bid
rules    wrong-price          not the card's number, or not the winning bid
rules    not-in-market        a purchase of a card that is not in the market
rules    owns-copy            a purchase of a card of which the buyer has a copy
rules    reward-not-due       a reward that the tableau does not give
rules    wrong-cards          not the number cards of the tableau, in the order drawn
rules    wrong-gains          not the tokens that the rules give
rules    wrong-cause          not what the player bust by
rules    wrong-bust-tokens    not the bust tokens that the rules give
rules    not-conserved        tokens, bust tokens or cards were lost or made
end      wrong-scores         not the points that the collections score
end      wrong-winners        not the winners by points, tokens and cards
end      wrong-seed           not the seed that the game was started with
trust    unsigned             no signature by a trusted key
trust    bad-signature        a signature that does not fit the game
"""

CODES: Final[dict[str, Code]] = {
    code: Code(code, stage, meaning)
    for stage, code, meaning in (line.split(maxsplit=2) for line in _TABLE.strip().splitlines())
}
