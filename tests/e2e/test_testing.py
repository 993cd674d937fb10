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
