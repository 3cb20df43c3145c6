"""The pages that come with the package, and the ways to find a place in them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, NamedTuple

PAGES: Final = {"rules": "rules.md", "format": "format.md", "audit": "audit.md"}


class Section(NamedTuple):
    """A section of a page: its number, its title, and its text with the headline, as Markdown."""

    number: str
    title: str
    text: str


def page(name: str) -> str:
    """A page as Markdown: ``rules`` or ``format``.

    Raises:
        KeyError: there is no such page.
    """
    return Path(__file__).with_name(PAGES[name]).read_text(encoding="utf-8")


_HEAD = re.compile(r"^## (\d+)\. (.+)$", re.MULTILINE)


def sections(name: str) -> list[Section]:
    """The numbered sections of a page.

    >>> [section.title for section in sections("rules")][:3]
    ['Words', 'The cards', 'Setting up']
    """
    text = page(name)
    heads = list(_HEAD.finditer(text))
    ends = [head.start() for head in heads[1:]] + [len(text)]
    return [
        Section(head[1], head[2], text[head.start() : end].rstrip() + "\n")
        for head, end in zip(heads, ends, strict=True)
    ]


def numbered(section: Section) -> str:
    """The text of a section with its points numbered as they are quoted: 4.3 and not 3.

    >>> numbered(sections("rules")[3]).splitlines()[2][:17]
    '4.1 A turn begins'
    """
    return _POINT.sub(rf"{section.number}.\1 ", section.text)


_POINT = re.compile(r"^(\d+)\. ", re.MULTILINE)


def find_word(name: str, word: str) -> list[Section]:
    """Every point, paragraph and row of a table of a page that has a word, or part of one; each
    with the number of the point, or else of its section.

    >>> [place.number for place in find_word("rules", "superfluous")]
    ['6.4']
    """
    found = []
    for section in sections(name):
        for text in re.split(r"\n+", section.text.partition("\n")[2]):
            if word.lower() not in text.lower():
                continue
            point = _POINT.match(text)
            number = f"{section.number}.{point[1]}" if point else section.number
            found.append(Section(number, section.title, text + "\n"))
    return found


def find_section(name: str, wanted: str) -> Section | None:
    """A section by its number (``4``), a point of it (``4.3``), or words of its title; or None.

    >>> find_section("rules", "4.3").text[:13], find_section("rules", "auction").number
    ('3. A number c', '7')
    """
    number, _, point = wanted.partition(".")
    for section in sections(name):
        if section.number == number:
            if not point:
                return section
            item = re.search(rf"^{re.escape(point)}\. .+$", section.text, re.MULTILINE)
            if item is None:
                return None
            return Section(wanted, section.title, item[0] + "\n")
    like = [s for s in sections(name) if wanted.lower() in s.title.lower()]
    return like[0] if len(like) == 1 else None
