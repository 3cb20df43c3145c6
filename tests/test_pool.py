"""Processes that work on items: reports in order, within bounds, and nobody left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from typing import ClassVar

import pytest

from tenlog.pool import Job, in_order
from tests.support import ROOT


class Times(Job[int, str]):
    """Says each number so many times; negative ones end their process, 99 takes for ever."""

    items: ClassVar = int
    reports: ClassVar = str

    def work(self, item: int) -> Iterator[str]:
        if item < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        for n in range(item):
            time.sleep(600 if item == 99 else 0)
            yield f"{item}.{n}"

    def size(self, item: int) -> int:
        return 1

    def here(self, item: int) -> bool:
        return item == 7

    def died(self, item: int) -> str:
        return f"{item} died"


def said(items: list[int], jobs: int) -> list[tuple[int, str]]:
    return list(in_order(iter(items), Times(), jobs, 1))


@pytest.mark.parametrize("jobs", [2, 3])
def test_the_order_is_that_of_the_items(jobs: int) -> None:
    items = [5, 0, 7, 1, 30, 7, 2, 7, 0, 3]
    assert said(items, jobs) == said(items, 1)
    assert said([], jobs) == []


def test_a_process_that_dies_costs_one_item() -> None:
    assert said([1, -1, 2, -2, 3], 2) == [
        (1, "1.0"),
        (-1, "-1 died"),
        *[(2, f"2.{n}") for n in range(2)],
        (-2, "-2 died"),
        *[(3, f"3.{n}") for n in range(3)],
    ]


def test_none_is_started_for_little(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tenlog.pool._Worker", None)  # nobody can be
    assert len(list(in_order(iter([1, 2, 3]), Times(), 8, 4))) == 6
    assert len(list(in_order(iter([3]), Times(), 8, 0))) == 3
    with pytest.raises(TypeError):
        list(in_order(iter([1, 2, 3]), Times(), 8, 3))


def test_closing_ends_what_goes_on_for_ever() -> None:
    began = time.monotonic()
    with closing(in_order(iter([1, 99, 99]), Times(), 2, 1)) as reports:
        assert next(reports) == (1, "1.0")
    assert time.monotonic() - began < 60


_FOR_EVER = """
import sys
from tenlog.pool import in_order
from tests.test_pool import Times
for item, report in in_order(iter([1, 99, 99]), Times(), 2, 1):
    print(report, flush=True)
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_nobody_outlives_the_process_that_asked(how: signal.Signals) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", _FOR_EVER],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"1.0\n"
    process.send_signal(how)
    process.communicate(timeout=60)  # the pipe is closed when all of them have ended
    assert process.returncode != 0
