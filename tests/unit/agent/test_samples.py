"""The samples run to their end, and the demonstration run is what every picture shows."""

from __future__ import annotations

import ast
import importlib.util
import shutil
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

import hookstepper.agent
from hookstepper.adapters.native import NativeAdapter
from hookstepper.agent import Hook, HookPosition, MemorySaver, ReactAgent, RunConfig
from hookstepper.ports.facts import Committed
from hookstepper.ports.target import OpenOptions, Outcome, Resume, Start, Target
from hookstepper.ports.verdict import PROCEED

SAMPLES = Path(__file__).parents[3] / "sample_agents"
OURS = [
    path
    for path in sorted(SAMPLES.glob("*.py"))
    if not path.stem.startswith(("langchain", "langgraph")) and path.stem != "openai_agent"
]


@pytest.fixture
def load(monkeypatch, tmp_path):
    """A sample, loaded as a module of its own name, that writes into a temporary folder.

    Each loading makes it anew, with that folder empty again.
    """
    monkeypatch.setenv("HOOKSTEPPER_REPORTS", str(tmp_path / "reports"))
    monkeypatch.setattr(tempfile, "mkdtemp", lambda **_: str(tmp_path / "made"))
    loaded: list[str] = []

    def one(path: Path) -> ModuleType:
        for name in ("reports", "made"):
            shutil.rmtree(tmp_path / name, ignore_errors=True)
            (tmp_path / name).mkdir()
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
        sys.modules.pop(name, None)


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


class Watching(Steps):
    """Holds every task at every gate, and lets it go on."""

    def __init__(self) -> None:
        super().__init__()
        self.held = 0

    def wants(self, site, phase):
        return True

    def hold(self, point):
        self.held += 1
        return PROCEED

    async def ahold(self, point):
        return self.hold(point)


@pytest.mark.parametrize("path", OURS, ids=[path.stem for path in OURS])
def test_a_sample_does_the_same_bare_and_watched(load, path):
    """The debugger changes nothing by watching."""
    module = load(path)
    agent, thread = module.agent, RunConfig("main")
    if isinstance(agent, ReactAgent) and agent.compiled().config.saver is None:
        agent = agent.copy(saver=MemorySaver())  # as a debugger does, so that a question can be answered
    result = agent.run(module.SAMPLE_INPUT, thread)
    while result.interruption is not None:
        asked = result.interruption
        decided = [replace(feedback, result="APPROVED") for feedback in asked.tool_feedbacks]
        result = agent.run({}, thread.resuming(asked.answered(decided)))
    assert result.error is None

    module = load(path)
    target = NativeAdapter().open(module.agent, OpenOptions(sample_input=module.SAMPLE_INPUT))
    probe = Watching()
    outcome, _ = approve_all(target, target.sample_input(), probe)

    assert (outcome.status, target.state().values) == (result.status, dict(result.state))
    assert probe.held > 2 * len(probe.steps)


def test_every_hook_is_shown_by_a_sample():
    """Whoever wants to know what a hook does can watch it."""
    shown = "\n".join(path.read_text() for path in OURS)
    built_in = [
        kind.__name__
        for kind in map(vars(hookstepper.agent).get, hookstepper.agent.__all__)
        if isinstance(kind, type) and issubclass(kind, Hook) and kind is not Hook
    ]

    # The instruction hook is in every agent.
    missing = [name for name in built_in if f"{name}(" not in shown and f"({name})" not in shown]
    assert set(missing) == {"InstructionAgentHook"}


@pytest.mark.parametrize("path", OURS, ids=[path.stem for path in OURS])
def test_a_sample_says_at_its_top_what_there_is_to_see(path):
    """In about five lines."""
    text = ast.get_docstring(ast.parse(path.read_text()))

    assert text is not None
    assert 4 <= len(text.splitlines()) <= 8


def test_a_summary_changes_the_state_and_a_ring_the_request_only(load):
    module = load(SAMPLES / "long_memory.py")
    asked = []
    model = module.agent.spec.model
    reply, model.call = model.call, lambda prompt: asked.append(prompt) or reply(prompt)

    state = module.agent.invoke(module.SAMPLE_INPUT)

    results = [[m.content[:9] for m in prompt.messages if m.role == "tool"] for prompt in asked]
    assert results == [[], ["Chapter 1"], ["[cleared]", "Chapter 2"], ["Chapter 3"]]
    assert [m.role for m in state["messages"]] == ["user", "system", "assistant", "tool", "assistant"]


def test_both_ways_to_end_a_run_without_the_model(load):
    module = load(SAMPLES / "direct_answer.py")

    assert module.direct.call(module.SAMPLE_INPUT).text == "Ghent: 12.40 EUR, today only"
    assert "limit 3/2" in module.limited.call(module.SAMPLE_INPUT).text


def test_the_tools_that_hooks_and_rings_bring_work_together(load):
    module = load(SAMPLES / "workshop.py")

    state = module.agent.invoke(module.SAMPLE_INPUT)

    results = [m.responses[0].data for m in state["messages"] if m.role == "tool"]
    assert results[2:] == ["19 bytes written to note.txt", "<no output>", "6", "*** 6 ***"]
    assert state["todos"][0]["content"] == "count"


def test_a_word_in_between_stands_behind_the_result(load):
    module = load(SAMPLES / "word_in_between.py")

    state = module.agent.invoke(module.SAMPLE_INPUT, RunConfig("t"))

    assert [m.role for m in state["messages"]] == ["user", "assistant", "tool", "user", "assistant"]


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
    assert (tmp_path / "reports" / "report.txt").read_text(encoding="utf-8") == line
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
