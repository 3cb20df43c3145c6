"""The archive beside the obvious alternatives, in one run.

    python tests/benchmarks/bench_archive.py LOG.jsonl      # finished games, one file
    python tests/benchmarks/bench_archive.py --games 2000   # makes the games first

CPU is that of all threads; ``one thread`` rows are the comparison that a shared machine allows. The
real command, start-up included, is timed with one process and with two.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
import msgspec

from tenlog.archive import ArchiveWriter, add_logs, get_game
from tenlog.archive import open as open_archive
from tenlog.archive.read import archive_info
from tenlog.archive.reports import NAMES, run_report
from tenlog.archive.verify import verify_archive
from tenlog.log.read import read_games
from tenlog.log.store import encode_game
from tests.support import ROOT, play_game

_JSON = """read_json('{log}', format = 'newline_delimited', columns = {{n: 'INTEGER',
  ev: 'STRUCT("type" VARCHAR, game VARCHAR, seat INTEGER, card VARCHAR, amount INTEGER,
    price INTEGER, payment STRUCT(tokens INTEGER, busts INTEGER, cards VARCHAR[]), cause VARCHAR,
    gains INTEGER[], bust_tokens INTEGER, tokens INTEGER, cards VARCHAR[])', h: 'VARCHAR'}})"""
_FLAT = """ev."type" as "type", ev.seat as seat, ev.card as card, ev.amount as amount,
  ev.price as price, coalesce(ev.payment.tokens, ev.tokens) as tokens,
  coalesce(ev.payment.busts, ev.bust_tokens) as busts, ev.cause as cause, ev.gains as gains,
  coalesce(ev.payment.cards, ev.cards) as cards, h is not null as seal"""


def timed(what: str, events: int, do: Callable[[], object]) -> object:
    wall, cpu = time.perf_counter(), time.process_time()
    result = do()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    rate = (
        f"{events / wall / 1e3:9.0f} k/s wall {events / cpu / 1e3:9.0f} k/s CPU" if events else ""
    )
    print(f"{what:44s} {wall * 1e3:10.1f} ms {rate}", flush=True)
    return result


def wall_time(folder: Path, log: Path, jobs: int, *args: str) -> float:
    """Seconds until the command is done, the best of three."""
    best = float("inf")
    root = folder / "jobs"
    command = [sys.executable, "-m", "tenlog", "archive", "add", str(log), "--archive", str(root)]
    env = {"PYTHONPATH": f"{ROOT}:{ROOT / 'cli'}", "PATH": "/usr/bin:/bin"}
    for _ in range(3):
        began = time.perf_counter()
        subprocess.run([*command, "-q", "--jobs", str(jobs), *args], check=True, env=env)
        best = min(best, time.perf_counter() - began)
        shutil.rmtree(root)
    return best


def make(folder: Path, games: int) -> Path:
    log = folder / "games.jsonl"
    with log.open("wb") as file:
        for i in range(games):
            events, _ = play_game(f"bench/{i}", 4, game=f"bench-{i:07d}")
            file.write(encode_game(events, bots=["random"] * 4))
    return log


def adding(folder: Path, log: Path) -> Path:
    root = folder / "archive"
    with log.open("rb") as file:
        count = sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))
    print(f"{log.stat().st_size / 1e6:.0f} MB, {count:,} events")
    timed("add --audit none, proved", count, lambda: add_logs(root, [str(log)], audit="none"))
    info = archive_info(root)
    print(f"  {info.games:,} games, {info.bytes / info.events:.2f} bytes an event")
    for threads in (1, 2):
        con = duckdb.connect(config={"threads": threads})
        out = folder / "plain.parquet"
        source = f"select n, {_FLAT} from {_JSON.format(log=log)}"
        copy = f"copy ({source}) to '{out}' (format parquet, compression zstd)"
        timed(
            f"read_json to Parquet, nothing proved, {threads} threads",
            count,
            lambda con=con, copy=copy: con.execute(copy),  # type: ignore[misc]
        )
    print(f"  {out.stat().st_size / count:.2f} bytes an event")
    few = folder / "few.jsonl"
    with log.open("rb") as file:
        data = file.read(20_000_000)
    few.write_bytes(data[: data.rindex(b'\n{"n":0,') + 1])
    for audit in ("full", "seals", "none"):
        count = few.read_bytes().count(b"\n")
        timed(
            f"add --audit {audit} ({count:,} events)",
            count,
            lambda a=audit: add_logs(folder / a, [str(few)], audit=a),  # type: ignore[misc]
        )
    for args in ((), ("--audit", "none")):
        one, two = (wall_time(folder, log, jobs, *args) for jobs in (1, 2))
        what = " ".join(["tenlog archive add", *args])
        print(f"{what:36} one process {one:6.2f} s, two {two:6.2f} s: {one / two:.2f} times")
    logs = [(log.events, log.bots) for log in read_games(few)]

    def write() -> None:
        with ArchiveWriter(folder / "writer") as writer:
            for events, bots in logs:
                writer.add(events, bots=bots)
            writer.commit("key")

    timed("ArchiveWriter.add from events, and commit", count, write)
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")
    return root


