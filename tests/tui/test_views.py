"""The views without a terminal: Textual's own pilot presses the keys."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Static

from tenlog.game.cards import CARDS
from tenlog.game.commands import Draw, TakeNumbers
from tenlog.game.events import Event
from tenlog.game.evolve import evolve
from tenlog.game.odds import odds
from tenlog.game.ruleset import ruleset_from
from tenlog.game.state import State, start_state
from tenlog.play.advice import Choice
from tenlog.play.prompt import ASKS
from tenlog.play.session import start_event
from tenlog.story import Span, plain, wild_text
from tenlog_cli.screen import help_lines, odds_lines
from tenlog_cli.tui import pages, panes
from tenlog_cli.tui.game import GameView
from tenlog_cli.tui.look import Reader
from tenlog_cli.tui.menu import Menu
from tenlog_cli.tui.replay import ReplayView
from tests.rules.table import Given
from tests.support import play_game
from tests.tui.stage import small_session


def part(view: GameView | ReplayView, name: str) -> str:
    """What stands in a part of the screen."""
    return str(view.screen_stack[0].query_one(f"#{name}", Static).content)


async def until(pilot: Pilot[str], view: GameView, text: str) -> None:
    """Wait until the choices say something."""
    for _ in range(400):
        if text in part(view, "prompt"):
            return
        await pilot.pause(0.02)
    raise AssertionError(f"{text!r} never came: {part(view, 'prompt')}")


def view_of(folder: Path, seed: str = "1", hints: bool = True) -> GameView:
    """A view of a small game."""
    return GameView(
        small_session(folder, seed), pace=0, hints=hints, fresh=True, archive=False, motion=False,
        colour=False,
    )  # fmt: skip


def test_hints_pages_and_refusals(tmp_path: Path) -> None:
    view = view_of(tmp_path)

    async def go() -> None:
        async with view.run_test(size=(80, 24)) as pilot:
            await until(pilot, view, "Ann: draw")
            assert "can't bust" in part(view, "prompt")
            await pilot.press("h")
            assert "left" in part(view, "prompt")
            assert "can't bust" not in part(view, "prompt")
            assert "hints off" in part(view, "head")
            await pilot.press("h", "n")  # no number card yet
            assert "rule 5.2" in part(view, "status")
            assert len(view.session.events) == 1
            await pilot.press("question_mark")
            await pilot.pause(0.05)
            assert isinstance(view.screen, Reader)
            page = str(view.screen.query_one("#page", Static).content)
            assert "Rule 5.2" in page
            assert "Rule 4.1" in page
            await pilot.press("d")  # closes the page, and draws nothing
            await pilot.pause(0.05)
            assert len(view.session.events) == 1
            await pilot.press("slash", "d", "enter")
            await pilot.pause(0.2)
            assert len(view.session.events) == 2
            await pilot.press("ctrl+c")

    asyncio.run(go())
    assert view.return_value == "left"
    view.session.close()


def words_of_the_help() -> list[str]:
    """What may always be typed, as the help lists it."""
    page = [plain(line) for line in help_lines(start_state(start_event("a", "1", game="g")), 200)]
    rows = page[page.index("Always") + 1 :]
    return [re.split("  +", row)[2] for row in rows if row.startswith("  ")]


def test_the_help_lists_whatever_may_be_asked() -> None:
    assert set(words_of_the_help()) == set(ASKS)


@pytest.mark.parametrize("word", words_of_the_help())
def test_whatever_the_help_lists_may_be_typed(tmp_path: Path, word: str) -> None:
    """A page is shown, or a line says what was done; nothing is passed over in silence."""
    view = view_of(tmp_path)

    async def go() -> None:
        async with view.run_test(size=(80, 24)) as pilot:
            await until(pilot, view, "Ann: draw")
            before = part(view, "head") + part(view, "status")
            await pilot.press("slash", *word, "enter")
            await pilot.pause(0.1)
            answered = part(view, "head") + part(view, "status") != before
            assert answered or isinstance(view.screen, Reader) or view.return_value == "left"
            if word == "history":
                page = str(view.screen.query_one("#page", Static).content)
                assert page.startswith("Nothing has happened yet.")
                await pilot.press("escape", "d")
                await pilot.pause(0.2)
                assert len(view.session.events) == 2
                await pilot.press("slash", "h", "i", "s", "t", "enter")
                await pilot.pause(0.1)
                page = str(view.screen.query_one("#page", Static).content)
                assert page.startswith("Turn 1 · Ann · 12 cards left")

    asyncio.run(go())
    view.session.close()


def test_a_key_counts_once_in_a_line_that_is_typed_slowly(tmp_path: Path) -> None:
    """Once the line has the focus it has keys of its own, which must not be done here as well."""
    view = view_of(tmp_path)

    async def go() -> None:
        async with view.run_test(size=(80, 24)) as pilot:
            await until(pilot, view, "Ann: draw")
            await pilot.press("slash")
            await pilot.pause(0.05)
            line = view.query_one("#line", Input)
            assert line.has_focus
            await pilot.press("s", "x", "backspace")
            await pilot.pause(0.05)
            assert line.value == "s"
            await pilot.press("enter")
            await pilot.pause(0.05)
            await pilot.press("escape")  # closes the page: there is one
            await pilot.pause(0.05)
            assert not isinstance(view.screen, Reader)
            await pilot.press("q")

    asyncio.run(go())
    view.session.close()


def test_what_has_no_room_can_be_reached(tmp_path: Path) -> None:
    """At 40 columns the cards of the others may have none: the edge of the table names the key."""
    view = view_of(tmp_path)

    async def go() -> None:
        async with view.run_test(size=(40, 16)) as pilot:
            await until(pilot, view, "Ann: draw")
            assert view.screen.query_one("#story").border_title == ""  # nobody owns a card yet
            for _ in range(60):
                if view.screen.query_one("#story").border_title:
                    break
                for key in ("n", "c", "d", "p", "x"):
                    await pilot.press(key)
                    await pilot.pause(0.05)
            assert view.screen.query_one("#story").border_title == panes.HIDDEN
            await pilot.press("s")
            await pilot.pause(0.05)
            page = str(view.screen.query_one("#page", Static).content)
            for seat in range(2):
                for kind, count in enumerate(view.session.state.cards[seat]):
                    assert not count or CARDS[kind] in page
            await pilot.press("s", "q")

    asyncio.run(go())
    view.session.close()


@pytest.mark.parametrize("size", [(40, 20), (80, 24)])
def test_typing_a_line_moves_nothing(tmp_path: Path, size: tuple[int, int]) -> None:
    """No line of the table is broken, nor lost, while something is typed and after that."""
    view = view_of(tmp_path)

    async def go() -> None:
        async with view.run_test(size=size) as pilot:
            await until(pilot, view, "Ann: draw")
            table = view.screen.query_one("#table")
            lines = part(view, "table-lines")
            await pilot.press("slash")
            await pilot.pause(0.05)
            assert part(view, "table-lines") == lines
            assert table.max_scroll_y == 0
            assert table.query_one("#table-lines").size.height == lines.count("\n") + 1
            await pilot.press("escape")
            await pilot.pause(0.05)
            assert part(view, "table-lines") == lines
            await pilot.press("q")

    asyncio.run(go())
    view.session.close()


def test_a_refusal_is_told_in_full(tmp_path: Path) -> None:
    view = view_of(tmp_path)

    async def go() -> None:
        async with view.run_test(size=(40, 20)) as pilot:
            await until(pilot, view, "Ann: draw")
            await pilot.press("n")
            await pilot.pause(0.05)
            assert part(view, "status").split("\n") == [
                " there is no number card in the", " tableau to take (? rule 5.2)"
            ]  # fmt: skip
            assert "Ann: draw" in part(view, "prompt")
            await pilot.press("q")

    asyncio.run(go())
    view.session.close()


def test_choices_say_first_what_matters_most() -> None:
    """Where a chance with its count has no room, the chance alone has."""
    pieces = ((Span("busts 27%", "strong"), Span(" (35 of 128)")), (Span("a wild 14%"),))
    choice = Choice(Draw(0), "d", "draw", pieces)
    wide, narrow = (plain(panes.choice_lines([choice], ["d"], 0, room, 3)[0]) for room in (60, 31))
    assert wide.endswith("draw  busts 27% (35 of 128) · a wild 14%")
    assert narrow.endswith("draw  busts 27%")


def test_odds_say_whose_they_are() -> None:
    auction = Given(2, "RW R1").after(Draw(0)).state
    page = [plain(line) for line in odds_lines(odds(auction), auction, 80)]
    assert page[0] == "The next card, for p0, whose turn it is: 1 card left"
    assert "Worth in points to p0, a token" in "\n".join(page)
    own = auction.copy()
    own.to_act = 0
    page = [plain(line) for line in odds_lines(odds(own), own, 80)]
    assert page[0] == "The next card, for p0: 1 card left"
    assert "Worth in points, a token" in "\n".join(page)


@pytest.mark.parametrize("hints", [True, False])
def test_how_a_bid_or_a_purchase_is_paid_is_told_at_40_columns_too(hints: bool) -> None:
    own = "R2 R4 R5 B5 OW G4 G6"
    auction = Given(2, "RW R1", tokens=(5, 10), cards=["", own]).after(Draw(0)).state
    menu = Menu(auction, hints=hints)
    menu.raise_bid(10)
    assert "for 10t+G4" in plain(menu.lines(40, 3)[0])
    assert "for 10 tokens and G4" in plain(menu.lines(80, 3)[0])
    buying = Given(2, "R1 R2", tokens=(2, 5), cards=["B5 B6 B7"], market="B8 G4 O5")
    state = buying.after(Draw(0), TakeNumbers(0)).state
    shown = [plain(line) for line in Menu(state, hints=hints).lines(40, 3)]
    if hints:
        assert [line[12:].strip() for line in shown[:-1]] == [
            "−1 point · for 2t+R1+B5", "−2 points · 2t+R1+B5+B6"
        ]  # fmt: skip
    else:
        assert [line[12:].strip() for line in shown[:-1]] == [
            "for 2 tokens and R1 B5", "for 2 tokens and R1 B5 B6"
        ]  # fmt: skip


def test_the_wild_of_an_auction_is_explained() -> None:
    _, states = whole_game()
    state = next(state for state in states if state.phase.name == "AUCTION")
    wild = CARDS[state.wild]
    assert plain(panes.waiting_title(state, 60)).endswith(f"for {wild}, {wild_text(wild)}")
    assert plain(panes.waiting_title(state, 24)).endswith(f"bid or pass for {wild}")


def test_help_says_which_numbers_hold_in_this_game() -> None:
    ruleset = ruleset_from({"name": "long", "bust_limit": 12})
    own = start_state(start_event(("a", "b"), "1", game="g", ruleset=ruleset))
    page = " ".join(plain(line) for line in pages.explained(own, "", True, 60))
    assert page.startswith("In this game (long), other than in the rules below: 13 or more busts,")
    usual = start_state(start_event(("a", "b"), "1", game="g"))
    assert "In this game" not in str(pages.explained(usual, "", True, 60))


def test_the_last_buy_is_called_so() -> None:
    _, states = whole_game()
    state = next(state for state in states if state.phase.name == "FINAL_BUY")
    assert plain(panes.waiting_title(state, 60)).endswith(": buy or decline, your last buy")
    assert plain(panes.waiting_title(state, 30)).endswith(": buy or decline")


def test_a_decision_taken_back(tmp_path: Path) -> None:
    view = view_of(tmp_path)

    async def go() -> None:
        async with view.run_test(size=(80, 24)) as pilot:
            await until(pilot, view, "Ann: draw")
            await pilot.press("u")
            await until(pilot, view, "Ann: draw")
            await pilot.pause(0.1)
            assert "nothing was decided yet" in part(view, "status")
            await pilot.press("d")
            await pilot.pause(0.3)
            await pilot.press("u")
            await pilot.pause(0.3)
            assert "can't be taken back" in part(view, "status")
            await pilot.press("q")

    asyncio.run(go())
    view.session.close()


@pytest.mark.parametrize("size", [(36, 16), (200, 60)])
def test_a_replay_at_any_size(size: tuple[int, int]) -> None:
    events, states = whole_game()
    view = ReplayView(events, states, colour=False)

    async def go() -> None:
        async with view.run_test(size=size) as pilot:
            await pilot.press("right", "right", "left")
            assert view.at == 1
            await pilot.press("down")
            assert states[view.at].turn == 2
            assert states[view.at - 1].turn == 1
            await pilot.press("up")
            assert states[view.at].turn == 1
            await pilot.press("a")
            assert states[view.at].phase.name == "AUCTION"
            await pilot.press("g", "3", "0", "enter")
            await pilot.pause(0.1)
            assert view.at == 30
            await pilot.press("end")
            assert view.at == len(events) - 1
            for name in ("head", "table-lines", "status", "prompt", "foot"):
                lines = part(view, name).split("\n")
                assert max(map(len, lines)) <= size[0], name
            assert "leave" in part(view, "foot")
            await pilot.press("home", "q")

    asyncio.run(go())


@pytest.mark.parametrize("size", [(36, 16), (80, 24)])
def test_the_keys_of_a_replay(size: tuple[int, int]) -> None:
    """? shows them, and Esc closes what is open, as in a game: it does not leave."""
    events, states = whole_game()
    view = ReplayView(events, states, colour=False)

    async def go() -> None:
        async with view.run_test(size=size) as pilot:
            await pilot.press("question_mark")
            await pilot.pause(0.05)
            page = str(view.screen.query_one("#page", Static).content)
            assert "next auction" in " ".join(page.split())
            assert max(map(len, page.split("\n"))) <= size[0] - 4
            await pilot.press("escape")
            await pilot.pause(0.05)
            assert not isinstance(view.screen, Reader)
            await pilot.press("g", "3", "escape", "escape", "right")
            await pilot.pause(0.05)
            assert (view.is_running, view.at) == (True, 1)
            await pilot.press("q")

    asyncio.run(go())
    assert view.return_value == "left"


def whole_game(seed: str = "3") -> tuple[list[Event], list[State]]:
    """A game, and the table after each event."""
    events, _ = play_game(seed, 2, ["greedy"])
    state: State | None = None
    states = []
    for event in events:
        state = evolve(state, event)
        states.append(state.copy())
    return events, states


@pytest.mark.parametrize("players", [1, 2, 5])
@pytest.mark.parametrize("room", [34, 46, 80])
def test_the_table_fits_whatever_the_height(players: int, room: int) -> None:
    events, _ = play_game("fit", players, ["greedy"])
    state: State | None = None
    for n, event in enumerate(events):
        state = evolve(state, event)
        if n % 25:
            continue
        for height in (10, 14, 40):
            lines, hides = panes.table(state, room, height, [0])
            assert all(len(plain(line)) <= room for line in lines)
            if height > 30:
                shown = "\n".join(map(plain, lines))
                assert all(name in shown for name in state.players)
            shown = "\n".join(map(plain, lines))
            every = "\n".join(map(plain, panes.table(state, room, 99, [0])[0]))
            owned = len(re.findall(r"^   [RBOGW]", every, re.MULTILINE))
            assert hides == (len(re.findall(r"^   [RBOGW]", shown, re.MULTILINE)) < owned)


def test_the_way_out_is_always_among_the_choices() -> None:
    for count in range(1, 20):
        for rows in range(2, 9):
            for chosen in range(count):
                shown = panes.window(count, chosen, rows)
                assert len(shown) == min(count, rows)
                assert chosen in shown
                assert shown[-1] == count - 1
                assert shown == sorted(set(shown))


@pytest.mark.parametrize("room", [30, 36, 40, 60, 80])
def test_the_footer_always_says_how_to_leave(room: int) -> None:
    from tenlog_cli.tui.board import _BIDDING, _OVER, _WATCHING

    for keys in (_BIDDING, _OVER, _WATCHING):
        line = plain(panes.footer(keys, room))
        assert len(line) <= room
        assert line.endswith("q leave")


def test_the_key_that_draws_gives_no_purchase_away(tmp_path: Path) -> None:
    view = view_of(tmp_path)

    async def go() -> None:
        async with view.run_test(size=(80, 24)) as pilot:
            for _ in range(60):
                if "Ann: buy" in part(view, "prompt"):
                    break
                for key in ("n", "p", "d"):
                    await pilot.press(key)
                    await pilot.pause(0.05)
                    if "Ann: buy" in part(view, "prompt"):
                        break
            events = len(view.session.events)
            for keys in (("d",), ("slash", "d", "enter")):
                await pilot.press(*keys)
                await pilot.pause(0.1)
                assert "x declines" in part(view, "status")
                assert "Ann: buy" in part(view, "prompt")
            assert len(view.session.events) == events
            await pilot.press("q")

    asyncio.run(go())
    view.session.close()
