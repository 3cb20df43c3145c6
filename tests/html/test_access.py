"""Pages for everybody: keyboard alone, names and roles, contrast, small screens, dark, still."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page

from tenlog.html.replay_page import render_replay
from tests.html.conftest import Open
from tests.html.games import as_log, played
from tests.referee.generate import generate

# Every text that is seen, with its contrast to what is painted behind it (WCAG 2: colours mixed
# down through transparent layers; a pattern counts as the better-known of its plain colours).
FAINT = """
() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (css) => { // any CSS colour as red, green, blue, opacity
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = css;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (top, under) => [0, 1, 2].map((i) => top[i] * top[3] + under[i] * (1 - top[3]));
  const light = (colour) => {
    const [r, g, b] = colour.map((v) => {
      v /= 255;
      return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const root = rgba(getComputedStyle(document.body).backgroundColor);
  const behind = (node) => {
    const layers = [];
    for (let e = node; e && e !== document.documentElement; e = e.parentElement) {
      layers.push(rgba(getComputedStyle(e).backgroundColor));
    }
    return layers.reverse().reduce((under, layer) => over(layer, under), root.slice(0, 3));
  };
  const faint = [];
  let seen = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    const text = walker.currentNode.textContent.trim();
    const box = node.getBoundingClientRect();
    if (!text || node.closest("script, noscript, .sr, :disabled, option, textarea")) continue;
    if (!box.width || !box.height) continue;
    const style = getComputedStyle(node);
    const drawn = node instanceof SVGElement;
    let under = behind(drawn ? node.closest("div") : node);
    if (drawn && node.matches(".end")) {
      under = rgba(getComputedStyle(node.previousElementSibling).fill).slice(0, 3);
    }
    const ink = over(rgba(drawn ? style.fill : style.color), under);
    const [a, b] = [light(ink), light(under)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    seen += 1;
    if (ratio < 4.5) faint.push(`${ratio.toFixed(2)} ${node.tagName}.${node.className} ${text}`);
  }
  return [seen, [...new Set(faint)]];
}
"""


def busy_page(open_page: Open, **options: Any) -> Page:
    """A page at a moment with cards, wilds, an auction and a market."""
    log = as_log(generate("page-4", 4, "each"))
    auctions = [n for n, event in enumerate(log.events) if type(event).__name__ == "BidPlaced"]
    page = open_page(render_replay(log, notation="one line"), f"#n={auctions[-1]}", **options)
    assert page.locator("#auction li").count() == 4
    return page


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_has_contrast(open_page: Open, scheme: str) -> None:
    page = busy_page(open_page, color_scheme=scheme)
    seen, faint = page.evaluate(FAINT)
    assert seen > 300
    assert faint == []
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(245, 244, 240)") == (scheme == "light")


def test_roles_and_names(open_page: Open) -> None:
    page = busy_page(open_page)
    nodes = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    told: dict[str, list[str]] = {}
    for node in nodes:
        if node["ignored"]:
            continue
        role = node["role"]["value"]
        name = node.get("name", {}).get("value", "")
        told.setdefault(role, []).append(name)
        focusable = any(
            p["name"] == "focusable" and p["value"]["value"] for p in node.get("properties", ())
        )
        assert name or not focusable or role in ("RootWebArea", "MenuListPopup"), node
    assert told["slider"] == ["Event"]
    assert told["combobox"] == ["Speed"]
    assert told["main"]
    assert told["heading"][0] == "Replay of gen-" + page.locator("h1").inner_text()[-12:]
    regions = {name.lower() for name in told["region"]}
    assert {"playback", "verdict", "table", "tableau", "auction", "market", "scores"} <= regions
    assert len(told["table"]) == 5
    assert "red" in told["rowheader"]
    assert "9" in told["columnheader"]
    assert {"Play", "Event on", "Event back", "Turn on", "Turn back"} <= {*told["button"]}
    assert any(name.startswith("Next: Busts (") for name in told["button"])
    listed = told["option"]
    assert any("draws" in name and "red" in name for name in listed)
    assert not any(name in ("", "R5") for name in told["image"])
    page.keyboard.press("End")
    assert page.locator("[role=option][aria-selected=true]").count() == 1
    chosen = page.locator("#events").get_attribute("aria-activedescendant")
    assert page.locator(f"#{chosen}").get_attribute("aria-selected") == "true"
    assert page.locator("#slider").get_attribute("aria-valuetext") == (
        f"event {len(listed) - 5 - 1} of {len(listed) - 5 - 1}"
    )


def test_keyboard_alone(open_page: Open) -> None:
    page = busy_page(open_page)
    reached: list[str] = []
    for _ in range(40):
        page.keyboard.press("Tab")
        here = page.evaluate(
            "(() => { const e = document.activeElement; return e === document.body ? '' :"
            " e.id || e.dataset.go || e.dataset.find || e.tagName; })()"
        )
        if not here or here in reached:
            break
        reached.append(here)
        ring = "getComputedStyle(document.activeElement).outlineStyle"
        assert page.evaluate(ring) != "none", here
        # What has the focus is not under the bar of the playback.
        assert page.evaluate(
            "(() => { const e = document.activeElement, b = e.getBoundingClientRect();"
            " const top = document.elementFromPoint(b.left + b.width / 2, b.top + 8);"
            " return e.contains(top) || top.contains(e); })()"
        ), here
    assert {"play", "speed", "slider", "events", "on", "turn-back", "auction"} <= {*reached}
    assert {"copy-link", "notation", "copy-notation", "letters"} <= {*reached}
    # A key that a control needs itself stays its own.
    page.locator("[data-go=last]").focus()
    page.keyboard.press(" ")
    assert page.locator("#play").get_attribute("aria-label") == "Play"
    assert page.evaluate("slider.value === slider.max")
    page.locator("#slider").focus()
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("slider.value == slider.max - 1")
    page.locator("#notation").focus()
    page.keyboard.press("a")
    page.keyboard.press("Home")
    assert page.evaluate("slider.value == slider.max - 1")


def test_no_width_scrolls_sideways(open_page: Open) -> None:
    page = busy_page(open_page)
    for width in (320, 360, 412, 700, 1000, 1920):
        page.set_viewport_size({"width": width, "height": 740})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        stick_out = page.evaluate(
            "[...document.querySelectorAll('button, select, .card, td, h1, h2, h3, bdi, .value')]"
            ".filter(e => { const b = e.getBoundingClientRect();"
            " return b.width && (b.right > innerWidth + 1 || b.left < -1); })"
            ".map(e => e.outerHTML)"
        )
        assert (width, stick_out) == (width, [])
        # The bar leaves most of a phone to the table.
        bar = page.locator(".playback").bounding_box()
        assert bar is not None
        assert bar["height"] < 175


def test_text_can_be_doubled(open_page: Open) -> None:
    page = busy_page(open_page, viewport={"width": 640, "height": 700})
    page.evaluate("document.documentElement.style.fontSize = '32px'")
    assert page.evaluate("document.documentElement.scrollWidth") <= 640


def test_without_script_the_result_is_told(open_page: Open) -> None:
    _, log = played(["Ann", "Bob"], "plain")
    page = open_page(render_replay(log), watched=False, java_script_enabled=False)
    assert "winner" in page.locator(".result").inner_text()
    assert "needs JavaScript" in page.locator("noscript").inner_text()
    assert "Every event holds" in page.locator(".verdict").inner_text()
