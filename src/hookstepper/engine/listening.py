"""Tells listeners what happens; what they raise is logged and dropped."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Literal

from hookstepper.engine.config import LISTENER_LIMIT
from hookstepper.engine.effects import Call, Effects
from hookstepper.engine.state import State
from hookstepper.model.ids import NodeId

if TYPE_CHECKING:
    from hookstepper.engine.loop import Run

_LOG = logging.getLogger("hookstepper.engine")

Event = Literal["on_start", "before", "after", "on_error", "on_complete"]


def announce(
    run: Run,
    event: Event,
    node: NodeId,
    error: BaseException | None = None,
    *,
    state: State | None = None,
    in_branch: bool = False,
) -> Effects[None]:
    """Call that method of every listener, in order of registration; in branches in the reverse order.

    With `compat="upstream"` a listener that raises in a branch keeps the others from hearing that event.
    """
    listeners = run.setup.listeners[:LISTENER_LIMIT]
    if not listeners:
        return
    args: tuple[Any, ...] = (node, (state or run.state).data)
    if event == "on_error":
        args += (error, run.config)
    elif event in ("before", "after"):
        args += (run.config, int(run.setup.now() * 1000))
    else:
        args += (run.config,)
    for listener in reversed(listeners) if in_branch and not run.fixed else listeners:
        method = getattr(listener, event, None)
        if method is None:
            continue
        try:
            yield Call(method, args)
        except Exception as trouble:
            _LOG.warning("listener %s failed in %s of %s: %r", type(listener).__name__, event, node, trouble)
            if in_branch and not run.fixed:
                return
