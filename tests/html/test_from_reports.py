"""``report --html``: from the archive to a page and pictures, through the real command."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import ROOT, run_cli


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reports")
    done = run_cli(
        "simulate", "-n", "20", "--bots", "random,cautious", "--seed", "</script>", "--archive",
        folder / "a", "-q", env={"TENLOG_HOME": str(folder)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return folder / "a"


def test_all_reports_on_one_page_with_the_manifest(archive: Path, tmp_path: Path) -> None:
    (run,) = archive.parent.glob("runs/*/run.json")
    page = tmp_path / "report.html"
    done = run_cli("report", "--archive", archive, "--html", page, "--run", run)
    assert (done.returncode, done.stderr) == (0, b"")
    text = page.read_text(encoding="utf-8")
    for name in ("seats", "bots", "busts", "auctions", "scores"):
        assert f'id="{name}"' in text
    assert "select" in text.lower()
    assert "&lt;/script&gt;" in text
    assert "</script></dd>" not in text
    assert "http://" not in text.replace("http://www.w3.org/2000/svg", "")


def test_pictures_for_papers(archive: Path, tmp_path: Path) -> None:
    done = run_cli("report", "seats", "--archive", archive, "--svg", tmp_path, "--png", tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "seats.svg").read_bytes().startswith((b"<svg", b"<?xml"))
    assert (tmp_path / "seats.png").read_bytes().startswith(b"\x89PNG")


def test_a_log_is_never_overwritten(archive: Path, tmp_path: Path) -> None:
    log = tmp_path / "game.jsonl"
    log.write_bytes((ROOT / "fixtures/golden/2-players.jsonl").read_bytes())
    for more in ((), ("--overwrite",)):
        done = run_cli("report", "--archive", archive, "--html", log, *more)
        assert done.returncode == 3
    assert log.read_bytes() == (ROOT / "fixtures/golden/2-players.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("option", "written", "name"),
    [("--html", "r.html", "r.html"), ("--svg", ".", "seats.svg"), ("--png", ".", "seats.png")],
)
def test_what_is_there_is_only_replaced_if_told_so(
    archive: Path, tmp_path: Path, option: str, written: str, name: str
) -> None:
    there = tmp_path / name
    command = ("report", "seats", "--archive", archive, option, tmp_path / written)
    assert run_cli(*command).returncode == 0
    page = there.read_bytes()
    there.write_bytes(b"<!doctype html>")
    refused = run_cli(*command)
    assert refused.returncode == 3
    assert f"{there} is there already: name another file, or" in refused.stderr.decode()
    assert there.read_bytes() == b"<!doctype html>"
    assert run_cli(*command, "--overwrite").returncode == 0
    assert there.read_bytes() == page


def test_a_page_says_of_which_games_it_is(archive: Path, tmp_path: Path) -> None:
    def page(*options: str) -> str:
        done = run_cli("report", "--archive", archive, "--html", "-", *options)
        assert done.returncode == 0, done.stderr
        return done.stdout.decode()

    (tmp_path / "fast.toml").write_text('name = "house/fast"\nbust_limit = 12\n')
    simulated = run_cli(
        "simulate", "-n", "2", "--bots", "random,cautious", "--seed", "f", "--archive", archive,
        "--rules", tmp_path / "fast.toml", "-q", env={"TENLOG_HOME": str(tmp_path)},
    )  # fmt: skip
    assert simulated.returncode == 0, simulated.stderr
    assert "<p>Pools 2 rulesets (house/fast, ten/1).</p>" in page("busts")
    narrowed = page("--ruleset", "house/fast", "--players", "2")
    assert "Only games of house/fast at tables of 2." in narrowed
    assert "Pools" not in narrowed
    assert "where ruleset in (&#39;house/fast&#39;) and players in (2)" in narrowed


def test_no_such_report(archive: Path, tmp_path: Path) -> None:
    done = run_cli("report", "nothing", "--archive", archive, "--html", tmp_path / "x.html")
    assert done.returncode == 2
    assert b"no report" in done.stderr
