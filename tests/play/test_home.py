"""The games that are kept: named, found, listed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tenlog.errors import LogError, RulesetError, SetupError
from tenlog.game.ruleset import find_ruleset, parse_ruleset
from tenlog.game.start import check_game_id
from tenlog.play.home import find_log, find_logs, list_games, log_path, new_game_id
from tenlog.play.session import new_session
from tenlog.play.setup import load_ruleset, ruleset_toml, seat_players


def _game(home: Path, game: str, decisions: int, at: int, sealed: bool = False) -> Path:
    path = log_path(home, game)
    session = new_session(
        path, ("A", "B"), game=game, seed=game, bots=("random", "random"), sealed=sealed
    )
    with session:
        for _ in zip(range(decisions), session.bots_move(), strict=False):
            pass
    os.utime(path, (at, at))
    return path


def test_the_latest_game_in_progress(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="tenlog play"):
        find_log(tmp_path, None)
    old = _game(tmp_path, "old-1", 5, 100)
    new = _game(tmp_path, "new-1", 5, 200)
    _game(tmp_path, "done", 1000, 300)
    assert find_log(tmp_path, None) == new
    assert find_log(tmp_path, "old") == old
    assert find_log(tmp_path, "old-1") == old
    with pytest.raises(SetupError, match="may be 2 games"):
        find_log(tmp_path, "-1")
    with pytest.raises(SetupError, match="tenlog ls"):
        find_log(tmp_path, "other")
    with pytest.raises(LogError, match="tenlog ls"):
        find_log(tmp_path, "./other.jsonl")
    assert find_log(tmp_path, str(old)) == old
    (tmp_path / "games" / "bad.jsonl").write_bytes(b'{"n":0,"h":"00"}\n')
    rows = {row.game: row for row in list_games(tmp_path)}
    assert [row.state for row in rows.values()] == ["faulty", "finished", "playing", "playing"]
    assert rows["bad"].fault
    assert rows["done"].winners
    assert rows["new-1"].seed == "new-1"


def test_paths_and_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    one, two = _game(home, "one-1", 5, 100), _game(home, "two-1", 5, 100)
    monkeypatch.chdir(tmp_path)
    assert find_logs(home, ["one-1", "two", "-", "o*e", "./one-1", "none", "x.jsonl"]) == [
        str(one), str(two), "-", "o*e", "./one-1", "none", "x.jsonl",
    ]  # fmt: skip
    (tmp_path / "one-1").mkdir()
    assert find_logs(home, ["one-1"]) == ["one-1"], "a path that exists wins"
    with pytest.raises(SetupError, match="may be 2 games"):
        find_logs(home, ["-1"])


def test_a_sealed_game_keeps_its_seed_out_of_the_list(tmp_path: Path) -> None:
    _game(tmp_path, "s", 5, 100, sealed=True)
    assert [row.seed for row in list_games(tmp_path)] == [None]
    _game(tmp_path, "t", 1000, 200, sealed=True)
    assert [row.seed for row in list_games(tmp_path)] == ["t", None]


def test_ids() -> None:
    ids = {new_game_id() for _ in range(50)}
    assert len(ids) > 40
    assert all(check_game_id(game) is None for game in ids)


def test_seats() -> None:
    assert seat_players([]).bots == (None, "greedy", "greedy", "greedy")
    assert seat_players([("player", "Ann")]).names == ("Ann", "greedy 1", "greedy 2", "greedy 3")
    assert seat_players([("player", "Ann")], alone=True).names == ("Ann",)
    assert seat_players([("player", "A"), ("player", "B")]).bots == (None, None)
    mixed = seat_players([("bot", "random"), ("player", "random 1"), ("bot", "random")])
    assert mixed.names == ("random 2", "random 1", "random 3")
    assert mixed.bots == ("random", None, "random")
    assert seat_players([("bot", "random")]).names == ("Guest", "random")


def test_rulesets_from_files(tmp_path: Path) -> None:
    usual = find_ruleset("ten/1")
    assert load_ruleset("ten/1") == usual
    assert parse_ruleset(ruleset_toml(usual).encode(), "toml") == usual
    own = tmp_path / "own.json"
    own.write_text('{"name": "own", "deck": {"WW": []}}')
    ruleset = load_ruleset(str(own))
    assert "WW" not in ruleset.deck
    assert parse_ruleset(ruleset_toml(ruleset).encode(), "toml") == ruleset
    with pytest.raises(RulesetError, match=r"\.toml or \.json"):
        load_ruleset("own")
    with pytest.raises(LogError, match="no such file"):
        load_ruleset(str(tmp_path / "none.toml"))
