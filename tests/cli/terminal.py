"""The real program on a pseudo-terminal, and the screen that a person would see."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pexpect
import pyte

from tests.support import ROOT

ESCAPES = re.compile(r"\x1b(\[[0-9;?]*[A-Za-z]|[=>])")


class Terminal:
    """A running ``tenlog``. What it prints is kept raw, and drawn on a screen.

    Attributes:
        raw: everything that was printed.
        screen: what stands on the screen now.
    """

    def __init__(
        self, *args: str, home: Path, columns: int = 80, lines: int = 24, **env: str
    ) -> None:
        variables = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "cli")]),
            "TERM": "xterm-256color",
            "TENLOG_HOME": str(home),
            "PYTHONIOENCODING": "utf-8",
            **env,
        }
        for name in ("COLUMNS", "LINES", "NO_COLOR"):
            if name not in env:
                variables.pop(name, None)
        self.raw = ""
        self.screen = pyte.Screen(columns, lines)
        self._stream = pyte.Stream(self.screen)
        self.child: pexpect.spawn[str] = pexpect.spawn(
            sys.executable,
            ["-m", "tenlog", *args],
            env=variables,
            cwd=str(home),
            dimensions=(lines, columns),
            encoding="utf-8",
            timeout=60,
        )
        self.child.delaybeforesend = None

    def _took(self) -> str:
        before, after = self.child.before, self.child.after
        text = (before if isinstance(before, str) else "") + (
            after if isinstance(after, str) else ""
        )
        self.raw += text
        self._stream.feed(text)
        return text

    def until(self, *patterns: str) -> tuple[int, str]:
        """Wait for one of some patterns: which one it was, and what was printed until then."""
        found = self.child.expect([*patterns])
        return found, self._took()

    def type(self, text: str) -> None:
        """Type on the keyboard."""
        self.child.send(text)

    def finish(self) -> int:
        """Wait for the end of the program: its exit code (or minus the signal)."""
        self.child.expect(pexpect.EOF)
        self._took()
        self.child.close()
        status = self.child.exitstatus
        return status if status is not None else -(self.child.signalstatus or 0)

    @property
    def text(self) -> str:
        """What was printed, without escapes."""
        return ESCAPES.sub("", self.raw).replace("\r", "")

    @property
    def shown(self) -> list[str]:
        """The lines of the screen."""
        return [line.rstrip() for line in self.screen.display]
