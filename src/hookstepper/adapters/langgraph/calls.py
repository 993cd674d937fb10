"""Model and tool calls of a run: where they are held, and what a person or a record may put in their place.

A callback alone can hold a call but not replace it. So while a run is alive the methods of LangChain's
base classes through which a model's answer or a tool's result comes have a gate around them; calls that
go another way (a model's `stream`, a text model) are held by their callbacks, and can only be watched.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from hookstepper.adapters.langgraph.around import Shape, through
from hookstepper.adapters.langgraph.channels import is_command
from hookstepper.adapters.langgraph.endings import is_control_flow, usage_of
from hookstepper.adapters.langgraph.passages import Asks
from hookstepper.model.gates import Act, Site
from hookstepper.model.record import Usage
from hookstepper.ports.facts import CallBegan, CallEnded

if TYPE_CHECKING:
    from hookstepper.adapters.langgraph.gates import Gate, Steps
    from hookstepper.adapters.langgraph.tasks import LiveTask

WATCH: frozenset[Act] = frozenset({"proceed", "fail", "abort"})

OWNED: ContextVar[str] = ContextVar("hookstepper_owned_call", default="")
"""The kind of call whose method has a gate around it: its callbacks then leave holding to that gate."""

CallKind = Literal["model", "tool"]


@dataclass(slots=True)
class Call:
    """A model or tool call that is under way."""

    task: LiveTask
    site: Site
    call_id: str
    request: Any
    began: float
    owned: bool = False
    """True if a gate around its method holds it and tells of its end."""


class Calls:
    """The calls of one run by LangChain's run id."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._open: dict[Any, Call] = {}

    # -------------------------------------------------------------------------------- callbacks

    def started(
        self, kind: CallKind, name: str, metadata: Mapping[str, Any], run_id: Any, call_id: str, request: Any
    ) -> Steps:
        """A callback says that a call begins inside a node."""
        task = self._gate.recorder.task_at(str(metadata.get("langgraph_checkpoint_ns", "")))
        owned = OWNED.get() == kind
        if task is None or (owned and kind == "tool"):
            return
        call = Call(task, Site(kind, task.path, name), call_id, request, time.perf_counter(), owned)
        if not owned:
            yield from self._gate.held_at(task, call.site, "enter", request, WATCH)
            self._began(call)
        self._open[run_id] = call

    def ended(
        self,
        run_id: Any,
        response: object,
        tokens: tuple[int, int] = (0, 0),
        error: BaseException | None = None,
    ) -> Steps:
        """A callback says that it returned or raised."""
        call = self._open.pop(run_id, None)
        if call is None or call.owned or (error is not None and is_control_flow(error)):
            return
        took = int((time.perf_counter() - call.began) * 1e6)
        yield from self._gate.held_at(call.task, call.site, "exit", response, WATCH, error)
        self._ended(call, response, tokens, error, took)

    def token(self, run_id: Any) -> LiveTask | None:
        """The task whose model call a piece of text belongs to."""
        call = self._open.get(run_id)
        return None if call is None else call.task

    # -------------------------------------------------------------------------------- around the method

    def owned(self, run_id: Any) -> Call | None:
        """The call that a callback has told of and whose method has a gate around it."""
        call = self._open.get(run_id)
        return call if call is not None and call.owned else None

    def around(self, call: Call, shape: Shape) -> Asks:
        """A call passes its gates: here all can be done, since its method is called from in here."""
        begun = partial(self._began, call)
        passage = yield from through(self._gate, call.task, call.site, call.request, shape, begun)
        call.request = passage.request
        self._ended(call, shape.shown(passage.answer), passage.tokens, passage.error, passage.took_us)
        if passage.error is not None:
            raise passage.error
        return passage.answer

    # -------------------------------------------------------------------------------- telling

    def _began(self, call: Call) -> None:
        call.began = time.perf_counter()
        self._gate.recorder.probe.emit(CallBegan(call.site, call.task.id, call.call_id, call.request))

    def _ended(
        self, call: Call, response: object, tokens: tuple[int, int], error: BaseException | None, took: int
    ) -> None:
        call.task.tokens[0] += tokens[0]
        call.task.tokens[1] += tokens[1]
        usage = Usage(*tokens) if any(tokens) else None
        self._gate.recorder.probe.emit(
            CallEnded(call.site, call.task.id, call.call_id, call.request, response, error, took, usage)
        )


class ModelShape(Shape):
    """A request is `{"messages", "tools"}`, an answer a ChatResult."""

    def shown(self, answer: Any) -> Any:
        """The message."""
        return None if answer is None else answer.generations[0].message

    def tokens(self, answer: Any) -> tuple[int, int]:
        """As the message says."""
        return usage_of(None if answer is None else self.shown(answer))

    def changed(self, request: Any, value: Any) -> Any:
        """Other messages: a list of them, or an object that holds one."""
        messages = value.get("messages") if isinstance(value, Mapping) else value
        if not isinstance(messages, (list, tuple)):
            raise TypeError("a model call takes a list of messages")
        return {**request, "messages": as_messages(messages)}

    def answered(self, value: Any, request: Any) -> Any:
        """A message, or a text, or an object with `content` and `tool_calls`."""
        from langchain_core.outputs import ChatGeneration, ChatResult

        if isinstance(value, ChatResult):
            return value
        return ChatResult(generations=[ChatGeneration(message=as_answer(value, len(request["messages"])))])


class ToolShape(Shape):
    """A request is the arguments that the model gave, an answer what the tool's `run` gives."""

    def __init__(self, name: str, call_id: str | None) -> None:
        self._name = name
        self._call_id = call_id

    def changed(self, request: Any, value: Any) -> Any:
        """Other arguments."""
        if isinstance(request, Mapping) and not isinstance(value, Mapping):
            raise TypeError("a tool call takes an object with its arguments")
        return value

    def answered(self, value: Any, request: Any) -> Any:  # noqa: ARG002
        """A tool message, or what the message is to say; without a call id the value itself."""
        from langchain_core.messages import ToolMessage

        if isinstance(value, ToolMessage) and value.tool_call_id != self._call_id and self._call_id:
            # An answer from a record answers the call that is made now.
            return value.model_copy(update={"tool_call_id": self._call_id, "id": None})
        if self._call_id is None or isinstance(value, ToolMessage) or is_command(value):
            return value
        return ToolMessage(as_text(value), name=self._name, tool_call_id=self._call_id)


def as_answer(value: Any, place: int) -> Any:
    """An AI message out of what a person or a record gives.

    Args:
        place: number of messages before it, for the ids of tool calls that have none: an id that was there
            before would take an older call's result for its own.
    """
    from langchain_core.messages import AIMessage, BaseMessage

    if isinstance(value, BaseMessage):
        if value.type not in ("ai", "AIMessageChunk"):
            raise TypeError(f"a model answers with an assistant's message, not with one of {value.type}")
        return value
    if isinstance(value, Mapping) and {"content", "tool_calls"} & set(value):
        given = {"content": "", **value}
        given.pop("role", None)
        given["tool_calls"] = [
            {"id": f"by-hand-{place}-{number}", "args": {}, **one}
            for number, one in enumerate(given.get("tool_calls") or ())
        ]
        return AIMessage(**given)
    return AIMessage(as_text(value))


def as_messages(values: Any) -> list[Any]:
    """Messages out of messages, objects with role and content, or texts."""
    from langchain_core.messages import convert_to_messages

    return list(convert_to_messages(values))


def as_text(value: Any) -> str:
    """A text as it is, everything else as JSON, or as Python shows it."""
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        return str(value)
