"""The same agent as a LangGraph graph, for LangGraph's checkpointers and servers.

Nodes, order, edges, routing and texts are those of the built-in engine: the bodies and routers are the very
same objects. What differs is who runs them. State values that LangGraph keeps are plain JSON where they are
ours: messages are objects with role and content, so that any store and any server can hold them.

Needs the extra `langgraph`; nothing else in this package imports it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from hookstepper.agent.codec import encoded_message, message_of
from hookstepper.agent.hooks import JumpTo
from hookstepper.agent.messages import MESSAGE_TYPES, AssistantMessage, Message
from hookstepper.agent.routing import JUMP_KEY
from hookstepper.engine.actions import Action, Decision
from hookstepper.engine.clone import clone_state
from hookstepper.engine.config import HUMAN_FEEDBACK, RunConfig
from hookstepper.engine.driver import Driver
from hookstepper.engine.effects import Call, Effects
from hookstepper.engine.graph import Condition
from hookstepper.engine.outputs import Interruption, ToolFeedback
from hookstepper.engine.state import State
from hookstepper.engine.strategies import MARK_FOR_REMOVAL, Append
from hookstepper.model.errors import NotPossibleError
from hookstepper.model.ids import END, START, NodeId

if TYPE_CHECKING:
    from hookstepper.agent.react_agent import ReactAgent

CONTEXT = "hookstepper_context"
"""Channel of the run's context: never saved, so that it begins afresh with each run, as upstream has it."""
OTHER = "other"
"""Channel of the state keys that nobody declared."""
_RESERVED = (":", "|")


def to_langgraph(
    agent: ReactAgent, *, checkpointer: Any = None, keys: Sequence[str] = (), **options: Any
) -> Any:
    """The agent, compiled for LangGraph; the agent itself is left as it is.

    Its input is `{"messages": [{"role": "user", "content": "hi"}]}`; LangChain messages will do too.
    A question is a LangGraph interrupt in LangChain's form for approvals, and is answered in that form:
    `Command(resume={"decisions": [{"type": "approve"}]})`.

    Args:
        checkpointer: where LangGraph keeps checkpoints.
        keys: state keys that hooks and tools write without declaring them; each becomes a channel. Others
            are kept together, in the channel `other`.
        options: more for LangGraph's `compile`.

    Raises:
        NotPossibleError: LangGraph is not installed, or cannot take a node's name.
        SpecError: the agent's graph is not well formed.
    """
    try:
        from langgraph.graph import StateGraph as LangGraphStateGraph
    except ImportError:
        raise NotPossibleError(
            "to_langgraph needs LangGraph", hint="pip install 'hookstepper[langgraph]'"
        ) from None
    own = agent.copy(compile_config=None, saver=None)
    plan = own.compiled().plan
    build = _Build(own, tuple(keys))
    builder = LangGraphStateGraph(build.schema())
    for node, spec in plan.nodes.items():
        if any(mark in node for mark in _RESERVED):
            raise NotPossibleError(
                f"LangGraph cannot take {node!r} as the name of a node", hint="no : and no |"
            )
        edge = plan.edges.get(node)
        if not isinstance(spec.action, Action):
            raise NotPossibleError(f"node {node!r} is a graph of its own, which is not translated")
        condition = edge if isinstance(edge, Condition) else None
        destinations = None if condition is None else _destinations(condition)
        builder.add_node(node, build.node(node, spec.action, condition), destinations=destinations)
        if edge is not None and condition is None:
            builder.add_edge(node, _name(edge))  # type: ignore[arg-type]
    builder.add_edge(_name(START), _name(plan.edges[START]))  # type: ignore[arg-type]
    return builder.compile(checkpointer=checkpointer, name=agent.name, **options)


def _name(node: str) -> str:
    from langgraph.graph import END as THEIR_END
    from langgraph.graph import START as THEIR_START

    names: dict[str, str] = {START: THEIR_START, END: THEIR_END}
    return names.get(node, node)


def _destinations(condition: Condition) -> dict[str, str]:
    return {_name(target): condition.labels.get(key, "") for key, target in condition.mapping.items()}


