"""Finding one-line games in a text: a file of them, a forum post that broke a line in two."""

from __future__ import annotations

import re
from typing import Final

_TAG: Final = re.compile(r"TEN[0-9]+:")


def split_lines(text: str) -> list[str]:
    """The one-line games of a text, white space taken out.

    A game begins on a line of its own; lines that do not begin with a tag go on with the game
    before them, since mail and forums break lines. Text before the first game is a broken game.

    >>> split_lines("TEN1:a:\\n  b\\n\\nTEN1:c")
    ['TEN1:a:b', 'TEN1:c']
    """
    games: list[str] = []
    for raw in text.splitlines():
        line = "".join(raw.split())
        if _TAG.match(line) or (line and not games):
            games.append(line)
        elif line:
            games[-1] += line
    return games
