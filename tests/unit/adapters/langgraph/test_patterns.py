"""Every pattern of LangChain's middleware, bare and held at every gate: the same state, nodes and calls.

The bare runs happen in a process of their own that has never heard of hookstepper.
"""

from __future__ import annotations

import asyncio
import functools
import json
import os
import subprocess
import sys
from typing import Any

import pytest

from support.langgraph_kit import SAMPLES, opened, sample_files  # isort: skip - before langchain
from langgraph.graph.state import CompiledStateGraph

from hookstepper.model import jumps
from hookstepper.model.gates import Ask
from hookstepper.model.graph import Graph, Node
from hookstepper.ports.target import Outcome, Resume, Start
from support import bare_agents
from support.probe import RecordingProbe

FILES = [path for path in sample_files() if path.stem.startswith("langchain_")]
ONLY_SYNC = "NotImplementedError"
ONLY_ASYNC = "TypeError: No synchronous function"


@functools.cache
def bare_runs() -> dict[str, dict[str, Any]]:
    """What every agent does without us, by `file:agent:colour`."""
    script = bare_agents.__file__
    assert script is not None
    paths = {**os.environ, "PYTHONPATH": str(SAMPLES)}
    done = subprocess.run(
        [sys.executable, script, *map(str, FILES)], env=paths, capture_output=True, check=True, text=True
    )
    return dict(json.loads(done.stdout))


def agents() -> list[str]:
    """`file:agent` for every agent of every file."""
    return [
        f"{file.stem}:{name}" for file in FILES for name in bare_agents.agents_in(bare_agents.module_of(file))
    ]


AGENTS = agents()


def described(agent: str) -> Graph:
    file, _, name = agent.partition(":")
    return opened(bare_agents.agents_in(bare_agents.module_of(SAMPLES / f"{file}.py"))[name]).describe()


def answered(ask: Ask) -> object:
    """The neutral form of what the bare run answers."""
    if ask.kind == "approval":
        return {"decisions": [bare_agents.APPROVE for call in ask.calls if call.needs_approval]}
    return bare_agents.answer_to(ask.payload)


def watched(agent: str, colour: str) -> tuple[dict[str, Any], RecordingProbe, Outcome]:
    """What an agent does while it is held at every gate, its questions answered as in the bare run."""
    file = SAMPLES / f"{agent.partition(':')[0]}.py"
    module = bare_agents.module_of(file)
    graph: CompiledStateGraph[Any] = bare_agents.agents_in(module)[agent.partition(":")[2]]
    loop = asyncio.new_event_loop() if colour == "async" else None
    target = opened(graph, loop=loop)
    probe = RecordingProbe(holds=lambda site, phase: True)
    try:
        with bare_agents.counted(file) as made:
            outcome = target.run(Start(bare_agents.given(module), "t"), probe)
            for _ in range(bare_agents.ROUNDS):
                if not outcome.asks:
                    break
                outcome = target.run(Resume({ask.id: answered(ask) for ask in outcome.asks}), probe)
        error = f"{type(outcome.error).__name__}: {outcome.error}" if outcome.error else ""
        # The last step's state: that of a checkpoint has no values that LangGraph keeps in the run alone.
        last = probe.steps[-1].state if probe.steps else target.state().values
        state = bare_agents.told(last)
        return {"state": state, "calls": dict(made), "error": error}, probe, outcome
    finally:
        if loop is not None:
            loop.run_until_complete(loop.shutdown_default_executor())
            loop.close()


def _comparable(state: dict[str, Any]) -> dict[str, Any]:
    """Without objects that are told by where they stand in memory."""
    return {key: value for key, value in state.items() if " object at 0x" not in str(value)}


@pytest.mark.parametrize("colour", bare_agents.COLOURS)
@pytest.mark.parametrize("agent", AGENTS)
def test_an_agent_held_at_every_gate_does_what_it_does_alone(agent: str, colour: str) -> None:
    alone = bare_runs()[f"{agent}:{colour}"]

    ours, probe, outcome = watched(agent, colour)

    if alone["error"].startswith(ONLY_ASYNC):
        # We find out by ourselves that it must run asynchronously.
        alone = bare_runs()[f"{agent}:async"]
    assert ours["error"] == alone["error"]
    assert _comparable(ours["state"]) == _comparable(alone["state"])
    assert ours["calls"] == alone["calls"]
    assert probe.nodes == alone["nodes"]
    assert outcome.status == ("failed" if alone["error"] else "completed")


