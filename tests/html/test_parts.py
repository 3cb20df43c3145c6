"""The parts of a page without a browser: frames, words, marks, charts, escaping, files."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from base64 import b64encode
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tenlog.errors import LogError, LogFault
from tenlog.game.events import EVENT_TYPES, Event
from tenlog.game.scoring import best_total
from tenlog.game.state import State
from tenlog.html.chart import spread, step_line, ticks
from tenlog.html.frames import Film
from tenlog.html.page import island
from tenlog.html.replay_page import Verdict, render_replay
from tenlog.html.words import plain
from tenlog.log.replay import replay
from tenlog_cli.html import write_html
from tests.html.games import HOSTILE, as_log, played
from tests.referee.generate import generate
from tests.support import ROOT

ANY_TEXT = st.text(max_size=60) | st.sampled_from(HOSTILE)


@settings(max_examples=60, deadline=None)
@given(st.recursive(ANY_TEXT | st.integers(), lambda v: st.lists(v) | st.dictionaries(ANY_TEXT, v)))
def test_an_island_comes_back_and_never_ends_its_element(value: Any) -> None:
    try:
        text = island(value)
    except UnicodeEncodeError:
        return  # a lone surrogate: texts pass through plain() first
    assert msgspec.json.decode(text) == value
    assert not set(text) & set("<>&\u2028\u2029")


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet=st.characters(), max_size=400), st.integers(1, 300))
def test_plain_texts_are_short_whole_and_steer_nothing(text: str, most: int) -> None:
    shown = plain(text, most)
    shown.encode()
    assert not re.search("[\x00-\x1f\x7f-\x9f\u061c\u202a-\u202e\u2066-\u2069]", shown)
    assert len(shown) <= most + 24


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(0, 150), min_size=1, max_size=10), st.floats(1, 20))
def test_spread_labels_keep_their_distance_and_order(places: list[float], gap: float) -> None:
    moved = spread(places, gap, 0, 150)
    order = sorted(range(len(places)), key=lambda i: (places[i], i))
    gap = min(gap, 150 / max(1, len(places) - 1))
    for before, after in pairwise(order):
        assert moved[after] - moved[before] >= gap - 1e-6
    assert min(moved) >= -1e-6
    assert max(moved) <= 150 + 1e-6


@settings(max_examples=60, deadline=None)
@given(st.floats(-1e6, 1e6), st.floats(0, 1e6), st.integers(2, 8))
def test_ticks_span_and_are_few(low: float, width: float, most: int) -> None:
    found = ticks(low, low + width, most)
    assert len(found) <= most + 3
    assert found == sorted(set(found))


def test_a_step_line() -> None:
    assert step_line([0, 0, 2, 2, 1]) == "M0 0H2V-2H4V-1H4"


def film_of(log: Any) -> tuple[Film, list[tuple[Event, State]]]:
    film = Film()
    states: list[tuple[Event, State]] = []

    def watch(event: Event, state: State) -> None:
        film.see(event, state)
        states.append((event, state.copy()))

    assert replay(log, watch=watch).fault is None
    return film, states


@pytest.mark.parametrize("seats", [1, 3, 5])
def test_deltas_add_up_to_the_fold(seats: int) -> None:
    film, states = film_of(as_log(generate(f"film-{seats}", seats, "end")))
    frame: dict[str, Any] = {}
    for delta, (_, state) in zip(film.frames, states, strict=True):
        assert not [key for key in delta if frame.get(key) == delta[key] and key in frame]
        frame |= delta
        assert frame["tokens"] == list(state.tokens)
        assert frame["supply"] == state.supply
        assert frame["turn"] == state.turn
        assert frame["discard"] == sum(state.discard)
        for seat, counts in enumerate(state.cards):
            assert frame[f"s{seat}"][0] == best_total(counts)
            assert len(frame[f"c{seat}"]) == sum(counts)
            runs, colours = frame[f"s{seat}"][2], frame[f"s{seat}"][1]
            for run, points in zip(runs, colours, strict=True):
                assert (run is None) == (points == 0)
                if run is not None:
                    assert run[1] - run[0] + 1 == min(points, 9)
    assert film.points[-1] == list(states[-1][1].scores)


def test_marks_and_turns() -> None:
    film, states = film_of(as_log(generate("marks", 4, "end")))
    names = [type(event).__name__ for event, _ in states]
    assert film.marks.bust == [n for n, name in enumerate(names) if name == "Busted"]
    assert film.marks.buy == [n for n, name in enumerate(names) if name == "CardBought"]
    assert len(film.marks.auction) == names.count("AuctionWon") + names.count("AuctionUnsold")
    leader = -1
    for n, points in enumerate(film.points):
        alone = [seat for seat, value in enumerate(points) if value == max(points)]
        changed = len(alone) == 1 and alone[0] != leader
        assert changed == (n in film.marks.lead)
        leader = alone[0] if changed else leader
    assert [turn for _, turn, _ in film.turns] == [0, *range(1, states[-1][1].turn + 1), -1]
    for first, turn, seat in film.turns[1:-1]:
        assert names[first] == "CardDrawn"
        assert states[first - 1][1].active == seat == (turn - 1) % 4
    assert len(names) - film.turns[-1][0] == 5  # four last buys and the end


def test_every_event_has_words() -> None:
    seen = set()
    for seats in (1, 4, 5):
        film, states = film_of(as_log(generate(f"words-{seats}", seats, "end")))
        for pieces, (event, _) in zip(film.texts, states, strict=True):
            seen.add(type(event))
            assert pieces
            assert all(isinstance(piece, str | int | list) and piece != "" for piece in pieces)
    assert len(seen) >= len(EVENT_TYPES) - 1  # NothingTaken is rare


def test_the_policy_names_what_the_page_holds() -> None:
    text = render_replay(as_log(generate("csp", 2, "end")))
    scripts = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    styles = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    assert (len(scripts), len(styles)) == (1, 1)
    for body in scripts + styles:
        digest = b64encode(sha256(body.encode()).digest()).decode()
        assert f"sha256-{digest}" in text.replace("&#39;", "'")
    assert "default-src" in text
    assert not re.search(r"<[^>]*\son[a-z]+=|<[^>]*\sstyle=", text)
    assert "http://" not in text.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in text


def test_the_same_log_gives_the_same_page() -> None:
    code = (
        "import sys;from tests.html.games import as_log;"
        "from tests.referee.generate import generate;"
        "from tenlog.html.replay_page import render_replay;"
        "sys.stdout.buffer.write(render_replay(as_log(generate('same',3,'end'))).encode())"
    )
    pages = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={
                **os.environ,
                "PYTHONHASHSEED": seed,
                "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "cli")]),
            },
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(pages) == 1


def test_a_verdict_from_outside_is_shown() -> None:
    log = played(["Ann", "Bob"], "v")[1]
    text = render_replay(log, Verdict("bad", "signed by <nobody>", ("a", "b")))
    assert "signed by &lt;nobody&gt;" in text
    assert "Every event holds" not in text


def test_nothing_to_show_is_a_fault() -> None:
    with pytest.raises(LogFault, match="no game to show"):
        render_replay(as_log(b'{"n":0,"ev":{}}\n'))


def test_a_page_replaces_pages_only(tmp_path: Path) -> None:
    log = played(["Ann", "Bob"], "w")[1]
    page = tmp_path / "game.html"
    write_html(page, log)
    first = page.read_bytes()
    assert first.startswith(b"<!doctype html>")
    write_html(page, log, notation="x")
    assert page.read_bytes() != first
    kept = tmp_path / "game.jsonl"
    kept.write_bytes(log.text.data)
    with pytest.raises(LogError, match="no HTML page"):
        write_html(kept, log)
    assert kept.read_bytes() == log.text.data
    for bad in (tmp_path, tmp_path / "none" / "x.html", tmp_path / ("x" * 300)):
        with pytest.raises(LogError, match="can't write"):
            write_html(bad, log)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["game.html", "game.jsonl"]


def test_without_the_extra_the_message_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    from tenlog.html.page import HtmlExtraMissing, environment

    environment.cache_clear()
    monkeypatch.setitem(sys.modules, "jinja2", None)
    monkeypatch.setitem(sys.modules, "markupsafe", None)
    with pytest.raises(HtmlExtraMissing, match=r"pip install '\.\[html\]'"):
        render_replay(played(["Ann", "Bob"], "x")[1])
    environment.cache_clear()
