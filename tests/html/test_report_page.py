"""The page of reports and its pictures: what is drawn stands where the numbers say."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tenlog.errors import LogError
from tenlog.html.plots import HEIGHT, WIDTH, Chart, Point, Series, drawing
from tenlog.html.report_page import (
    PngExtraMissing,
    ReportSection,
    png_file,
    render_report,
    svg_file,
)
from tenlog_cli.html import write_page, write_pictures
from tests.html.conftest import Open
from tests.html.games import HOSTILE
from tests.html.test_access import FAINT


def point(x: float | str, y: float) -> Point:
    return Point(x, y, y - 0.05, y + 0.05)


def sections() -> list[ReportSection]:
    """One of each kind, with hostile texts wherever a text can stand."""
    bots = Series("", tuple([point(name, 0.1 + i / 10) for i, name in enumerate(HOSTILE)]))
    totals = tuple(
        [
            Series(f"s{i}", tuple([point(x, x / 20 + i / 9) for x in range(-3, 11)]))
            for i in range(5)
        ]
    )
    prices = tuple(
        [Series(n, (point("colour", 2), point("number", 3.5))) for n in ("early", HOSTILE[0])]
    )
    return [
        ReportSection(
            "bots",
            HOSTILE[0],
            (HOSTILE[1], "x" * 10_000),
            ("bot", "won"),
            tuple([(name, i / 7) for i, name in enumerate(HOSTILE)]),
            f"select '{HOSTILE[0]}'",
            Chart("rows", "bot", HOSTILE[1], (bots,), "95 % interval", 0.25),
        ),
        ReportSection(
            "totals", "Totals", (), (), (), "", Chart("line", "total", "chance", totals, "95 %")
        ),
        ReportSection(
            "prices", "Prices", (), (), (), "", Chart("columns", "wild", "price", prices)
        ),
        ReportSection("plain", "No picture", ("a",), ("a", "b"), ((1, None), (True, 2.5)), ""),
    ]


@pytest.mark.parametrize(("width", "scheme"), [(320, "dark"), (1100, "light")])
def test_the_page(open_page: Open, width: int, scheme: str) -> None:
    text = render_report(sections(), manifest={"seed": HOSTILE[0], "games": "10,000"})
    assert "<script" not in text
    page = open_page(text, viewport={"width": width, "height": 740}, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    seen, faint = page.evaluate(FAINT)
    assert seen > 40
    assert faint == []
    assert page.locator("svg[role=img][aria-label]").count() == 3
    assert page.locator("#bots h2").text_content() == HOSTILE[0]
    page.locator("#bots summary").first.click()
    assert page.locator("#bots tbody td").first.is_visible()
    assert page.locator("#bots tbody tr").count() == len(HOSTILE)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("#plain td").all_text_contents() == ["1", "–", "yes", "2.5"]
    assert page.locator("nav a").count() == 4


def test_points_and_intervals_stand_where_they_should() -> None:
    chart = Chart("line", "x", "y", (Series("", (Point(0, 0, 0, 5), Point(10, 10, 8, 10))),))
    drawn, height = drawing(chart, WIDTH)
    assert height == HEIGHT
    assert f'<line class="run s0" x1="0" y1="{HEIGHT}" x2="{WIDTH}" y2="0"/>' in drawn
    assert f'translate(0 {HEIGHT // 2})"><path class="bar" d="M-4 0H4M0 0V{HEIGHT // 2}' in drawn
    assert f'translate({WIDTH} 0)"><path class="bar" d="M-4 0H4M0 0V46' in drawn
    percent, _ = drawing(chart)
    assert f'x1="0%" y1="{HEIGHT}" x2="100%" y2="0"' in percent


def test_columns_start_at_zero_and_go_both_ways() -> None:
    chart = Chart("columns", "x", "y", (Series("", (Point("a", 4), Point("b", -4))),))
    drawn, _ = drawing(chart, WIDTH)
    bars = re.findall(r'<rect class="col s0" x="\S+" y="(\S+)" width="\S+" height="(\S+)"', drawn)
    assert bars == [("0", "115"), ("115", "115")]


def test_files(tmp_path: Path) -> None:
    files = write_pictures(tmp_path / "svg", sections())
    assert [file.name for file in files] == ["bots.svg", "totals.svg", "prices.svg"]
    for file in files:
        text = file.read_text(encoding="utf-8")
        ElementTree.fromstring(text)
        assert "var(" not in text
        assert "<script" not in text
    pictures = write_pictures(tmp_path / "png", sections(), png=True)
    for file in pictures:
        data = file.read_bytes()
        assert data.startswith(b"\x89PNG")
        assert int.from_bytes(data[16:20], "big") == 2 * (WIDTH + 100)
        assert len(data) > 5000
    write_page(tmp_path / "r.html", render_report(sections()))
    with pytest.raises(LogError, match="can't write"):
        write_pictures(tmp_path / "r.html", sections())


def test_names_must_serve_as_files() -> None:
    one = sections()[3]
    with pytest.raises(ValueError, match="names of sections"):
        render_report([one, one])
    with pytest.raises(ValueError, match="no chart"):
        svg_file(one)


def test_without_the_extra_the_message_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(PngExtraMissing, match=r"pip install '\.\[png\]'"):
        png_file(sections()[0])
