"""Exceptions of the user's program as data: message, traceback, and which lines are the user's own."""

from __future__ import annotations

import linecache
import os
import sys
import sysconfig
import traceback
from pathlib import Path
from types import TracebackType

from hookstepper.model.events import Failure, TraceLine
from hookstepper.model.graph import SourcePlace

_OURS = str(Path(__file__).resolve().parent.parent)
_MOST_LINES = 200
_MOST_TEXT = 4_000


def failure_of(error: BaseException, *, hint: str = "") -> Failure:
    """An exception told in full; never raises, also when its `__str__` does.

    Frames of hookstepper are left out; frames of the standard library and of installed packages are kept
    and marked as not the user's own.
    """
    return Failure(type(error).__name__, _text(error), _lines(error), hint or _hint(error))


def _text(error: BaseException) -> str:
    try:
        if isinstance(error, SyntaxError) and error.filename:
            return f"{error.msg} ({Path(error.filename).name}, line {error.lineno})"
        return str(error)[:_MOST_TEXT]
    except Exception as second:
        return f"(its message could not be read: {type(second).__name__})"


def _lines(error: BaseException) -> tuple[TraceLine, ...]:
    lines = [line for line in _walk(error.__traceback__) if not line.place.file.startswith(_OURS)]
    if isinstance(error, SyntaxError) and error.filename:
        lines.append(_line(error.filename, error.lineno, ""))
    return tuple(lines[-_MOST_LINES:])


def _walk(trace: TracebackType | None) -> list[TraceLine]:
    out = []
    for frame, line_number in traceback.walk_tb(trace):
        code = frame.f_code
        out.append(_line(code.co_filename, line_number, code.co_qualname))
    return out


def _line(file: str, line: int | None, function: str) -> TraceLine:
    code = linecache.getline(file, line).rstrip("\n") if line else ""
    return TraceLine(SourcePlace(file, line, function), code[:_MOST_TEXT], is_mine(file))


def is_ours(file: str) -> bool:
    """True if a file is hookstepper's own."""
    return file.startswith(_OURS)


def is_mine(file: str) -> bool:
    """True if a file is the user's own: not hookstepper, not installed, not frozen into the interpreter."""
    if not file or file.startswith(("<frozen", _OURS)):
        return False
    paths = sysconfig.get_paths()
    installed = [paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    return "site-packages" not in file and not any(file.startswith(root) for root in installed)


def _hint(error: BaseException) -> str:
    if isinstance(error, ModuleNotFoundError) and error.name:
        return f"this interpreter is {sys.executable}; install it there, or choose another with --python"
    if isinstance(error, EOFError):
        return "input() has no terminal here: the agent runs in a process of its own; ask with an interrupt"
    if isinstance(error, RecursionError):
        return "a function calls itself without end"
    return ""


def interpreter_name() -> str:
    """`Python 3.12.1 (.venv)`: version, and the virtual environment if there is one."""
    version = ".".join(map(str, sys.version_info[:3]))
    in_venv = sys.prefix != sys.base_prefix
    return f"Python {version}" + (f" ({os.path.basename(sys.prefix)})" if in_venv else "")  # noqa: PTH119
