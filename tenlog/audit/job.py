"""Judging the pieces of files: what one process does with each, and what it says of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

import msgspec

from tenlog.audit.judge import Settings, judge_game
from tenlog.audit.verdict import Judged
from tenlog.errors import LogError
from tenlog.log.pieces import Games, Piece
from tenlog.pool import Job

_BATCH: Final = 256  # games that are sent at once at most
_BATCH_BYTES: Final = 1 << 16


class Done(msgspec.Struct, frozen=True, tag=True):
    """A piece is judged: so many lines, and why not all of it could be read."""

    lines: int
    unread: str | None = None


class Batch(msgspec.Struct, frozen=True, tag=True):
    """Some games of a piece, in order, their lines counted from the start of the piece."""

    games: list[Judged]


Report = Batch | Done


class Judging(Job[Piece, Report]):
    """An audit's job: each piece gives batches of games, then one :class:`Done`."""

    items: ClassVar = Piece
    reports: ClassVar = Report

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    def work(self, item: Piece) -> Iterator[Report]:
        games = Games(item)
        label = item.source.label
        batch: list[Judged] = []
        size = 0
        unread: str | None = None
        try:
            for text in games:
                game = judge_game(text, label, self.settings)
                batch.append(game)
                size += 1 + len(game.held)
                if len(batch) == _BATCH or size > _BATCH_BYTES:
                    yield Batch(batch)
                    batch, size = [], 0
        except LogError as error:
            unread = str(error)
        if batch:
            yield Batch(batch)
        yield Done(games.lines, unread)

    def size(self, item: Piece) -> int:
        return item.size

    def here(self, item: Piece) -> bool:
        return bool(item.source.pipe)

    def died(self, item: Piece) -> Report:
        label = item.source.label
        return Done(0, f"can't judge {label}: the process that did ended (out of memory?)")
