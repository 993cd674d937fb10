"""The recorded behaviour of the Java ReactAgent, case by case: structure must be equal, wording is ours."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hookstepper.model.errors import SpecError

from .agents import Told, Watch, build, run, told_graph, told_state

JAVA_ENUM = "com.alibaba.cloud.ai.graph.agent.hook.JumpTo"


def normal(value: Any) -> Any:
    """A recorded value with both forms of an enum made one: live it is `JumpTo:end`, serialised a list."""
    if isinstance(value, str) and value.startswith("JumpTo:"):
        return value.removeprefix("JumpTo:")
    if isinstance(value, list):
        if len(value) == 2 and value[0] == JAVA_ENUM:
            return value[1]
        return [normal(item) for item in value]
    if isinstance(value, dict):
        return {key: normal(item) for key, item in value.items()}
    return value


def same(seen: Any, recorded: Any, where: str = "") -> None:
    """Fail unless both are equal; a placeholder such as `<limit text>` stands for any text that is there."""
    if isinstance(recorded, str) and recorded.startswith("<") and recorded.endswith(" text>"):
        assert isinstance(seen, str), where
        assert seen.strip(), where
    elif isinstance(recorded, dict) and isinstance(seen, dict):
        assert seen.keys() == recorded.keys(), where
        for key in recorded:
            same(seen[key], recorded[key], f"{where}.{key}")
    elif isinstance(recorded, list) and isinstance(seen, list):
        assert len(seen) == len(recorded), f"{where}: {seen} is not {recorded}"
        for at, (one, other) in enumerate(zip(seen, recorded, strict=True)):
            same(one, other, f"{where}[{at}]")
    else:
        assert seen == recorded, where


def edges(graph: dict[str, Any]) -> dict[str, Any]:
    return {edge["source"]: edge["targets"] for edge in graph["edges"]}


def test_a_recorded_agent_behaves_as_it_did_in_java(case_file: Path):
    """Whoever steps through an agent here must see what the Java program would do."""
    case = normal(json.loads(case_file.read_text(encoding="utf-8")))
    watch = Watch()
    agent, model = build(case, watch)

    if "build_fails_with" in case:
        with pytest.raises(Exception) as failure:
            agent.compiled()
        assert_build_failure(failure.value, case["build_fails_with"])
        return
    graph = told_graph(agent)
    told = run(case, agent, watch)

    assert graph["nodes"] == case["graph"]["nodes"]
    same(graph["edges"], edges(case["graph"]), "edges")
    assert graph["key_strategies"] == case["graph"]["key_strategies"]
    assert told.executed == case["executed"]
    same(told.interrupts, case["interrupts"], "interrupts")
    assert model.calls == case["model_calls"]
    same_events(watch.events, case["events"])
    same_end(told, case)


def assert_build_failure(error: Exception, what: str) -> None:
    """The failure names the thing that is wrong; the Java program's own text is kept beside ours."""
    upstream = getattr(error, "upstream", "")
    match what.split():
        case ["duplicate", "hook", "name"]:
            assert upstream == "Duplicate hook instances found"
        case ["undefined", "node", node]:
            assert f"a not existent nodeId {node}" in upstream
        case _:
            assert isinstance(error, SpecError), what


def same_events(seen: list[dict[str, Any]], recorded: list[dict[str, Any]]) -> None:
    for at, event in enumerate(recorded):
        if event["event"] == "…":
            rest = int(event["node"].split()[0])
            assert len(seen) == at + rest
            return
        word = event["event"].split("(")[0]
        assert seen[at]["event"] == word, f"event {at}"
        assert seen[at]["node"] == event["node"], f"event {at}"
        if "state" in event:
            same(seen[at]["state"], event["state"], f"event {at}")
        if word == "onError":
            return
    assert len(seen) == len(recorded)


def same_end(told: Told, case: dict[str, Any]) -> None:
    assert (told.error is not None) == ("fails_with" in case)
    if "final_state" in case:
        same(told_state(told.state), case["final_state"], "final_state")
    recorded = case["checkpoints_newest_first"]
    if isinstance(recorded, dict):
        assert len(told.checkpoints) == recorded["count"]
    else:
        assert told.checkpoints == recorded
