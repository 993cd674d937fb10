"""`breakpoint()` in the program's own code is a stop like any other."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from hookstepper.host.code_frames import line_frames
from hookstepper.host.probe import HostProbe
from hookstepper.host.recorder import Recorder
from hookstepper.model.gates import Act, Site
from hookstepper.ports.target import Adapter
from hookstepper.ports.verdict import Abort, Point, RunAborted
from hookstepper.ports.watching import Here, LocatingAdapter

VARIABLE = "PYTHONBREAKPOINT"
ACTS: frozenset[Act] = frozenset({"proceed"})
Hold = Callable[[FrameType], bool]
"""Holds the calling thread where a frame of the program is; False if there is nobody to hold it for."""


@contextmanager
def landing(hold: Hold) -> Iterator[None]:
    """While entered, `breakpoint()` stops here; Python's own rules go before.

    `PYTHONBREAKPOINT=0` switches it off, any other value names what is called instead, and a hook that the
    program sets itself stays. Where nobody holds, the hook that was there before is called.
    """
    before = sys.breakpointhook

    def hook(*args: object, **options: object) -> object:
        if os.environ.get(VARIABLE):
            return sys.__breakpointhook__(*args, **options)
        if hold(sys._getframe(1)):
            return None
        return before(*args, **options)

    sys.breakpointhook = hook
    try:
        yield
    finally:
        if sys.breakpointhook is hook:
            sys.breakpointhook = before


def stop_at(frame: FrameType, adapter: Adapter, probe: HostProbe, recorder: Recorder) -> bool:
    """Hold the calling thread; False if no node runs, so that there is no run that could be held.

    Raises:
        RunAborted: a person ended the run meanwhile.
    """
    place = _place(adapter, recorder)
    if place is None:
        return False
    code = frame.f_code
    site = Site("line", place.site.node, code.co_name)
    point = Point(site, "enter", place.task, place.superstep, None, ACTS)
    detail = f"{os.path.basename(code.co_filename)}:{frame.f_lineno}"  # noqa: PTH119
    verdict = probe.hold_at_line(point, line_frames(frame, recorder.codec), "code", detail)
    if isinstance(verdict, Abort):
        raise RunAborted
    return True


def _place(adapter: Adapter, recorder: Recorder) -> Here | None:
    """The task that runs the calling code; on a thread of the program's own, what was entered last."""
    found = adapter.here() if isinstance(adapter, LocatingAdapter) else None
    if found is not None:
        return found
    running = recorder.running
    return Here(running.site, running.task, running.superstep) if running is not None else None
