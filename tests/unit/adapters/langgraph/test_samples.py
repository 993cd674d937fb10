"""The samples do what their first lines promise, loaded as a user's file is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hookstepper.adapters.langgraph.target import LangGraphTarget
from hookstepper.adapters.loader import Loaded, load, parse_target
from hookstepper.ports.target import Edit, From, OpenOptions, Outcome, Resume, Start
from support import bare_agents
from support.langgraph_kit import ADAPTER, SAMPLES, sample_files
from support.probe import RecordingProbe

NAMES = [
    f"{path.stem}:{name}"
    for path in sample_files()
    for name in bare_agents.agents_in(bare_agents.module_of(path))
]

ENDINGS = {
    "langchain_approval:agent": "interrupted",
    "langchain_asking:hook": "interrupted",
    "langchain_asking:tool": "interrupted",
    "langchain_newer:agent": "interrupted",
    "langchain_limits:strict": "failed",
    "langchain_messages:blocking": "failed",
}
"""How a sample's first run ends, where it does not simply come to its end."""


def loaded(name: str) -> Loaded:
    """A sample by the name of its file, and of the agent where the file holds several."""
    file, colon, agent = name.partition(":")
    return load(parse_target(f"{file}.py{colon}{agent}", Path(SAMPLES)), [ADAPTER])


def started(name: str, value: Any = None) -> tuple[LangGraphTarget, Outcome, RecordingProbe]:
    found = loaded(name)
    target = found.open(OpenOptions())
    assert isinstance(target, LangGraphTarget)
    probe = RecordingProbe()
    return target, target.run(Start(value if value is not None else found.sample_input, "t"), probe), probe


@pytest.mark.parametrize("name", NAMES)
def test_every_sample_is_found_described_and_runs_on_its_own_input(name: str) -> None:
    target, outcome, probe = started(name)

    assert outcome.status == ENDINGS.get(name, "completed")
    assert target.sample_input() is not None
    assert probe.steps or outcome.status == "failed"
    assert {step.site.node for step in probe.steps} <= {node.id for node in target.describe().nodes}
    assert probe.edges_seen == []


@pytest.mark.parametrize("name", NAMES)
def test_every_sample_is_the_same_when_it_is_run_again(name: str) -> None:
    """Scripted models must not count their calls."""
    _, _, first = started(name)
    _, _, second = started(name)

    assert first.nodes == second.nodes


def test_the_clerk_pays_what_was_decided() -> None:
    target, outcome, _ = started("langchain_approval")
    module = loaded("langchain_approval").module
    module.PAID.clear()

    decision = {"decisions": [{"type": "edit", "args": {"invoice": 17, "amount": 100}}]}
    done = target.run(Resume({outcome.asks[0].id: decision}), RecordingProbe())

    assert [one.needs_approval for one in outcome.asks[0].calls] == [False, True]
    assert done.status == "completed"
    assert module.PAID == [(17, 100)]
    assert "paid 100 EUR" in target.state().values["messages"][-1].content  # type: ignore[index]


def test_the_onion_runs_in_and_out() -> None:
    target, _, probe = started("langchain_onion")

    assert probe.nodes[:6] == [
        "Audit.before_agent",
        "Style.before_model",
        "Safety.before_model",
        "model",
        "Safety.after_model",
        "Style.after_model",
    ]
    assert [ring.name for ring in target.describe().node("model").rings] == ["Audit", "Style", "Safety"]  # type: ignore[arg-type, union-attr]
    assert target.state().values["messages"][-1].content.endswith("You are welcome.")  # type: ignore[index]
    assert "rm -rf" not in target.state().values["messages"][-1].content  # type: ignore[index]


def test_the_driver_leaves_early_or_asks_again() -> None:
    _, _, early = started("langchain_jump")
    _, _, again = started("langchain_jump", "Are we there?")

    assert early.nodes == ["quota.before_model", "sign.after_agent"]
    assert again.nodes.count("model") == 2
    assert [
        step.route.rule for step in again.steps if step.site.node == "retry_empty.after_model" and step.route
    ] == [
        "jump_to",
        "no_tool_calls",
    ]


def test_the_supervisor_hands_over_by_goto() -> None:
    target, _, probe = started("langgraph_supervisor")

    assert probe.nodes == [
        "supervisor",
        "research:search",
        "research:sift",
        "research",
        "supervisor",
        "writing:write",
        "writing:polish",
        "writing",
        "supervisor",
    ]
    assert target.state().values["draft"] == "A page about tea: found: a page about tea; kept 1 of them."


def test_the_words_are_measured_side_by_side() -> None:
    target, _, probe = started("langgraph_map_reduce")

    assert probe.nodes == ["split", *["measure"] * 4, "total"]
    assert target.state().values["total"] == len("to") + len("be") + len("or") + len("not")


def test_the_fetcher_is_tried_again_and_can_be_helped() -> None:
    target, outcome, probe = started("langgraph_retry", {"address": "nowhere"})
    assert outcome.checkpoint is not None

    made = target.edit(outcome.checkpoint, Edit({"address": "somewhere else"}))
    helped = RecordingProbe()
    done = target.run(From(made), helped)

    assert (outcome.status, outcome.failed_at) == ("failed", "fetch")
    assert [point.attempt for point in probe.points] == [1, 2, 3]
    assert done.status == "completed"
    assert helped.nodes == ["fetch", "count"]
