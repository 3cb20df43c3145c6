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
    done = run_cli("report", "--archive", archive, "--html", log)
    assert done.returncode == 3
    assert log.read_bytes() == (ROOT / "fixtures/golden/2-players.jsonl").read_bytes()


def test_no_such_report(archive: Path, tmp_path: Path) -> None:
    done = run_cli("report", "nothing", "--archive", archive, "--html", tmp_path / "x.html")
    assert done.returncode == 2
    assert b"no report" in done.stderr
