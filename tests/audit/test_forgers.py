"""A forger who seals a changed log anew is caught by the rules or the deck, and the audit says the
same of thousands of games as the referee, which shares no code with it."""

from __future__ import annotations

from pathlib import Path
from random import Random

import msgspec
import pytest

from tenlog.audit import Judged, Settings, Verdict, audit
from tenlog.log.store import encode_game
from tests.audit.forgers import Events, events_of, forge, sealed
from tests.laws.games import odd_game, random_ruleset, small_ruleset
from tests.referee.generate import generate
from tests.referee.referee import Verdict as Theirs
from tests.referee.referee import judge as referee_judges
from tests.support import run_cli


def honest(rng: Random, i: int) -> Events:
    """A game by the referee's generator or by the engine, mostly by short rulesets."""
    players = rng.randint(1, 4)
    secret = rng.random() < 0.3
    if i % 2:
        rules = None if i % 21 == 0 else small_ruleset()
        if i % 4 == 3:
            rules = random_ruleset(rng, small=True)
        return events_of(
            encode_game(odd_game(f"{i}", players, rules, choices=i, sealed=secret, game=f"g{i}"))
        )
    small = msgspec.json.decode(msgspec.json.encode(small_ruleset()))
    table = None if i % 20 == 0 else small
    return events_of(generate(f"{i}", players, "end", secret, table, choice_seed=i))


def write(path: Path, games: list[bytes]) -> None:
    path.write_bytes(b"".join(games))


def judged(path: Path, jobs: int = 1) -> list[Judged]:
    found = list(audit([str(path)], jobs=jobs))
    games = [game for game in found if isinstance(game, Judged)]
    assert len(games) == len(found)
    return games


def same(ours: Judged, theirs: Theirs) -> bool:
    place = ours.faults[0].event if ours.faults else None
    where = theirs.fault_event if theirs.verdict == "faulty" else None
    return (ours.verdict, ours.events, place) == (theirs.verdict, theirs.events, where)


def test_honest_games_are_clean(tmp_path: Path) -> None:
    rng = Random(1)
    games = [sealed(honest(rng, i), rng) for i in range(120)]
    write(tmp_path / "a.jsonl", games)
    assert {game.verdict for game in judged(tmp_path / "a.jsonl")} == {"clean"}


@pytest.mark.parametrize("part", range(4))
def test_forged_games_are_found_where_they_were_changed(tmp_path: Path, part: int) -> None:
    rng = Random(100 + part)
    path = tmp_path / "forged.jsonl"
    places, games = [], []
    for i in range(45):
        events = honest(rng, 1000 * part + i)
        for _ in range(12):
            place, forged = forge(rng, events)
            places.append(place)
            games.append(sealed(forged, rng))
    write(path, games)
    ours = judged(path)
    theirs = referee_judges(path.read_bytes())
    assert len(ours) == len(theirs) == len(games)
    legal = 0
    for place, game, other, data in zip(places, ours, theirs, games, strict=True):
        assert same(game, other), (game, other, data)
        if game.verdict == "faulty":
            assert game.faults[0].event >= place
        else:
            legal += 1
    # Most changes are found; what is left is another legal game, as the referee says too.
    assert legal < len(games) / 4


def test_the_command_says_the_same(tmp_path: Path) -> None:
    rng = Random(7)
    for i in range(30):
        _, forged = forge(rng, honest(rng, i))
        write(tmp_path / f"{i:02}.jsonl", [sealed(forged, rng), sealed(honest(rng, i), rng)])
    done = run_cli("audit", tmp_path, "--json", "--jobs", "2")
    assert done.stderr == b""
    lines = [msgspec.json.decode(line, type=Verdict) for line in done.stdout.splitlines()]
    found = [item for item in audit([str(tmp_path)]) if isinstance(item, Judged)]
    assert lines == [line for game in found for line in game.lines()]
    assert done.returncode == 1
    for path in sorted(tmp_path.iterdir()):
        theirs = referee_judges(path.read_bytes())
        ours = [game for game in found if game.file == str(path)]
        assert all(same(a, b) for a, b in zip(ours, theirs, strict=True))


def test_without_the_deck_a_legal_other_draw_passes_and_nothing_else(tmp_path: Path) -> None:
    """Two draws that change places are found by the deck only."""
    events = events_of(encode_game(odd_game("5", 2, small_ruleset(), choices=5)))
    draws = [n for n, event in enumerate(events) if event["type"] == "CardDrawn"]
    for n in draws:
        if n + 1 in draws and events[n]["card"] != events[n + 1]["card"]:
            cards = events[n]["card"], events[n + 1]["card"]
            events[n + 1]["card"], events[n]["card"] = cards
            break
    write(tmp_path / "a.jsonl", [sealed(events, Random(0))])
    (game,) = judged(tmp_path / "a.jsonl")
    assert (game.faults[0].code, game.faults[0].event) == ("wrong-card", n)
    (free,) = audit([str(tmp_path / "a.jsonl")], Settings(level="no-seed"))
    assert isinstance(free, Judged)
    assert not free.deck_known
    assert not free.faults or free.faults[0].code != "wrong-card"
    assert free.events > game.events
