"""Going on after the first fault of a game, wherever that still means something.

Lines and seals are looked at to the end: a broken line hides none of the others, and a seal is
held against the one that stands before it, right or not. Events are judged on against the table as
the rules and the deck make it: where it is clear what should have stood there (a draw, a gain, a
seat, whatever follows without a decision), that is folded in its place; what has no such
counterpart is left out. Where that fails several times in a row, the table means nothing any more.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec
from msgspec import UNSET

from tenlog.game.decide import forced, numbers_in, others_gain, own_gain
from tenlog.game.events import (
    CardBought,
    CardDrawn,
    CurrencyTaken,
    Event,
    GameFinished,
    GameStarted,
    NumbersTaken,
)
from tenlog.game.evolve import apply
from tenlog.game.judge import Judge
from tenlog.game.legal import Refusal
from tenlog.game.start import check_start
from tenlog.log.codec import NO_SEAL, SEAL_KEY, CodecError, Line, decode_line, seal_of
from tenlog.log.read import Fault, GameLog
from tenlog.log.replay import known_seed

MAX_FAULTS: Final = 100  # of one game that are told
_LOST: Final = 3  # events in a row that fit nowhere: the table means nothing any more


def further_faults(log: GameLog, first: Fault, without_deck: bool = False) -> tuple[Fault, ...]:
    """The first fault of a game and what can be told of those after it, in order."""
    if log.text.too_long is not None or not log.text.data:
        return (first,)
    later: dict[int, Fault] = {}
    lines: list[Line] = []
    whole = True  # no line was lost so far
    for i, (line, fault) in enumerate(_lines(log)):
        if fault is not None and fault.event > first.event:
            later.setdefault(fault.event, fault)
        if line is None:
            whole = False
        elif whole:
            lines.append(line)
        if len(later) >= MAX_FAULTS or i > MAX_FAULTS * 1000:
            break
    for fault in _events(log, lines, without_deck):
        if fault.event > first.event:
            later.setdefault(fault.event, fault)
        if len(later) >= 2 * MAX_FAULTS:
            break
    return (first, *[later[n] for n in sorted(later)][: MAX_FAULTS - 1])


def _lines(log: GameLog) -> Iterator[tuple[Line | None, Fault | None]]:
    """Each whole line of a game, or None where it is broken, with what is wrong with it."""
    text = log.text
    data = text.data
    seal = NO_SEAL
    sealed = start = i = 0
    n = 0
    while start < len(data):
        stop = data.find(b"\n", start)
        if stop < 0:
            if SEAL_KEY not in data[start:]:
                return  # a torn last line
            stop = len(data)
        raw = data[start:stop]
        fault: Fault | None = None

        def at(code: str, message: str, i: int = i, start: int = start) -> Fault:
            return Fault(code, "FORMAT 2", message, i, text.line + i, text.offset + start)

        line: Line | None = None
        try:
            line = decode_line(raw)
        except CodecError as error:
            fault = at(error.code, str(error))
        key = data.rfind(SEAL_KEY, start, stop)
        if line is not None and line.n != n:
            fault = at("bad-sequence", f"n {n} is due, not {line.n}")
            n = line.n
        if line is not None and line.h is not UNSET:
            due = seal_of(seal, data[sealed:key])
            if due != line.h:
                fault = fault or at(
                    "bad-seal",
                    f"with the seal before it, the seal over these bytes is {due}, not {line.h}",
                )
        if key >= 0:
            stated = data[key + len(SEAL_KEY) : key + len(SEAL_KEY) + 32]
            seal = stated.decode(errors="replace")
            sealed = stop + 1
        yield line, fault
        start = stop + 1
        i += 1
        n += 1


def _events(log: GameLog, lines: list[Line], without_deck: bool) -> Iterator[Fault]:
    """What the rules say of the events, as long as the table means anything."""
    start = lines[0].ev if lines else None
    if not isinstance(start, GameStarted) or check_start(start) is not None:
        return
    seed = known_seed(start, lines[-1].ev)
    judge = Judge(start, seed, with_deck=not without_deck)
    lost = 0
    for i, line in enumerate(lines[1:], 1):
        refused = judge.see(line.ev)
        if refused is None:
            lost = 0
            continue
        yield log.at_event(i, refused.code, refused.rule, refused.message)
        if _mend(judge, line.ev, refused):
            lost = 0
            continue
        lost += 1
        if lost == _LOST:
            return


def _mend(judge: Judge, event: Event, refused: Refusal) -> bool:
    """Fold what should have stood there; False if nobody can tell."""
    state = judge.state
    seed = event.seed if isinstance(event, GameFinished) else None
    due = forced(state, seed)
    while due is not None:
        apply(state, due)
        if type(due) is type(event):
            return True  # the same with something else in it
        if judge.see(event) is None:
            return True  # one was left out before it
        due = forced(state, seed)
    right = _righted(judge, event, refused)
    return right is not None and judge.see(right) is None


def _righted(judge: Judge, event: Event, refused: Refusal) -> Event | None:
    """The decision as it should have been written down, if that is clear."""
    state = judge.state
    replace = msgspec.structs.replace
    if refused.code == "wrong-seat":
        return replace(event, seat=state.to_act)
    if isinstance(event, CardDrawn) and refused.code == "wrong-card" and judge.deck is not None:
        return replace(event, card=judge.deck.cards[state.drawn])
    if isinstance(event, NumbersTaken) and refused.code in ("wrong-cards", "wrong-gains"):
        return replace(event, cards=numbers_in(state.tableau), gains=others_gain(state))
    if isinstance(event, CurrencyTaken) and refused.code in ("wrong-cards", "wrong-gains"):
        return replace(event, cards=numbers_in(state.tableau), tokens=own_gain(state))
    if isinstance(event, CardBought) and refused.code == "wrong-price":
        return replace(event, price=int(event.card[1]))
    return None
