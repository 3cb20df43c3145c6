"""What is left of a damaged archive, in a new one: every game that comes back, and no other."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tenlog.archive import ArchiveWriter, add_logs, get_game
from tenlog.archive import open as open_archive
from tenlog.archive.catalogue import (
    LOGGED,
    NAME,
    SCHEMA,
    TABLES,
    Catalogue,
    _store,
    load,
    part_path,
)
from tenlog.archive.derived import DERIVED
from tenlog.archive.manage import rebuild_archive, remove_games
from tenlog.archive.parts import named_after
from tenlog.archive.read import list_games
from tenlog.archive.recover import Recovered, recover_archive
from tenlog.archive.verify import verify_archive
from tenlog.errors import ArchiveError
from tenlog.log.store import encode_game
from tests.support import ROOT, play_game, run_cli


@pytest.fixture(scope="session")
def two(kept: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, bytes]]:
    """An archive of two parts, and the logs in it."""
    root = tmp_path_factory.mktemp("two") / "two"
    shutil.copytree(kept, root)
    with ArchiveWriter(root) as writer:
        for i in range(5):
            events, state = play_game(f"more/{i}", 3, game=f"more-{i}")
            writer.add(events, bots=["random"] * 3, state=state)
        writer.commit("more")
    return root, logs_of(root)


@pytest.fixture
def copy(two: tuple[Path, dict[str, bytes]], tmp_path: Path) -> Path:
    """A copy of it."""
    root = tmp_path / "copy"
    shutil.copytree(two[0], root)
    return root


@pytest.fixture
def whole(two: tuple[Path, dict[str, bytes]]) -> dict[str, bytes]:
    return two[1]


def logs_of(root: Path) -> dict[str, bytes]:
    return {row.game: get_game(root, row.game) for row in list_games(root)}


def spoil(path: Path, rng: random.Random, count: int = 40) -> None:
    """Some bytes in a row that are anything."""
    data = bytearray(path.read_bytes())
    at = rng.randrange(len(data) - count)
    data[at : at + count] = rng.randbytes(count)
    path.chmod(0o644)
    path.write_bytes(data)


def content(root: Path) -> dict[str, str]:
    """Every file of an archive, but its locks."""
    return {
        str(path.relative_to(root)): sha256(path.read_bytes()).hexdigest()
        for path in root.rglob("*")
        if path.is_file() and path.name not in ("lock", "readers")
    }


def recover(root: Path) -> tuple[Recovered, Path]:
    """A new archive beside one that stays as it is."""
    before = content(root)
    out = root.with_name("recovered")
    done = recover_archive(root, out)
    assert content(root) == before
    assert {path.name for path in root.parent.iterdir() if path.name.startswith(".")} == set()
    return done, out


def check(root: Path, whole: dict[str, bytes]) -> set[str]:
    """What is there is whole, and as it was; returns it."""
    assert not verify_archive(root).findings
    left = logs_of(root)
    assert left == {game: whole[game] for game in left}
    with open_archive(root) as con:
        assert con.execute("select count(*) from games").fetchall() == [(len(left),)]
    return set(left)


def test_what_is_whole_is_taken_as_it_is(copy: Path, whole: dict[str, bytes]) -> None:
    done, out = recover(copy)
    assert (done.parts, done.damaged, done.listed, done.unlisted, done.lost) == (2, 0, True, 0, 0)
    assert (done.games, done.events) == (load(copy).games, load(copy).events)
    assert load(out).parts == load(copy).parts
    assert load(out).keys == load(copy).keys
    assert check(out, whole) == set(whole)
    for file in (out / "parts").iterdir():
        assert file.stat().st_ino == (copy / "parts" / file.name).stat().st_ino


@pytest.mark.parametrize("table", sorted(DERIVED))
@pytest.mark.parametrize("how", ["gone", "cut", "folder", "pipe", "nowhere"])
def test_what_follows_is_made_anew(
    copy: Path, whole: dict[str, bytes], table: str, how: str
) -> None:
    file = part_path(copy, load(copy).parts[0], table)
    data = file.read_bytes()
    file.unlink()
    if how == "cut":
        file.write_bytes(data[:-9])
    elif how == "folder":
        file.mkdir()
    elif how == "pipe":
        os.mkfifo(file)
    elif how == "nowhere":
        file.symlink_to("nowhere")
    if how != "pipe":
        with pytest.raises(ArchiveError, match="tenlog archive recover"):
            open_archive(copy)
    done = recover_archive(copy, copy.with_name("recovered"))
    assert (done.damaged, done.lost, done.lost_games) == (1, 0, [])
    out = copy.with_name("recovered")
    assert check(out, whole) == set(whole)
    assert load(out).keys == ("more",)


@pytest.mark.parametrize("seed", range(8))
def test_what_comes_back_is_kept(copy: Path, whole: dict[str, bytes], seed: int) -> None:
    rng = random.Random(seed)
    part = load(copy).parts[0]
    spoil(part_path(copy, part, rng.choice(LOGGED)), rng)
    done, out = recover(copy)
    left = check(out, whole)
    assert {f"more-{i}" for i in range(5)} <= left
    assert (done.parts, done.damaged, done.games) == (2, 1, len(left))
    assert done.lost == len(whole) - len(left)
    assert bool(load(out).keys) == (not done.lost)  # what is gone is played again


@pytest.mark.parametrize("table", LOGGED)
def test_a_table_of_the_log_is_gone(
    copy: Path, whole: dict[str, bytes], table: str, tmp_path: Path
) -> None:
    part = load(copy).parts[0]
    part_path(copy, part, table).unlink()
    done, out = recover(copy)
    rest = {f"more-{i}" for i in range(5)}
    assert (done.games, done.lost) == (5, part.games)
    assert set(done.lost_games) == set(whole) - rest
    assert check(out, whole) == rest
    log = tmp_path / "again.jsonl"
    log.write_bytes(b"".join(whole.values()))
    assert add_logs(out, [str(log)]).games == part.games
    assert check(out, whole) == set(whole)


def test_the_ids_of_lost_games_are_told_if_anything_tells_them(
    copy: Path, whole: dict[str, bytes]
) -> None:
    part = load(copy).parts[0]
    for table in LOGGED:
        part_path(copy, part, table).write_bytes(b"")
    done, _ = recover(copy)
    assert done.lost == part.games
    assert set(done.lost_games) == {game for game in whole if not game.startswith("more")}


def test_a_table_of_another_part(copy: Path, whole: dict[str, bytes]) -> None:
    """What it names is elsewhere, and is no excuse for what is lost."""
    first, second = load(copy).parts
    file = part_path(copy, first, "games")
    file.unlink()
    shutil.copy(part_path(copy, second, "games"), file)
    done, out = recover(copy)
    assert (done.games, done.lost) == (5, first.games)
    assert len(done.lost_games) == first.games
    assert check(out, whole) == {f"more-{i}" for i in range(5)}


@pytest.mark.parametrize("tables", [TABLES, LOGGED, *((table,) for table in TABLES)], ids="+".join)
@pytest.mark.parametrize("onto", [0, 1])
def test_files_of_another_part(
    copy: Path, whole: dict[str, bytes], tables: tuple[str, ...], onto: int
) -> None:
    """Games of the other part count once, and what is told of games is true of them."""
    parts = load(copy).parts
    mixed, other = parts[onto], parts[1 - onto]
    ids = {game for game in whole if game.startswith("more") == (onto == 1)}
    for table in tables:
        part_path(copy, mixed, table).unlink()
        shutil.copy(part_path(copy, other, table), part_path(copy, mixed, table))
    done, out = recover(copy)
    assert done.damaged == 1
    left = check(out, whole)
    assert left >= whole.keys() - ids
    assert done.lost == len(whole) - len(left)
    assert set(done.lost_games) <= ids - left
    assert (done.lost == 0) == (not set(tables) & set(LOGGED))
    assert bool(load(out).keys) == (done.lost == 0)
    command = run_cli("archive", "recover", out.with_name("again"), "--archive", copy)
    assert command.returncode == (1 if done.lost else 0)
    assert command.stderr.decode().count("lost") == (1 if done.lost else 0)


def test_nothing_is_left(copy: Path, tmp_path: Path) -> None:
    for part in load(copy).parts:
        for table in TABLES:
            part_path(copy, part, table).unlink()
    with pytest.raises(ArchiveError, match=r"has no game that is whole"):
        recover(copy)
    assert not (tmp_path / "recovered").exists()


@pytest.mark.parametrize("how", ["gone", "cut", "folder", "other", "pipe", "loop", "forged"])
def test_without_the_list(copy: Path, whole: dict[str, bytes], how: str) -> None:
    parts = load(copy).parts
    catalogue = copy / NAME
    text = b'{"other":1}'
    data = catalogue.read_bytes()[:-3]
    catalogue.unlink()
    if how == "cut":
        catalogue.write_bytes(data)
    elif how == "folder":
        catalogue.mkdir()
    elif how == "pipe":
        os.mkfifo(catalogue)
    elif how == "loop":
        catalogue.symlink_to(NAME)
    elif how == "forged":
        files = {"games": parts[0].files["games"]}
        forged = (msgspec.structs.replace(parts[0], files=files), parts[1], parts[1])
        _store(copy, msgspec.structs.replace(Catalogue(), generation=1, parts=forged))
    elif how == "other":
        catalogue.write_bytes(text + b"\n" + sha256(text).hexdigest().encode() + b"\n")
    if how != "forged":
        with pytest.raises(ArchiveError, match="tenlog archive recover"):
            list_games(copy)
    for name in (
        "x.events.parquet",
        "a'b.turns.parquet",
        "c.d.games.parquet",
        "e.parquet",
        "h" * 240,
    ):
        (copy / "parts" / name).write_bytes(b"strange")
    os.mkfifo(copy / "parts" / "f.games.parquet")
    (copy / "parts" / "g.players.parquet").mkdir()
    done = recover_archive(copy, copy.with_name("recovered"))
    assert (done.listed, done.lost, done.lost_games) == (False, 0, [])
    out = copy.with_name("recovered")
    assert check(out, whole) == set(whole)
    assert sorted(load(out).parts, key=lambda part: part.name) == sorted(
        parts, key=lambda part: part.name
    )
    assert load(out).keys == ()


def test_without_the_list_and_a_table(copy: Path, whole: dict[str, bytes]) -> None:
    for table in ("events", "draws"):
        part_path(copy, load(copy).parts[0], table).unlink()
    (copy / NAME).unlink()
    done, out = recover(copy)
    assert (done.listed, done.damaged) == (False, 1)
    assert done.lost == len(done.lost_games) == len(whole) - 5
    assert len(check(out, whole)) == 5


def test_each_game_comes_once(copy: Path, whole: dict[str, bytes]) -> None:
    """What was replaced but could not be swept stands beside what replaced it."""
    with open_archive(copy):
        remove_games(copy, ["odd"])
    assert len(list((copy / "parts").iterdir())) == 3 * len(TABLES)
    done, out = recover(copy)
    assert (done.games, done.lost) == (len(whole) - 1, 0)
    shutil.rmtree(out)
    (copy / NAME).unlink()
    done, out = recover(copy)
    assert (done.damaged, done.lost, done.games) == (0, 0, len(whole))
    assert check(out, whole) == set(whole)  # the one that was taken out, too


def test_an_older_list(copy: Path, whole: dict[str, bytes]) -> None:
    """Files that it does not name have what it names."""
    old = (copy / NAME).read_bytes()
    rebuild_archive(copy)
    (copy / NAME).write_bytes(old)
    done, out = recover(copy)
    assert (done.listed, done.damaged) == (True, 2)
    # Of what the list names nothing is known any more, so nobody can tell that it is these.
    assert (done.lost, done.unlisted) == (len(whole), len(whole))
    assert check(out, whole) == set(whole)


def test_what_was_taken_out_is_no_excuse_for_what_is_lost(
    copy: Path, whole: dict[str, bytes]
) -> None:
    first, _ = load(copy).parts
    with open_archive(copy):
        remove_games(copy, [f"more-{i}" for i in range(3)])
    for table in TABLES:
        part_path(copy, first, table).unlink()
    done, out = recover(copy)
    assert (done.lost, done.lost_games) == (first.games, [])
    assert done.unlisted == 3
    assert load(out).keys == ()
    assert check(out, whole) == {f"more-{i}" for i in range(5)}


def test_what_was_taken_out_and_is_damaged_is_not_missed(
    copy: Path, whole: dict[str, bytes]
) -> None:
    first, second = load(copy).parts
    with open_archive(copy):
        remove_games(copy, ["more-0"])
    part_path(copy, second, "events").write_bytes(b"")
    for table in TABLES:
        part_path(copy, first, table).unlink()
    done, out = recover(copy)
    assert (done.lost, done.lost_games, done.unlisted) == (first.games, [], 0)
    assert check(out, whole) == {f"more-{i}" for i in range(1, 5)}


def test_what_is_known_to_be_missing_is_not_replaced(
    copy: Path, whole: dict[str, bytes], tmp_path: Path
) -> None:
    """A game that was replaced lies there still, and the one that replaced it is damaged."""
    events, _ = play_game("other", 3, game="more-1")
    log = tmp_path / "other.jsonl"
    log.write_bytes(encode_game(events))
    with open_archive(copy):
        assert add_logs(copy, [str(log)], replace=True).replaced == 1
    (new,) = (part for part in load(copy).parts if part.games == 1)
    part_path(copy, new, "events").write_bytes(b"")
    done, out = recover(copy)
    assert (done.lost, done.lost_games, done.unlisted) == (1, ["more-1"], 0)
    assert check(out, whole) == set(whole) - {"more-1"}


def test_what_is_missing_is_found_elsewhere(copy: Path, whole: dict[str, bytes]) -> None:
    first, _ = load(copy).parts
    with open_archive(copy):
        remove_games(copy, ["odd"])
    (new,) = (part for part in load(copy).parts if part.games == first.games - 1)
    part_path(copy, new, "events").write_bytes(b"")
    done, out = recover(copy)
    assert (done.damaged, done.lost, done.unlisted) == (1, 0, first.games - 1)
    assert check(out, whole) == set(whole) - {"odd"}  # which was taken out


def test_links_are_followed(copy: Path, whole: dict[str, bytes]) -> None:
    (copy / "real").mkdir()
    for file in (copy / "parts").iterdir():
        file.rename(copy / "real" / file.name)
        file.symlink_to(Path("../real") / file.name)
    done, out = recover(copy)
    assert (done.damaged, done.lost) == (0, 0)
    shutil.rmtree(copy)
    assert check(out, whole) == set(whole)


def test_parts_of_schema_one(copy: Path, whole: dict[str, bytes]) -> None:
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
    done, out = recover(copy)
    assert done.damaged == 0
    assert {part.schema for part in load(out).parts} == {1}
    assert check(out, whole) == set(whole)


def test_what_is_refused(copy: Path, tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="is there already"):
        recover_archive(copy, tmp_path)
    with pytest.raises(ArchiveError, match="is inside the archive"):
        recover_archive(copy, copy / "new")
    with pytest.raises(ArchiveError, match="is not there"):
        recover_archive(tmp_path / "nothing", tmp_path / "new")
    _store(copy, msgspec.structs.replace(load(copy), schema=SCHEMA + 1))
    with pytest.raises(ArchiveError, match="newer tenlog"):
        recover_archive(copy, tmp_path / "new")
    assert {path.name for path in tmp_path.iterdir()} == {"copy"}


@pytest.mark.parametrize("what", ["parts", NAME, "events"])
def test_what_may_not_be_read_is_not_called_damaged(
    copy: Path, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To whom nothing is forbidden, as to root, it is here."""
    forbidden = copy / what
    if what == "parts":
        (copy / NAME).unlink()
    elif what == "events":
        forbidden = part_path(copy, load(copy).parts[0], "events")

    def refused(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def ask(path: Any = ".", *args: Any, **kwargs: Any) -> Any:
            if not isinstance(path, int) and Path(path) == forbidden:
                raise PermissionError(13, "Permission denied", str(path))
            return real(path, *args, **kwargs)

        monkeypatch.setattr(name, ask)
        return ask

    refused("os.scandir", os.scandir)
    refused("os.listdir", os.listdir)
    refused("pathlib.Path.open", Path.open)
    with pytest.raises(ArchiveError, match=r"can't read .*: permission denied"):
        recover_archive(copy, copy.with_name("new"))
    monkeypatch.undo()
    assert {path.name for path in copy.parent.iterdir()} == {"copy"}


def test_killed_at_any_moment_nothing_is_there(copy: Path, tmp_path: Path) -> None:
    part_path(copy, load(copy).parts[0], "turns").unlink()
    out = tmp_path / "new"
    for wait in (0.3, 0.6, 0.9, 1.2):
        command = [sys.executable, "-m", "tenlog", "archive", "recover"]
        command += [str(out), "--archive", str(copy)]
        path = os.pathsep.join([str(ROOT), str(ROOT / "cli")])
        with subprocess.Popen(command, env={**os.environ, "PYTHONPATH": path}) as process:
            time.sleep(wait)
            process.kill()
        if out.exists():
            break
    shutil.rmtree(out, ignore_errors=True)
    assert recover_archive(copy, out).lost == 0


def test_the_command(copy: Path) -> None:
    part_path(copy, load(copy).parts[0], "players").unlink()
    new = copy.with_name("new")
    done = run_cli("archive", "recover", new, "--archive", copy)
    assert done.returncode == 1
    assert done.stderr.startswith(b"29 games lost: bulk-1, bulk-2, ")
    assert b"of which 1 was damaged" in done.stdout
    shutil.rmtree(new)
    (copy / NAME).unlink()
    again = run_cli("archive", "recover", new, "--archive", copy, "--json")
    assert (again.returncode, again.stderr) == (1, b"")
    assert msgspec.json.decode(again.stdout, type=Recovered).lost == 29
    third = run_cli("archive", "recover", new.with_name("third"), "--archive", new, "-q")
    assert (third.returncode, third.stdout, third.stderr) == (0, b"", b"")


def test_a_simulation_plays_again_what_was_lost(tmp_path: Path) -> None:
    command = ("simulate", "-n", "60", "--bots", "random,random", "--seed", "s", "--archive")
    root, new = tmp_path / "a", tmp_path / "new"
    home = {"TENLOG_HOME": str(tmp_path / "home")}
    assert run_cli(*command, root, env=home).returncode == 0
    whole = logs_of(root)
    part_path(root, load(root).parts[1], "events").unlink()
    assert run_cli(*command, root, env=home).returncode != 0
    assert run_cli("archive", "recover", new, "--archive", root).returncode == 1
    shutil.rmtree(root)
    new.rename(root)
    assert len(logs_of(root)) == 40
    again = run_cli(*command, root, env=home)
    assert again.returncode == 0, again.stderr
    assert check(root, whole) == set(whole)


def test_verify_finds_a_game_that_stands_twice(copy: Path) -> None:
    catalogue = load(copy)
    first = catalogue.parts[0]
    _store(copy, msgspec.structs.replace(catalogue, parts=(*catalogue.parts, first)))
    found = verify_archive(copy).findings
    assert {finding.code for finding in found} == {"doubled-game"}
    assert {finding.where for finding in found} >= {"odd", "played"}