def load_sqlite(folder: Path, log: Path) -> sqlite3.Connection:
    con = sqlite3.connect(folder / "events.sqlite")
    con.execute("create table events (game text, n int, type text, seat int, card text, ev text)")

    def rows() -> object:
        game = ""
        for line in log.open("rb"):
            value = msgspec.json.decode(line)
            event = value["ev"]
            game = event.get("game", game)
            yield (
                game,
                value["n"],
                event["type"],
                event.get("seat"),
                event.get("card"),
                json.dumps(event),
            )

    con.executemany("insert into events values (?,?,?,?,?,?)", rows())  # type: ignore[arg-type]
    con.execute("create index by_game on events (game, n)")
    con.execute("create index by_type on events (type)")
    con.commit()
    return con


def asking(folder: Path, root: Path, log: Path, sqlite: bool) -> None:
    with open_archive(root) as con:
        games = [row[0] for row in con.execute("select game from games").fetchall()]
        middle = games[len(games) // 2]
        by_type = "select type, count(*) from events group by type order by 2 desc"
        for _ in range(2):
            timed("archive: count by type", 0, lambda: con.execute(by_type).fetchall())
        timed(
            "archive: states of one game",
            0,
            lambda: con.execute("select * from states where game = ?", [middle]).fetchall(),
        )
    timed("archive get, one game", 0, lambda: get_game(root, middle))
    for name in NAMES:
        timed(f"report {name}", 0, lambda n=name: run_report(root, n))  # type: ignore[misc]
    timed("archive verify --files", 0, lambda: verify_archive(root, files_only=True))
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")
    source = _JSON.format(log=log)
    con = duckdb.connect()
    asked = f'select ev."type", count(*) from {source} group by 1'
    timed("read_json: count by type", 0, lambda: con.execute(asked).fetchall())
    if sqlite:
        lite = timed("SQLite: load and index", 0, lambda: load_sqlite(folder, log))
        assert isinstance(lite, sqlite3.Connection)
        timed("SQLite: count by type", 0, lambda: lite.execute(by_type).fetchall())
        asked = "select * from events where game = ? order by n"
        timed("SQLite: events of one game", 0, lambda: lite.execute(asked, [middle]).fetchall())
        size = (folder / "events.sqlite").stat().st_size
        total = archive_info(root).events
        print(f"  SQLite: {size / total:.0f} bytes an event")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("log", nargs="?", type=Path)
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--no-sqlite", action="store_true")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="bench-archive-"))
    try:
        print(f"Python {sys.version.split()[0]}, DuckDB {duckdb.__version__}")
        log = options.log or make(folder, options.games)
        root = adding(folder, log)
        asking(folder, root, log, not options.no_sqlite)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
