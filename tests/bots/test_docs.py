"""The examples of docs/bots.md are what is really said.

``python -m tests.bots.test_docs`` writes them anew.
"""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from tenlog import __version__
from tenlog.bots.check import check_bot
from tenlog.bots.protocol import (
    PROTOCOL,
    Answer,
    Decide,
    End,
    Hello,
    HelloAnswer,
    Start,
    command_of,
    question,
)
from tenlog.bots.rand import RandomBot
from tenlog.bots.safe import safe_command
from tenlog.bots.stream import Stream, alias_of, stream_key
from tenlog.game.decide import Deck, advance
from tenlog.game.events import FORMAT, Event, GameStarted
from tenlog.game.legal import Options, is_legal
from tenlog.game.state import AUCTION, BUY, DRAW, OVER, State, start_state
from tenlog.game.view import View, public
from tenlog.shuffle import commitment
from tenlog.simulate.plan import SimulationPlan
from tenlog.simulate.run import run_plan

PAGE = Path(__file__).parent.parent.parent / "tenlog" / "docs" / "bots.md"
SEED = "docs"
BLOCK = re.compile(r"(<!-- (\w+) -->\n```json\n)(.*?)(\n```)", re.DOTALL)


def _positions() -> dict[str, State]:
    """The first position of each kind in which there is something to choose."""
    start = GameStarted(FORMAT, "g-1", "ten/1", ("Ann", "steady"), SEED, commitment(SEED))
    state = start_state(start)
    state.game = alias_of(SEED)
    deck = Deck(state.rules, SEED)
    bot = RandomBot()
    events: list[Event] = []
    found: dict[str, State] = {}
    while state.phase is not OVER:
        if state.to_act == 1:
            may = View(state).options
            if state.phase is DRAW and may.take_numbers and may.take_currency:
                found.setdefault("draw", state.copy())
            if state.phase is AUCTION and may.max_bid:
                found.setdefault("auction", state.copy())
            if state.phase is BUY and len(may.buys) > 1:
                found.setdefault("buy", state.copy())
        stream = Stream(stream_key(SEED, state.to_act), state.n)
        advance(state, bot.decide(View(state), stream), deck, events)
    found["end"] = state
    return found


def examples() -> dict[str, str]:
    """The examples by name, as the page has them."""
    encode = msgspec.json.encode
    positions = _positions()
    found: dict[str, object] = {
        "hello": Hello(PROTOCOL, __version__, FORMAT, 1000),
        "start": Start(alias_of(SEED), 1, positions["end"].players, positions["end"].rules.ruleset),
        "end": End(1, public(positions["end"])),
    }
    for number, name in enumerate(("draw", "auction", "buy"), 1):
        state = positions[name]
        word = Stream(stream_key(SEED, 1), state.n).word()
        found[name] = question(state, number, word)
    return {name: encode(value).decode() for name, value in found.items()}


def test_the_examples_are_what_is_said() -> None:
    blocks = {name: text for _, name, text, _ in BLOCK.findall(PAGE.read_text("utf-8"))}
    for name, text in examples().items():
        assert blocks[name] == text, f"{name}: run python -m tests.bots.test_docs"


def test_the_answers_of_the_page_are_answers() -> None:
    blocks = {name: text for _, name, text, _ in BLOCK.findall(PAGE.read_text("utf-8"))}
    assert msgspec.json.decode(blocks["hello_answer"], type=HelloAnswer).protocol == PROTOCOL
    positions = _positions()
    for name in ("draw", "auction", "buy"):
        asked = msgspec.json.decode(blocks[name], type=Decide)
        for line in blocks[f"{name}_answers"].splitlines():
            answer = msgspec.json.decode(line, type=Answer)
            assert answer.id == asked.id
            assert is_legal(positions[name], command_of(answer, positions[name])), line
        assert is_legal(positions[name], safe_command(positions[name]))


PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)


@pytest.mark.parametrize(("number", "name"), [(0, "MyBot"), (1, "Collector")])
def test_the_bots_of_the_page_behave(
    number: int, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = PYTHON.findall(PAGE.read_text("utf-8"))[number]
    (tmp_path / f"pagebot{number}.py").write_text(code)
    monkeypatch.syspath_prepend(str(tmp_path))
    found = check_bot(f"pagebot{number}:{name}", 200)
    assert found.ok, found.findings
    if name == "Collector":
        plan = SimulationPlan(20, "page", (f"pagebot{number}:{name}", "random"), (2,))
        outcome = run_plan(plan, tmp_path / "out", "jsonl")
        games = (tmp_path / "out" / "games-000000.jsonl").read_text()
        assert '"type":"CardBought"' in games
        assert '"type":"AuctionWon"' in games
        me, other = outcome.tallies[0].bots.values()
        assert me.victories > 3 * other.victories


def test_the_page_has_all_that_a_bot_is_shown() -> None:
    page = PAGE.read_text("utf-8")
    rows = "".join(line.split("|")[1] for line in page.splitlines() if line.startswith("| `"))
    shown = {name for name, kind in vars(View).items() if isinstance(kind, property)}
    for name in shown | set(Options.__struct_fields__):
        assert f"`{name}`" in rows, name
    for name in set(vars(View)) - shown:
        assert name.startswith("_") or f"`view.{name}(" in page, name


def write() -> None:
    """Put the examples as they are now into the page."""
    known = examples()
    text = PAGE.read_text("utf-8")
    PAGE.write_text(
        BLOCK.sub(lambda m: m[1] + known.get(m[2], m[3]) + m[4], text), encoding="utf-8"
    )


if __name__ == "__main__":
    write()
