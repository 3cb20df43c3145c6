"""Two games side by side: where they part, and what it led to.

Games are compared by their events. Metadata and seals are looked at too, but no difference in them
makes two games different (FORMAT 2). What a log says is not believed: each side is judged, and
compared as far as it holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import UNSET

from tenlog.errors import LogError, SetupError
from tenlog.game.decision import decision_of
from tenlog.game.events import CardDrawn, Event, GameStarted
from tenlog.game.evolve import fold
from tenlog.game.state import State
from tenlog.log.pairs import Waiting, pair_games
from tenlog.log.read import Fault, GameLog, read_games
from tenlog.log.replay import Replay, replay
from tenlog.table import Table, table_of

Field = Literal["game", "rules", "players", "seed", "sealed", "commitment"]
Meta = Literal["at", "bots", "from", "seals"]
Kind = Literal["setup", "decision", "card", "consequence", "end", "fault"]


class Side(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One of the two games: ``events`` are those that hold; ``torn`` bytes of an uncommitted tail
    and what follows a fault are not compared."""

    file: str
    game: str | None
    events: int
    finished: bool
    torn: int
    fault: str | None
    winners: tuple[int, ...]
    end: Table | None


class SetUp(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A field of GameStarted that differs, as text."""

    field: Field
    a: str
    b: str


class Parting(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where two games part.

    Attributes:
        n: the first event that differs.
        kind: ``decision``: somebody decided otherwise; ``card``: the decks differ;
            ``consequence``: another event followed by itself; ``end``: one log ends here;
            ``fault``: one log is broken here; ``setup``: the games can't be laid side by side.
        seat: who decided, if the difference is a decision.
        before: the table that both shared just before; None if they shared none.
        a, b: what happened instead, with all that it entailed; empty where a log ends.
    """

    n: int
    kind: Kind
    seat: int | None
    before: Table | None
    a: tuple[Event, ...]
    b: tuple[Event, ...]


class Change(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """By how much a seat stands higher in b than in a, where each of them ends."""

    seat: int
    points: int
    tokens: int
    busts: int
    cards: int


class Tables(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Both tables after the same event; None where a log has no such event."""

    n: int
    a: Table | None
    b: Table | None


class GameDiff(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Two games compared. ``same``: all events are equal, byte for byte; ``shared``: how many
    events are equal from the start on (GameStarted counts if players and ruleset agree)."""

    same: bool
    a: Side
    b: Side
    setup: tuple[SetUp, ...]
    metadata: tuple[Meta, ...]
    shared: int
    parting: Parting | None
    changes: tuple[Change, ...]
    tables: Tables | None = None


class DiffReport(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Two files compared; ``only_a`` and ``only_b``: ids of games that the other one lacks."""

    same: bool
    games: tuple[GameDiff, ...]
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]


def diff_files(a: str | Path, b: str | Path, at: int | None = None) -> DiffReport:
    """Compare the games of two logs.

    If each holds exactly one game, these are compared, whatever their ids; else games with the
    same id are. ``at``: show both tables after this event, too.

    Raises:
        LogError: a file cannot be read, or has no game in it.
        SetupError: no game that is compared has the event ``at``.
    """
    games: list[GameDiff] = []
    with Waiting() as only_a, Waiting() as only_b:
        for one, other in pair_games(read_games(a), read_games(b), only_a, only_b):
            games.append(diff_games(one, other, str(a), str(b), at))
        missing = tuple(only_a.labels()), tuple(only_b.labels())
    for path, labels in zip((a, b), missing, strict=True):
        if not games and not labels:
            raise LogError(f"{path} has no game in it")
    if at is not None and games and not any(_has_table(game) for game in games):
        last = max(max(game.a.events, game.b.events) for game in games) - 1
        raise SetupError(f"no event {at}: the games have 0 to {last}")
    same = not any(missing) and all(game.same for game in games)
    return DiffReport(same, tuple(games), *missing)


def _has_table(game: GameDiff) -> bool:
    """Whether one of two games goes as far as the event that was asked for."""
    tables = game.tables
    return tables is not None and (tables.a is not None or tables.b is not None)


def diff_games(
    a: GameLog, b: GameLog, file_a: str = "a", file_b: str = "b", at: int | None = None
) -> GameDiff:
    """Compare two games as they were read; never raises for anything that stands in them."""
    one, other = replay(a), replay(b)
    setup = _setup(one.events, other.events)
    parting = _parting(one, other, setup)
    sides = _side(a, one, file_a), _side(b, other, file_b)
    shared = parting.n if parting is not None else len(one.events)
    return GameDiff(
        same=not setup and parting is None,
        a=sides[0],
        b=sides[1],
        setup=setup,
        metadata=_metadata(a, b),
        shared=shared,
        parting=parting,
        changes=_changes(sides[0].end, sides[1].end) if parting is not None else (),
        tables=None if at is None else Tables(at, _at(one.events, at), _at(other.events, at)),
    )


def _side(log: GameLog, found: Replay, file: str) -> Side:
    state = found.state
    return Side(
        file=file,
        game=log.game,
        events=len(found.events),
        finished=found.fault is None and log.finished,
        torn=len(log.tail) if found.fault is None else 0,
        fault=None if found.fault is None else fault_text(found.fault),
        winners=() if state is None else state.winners,
        end=None if state is None else table_of(state),
    )


def fault_text(fault: Fault) -> str:
    """A fault in one sentence."""
    return f"line {fault.line} (event {fault.event}): {fault.message}"


def _setup(a: list[Event], b: list[Event]) -> tuple[SetUp, ...]:
    if not a or not b:
        return ()
    one, other = a[0], b[0]
    assert isinstance(one, GameStarted)
    assert isinstance(other, GameStarted)
    found: list[SetUp] = []
    if one.seed is not None and other.seed is not None:
        if one.seed != other.seed:
            found.append(SetUp("seed", one.seed, other.seed))
    elif one.commitment != other.commitment:
        found.append(SetUp("commitment", one.commitment, other.commitment))
    if (one.seed is None) != (other.seed is None):
        found.append(SetUp("sealed", _yes(one.seed is None), _yes(other.seed is None)))
    if one.rules != other.rules:
        found.append(SetUp("rules", *_rules_texts(one, other)))
    if one.players != other.players:
        found.append(SetUp("players", ", ".join(one.players), ", ".join(other.players)))
    if one.game != other.game:
        found.append(SetUp("game", one.game, other.game))
    return tuple(found)


def _yes(sealed: bool) -> str:
    return "sealed" if sealed else "open"


def _rules_texts(a: GameStarted, b: GameStarted) -> tuple[str, str]:
    """The rulesets by name, or by the fields that differ if the names do not."""
    from tenlog.game.ruleset import rules_for

    one = rules_for(a.rules, len(a.players)).ruleset
    other = rules_for(b.rules, len(b.players)).ruleset
    if one.name != other.name:
        return one.name, other.name
    fields = [f for f in one.__struct_fields__ if getattr(one, f) != getattr(other, f)]
    if not fields:
        return f"{one.name} ({_embedded(a)})", f"{other.name} ({_embedded(b)})"
    return (
        "; ".join(f"{f} {_short(getattr(one, f))}" for f in fields),
        "; ".join(f"{f} {_short(getattr(other, f))}" for f in fields),
    )


def _embedded(start: GameStarted) -> str:
    return "by name" if isinstance(start.rules, str) else "written out"


def _short(value: object) -> str:
    text = msgspec.json.encode(value).decode().replace('"', "")
    return text if len(text) <= 60 else text[:59] + "…"


def _comparable(a: Sequence[Event], b: Sequence[Event]) -> bool:
    """Whether the tables of two games can be laid side by side at all."""
    if not a or not b:
        return False
    one, other = a[0], b[0]
    assert isinstance(one, GameStarted)
    assert isinstance(other, GameStarted)
    return one.rules == other.rules and len(one.players) == len(other.players)


def _parting(a: Replay, b: Replay, setup: tuple[SetUp, ...]) -> Parting | None:
    one, other = a.events, b.events
    if not one or not other:
        return Parting(0, "fault", None, None, (), ())
    if not _comparable(one, other):
        return Parting(0, "setup", None, None, (), ())
    least = min(len(one), len(other))
    n = next((i for i in range(1, least) if one[i] != other[i]), least)
    broken = a.fault is not None or b.fault is not None
    if n == len(one) == len(other) and not broken:
        return None
    mine, theirs = _with_consequences(one, n), _with_consequences(other, n)
    seat = None
    kind: Kind
    if not mine or not theirs:
        kind = "fault" if broken else "end"
    else:
        decided, instead = decision_of(mine[0]), decision_of(theirs[0])
        if isinstance(mine[0], CardDrawn) and isinstance(theirs[0], CardDrawn):
            kind = "card"
        elif decided is None or instead is None:
            kind = "consequence"
        else:
            kind, seat = "decision", decided.seat
    return Parting(n, kind, seat, table_of(fold(one[:n])), mine, theirs)


def _with_consequences(events: list[Event], n: int) -> tuple[Event, ...]:
    """The event n, and what followed from it without another decision."""
    end = n + 1
    while end < len(events) and decision_of(events[end]) is None:
        end += 1
    return tuple(events[n:end])


def _metadata(a: GameLog, b: GameLog) -> tuple[Meta, ...]:
    found: list[Meta] = []
    one, other = a.lines, b.lines
    pairs = list(zip(one, other, strict=False))
    if any(x.at != y.at for x, y in pairs):
        found.append("at")
    if one and other and _said(one[0].bots) != _said(other[0].bots):
        found.append("bots")
    if one and other and _said(one[0].origin) != _said(other[0].origin):
        found.append("from")
    if any(x.h != y.h for x, y in pairs):
        found.append("seals")
    return tuple(found)


def _said(value: object) -> object:
    return None if value is UNSET else value


def _changes(a: Table | None, b: Table | None) -> tuple[Change, ...]:
    if a is None or b is None or len(a.seats) != len(b.seats):
        return ()
    return tuple(
        Change(
            one.seat,
            other.points - one.points,
            other.tokens - one.tokens,
            other.busts - one.busts,
            len(other.cards) - len(one.cards),
        )
        for one, other in zip(a.seats, b.seats, strict=True)
    )


def _at(events: list[Event], n: int) -> Table | None:
    if not 0 <= n < len(events):
        return None
    state: State = fold(events[: n + 1])
    return table_of(state)
