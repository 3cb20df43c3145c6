"""What bots would decide today, asked again at every decision of a game that was played.

The table at each decision is the one of the log, so that one other decision does not hide those
after it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from tenlog.bots.seats import Seats
from tenlog.bots.spec import parse_spec
from tenlog.errors import BotError, LogError, SetupError
from tenlog.game.commands import Command
from tenlog.game.decision import decision_of
from tenlog.game.evolve import apply
from tenlog.game.state import start_state
from tenlog.log.read import GameLog, no_game, read_games
from tenlog.log.replay import known_seed, replay_strictly
from tenlog.log.store import read_seed
from tenlog.shuffle import commitment
from tenlog.table import Table, table_of


class Rethought(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A decision that the bot would make otherwise: at event ``n`` the log has ``logged``, and
    ``now`` is what the bot decides at the same table, ``before``."""

    n: int
    seat: int
    logged: Command
    now: Command
    before: Table


class SeatCount(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A seat that was asked: how many decisions it made, and how many the bot would make
    otherwise. ``forfeits``: how often a program gave no usable answer."""

    seat: int
    name: str
    bot: str
    decisions: int
    otherwise: int
    forfeits: int


class RethinkReport(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A game's bots asked again. ``same``: all of them decide as the log has it."""

    same: bool
    file: str
    game: str
    seats: tuple[SeatCount, ...]
    otherwise: tuple[Rethought, ...]


def rethink_file(
    path: str | Path,
    game: str | None = None,
    bots: Mapping[int, str] | None = None,
    *,
    foreign: bool = False,
) -> Iterator[RethinkReport]:
    """Ask the bots of the games of a log again, one game after another.

    Args:
        path: the log.
        game: only the game with this id.
        bots: who decides, by seat; the log's own bots if left out.
        foreign: also run programs and Python objects that the log itself names.

    Raises:
        LogError: it can't be read, has a fault, or a seed that is needed is not here.
        BotError, SetupError: there is no bot to ask, or it can't be made or fails.
    """
    found = False
    for log in read_games(path):
        if game is None or log.game == game:
            found = True
            yield rethink(log, path, bots, foreign=foreign)
    if not found:
        raise no_game(path, game)


def rethink(
    log: GameLog,
    path: str | Path,
    bots: Mapping[int, str] | None = None,
    *,
    foreign: bool = False,
) -> RethinkReport:
    """:func:`rethink_file` for one game as it was read."""
    found = replay_strictly(log, path)
    start = log.start
    assert start is not None
    seed = known_seed(start, found.events[-1])
    if seed is None:
        seed = None if str(path) == "-" else read_seed(Path(path))
        if seed is None or commitment(seed) != start.commitment:
            raise LogError(f"{path}: the game is sealed, and its seed is not here: bots need it")
    specs = _specs(log, path, bots, foreign)
    state = start_state(start)
    decisions = [0] * len(specs)
    changed = [0] * len(specs)
    otherwise: list[Rethought] = []
    with Seats(specs) as seats:
        seats.start(seed, state)
        for event in found.events[1:]:
            logged = decision_of(event)
            if logged is not None and seats.is_bot(logged.seat):
                decisions[logged.seat] += 1
                now = seats.decide(state)
                if now != logged:
                    changed[logged.seat] += 1
                    otherwise.append(Rethought(state.n, logged.seat, logged, now, table_of(state)))
            apply(state, event)
        seats.end(state)
        forfeits = [forfeit.seat for forfeit in seats.forfeits]
    counts = tuple(
        SeatCount(
            seat, state.players[seat], spec, decisions[seat], changed[seat], forfeits.count(seat)
        )
        for seat, spec in enumerate(specs)
        if spec is not None
    )
    return RethinkReport(not otherwise, str(path), state.game, counts, tuple(otherwise))


def _specs(
    log: GameLog, path: str | Path, bots: Mapping[int, str] | None, foreign: bool
) -> list[str | None]:
    start = log.start
    assert start is not None
    seats = len(start.players)
    if bots:
        for seat in bots:
            if not 0 <= seat < seats:
                raise SetupError(f"there is no seat {seat}: {path} has seats 0 to {seats - 1}")
        return [bots.get(seat) for seat in range(seats)]
    specs = list(log.bots)
    if not any(specs):
        raise SetupError(
            f"{path} names no bots: say who is to decide, such as --bot 0=greedy --bot 2=random"
        )
    for spec in specs:
        if spec is not None and parse_spec(spec).foreign and not foreign:
            raise BotError(
                f"{path}: the log names the bot {spec!r}, which would run code of its own; look at "
                "it, and allow it if you trust it"
            )
    return specs
