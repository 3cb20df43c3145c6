"""The data set for other programs, read without tenlog."""

from __future__ import annotations

from pathlib import Path

import pytest

from tenlog.archive import open as open_archive
from tenlog.archive.manage import export_archive
from tenlog.archive.schema import COLUMNS
from tenlog.errors import ArchiveError
from tests.support import run_cli

_SUMS = "select count(*), sum(draws), sum(total), count(gains), max(n) from turns"


def test_read_by_duckdb_alone(kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import duckdb

    out = tmp_path / "data"
    games = export_archive(kept, out)
    monkeypatch.chdir(out)
    con = duckdb.connect()
    con.execute((out / "schema.sql").read_text())
    with open_archive(kept) as ours:
        assert ours.execute("select count(*) from games").fetchall() == [(games,)]
        for sql in (
            _SUMS,
            "select * from games order by game",
            "select * from players order by game, seat",
            "select * from events order by game, n",
            "select * from turns order by game, turn",
            "select * from draws order by game, n",
            "select * from auctions order by game, auction",
            "select * from purchases order by game, n",
            "select * from states order by game, n, seat",
        ):
            assert con.execute(sql).fetchall() == ours.execute(sql).fetchall()
    with pytest.raises(ArchiveError, match="there already"):
        export_archive(kept, out)


def test_read_by_polars(kept: Path, tmp_path: Path) -> None:
    polars = pytest.importorskip("polars")
    out = tmp_path / "data"
    assert run_cli("archive", "export", out, "--archive", kept).returncode == 0
    events = polars.scan_parquet(out / "events", hive_partitioning=True).collect()
    games = polars.scan_parquet(out / "games", hive_partitioning=True).collect()
    assert events.height == games["events"].sum()
    assert set(games["ruleset"].unique()) == {"ten/1", "odd/1"}
    drawn = events.filter(polars.col("type") == "CardDrawn").height
    with open_archive(kept) as con:
        found = con.execute("select count(*) from events where type = 'CardDrawn'").fetchall()
    assert found == [(drawn,)]
    assert sorted(path.name for path in out.iterdir()) == sorted([*COLUMNS, "schema.sql"])
