"""Standard output and error of this very process, turned into events while its terminal is lent away."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Iterator
from typing import Literal

from hookstepper.host.outbox import Outbox
from hookstepper.model.events import Output

_PIECE = 64 * 1024


@contextlib.contextmanager
def captured(outbox: Outbox) -> Iterator[None]:
    """Descriptors 1 and 2 lead to events, and 0 to nothing, until the block is left; then as before."""
    _flush()
    saved = [os.dup(fd) for fd in (0, 1, 2)]
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    drains = [_drain(1, "stdout", outbox), _drain(2, "stderr", outbox)]
    try:
        yield
    finally:
        _flush()
        for fd, copy in enumerate(saved):
            os.dup2(copy, fd)
            os.close(copy)
        for drain in drains:
            drain.join(1.0)


def _drain(fd: int, stream: Literal["stdout", "stderr"], outbox: Outbox) -> threading.Thread:
    reading, writing = os.pipe()
    os.dup2(writing, fd)
    os.close(writing)

    def drain() -> None:
        with contextlib.suppress(OSError):
            while piece := os.read(reading, _PIECE):
                outbox.put(Output(stream, piece.decode("utf-8", "replace")))
        os.close(reading)

    thread = threading.Thread(target=drain, name=f"hookstepper-{stream}", daemon=True)
    thread.start()
    return thread


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, ValueError, OSError):
            stream.flush()
