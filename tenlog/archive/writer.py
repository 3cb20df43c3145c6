"""Writing to an archive: games into a part of one's own, and the part into the list by a commit."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final

import msgspec

from tenlog.archive.build import Builder
from tenlog.archive.catalogue import (
    Catalogue,
    Part,
    commit,
    load,
    merging,
    os_error,
    reading,
    staging,
)
from tenlog.archive.fill import write_part
from tenlog.archive.lines import NotKept
from tenlog.archive.parts import merge_parts, present, staged_files
from tenlog.archive.store import check_sizes
from tenlog.errors import ArchiveError
from tenlog.game.events import Event
from tenlog.game.state import State
from tenlog.log.store import Encoded, encode_game, encoded_game

# Parts with fewer events than a bound are merged when there are MERGE of them below it, into parts
# of no more than MOST events: what sorts them has to fit some memory.
TIERS: Final = (1 << 12, 1 << 16, 1 << 18)
MERGE: Final = 16
MOST: Final = 1 << 20


class Committed(msgspec.Struct, frozen=True):
    """What a commit did.

    Attributes:
        added, events: games and events that went in.
        known: games that were there already, with the same content.
        clashes: games that are there with other content, by id, with the digest of what is there;
            these did not go in.
        replaced: ids of games that were there with other content and are now replaced.
        repeated: whether the key was there already, so that nothing went in.
    """

    added: int = 0
    events: int = 0
    known: int = 0
    clashes: Mapping[str, str] = msgspec.field(default_factory=dict)
    replaced: tuple[str, ...] = ()
    repeated: bool = False


def committed(root: Path) -> frozenset[str]:
    """The keys of the chunks that are in an archive, whose files are all there.

    Raises:
        ArchiveError: it can't be read, or is damaged.
    """
    catalogue = load(root)
    check_sizes(root, catalogue.parts)
    return frozenset(catalogue.keys)


class ArchiveWriter:
    """Adds games to an archive, chunk by chunk; for a simulation as well as for logs.

    ::

        with ArchiveWriter(path) as writer:
            for chunk in chunks:
                if writer.has(chunk.key):
                    continue                      # an earlier run committed it
                for events, state in play(chunk):
                    writer.add(events, bots=bots, state=state)
                writer.commit(key=chunk.key)      # all of the chunk, or nothing

    A chunk is there whole or not at all, however the process ends. A key is any text that names the
    chunk (say, a hash of its settings and the number of its first game): a key that is there
    already makes :meth:`commit` drop the chunk, so that an interrupted simulation, or two at once,
    never have a chunk twice. Several processes may write to one archive, each with a writer of its
    own; each holds the archive only for the moment of a commit, and readers never wait.

    A chunk of half a million to a million events (1,500 to 2,500 games) is best: bigger ones need
    more memory when they are written, and many small ones are merged by and by.
    Between commits, games lie in a folder under ``staging``: memory does not grow.
    """

    def __init__(self, path: str | Path) -> None:
        """Raises:
        ArchiveError: the archive is not one, or can't be written to.
        """
        self.root = Path(path)
        self._keys = frozenset(load(self.root).keys)
        self._exit = contextlib.ExitStack()
        self._builder: Builder | None = None

    @property
    def games(self) -> int:
        """How many games wait for the next commit."""
        return 0 if self._builder is None else self._builder.games

    @property
    def events(self) -> int:
        """How many events wait for the next commit."""
        return 0 if self._builder is None else self._builder.events

    def has(self, key: str) -> bool:
        """Whether a chunk was committed with this key (by this process, or before it began)."""
        return key in self._keys

    def add(
        self,
        events: Sequence[Event],
        *,
        bots: Sequence[str | None] | None = None,
        state: State | None = None,
    ) -> str:
        """Take a finished game that the engine made; returns the SHA-256 of its log.

        Its log is what :func:`tenlog.log.store.encode_game` gives. ``state`` is the table at its
        end; without it, points by colour stay unknown.

        Raises:
            ArchiveError: it is not a finished game, or is in this chunk already.
        """
        if state is not None and len(events) > 1:
            return self.add_made(encoded_game(events, bots=bots), state)
        try:
            return self.add_log(encode_game(events, bots=bots), "engine", state)
        except NotKept as error:
            raise _no_game(error) from None

    def add_made(self, game: Encoded, state: State) -> str:
        """The same for a game that was made into bytes already, with the table at its end.

        Raises:
            ArchiveError: it is not a finished game, or is in this chunk already.
        """
        try:
            return self._ready().add_made(game, state)
        except NotKept as error:
            raise _no_game(error) from None

    def add_log(self, data: bytes, audit: str, state: State | None = None) -> str:
        """Take the exact bytes of a finished game; returns their SHA-256.

        ``audit``: how it was judged. Without the ``state`` at its end its lines are read strictly
        first. Raises:
            NotKept: it can't be given back byte for byte, or a game with its id waits already.
        """
        return self._ready().add(data, audit, state)

    def _ready(self) -> Builder:
        try:
            if self._builder is None:
                self._builder = Builder(self._exit.enter_context(staging(self.root)))
            return self._builder
        except OSError as error:
            raise os_error(self.root, error, "write to") from None

    def commit(self, key: str | None = None) -> Committed:
        """Everything since the last commit goes in, whole, or (where the key is there already)
        not at all. On the disk when this returns.

        Raises:
            ArchiveError: it can't be written; nothing went in.
        """
        try:
            return self._commit(key)
        except OSError as error:
            raise os_error(self.root, error, "write to") from None
        finally:
            self.close()

    def _commit(self, key: str | None) -> Committed:
        builder, root = self._builder, self.root
        if builder is None or not builder.games:
            part, folder, ids = None, root, dict[str, str]()
        else:
            part, folder, ids = write_part(root, builder), builder.folder, builder.ids
        done, after = commit_part(root, folder, part, ids, key=key)
        self._keys = frozenset(after.keys)
        return done

    def close(self) -> None:
        """Forget what was not committed; its folder is deleted."""
        self._builder = None
        self._exit.close()

    def __enter__(self) -> ArchiveWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _no_game(error: NotKept) -> ArchiveError:
    return ArchiveError(f"a game can't be archived: {error}")


def _never(game: str) -> bool:
    return False


def commit_part(
    root: Path,
    folder: Path,
    part: Part | None,
    ids: Mapping[str, str],
    *,
    key: str | None = None,
    replaces: Callable[[str], bool] = _never,
) -> tuple[Committed, Catalogue]:
    """Put a part into the list, whole, or not at all where the key is there already; returns the
    list, too.

    Args:
        root: the archive.
        folder: where the part waits, and what has to be written anew is written.
        part: None where there is only a key.
        ids: the digests of its games, by id.
        key: what names the chunk.
        replaces: whether a game takes the place of another one with its id; else it stays out.

    Raises:
        ArchiveError: it can't be written; nothing went in.
    """
    done = Committed()

    def change(before: Catalogue) -> tuple[Catalogue, list[Path]] | None:
        nonlocal done
        if key is not None and key in before.keys:
            done = Committed(repeated=True)
            return None
        found = present(root, before.parts, list(ids))
        other = [game for game, held in found.items() if ids[game] != held.digest]
        out = sorted(game for game in other if replaces(game))
        stay = found.keys() - set(out)
        kept, fresh = take_out(root, folder, before.parts, out)
        mine = part
        if part is not None and stay:
            some = len(stay) < part.games
            mine = merge_parts(folder, folder, [part], sorted(stay)) if some else None
        if mine is not None:
            fresh.append(mine)
        done = Committed(
            added=len(ids) - len(stay),
            events=0 if mine is None else mine.events,
            known=len(found) - len(other),
            clashes={game: found[game].digest for game in sorted(stay.intersection(other))},
            replaced=tuple(out),
        )
        if not fresh and not out and key is None:
            return None
        keys = before.keys if key is None else (*before.keys, key)
        after = msgspec.structs.replace(before, parts=(*kept, *fresh), keys=keys)
        return after, [file for new in fresh for file in staged_files(folder, new)]

    after = commit(root, change)
    merge_small(root)
    return done, after


def take_out(
    root: Path, folder: Path, parts: Sequence[Part], ids: Sequence[str]
) -> tuple[list[Part], list[Part]]:
    """The parts that don't hold some games, and those that do anew without them, in ``folder``."""
    kept: list[Part] = []
    fresh: list[Part] = []
    for part in parts:
        held = present(root, [part], ids)
        if not held:
            kept.append(part)
        elif len(held) < part.games:
            fresh.append(merge_parts(root, folder, [part], sorted(held)))
    return kept, fresh


