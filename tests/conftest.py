"""What holds for all tests."""

from __future__ import annotations

import signal

# A shell starts what it runs in the background with Ctrl-C ignored, and children inherit that; the
# tests that send it to a process of their own need it as on a terminal.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Started by hand and by .ci/run: it needs atheris, which no test needs.
collect_ignore = ["fuzz/fuzz_audit.py"]
