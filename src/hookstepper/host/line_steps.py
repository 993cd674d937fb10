"""Line stepping in the program's own code: traced only while asked, on the one thread that is stepped.

By `sys.settrace`, which every supported Python has; nothing is installed before a person asks.
"""

from __future__ import annotations

import asyncio
import functools
import os
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any, Literal, TypeAlias, cast

from hookstepper.host.failures import is_mine
from hookstepper.model.gates import Act, Site
from hookstepper.ports.verdict import Abort, Point, RunAborted, Verdict

How: TypeAlias = Literal["line.into", "line.over", "line.out"]
LINE_COMMANDS = frozenset({"line.into", "line.over", "line.out"})
ACTS: frozenset[Act] = frozenset({"proceed"})
Hold: TypeAlias = Callable[[Point, FrameType, str], Verdict]
"""Holds the calling thread at a line; the detail is `file.py:12`."""


@functools.lru_cache(maxsize=4_096)
def _mine(file: str) -> bool:
    """True for files of the program; what dataclasses and the like compile has none."""
    return not file.startswith("<") and is_mine(file)


class LineSteps:
    """The stepping of each thread that is stepped now."""

    def __init__(self, hold: Hold) -> None:
        self._hold = hold
        self._stepped: dict[int, _Tracer] = {}

    def follow(self, how: str, point: Point, frame: FrameType | None = None) -> None:
        """A task of the calling thread was let go by a command: step its lines, or no longer."""
        thread = threading.get_ident()
        tracer = self._stepped.get(thread)
        if how not in LINE_COMMANDS:
            if tracer is not None:
                del self._stepped[thread]
                sys.settrace(None)
            return
        if tracer is None or frame is None:
            tracer = self._stepped[thread] = _Tracer(self._hold, point)
        tracer.go(cast(How, how), frame)


class _Tracer:
    """Stops one task at lines of the program's own functions."""

    def __init__(self, hold: Hold, point: Point) -> None:
        self._hold = hold
        self._point = point
        self._task = _current_task()
        self._how: How = "line.into"
        self._frames: tuple[FrameType, ...] = ()
        """The program's own frames at the last stop, innermost first."""

    def go(self, how: How, frame: FrameType | None) -> None:
        self._frames = tuple(_own(frame))
        self._how = how if self._frames else "line.into"
        for own in self._frames:
            own.f_trace = self._local
        sys.settrace(self._called)

    def _called(self, frame: FrameType, event: str, arg: object) -> Any:  # noqa: ARG002
        if not _mine(frame.f_code.co_filename):
            return None
        if self._how != "line.into" and not any(frame is known for known in self._frames):
            return None
        if self._task is not None and _current_task() is not self._task:
            return None
        return self._local

    def _local(self, frame: FrameType, event: str, arg: object) -> Any:  # noqa: ARG002
        if event == "line" and self._stops_in(frame):
            code = frame.f_code
            site = Site("line", self._point.site.node, code.co_name)
            point = Point(site, "enter", self._point.task, self._point.superstep, None, ACTS)
            detail = f"{os.path.basename(code.co_filename)}:{frame.f_lineno}"  # noqa: PTH119
            if isinstance(self._hold(point, frame, detail), Abort):
                raise RunAborted
        return self._local

    def _stops_in(self, frame: FrameType) -> bool:
        if self._how == "line.into" or not self._frames:
            return True
        where = self._frames if self._how == "line.over" else self._frames[1:]
        return any(frame is known for known in where)


def _own(frame: FrameType | None) -> list[FrameType]:
    found: list[FrameType] = []
    while frame is not None:
        if _mine(frame.f_code.co_filename):
            found.append(frame)
        frame = frame.f_back
    return found


def _current_task() -> object:
    return asyncio.current_task() if asyncio._get_running_loop() is not None else None