def merge_small(root: Path) -> None:
    """Make one part of many small ones, if there are and nobody else does; what reads or writes
    meanwhile goes on."""
    if _mergeable(load(root)) is None:
        return
    with merging(root) as mine:
        while mine:
            with staging(root) as folder:
                with reading(root):
                    parts = _mergeable(load(root))
                    if parts is None:
                        return
                    fresh = merge_parts(root, folder, parts, ())
                # Read no more, so that what is replaced can go.
                if not replace_parts(root, parts, [(folder, fresh)]):
                    return


def replace_parts(root: Path, old: Sequence[Part], new: Sequence[tuple[Path, Part]]) -> bool:
    """Put parts, each waiting in its folder, in the place of others with the same games, if they
    are still there."""
    gone = {part.name for part in old}
    done = False

    def change(before: Catalogue) -> tuple[Catalogue, list[Path]] | None:
        nonlocal done
        if not gone <= {part.name for part in before.parts}:
            return None  # somebody else was faster
        done = True
        kept = [part for part in before.parts if part.name not in gone]
        after = msgspec.structs.replace(before, parts=(*kept, *(part for _, part in new)))
        return after, [file for folder, part in new for file in staged_files(folder, part)]

    commit(root, change)
    return done


def _mergeable(catalogue: Catalogue) -> list[Part] | None:
    least = 0
    for most in TIERS:
        parts = [part for part in catalogue.parts if least <= part.events < most]
        if len(parts) >= MERGE:
            return smallest(parts)
        least = most
    return None


def smallest(parts: Sequence[Part]) -> list[Part]:
    """The smallest of some parts, as many as may become one."""
    found: list[Part] = []
    events = 0
    for part in sorted(parts, key=lambda part: (part.events, part.name)):
        events += part.events
        if events > MOST:
            break
        found.append(part)
    return found
