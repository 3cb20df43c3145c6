"""What went in comes out again, byte for byte."""

from __future__ import annotations

import tempfile
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tenlog.archive import ArchiveWriter, add_logs, get_game
from tenlog.archive.lines import NotKept
from tenlog.archive.verify import verify_archive
from tenlog.errors import ArchiveError, SetupError
from tenlog.game.legal import legal
from tenlog.log.store import encode_game
from tenlog.play.session import new_session
from tests.archive.conftest import SAMPLES, played_bytes
from tests.referee.generate import generate
from tests.support import play_game


def test_every_kind_of_game_comes_back(kept: Path, games: dict[str, bytes]) -> None:
    for game, data in games.items():
        assert get_game(kept, game) == data, game


def test_the_samples_come_back(tmp_path: Path) -> None:
    assert add_logs(tmp_path / "a", [str(SAMPLES)]).games == 3
    found = b"".join(get_game(tmp_path / "a", game) for game in ("sample-b-0", "sample-c-0"))
    assert found == (SAMPLES / "solo-and-five.jsonl").read_bytes()
    assert get_game(tmp_path / "a", "sample-a-0") == (SAMPLES / "three-seats.jsonl").read_bytes()


def test_a_game_of_people_and_bots_comes_back(tmp_path: Path) -> None:
    """As tenlog play writes it: moments, bots and a seal on the first line."""
    log = tmp_path / "p.jsonl"
    with new_session(log, ("Ann", "Bo"), game="p", seed="1", bots=(None, "random")) as session:
        while not session.over:
            for _ in session.bots_move():
                pass
            if not session.over:
                session.do(legal(session.state)[0], at=1_700_000_000_000 + session.state.n)
    assert add_logs(tmp_path / "a", [str(log)]).games == 1
    assert get_game(tmp_path / "a", "p") == log.read_bytes()


@settings(max_examples=8, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(st.data())
def test_any_game_comes_back(data: st.DataObject) -> None:
    seats = data.draw(st.integers(1, 5))
    names = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), min_size=1)
    seed = data.draw(names.filter(lambda text: len(text) <= 128))
    bots = data.draw(st.lists(st.none() | st.text(max_size=20), min_size=seats, max_size=seats))
    events, state = play_game(seed, seats, game="any", sealed=data.draw(st.booleans()))
    log = encode_game(events, bots=bots)
    if data.draw(st.booleans()):
        log = played_bytes(events, every=data.draw(st.integers(1, 40))) if seats == 2 else log
    with tempfile.TemporaryDirectory() as folder:
        with ArchiveWriter(folder) as writer:
            digest = writer.add_log(log, "full", state)
            writer.commit()
        assert digest == sha256(log).hexdigest()
        assert get_game(folder, "any") == log
        assert not verify_archive(folder).findings


def test_games_of_the_referee_come_back(tmp_path: Path) -> None:
    logs = [
        generate(f"r{number}", number % 5 + 1, "each" if number % 2 else "end", number > 3)
        for number in range(6)
    ]
    for number, log in enumerate(logs):
        (tmp_path / f"{number}.jsonl").write_bytes(log)
    added = add_logs(tmp_path / "a", [str(tmp_path)])
    assert added.games == len(logs)
    for log in logs:
        game = log.split(b'"game":"', 1)[1].split(b'"', 1)[0].decode()
        assert get_game(tmp_path / "a", game) == log


@pytest.mark.parametrize(
    ("code", "old", "new"),
    [
        ("bad-seal", b'"h":"', b'"h":"0'),
        ("bad-sequence", b'{"n":5,', b'{"n":6,'),
        ("not-canonical", b'"seat":1', b'"seat": 1'),
        ("bad-shape", b'"seat":1', b'"seet":1'),
        ("not-json", b'{"n":9,"ev"', b'{"n":9;"ev"'),
        ("unfinished", b'"type":"GameFinished","scores"', b'"type":"GameFinishe","scores"'),
        ("bad-commitment", b'"commitment":"', b'"commitment":"0'),
    ],
)
def test_what_would_not_come_back_is_refused(
    tmp_path: Path, code: str, old: bytes, new: bytes
) -> None:
    events, _ = play_game("x", 3)
    data = encode_game(events)
    assert old in data
    wrong = data.replace(old, new, 1)
    with ArchiveWriter(tmp_path / "a") as writer:
        if new.endswith(b"0"):  # the same length: the old digit goes
            at = wrong.index(new) + len(new)
            wrong = wrong[:at] + wrong[at + 1 :]
            if wrong == data:
                wrong = wrong[: at - 1] + b"1" + wrong[at:]
        with pytest.raises(NotKept):
            writer.add_log(wrong, "none")
        assert writer.commit().added == 0
    with pytest.raises(ArchiveError, match=r"not there|is empty"):
        get_game(tmp_path / "a", "g")


def test_a_game_that_is_not_there(kept: Path) -> None:
    with pytest.raises(SetupError, match="no game 'nobody'"):
        get_game(kept, "nobody")
