"""Streams inside an update: a node may return an iterator as a value, whose pieces are handed out at once."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from hookstepper.engine.effects import Call, Effects, Emit, Here, Tell
from hookstepper.engine.errors import RunError
from hookstepper.engine.outputs import StreamingOutput
from hookstepper.model.ids import NodeId
from hookstepper.ports.facts import TextStreamed

if TYPE_CHECKING:
    from hookstepper.engine.loop import Run

_END = object()


def drain(run: Run, node: NodeId, update: dict[str, Any]) -> Effects[dict[str, Any]]:
    """The update once its stream, if it has one, has run dry.

    The first value that is an iterator, sync or async, is the stream. Its pieces become outputs; a last
    mapping is merged over the rest of the update; other pieces leave nothing behind.

    Raises:
        RunError: the stream was empty.
    """
    key = next((key for key, value in update.items() if isinstance(value, (Iterator, AsyncIterator))), None)
    if key is None:
        return update
    stream = update.pop(key)
    driver = yield Here()
    step = anext if isinstance(stream, AsyncIterator) else next
    piece = yield Call(step, (stream, _END))
    if piece is _END:
        raise RunError(
            f"node {node!r} returned an empty stream under {key!r}",
            hint="a model that fails without an error may look like this",
            upstream=f"Empty flux detected for key '{key}'. "
            "This may indicate an LLM API error with null result.",
        )
    last: Any = None
    while piece is not _END:
        last = piece
        if not isinstance(piece, Mapping):
            if isinstance(piece, str):
                yield Tell(TextStreamed(driver.task, piece))
            if run.scope.streaming:
                yield Emit(StreamingOutput(run.scope.place(node), piece))
        piece = yield Call(step, (stream, _END))
    return {**update, **last} if isinstance(last, Mapping) else update