class _Build:
    """Makes the state schema and the nodes of one agent."""

    def __init__(self, agent: ReactAgent, keys: tuple[str, ...]) -> None:
        self.agent = agent
        self.plan = agent.compiled().plan
        self.entry = agent.anchors.entry
        self.declared = tuple(dict.fromkeys((*self.plan.keys, "messages", JUMP_KEY, *keys)))

    def schema(self) -> type:
        """The state: a channel for each declared key, one for the others, one for the run's context."""
        from langgraph.channels import UntrackedValue

        fields: dict[str, Any] = {}
        for key in self.declared:
            strategy = self.plan.keys.get(key)
            # A list has an empty one to begin with; a channel without a beginning would take the first
            # Overwrite for its value.
            fields[key] = Annotated[list, _reducer(strategy)] if isinstance(strategy, Append) else Any
        fields[OTHER] = Any
        fields[CONTEXT] = Annotated[dict, UntrackedValue]
        return TypedDict(f"{self.agent.name}State", fields, total=False)  # type: ignore[operator,no-any-return]

    def node(self, node: NodeId, action: Action, condition: Condition | None) -> Any:
        """The node as LangGraph runs it, in sync and async runs."""
        from langchain_core.runnables import RunnableLambda

        def run(values: dict[str, Any], config: Any) -> Any:
            step = _Step(self, node, action, condition, values, config)
            with Driver() as driver:
                return driver.drive(step.body())

        async def arun(values: dict[str, Any], config: Any) -> Any:
            return await Driver().adrive(_Step(self, node, action, condition, values, config).body())

        return RunnableLambda(run, afunc=arun, name=node)


class _Step:
    """One execution of a node."""

    def __init__(
        self,
        build: _Build,
        node: NodeId,
        action: Action,
        condition: Condition | None,
        values: Mapping[str, Any],
        config: Any,
    ) -> None:
        self.build = build
        self.node = node
        self.action = action
        self.condition = condition
        state = _decoded_state(values)
        self.before = clone_state(state)
        self.state = State(state, build.plan.keys)
        configurable = config.get("configurable", {})
        self.config = RunConfig(
            thread_id=configurable.get("thread_id"),
            metadata={"_AGENT_": build.agent.name},
            context=dict(values.get(CONTEXT) or {}),
            stream=False,
        )

    def body(self) -> Effects[Any]:
        """What the engine's loop does with a node, without its checkpoints: ask, run, merge, route."""
        self._begin()
        if self.action.interrupt is not None:
            yield from self._ask(self.action.interrupt)
        if self.action.is_body:
            result = yield from self.action.body(self.state, self.config)
        else:
            result = yield Call(self.action.fn, self.action.arguments(self.state, self.config))
        update = dict(result or {})
        update.pop("_TOKEN_USAGE_", None)
        self.state.update(update)
        if self.condition is None:
            return self._written()
        decision = yield Call(self.condition.router, (self.state, self.config))
        assert isinstance(decision, Decision)
        self.state.update(decision.update or {})
        from langgraph.types import Command

        target = self.condition.mapping[str(decision.key)]
        return Command(update=self._written(), goto=_name(target))

    def _begin(self) -> None:
        """A jump that the last run of the thread left behind is treated as `first_update` does."""
        left = self.state.data.get(JUMP_KEY)
        if self.node != self.build.entry or left is None:
            return
        from hookstepper.agent.react_agent import SERIALIZED_ENUM

        if self.build.agent.compat == "fixed":
            self.state.update({JUMP_KEY: MARK_FOR_REMOVAL})
        elif isinstance(left, JumpTo):
            self.state.update({JUMP_KEY: [SERIALIZED_ENUM, left.value]})

    def _ask(self, interrupt: Callable[..., Any]) -> Effects[None]:
        from langgraph.types import interrupt as pause

        while True:
            asked = yield Call(interrupt, (self.node, self.state, self.config))
            if asked is None:
                return
            answer = yield Call(pause, (_question(asked),))
            if not asked.tool_feedbacks:
                self.config.metadata[HUMAN_FEEDBACK] = answer
                if asked.metadata.get("interruption_requested"):
                    self.build.agent.memory_of(self.config.thread).clear()
                    self.build.agent.interrupt(self.config, answer if isinstance(answer, str) else "")
                    return
                continue
            self.config.metadata[HUMAN_FEEDBACK] = asked.answered(_decisions(asked, answer))

    def _written(self) -> dict[str, Any]:
        """Whole new values of the keys that have changed: the strategies have been applied already."""
        from langgraph.types import Overwrite

        after = self.state.data
        declared = self.build.declared
        changed = [key for key in {*self.before, *after} if _differs(self.before.get(key), after.get(key))]
        written: dict[str, Any] = {}
        for key in changed:
            if key in declared:
                value = _encoded(after.get(key))
                reduced = isinstance(self.build.plan.keys.get(key), Append)
                written[key] = Overwrite([] if value is None else value) if reduced else value
        if any(key not in declared for key in changed):
            written[OTHER] = {key: _encoded(value) for key, value in after.items() if key not in declared}
        written[CONTEXT] = dict(self.config.context)
        return written


