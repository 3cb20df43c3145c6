"""Law 9: any change of a finished game, sealed anew, is found at the right event, or gives a game
that the rules allow. Which it is, an independent referee says (tests/referee)."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import msgspec
import pytest

from tests.laws.games import (
    as_lines,
    engine_verdicts,
    odd_game,
    random_ruleset,
    small_ruleset,
)
from tests.laws.mutations import mutate
from tests.referee.generate import generate, seal_lines
from tests.referee.referee import Verdict, commitment_to, encode, judge

FORMS = ("each", "end")


def told(verdicts: list[Verdict]) -> list[tuple[str, int] | int]:
    """What matters: the games up to the first fault, and its line in the file."""
    found: list[tuple[str, int] | int] = []
    for verdict in verdicts:
        if verdict.verdict == "faulty":
            assert verdict.fault_line is not None
            if found and found[-1] == ("clean", verdict.fault_line - 1):
                # A line behind a finished game: a fault of that game or of none.
                found.pop()
            return [*found, verdict.fault_line]
        found.append((verdict.verdict, verdict.events))
    return found


def agree(data: bytes) -> list[tuple[str, int] | int]:
    """What engine and referee both say of a log."""
    engine, referee = engine_verdicts(data), judge(data)
    assert told(engine) == told(referee), (engine, referee)
    return told(engine)


def game_of(number: int) -> list[dict[str, Any]]:
    """A game that the engine or the referee's generator played, without seals."""
    rng = Random(number)
    ruleset = random_ruleset(rng, small=rng.random() < 0.8) if number % 6 else None
    players = number % 5 + 1
    sealed = rng.random() < 0.4
    if number % 2:
        return as_lines(odd_game(f"s{number}", players, ruleset, choices=number, sealed=sealed))
    rules = None if ruleset is None else json.loads(msgspec.json.encode(ruleset))
    data = generate(f"s{number}", players, "each", sealed, rules, number)
    lines = [json.loads(raw) for raw in data.splitlines()]
    for line in lines:
        del line["h"]
    return lines


@pytest.mark.parametrize("block", range(3))
def test_engine_and_referee_agree(block: int) -> None:
    clean = faulty = 0
    for number in range(block * 10, block * 10 + 10):
        game = game_of(number)
        for form in FORMS:
            assert agree(seal_lines(game, form)) == [("clean", len(game))]
        for change in range(20):
            doctored = mutate(Random(number * 1000 + change), game)
            if not doctored:
                continue
            found = [agree(seal_lines(doctored, form)) for form in FORMS]
            clean += found[0] == [("clean", len(doctored))]
            faulty += isinstance(found[0][-1], int)
    assert clean > 5
    assert faulty > 100


def test_generated_games_replay_clean() -> None:
    """Games of the referee's generator: 1 to 5 players, odd payments, all kinds of rulesets."""
    for number in range(90):
        rng = Random(number)
        ruleset = random_ruleset(rng, small=number % 8 > 0)
        rules = json.loads(msgspec.json.encode(ruleset)) if number % 10 else None
        form: Any = FORMS[number % 2]
        data = generate(f"ő{number}", number % 5 + 1, form, number % 3 == 0, rules, number)
        assert [v.verdict for v in engine_verdicts(data)] == ["clean"], number


def test_engine_games_judge_clean() -> None:
    for number in range(90):
        ruleset = random_ruleset(Random(number), small=number % 8 > 0) if number % 10 else None
        game = odd_game(
            f"ő{number}", number % 5 + 1, ruleset, choices=number, sealed=number % 3 == 0
        )
        data = seal_lines(as_lines(game), FORMS[number % 2])
        assert [v.verdict for v in judge(data)] == ["clean"], number


def test_every_field_of_every_event(subtests: pytest.Subtests) -> None:
    """Every number one more and one less, every card another one, every list cut: one by one."""
    game = as_lines(odd_game("fields", 3, small_ruleset(), choices=5))
    for n, line in enumerate(game[1:], 1):
        with subtests.test(n=n):
            for path, value in _changes(line["ev"]):
                event = json.loads(encode(line["ev"]))
                where = event
                for key in path[:-1]:
                    where = where[key]
                where[path[-1]] = value
                doctored = [*game[:n], {"n": n, "ev": event}, *game[n + 1 :]]
                found = agree(seal_lines(doctored, "end"))
                # At the event itself, or where what follows no longer fits, or allowed.
                assert found == [("clean", len(game))] or found[0] >= n + 1  # type: ignore[operator]


def _changes(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[tuple[Any, ...], Any]]:
    changes: list[tuple[tuple[Any, ...], Any]] = []
    if isinstance(value, dict):
        for key, item in value.items():
            changes += _changes(item, (*path, key))
    elif isinstance(value, list):
        changes += [(path, value[1:]), (path, [*value, *value[:1]]), (path, value[::-1])]
        for place, item in enumerate(value):
            changes += _changes(item, (*path, place))
    elif isinstance(value, int):
        changes += [(path, value + 1), (path, value - 1)]
    elif isinstance(value, str) and len(value) == 2:
        changes += [(path, "R1"), (path, "WW"), (path, "C2")]
    return [change for change in changes if change[0]]


def test_a_long_seed_that_keeps_its_commitment_is_a_fault() -> None:
    """A sealed game that reveals what may not be a seed: told, not raised."""
    for seed in ("s" * 129, "", "a\nb"):
        game = as_lines(odd_game("s", 2, small_ruleset(), sealed=True))
        game[0]["ev"]["commitment"] = commitment_to(seed)
        game[-1]["ev"]["seed"] = seed
        for form in FORMS:
            assert agree(seal_lines(game, form)) == [len(game)]
