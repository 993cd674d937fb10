"""The debugger changes nothing by watching: random `create_agent` agents, bare and held at every gate."""

from __future__ import annotations

import asyncio
import os
import threading
from dataclasses import dataclass
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.langgraph_kit import opened, ran  # isort: skip - before langchain
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, hook_config
from langchain_core.tools import StructuredTool
from langchain_scripted import ScriptedChat, call, calls

from support.probe import RecordingProbe

EXAMPLES = 200 if os.environ.get("HOOKSTEPPER_THOROUGH") else 20
TOOLS = ("add", "fails", "direct")


@dataclass(frozen=True)
class AgentPlan:
    turns: tuple[tuple[str, ...], ...]
    """Tools that the model asks for, turn by turn."""
    middleware: tuple[str, ...]
    """ring, hook, both, repeats (a ring that calls twice), leaves (a hook that ends the run at turn two)"""
    colour: str


@st.composite
def plans(draw: st.DrawFn) -> AgentPlan:
    turns = draw(st.lists(st.lists(st.sampled_from(TOOLS), min_size=1, max_size=3), max_size=3))
    kinds = st.sampled_from(["ring", "hook", "both", "repeats", "leaves"])
    middleware = draw(st.lists(kinds, max_size=3, unique=True))
    return AgentPlan(tuple(map(tuple, turns)), tuple(middleware), draw(st.sampled_from(["sync", "async"])))


class Agent:
    """An agent made from a plan, with a list of what was called."""

    def __init__(self, plan: AgentPlan) -> None:
        self.made: list[str] = []
        self._lock = threading.Lock()
        replies: list[Any] = [
            calls(*(call(name, f"c{turn}{place}", n=place) for place, name in enumerate(names)))
            for turn, names in enumerate(plan.turns)
        ]
        tools = [self._tool(name) for name in TOOLS]
        middleware = [self._middleware(kind) for kind in plan.middleware]
        self.graph = create_agent(ScriptedChat(replies=[*replies, "done"]), tools, middleware=middleware)

    def note(self, what: str) -> None:
        with self._lock:
            self.made.append(what)

    def _tool(self, name: str) -> StructuredTool:
        def body(n: int) -> str:
            self.note(f"{name} {n}")
            if name == "fails" and n == 2:
                raise ValueError("two is too many")
            return f"{name} gave {n}"

        async def abody(n: int) -> str:
            return body(n)

        return StructuredTool.from_function(
            body, coroutine=abody, name=name, description=name, return_direct=name == "direct"
        )

    def _middleware(self, kind: str) -> AgentMiddleware:
        note = self.note

        class Ring(AgentMiddleware):
            name = f"{kind}-ring"

            def wrap_model_call(self, request: Any, handler: Any) -> Any:
                note(f"{kind} model")
                if kind == "repeats":
                    handler(request)
                return handler(request)

            async def awrap_model_call(self, request: Any, handler: Any) -> Any:
                note(f"{kind} model")
                if kind == "repeats":
                    await handler(request)
                return await handler(request)

            def wrap_tool_call(self, request: Any, handler: Any) -> Any:
                note(f"{kind} tool")
                return handler(request)

            async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
                note(f"{kind} tool")
                return await handler(request)

        class Hook(AgentMiddleware):
            name = f"{kind}-hook"

            @hook_config(can_jump_to=["end"])
            def before_model(self, state: Any, runtime: Any) -> Any:
                note(f"{kind} before")
                return {"jump_to": "end"} if kind == "leaves" and len(state["messages"]) > 2 else None

            def after_model(self, state: Any, runtime: Any) -> None:
                note(f"{kind} after")

        class Both(Ring, Hook):
            name = f"{kind}-both"

        made = {"ring": Ring, "repeats": Ring, "hook": Hook, "leaves": Hook, "both": Both}[kind]
        return made()


def told(values: Any, error: BaseException | None) -> tuple[list[Any], str]:
    messages = [(one.type, one.content, getattr(one, "tool_call_id", "")) for one in values["messages"]]
    return messages, f"{type(error).__name__}: {error}" if error is not None else ""


def bare(plan: AgentPlan) -> tuple[list[Any], str, list[str]]:
    agent = Agent(plan)
    last: dict[str, Any] = {"messages": []}
    given_ = {"messages": [("user", "hi")]}

    async def follow() -> None:
        if plan.colour == "sync":
            for state in agent.graph.stream(given_, stream_mode="values"):
                last.update(state)
        else:
            async for state in agent.graph.astream(given_, stream_mode="values"):
                last.update(state)

    error: BaseException | None = None
    try:
        asyncio.run(follow())
    except ValueError as raised:
        error = raised
    return (*told(last, error), sorted(agent.made))


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(plans())
def test_an_agent_held_at_every_gate_does_what_it_does_alone(plan: AgentPlan) -> None:
    messages, error, made = bare(plan)
    agent = Agent(plan)
    # An asynchronous run: the target makes one where something has no synchronous form.
    loop = asyncio.new_event_loop() if plan.colour == "async" else None
    try:
        target = opened(agent.graph, loop=loop)
        probe = RecordingProbe(holds=lambda site, phase: True)
        outcome, _ = ran(target, "hi", probe)
        ours = told(target.state().values, outcome.error)
    finally:
        if loop is not None:
            loop.close()

    assert ours == (messages, error)
    if not error:
        # Calls beside one that fails may be cut short, bare or not.
        assert sorted(agent.made) == made
        kinds = [point.site.kind for point in probe.points if point.phase == "enter"]
        assert kinds.count("tool") == sum(what.split()[0] in TOOLS for what in made)
