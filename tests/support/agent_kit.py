"""Small real agents for tests: hooks that note their visits, tools that note their calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from typing import Any

from hookstepper.agent import (
    AgentCommand,
    AgentHook,
    AssistantMessage,
    ChatModel,
    CompileConfig,
    Hook,
    HookPosition,
    MemorySaver,
    MessagesModelHook,
    ModelHook,
    ReactAgent,
    RunConfig,
    ScriptedModel,
    Tool,
    ToolCall,
    ToolResponse,
    ToolResponseMessage,
    hook_positions,
)
from hookstepper.agent.hooks import METHODS

BA, AA = HookPosition.BEFORE_AGENT, HookPosition.AFTER_AGENT
BM, AM = HookPosition.BEFORE_MODEL, HookPosition.AFTER_MODEL
SHORT = {BA: "before", AA: "after", BM: "bM", AM: "aM"}
LIMIT = 60
"""Engine iterations of a test's run: a routing loop ends there instead of never."""


class Counting(ScriptedModel):
    """A script that keeps every prompt that it was given."""

    def __init__(self, replies: Sequence[Any], **options: Any) -> None:
        super().__init__(replies, **options)
        self.prompts: list[Any] = []

    @property
    def calls(self) -> int:
        return len(self.prompts)

    def reply_to(self, prompt: Any) -> Any:
        self.prompts.append(prompt)
        return super().reply_to(prompt)


def call(call_id: str, name: str, arguments: str = "{}") -> ToolCall:
    return ToolCall(call_id, name, arguments)


def asks(*calls: ToolCall, text: str | None = None) -> AssistantMessage:
    return AssistantMessage(text, calls)


def answers(*rows: tuple[str, str, str]) -> ToolResponseMessage:
    return ToolResponseMessage([ToolResponse(*row) for row in rows])


class Noting:
    """A tool that notes the arguments of its calls."""

    def __init__(self, name: str, result: Any = "ok", *, return_direct: bool = False) -> None:
        self.calls: list[dict[str, Any]] = []
        self.result = result
        self.tool = Tool(name, self._run, description=f"does {name}", return_direct=return_direct)

    def _run(self, **arguments: Any) -> Any:
        self.calls.append(arguments)
        if isinstance(self.result, Exception):
            raise self.result
        return self.result


def hook(
    name: str,
    seen: list[str],
    *positions: HookPosition,
    base: type[Hook] | None = None,
    jumps: Sequence[str] = (),
    order: int = 0,
    gives: Mapping[HookPosition, Sequence[Any]] | None = None,
) -> Hook:
    """A hook that notes `name.position` and gives one update a visit, the last one again and again."""
    agent_level = any(position in (BA, AA) for position in positions)
    base = base or (AgentHook if agent_level else ModelHook)

    def method(position: HookPosition) -> Any:
        visits = 0

        def run(self: Hook, given: Any, config: Any) -> Any:
            nonlocal visits
            seen.append(f"{name}.{SHORT[position]}")
            rows = (gives or {}).get(position, ())
            visits += 1
            if not rows:
                return AgentCommand() if issubclass(base, MessagesModelHook) else {}
            row = rows[min(visits, len(rows)) - 1]
            return row(given) if callable(row) else row

        return run

    body: dict[str, Any] = {METHODS[position]: method(position) for position in positions}
    body |= {"name": name, "order": order, "can_jump_to": tuple(jumps)}
    return hook_positions(*positions)(type(name, (base,), body))()


RULES: ContextVar[Any] = ContextVar("RULES", default="upstream")
"""The rules of an agent that names none: numbered cases run by both."""


def agent(
    script: Sequence[Any] | ChatModel = ("ok",),
    *,
    hooks: Sequence[Hook] = (),
    tools: Sequence[Any] = (),
    saver: bool = False,
    limit: int = LIMIT,
    **options: Any,
) -> ReactAgent:
    """An agent whose loops end at `limit` iterations; it follows the case's rules if it names none."""
    options["compat"] = options.get("compat") or RULES.get()
    model = script if isinstance(script, ChatModel) else Counting(script)
    config = CompileConfig(
        saver=MemorySaver() if saver else None,
        recursion_limit=limit,
        compat=options["compat"],
    )
    return ReactAgent(
        options.pop("name", "agent"),
        model,
        hooks=hooks,
        tools=[tool.tool if isinstance(tool, Noting) else tool for tool in tools],
        compile_config=config,
        **options,
    )


def edges(made: ReactAgent) -> dict[str, list[str]]:
    """Targets by source, in short names; a conditional edge's targets in the order of its mapping."""
    told: dict[str, list[str]] = {}
    for source, targets in made.graph().edges.items():
        row: list[str] = []
        for target in targets:
            row += getattr(target, "mapping", None) or [target]
        told[short(source)] = [short(item) for item in row]
    return told


def short(node: str) -> str:
    """`_AGENT_HOOK_X.beforeModel` is `X.bM`, `_AGENT_MODEL_` is `model`."""
    names = {"_AGENT_MODEL_": "model", "_AGENT_TOOL_": "tool", "__START__": "START", "__END__": "END"}
    if node in names:
        return names[node]
    node = node.removeprefix("_AGENT_HOOK_").replace(".beforeModel", ".bM").replace(".afterModel", ".aM")
    return node.replace("InstructionAgentHook", "Instr")


def texts(state: Mapping[str, Any]) -> list[str]:
    """Role and text of each message."""
    return [f"{m.role}: {m.content}" for m in state["messages"]]


def thread(name: str = "t") -> RunConfig:
    return RunConfig(name)
