"""What is left of a damaged archive: every game that comes back exactly, and no other."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import msgspec
import pytest

from tenlog.archive import ArchiveWriter, add_logs, get_game
from tenlog.archive import open as open_archive
from tenlog.archive.catalogue import LOGGED, NAME, SCHEMA, TABLES, _store, load, part_path
from tenlog.archive.derived import DERIVED
from tenlog.archive.manage import remove_games
from tenlog.archive.read import list_games
from tenlog.archive.repair import repair_archive
from tenlog.archive.verify import verify_archive
from tenlog.errors import ArchiveError
from tests.support import play_game, run_cli


@pytest.fixture
def copy(kept: Path, tmp_path: Path) -> Path:
    """An archive of two parts."""
    root = tmp_path / "copy"
    shutil.copytree(kept, root)
    with ArchiveWriter(root) as writer:
        for i in range(5):
            events, state = play_game(f"more/{i}", 3, game=f"more-{i}")
            writer.add(events, bots=["random"] * 3, state=state)
        writer.commit("more")
    return root


@pytest.fixture
def whole(copy: Path) -> dict[str, bytes]:
    return logs_of(copy)


def logs_of(root: Path) -> dict[str, bytes]:
    return {row.game: get_game(root, row.game) for row in list_games(root)}


def spoil(path: Path, rng: random.Random, count: int = 40) -> None:
    """Some bytes in a row that are anything."""
    data = bytearray(path.read_bytes())
    at = rng.randrange(len(data) - count)
    data[at : at + count] = rng.randbytes(count)
    path.chmod(0o644)
    path.write_bytes(data)


def check(root: Path, whole: dict[str, bytes]) -> set[str]:
    """What is there is whole, and as it was; returns it."""
    assert not verify_archive(root).findings
    left = logs_of(root)
    assert left == {game: whole[game] for game in left}
    with open_archive(root) as con:
        assert con.execute("select count(*) from games").fetchall() == [(len(left),)]
    return set(left)


def test_nothing_is_done_to_what_is_whole(copy: Path) -> None:
    before = (copy / NAME).read_bytes()
    done = repair_archive(copy)
    assert (done.parts, done.damaged, done.saved, done.lost) == (2, 0, 0, 0)
    assert done.games == load(copy).games
    assert (copy / NAME).read_bytes() == before
    assert not (copy / "damaged").exists()


@pytest.mark.parametrize("table", sorted(DERIVED))
@pytest.mark.parametrize("gone", [True, False])
def test_what_follows_is_made_anew(
    copy: Path, whole: dict[str, bytes], table: str, gone: bool
) -> None:
    file = part_path(copy, load(copy).parts[0], table)
    data = file.read_bytes()
    file.unlink()
    if not gone:
        file.write_bytes(data[:-9])
    with pytest.raises(ArchiveError, match="tenlog archive repair"):
        open_archive(copy)
    done = repair_archive(copy)
    assert (done.damaged, done.lost, done.lost_games) == (1, 0, [])
    assert check(copy, whole) == set(whole)
    assert load(copy).keys == ("more",)
    assert (copy / "damaged" / file.name).exists() == (not gone)


@pytest.mark.parametrize("seed", range(8))
def test_what_comes_back_is_kept(copy: Path, whole: dict[str, bytes], seed: int) -> None:
    rng = random.Random(seed)
    part = load(copy).parts[0]
    spoil(part_path(copy, part, rng.choice(LOGGED)), rng)
    done = repair_archive(copy)
    left = check(copy, whole)
    assert {f"more-{i}" for i in range(5)} <= left
    assert done.damaged == 1
    assert done.saved + done.lost == part.games
    assert done.lost == len(whole) - len(left)
    assert bool(load(copy).keys) == (not done.lost)  # what is gone is played again


@pytest.mark.parametrize("table", LOGGED)
def test_a_table_of_the_log_is_gone(
    copy: Path, whole: dict[str, bytes], table: str, tmp_path: Path
) -> None:
    part = load(copy).parts[0]
    part_path(copy, part, table).unlink()
    done = repair_archive(copy)
    assert (done.saved, done.lost) == (0, part.games)
    rest = {f"more-{i}" for i in range(5)}
    assert set(done.lost_games) == set(whole) - rest
    assert check(copy, whole) == rest
    log = tmp_path / "again.jsonl"
    log.write_bytes(b"".join(whole.values()))
    assert add_logs(copy, [str(log)]).games == part.games
    assert check(copy, whole) == set(whole)


def test_all_tables_are_gone(copy: Path, whole: dict[str, bytes]) -> None:
    part = load(copy).parts[0]
    for table in TABLES:
        part_path(copy, part, table).unlink()
    done = repair_archive(copy)
    assert (done.saved, done.lost, done.lost_games) == (0, part.games, [])
    assert len(check(copy, whole)) == 5


@pytest.mark.parametrize("gone", [True, False])
def test_the_list_is_made_anew(copy: Path, whole: dict[str, bytes], gone: bool) -> None:
    catalogue = copy / NAME
    if gone:
        catalogue.unlink()
    else:
        catalogue.write_bytes(catalogue.read_bytes()[:-3])
    with pytest.raises(ArchiveError, match="tenlog archive repair"):
        list_games(copy)
    done = repair_archive(copy)
    assert (done.relisted, done.parts, done.damaged, done.lost) == (True, 2, 0, 0)
    assert check(copy, whole) == set(whole)
    assert {part.schema for part in load(copy).parts} == {SCHEMA}
    assert (copy / "damaged" / NAME).exists() == (not gone)


def test_the_list_and_a_part_are_damaged(copy: Path, whole: dict[str, bytes]) -> None:
    for table in ("events", "draws"):
        part_path(copy, load(copy).parts[0], table).unlink()
    (copy / NAME).unlink()
    done = repair_archive(copy)
    assert (done.relisted, done.damaged) == (True, 1)
    assert done.lost == len(done.lost_games) == len(whole) - 5
    assert len(check(copy, whole)) == 5


def test_each_game_is_listed_once(copy: Path, whole: dict[str, bytes]) -> None:
    """What was replaced but could not be swept stands beside what replaced it."""
    with open_archive(copy):
        remove_games(copy, ["odd"])
    assert len(list((copy / "parts").iterdir())) == 3 * len(TABLES)
    (copy / NAME).unlink()
    done = repair_archive(copy)
    assert (done.damaged, done.lost, done.saved) == (0, 0, 1)
    assert check(copy, whole) == set(whole)  # the one that was taken out, too


def test_parts_of_schema_one_are_listed(copy: Path, whole: dict[str, bytes]) -> None:
    from tenlog.archive.parts import named_after

    catalogue = load(copy)
    old = []
    for part in catalogue.parts:
        files = {table: part.files[table] for table in LOGGED}
        name = named_after(files)
        for table in TABLES:
            file = part_path(copy, part, table)
            if table in LOGGED:
                file.rename(file.with_name(f"{name}.{table}.parquet"))
            else:
                file.unlink()
        old.append(msgspec.structs.replace(part, name=name, schema=1, files=files))
    _store(copy, msgspec.structs.replace(catalogue, parts=tuple(old)))
    assert check(copy, whole) == set(whole)
    (copy / NAME).unlink()
    assert repair_archive(copy).damaged == 0
    assert {part.schema for part in load(copy).parts} == {1}
    assert check(copy, whole) == set(whole)


def test_what_is_not_to_be_repaired(copy: Path, tmp_path: Path) -> None:
    _store(copy, msgspec.structs.replace(load(copy), schema=SCHEMA + 1))
    with pytest.raises(ArchiveError, match="newer tenlog"):
        repair_archive(copy)
    with pytest.raises(ArchiveError, match="is not there"):
        repair_archive(tmp_path / "nothing")
    assert not (tmp_path / "nothing").exists()


def test_the_command(copy: Path) -> None:
    part_path(copy, load(copy).parts[0], "players").unlink()
    done = run_cli("archive", "repair", "--archive", copy)
    assert done.returncode == 1
    assert done.stderr.startswith(b"lost: bulk-1, bulk-2, ")
    assert b"1 of 2 parts damaged: 0 of their games kept, 29 lost\n" in done.stdout
    assert b"5 games, " in done.stdout
    again = run_cli("archive", "repair", "--archive", copy, "--json")
    assert again.returncode == 0
    assert msgspec.json.decode(again.stdout)["damaged"] == 0


def test_a_simulation_plays_again_what_was_lost(tmp_path: Path) -> None:
    command = ("simulate", "-n", "60", "--bots", "random,random", "--seed", "s", "--archive")
    root = tmp_path / "a"
    home = {"TENLOG_HOME": str(tmp_path / "home")}
    assert run_cli(*command, root, env=home).returncode == 0
    whole = logs_of(root)
    part_path(root, load(root).parts[1], "events").unlink()
    assert run_cli(*command, root, env=home).returncode != 0
    assert run_cli("archive", "repair", "--archive", root).returncode == 1
    assert len(logs_of(root)) == 40
    again = run_cli(*command, root, env=home)
    assert again.returncode == 0, again.stderr
    assert check(root, whole) == set(whole)
