"""Branches, taking back, and which game goes on."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import msgspec
import pytest

from tenlog.errors import LogError, LogFault, SetupError, UndoRefused
from tenlog.game.commands import Bid, Draw, Pass, TakeCurrency, TakeNumbers
from tenlog.game.events import CurrencyTaken, GameStarted, Payment
from tenlog.game.legal import legal
from tenlog.game.state import AUCTION, BUY, DRAW
from tenlog.log.codec import Origin
from tenlog.log.read import read_one
from tenlog.log.replay import replay
from tenlog.log.store import encode_game
from tenlog.play.branch import is_untouched, left_games, make_branch, seal_after, undo
from tenlog.play.left import left_for, note_path
from tenlog.play.session import Session, new_session, resume_session
from tests.referee.referee import judge
from tests.support import play_game, run_cli

BOTS = ("random", "random")


@pytest.fixture
def parent(tmp_path: Path) -> Path:
    path = tmp_path / "p.jsonl"
    path.write_bytes(encode_game(play_game("b", 2, game="p")[0], bots=BOTS))
    return path


def test_every_point_of_a_game(parent: Path) -> None:
    """What is shared is shared, forced events are completed, the parent is not touched, and bots
    go on as they had: they know nothing of the branch."""
    data = parent.read_bytes()
    log = read_one(parent)
    events = log.events
    for at in range(1, len(events) - 1, 7):
        made = make_branch(log, parent, at)
        path = Path(made.file)
        assert path.parent == parent.parent
        branch = read_one(path)
        start = branch.start
        assert start is not None
        assert start.game == made.game != "p"
        assert branch.events[1:at] == events[1:at]
        assert branch.events[at:] == list(made.completed)
        assert branch.lines[0].origin == made.origin == Origin(seal_after(log, at - 1), at - 1)
        assert replay(branch).fault is None
        (verdict,) = judge(path.read_bytes())
        assert verdict.verdict == "unfinished"
        with resume_session(path) as session:
            for _ in session.bots_move():
                pass
        assert read_one(path).events[1:] == events[1:]
    assert parent.read_bytes() == data


def test_a_point_inside_a_decision_is_completed(parent: Path) -> None:
    events = read_one(parent).events
    n = next(i for i, event in enumerate(events) if type(event).__name__ == "Busted")
    made = make_branch(read_one(parent), parent, n)
    assert made.completed == (events[n],)
    done = run_cli("branch", parent, "--at", str(n))
    assert b"lies inside a decision" in done.stdout
    assert b"Busted" in done.stdout


def test_the_seal_of_an_event_does_not_depend_on_how_a_game_is_sealed(tmp_path: Path) -> None:
    """An unsealed line gets the seal that it would have; a sealed one keeps its own."""
    path = tmp_path / "s.jsonl"
    with new_session(path, ("a", "b"), game="g", seed="b", bots=BOTS) as session:
        for _ in session.bots_move():
            pass
    log = read_one(path)
    seals = [seal_after(log, n) for n in range(len(log.lines))]
    assert len(set(seals)) == len(seals)
    for line, seal in zip(log.lines, seals, strict=True):
        assert not isinstance(line.h, str) or line.h == seal
    bulk = tmp_path / "bulk.jsonl"
    bulk.write_bytes(encode_game(log.events))
    ended = tmp_path / "ended.jsonl"
    for n in range(0, len(log.lines), 17):
        ended.write_bytes(encode_game(log.events[: n + 1]))
        assert seal_after(read_one(bulk), n) == read_one(ended).seal
    cut = tmp_path / "cut.jsonl"
    data = path.read_bytes().split(b"\n")
    ends = [i for i, line in enumerate(log.lines) if isinstance(line.h, str)]
    for end in ends[5:60:11]:
        cut.write_bytes(b"\n".join(data[: end + 1]) + b"\n")
        short = read_one(cut)
        assert [seal_after(short, n) for n in range(end + 1)] == seals[: end + 1]


@pytest.mark.parametrize("at", [0, -1, 999])
def test_points_that_there_are_not(parent: Path, at: int) -> None:
    with pytest.raises(SetupError, match="good events to share"):
        make_branch(read_one(parent), parent, at)


def test_nothing_is_left_to_decide_at_the_end(parent: Path) -> None:
    log = read_one(parent)
    for at in (len(log.lines), len(log.lines) - 1):
        with pytest.raises(SetupError, match="nothing is left to decide"):
            make_branch(log, parent, at)


def test_a_damaged_log_branches_off_before_the_damage(parent: Path) -> None:
    """Sealed on each line, so that what stands before the damage is known to be good."""
    good = make_branch(read_one(parent), parent, 60)
    path = Path(good.file)
    with resume_session(path) as session:
        for _ in zip(range(6), session.bots_move(), strict=False):
            pass
    lines = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([*lines[:-2], lines[-2].replace(b'"seat":', b'"seat": ')]) + b"\n")
    log = read_one(path)
    assert log.fault is not None
    assert make_branch(log, path, 61).shared == 61
    with pytest.raises(SetupError, match="what follows is faulty"):
        make_branch(log, path, log.fault.event + 1)
    parent.write_bytes(parent.read_bytes().replace(b'"winners":[', b'"winners":[1,', 1))
    with pytest.raises(SetupError, match="0 good events to share"):
        make_branch(read_one(parent), parent, 9)  # one seal for all, and it is broken


def test_an_illegal_parent(parent: Path) -> None:
    """Sealed well, but against the rules: refused from there on."""
    events = read_one(parent).events
    n = next(i for i, event in enumerate(events) if isinstance(event, CurrencyTaken))
    events[n] = msgspec.structs.replace(events[n], tokens=99)
    parent.write_bytes(encode_game(events))
    log = read_one(parent)
    assert make_branch(log, parent, n).shared == n
    with pytest.raises(LogFault, match=f"event {n}"):
        make_branch(log, parent, n + 1)


def test_names_ids_and_seats(parent: Path, tmp_path: Path) -> None:
    log = read_one(parent)
    first, second = make_branch(log, parent, 9), make_branch(log, parent, 9)
    assert (first.game, second.game) == ("p-at9", "p-at9-2")
    named = make_branch(log, parent, 9, game="foo")
    files = [Path(made.file).name for made in (first, second, named)]
    assert files == ["p-at9.jsonl", "p-at9-2.jsonl", "foo.jsonl"], "named after the id"
    with pytest.raises(LogError, match="is there already"):
        make_branch(log, parent, 9, game="foo")
    out = tmp_path / "x" / "o.jsonl"
    made = make_branch(log, parent, 9, out=out, game="mine", bots=(None, "random"))
    assert (made.game, made.bots, read_one(out).bots) == (
        "mine",
        (None, "random"),
        (None, "random"),
    )
    with pytest.raises(LogError, match="is there already"):
        make_branch(log, parent, 9, out=out)
    with pytest.raises(SetupError, match="a game id"):
        make_branch(log, parent, 9, game="a b")
    with pytest.raises(SetupError, match="1 bots or persons for 2"):
        make_branch(log, parent, 9, bots=("random",))


def test_a_sealed_parent(tmp_path: Path) -> None:
    """Finished: its end tells the seed; in progress: the file beside it does."""
    path = tmp_path / "s.jsonl"
    events, _ = play_game("b", 2, sealed=True)
    path.write_bytes(encode_game(events, bots=BOTS))
    made = make_branch(read_one(path), path, 20)
    branch = Path(made.file)
    assert b'"seed":null' in branch.read_bytes()
    assert (tmp_path / f"{branch.name}.seed").read_text() == "b\n"
    again = make_branch(read_one(branch), branch, 10)
    with resume_session(Path(again.file)) as session:
        for _ in session.bots_move():
            pass
    assert read_one(again.file).events[1:] == events[1:]
    (tmp_path / f"{branch.name}.seed").unlink()
    with pytest.raises(LogError, match="its seed is not here"):
        make_branch(read_one(branch), branch, 10)


def test_command(parent: Path, tmp_path: Path) -> None:
    done = run_cli(
        "branch", parent, "--at", "30", "--bot", "0=cautious", "--person", "1", "--json",
        "--out", tmp_path / "o.jsonl", "--id", "mine",
    )  # fmt: skip
    report = json.loads(done.stdout)
    assert report["from"]["n"] == 29
    assert report["bots"] == ["cautious", None]
    assert run_cli("branch", parent, "--at", "3", "--quiet").stdout == b""
    for args, code in (
        (["--at", "0"], 2),
        (["--at", "5", "--bot", "greedy"], 2),
        (["--at", "5", "--bot", "0=none"], 2),
        (["--at", "5", "--bot", "5=greedy"], 2),
        (["--at", "5", "--person", "5"], 2),
        (["--at", "5", "--out", tmp_path / "o.jsonl"], 3),
        (["--at", "5", "--log", tmp_path / "o.jsonl"], 3),
        (["--at", "5", "--game", "none"], 2),
    ):
        failed = run_cli("branch", parent, *args)
        assert failed.returncode == code, failed.stderr
        assert b"Traceback" not in failed.stderr


# Taking back


def people(path: Path, bots: tuple[str | None, ...] = (None, None), seed: str = "42") -> Session:
    return new_session(path, ("Ada", "Bob"), game="u", seed=seed, bots=bots)


def to_bids(session: Session) -> None:
    """Seed 42 begins C3 W2: Ada draws both, and Bob is asked first."""
    session.do(Draw(0))
    session.do(Draw(0))
    assert session.state.phase is AUCTION


def test_taking_back_goes_on_beside(tmp_path: Path) -> None:
    path = tmp_path / "u.jsonl"
    session = people(path)
    to_bids(session)
    before = session.state.copy()
    session.do(Bid(1, 2, Payment(2, 0, ())))
    data = path.read_bytes()
    back = undo(session)
    assert path.read_bytes() == data
    after = back.state.copy()
    after.game = before.game
    assert after == before
    assert back.writer.path != path
    back.do(Pass(1))
    back.close()
    (left,) = left_games(sorted(tmp_path.glob("*.jsonl")))
    assert (left.file, left.on_file) == (str(path), str(back.writer.path))


def test_taking_back_twice_leaves_a_chain(tmp_path: Path) -> None:
    session = people(tmp_path / "u.jsonl", seed="s2")
    path = session.writer.path
    while session.state.phase is not BUY:
        state = session.state
        session.do(next(c for c in legal(state) if not isinstance(c, Draw) or not state.tableau))
    first = undo(session)  # the take
    assert first.state.phase is DRAW
    with pytest.raises(UndoRefused, match="a card was turned up"):
        undo(first)
    first.do(TakeNumbers(first.state.to_act))
    second = undo(first)
    second.close()
    paths = sorted(tmp_path.glob("*.jsonl"))
    left = {item.file: item.on_file for item in left_games(paths)}
    assert left == {
        str(path): str(first.writer.path),
        str(first.writer.path): str(second.writer.path),
    }


def test_who_goes_on_with_a_left_game_makes_it_a_game_again(tmp_path: Path) -> None:
    path = tmp_path / "u.jsonl"
    session = people(path)
    to_bids(session)
    session.do(Pass(1))
    undo(session).close()
    paths = sorted(tmp_path.glob("*.jsonl"))
    assert [item.file for item in left_games(paths)] == [str(path)]
    assert left_games([path]) == [], "where the branch is gone, the game is one again"
    with resume_session(path) as again:
        again.do(Pass(0))
    assert left_games(paths) == []


def test_a_branch_for_its_own_sake_leaves_nothing(tmp_path: Path) -> None:
    """Not even where a decision could have been taken back, nor from the end."""
    path = tmp_path / "u.jsonl"
    session = people(path)
    to_bids(session)
    session.do(Pass(1))
    session.close()
    for at in (2, 3, 4):
        make_branch(read_one(path), path, at)
    assert left_games(sorted(tmp_path.glob("*.jsonl"))) == []
    with resume_session(path) as again:
        undo(again).close()
    (left,) = left_games(sorted(tmp_path.glob("*.jsonl")))
    assert (left.game, left.on_game, Path(left.on_file).name) == ("u", "u-at3-2", "u-at3-2.jsonl")
    (tmp_path / "broken.jsonl").write_bytes(b"\xff\n")
    (tmp_path / "folder.jsonl").mkdir()
    assert len(left_games(sorted(tmp_path.glob("*.jsonl")))) == 1
    assert left_for(path) == "u-at3-2"


def test_a_branch_is_untouched_until_somebody_decides(tmp_path: Path) -> None:
    path = tmp_path / "u.jsonl"
    session = people(path)
    to_bids(session)
    session.close()
    assert not is_untouched(read_one(path))
    made = make_branch(read_one(path), path, 2)
    assert is_untouched(read_one(made.file))
    with resume_session(Path(made.file)) as branch:
        branch.do(legal(branch.state)[0])
    assert not is_untouched(read_one(made.file))


def test_a_note_that_can_not_be_written_leaves_the_session_as_it_was(tmp_path: Path) -> None:
    session = people(tmp_path / "u.jsonl")
    to_bids(session)
    session.do(Pass(1))
    note_path(session.writer.path).mkdir()
    with pytest.raises(LogError, match=r"can't write .*u\.jsonl\.left"):
        undo(session)
    session.do(Pass(0))
    session.close()


def test_what_can_not_be_taken_back(tmp_path: Path) -> None:
    session = people(tmp_path / "u.jsonl")
    with pytest.raises(UndoRefused, match="nothing was decided"):
        undo(session)
    to_bids(session)
    with pytest.raises(UndoRefused, match="a card was turned up"):
        undo(session)
    session.do(Pass(1))
    with pytest.raises(UndoRefused, match="Bob has decided since"):
        undo(session, seat=0)
    assert read_one(session.writer.path).lines[-1].n == 3, "the session is as it was"
    session.do(Pass(0))
    assert session.state.phase is DRAW
    back = undo(session, seat=0)
    assert back.state.phase is AUCTION
    back.close()


def test_a_bot_has_decided_since(tmp_path: Path) -> None:
    with people(tmp_path / "u.jsonl", bots=(None, "random")) as session:
        session.do(Draw(0))
        session.do(TakeCurrency(0))
        back = undo(session)
    with back:
        assert back.bots == (None, "random")
        back.do(TakeCurrency(0))
        for _ in back.bots_move():
            pass
        with pytest.raises(UndoRefused, match="a bot, has decided since"):
            undo(back)


def test_a_finished_game_stays_finished(tmp_path: Path) -> None:
    with people(tmp_path / "u.jsonl") as session:
        while not session.over:
            session.do(legal(session.state)[-1])
        assert isinstance(session.events[0], GameStarted)
        with pytest.raises(UndoRefused, match="the game is finished"):
            undo(session)


def test_sealed_game_taken_back_keeps_its_secret(tmp_path: Path) -> None:
    path = tmp_path / "u.jsonl"
    session = new_session(path, ("Ada", "Bob"), game="u", seed="42", sealed=True)
    to_bids(session)
    session.do(Pass(1))
    back = undo(session)
    with back:
        assert back.seed == "42"
        assert b'"42"' not in back.writer.path.read_bytes()


def test_a_suggested_command_can_be_pasted(tmp_path: Path) -> None:
    path = tmp_path / "mäin spiel.jsonl"
    session = people(path)
    to_bids(session)
    session.close()
    done = run_cli("branch", path, "--at", "2", "--out", tmp_path / "a b.jsonl")
    said = done.stdout.decode().splitlines()[-1]
    command = shlex.split(said.partition("tenlog ")[2])
    assert command == ["resume", str(tmp_path / "a b.jsonl")]
