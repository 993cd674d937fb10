"""Breakpoints kept in a file that a person can read: JSON, one breakpoint a line."""

from __future__ import annotations

import json
from pathlib import Path

from hookstepper.model.breakpoints import Breakpoint
from hookstepper.model.errors import InvalidValueError, UsageError
from hookstepper.model.jsonform import from_json, to_json


def read_breakpoints(path: Path) -> tuple[Breakpoint, ...]:
    """The breakpoints in a file; none if there is no such file yet.

    Raises:
        UsageError: the file is there and holds something else.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return from_json(tuple[Breakpoint, ...], data)
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is not JSON: {error}", hint="a list of breakpoints") from None
    except InvalidValueError as error:
        where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.path)
        raise UsageError(f"{path}: {where} {error.message}", hint="a list of breakpoints") from None


def write_breakpoints(path: Path, breakpoints: tuple[Breakpoint, ...]) -> None:
    """Replace the file as a whole, so that a crash leaves the old one or the new one.

    Raises:
        OSError: it cannot be written.
    """
    lines = ",\n".join(f"  {json.dumps(to_json(b), ensure_ascii=False)}" for b in breakpoints)
    fresh = path.with_name(f"{path.name}.new")
    fresh.write_text(f"[\n{lines}\n]\n" if lines else "[]\n", encoding="utf-8")
    fresh.replace(path)
