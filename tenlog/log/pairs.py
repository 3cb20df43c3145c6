"""The games of two logs, each with the one of the same id, in bounded memory."""

from __future__ import annotations

import zlib
from collections import deque
from collections.abc import Iterator
from hashlib import sha256
from itertools import islice, zip_longest
from tempfile import SpooledTemporaryFile
from typing import Final

import msgspec

from tenlog.log.read import GameLog, read_game
from tenlog.log.source import GameText

_LONGEST: Final = 64  # characters of an id (FORMAT 2)
_IN_MEMORY: Final = 1 << 24  # packed bytes of waiting games


def _label(log: GameLog) -> str:
    game = log.game or f"(no id, line {log.text.line})"
    if len(game) <= _LONGEST:
        return game
    return f"{game[:_LONGEST]}… ({sha256(game.encode()).hexdigest()[:16]})"  # no id, but a megabyte


class Waiting:
    """Games whose partner has not come yet: packed, and out of memory once they are many."""

    def __init__(self) -> None:
        # By label, in the order in which the labels came: where each game begins in the file.
        self._games: dict[str, deque[tuple[GameText, int, int]]] = {}
        self._file = SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - closed on leaving
        self._size = 0

    def __enter__(self) -> Waiting:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def put(self, label: str, log: GameLog) -> None:
        """Keep a game."""
        data = zlib.compress(log.text.data, 1)
        self._file.seek(self._size)
        self._file.write(data)
        without = msgspec.structs.replace(log.text, data=b"")
        self._games.setdefault(label, deque()).append((without, self._size, len(data)))
        self._size += len(data)

    def has(self, label: str) -> bool:
        """Whether a game of this label waits."""
        return label in self._games

    def take(self, label: str) -> GameLog:
        """The first game of this label, which waits no more."""
        waiting = self._games[label]
        text, start, size = waiting.popleft()
        if not waiting:
            del self._games[label]
        self._file.seek(start)
        data = zlib.decompress(self._file.read(size))
        return read_game(msgspec.structs.replace(text, data=data))

    def labels(self) -> Iterator[str]:
        """The labels of all games that still wait."""
        for label, waiting in self._games.items():
            for _ in waiting:
                yield label


def pair_games(
    a: Iterator[GameLog], b: Iterator[GameLog], waiting_a: Waiting, waiting_b: Waiting
) -> Iterator[tuple[GameLog, GameLog]]:
    """Games that belong together; the others are left waiting."""
    first_a, first_b = list(islice(a, 2)), list(islice(b, 2))
    if len(first_a) == len(first_b) == 1:
        yield first_a[0], first_b[0]  # whatever their ids are
        return
    for pair in zip_longest(_chain(first_a, a), _chain(first_b, b)):
        one, other = pair
        labels = [None if log is None else _label(log) for log in pair]
        label = labels[0]
        alone = label is not None and not (waiting_a.has(label) or waiting_b.has(label))
        if alone and label == labels[1] and one is not None and other is not None:
            yield one, other
            continue
        for log, label, waiting in zip(pair, labels, (waiting_a, waiting_b), strict=True):
            if log is not None and label is not None:
                waiting.put(label, log)
        for label in labels:
            if label is not None:
                while waiting_a.has(label) and waiting_b.has(label):
                    yield waiting_a.take(label), waiting_b.take(label)


def _chain(first: list[GameLog], rest: Iterator[GameLog]) -> Iterator[GameLog]:
    yield from first
    yield from rest
