"""Words fitted to a width."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tenlog.story import Role, Span, plain
from tenlog_cli.output import in_shell
from tenlog_cli.paint import cells, cut, pad, painted, safe, say_path, wrap

texts = st.text(st.characters(codec="utf-8"), max_size=40)
roles: st.SearchStrategy[Role] = st.sampled_from(["", "card", "name", "bad"])
lines = st.lists(st.builds(Span, texts, roles), max_size=6)


@given(lines, st.integers(10, 80), st.integers(0, 8), st.integers(0, 8))
def test_nothing_is_wider_than_the_room_and_nothing_is_lost(
    line: list[Span], room: int, indent: int, first: int
) -> None:
    found = wrap(line, room, indent, first)
    shown = [painted(part, 0) for part in found]
    assert max(map(cell_len, shown)) <= room
    assert re.sub(r" ", "", "".join(shown)) == re.sub(r" ", "", safe(plain(line)))


@given(texts)
def test_what_is_shown_cannot_steer_a_terminal(text: str) -> None:
    shown = painted([Span(text)], 256)
    assert shown.isprintable() or not shown


@given(texts, st.integers(1, 30))
def test_cut_and_pad(text: str, room: int) -> None:
    assert cell_len(cut(text, room)) <= room
    assert cell_len(pad(text, room)) == room


@given(texts)
def test_cells_are_those_of_rich(text: str) -> None:
    assert cells(safe(text)) == cell_len(safe(text))


def test_words_break_between_and_not_within() -> None:
    line = [Span("takes "), Span("R5", "card"), Span("; then more")]
    assert [plain(part) for part in wrap(line, 10, 2)] == ["takes R5;", "  then", "  more"]


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/home/ann/games of mine/a.jsonl", "~/'games of mine/a.jsonl'"),
        ("/tmp/mäin spiel-at1.jsonl", "'/tmp/mäin spiel-at1.jsonl'"),
        ("-n.jsonl", "./-n.jsonl"),
        ("a.jsonl", "a.jsonl"),
    ],
)
def test_a_path_as_a_shell_takes_it(path: str, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ann")
    assert in_shell(Path(path)) == words


def test_a_path_is_never_folded(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    say_path("The game is kept. Go on with", "tenlog resume g", "")
    say_path("The game is kept. Go on with", f"tenlog resume '{'a b' * 20}'", "")
    say_path("log:", "/tmp/" + "a" * 60)
    assert capsys.readouterr().out.splitlines() == [
        "The game is kept. Go on with",
        "tenlog resume g",
        "The game is kept. Go on with",
        f"tenlog resume '{'a b' * 20}'",
        "log: /tmp/" + "a" * 60,
    ]
