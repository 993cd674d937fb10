"""Which Python runs the target: the one asked for, else that of its project, else ours."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hookstepper.model.errors import UsageError


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python and why it was chosen."""

    path: str
    why: str
    """`--python`, `VIRTUAL_ENV`, `.venv` or `own`."""


def choose(asked: str | None, target_folder: Path, environment: Mapping[str, str]) -> Interpreter:
    """The interpreter for a target: `--python`, `$VIRTUAL_ENV`, the nearest `.venv` above, or ours.

    Raises:
        UsageError: the one asked for is not there.
    """
    if asked:
        found = shutil.which(asked) or (asked if os.access(asked, os.X_OK) else None)
        if found is None:
            raise UsageError(f"no interpreter {asked}", hint="--python takes a path, or a name on PATH")
        return Interpreter(found, "--python")
    active = environment.get("VIRTUAL_ENV")
    if active and (python := _python_in(Path(active))):
        return Interpreter(python, "VIRTUAL_ENV")
    for folder in (target_folder, *target_folder.parents):
        if python := _python_in(folder / ".venv"):
            return Interpreter(python, ".venv")
    return Interpreter(sys.executable, "own")


def _python_in(venv: Path) -> str | None:
    for inner in ("bin/python", "Scripts/python.exe"):
        if (venv / inner).is_file():
            return str(venv / inner)
    return None
