"""The callback handlers that LangChain calls: one that blocks its thread, one that awaits.

Both are made from one table of callbacks, each of which returns the steps of a gate.
"""

# Callbacks take all that LangChain passes, whatever they need of it.
# ruff: noqa: ARG001

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hookstepper.adapters.langgraph.endings import message_of, usage_of
from hookstepper.adapters.langgraph.gates import Arrival, Gate, Steps
from hookstepper.ports.facts import TextStreamed

_Callback = Callable[..., "Steps | None"]


def block_on(steps: Steps, gate: Gate) -> None:
    """Go through the steps of a gate, blocking the thread where a task is held."""
    try:
        point = next(steps)
        while True:
            point = steps.send(gate.recorder.probe.hold(point))
    except StopIteration:
        return


async def wait_on(steps: Steps, gate: Gate) -> None:
    """Go through the steps of a gate, awaiting where a task is held."""
    try:
        point = next(steps)
        while True:
            point = steps.send(await gate.recorder.probe.ahold(point))
    except StopIteration:
        return


def sync_handler(gate: Gate) -> Any:
    """A handler for synchronous runs: a held task blocks its own worker thread."""
    from langchain_core.callbacks import BaseCallbackHandler

    def blocking(callback: _Callback) -> Callable[..., None]:
        def call(_self: object, *args: Any, **kw: Any) -> None:
            steps = callback(gate, *args, **kw)
            if steps is not None:
                block_on(steps, gate)

        return call

    def on_chain_start(
        _self: object, _serialized: Any, inputs: Any, *, run_id: Any, metadata: Any = None, **kw: Any
    ) -> None:
        steps = _chain_start(gate, None, inputs, run_id=run_id, metadata=metadata, **kw)
        if steps is not None:
            block_on(steps, gate)

    def on_chain_end(_self: object, outputs: Any, *, run_id: Any, **_kw: Any) -> None:
        steps = gate.run_ended(run_id, outputs)
        if steps is not None:
            block_on(steps, gate)

    return _handler(BaseCallbackHandler, blocking, on_chain_start=on_chain_start, on_chain_end=on_chain_end)


def async_handler(gate: Gate) -> Any:
    """A handler for asynchronous runs: a held task awaits, and its loop goes on."""
    from langchain_core.callbacks import AsyncCallbackHandler

    def awaiting(callback: _Callback) -> Callable[..., Any]:
        async def call(_self: object, *args: Any, **kw: Any) -> None:
            steps = callback(gate, *args, **kw)
            if steps is not None:
                await wait_on(steps, gate)

        return call

    return _handler(AsyncCallbackHandler, awaiting)


def _handler(base: Any, wrap: Callable[[_Callback], Callable[..., Any]], **direct: Callable[..., Any]) -> Any:
    """An instance of `base` with every callback wrapped, but for those that are called too often for that.

    `raise_error` lets verdicts through; `run_inline` False keeps the order of LangChain's own handlers.
    """
    body: dict[str, Any] = {name: wrap(callback) for name, callback in _CALLBACKS.items()}
    body.update(direct, raise_error=True, run_inline=False)
    return type("HookstepperGate", (base,), body)()


def _chain_start(gate: Gate, serialized: Any, inputs: Any, *, run_id: Any, **kw: Any) -> Steps | None:
    name, metadata, parent = kw.get("name"), kw.get("metadata"), kw.get("parent_run_id")
    # Most runs are no node's: those are told apart here, before anything is passed on.
    if not metadata or metadata.get("langgraph_node") != name:
        gate.other_started(run_id, parent)
        return None
    return gate.node_started(Arrival(name, kw.get("tags") or [], metadata, run_id, parent), inputs)


def _chain_end(gate: Gate, outputs: Any, *, run_id: Any, **kw: Any) -> Steps | None:
    return gate.run_ended(run_id, outputs)


def _chain_error(gate: Gate, error: BaseException, *, run_id: Any, **kw: Any) -> Steps | None:
    return gate.run_broke(run_id, error)


def _model_start(gate: Gate, serialized: Any, prompts: Any, *, run_id: Any, **kw: Any) -> Steps:
    metadata = kw.get("metadata") or {}
    params = kw.get("invocation_params") or {}
    name = metadata.get("ls_model_name") or (serialized or {}).get("name") or "model"
    prompt = prompts[0] if prompts else []
    request = {
        "messages": prompt if isinstance(prompt, str) else list(prompt),
        "tools": params.get("tools") or (kw.get("options") or {}).get("tools") or [],
    }
    return gate.calls.started("model", str(name), metadata, run_id, "", request)


def _model_token(gate: Gate, token: Any, *, run_id: Any, **kw: Any) -> None:
    task = gate.calls.token(run_id)
    if task is not None and token and isinstance(token, str):
        gate.recorder.probe.emit(TextStreamed(task.id, token))


def _model_end(gate: Gate, response: Any, *, run_id: Any, **kw: Any) -> Steps:
    return gate.calls.ended(run_id, message_of(response), usage_of(response))


def _call_error(gate: Gate, error: BaseException, *, run_id: Any, **kw: Any) -> Steps:
    return gate.calls.ended(run_id, None, error=error)


def _tool_start(gate: Gate, serialized: Any, input_str: str, *, run_id: Any, **kw: Any) -> Steps:
    name = (serialized or {}).get("name") or kw.get("name") or "tool"
    arguments = kw.get("inputs")
    request = input_str if arguments is None else arguments
    call_id = str(kw.get("tool_call_id") or "")
    return gate.calls.started("tool", str(name), kw.get("metadata") or {}, run_id, call_id, request)


def _tool_end(gate: Gate, output: Any, *, run_id: Any, **kw: Any) -> Steps:
    return gate.calls.ended(run_id, output)


_CALLBACKS: dict[str, _Callback] = {
    "on_chain_start": _chain_start,
    "on_chain_end": _chain_end,
    "on_chain_error": _chain_error,
    "on_chat_model_start": _model_start,
    "on_llm_start": _model_start,
    "on_llm_new_token": _model_token,
    "on_llm_end": _model_end,
    "on_llm_error": _call_error,
    "on_tool_start": _tool_start,
    "on_tool_end": _tool_end,
    "on_tool_error": _call_error,
}
