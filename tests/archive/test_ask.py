"""A question can read the archive, and nothing else."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tenlog.archive.ask import ask, ask_to_parquet, checked, sandbox
from tenlog.archive.catalogue import load
from tenlog.archive.formats import TEXT_FORMATS, lines_of
from tenlog.errors import ArchiveError, QueryError
from tests.support import ROOT, run_cli


def answer(root: Path, sql: str, params: dict[str, str] | None = None, **more: Any) -> list[Any]:
    with ask(root, sql, params, **more) as found:
        return [row for batch in found.batches() for row in batch]


def fingerprint(root: Path) -> dict[str, str]:
    return {
        str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


READS = [
    "select count(*) from events",
    "from games select game limit 1",
    "with a as (select 1 as x) select * from a union all select 2",
    "with recursive t as (select 1 a union all select a + 1 from t where a < 3) select * from t",
    "describe games",
    "summarize select score from players",
    "show tables",
    "explain select * from turns",
    "/* why */ explain analyze -- so\n select 1",
    "values (1)",
    "table games limit 1",
    "select unnest(winners) from games limit 1",
    "select * from range(3)",
    "select comment from duckdb_columns() where table_name = 'games' limit 1",
]


@pytest.mark.parametrize("sql", READS)
def test_what_reads_is_answered(kept: Path, sql: str) -> None:
    assert answer(kept, sql)


WRITES = [
    "copy (select 1) to '{out}'",
    "copy games to '{part}'",
    "with x as (copy (select 1) to '{out}') select 1",
    "with x as (copy (select 1) to '{part}' (use_tmp_file false)) select 1",
    "select (with x as (copy (select 1) to '{part}' (use_tmp_file false)) select 1)",
    "explain analyze copy (select 1) to '{out}'",
    "explain analyze with x as (copy (select 1) to '{part}' (use_tmp_file false)) select 1",
    "select * from query('with x as (copy (select 1) to ''{part}'') select 1')",
    "select * from query_table('games')",
    "attach '{out}'",
    "attach '{part}' as x",
    "install httpfs",
    "load httpfs",
    "select * from read_csv('{secret}')",
    "select * from read_text('{secret}')",
    "select * from read_blob('{part}')",
    "select * from '{secret}'",
    'select * from "{secret}"',
    "select * from read_parquet('{secret}')",
    "select * from read_duckdb('{secret}')",
    "select * from sniff_csv('{secret}')",
    "select * from parquet_metadata('{secret}')",
    "select * from games where game in (select file from glob('/etc/*'))",
    "select * from glob('{root}/*')",
    "set threads = 1",
    "set enable_external_access = true",
    "reset lock_configuration",
    "pragma database_list",
    "pragma enable_profiling",
    "call enable_logging()",
    "select * from enable_logging('QueryLog', storage = 'file', storage_path = '{out}')",
    "select * from enable_profiling('json', save_location = '{out}')",
    "select * from json_execute_serialized_sql(json_serialize_sql('select 1'))",
    "select * from checkpoint()",
    "select getenv('HOME')",
    "select * from secret_variable",
    "export database '{out}'",
    "import database '{out}'",
    "create table x as select 1",
    "create macro m() as 1",
    "create or replace view games as select 1",
    "drop view games",
    "insert into games select * from games",
    "with x as (insert into games select * from games returning *) select * from x",
    "with x as (delete from games returning *) select * from x",
    "delete from events",
    "begin",
    "prepare p as select 1",
    "execute p",
    "use memory",
    "set variable x = 1",
    "pivot games on players using count(*)",
    "select 1; select 2",
    "select 1; drop view games",
    "",
    "-- nothing",
]


@pytest.mark.parametrize("sql", WRITES)
def test_what_does_more_is_refused(kept: Path, tmp_path: Path, sql: str) -> None:
    secret_variable = ["do not tell"]  # noqa: F841 - what a replacement scan would find
    secret = tmp_path / "secret.csv"
    secret.write_text("a,b\n1,do not tell\n")
    out = tmp_path / "out"
    part = next((kept / "parts").glob("*.games.parquet"))
    before = fingerprint(kept)
    text = sql.format(out=out, part=part, secret=secret, root=kept)
    with pytest.raises(QueryError) as refused:
        answer(kept, text)
    assert "do not tell" not in str(refused.value)
    assert not out.exists()
    assert fingerprint(kept) == before


@pytest.mark.parametrize("sql", [sql for sql in WRITES if "{secret}" in sql or "enable" in sql])
def test_the_connection_alone_refuses_it_too(kept: Path, tmp_path: Path, sql: str) -> None:
    """Without the look at the statement, DuckDB's configuration still holds."""
    secret, out = tmp_path / "secret.csv", tmp_path / "out"
    secret.write_text("a,b\n1,do not tell\n")
    part = next((kept / "parts").glob("*.games.parquet"))
    text = sql.format(out=out, part=part, secret=secret, root=kept)
    with sandbox(kept) as con, pytest.raises(Exception, match=r"(?i)error"):
        con.execute(text).fetchall()
    assert not out.exists()