# -------------------------------------------------------------------------------------- values


def _reducer(strategy: Any) -> Callable[[Any, Any], Any]:
    """The key's own strategy, on what comes in from outside: the input of a run, or an edit of its state."""

    def reduce(old: Any, new: Any) -> Any:
        items = [_encoded(_decoded(item)) for item in (new if isinstance(new, list) else [new])]
        merged: Any = strategy(old or [], items)
        return merged

    return reduce


def _decoded_state(values: Mapping[str, Any]) -> dict[str, Any]:
    state = {key: _decoded(value) for key, value in values.items() if key not in (CONTEXT, OTHER)}
    state |= {key: _decoded(value) for key, value in (values.get(OTHER) or {}).items()}
    if "messages" in state and not isinstance(state["messages"], list):
        state["messages"] = [state["messages"]]
    # A channel that nobody wrote is an empty list; here such a key is absent.
    return {
        key: value for key, value in state.items() if value is not None and (value != [] or key == "messages")
    }


def _encoded(value: Any) -> Any:
    if isinstance(value, MESSAGE_TYPES):
        return as_dict(value)  # type: ignore[arg-type]
    if isinstance(value, JumpTo):
        return {"jump": value.value}
    if isinstance(value, list):
        return [_encoded(item) for item in value]
    return value


def _decoded(value: Any) -> Any:
    if isinstance(value, list):
        return [_decoded(item) for item in value]
    if isinstance(value, dict) and value.keys() == {"jump"}:
        return JumpTo.from_string(value["jump"])
    if isinstance(value, dict) and "role" in value and ("content" in value or "responses" in value):
        return from_dict(value)
    if hasattr(value, "content") and hasattr(value, "type") and hasattr(value, "additional_kwargs"):
        return from_langchain(value)
    return value


def as_dict(message: Message) -> dict[str, Any]:
    """A message as JSON, to the letter: arguments that are not canonical JSON are kept as text too."""
    form = {key: value for key, value in encoded_message(message).items() if key != "$"}
    if isinstance(message, AssistantMessage):
        for row, call in zip(form.get("tool_calls", ()), message.tool_calls, strict=True):
            if json.dumps(row["args"], ensure_ascii=False) != call.arguments:
                row["raw"] = call.arguments
    return form


def from_dict(form: Mapping[str, Any]) -> Message:
    """The message that `as_dict` wrote, or one of the common form with role and content."""
    roles = {"human": "user", "ai": "assistant"}
    made = message_of({**form, "role": roles.get(form["role"], form["role"])})
    raws = [row.get("raw") for row in form.get("tool_calls") or ()]
    if isinstance(made, AssistantMessage) and any(raw is not None for raw in raws):
        calls = (
            call if raw is None else replace(call, arguments=raw)
            for call, raw in zip(made.tool_calls, raws, strict=True)
        )
        return replace(made, tool_calls=tuple(calls))
    return made


def from_langchain(message: Any) -> Message:
    """A LangChain message as ours; what has no place here is dropped."""
    from hookstepper.agent.models.langchain import message_from_langchain

    return message_from_langchain(message)


def _differs(old: Any, new: Any) -> bool:
    try:
        return type(old) is not type(new) or bool(old != new)
    except Exception:  # values whose comparison fails are written anew
        return True


# ----------------------------------------------------------------------------------- questions


def _question(asked: Interruption) -> dict[str, Any]:
    """The question in LangChain's form for approvals, or as its metadata says."""
    if not asked.tool_feedbacks:
        return dict(asked.metadata)
    return {
        "action_requests": [
            {"name": f.name, "args": _parsed(f.arguments), "description": f.description}
            for f in asked.tool_feedbacks
        ],
        "review_configs": [
            {"action_name": f.name, "allowed_decisions": ["approve", "edit", "reject"]}
            for f in asked.tool_feedbacks
        ],
    }


def _decisions(asked: Interruption, answer: Any) -> list[ToolFeedback]:
    rows = answer.get("decisions", []) if isinstance(answer, Mapping) else []
    return [_decided(f, row) for f, row in zip(asked.tool_feedbacks, rows, strict=False)]


def _decided(feedback: ToolFeedback, row: Mapping[str, Any]) -> ToolFeedback:
    match row.get("type"):
        case "approve":
            return replace(feedback, result="APPROVED")
        case "edit":
            edited = row.get("edited_action", row)
            text = json.dumps(edited.get("args", {}), ensure_ascii=False)
            return replace(feedback, result="EDITED", arguments=text)
        case "reject":
            return replace(
                feedback, result="REJECTED", description=str(row.get("message") or row.get("reason") or "")
            )
    return feedback


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
