"""Where the command ``tenlog`` begins: little is imported here, so that Ctrl-C and standard streams
that are closed are dealt with before anything else is."""

from __future__ import annotations

import os
import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line; Ctrl-C ends it quietly, whenever it comes."""
    try:
        open_streams()
        sys.unraisablehook = hear_again
        from tenlog_cli.app import main as run

        run()
    except (Exception, KeyboardInterrupt) as error:
        if not interrupted(error):
            raise
        raise SystemExit(130) from None


def interrupted(error: BaseException | None) -> bool:
    """Whether Ctrl-C is what led to this: one that comes while a module is imported or a class is
    made may be passed on as another error (``__set_name__`` before Python 3.12, for instance)."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def hear_again(lost: sys.UnraisableHookArgs) -> None:
    """Ctrl-C that Python could only ignore, such as while a module is imported, comes once more."""
    if not issubclass(lost.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(lost)
        return
    import signal
    import threading

    main = threading.main_thread().ident or 0
    timer = threading.Timer(0.02, signal.pthread_kill, (main, signal.SIGINT))
    timer.daemon = True
    timer.start()


def open_streams() -> None:
    """Standard streams that are closed become the null device, so that no file of ours gets their
    numbers."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            handle = os.open(os.devnull, os.O_RDWR)
            if handle != number:  # pragma: no cover - the lowest number that is free
                os.dup2(handle, number)
                os.close(handle)
            os.set_inheritable(number, True)
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            stream = open(number, "w" if number else "r", encoding="utf-8", closefd=False)  # noqa: SIM115
            setattr(sys, name, stream)
