"""Results that a person gives in the place of what a node returned, or before it ran.

LangGraph cannot take another result while a node runs. So the task leaves its run without a trace, its
siblings finish, and the whole superstep is then committed by `bulk_update_state` with the results that
the tasks had, one of them the person's; the run goes on from there. The routers of these nodes are asked
once more, as LangGraph's own state updates do.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from hookstepper.adapters.langgraph import savings
from hookstepper.adapters.langgraph.editing import CONTROL
from hookstepper.adapters.langgraph.middleware import JUMP_WORDS
from hookstepper.adapters.langgraph.names import their_name
from hookstepper.adapters.langgraph.recorder import Recorder
from hookstepper.model.errors import NotPossibleError


def commit_replaced(graph: Any, control: Any, recorder: Recorder, thread: str) -> None:
    """Commit every superstep in which a result was replaced, innermost graph first.

    Raises:
        NotPossibleError: a nested sibling asked a question in the same superstep; its turn would be lost.
        BaseException: whatever the user's routers or LangGraph raise on such a result.
    """
    from langgraph.types import StateUpdate

    for namespace, tasks in recorder.take_replaced():
        config = savings.config_for(thread, None if namespace else recorder.last_checkpoint)
        config["configurable"]["checkpoint_ns"] = namespace
        left = _left_over(graph, config, [their_name(task.path) for task in tasks])
        if left and (namespace or control is None):
            raise NotPossibleError(
                "another node of the same step still waits for an answer", hint="answer it first"
            )
        updates = [StateUpdate(their_result(task.output), their_name(task.path)) for task in tasks]
        with savings.written_anew(graph.checkpointer):
            made = graph.bulk_update_state(config, [updates])
        if left:
            _make_due(graph, control, made, left)


def their_result(output: Any) -> Any:
    """A result in the framework's words: a jump that a person set is in ours."""
    theirs = {ours: word for word, ours in JUMP_WORDS.items()}
    if isinstance(output, dict) and output.get("jump_to") in theirs:
        return {**output, "jump_to": theirs[output["jump_to"]]}
    return output


def _left_over(graph: Any, config: dict[str, Any], done: list[str]) -> list[str]:
    """Nodes of the superstep that have no result yet.

    Raises:
        NotPossibleError: one of them was sent its input, so that its name does not make it due again.
    """
    counts = Counter(done)
    left: list[str] = []
    for task in graph.get_state(config).tasks:
        if counts[task.name]:
            counts[task.name] -= 1
        elif task.path[0] == "__pregel_push":
            raise NotPossibleError(
                f"another {task.name} task still waits for an answer", hint="answer it first"
            )
        else:
            left.append(task.name)
    return left


def _make_due(graph: Any, control: Any, config: dict[str, Any], names: list[str]) -> None:
    from langgraph.types import Command

    due = [task.name for task in graph.get_state(config).tasks]
    with savings.written_anew(control.checkpointer):
        control.update_state(config, Command(goto=[*due, *names]), as_node=CONTROL)
