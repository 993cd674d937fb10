"""Live frames of the program's own functions as data: where they are, and what their variables hold."""

from __future__ import annotations

from types import FrameType

from hookstepper.host.failures import is_mine, is_ours
from hookstepper.model.gates import Frame
from hookstepper.model.graph import SourcePlace
from hookstepper.ports.target import Codec
from hookstepper.values import Limits, encode

DEEPEST = 50
"""Frames of the program that are told; a recursion has more."""
LOCALS = Limits(text=4_000, items=100, depth=6, total=40_000)
"""What the variables of one function are cut to."""


def line_frames(frame: FrameType | None, codec: Codec) -> tuple[Frame, ...]:
    """Frames of the program's own code, innermost first; the innermost counts whoever it belongs to.

    Values are encoded as those of the state are: code of the program is called only where its codec does,
    and an object that cannot be told stands as such beside its neighbours.
    """
    found: list[Frame] = []
    while frame is not None and len(found) < DEEPEST:
        file = frame.f_code.co_filename
        if is_mine(file) or (not found and not is_ours(file)):
            found.append(_told(frame, codec))
        frame = frame.f_back
    return tuple(found)


def _told(frame: FrameType, codec: Codec) -> Frame:
    code = frame.f_code
    # A module's variables are its globals, with much that Python itself puts there.
    names = {name: value for name, value in frame.f_locals.items() if not name.startswith("__")}
    return Frame(
        "line",
        code.co_name,
        source=SourcePlace(code.co_filename, frame.f_lineno, code.co_qualname),
        locals=encode(names, codec, LOCALS),
    )
