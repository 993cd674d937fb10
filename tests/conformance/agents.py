"""Builds the agent that a case describes, runs it round by round, and tells what was seen in its words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hookstepper.agent import (
    AgentCommand,
    AgentHook,
    AgentInstructionMessage,
    AssistantMessage,
    CompileConfig,
    Hook,
    HookPosition,
    HumanInTheLoopHook,
    InstructionAgentHook,
    InterruptionHook,
    MemorySaver,
    MessagesAgentHook,
    MessagesModelHook,
    ModelCallLimitHook,
    ModelHook,
    PIIDetectionHook,
    ReactAgent,
    ReturnDirectModelHook,
    RunConfig,
    ScriptedModel,
    SummarizationHook,
    SystemMessage,
    Tool,
    ToolCall,
    ToolCallLimitHook,
    ToolResponse,
    ToolResponseMessage,
    UpdatePolicy,
    UserMessage,
)
from hookstepper.agent.hooks import METHODS, hook_positions
from hookstepper.engine.listeners import Listener
from hookstepper.engine.strategies import MARK_FOR_REMOVAL, strategy_name
from hookstepper.model.ids import END, START

POSITIONS = {position.name: position for position in HookPosition}
KINDS: dict[str, type[Hook]] = {
    "agent_hook": AgentHook,
    "model_hook": ModelHook,
    "messages_agent_hook": MessagesAgentHook,
    "messages_model_hook": MessagesModelHook,
}
BUILT_IN: dict[str, Any] = {
    "ModelCallLimit": ModelCallLimitHook,
    "ToolCallLimit": ToolCallLimitHook,
    "PIIDetection": PIIDetectionHook,
    "HITL": HumanInTheLoopHook,
    "INTERRUPTION": InterruptionHook,
    "InstructionAgentHook": InstructionAgentHook,
    "Summarization": lambda **options: SummarizationHook(ScriptedModel(["a summary"]), **options),
    "finish_reason_check_messages_model_hook": ReturnDirectModelHook,
}
ROLES: dict[str, Any] = {
    "user": UserMessage,
    "assistant": AssistantMessage,
    "system": SystemMessage,
    "instruction": AgentInstructionMessage,
}
STRATEGIES = {"append": "AppendStrategy", "replace": "ReplaceStrategy", "merge": "MergeStrategy"}


def hook_of(spec: Mapping[str, Any]) -> Hook:
    """The hook of one entry."""
    if spec["kind"] == "built_in":
        made: Hook = BUILT_IN[spec["name"].split("[")[0]](**spec.get("options", {}))
        return made
    body: dict[str, Any] = {METHODS[POSITIONS[word]]: _method(spec, word) for word in spec["positions"]}
    body |= {"name": spec["name"], "order": spec["order"], "can_jump_to": tuple(spec["can_jump_to"])}
    kind = type(spec["name"], (KINDS[spec["kind"]],), body)
    return hook_positions(*(POSITIONS[word] for word in spec["positions"]))(kind)()


def _method(spec: Mapping[str, Any], word: str) -> Any:
    visits = 0

    def run(self: Hook, given: Any, config: Any) -> Any:
        nonlocal visits
        visits += 1
        if word in spec.get("raises", {}):
            raise RuntimeError(spec["raises"][word])
        if "command" in spec:
            rows = spec["command"][word]
            return _command(rows[min(visits, len(rows)) - 1] if isinstance(rows, list) else rows, given)
        if word in spec.get("returns_sequence", {}):
            sequence = spec["returns_sequence"][word]
            return _update(sequence[min(visits, len(sequence)) - 1])
        return _update(spec.get("returns", {}).get(word, {}))

    return run


def _update(update: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _value(value) for key, value in update.items()}


def _value(value: Any) -> Any:
    if value == "<remove>":
        return MARK_FOR_REMOVAL
    if isinstance(value, list):
        return [_value(item) for item in value]
    return message_of(value) if isinstance(value, dict) and "role" in value else value


def message_of(spec: Mapping[str, Any]) -> Any:
    """A message in the words of a case, as a message."""
    if spec["role"] == "tool":
        return ToolResponseMessage([ToolResponse(r["id"], r["name"], r["data"]) for r in spec["responses"]])
    return answer_of(spec) if spec["role"] == "assistant" else ROLES[spec["role"]](spec.get("text", ""))


TERM = re.compile(r'(previous)|(\w+)\("((?:[^"\\]|\\.)*)"\)')


def _command(spec: Mapping[str, Any], previous: Sequence[Any]) -> AgentCommand:
    """`previous + system("text") + user("text")`, each part or none of them, with policy and jump."""
    messages: list[Any] | None = None
    if spec.get("messages") is not None:
        messages = []
        for old, role, text in TERM.findall(spec["messages"]):
            messages += previous if old else [ROLES[role](text)]
    policy = UpdatePolicy[spec.get("policy", "REPLACE")]
    return AgentCommand(messages, spec.get("jump_to"), policy)


def tool_of(spec: Mapping[str, Any]) -> Tool:
    """The tool of one entry: it gives a fixed text, or raises."""

    def run(**_: Any) -> str:
        if "raises" in spec:
            raise RuntimeError(spec["raises"])
        return str(spec["returns"])

    return Tool(spec["name"], run, return_direct=spec.get("return_direct", False))


def answer_of(spec: Mapping[str, Any]) -> AssistantMessage:
    """One entry of the model's script."""
    calls = tuple(ToolCall(c["id"], c["name"], c["args"]) for c in spec.get("tool_calls", ()))
    return AssistantMessage(spec.get("text"), calls)


