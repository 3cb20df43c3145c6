"""Two games side by side, and bots asked again."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from tenlog.diff import diff_files
from tenlog.errors import BotError, LogError, SetupError
from tenlog.game.cards import CARDS
from tenlog.game.decide import Deck, advance
from tenlog.game.decision import decision_of
from tenlog.game.events import Event, GameStarted
from tenlog.game.evolve import fold
from tenlog.game.legal import legal
from tenlog.game.ruleset import ruleset_from
from tenlog.game.state import OVER
from tenlog.log.codec import Origin
from tenlog.log.read import read_one
from tenlog.log.store import create_log, encode_game
from tenlog.play.branch import make_branch
from tenlog.play.session import resume_session
from tenlog.rethink import rethink_file
from tests.support import ROOT, play_game, run_cli


def save(path: Path, *games: Sequence[Event], bots: Sequence[str | None] | None = None) -> Path:
    path.write_bytes(b"".join(encode_game(events, bots=bots) for events in games))
    return path


def other_course(events: list[Event], n: int, game: str | None = None) -> list[Event]:
    """The same game up to event n, another decision there, and whatever then comes first."""
    start = events[0]
    assert isinstance(start, GameStarted)
    seed = start.seed
    assert seed is not None
    if game is not None:
        start = msgspec.structs.replace(start, game=game)
    made: list[Event] = [start, *events[1:n]]
    state = fold(made)
    deck = Deck(state.rules, seed)
    wanted = next(c for c in legal(state) if c != decision_of(events[n]))
    advance(state, wanted, deck, made)
    while state.phase is not OVER:
        advance(state, legal(state)[-1], deck, made)
    return made


def choices(events: list[Event]) -> list[int]:
    """Events at which there was something else to decide."""
    return [
        n
        for n in range(1, len(events))
        if decision_of(events[n]) is not None and len(legal(fold(events[:n]))) > 1
    ]


def test_the_first_other_decision_is_found(tmp_path: Path) -> None:
    events, _ = play_game("d", 3)
    a = save(tmp_path / "a.jsonl", events)
    for n in choices(events)[::9]:
        b = save(tmp_path / "b.jsonl", other_course(events, n))
        report = diff_files(a, b)
        (game,) = report.games
        assert not report.same
        assert game.parting is not None
        assert (game.parting.n, game.shared, game.parting.kind) == (n, n, "decision")
        assert game.setup == ()
        before = fold(events[:n])
        assert game.parting.seat == before.to_act
        table = game.parting.before
        assert table is not None
        assert table.n == n - 1
        assert [seat.tokens for seat in table.seats] == list(before.tokens)
        assert table.tableau == tuple(CARDS[kind] for kind in before.tableau)
        assert game.parting.a[0] == events[n]
        assert all(decision_of(event) is None for event in game.parting.a[1:])
        assert game.a.end is not None
        assert game.b.end is not None
        ends = zip(game.changes, game.a.end.seats, game.b.end.seats, strict=True)
        for change, one, other in ends:
            assert change.points == other.points - one.points
            assert change.cards == len(other.cards) - len(one.cards)


def test_metadata_and_seals_are_no_difference(tmp_path: Path) -> None:
    events, _ = play_game("d", 2)
    a = save(tmp_path / "a.jsonl", events)
    b = tmp_path / "b.jsonl"
    create_log(b, events, at=7, bots=("random", None), origin=Origin("0" * 32, 3)).close()
    report = diff_files(a, b)
    assert report.same
    assert report.games[0].metadata == ("at", "bots", "from", "seals")
    assert report.games[0].parting is None
    assert diff_files(a, a).games[0].metadata == ()


def test_an_unfinished_game_ends_somewhere(tmp_path: Path) -> None:
    events, _ = play_game("d", 2)
    a, b = save(tmp_path / "a.jsonl", events), save(tmp_path / "b.jsonl", events[:40])
    game = diff_files(a, b, 50).games[0]
    assert game.parting is not None
    assert (game.parting.n, game.parting.kind, game.parting.b) == (40, "end", ())
    assert game.tables is not None
    assert game.tables.b is None
    assert game.tables.a is not None
    assert game.tables.a.n == 50


@pytest.mark.parametrize(
    ("change", "fields", "kind"),
    [
        ({"seed": "e"}, ["seed"], "card"),
        ({"sealed": True}, ["sealed"], None),
        ({"game": "h"}, ["game"], None),
        ({"ruleset": ruleset_from({"name": "mine", "bust_limit": 12})}, ["rules"], "setup"),
        ({"players": 3}, ["players"], "setup"),
    ],
)
def test_setup_is_told_first(
    tmp_path: Path, change: dict[str, object], fields: list[str], kind: str | None
) -> None:
    events, _ = play_game("d", 2)
    wanted: dict[str, object] = {"seed": "d", "players": 2, **change}
    other, _ = play_game(**wanted)  # type: ignore[arg-type]
    game = diff_files(save(tmp_path / "a.jsonl", events), save(tmp_path / "b.jsonl", other)).games[
        0
    ]
    assert [item.field for item in game.setup] == fields
    assert not game.same
    assert (game.parting.kind if game.parting else None) == kind


def test_rulesets_of_one_name_differ_by_field(tmp_path: Path) -> None:
    one, _ = play_game("d", 2, ruleset=ruleset_from({"name": "mine", "bust_limit": 12}))
    other, _ = play_game("d", 2, ruleset=ruleset_from({"name": "mine", "bust_limit": 9}))
    game = diff_files(save(tmp_path / "a.jsonl", one), save(tmp_path / "b.jsonl", other)).games[0]
    (rules,) = game.setup
    assert (rules.a, rules.b) == ("bust_limit 12", "bust_limit 9")


def test_many_games_are_matched_by_id(tmp_path: Path) -> None:
    games = {name: play_game(name, 2, game=name)[0] for name in "abcd"}
    a = save(tmp_path / "a.jsonl", games["a"], games["b"], games["c"])
    n = choices(games["c"])[5]
    b = save(tmp_path / "b.jsonl", other_course(games["c"], n), games["d"], games["a"])
    report = diff_files(a, b)
    assert {game.a.game: game.same for game in report.games} == {"a": True, "c": False}
    assert (report.only_a, report.only_b) == (("b",), ("d",))
    assert not report.same
    done = run_cli("diff", a, b)
    assert done.returncode == 1
    text = done.stdout.decode()
    assert "only in A: b" in text
    assert "only in B: d" in text
    assert "2 games compared, 1 the same" in text


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no /proc to measure with")
def test_many_games_take_little_memory_whatever_their_order(tmp_path: Path) -> None:
    games = [play_game("d", 4, game=f"g{i}")[0] for i in range(20)]
    lines = b"".join(encode_game(events) for events in games)
    many = tmp_path / "many.jsonl"
    with many.open("wb") as file:
        for i in range(250):
            file.write(lines.replace(b'"game":"g', b'"game":"g%d-' % i))
    other = save(tmp_path / "other.jsonl", games[0], games[1])
    code = (
        "import re, sys; from pathlib import Path; from tenlog.diff import diff_files\n"
        "report = diff_files(*sys.argv[1:])\n"
        "print(len(report.games), len(report.only_a), len(report.only_b))\n"
        # What the kernel gives as a resource begins with the size of the process of the tests.
        "status = Path('/proc/self/status').read_text()\n"
        "print(int(re.search(r'VmHWM:\\s*(\\d+) kB', status)[1]) // 1024)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, many, other], cwd=ROOT, capture_output=True, check=True
    )
    found, peak = done.stdout.splitlines()
    assert found.split() == [b"0", b"5000", b"2"]
    assert int(peak) < 150, f"{peak!r} MB"  # 45 MB of games, ten times that as objects


def test_games_wait_for_their_partners_in_the_order_of_the_logs(tmp_path: Path) -> None:
    names = ["a", "b", "a", "c", "d", "a"]
    games = [play_game(str(i), 2, game=name)[0] for i, name in enumerate(names)]
    a = save(tmp_path / "a.jsonl", *games)
    b = save(tmp_path / "b.jsonl", *(games[i] for i in (3, 0, 1, 2)), play_game("x", game="x")[0])
    report = diff_files(a, b)
    assert [(game.a.game, game.same) for game in report.games] == [
        ("a", True), ("b", True), ("c", True), ("a", True),
    ]  # fmt: skip
    assert (report.only_a, report.only_b) == (("d", "a"), ("x",))


def test_a_faulty_side_is_compared_as_far_as_it_holds(tmp_path: Path) -> None:
    events, _ = play_game("d", 2)
    forged = list(events)
    n = next(i for i, event in enumerate(events) if type(event).__name__ == "NumbersTaken")
    forged[n] = msgspec.structs.replace(events[n], gains=(9, 9))
    a, b = save(tmp_path / "a.jsonl", events), save(tmp_path / "b.jsonl", forged)
    game = diff_files(a, b).games[0]
    assert game.parting is not None
    assert (game.parting.n, game.parting.kind) == (n, "fault")
    assert game.b.fault is not None
    assert f"event {n}" in game.b.fault
    assert diff_files(b, b).same is False, "what follows a fault is not known to be the same"
    done = run_cli("diff", a, b)
    assert b"faulty, compared up to there" in done.stdout
    b.write_bytes(b"rubbish\n")
    assert run_cli("diff", a, b).returncode == 1


def test_command(tmp_path: Path) -> None:
    events, _ = play_game("d", 3)
    n = choices(events)[30]
    a = save(tmp_path / "a.jsonl", events)
    b = save(tmp_path / "b.jsonl", other_course(events, n, game="other"))
    for columns in ("80", "40"):
        done = run_cli("diff", a, b, "--state", "3", env={"COLUMNS": columns})
        text = done.stdout.decode()
        assert done.returncode == 1
        assert f"They part at event {n}" in " ".join(text.split())
        for expected in ("different id", "What came instead", "What it led to", "A after event 3"):
            assert expected in text
        assert max(map(len, text.splitlines())) <= int(columns)
        assert "\x1b" not in text
    same = run_cli("diff", a, a)
    assert same.returncode == 0
    assert b"The same game: all" in same.stdout
    assert run_cli("diff", a, b, "--quiet").stdout == b""
    report = json.loads(run_cli("diff", a, "-", "--json", stdin=b.read_bytes()).stdout)
    assert report["games"][0]["parting"]["n"] == n
    assert report["games"][0]["b"]["file"] == "-"


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["a.jsonl"], 2),
        (["-", "-"], 2),
        (["a.jsonl", "none.jsonl"], 3),
        (["a.jsonl", "empty.jsonl"], 3),
        (["a.jsonl", "a.jsonl", "--bots"], 2),
        (["a.jsonl", "a.jsonl", "--bot", "0=greedy"], 2),
        (["a.jsonl", "--bots", "--bot", "greedy"], 2),
        (["a.jsonl", "--bots", "--bot", "7=greedy"], 2),
        (["a.jsonl", "--bots", "--bot", "0=nobody"], 2),
        (["a.jsonl", "--bots"], 2),
        (["a.jsonl", "--bots", "--bot", "0=random", "--game", "x"], 2),
        (["a.jsonl", "a.jsonl", "--state", "99999"], 2),
    ],
)
def test_wrong_usage(tmp_path: Path, args: list[str], code: int) -> None:
    save(tmp_path / "a.jsonl", play_game("d", 2)[0])
    (tmp_path / "empty.jsonl").write_bytes(b"")
    done = run_cli("diff", *args, cwd=tmp_path)
    assert done.returncode == code, done.stderr
    assert done.stderr.startswith(b"tenlog: ")
    assert b"Traceback" not in done.stderr


def test_bots_asked_again(tmp_path: Path) -> None:
    events, _ = play_game("d", 3, ("random", "cautious"))
    bots = ("random", "cautious", "random")
    path = save(tmp_path / "a.jsonl", events, bots=bots)
    (report,) = rethink_file(path)
    assert report.same
    decided = [decision_of(event) for event in events]
    assert [seat.decisions for seat in report.seats] == [
        sum(command is not None and command.seat == seat for command in decided)
        for seat in range(3)
    ]
    (report,) = rethink_file(path, bots={1: "greedy"})
    assert not report.same
    assert [seat.seat for seat in report.seats] == [1]
    assert report.seats[0].otherwise == len(report.otherwise)
    for item in report.otherwise:
        assert item.logged == decided[item.n]
        assert item.now != item.logged
        assert item.before.n == item.n - 1
    done = run_cli("diff", "--bots", path, "--bot", "1=greedy")
    assert done.returncode == 1
    assert b"log    " in done.stdout
    assert b"today  " in done.stdout
    assert run_cli("diff", "--bots", path).returncode == 0


def test_bots_of_a_doctored_log_are_caught(tmp_path: Path) -> None:
    events, _ = play_game("d", 2)
    n = choices(events)[12]
    path = save(tmp_path / "a.jsonl", other_course(events, n), bots=("random", "random"))
    (report,) = rethink_file(path)
    assert report.otherwise[0].n == n


def test_bots_of_a_sealed_game_need_its_seed(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    parent = save(tmp_path / "p.jsonl", play_game("d", 2, sealed=True)[0], bots=("random",) * 2)
    make_branch(read_one(parent), parent, 30, out=path)
    (report,) = rethink_file(path)
    assert report.same
    (tmp_path / "s.jsonl.seed").unlink()
    with pytest.raises(LogError, match="its seed is not here"):
        list(rethink_file(path))


def test_code_that_a_log_names_is_not_run(tmp_path: Path) -> None:
    path = save(tmp_path / "a.jsonl", play_game("d", 2)[0], bots=("cmd:touch x", "random"))
    with pytest.raises(BotError, match="run code of its own"):
        list(rethink_file(path))
    with pytest.raises(SetupError, match="names no bots"):
        list(rethink_file(save(tmp_path / "b.jsonl", play_game("d", 2)[0])))


def test_resumed_branches_with_the_same_bots_stay_the_same(tmp_path: Path) -> None:
    parent = save(tmp_path / "p.jsonl", play_game("d", 2)[0], bots=("random",) * 2)
    made = make_branch(read_one(parent), parent, 30)
    with resume_session(Path(made.file)) as session:
        for _ in session.bots_move():
            pass
    game = diff_files(parent, made.file).games[0]
    assert [item.field for item in game.setup] == ["game"]
    assert game.parting is None
