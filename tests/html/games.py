"""Games for the pages: logs of our own bots and of the referee, and a game of hostile texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tenlog.bots.registry import make_bot
from tenlog.bots.stream import Stream, stream_key
from tenlog.game.decide import Deck, advance
from tenlog.game.events import Event
from tenlog.game.ruleset import Ruleset
from tenlog.game.state import OVER, start_state
from tenlog.game.view import View
from tenlog.log.read import GameLog, read_game
from tenlog.log.source import GameText
from tenlog.log.store import encode_game
from tenlog.play.session import start_event

# What a page must survive: markup, quotes, direction, clusters, line separators, width.
HOSTILE = [
    "</script><script>alert(1)</script>",
    "\"'><img src=x onerror=alert(1)>",
    "\u202egnp.exe \u2069\u2066\u202d שלום",
    "👩‍👩‍👧‍👦" * 8,
    "W" * 62 + "\u2028{",
]


def as_log(data: bytes) -> GameLog:
    return read_game(GameText(data, 1, 0))


def played(
    names: Sequence[str],
    seed: str,
    *,
    bots: Sequence[str | None] | None = None,
    ruleset: Ruleset | None = None,
    game: str = "g",
    sealed: bool = False,
) -> tuple[list[Event], GameLog]:
    """A whole game of random decisions between these names."""
    start = start_event(names, seed, game=game, ruleset=ruleset, sealed=sealed)
    state = start_state(start)
    deck = Deck(state.rules, seed)
    mind = make_bot("random")
    events: list[Event] = [start]
    while state.phase is not OVER:
        seat = state.to_act
        command = mind.decide(View(state), Stream(stream_key(seed, seat), state.n))
        advance(state, command, deck, events)
    return events, as_log(encode_game(events, bots=bots))


# What a page shows, read from its document.
SHOWN = """
() => {
  const text = (node) => node ? node.textContent : null;
  const seen = (node) => { // without what only screen readers get
    const copy = node.cloneNode(true);
    for (const hidden of copy.querySelectorAll(".sr")) hidden.remove();
    return copy.textContent;
  };
  const cells = (table) => Object.fromEntries([...table.querySelectorAll("td[data-kind]")]
    .filter((cell) => !cell.classList.contains("gap"))
    .map((cell) => [cell.dataset.kind,
      [seen(cell), cell.classList[0], cell.classList.contains("run")]]));
  return {
    when: text(document.getElementById("when")),
    tableau: [...document.querySelectorAll("#tableau [data-card]")].map((c) => c.dataset.card),
    spelled: [...document.querySelectorAll("#tableau [data-card]")].map((c) => c.textContent),
    total: text(document.querySelector("#g-total .value")),
    money: text(document.querySelector("#g-money .value")),
    rest: text(document.getElementById("rest")).match(/\\d+/g).map(Number),
    deck: text(document.querySelector("#g-deck .value")),
    market: cells(document.querySelector("#market")),
    wild: document.querySelector("#auction [data-card]")?.dataset.card ?? null,
    bids: [...document.querySelectorAll("#auction li > span:last-child")].map(text),
    seats: [...document.querySelectorAll(".seatbox")].map((box) => ({
      name: text(box.querySelector("h3")),
      purse: [...box.querySelectorAll(".purse b")].map((b) => Number(b.textContent)),
      total: parseInt(text(box.querySelector(".total"))),
      colours: [...box.querySelectorAll("td.score")].map(text),
      cells: cells(box),
      badge: text(box.querySelector(".badge")),
      doing: text(box.querySelector(".doing")),
    })),
    standings: [...document.querySelectorAll("[data-points]")].map((b) => Number(b.textContent)),
    chosen: [...document.querySelectorAll("[aria-selected=true]")].map((o) => Number(o.dataset.n)),
    slider: Number(document.getElementById("slider").value),
  };
}
"""


def shown_cards(cells: dict[str, Any]) -> dict[str, int]:
    """Copies by card of what a grid shows as owned."""
    owned = {}
    for card, (text, kind, _) in cells.items():
        if kind != "fill":
            owned[card] = int(text.partition("×")[2] or 1)
    return owned
