"""Many small parts become one, whatever other writers do meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tenlog.archive import ArchiveWriter, get_game, writer
from tenlog.archive.catalogue import Part, load
from tenlog.archive.manage import remove_games
from tenlog.archive.parts import merge_parts
from tests.support import play_game


def _fill(root: Path) -> None:
    """One commit less than what is merged."""
    for i in range(writer.MERGE - 1):
        _one(root, i)


def _one(root: Path, i: int) -> None:
    with ArchiveWriter(root) as out:
        events, state = play_game(f"s{i}", 2, game=f"g{i}")
        out.add(events, state=state)
        out.commit()


@pytest.mark.parametrize("other", ["removes", "commits"])
def test_other_writers_do_not_disturb_a_merge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, other: str
) -> None:
    calls = []

    def meanwhile(root: Path, folder: Path, parts: Sequence[Part], without: Sequence[str]) -> Part:
        calls.append(len(parts))
        if len(calls) == 1:
            if other == "removes":
                remove_games(root, ["g0"])  # its part leaves the list, and would be deleted
            else:
                _one(root, 99)  # its writer finds sixteen to be merged as well
        return merge_parts(root, folder, parts, without)

    _fill(tmp_path)
    monkeypatch.setattr(writer, "merge_parts", meanwhile)
    _one(tmp_path, 98)
    after = load(tmp_path)
    if other == "removes":
        assert calls == [16]  # the list is another one now: the next commit looks again
        assert after.games == 15
    else:
        assert calls == [16]  # not twice
        assert (after.games, len(after.parts)) == (17, 2)
    assert get_game(tmp_path, "g1").startswith(b'{"n":0')
    assert list((tmp_path / "staging").iterdir()) == []
