"""The build option that compiles the engine, off unless asked for:

    HATCH_BUILD_HOOK_ENABLE_CUSTOM=1 pip wheel --no-deps .

The same sources are compiled by mypyc, and stand in the wheel beside the result. Where they can't
be compiled (no C compiler, say) the wheel is the plain one, with a warning.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompileHook(BuildHookInterface):  # type: ignore[type-arg]
    """Puts the compiled modules into the wheel."""

    PLUGIN_NAME = "custom"
    _work: str | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile; an editable install keeps the plain sources, which may still change."""
        if self.target_name != "wheel" or version == "editable":
            return
        self._work = tempfile.mkdtemp(prefix="tenlog-build-")
        work = Path(self._work)
        # Elsewhere, so that nothing is left between the sources, whatever happens.
        shutil.copytree(Path(self.root, "tenlog"), work / "tenlog")
        made = subprocess.run(
            [sys.executable, "-m", "mypyc", *self.config["modules"]],
            cwd=work,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if made.returncode:
            last = "\n".join(made.stdout.splitlines()[-8:])
            self.app.display_warning(f"not compiled, so this is the plain wheel:\n{last}")
            return
        libraries = [
            *work.glob("*__mypyc*"),
            *work.glob("tenlog/**/*.so"),
            *work.glob("tenlog/**/*.pyd"),
        ]
        for library in libraries:
            build_data["force_include"][str(library)] = library.relative_to(work).as_posix()
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Clear up."""
        if self._work is not None:
            shutil.rmtree(self._work, ignore_errors=True)
