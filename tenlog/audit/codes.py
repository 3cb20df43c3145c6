"""Every code that a finding can have: the contract of ``--json`` and of programs that read it.

A code never changes its meaning. The stages are in the order in which a game is judged.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

Stage = Literal["lines", "seals", "start", "deck", "rules", "sums", "end", "anchors"]

STAGES: Final[dict[Stage, str]] = {
    "lines": "The bytes: UTF-8, JSON, shape, sequence.",
    "seals": "The chain of seals.",
    "start": "Format, players, ruleset, commitment.",
    "deck": "The cards drawn, against the deck that the seed gives.",
    "rules": "Each event, against the rules.",
    "sums": "Conservation of tokens, bust tokens and cards.",
    "end": "Scores, winners, the revealed seed.",
    "anchors": "What was written down or signed elsewhere.",
}


class Code(NamedTuple):
    """Where a code belongs, and what it says."""

    stage: Stage
    meaning: str


CODES: Final[dict[str, Code]] = {
    "too-long": Code("lines", "A line is longer than 1 MiB, or a game longer than 16 MiB."),
    "not-utf8": Code("lines", "The bytes of a line are not UTF-8."),
    "not-json": Code("lines", "A line is not JSON."),
    "bad-shape": Code("lines", "A field or an event is unknown, missing or of the wrong type."),
    "not-canonical": Code("lines", "A line says something in other bytes than the format allows."),
    "no-start": Code("lines", "The bytes do not begin with GameStarted."),
    "bad-sequence": Code("lines", "`n` does not count 0, 1, 2 … within the game."),
    "bad-metadata": Code("lines", "`bots` or `from` stands where it may not, or fits not."),
    "after-end": Code("lines", "Something follows the end of the game."),
    "bad-seal": Code("seals", "A seal is not the one over the bytes before it."),
    "missing-seal": Code("seals", "GameFinished has no seal."),
    "newer-format": Code("start", "The log has a newer format than this tenlog reads."),
    "bad-format": Code("start", "There is no such format."),
    "bad-game-id": Code("start", "The game's id is not 1 to 64 of A-Z a-z 0-9 . _ -"),
    "bad-players": Code("start", "Too few or too many players, or names that may not be so."),
    "unknown-ruleset": Code("start", "No ruleset of this name comes with tenlog."),
    "bad-ruleset": Code("start", "The ruleset in the log cannot work."),
    "bad-seed": Code("start", "The seed is empty, too long or has control characters."),
    "bad-commitment": Code("start", "The seed is not the one that was committed to."),
    "wrong-card": Code("deck", "Another card is due: by the deck, or by the auction."),
    "card-not-left": Code("deck", "The deck cannot hold that card any more."),
    "not-due": Code("rules", "Something else has to follow here."),
    "wrong-seat": Code("rules", "Another seat is to act."),
    "deck-empty": Code("rules", "A card is drawn from an empty deck."),
    "reward-not-due": Code("rules", "Nothing of that kind is in the tableau to take."),
    "wrong-cards": Code("rules", "The cards are not those of the tableau, in the order drawn."),
    "wrong-gains": Code("rules", "The tokens received are not what the rules give."),
    "wrong-cause": Code("rules", "The bust has another cause."),
    "wrong-bust-tokens": Code("rules", "The bust tokens received are not what the rules give."),
    "bid-too-low": Code("rules", "A bid is not higher than every earlier one, or is 0."),
    "bid-beyond-means": Code("rules", "A bid is more than its bidder owns."),
    "payment-not-owned": Code("rules", "Something is paid that the payer does not own."),
    "payment-short": Code("rules", "A payment is worth less than the price."),
    "payment-superfluous": Code("rules", "An item of a payment could be left out."),
    "cards-cannot-pay": Code("rules", "Cards pay in an auction, and the ruleset forbids it."),
    "wrong-payment": Code("rules", "The auction is paid in another way than the bid said."),
    "not-in-market": Code("rules", "A card is bought that is not in the market."),
    "owns-copy": Code("rules", "A card is bought of which the buyer has a copy."),
    "wrong-price": Code("rules", "The price is another one."),
    "not-conserved": Code("sums", "Tokens, bust tokens or cards were lost or made."),
    "wrong-scores": Code("end", "The scores are not what the collections are worth."),
    "wrong-winners": Code("end", "The winners are others."),
    "wrong-seed": Code("end", "The end reveals another seed than the start."),
    "other-rules": Code("anchors", "The game is played by another ruleset than is asked for."),
    "unexpected-seal": Code("anchors", "The game does not end with the seal that is expected."),
    "seal-absent": Code("anchors", "No game has the seal that is expected or was noted."),
    "seal-not-passed": Code("anchors", "The game does not have the seal that was noted."),
    "unsigned": Code("anchors", "No trusted key has signed the game."),
    "other-seal-signed": Code("anchors", "A trusted key has signed the game in another state."),
    "bad-signature": Code("anchors", "A signature of a trusted key does not hold."),
    "game-absent": Code("anchors", "A trusted key has signed a game that is not in the log."),
}

# A second look that no log can make fail unless the engine itself is wrong; no fixture has it.
GUARDS: Final = frozenset({"not-conserved"})
