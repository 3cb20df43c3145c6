"""The replay page in a real browser: it shows what the fold says, whatever stands in the log."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import msgspec
import pytest
from playwright.sync_api import Error, Page

from tenlog.game.cards import CARDS
from tenlog.game.events import BidPassed, BidPlaced, CardDrawn, Event
from tenlog.game.evolve import evolve, fold
from tenlog.game.ruleset import ruleset_from
from tenlog.game.scoring import best_score
from tenlog.game.state import Phase, State
from tenlog.game.view import cards_in
from tenlog.html.replay_page import render_replay
from tenlog.log.codec import NO_SEAL, seal_of
from tests.html.conftest import Open, until
from tests.html.games import HOSTILE, SHOWN, as_log, played, shown_cards
from tests.referee.generate import generate

TINY = ruleset_from(
    {
        "name": "house",
        "bust_limit": 14,
        "seats": {"min": 1, "max": 10},
        "spent_cards": "market",
        "unsold_wild": "drawer",
        "full_run_bonus": 3,
        "tokens": {"start": 2},
    }
)


def games() -> list[Any]:
    logs: list[Any] = [
        pytest.param(as_log(generate(f"page-{seats}", seats, "each")), id=f"{seats}-seats")
        for seats in (1, 3, 5)
    ]
    seven = [f"p{seat}" for seat in range(7)]
    logs.append(pytest.param(played(seven, "many", ruleset=TINY)[1], id="house-rules"))
    logs.append(pytest.param(played(["Ann", "Bob"], "shut", sealed=True)[1], id="sealed"))
    return logs


def seek(page: Page, n: int) -> dict[str, Any]:
    page.evaluate(
        "n => { const s = document.getElementById('slider'); s.value = n;"
        " s.dispatchEvent(new Event('input', {bubbles: true})); }",
        n,
    )
    shown: dict[str, Any] = page.evaluate(SHOWN)
    return shown


def said(events: list[Event], state: State) -> list[str]:
    """What each seat of the open auction has said, in the order of asking (RULES 7.2)."""
    heard: dict[int, int] = {}
    for event in reversed(events):
        if isinstance(event, CardDrawn):
            break
        if isinstance(event, BidPlaced):
            heard[event.seat] = event.amount
        elif isinstance(event, BidPassed):
            heard[event.seat] = 0
    texts = []
    for i in range(1, len(state.players) + 1):
        seat = (state.active + i) % len(state.players)
        text = "waits"
        if seat in heard:
            text = f"bids {heard[seat]}" if heard[seat] else "passes"
        elif state.phase is Phase.AUCTION and seat == state.to_act:
            text = "is asked"
        texts.append(text + (", highest" if seat == state.bidder else ""))
    return texts


def check(shown: dict[str, Any], events: list[Event]) -> None:
    """The page against a fold of its own, point by point."""
    n = len(events) - 1
    state = fold(events)
    limit = state.rules.bust_limit
    assert shown["when"].startswith(f"Event {n} of ")
    assert (shown["slider"], shown["chosen"]) == (n, [n])
    assert shown["tableau"] == shown["spelled"] == [CARDS[kind] for kind in state.tableau]
    over = ", bust" if state.total > limit else ""
    assert shown["total"] == f"{state.total} of {limit}{over}"
    over = ", bust" if state.currency > limit else ""
    assert shown["money"] == f"{state.currency} of {limit}{over}"
    assert shown["deck"] == f"{state.deck_left} of {state.rules.deck_size}"
    assert shown["rest"] == [state.supply, state.bust_supply, sum(state.discard)]
    assert shown_cards(shown["market"]) == Counter(cards_in(state.market))
    assert shown["wild"] == (CARDS[state.wild] if state.wild >= 0 else None)
    assert shown["bids"] == (said(events, state) if state.wild >= 0 else [])
    asking = state.phase.name in ("DRAW", "AUCTION", "BUY", "FINAL_BUY")
    for seat, box in enumerate(shown["seats"]):
        counts = state.cards[seat]
        score = best_score(counts, state.rules.bonus)
        assert (box["name"], box["badge"]) == (state.players[seat], str(seat))
        assert box["purse"] == [state.tokens[seat], state.busts[seat], sum(counts)]
        assert shown_cards(box["cells"]) == Counter(cards_in(counts))
        assert (box["total"], shown["standings"][seat]) == (score.total, score.total)
        assert box["colours"][:4] == [str(points) for points in score.colours]
        filled = {card for card, (_, kind, _) in box["cells"].items() if kind == "fill"}
        assert filled == {card for _, card in score.wilds}
        # The cells marked as counting are as many as their colour's points, bonus aside.
        for colour, points in zip("RBOG", score.colours, strict=True):
            run = [card for card, (_, kind, run) in box["cells"].items() if run or kind == "fill"]
            length = len([card for card in run if card[0] == colour and card[1] != "W"])
            assert points == (9 + state.rules.bonus if length == 9 else length)
        if state.phase is Phase.OVER:
            assert (box["doing"] == "winner") == (seat in state.winners)
        elif asking and seat == state.to_act:
            assert box["doing"] == doing(state)


def doing(state: State) -> str:
    """What the badge of the seat that is asked says."""
    if state.phase is not Phase.DRAW:
        return "to bid" if state.phase is Phase.AUCTION else "may buy"
    stops = [word for word, may in (("draw", state.deck_left), ("take", state.tableau)) if may]
    return f"to {' or '.join(stops)}"


@pytest.mark.parametrize("log", games())
def test_the_page_shows_what_the_fold_says(open_page: Open, log: Any) -> None:
    text = render_replay(log)
    assert len(text.encode()) < 300_000
    page = open_page(text)
    events = log.events
    rng = random.Random(len(text))
    points = [0, len(events) - 1, *rng.sample(range(len(events)), 10)]
    # An auction as it goes on, and the moment of a bust, are rarely hit by chance.
    points += [n for n, event in enumerate(events) if isinstance(event, BidPlaced)][:3]
    points += [n for n in range(len(events)) if type(events[n]).__name__ == "Busted"][:1]
    for n in points:
        check(seek(page, n), events[: n + 1])


def number(page: Page) -> int:
    return int(page.evaluate("Number(document.getElementById('slider').value)"))


def states_of(events: list[Event]) -> list[State]:
    """The table after each event."""
    states = [evolve(None, events[0])]
    for event in events[1:]:
        states.append(evolve(states[-1], event))
    return states


def openings(events: list[Event], states: list[State]) -> list[int]:
    """The events that open an auction."""
    return [
        n for n, event in enumerate(events) if isinstance(event, CardDrawn) and states[n].wild >= 0
    ]


IN_VIEW = """(() => {
  const chosen = document.querySelector("[aria-selected=true]").getBoundingClientRect();
  const list = document.getElementById("events").getBoundingClientRect();
  const bar = document.querySelector(".playback").getBoundingClientRect();
  return chosen.top >= list.top && chosen.bottom <= Math.min(list.bottom, bar.top) + 1;
})()"""


def test_keys(open_page: Open) -> None:
    events, log = played(["Ann", "Bob", "Cid"], "keys")
    page = open_page(render_replay(log))
    end = len(events) - 1
    states = states_of(events)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert number(page) == 2
    page.keyboard.press("ArrowLeft")
    assert number(page) == 1
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert number(page) == 0
    page.keyboard.press("End")
    assert number(page) == end
    page.keyboard.press("ArrowRight")
    assert number(page) == end
    page.keyboard.press("Home")
    auctions = openings(events, states)
    for due in auctions[:3]:
        page.keyboard.press("a")
        assert number(page) == due
    page.keyboard.press("Shift+A")
    assert number(page) == auctions[1]
    for key, kind in (("b", "Busted"), ("m", "CardBought")):
        page.keyboard.press("Home")
        page.keyboard.press(key)
        assert number(page) == next(
            n for n, event in enumerate(events) if type(event).__name__ == kind
        )
    page.keyboard.press("Home")
    page.keyboard.press("l")
    points = [best_score(c).total for c in states[number(page)].cards]
    assert points.count(max(points)) == 1
    # Turns: the first event of turn k is one after which the table is in it, with one card drawn.
    page.keyboard.press("Home")
    for turn in (1, 2, 3):
        page.keyboard.press("Shift+ArrowRight")
        assert states[number(page) - 1].turn == turn
        assert isinstance(events[number(page)], CardDrawn)
        assert not states[number(page) - 1].tableau
    page.keyboard.press("Shift+ArrowLeft")
    assert states[number(page) - 1].turn == 2
    # Letter keys can be turned off.
    page.keyboard.press("Home")
    page.get_by_label("letter keys").uncheck()
    page.keyboard.press("a")
    assert number(page) == 0


def test_play_and_pause(open_page: Open) -> None:
    _, log = played(["Ann", "Bob"], "film")
    page = open_page(render_replay(log), reduced_motion="reduce")
    page.get_by_label("Speed").select_option("10")
    page.locator("h1").click()
    page.keyboard.press(" ")
    until(page, "Number(document.getElementById('slider').value) >= 3")
    assert page.locator("#play").get_attribute("aria-label") == "Pause"
    page.keyboard.press(" ")
    assert page.locator("#play").get_attribute("aria-label") == "Play"
    stopped = number(page)
    page.wait_for_timeout(300)
    assert number(page) == stopped
    # It ends by itself.
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    page.get_by_role("button", name="Play").click()
    until(page, "document.getElementById('play').ariaLabel === 'Play'")
    assert number(page) == len(log.lines) - 1
    assert not page.evaluate(
        "[...document.querySelectorAll('*')].some(e =>"
        " getComputedStyle(e).transitionDuration !== '0s'"
        " || getComputedStyle(e).animationName !== 'none')"
    )


def test_links_to_a_moment(open_page: Open) -> None:
    events, log = played(["Ann", "Bob"], "link")
    text = render_replay(log)
    page = open_page(text, "#n=57")
    check(page.evaluate(SHOWN), events[:58])
    page.evaluate("location.hash = '#n=12'")
    until(page, "document.getElementById('slider').value === '12'")
    page.keyboard.press("ArrowRight")
    until(page, "location.hash === '#n=13'")
    for odd in ("#n=-1", "#n=1e3", "#n=%3Cscript%3E", "#n=" + "9" * 5000, "#x"):
        page.evaluate("odd => { location.hash = odd; }", odd)
        page.wait_for_timeout(20)
        assert number(page) == 13
    assert number(open_page(text, "#n=999999999")) == len(events) - 1
    assert number(open_page(text, "#n=1e3")) == 0


def test_clicks_on_events_rails_and_chart(open_page: Open) -> None:
    events, log = played(["Ann", "Bob", "Cid"], "click")
    page = open_page(render_replay(log))
    page.locator("#e7").click()
    assert number(page) == 7
    moved = page.evaluate("scrollY")
    for n in range(8, 30):
        page.keyboard.press("ArrowDown")
        assert number(page) == n
    page.keyboard.press("ArrowUp")
    assert number(page) == 28
    page.evaluate("scrollTo(0, 0)")
    moved = 0
    page.keyboard.press("End")
    assert page.evaluate(IN_VIEW)
    seek(page, 28)
    # The chosen event is to be seen in its list, and the page stays where it is.
    assert page.evaluate("scrollY") == moved
    assert page.evaluate(IN_VIEW)
    auctions = openings(events, states_of(events))
    page.locator("[data-find=auction]").click()
    assert number(page) == next(n for n in auctions if n > 28)
    rail = page.locator("[data-lane=bust]").bounding_box()
    chart = page.locator("#scores").bounding_box()
    assert rail is not None
    assert chart is not None
    bust = next(n for n in range(len(events)) if type(events[n]).__name__ == "Busted")
    end = len(events) - 1
    page.mouse.click(rail["x"] + 9 + (rail["width"] - 18) * bust / end + 2, rail["y"] + 8)
    assert number(page) == bust
    page.mouse.click(chart["x"] + chart["width"] / 2, chart["y"] + 20)
    assert abs(number(page) - end / 2) <= 1


def test_copying(open_page: Open) -> None:
    _, log = played(["Ann", "Bob"], "copy")
    line = "ten1;copy;\"'<&>;é👩‍👧"
    page = open_page(
        render_replay(log, notation=line), permissions=["clipboard-read", "clipboard-write"]
    )
    page.get_by_role("button", name="Copy the line").click()
    until(page, "document.getElementById('copied').textContent === 'Copied'")
    assert page.evaluate("navigator.clipboard.readText()") == line
    page.keyboard.press("End")
    page.get_by_role("button", name="Copy link").click()
    end = len(log.lines) - 1
    until(page, f"navigator.clipboard.readText().then(t => t.endsWith('#n={end}'))")


@pytest.mark.parametrize("width", [320, 1280])
def test_hostile_texts_do_nothing(open_page: Open, width: int) -> None:
    bots = ["</script><script>alert(2)</script>" * 300, None, "\u202e" * 10_000, "x" * 10_000, "<"]
    events, log = played(HOSTILE, "</title><script>alert(3)</script>", bots=bots, game="g" * 64)
    notation = "</textarea><script>alert(4)</script>\ud800" + "é" * 10_000
    text = render_replay(log, notation=notation)
    assert text.count("<script") == 2
    page = open_page(text, viewport={"width": width, "height": 740})
    for n in (0, 60, len(events) - 1):
        shown = seek(page, n)
        for box, name in zip(shown["seats"], HOSTILE, strict=True):
            spelled = name.replace("\u202e", "\\u202e").replace("\u2069", "\\u2069")
            spelled = spelled.replace("\u2066", "\\u2066").replace("\u202d", "\\u202d")
            assert box["name"] == spelled
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate("document.images.length") == 0
    # What belongs beside a name that runs right to left stands to its right all the same.
    beside = page.evaluate(
        "[...document.querySelectorAll('.result li')].map(li => "
        "li.querySelector('b').getBoundingClientRect().left"
        " - li.querySelector('bdi').getBoundingClientRect().right)"
    )
    assert min(beside) >= 0


def test_the_policy_bites(open_page: Open) -> None:
    _, log = played(["Ann", "Bob"], "policy")
    page = open_page(render_replay(log), watched=False)
    page.evaluate(
        "() => { const s = document.createElement('style'); s.textContent = 'h1{color:red}';"
        " document.head.append(s); new Image().src = 'https://x.invalid/'; }"
    )
    for harm, kind in (
        ("document.body.innerHTML = '<b>'", "TrustedHTML"),
        ("document.querySelector('h1').setAttribute('onclick', 'window.ran = 1')", "TrustedScript"),
        ("document.createElement('script').text = 'window.ran = 1'", "TrustedScript"),
    ):
        with pytest.raises(Error, match=kind):
            page.evaluate(harm)
    until(page, "window.refused.some(r => r.startsWith('img-src'))")
    assert page.evaluate("window.refused.some(r => r.startsWith('style-src-elem'))")
    assert page.evaluate("window.ran === undefined")


@pytest.mark.parametrize("cut", [1, 2, 40])
def test_a_game_in_progress_keeps_its_seed(open_page: Open, cut: int) -> None:
    whole = generate("an-open-secret", 3, "each")
    log = as_log(b"".join(whole.splitlines(keepends=True)[:cut]))
    text = render_replay(log)
    assert "an-open-secret" not in text
    page = open_page(text)
    assert "in progress" in page.locator(".verdict").inner_text()
    check(seek(page, cut - 1), log.events)


def test_a_fault_is_told_and_the_game_shown_up_to_it(open_page: Open) -> None:
    lines = generate("fault", 2, "end").splitlines()
    at = next(n for n in range(30, 90) if b"CardDrawn" in lines[n])
    line = msgspec.json.decode(lines[at])
    line["ev"]["card"] = "R1" if line["ev"]["card"] != "R1" else "R2"
    lines[at] = msgspec.json.encode(line)
    # Sealed again by whoever changed it, so that only the deck gives it away.
    seal = seal_of(NO_SEAL, b"\n".join(lines).rpartition(b',"h":"')[0])
    lines[-1] = lines[-1].rpartition(b',"h":"')[0] + b',"h":"' + seal.encode() + b'"}'
    log = as_log(b"".join(line + b"\n" for line in lines))
    page = open_page(render_replay(log))
    told = page.locator(".verdict").inner_text()
    assert f"A fault at event {at}" in told
    assert "Every event holds" not in told
    check(seek(page, at - 1), log.events[:at])
    assert page.evaluate("document.getElementById('slider').max") == str(at - 1)
