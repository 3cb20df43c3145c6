"""Whatever happens to an archive's bits is found, and never taken for data."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import msgspec
import pytest

from tenlog.archive import ArchiveWriter, get_game, manage, writer
from tenlog.archive import open as open_archive
from tenlog.archive.catalogue import LOGGED, NAME, SCHEMA, TABLES, _store, load, part_path
from tenlog.archive.derived import DERIVED
from tenlog.archive.engine import connect, quote
from tenlog.archive.manage import rebuild_archive, remove_games
from tenlog.archive.parts import hash_file
from tenlog.archive.reports import run_report
from tenlog.archive.schema import UPGRADES, column_names
from tenlog.archive.verify import verify_archive
from tenlog.errors import ArchiveError, SetupError
from tests.support import play_game, run_cli


@pytest.fixture
def copy(kept: Path, tmp_path: Path) -> Path:
    root = tmp_path / "copy"
    shutil.copytree(kept, root)
    return root


def flip(path: Path, bit: int) -> None:
    data = bytearray(path.read_bytes())
    data[bit // 8] ^= 1 << bit % 8
    path.chmod(0o644)
    path.write_bytes(data)


def test_any_flipped_bit_is_found(copy: Path) -> None:
    rng = random.Random(1)
    for file in sorted((copy / "parts").iterdir()):
        for _ in range(12):
            bit = rng.randrange(file.stat().st_size * 8)
            flip(file, bit)
            found = verify_archive(copy, files_only=True)
            assert [finding.code for finding in found.findings] == ["damaged-file"]
            flip(file, bit)
    for _ in range(20):
        bit = rng.randrange((copy / NAME).stat().st_size * 8)
        flip(copy / NAME, bit)
        with pytest.raises(ArchiveError):
            verify_archive(copy, files_only=True)
        with pytest.raises(ArchiveError):
            open_archive(copy)
        flip(copy / NAME, bit)
    assert not verify_archive(copy).findings


def test_missing_and_cut_files(copy: Path) -> None:
    part = load(copy).parts[0]
    events = part_path(copy, part, "events")
    whole = events.read_bytes()
    events.chmod(0o644)
    events.write_bytes(whole[:-1])
    with pytest.raises(ArchiveError, match=r"damaged: .* has .* bytes"):
        open_archive(copy)
    events.unlink()
    with pytest.raises(ArchiveError, match="is missing"):
        open_archive(copy)
    assert verify_archive(copy).findings[0].code == "missing-file"
    done = run_cli("archive", "verify", "--archive", copy)
    assert done.returncode == 1
    assert b"missing" in done.stderr
    assert done.stderr.endswith(b"tenlog archive recover\n")
    (copy / NAME).unlink()
    with pytest.raises(ArchiveError, match="is missing, but"):
        load(copy)


def forge(root: Path, table: str, change: str) -> None:
    """Change a table, and make all hashes right again."""
    catalogue = load(root)
    part = catalogue.parts[0]
    file = part_path(root, part, table)
    other = root / "forged.parquet"
    with connect() as con:
        con.execute(f"create table t as select * from read_parquet({quote(file)})")
        con.execute(change)
        con.execute(f"copy t to {quote(other)} (format parquet, compression zstd)")
    other.replace(file)
    files = {**part.files, table: hash_file(file)}
    forged = msgspec.structs.replace(part, files=files)
    _store(root, msgspec.structs.replace(catalogue, parts=(forged, *catalogue.parts[1:])))


@pytest.mark.parametrize(
    ("table", "change", "code"),
    [
        ("events", "update t set card = 'R1' where game = 'odd' and n = 1", "bad-digest"),
        ("events", "update t set turn = 9 where game = 'odd' and n = 5", "bad-columns"),
        ("events", "delete from t where game = 'odd' and n = 5", "bad-rows"),
        ("events", "update t set seal = true where game = 'odd' and n = 5", "bad-digest"),
        ("events", "update t set seat = null where game = 'odd' and n = 1", "bad-rows"),
        ("events", "update t set card = 'X9' where game = 'odd' and n = 1", "bad-rows"),
        ("players", "update t set tokens = 9 where game = 'odd' and seat = 0", "bad-columns"),
        ("players", "update t set red = 9 where game = 'odd' and seat = 0", "bad-columns"),
        ("players", "update t set score = score + 1 where game = 'odd'", "bad-digest"),
        ("turns", "update t set draws = 1 + draws where game = 'odd' and turn = 2", "bad-columns"),
        ("draws", "update t set bust = 'numbers' where game = 'odd' and n = 1", "bad-columns"),
        ("auctions", "delete from t where game = 'odd' and auction = 1", "bad-columns"),
        ("auctions", "insert into t select * from t where game = 'odd'", "bad-columns"),
        ("games", "update t set turns = 1 where game = 'odd'", "bad-columns"),
        ("games", "update t set seed = 'other' where game = 'odd'", "bad-digest"),
    ],
)
def test_a_forged_table_is_found(copy: Path, table: str, change: str, code: str) -> None:
    forge(copy, table, change)
    findings = verify_archive(copy).findings
    assert [finding.code for finding in findings][:1] == [code]
    if code != "bad-columns":
        with pytest.raises(ArchiveError, match="damaged"):
            get_game(copy, "odd")


def test_newer_and_older_schemas(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    catalogue = load(copy)
    old = tuple(msgspec.structs.replace(part, schema=0) for part in catalogue.parts)
    _store(copy, msgspec.structs.replace(catalogue, parts=old))
    upgraded = column_names("players").replace('"tokens"', '("tokens" + 100)::INTEGER as "tokens"')
    monkeypatch.setitem(UPGRADES, 0, {"players": upgraded})
    with open_archive(copy) as con:
        least = con.execute("select min(tokens) from players").fetchall()
    assert least[0][0] >= 100
    _store(copy, msgspec.structs.replace(catalogue, schema=SCHEMA + 1))
    with pytest.raises(ArchiveError, match="newer tenlog"):
        load(copy)
    text = (copy / NAME).read_bytes()
    assert text.count(b"\n") == 2


def made_old(root: Path) -> None:
    """Every part as schema 1 had it: without the tables that follow from the events."""
    catalogue = load(root)
    parts = []
    for part in catalogue.parts:
        for table in DERIVED:
            part_path(root, part, table).unlink()
        files = {table: part.files[table] for table in LOGGED}
        parts.append(msgspec.structs.replace(part, schema=1, files=files))
    _store(root, msgspec.structs.replace(catalogue, schema=1, parts=tuple(parts)))


def derived_rows(root: Path) -> dict[str, list[tuple[object, ...]]]:
    with open_archive(root) as con:
        return {
            table: con.execute(f"select * from {table} order by all").fetchall()
            for table in DERIVED
        }


def test_parts_of_schema_one(copy: Path) -> None:
    """They answer alike, are told to be whole, and get their files when they are written anew."""
    due, busts = derived_rows(copy), run_report(copy, "busts").rows
    assert all(due.values())
    assert busts
    made_old(copy)
    assert derived_rows(copy) == due
    assert run_report(copy, "busts").rows == busts
    assert not verify_archive(copy).findings
    events, state = play_game("new", 2, game="new")
    with ArchiveWriter(copy) as adding:
        adding.add(events, state=state)
        adding.commit()
    assert sorted(part.schema for part in load(copy).parts) == [1, SCHEMA]
    assert load(copy).schema == SCHEMA  # so that an older tenlog leaves it alone
    mixed = derived_rows(copy)
    assert all(len(mixed[table]) > len(due[table]) for table in ("turns", "draws"))
    remove_games(copy, ["odd"])  # writes the old part anew
    assert {part.schema for part in load(copy).parts} == {SCHEMA}
    rest = {table: [row for row in mixed[table] if row[0] != "odd"] for table in DERIVED}
    assert derived_rows(copy) == rest
    assert not verify_archive(copy).findings


def test_rebuilding_parts_what_is_too_big(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No part has more events than the bound, save by its last game."""
    before = load(copy)
    monkeypatch.setattr(manage, "MOST", 2000)
    monkeypatch.setattr(writer, "MOST", 2000)
    due = derived_rows(copy)
    done = rebuild_archive(copy)
    parts = load(copy).parts
    assert done.games == before.games == sum(part.games for part in parts)
    assert before.events > 4000
    assert 1 < len(parts) <= before.events // 2000 + 1
    assert derived_rows(copy) == due
    assert not verify_archive(copy).findings


