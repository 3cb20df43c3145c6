"""What was agreed upon or noted before: the ruleset of a game, a seal in the midst of it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from tenlog.audit import Finding, Judged, Settings, Verdict, audit
from tenlog.bots.registry import make_bot
from tenlog.bots.table import play_game
from tenlog.errors import TenlogError
from tenlog.game.decide import final_scores, winners
from tenlog.game.events import Event, GameFinished
from tenlog.game.evolve import fold
from tenlog.game.ruleset import Ruleset, find_ruleset
from tenlog.log.store import create_log, encode_game
from tenlog.play.session import start_event
from tests.support import ROOT, run_cli

OWN = msgspec.structs.replace(find_ruleset("ten/1"), name="ten/1x", full_run_bonus=5)


def events_by(rules: str | Ruleset, game: str = "g", sealed: bool = False) -> list[Event]:
    """A game, scored by a ruleset. The bots don't know of its bonus."""
    start = start_event(["a", "b"], "5", game=game)
    events, _ = play_game(start, "5", [make_bot("random")] * 2)
    events[0] = msgspec.structs.replace(start, rules=rules, seed=None if sealed else start.seed)
    state = fold(events[:-1])
    scores = final_scores(state)
    events[-1] = GameFinished(scores, winners(state, scores), "5")
    return events


def one(found: list[Finding]) -> Judged:
    (judged,) = found
    assert isinstance(judged, Judged)
    return judged


def code(judged: Judged) -> str | None:
    return judged.faults[0].code if judged.faults else None


# --- rulesets ------------------------------------------------------------------------------------


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "own.jsonl"
    path.write_bytes(encode_game(events_by(OWN)))
    return path


@pytest.fixture
def usual(tmp_path: Path) -> Path:
    path = tmp_path / "usual.jsonl"
    path.write_bytes(encode_game(events_by("ten/1", "h")))
    return path


def test_the_ruleset_is_told(own: Path, usual: Path) -> None:
    judged = one(list(audit([str(own)])))
    assert (judged.verdict, judged.ruleset, judged.rules) == ("clean", "ten/1x", OWN)
    assert one(list(audit([str(usual)]))).rules == "ten/1"
    assert one(list(audit([str(own)], Settings("seals")))).ruleset is None
    done = run_cli("audit", own, usual, "--json")
    rulesets = [msgspec.json.decode(x, type=Verdict).ruleset for x in done.stdout.splitlines()]
    assert rulesets == ["ten/1x", "ten/1"]
    done = run_cli("audit", own, usual)
    assert done.returncode == 0
    assert b"2 clean; 1 by a ruleset of its own: ten/1x" in done.stdout
    done = run_cli("audit", "-v", own, usual)
    assert b"ten/1x, a ruleset of its own" in b" ".join(done.stdout.split())


def test_a_shipped_ruleset_that_is_spelt_out_is_none_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "spelt.jsonl"
    path.write_bytes(encode_game(events_by(find_ruleset("ten/1"))))
    assert one(list(audit([str(path)], rules=["ten/1"]))).verdict == "clean"
    assert b"of its own" not in run_cli("audit", path).stdout


def test_many_rulesets_are_not_all_named(tmp_path: Path) -> None:
    path = tmp_path / "many.jsonl"
    games = [
        encode_game(events_by(msgspec.structs.replace(OWN, name=f"own{i}"), f"g{i}"))
        for i in range(5)
    ]
    path.write_bytes(b"".join(games))
    said = b" ".join(run_cli("audit", path).stdout.split())
    assert b"5 by rulesets of their own: own0, own1, own2 \xe2\x80\xa6" in said


def test_a_ruleset_is_demanded(own: Path, usual: Path, tmp_path: Path) -> None:
    judged = one(list(audit([str(own)], rules=["ten/1"])))
    assert (judged.verdict, code(judged)) == ("faulty", "other-rules")
    assert judged.faults[0].message == "the ruleset must be ten/1: it is ten/1x, its own"
    assert one(list(audit([str(own)], rules=["ten/1", OWN]))).verdict == "clean"
    namesake = msgspec.structs.replace(OWN, bust_limit=11)
    judged = one(list(audit([str(own)], rules=[namesake])))
    assert "another one of this name" in judged.faults[0].message
    assert code(one(list(audit([str(usual)], rules=[OWN])))) == "other-rules"

    done = run_cli("audit", own, usual, "--rules", "ten/1")
    assert done.returncode == 1
    assert b"1 clean, 1 faulty" in done.stdout
    file = tmp_path / "own.json"
    file.write_bytes(msgspec.json.encode(OWN))
    assert run_cli("audit", own, usual, "--rules", "ten/1", "--rules", file).returncode == 0
    assert run_cli("audit", own, "--rules", "ten/1", "--seals-only").returncode == 2
    assert run_cli("audit", own, "--rules", "no-such").returncode == 2


