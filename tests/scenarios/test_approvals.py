"""What a person decides, and what then really runs."""

from __future__ import annotations

import json

import pytest

from hookstepper.model.commands import StartRun
from hookstepper.model.errors import HookstepperError
from scenarios.kit import ENGINES, NATIVE, driven, played, target_python
from support.cli import hookstepper

TABLE = {
    "approve": ({"type": "approve"}, ["pay", "look"], {"amount": 1}),
    "reject": ({"type": "reject", "reason": "no"}, ["look"], None),
    "edit": ({"type": "edit", "args": {"amount": 99}}, ["pay", "look"], {"amount": 99}),
    "respond": ({"type": "respond", "text": "user says hi"}, ["look"], None),
}


@ENGINES
@pytest.mark.parametrize("decision", TABLE)
def test_s15_what_is_decided_is_what_runs(file, colour, decision):
    """Of two calls only `pay` needs a person; `look` runs in every case."""
    answer, tools, used = TABLE[decision]
    with driven(f"{file}:approval{colour}") as run:
        run.do("run.continue")
        (ask,) = run.view.stop.asks
        assert {call.tool: call.needs_approval for call in ask.calls} == {"pay": True, "look": False}
        if decision not in ask.allowed:
            with pytest.raises(HookstepperError, match="not offered"):
                run.do(f"answer.send {json.dumps({'decisions': [answer]})}")
            return

        played(run.do(f"answer.send {json.dumps({'decisions': [answer]})}"))

        assert sorted(run.tools_run) == sorted(tools)
        pay = next(call for call in run.view.trace.calls() if call.tool == "pay")
        assert pay.used == used
        assert pay.executed_undecided is False
        words = {"approve": "approved", "reject": "rejected", "edit": "edited", "respond": "responded"}
        assert words[decision] in pay.by_hand
        if decision == "respond":
            assert "user says hi" in pay.result


@ENGINES
@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ('{"decisions": []}', "0 decisions for 1 calls"),
        ('{"decisions": [{"type": "edit", "args": {"amount": "lots"}}]}', "c1 pay"),
        ('{"decisions": [{"type": "edit", "args": {}}]}', "c1 pay"),
        ('{"decisions": [{"type": "wave"}]}', "c1 pay"),
        ('"yes"', "decisions"),
    ],
)
def test_s15_a_decision_that_does_not_fit_changes_nothing(file, colour, answer, why):
    with driven(f"{file}:approval{colour}") as run:
        run.do("run.continue")
        before = run.state
        with pytest.raises(HookstepperError, match=why):
            run.do(f"answer.send {answer}")

        assert (run.phase, run.state) == ("waiting", before)
        played(run.do("answer.send approve"))
        assert sorted(run.tools_run) == ["look", "pay"]


def test_s17_a_new_message_does_not_pass_an_open_question():
    with driven(f"{NATIVE}:approval") as run:
        run.do("run.continue")
        with pytest.raises(HookstepperError, match="question is open"):
            run.do(StartRun("another text", "main"))
        assert run.phase == "waiting"


@ENGINES
def test_s15_lines_for_a_person_tell_which_call_needs_an_answer(file, colour):
    done = hookstepper(
        "run",
        f"{file}:approval{colour}",
        "--headless",
        "--input",
        "go",
        *target_python(),
        "--answer",
        "approve",
    )

    assert done.code == 0, done.err
    assert "‖ c1 pay {amount: 1}\n" in done.out
    if "look {q" in done.out:
        assert '· c2 look {q: "z"}  (needs no answer)\n' in done.out