def test_a_wrong_question_is_told_where(kept: Path) -> None:
    with pytest.raises(QueryError, match=r'"scor" not found(.|\n)*LINE 1(.|\n)*\^'):
        answer(kept, "select scor from players")
    with pytest.raises(QueryError, match=r"syntax error(.|\n)*\^"):
        checked("selct 1")
    with pytest.raises(QueryError, match="2 statements"):
        checked("select 1; select 2")
    with pytest.raises(ArchiveError, match="is not there"):
        answer(kept / "nothing", "select 1")


def test_parameters_are_bound(kept: Path) -> None:
    name = "x' or true --"
    assert answer(kept, "select game from games where game = $g", {"g": name}) == []
    assert answer(kept, "select $n::int + 1", {"n": "41"}) == [(42,)]
    assert answer(kept, "select count(*) from games where seed = $s", {"s": "007/1"}) == [(1,)]
    with pytest.raises(QueryError, match="parameters"):
        answer(kept, "select $a")


def test_bounds(kept: Path) -> None:
    endless = "select sum(a.range * b.range) from range(10000000) a, range(10000000) b"
    began = time.monotonic()
    with pytest.raises(QueryError, match=r"stopped after 0\.3 seconds"):
        answer(kept, endless, timeout=0.3)
    assert time.monotonic() - began < 30
    big = "select count(*) from (select distinct range, hash(range) from range(30000000))"
    with pytest.raises(QueryError, match=r"(?i)memory"):
        answer(kept, big, memory="20MB", threads=1)
    with pytest.raises(QueryError, match="--memory"):
        answer(kept, "select 1", memory="much")


def _nested(steps: int) -> str:
    """A short question that DuckDB plans for minutes, and does not hear that it is to stop."""
    each = [f"t{i} as (select * from t{i - 1} a, t{i - 1} b limit 1)" for i in range(1, steps)]
    return f"with t0 as (select 1 as a), {', '.join(each)} select count(*) from t{steps - 1}"


@pytest.mark.parametrize(
    ("sql", "args", "said"),
    [
        (_nested(23), ["--timeout", "1"], b"tenlog: stopped after 1 seconds (--timeout)\n"),
        (
            "select len(list_resize([1], 1000000000))",
            ["--memory", "50MB"],
            b" MB of memory (--memory)\n",
        ),
    ],
    ids=["planning", "one-value"],
)
def test_bounds_hold_where_duckdb_does_not_hear(
    kept: Path, sql: str, args: list[str], said: bytes
) -> None:
    began = time.monotonic()
    done = run_cli("query", sql, "--archive", kept, *args)
    assert time.monotonic() - began < 60
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.endswith(said)
    assert done.stderr.count(b"\n") == 1


def test_an_interrupt_ends_what_does_not_hear(kept: Path) -> None:
    path = os.pathsep.join([str(ROOT), str(ROOT / "cli")])
    process = subprocess.Popen(
        [sys.executable, "-m", "tenlog", "query", _nested(23), "--archive", str(kept)],
        env={**os.environ, "PYTHONPATH": path},
        stderr=subprocess.PIPE,
    )
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=60)
    assert (process.returncode, error) == (130, b"stopped\n")


@pytest.mark.parametrize("depth", [100, 250, 400])
def test_a_deep_question_is_answered_or_refused_in_plain_words(kept: Path, depth: int) -> None:
    """How deep a tree Python reads differs by version; never less than the documentation says."""
    for sql in ("+".join(["1"] * depth), "[" * depth + "1" + "]" * depth):
        try:
            rows = answer(kept, f"select {sql}")
        except QueryError as error:
            refused = str(error)
        else:
            assert len(rows) == 1
            continue
        assert depth > 250
        assert "nested too deeply" in refused or "depth" in refused.lower()


def test_formats(kept: Path) -> None:
    sql = """select 1.50::decimal(9, 2) as a, 'x|y,"z"' as b, [1, 2] as c, null as n,
        100000000000000000000::hugeint as h, 'nan'::double as d, {'k': date '2020-01-02'} as s"""
    with ask(kept, sql) as found:
        rows = [row for batch in found.batches() for row in batch]
        columns, types = found.columns, found.types
    text = {form: "".join(lines_of(form, columns, types, rows)) for form in TEXT_FORMATS}
    expected = (
        '{"a":1.50,"b":"x|y,\\"z\\"","c":[1,2],"n":null,"h":100000000000000000000,"d":null,'
        '"s":{"k":"2020-01-02"}}'
    )
    assert text["jsonl"] == expected + "\n"
    assert json.loads(text["json"]) == [json.loads(expected)]
    assert text["csv"].splitlines()[1].startswith('1.50,"x|y,""z""","[1,2]",,1000')
    assert "x\\|y" in text["markdown"]
    assert "".join(lines_of("json", columns, types, [])) == "[]\n"