@pytest.mark.parametrize("agent", AGENTS)
def test_each_node_tells_its_kind_and_where_it_was_written(agent: str) -> None:
    file = SAMPLES / f"{agent.partition(':')[0]}.py"
    graph = described(agent)

    for node in graph.nodes:
        name = str(node.id)
        owner, _, hook = name.rpartition(".")
        if node.kind in ("start", "end"):
            continue
        assert node.kind == {"model": "model", "tools": "tool"}.get(name, hook)
        assert (node.index is not None) == bool(owner)
        if owner and not owner.partition("[")[0].endswith("Middleware"):
            assert node.source is not None
            assert node.source.file == str(file)
            assert f"def {node.source.function.rpartition('.')[2]}" in _lines_from(node)
    hooks = [node for node in graph.nodes if node.index is not None]
    by_place = {node.index: node.owner for node in hooks}
    assert len(set(by_place.values())) == len(by_place)


def _lines_from(node: Node) -> str:
    """The lines at a node's source, as far as a decorator reaches."""
    assert node.source is not None
    with open(node.source.file, encoding="utf-8") as file:
        return "".join(file.readlines()[node.source.line - 1 : node.source.line + 3])


JUMPS = {
    "langchain_jump:agent": {"quota.before_model": ("end",), "retry_empty.after_model": ("model",)},
    "langchain_jumps:doorman": {"opening_hours.before_agent": ("end",)},
    "langchain_jumps:shortcut": {"ask_at_once.before_model": ("tool",)},
    "langchain_jumps:careless": {},
    "langchain_limits:brief": {"ModelCallLimitMiddleware.before_model": ("end",)},
    "langchain_hooks:agent": {},
}


@pytest.mark.parametrize("agent", JUMPS)
def test_declared_jumps_are_told_and_no_others(agent: str) -> None:
    graph = described(agent)

    assert {str(node.id): node.jumps for node in graph.nodes if node.jumps} == JUMPS[agent]
    for node in graph.nodes:
        drawn = {edge.target for edge in graph.edges if edge.source == node.id}
        assert {jumps.target_of(graph, word) for word in node.jumps} <= drawn


def test_undeclared_jumps_are_told_as_ignored_or_obeyed() -> None:
    _, probe, _ = watched("langchain_jumps:careless", "sync")

    told = {str(step.site.node): step.route for step in probe.steps if step.route is not None}

    assert "in_vain.before_model" in told
    assert "ignored" in str(told["in_vain.before_model"])
    assert "undeclared" in str(told["all_the_same.after_model"])


RINGS = {
    "langchain_hooks:agent": (["quote"], ["stamp"]),
    "langchain_hooks:classes": (["EveryHook"], ["EveryHook"]),
    "langchain_hooks:coroutines": (["aquote"], ["astamp"]),
    "langchain_dynamic:agent": (["by_role", "by_length", "allowed"], []),
    "langchain_limits:patient": ([], ["ToolRetryMiddleware"]),
    "langchain_limits:spare": (["ModelFallbackMiddleware"], []),
    "langchain_messages:clearing": (["ContextEditingMiddleware"], []),
    "langchain_results:emulated": ([], ["LLMToolEmulator"]),
}


@pytest.mark.parametrize("agent", RINGS)
def test_rings_are_told_in_their_order(agent: str) -> None:
    graph = described(agent)

    around = {node.kind: [ring.name for ring in node.rings] for node in graph.nodes if node.rings}

    model, tool = RINGS[agent]
    assert (around.get("model", []), around.get("tool", [])) == (model, tool)


def test_what_a_ring_made_of_a_request_is_seen_at_the_call() -> None:
    """Prompt, model and tools are those of the call that is really made."""
    _, probe, _ = watched("langchain_dynamic:agent", "sync")

    arrivals = [one for one in probe.points if one.site.kind == "model" and one.phase == "enter"]
    requests = [one.value for one in arrivals]

    assert len(requests) == 2
    assert "You talk to a guest; 1 messages so far." in str(requests[0])
    assert "forget" not in str(requests[0])
    assert [one.site.name for one in arrivals] == ["small", "large"]
