"""The samples run to their end, and the demonstration run is what every picture shows."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from hookstepper.adapters.native import NativeAdapter
from hookstepper.agent import HookPosition, MemorySaver
from hookstepper.ports.facts import Committed
from hookstepper.ports.target import OpenOptions, Outcome, Resume, Start, Target

SAMPLES = Path(__file__).parents[3] / "sample_agents"
OURS = [
    path
    for path in sorted(SAMPLES.glob("*.py"))
    if not path.stem.startswith(("langchain", "langgraph")) and path.stem != "openai_agent"
]


@pytest.fixture
def load(monkeypatch, tmp_path):
    """A sample, loaded as a module of its own name, that writes into a temporary folder."""
    monkeypatch.setenv("HOOKSTEPPER_REPORTS", str(tmp_path))
    loaded: list[str] = []

    def one(path: Path) -> ModuleType:
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[path.stem] = module
        loaded.append(path.stem)
        spec.loader.exec_module(module)
        return module

    yield one
    for name in loaded:
        del sys.modules[name]


class Steps:
    """Keeps the steps of a run."""

    def __init__(self) -> None:
        self.steps: list[Committed] = []

    def wants(self, site, phase):
        return False

    def emit(self, fact):
        if isinstance(fact, Committed):
            self.steps.append(fact)


def approve_all(target: Target, value: object, probe: Steps) -> tuple[Outcome, int]:
    """Run to the end, approving what is asked; the number of questions."""
    outcome, questions = target.run(Start(value, "main"), probe), 0
    while outcome.asks:
        (ask,) = outcome.asks
        count = sum(call.needs_approval for call in ask.calls)
        answer = {"decisions": [{"type": "approve"}] * count}
        outcome, questions = target.run(Resume({ask.id: answer}), probe), questions + 1
    return outcome, questions


@pytest.mark.parametrize("path", OURS, ids=[path.stem for path in OURS])
def test_a_sample_runs_to_its_end(load, path):
    module = load(path)
    target = NativeAdapter().open(module.agent, OpenOptions(sample_input=module.SAMPLE_INPUT))

    outcome, _ = approve_all(target, target.sample_input(), Steps())

    assert outcome.status == ("limit" if path.stem == "jump_loop" else "completed")
    assert module.__doc__
    assert "hookstepper.agent import" in path.read_text()


@pytest.mark.parametrize(
    ("name", "line"), [("weather", "Beijing: sunny, 25 °C"), ("weather_zh", "北京：晴，25 °C")]
)
def test_the_demonstration_run_has_23_steps_in_the_order_of_the_pictures(load, tmp_path, name, line):
    module = load(SAMPLES / f"{name}.py")
    target = NativeAdapter().open(module.agent, OpenOptions())
    probe = Steps()

    outcome, questions = approve_all(target, module.SAMPLE_INPUT, probe)

    turn = [
        "Log.beforeModel",
        "model",
        "Safety.afterModel",
        "Edit.afterModel",
        "HITL.afterModel",
        "Log.afterModel",
    ]
    labels = {node.id: node.label for node in target.describe().nodes}
    assert [labels[step.site.node] for step in probe.steps] == [
        "InstructionAgentHook.before",
        "Audit.before",
        *turn,
        "tool",
        *turn,
        "tool",
        *turn,
        "Audit.after",
    ]
    wrote_nothing = [number for number, step in enumerate(probe.steps, 1) if not step.writes]
    assert wrote_nothing == [5, 6, 7, 12, 13, 21]
    assert (outcome.status, questions) == ("completed", 1)
    state = target.state().values
    assert state.keys() == {"input", "messages", "log", "turn"}
    assert (state["turn"], len(state["log"])) == (3, 4)
    assert (tmp_path / "report.txt").read_text(encoding="utf-8") == line
    assert "rm -rf" not in state["messages"][-1].content


def test_the_picture_of_the_demonstration_has_its_anchors(load):
    graph = load(SAMPLES / "weather.py").agent.describe()
    labels = {node.id: node.label for node in graph.nodes}

    anchors = (graph.anchors.entry, graph.anchors.loop_entry, graph.anchors.loop_exit, graph.anchors.exit)

    assert [labels[node] for node in anchors] == [
        "InstructionAgentHook.before",
        "Log.beforeModel",
        "Log.afterModel",
        "Audit.after",
    ]
    named = {
        (labels[e.source], labels[e.target]): e.label
        for e in graph.edges
        if e.label and e.evidence == "declared"
    }
    assert named == {
        ("Safety.afterModel", "Audit.after"): "jump end",
        ("Log.afterModel", "tool"): "tool calls",
        ("Log.afterModel", "Audit.after"): "done",
        ("Log.afterModel", "Log.beforeModel"): "jump model",
        ("tool", "Log.beforeModel"): "again",
    }


def test_a_tool_of_the_demonstration_cannot_leave_its_folder(load):
    module = load(SAMPLES / "weather.py")

    with pytest.raises(ValueError, match="outside"):
        module.write_file(path="../escaped.txt", text="x")


def test_safety_in_the_wrong_place_lets_the_command_through(load):
    module = load(SAMPLES / "onion.py")

    module.right.invoke(module.SAMPLE_INPUT)
    assert module.RAN == []
    module.wrong.invoke(module.SAMPLE_INPUT)
    assert module.RAN == ["rm -rf ~/reports"]


def test_one_shot_jumps_end_where_sticky_ones_do_not(load):
    module = load(SAMPLES / "jump_loop.py")

    assert module.sticky.run("hi").status == "limit"
    assert module.one_shot.run("hi").status == "completed"


def test_the_sample_with_every_position_has_every_kind_of_hook(load):
    graph = load(SAMPLES / "every_position.py").agent.describe()

    assert {node.kind for node in graph.nodes} >= {
        "before_agent",
        "before_model",
        "after_model",
        "after_agent",
        "tool",
    }
    assert len(HookPosition) == 4
    assert [ring.name for node in graph.nodes if node.kind == "tool" for ring in node.rings] == ["timed"]


def test_a_sample_for_a_real_model_loads_without_one(load, monkeypatch):
    monkeypatch.delenv("OPENAI_MODEL", raising=False)
    module = load(SAMPLES / "openai_agent.py")

    assert module.agent.describe().nodes
    assert module.agent.copy(saver=MemorySaver()).compiled()