def test_parquet_out(kept: Path, tmp_path: Path) -> None:
    import duckdb

    out = tmp_path / "it's.parquet"
    assert ask_to_parquet(kept, "select game, seat from players; -- all", out) > 20
    found = duckdb.connect().execute("select count(*) from read_parquet($f)", {"f": str(out)})
    with_seats = answer(kept, "select count(*) from players")
    assert found.fetchall() == with_seats
    with pytest.raises(QueryError):
        ask_to_parquet(kept, "select 1) to '/dev/null' --", out)
    assert sorted(path.name for path in tmp_path.iterdir()) == [out.name]


def test_the_command(kept: Path, tmp_path: Path) -> None:
    sql = "select seat, count(*) as n from players group by seat order by seat"
    archive = ("--archive", kept)
    plain = run_cli("query", sql, *archive)
    assert plain.returncode == 0, plain.stderr
    assert plain.stdout.split()[:2] == [b"seat", b"n"]
    piped = run_cli("query", *archive, "--format", "csv", "--limit", "1", stdin=sql)
    assert piped.stdout.startswith(b"seat,n\n0,")
    assert piped.stdout.count(b"\n") == 2
    (tmp_path / "q.sql").write_text("select $x as x")
    out = tmp_path / "o.json"
    done = run_cli("query", "-f", tmp_path / "q.sql", "--param", "x=1=2", "-o", out, *archive)
    assert done.returncode == 0, done.stderr
    assert json.loads(out.read_bytes()) == [{"x": "1=2"}]
    wrong = run_cli("query", "select nope from games", *archive)
    assert (wrong.returncode, wrong.stdout) == (2, b"")
    assert b"LINE 1" in wrong.stderr
    assert b"Traceback" not in wrong.stderr
    refused = run_cli("query", f"copy (select 1) to '{tmp_path / 'x'}'", *archive)
    assert refused.returncode == 2
    assert b"can only read" in refused.stderr
    gone = run_cli("query", "select 1", "--archive", tmp_path / "gone")
    assert gone.returncode == 3


def test_control_characters_reach_no_terminal(kept: Path) -> None:
    done = run_cli("query", r"select chr(27) || '[31m' as x", "--archive", kept)
    assert b"\x1b" not in done.stdout
    assert b"\\x1b[31m" in done.stdout


@pytest.mark.parametrize("wait", [0.0, 0.03, 0.06, 0.1, 0.2, 2.0])
def test_interrupt(kept: Path, wait: float) -> None:
    """Once is enough, whatever DuckDB does at that moment: being loaded, starting, or asking."""
    path = os.pathsep.join([str(ROOT), str(ROOT / "cli")])
    endless = "select sum(a.range * b.range) from range(10000000) a, range(10000000) b"
    process = subprocess.Popen(
        [sys.executable, "-m", "tenlog", "query", endless, "--archive", str(kept)],
        env={**os.environ, "PYTHONPATH": path},
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    loaded = Path(f"/proc/{process.pid}/maps")
    while process.poll() is None and "_duckdb" not in loaded.read_text():
        time.sleep(0.01)
    time.sleep(wait)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=60)
    assert (process.returncode, error) == (130, b"stopped\n")


@pytest.mark.parametrize("moment", ["start", "join"])
def test_an_interrupt_while_the_watcher_starts_or_ends_is_told_once(
    kept: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    plain = getattr(threading.Thread, moment)

    def disturbed(self: threading.Thread, *args: float) -> None:
        if "_watch" in self.name:
            signal.raise_signal(signal.SIGINT)
        plain(self, *args)

    monkeypatch.setattr(threading.Thread, moment, disturbed)
    with pytest.raises(KeyboardInterrupt), ask(kept, "select 1") as asked:
        assert list(asked.batches()) == [[(1,)]]
    monkeypatch.undo()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert signal.set_wakeup_fd(-1) == -1
    assert answer(kept, "select 1")  # and what comes next is not disturbed


def test_the_fixture_is_unharmed(kept: Path) -> None:
    assert load(kept).games


def test_an_unknown_table_is_answered_with_those_there_are(kept: Path) -> None:
    with pytest.raises(QueryError, match=r"there are games, .*turns.*purchases.*query --schema"):
        answer(kept, "select * from gamez")