def test_rebuilding_gives_old_parts_their_files(copy: Path) -> None:
    due = derived_rows(copy)
    made_old(copy)
    rebuild_archive(copy)
    assert all(tuple(part.files) == TABLES for part in load(copy).parts)
    assert derived_rows(copy) == due
    assert not verify_archive(copy).findings


def test_removing_games(copy: Path, games: dict[str, bytes]) -> None:
    before = load(copy).games
    with pytest.raises(SetupError, match="no game 'nobody'"):
        remove_games(copy, ["odd", "nobody"])
    assert load(copy).games == before
    assert remove_games(copy, ["odd", "sealed"]) == 2
    assert load(copy).games == before - 2
    with pytest.raises(SetupError, match="no game 'odd'"):
        get_game(copy, "odd")
    assert get_game(copy, "played") == games["played"]
    assert not verify_archive(copy).findings
    listed = {part_path(copy, part, t).name for part in load(copy).parts for t in TABLES}
    assert {path.name for path in (copy / "parts").iterdir()} == listed


def test_what_is_being_read_is_not_swept(copy: Path) -> None:
    with open_archive(copy) as con:
        before = con.execute("select count(*) from events").fetchall()
        remove_games(copy, ["odd"])
        assert con.execute("select count(*) from events").fetchall() == before


def test_rebuilding(copy: Path, games: dict[str, bytes]) -> None:
    done = rebuild_archive(copy)
    assert done.games == load(copy).games
    assert not verify_archive(copy).findings
    assert all(get_game(copy, game) == data for game, data in games.items())
    forge(copy, "events", "update t set card = 'R1' where game = 'odd' and n = 1")
    with pytest.raises(ArchiveError, match="odd"):
        rebuild_archive(copy)
    assert load(copy).games == done.games
