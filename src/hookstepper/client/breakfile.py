"""Breakpoints kept in a file that a person can read: JSON, one breakpoint a line."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from hookstepper.client.options import TargetOptions
from hookstepper.model.breakpoints import Breakpoint, kept_mutes
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


def kept_breakpoints(options: TargetOptions) -> tuple[tuple[Breakpoint, ...], tuple[Breakpoint, ...]]:
    """A person's breakpoints, of the file and then of the command line; apart, the graph's that are muted.

    Raises:
        UsageError: the file is there and holds something else.
    """
    file = options.breakpoints_file
    found = read_breakpoints(file) if file is not None else ()
    kept = tuple(b for b in found if b.origin == "person")
    first = max((b.id for b in kept), default=0) + 1
    known = {replace(b, id=0) for b in kept}
    new = [b for b in options.breakpoints if replace(b, id=0) not in known]
    muted = tuple(b for b in found if b.origin == "graph")
    return (*kept, *(replace(b, id=number) for number, b in enumerate(new, first))), muted


def keep_breakpoints(
    options: TargetOptions, breakpoints: tuple[Breakpoint, ...], compiled: tuple[Breakpoint, ...]
) -> str:
    """Write a person's breakpoints, and what is muted of the graph's, if they are to be kept.

    Returns:
        Why they could not be written, else an empty string.
    """
    if options.breakpoints_file is None:
        return ""
    try:
        write_breakpoints(options.breakpoints_file, (*breakpoints, *kept_mutes(compiled)))
    except OSError as error:
        return f"{options.breakpoints_file}: {error.strerror}"
    return ""
