"""The record of a player: games that a person of that name played, and no bot's."""

from __future__ import annotations

from pathlib import Path

from tenlog.archive import add_played
from tenlog.archive.record import record_of
from tenlog.game.legal import legal
from tests.tui.stage import small_session


def test_a_record_grows_with_each_game(tmp_path: Path) -> None:
    root = tmp_path / "archive"
    assert record_of(root, "Ann") is None
    scores = []
    for seed in ("1", "2"):
        folder = tmp_path / seed
        folder.mkdir()
        with small_session(folder, seed, game=f"small-{seed}") as session:
            while not session.over:
                for _ in session.bots_move():
                    pass
                if not session.over:
                    session.do(legal(session.state)[-1], at=1)
        assert add_played(root, session.writer.path) is None
        scores.append(session.state.scores[0])
        record = record_of(root, "Ann")
        assert record is not None
        assert (record.games, record.best) == (len(scores), max(scores))
        assert record.mean == sum(scores) / len(scores)
    assert record_of(root, "cautious") is None  # a bot's games are nobody's
    assert record_of(root, "Bob'; drop table players; --") is None
