"""`hookstepper.testing`: a target driven from a test."""

from __future__ import annotations

import pytest

from hookstepper.model.errors import HookstepperError, LoadError
from hookstepper.testing import drive
from support.cli import TARGETS

AGENT = str(TARGETS / "weather_like.py")


def test_a_run_is_driven_by_the_words_of_the_screen() -> None:
    with drive(AGENT, input="hi") as run:
        assert (run.phase, run.node) == ("ready", "InstructionAgentHook.before")

        run.do("run.next").do("run.next")

        assert run.steps == ["InstructionAgentHook.before", "model"]
        assert run.phase == "waiting"
        run.do("answer.send reject:not now").do("run.continue")
        assert run.phase == "ended"
        assert run.tools_run == []
        assert "not now" in str(run.state)


def test_the_guard_holds_again_and_again_and_is_kept_over_restarts() -> None:
    with drive(f"{TARGETS / 'loop.py'}:loop", input={"limit": 12}, guard=5) as run:
        run.do("run.continue")
        assert (len(run.steps), run.view.stop.reasons, run.view.stop.detail) == (5, ("limit",), "5 steps")
        run.do("run.continue")
        assert (len(run.steps), run.view.stop.detail) == (10, "10 steps")

        run.do("run.guard 7").do("run.restart").do("run.continue")
        assert run.view.stop.detail == "7 steps"
        run.do("run.guard 0").do("run.continue")
        assert run.phase == "ended"


def test_a_branch_waits_until_its_siblings_have_run_and_no_longer() -> None:
    with drive(f"{TARGETS / 'fan_out.py'}:fan", input={}) as run:
        seen = {}
        while run.phase != "ended":
            seen[run.node] = [ran.site.node for ran in run.view.ran], sorted(run.state)
            run.do("run.next")

        assert seen == {"left": ([], []), "right": (["left"], []), "join": ([], ["left", "right"])}


SAMPLES = TARGETS.parent.parent / "sample_agents"


@pytest.mark.parametrize(
    ("sample", "tools"),
    [("weather.py", ["get_weather", "write_file"]), ("langchain_approval.py", ["look_up", "look_up", "pay"])],
    ids=["built-in", "langchain"],
)
def test_a_call_that_was_answered_instead_of_being_made_says_so(sample: str, tools: list[str]) -> None:
    """A record that tells a mocked payment like a real one is worse than none."""
    if sample.startswith("langchain"):
        pytest.importorskip("langchain")
    with drive(str(SAMPLES / sample), input="hi") as run:
        run.do('mock.add tool * always "by hand"')
        while run.phase != "ended":
            run.do("answer.send approve" if run.phase == "waiting" else "run.continue")
        calls = [call for step in run.view.trace.steps for call in step.calls]

        assert [(call.name, call.mocked) for call in calls if call.kind == "tool"] == [
            (tool, True) for tool in tools
        ]
        assert not any(call.mocked for call in calls if call.kind == "model")
        assert run.tools_run == []


def test_a_call_that_is_failed_by_hand_or_answered_at_its_gate_was_not_made() -> None:
    with drive(str(SAMPLES / "weather.py"), input="hi") as run:
        run.do("break.add tool").do("run.continue").do("call.fail no network")
        assert run.phase == "waiting"
        run.do("answer.send approve").do("run.continue")
        life = {call.tool: call for call in run.view.trace.calls()}

        assert life["get_weather"].mocked
        assert life["get_weather"].error == "MockedError: no network"
        assert not life["write_file"].mocked
        assert run.tools_run == ["write_file"]


def test_what_is_refused_is_raised_and_nothing_changes() -> None:
    with drive(AGENT, input="hi") as run:
        with pytest.raises(HookstepperError, match="declares no jump"):
            run.do("jump.set end")

        assert run.do("run.next").node == "model"


def test_state_is_edited_forked_and_taken_back() -> None:
    with drive(AGENT, input="hi") as run:
        run.do("run.next")
        run.do('state.edit input "changed"')
        assert run.do("run.next").state["input"] == "changed"

        run.do("time.fork 0")
        assert run.view.trace.steps[-1].branch == "main"
        run.do("run.next")

        assert run.view.trace.steps[-1].branch == "b2"
        assert run.state["input"] == "hi"


def test_an_edit_that_does_not_fit_is_refused_and_the_run_stays_where_it_was() -> None:
    with drive(AGENT, input="hi") as run:
        run.do("run.next")
        with pytest.raises(HookstepperError):
            run.do("state.edit messages[99].content 1")

        run.do("run.next")
        assert run.steps == ["InstructionAgentHook.before", "model"]


def test_a_failed_node_can_be_skipped_with_a_value() -> None:
    with drive(str(TARGETS / "faults.py:raises"), input={"x": 1}) as run:
        run.do("run.continue")
        assert (run.phase, run.error) == ("failed", "KeyError: 'city'")

        run.do('fail.skip {"second": "by hand"}').do("run.continue")

        assert run.phase == "ended"
        assert run.state["second"] == "by hand"


def test_a_target_that_cannot_be_loaded_raises() -> None:
    with pytest.raises(LoadError, match="KeyError"), drive(str(TARGETS / "broken_import.py")):
        raise AssertionError("it was loaded")
