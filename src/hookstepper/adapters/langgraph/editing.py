"""Changes by hand, with LangGraph's public API: a copy of the graph with one more node that writes them.

`update_state` on the graph itself would run the routers of the node it pretends to be, and replace all
that is due. The extra node has no edges: its Command says what becomes of the state and what is due next.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from hookstepper.adapters.langgraph import savings
from hookstepper.adapters.langgraph.channels import is_untracked
from hookstepper.adapters.langgraph.middleware import JUMP_WORDS
from hookstepper.adapters.langgraph.names import THEIR_END, their_name
from hookstepper.adapters.langgraph.scopes import Scope
from hookstepper.model.errors import InvalidValueError, NotPossibleError
from hookstepper.model.ids import CheckpointId
from hookstepper.ports.target import Edit

CONTROL = "__hookstepper__"


def control_graph(graph: Any, saver: Any) -> Any:
    """The copy that writes edits into `saver`; None for a graph without a builder, which cannot be edited."""
    builder = getattr(graph, "builder", None)
    if builder is None:
        return None
    builder = copy.copy(builder)
    builder.nodes = dict(builder.nodes)
    builder.compiled = False
    builder.add_node(CONTROL, lambda state: state)
    return builder.compile(checkpointer=saver)


def edited_inside(scope: Scope, saver: Any, config: dict[str, Any], edit: Edit) -> CheckpointId:
    """A change of a nested graph, saved as its newest checkpoint; gives the one before it.

    Args:
        config: names the thread and the graph's namespace.

    Raises:
        NotPossibleError: nothing of it is saved yet.
        InvalidValueError: a key or a node is unknown, or LangGraph refuses the value.
    """
    config = _own(config, saver)
    saved = saver.get_tuple(config)
    if saved is None:
        raise NotPossibleError(f"nothing of {scope.path} is saved yet")
    control = control_graph(scope.graph, saver)
    _check_keys(scope.graph, edit)
    _write(scope.graph, control, saved, config, edit)
    return CheckpointId(str(saved.checkpoint["id"]))


def copied_inside(scope: Scope, saver: Any, config: dict[str, Any], checkpoint: CheckpointId) -> None:
    """An older checkpoint of a nested graph, saved once more as its newest."""
    config = _own(config, saver)
    config["configurable"]["checkpoint_id"] = checkpoint
    with savings.written_anew(saver):
        scope.graph.update_state(config, None, as_node="__copy__")


def _own(config: dict[str, Any], saver: Any) -> dict[str, Any]:
    """So told, LangGraph takes the namespace as the graph's own, and does not look for it inside of it."""
    return {"configurable": {**config["configurable"], "__pregel_checkpointer": saver}}


def edited(graph: Any, control: Any, saver: Any, thread: str, at: CheckpointId, edit: Edit) -> CheckpointId:
    """The checkpoint that an edit makes, on a new line of history if `at` is not the newest.

    Raises:
        NotPossibleError: there is no such checkpoint, or the jump cannot be made there.
        InvalidValueError: a key or a node is unknown, or LangGraph refuses the value.
    """
    config = savings.config_for(thread, at)
    saved = saver.get_tuple(config)
    if saved is None:
        raise NotPossibleError(f"no checkpoint {at} in thread {thread!r}")
    _check_keys(graph, edit)
    if edit.jump is not None:
        return _jumped(graph, config, edit)
    made = _write(graph, control, saved, config, edit)
    return CheckpointId(str(made["configurable"]["checkpoint_id"]))


def _check_keys(graph: Any, edit: Edit) -> None:
    channels = graph.builder.channels
    strangers = [key for key in edit.values if key not in channels]
    if strangers:
        raise InvalidValueError(
            f"the state has no key {strangers[0]!r}",
            path=(strangers[0],),
            hint=f"keys: {', '.join(channels)}",
        )
    lost = [key for key in edit.values if is_untracked(channels[key])]
    if lost:
        raise NotPossibleError(
            f"{lost[0]!r} is untracked: it lasts as long as a run, and no checkpoint holds it",
            hint="change what the node returns, at its exit",
        )


def _write(graph: Any, control: Any, saved: Any, config: dict[str, Any], edit: Edit) -> dict[str, Any]:
    from langgraph.types import Command

    values: Mapping[str, object] = edit.values
    if edit.mode == "raw":
        values = raw_values(graph.builder.channels, edit.values)
        control = control if _has_overwrite() else _past_reducers(control)
    goto = _due(graph, saved, config) if edit.next is None else _targets(graph, edit)
    try:
        with savings.written_anew(control.checkpointer):
            made: dict[str, Any] = control.update_state(
                config, Command(update=dict(values), goto=goto), as_node=CONTROL
            )
    except (ValueError, TypeError) as error:
        raise InvalidValueError(f"LangGraph refuses the change: {error}") from None
    return made


def raw_values(channels: Mapping[str, Any], values: Mapping[str, object]) -> dict[str, object]:
    """Values that replace what is there, past the reducers of their channels."""
    if not _has_overwrite():
        return dict(values)
    from langgraph.types import Overwrite

    return {
        key: Overwrite(value) if getattr(channels[key], "operator", None) is not None else value
        for key, value in values.items()
    }


def _has_overwrite() -> bool:
    from langgraph import types

    return hasattr(types, "Overwrite")


def _past_reducers(control: Any) -> Any:
    """The control graph with plain channels where reducers are: LangGraph before 1.0.4 has no `Overwrite`.

    What it saves is the same, since a reducer's channel saves nothing but its value.
    """
    from langgraph.channels import LastValue

    builder = copy.copy(control.builder)
    builder.compiled = False
    builder.channels = {
        name: LastValue(channel.ValueType) if getattr(channel, "operator", None) is not None else channel
        for name, channel in builder.channels.items()
    }
    return builder.compile(checkpointer=control.checkpointer)


def _due(graph: Any, saved: Any, config: dict[str, Any]) -> list[Any]:
    """What is due at a checkpoint, so that it stays due: nodes by name, and Sends with their arguments."""
    sends = list(saved.checkpoint["channel_values"].get("__pregel_tasks") or ())
    pulled = [task.name for task in graph.get_state(config).tasks if task.path[0] == "__pregel_pull"]
    return [*pulled, *sends]


def _targets(graph: Any, edit: Edit) -> list[str]:
    names: list[str] = []
    for node in edit.next or ():
        name = their_name(node)
        if ":" in node and edit.task is None:
            raise NotPossibleError(
                f"{node} is inside a subgraph", hint="set the subgraph's own node as the next"
            )
        if name != THEIR_END and name not in graph.builder.nodes:
            raise InvalidValueError(f"no node {node!r}", hint=f"nodes: {', '.join(graph.builder.nodes)}")
        names.append(name)
    return names


def _jumped(graph: Any, config: dict[str, Any], edit: Edit) -> CheckpointId:
    """A jump, written as if the node that is due had returned it; that node's own router then decides."""
    due = graph.get_state(config).next
    if len(due) != 1:
        raise NotPossibleError("a jump belongs to one node, and several are due" if due else "no node is due")
    theirs = {ours: word for word, ours in JUMP_WORDS.items()}
    word = None if edit.jump == "clear" else theirs.get(edit.jump or "", edit.jump)
    try:
        with savings.written_anew(graph.checkpointer):
            made = graph.update_state(config, {**edit.values, "jump_to": word}, as_node=due[0])
    except (ValueError, TypeError, KeyError) as error:
        raise NotPossibleError(f"{due[0]} cannot jump {edit.jump}: {error}") from None
    return CheckpointId(str(made["configurable"]["checkpoint_id"]))