def test_the_page_says_that_a_ruleset_is_its_own(own: Path, usual: Path) -> None:
    said = b"By a ruleset that the log brings along, ten/1x: a run 1 to 9 is 5 more."
    assert said in run_cli("replay", own, "--html", "-").stdout
    assert b"brings along" not in run_cli("replay", usual, "--html", "-").stdout


# --- noted seals ---------------------------------------------------------------------------------


@pytest.fixture
def played(tmp_path: Path) -> tuple[Path, str, str]:
    """A sealed game that was played event by event, the seal of its first line, and one later."""
    path = tmp_path / "played.jsonl"
    events = events_by("ten/1", "p", sealed=True)
    with create_log(path, events[:1], seed="5") as log:
        first = log.seal
        log.append(events[1:40])
        later = log.seal
        log.append(events[40:])
    return path, first, later


def test_a_noted_seal_is_kept_by_what_follows(played: tuple[Path, str, str]) -> None:
    path, first, later = played
    last = one(list(audit([str(path)]))).seal
    for level in ("full", "seals"):
        settings = Settings(level)
        for seal in (first, later, last, f"p={first}", f"p={later}"):
            found = one(list(audit([str(path)], settings, noted=[seal])))
            assert (found.verdict, found.faults) == ("clean", ())
    assert run_cli("audit", path, "--noted", first, "--noted", f"p={later}").returncode == 0


def test_a_noted_seal_that_a_game_does_not_have(played: tuple[Path, str, str], usual: Path) -> None:
    path, first, _ = played
    other = [str(usual)]
    absent = list(audit(other, noted=[first]))[1]
    assert isinstance(absent, Judged)
    assert (code(absent), absent.absent) == ("seal-absent", True)
    judged = one(list(audit(other, noted=[f"h={first}"])))
    assert (judged.verdict, code(judged)) == ("faulty", "seal-not-passed")
    absent = list(audit(other, noted=[f"p={first}"]))[1]
    assert isinstance(absent, Judged)
    assert (absent.game, code(absent)) == ("p", "seal-absent")
    # Sealed anew from the start, with everything that the rules decide as it should be.
    events = events_by("ten/1", "p", sealed=True)
    events[0] = msgspec.structs.replace(events[0], players=("b", "a"))
    path.write_bytes(encode_game(events))
    assert one(list(audit([str(path)]))).verdict == "clean"
    assert code(one(list(audit([str(path)], noted=[f"p={first}"])))) == "seal-not-passed"
    done = run_cli("audit", path, "--noted", first)
    assert done.returncode == 1
    assert b"no game has the seal" in done.stdout
    with pytest.raises(TenlogError, match="a seal is 32 hex digits"):
        audit([str(path)], noted=["abc"])


def test_a_name_that_looks_like_a_seal_is_none(tmp_path: Path) -> None:
    seal = "0123456789abcdef" * 2
    events = events_by("ten/1")
    events[0] = msgspec.structs.replace(events[0], players=("a", f'","h":"{seal[:20]}'))
    path = tmp_path / "name.jsonl"
    path.write_bytes(encode_game(events))
    found = list(audit([str(path)], noted=[seal]))
    assert isinstance(found[0], Judged)
    assert found[0].verdict == "clean"
    assert len(found) == 2


# --- what the shell puts for <(…) ----------------------------------------------------------------


@pytest.mark.parametrize("command", ["audit", "archive add"])
def test_logs_that_the_shell_hands_over(
    command: str, own: Path, usual: Path, tmp_path: Path
) -> None:
    env = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "cli")]),
        "TENLOG_HOME": str(tmp_path / "home"),
    }
    line = f"{sys.executable} -m tenlog {command} -j 2 <(cat {own}) <(cat {usual}) {own}"
    done = subprocess.run(
        ["bash", "-c", line], capture_output=True, env=env, check=False, timeout=120
    )
    assert done.stderr.count(b"no file") == 0
    assert done.returncode == 0
    assert (b"3 games in 3 files" if command == "audit" else b"2 games added") in done.stdout
