"""``tenlog rules``: pages that can be read at any width, and places in them that can be found."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from rich.cells import cell_len

from tenlog.docs import PAGES
from tenlog.play.answers import RuleAnswer
from tenlog.story import plain
from tenlog_cli.markdown import markdown_lines
from tests.cli.terminal import Terminal
from tests.support import run_cli


def _rules(*args: str, columns: int = 80, code: int = 0) -> str:
    env = {"COLUMNS": str(columns), "PYTHONIOENCODING": "utf-8"}
    done = run_cli("rules", *args, env=env)
    assert done.returncode == code, done.stderr
    assert done.stderr.count(b"\n") == (1 if code else 0)
    return (done.stderr if code else done.stdout).decode()


def test_sections_and_points() -> None:
    assert _rules("4.3").startswith("Rule 4.3 · The draw phase\nA number card")
    auction = _rules("auction")
    assert auction.startswith("7. The auction\n─")
    assert "\n7.4 If every player passes" in auction  # numbered as messages quote it
    assert _rules("format", "4").startswith("4. The shuffle")
    assert _rules("format", "8.1").startswith("Format 8.1 · Checking a log\nBytes: ")
    assert "--find" in _rules("wild", code=2)
    assert "--find" in _rules("99", code=2)


def test_words_are_found() -> None:
    found = _rules("--find", "SUPERFLUOUS")
    assert found.startswith("Rule 6.4 · The buy phase\nA payment is legal")
    assert "market: the number cards" in _rules("--find", "market")  # a row of a table
    answers = [
        msgspec.json.decode(line, type=RuleAnswer)
        for line in _rules("--find", "wild", "--json").splitlines()
    ]
    assert {"2.2", "7.1", "9.2"} <= {answer.section for answer in answers}
    assert all("wild" in answer.text.lower() for answer in answers)
    assert "Section 4 · Codes\nseals: `bad-seal` · A seal" in _rules("audit", "--find", "bad-seal")
    assert "tenlog rules audit --find" in _rules("--find", "bad-seal", code=2)
    assert "nothing on the page rules" in _rules("--find", "", code=2)
    assert "a whole page" in _rules("4", "--find", "wild", code=2)


@pytest.mark.parametrize("columns", [40, 80])
def test_every_page_fits(columns: int) -> None:
    for page in PAGES:
        lines = _rules(page, columns=columns).splitlines()
        # Logs and programs stay as they are: they stand on the page on the format, and rulesets.
        code = ("    ", "  ", '{"', "//", "import ", "const ", "for (", "}", "#", "RW = ")
        wide = [line for line in lines if cell_len(line) > columns]
        assert [line for line in wide if not line.startswith(code)] == []
        assert page != "audit" or not wide
        assert [x for x in lines if x.startswith("|") or x.endswith(" ")] == []


def test_a_table_that_is_too_wide_is_stacked() -> None:
    text = (
        "| end | the cards | you |\n| --- | --- | --- |\n| a bust | to *the* market | get `1` |\n"
    )
    assert plain(markdown_lines(text, 60)[0]) == "end     the cards      you"
    narrow = [plain(line) for line in markdown_lines(text, 24)]
    assert narrow == ["a bust", "  the cards: to the", "    market", "  you: get `1`"]


@pytest.mark.parametrize("columns", [40, 80])
def test_on_a_terminal(tmp_path: Path, columns: int) -> None:
    terminal = Terminal("rules", "5", home=tmp_path, columns=columns, lines=100)
    assert terminal.finish() == 0
    assert [line for line in terminal.text.split("\n") if cell_len(line) > columns] == []
    assert ("number cards of the tableau: go to" in terminal.text) == (columns == 40)
    found = Terminal("rules", "--find", "wild", home=tmp_path, columns=columns, lines=100)
    assert found.finish() == 0
    assert "\x1b[1;36mwild" in found.raw


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.toml", 'name = "x"\nbust_limit = ' + "9" * 5000),
        ("a.toml", 'name = "x"\nbust_limit = 0x' + "f" * 5000),
        ("a.toml", 'name = "x"\ntokens = {start = 0x' + "f" * 5000 + "}"),
        ("a.toml", 'name = "x"\nbust_limit = ' + "[" * 20_000),
        ("a.toml", 'name = "x"\nbust_limit = "' + "\0"),
        ("a.toml", 'name = "x"\n# ' + "long" * 20_000),
        ("a.json", '{"name":"x","bust_limit":' + "9" * 5000 + "}"),
        ("a.json", '{"name":"x","bust_limit":' + "[" * 20_000),
    ],
)
def test_a_ruleset_that_is_none_is_named(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    done = run_cli("rules", "--ruleset", name, cwd=tmp_path)
    assert done.returncode in (2, 3)
    assert done.stderr.startswith((b"tenlog: " + name.encode(), b"tenlog: can't read the ruleset"))
    assert name.encode() in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert len(done.stderr) < 500
