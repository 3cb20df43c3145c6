"""A real Chromium for the pages: each must stay silent, offline and within its policy."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

# Counts what the policy refuses, before anything of the page runs.
WATCH = """
window.refused = [];
document.addEventListener("securitypolicyviolation",
  (event) => window.refused.push(event.violatedDirective + " " + event.blockedURI));
"""

Open = Callable[..., Page]


def until(page: Page, holds: str) -> None:
    """Wait until an expression holds (Playwright's own way needs ``eval`` in the page)."""
    for _ in range(200):
        if page.evaluate(holds):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"never: {holds}")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's Chromium, or the one that TENLOG_BROWSER names (which then has to be there).

    For one module: Playwright keeps an event loop running in this thread, and the tests of other
    modules start loops of their own.
    """
    told = os.environ.get("TENLOG_BROWSER")
    path = told or shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("no chromium here: apt-get install chromium")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield running
        running.close()


@pytest.fixture
def open_page(browser: Browser, tmp_path: Path) -> Iterator[Open]:
    """Opens the text of a page from the disk; afterwards nothing may have gone wrong in it."""
    faults: list[str] = []
    pages: list[Page] = []
    watching: list[Page] = []

    def open_(text: str, fragment: str = "", *, watched: bool = True, **options: Any) -> Page:
        file = tmp_path / f"page{len(pages)}.html"
        file.write_text(text, encoding="utf-8")
        options.setdefault("viewport", {"width": 1280, "height": 800})
        page = browser.new_context(**options).new_page()
        page.set_default_timeout(10_000)
        pages.append(page)
        page.add_init_script(WATCH)
        if not watched:
            page.goto(file.as_uri() + fragment)
            return page
        watching.append(page)
        page.on("console", lambda message: faults.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: faults.append(f"error: {error}"))
        page.on("dialog", lambda dialog: faults.append(f"dialog: {dialog.message}"))

        def asked(url: str) -> None:
            if not url.startswith((file.as_uri(), "data:")):
                faults.append(f"request: {url}")

        page.on("request", lambda request: asked(request.url))
        page.goto(file.as_uri() + fragment)
        return page

    yield open_
    for page in pages:
        if page in watching:
            faults += page.evaluate("window.refused")
        page.context.close()
    assert faults == []
