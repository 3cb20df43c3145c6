"""What holds for all tests."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest
from hypothesis import settings

# A shell starts what it runs in the background with Ctrl-C ignored, nohup with SIGHUP, and children
# inherit that; the tests that send these to a process of their own need them as on a terminal.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

# What decides whether something lands must not depend on chance: there the properties are tried on
# the same examples each time. By hand each run tries others.
settings.register_profile("same", derandomize=True)
if os.environ.get("TENLOG_TEST_ALL"):
    settings.load_profile("same")

# Started by hand and by .ci/run: it needs atheris, which no test needs.
collect_ignore = ["fuzz/fuzz_audit.py"]


@pytest.fixture(scope="session", autouse=True)
def _home_of_all(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Nothing that a test runs may touch the games of whoever runs the tests: this holds for what
    modules share ..."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TENLOG_HOME", str(tmp_path_factory.mktemp("home")))
        yield


@pytest.fixture(autouse=True)
def _home_of_each(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """... and each test has a home of its own."""
    monkeypatch.setenv("TENLOG_HOME", str(tmp_path_factory.mktemp("home")))
