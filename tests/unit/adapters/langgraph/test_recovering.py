"""An agent that was made before anybody watched has its rings all the same."""

from __future__ import annotations

from typing import Any

import pytest

from support.langgraph_kit import COLOURS, opened, painted, ran  # isort: skip - before langchain
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, before_model, wrap_model_call
from langchain_core.tools import StructuredTool
from langchain_scripted import ScriptedChat, call, calls

from hookstepper.model.ids import NodeId
from hookstepper.ports.facts import LayerPassed
from hookstepper.ports.verdict import Fulfil
from support.probe import RecordingProbe

unwatched = create_agent.__wrapped__  # type: ignore[attr-defined]
"""As it was before the adapter was prepared."""
ORDER: list[str] = []


class Both(AgentMiddleware):
    def wrap_model_call(self, request: Any, handler: Any) -> Any:
        ORDER.append("Both model")
        return handler(request)

    async def awrap_model_call(self, request: Any, handler: Any) -> Any:
        ORDER.append("Both model")
        return await handler(request)

    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        ORDER.append("Both tool")
        return handler(request)

    async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
        ORDER.append("Both tool")
        return await handler(request)


class Inner(Both):
    def before_model(self, state: Any, runtime: Any) -> None:
        """A hook beside the rings."""


def agent(colour: str, *middleware: Any) -> Any:
    def add(a: int, b: int) -> int:
        """Add."""
        return a + b

    def hook(state: Any, runtime: Any) -> None:
        """In the run's colour."""

    ORDER.clear()
    model = ScriptedChat(replies=[calls(call("add", "c1", a=1, b=2)), "done"])
    hooks = [before_model(painted(hook, colour))]
    return unwatched(model, [StructuredTool.from_function(add)], middleware=[*middleware, *hooks])


def layers(site: Any, phase: str) -> bool:
    return bool(site.kind == "layer" and phase == "enter")


@COLOURS
def test_rings_are_gates_in_their_order(colour: str) -> None:
    target = opened(agent(colour, Both(), Inner()))
    probe = RecordingProbe(holds=layers)

    outcome, _ = ran(target, "hello", probe)

    assert outcome.status == "completed"
    assert "layers" in target.capabilities
    assert [(point.site.name, point.site.ring, point.site.node) for point in probe.points] == [
        ("Both", 0, "model"),
        ("Inner", 1, "model"),
        ("Both", 0, "tools"),
        ("Inner", 1, "tools"),
        ("Both", 0, "model"),
        ("Inner", 1, "model"),
    ]
    assert [fact.around for fact in probe.of(LayerPassed)] == ["model"] * 2 + ["tool"] * 2 + ["model"] * 2
    assert any("made before hookstepper was there" in note for note in target.describe().notes)


def test_the_picture_has_the_rings_and_the_order_of_registration() -> None:
    graph = opened(agent("sync", Both(), Inner())).describe()
    nodes = {node.id: node for node in graph.nodes}

    assert [ring.name for ring in nodes[NodeId("model")].rings] == ["Both", "Inner"]
    assert [ring.name for ring in nodes[NodeId("tools")].rings] == ["Both", "Inner"]
    assert nodes[NodeId("Inner.before_model")].index == 1
    assert nodes[NodeId("hook.before_model")].index == 2


def test_a_decorated_ring_is_found_by_its_name_and_can_be_answered() -> None:
    from langchain_core.messages import AIMessage

    @wrap_model_call
    def guard(request: Any, handler: Any) -> Any:
        ORDER.append("guard")
        return handler(request)

    target = opened(agent("sync", guard))

    ran(target, "hello", RecordingProbe([Fulfil(AIMessage("no"))], holds=layers))

    assert ORDER == []
    assert target.state().values["messages"][-1].content == "no"  # type: ignore[index]


def test_the_agent_is_as_it_was_when_the_target_is_closed() -> None:
    made = agent("sync", Both())
    tools = made.builder.nodes["tools"].runnable
    before = tools._wrap_tool_call
    target = opened(made)
    during = tools._wrap_tool_call

    target.close()
    target.close()
    probe = RecordingProbe(holds=layers)
    ran(opened(made), "hello", probe)

    assert during is not before
    assert len(probe.points) == 3
    assert ORDER == ["Both model", "Both tool", "Both model"]


@pytest.mark.parametrize("middleware", [[], [Inner()]])
def test_an_agent_that_was_seen_being_made_is_left_alone(middleware: list[Any]) -> None:
    graph = opened(create_agent(ScriptedChat(replies=["hi"]), [], middleware=middleware)).describe()

    assert not [note for note in graph.notes if "made before" in note]