class Counted(ScriptedModel):
    """A script that counts how often it was asked, as the recorded program did."""

    calls = 0

    def reply_to(self, prompt: Any) -> Any:
        self.calls += 1
        return super().reply_to(prompt)


@dataclass
class Watch(Listener):
    """Notes what a listener of the engine is told."""

    events: list[dict[str, Any]] = field(default_factory=list)

    def on_start(self, node: Any, state: Any, config: Any) -> None:
        self.events.append({"event": "onStart", "node": node})

    def before(self, node: Any, state: Any, config: Any, at_ms: int) -> None:
        self.events.append({"event": "before", "node": node})

    def after(self, node: Any, state: Any, config: Any, at_ms: int) -> None:
        self.events.append({"event": "after", "node": node, "state": told_state(state)})

    def on_error(self, node: Any, state: Any, error: Any, config: Any) -> None:
        self.events.append({"event": "onError", "node": node})

    def on_complete(self, node: Any, state: Any, config: Any) -> None:
        self.events.append({"event": "onComplete", "node": node, "state": told_state(state)})


def build(case: Mapping[str, Any], watch: Watch) -> tuple[ReactAgent, Counted]:
    """The agent of a case, not compiled yet, and its model."""
    model = Counted([answer_of(spec) for spec in case["model_script"]])
    agent = ReactAgent(
        case["case"],
        model,
        tools=[tool_of(spec) for spec in case["tools"]],
        hooks=[hook_of(spec) for spec in case["hooks"]],
        instruction=case.get("instruction"),
        system_prompt=case.get("system_prompt"),
        output_key=case.get("output_key", ""),
        compile_config=CompileConfig(
            saver=MemorySaver(), recursion_limit=case.get("recursion_limit", 50), listeners=[watch]
        ),
    )
    return agent, model


def told_graph(agent: ReactAgent) -> dict[str, Any]:
    """The compiled graph in the words of a case."""
    graph = agent.graph()
    described = agent.describe()
    edges: dict[str, Any] = {}
    for source, targets in graph.edges.items():
        rows = []
        for target in targets:
            mapping = getattr(target, "mapping", None)
            rows.append({"to": target} if mapping is None else {"choices": dict(mapping)})
        edges[source] = rows
    ids = {node.id for node in described.nodes} - {START, END}
    assert ids == set(graph.nodes)
    keys = {key: STRATEGIES[strategy_name(strategy)] for key, strategy in graph.keys.items()}
    return {"nodes": list(graph.nodes), "edges": edges, "key_strategies": keys}


def told_state(state: Mapping[str, Any]) -> dict[str, Any]:
    """A state in the words of a case."""
    told = {}
    for key, value in state.items():
        if value is None:
            continue
        if key == "messages":
            value = [told_message(message) for message in value]
        told[key] = str(value) if key == "jump_to" else value
    return told


def told_message(message: Any) -> dict[str, Any]:
    """A message in the words of a case: no text is no field."""
    told: dict[str, Any] = {"role": message.role}
    if isinstance(message, ToolResponseMessage):
        told["responses"] = [{"id": r.id, "name": r.name, "data": r.data} for r in message.responses]
        return told
    if message.text is not None:
        told["text"] = message.text
    if isinstance(message, AssistantMessage) and message.tool_calls:
        told["tool_calls"] = [{"id": c.id, "name": c.name, "args": c.arguments} for c in message.tool_calls]
    return told


@dataclass
class Told:
    """What was seen of all rounds of a case."""

    executed: list[list[str]] = field(default_factory=list)
    interrupts: list[list[dict[str, Any]]] = field(default_factory=list)
    state: Mapping[str, Any] = field(default_factory=dict)
    checkpoints: list[dict[str, str]] = field(default_factory=list)
    error: Exception | None = None


def run(case: Mapping[str, Any], agent: ReactAgent, watch: Watch) -> Told:
    """Run the case to its end, answering each pause with the next decision."""
    told = Told()
    config = RunConfig("t")
    decisions = list(case.get("decisions", ()))
    value: Any = {"input": case["input"], **agent.inputs_of(case["input"])}
    while True:
        seen = len(watch.events)
        result = agent.run(value, config)
        events = watch.events[seen:]
        ran = [e["node"] for e in events if e["event"] == "after"]
        told.executed.append(ran + [END for e in events if e["event"] == "onComplete"])
        told.error = result.error
        asked = result.interruption
        told.interrupts.append([] if asked is None else [told_interrupt(asked)])
        told.state = result.state
        if asked is None or not decisions:
            break
        decision = decisions.pop(0)
        changes = {"result": decision["result"]}
        if "args" in decision:
            changes["arguments"] = decision["args"]
        if "reason" in decision:
            changes["description"] = decision["reason"]
        feedbacks = [replace(feedback, **changes) for feedback in asked.tool_feedbacks]
        config, value = RunConfig("t").resuming(asked.answered(feedbacks)), {}
    rows = agent.compiled().history(RunConfig("t"))
    told.checkpoints = [{"node": row.node, "next": str(row.next)} for row in rows]
    return told


def told_interrupt(asked: Any) -> dict[str, Any]:
    """An interruption in the words of a case."""
    return {
        "node": asked.node,
        "toolFeedbacks": [
            {"id": f.id, "name": f.name, "args": f.arguments, "desc": f.description}
            for f in asked.tool_feedbacks
        ],
    }
