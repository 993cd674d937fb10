"""What LangGraph's tersest errors mean: which nodes wrote the same key, which way a router did not have.

Sources of the cases: `LastValue.update` of `langgraph.channels` raises for a second value in one
superstep and names the key alone; `BranchSpec._finish` of `langgraph.graph._branch` looks the router's
answer up in its map and lets the bare KeyError through; `create_agent` of `langchain.agents.factory` passes
hooks their state by place and `runtime` by name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from hookstepper.adapters.langgraph.names import hook_kind, their_name
from hookstepper.adapters.langgraph.scopes import Scope
from hookstepper.adapters.langgraph.tasks import LiveTask
from hookstepper.model.ids import NodeId, scope_of
from hookstepper.values.preview import preview

_TWICE = re.compile(r"At key '(.+?)': Can receive only one value per step")
_NO_RUNTIME = re.compile(r"missing \d+ required positional argument")
_WIDE = 40


def explained(
    error: BaseException, place: NodeId | None, scopes: Mapping[str, Scope], tasks: Sequence[LiveTask]
) -> str:
    """One sentence about the failure of a run; empty if its own message says enough.

    Args:
        place: the node that failed, as far as it is known.
        tasks: tasks of the superstep that was not committed.
    """
    twice = _TWICE.search(str(error)) if type(error).__name__ == "InvalidUpdateError" else None
    if twice is not None:
        return _writers(twice.group(1), tasks)
    if place is None:
        return ""
    if isinstance(error, KeyError) and error.args and _raised_in(error, "langgraph.graph"):
        return _ways(error.args[0], place, scopes)
    if isinstance(error, TypeError) and _NO_RUNTIME.search(str(error)):
        # Raised by the call of the hook, not by a call inside of it.
        is_hook = hook_kind(their_name(place)) is not None and _raised_in(error, "langgraph.")
        return "LangChain passes a hook its state, and `runtime` by that name" if is_hook else ""
    return ""


def _writers(key: str, tasks: Sequence[LiveTask]) -> str:
    wrote = [
        f"{task.path} wrote {preview(output[key], _WIDE)}"
        for task in tasks
        if isinstance(output := task.output, dict) and key in output
    ]
    if len(wrote) < 2:
        return ""
    return f"in superstep {max(t.superstep for t in tasks)} {' and '.join(wrote)}; {key} has no reducer"


def _raised_in(error: BaseException, module: str) -> bool:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and trace.tb_frame.f_globals.get("__name__", "").startswith(module)


def _ways(value: object, place: NodeId, scopes: Mapping[str, Scope]) -> str:
    scope = scopes.get(scope_of(place))
    branches = scope.branches.get(their_name(place), {}) if scope is not None else {}
    for name, branch in branches.items():
        ends = getattr(branch, "ends", None)
        if ends and value not in ends:
            return f"the router {name} of {place} gave {value!r}; its map has {', '.join(map(repr, ends))}"
    return ""
