"""Hooks: order, jumps, approvals that come too late. Static findings of these scenarios are not here yet."""

from __future__ import annotations

import pytest

from hookstepper.model.errors import LoadError
from hookstepper.trace.jumps import jump_life
from scenarios.kit import CHAIN, COLOURS, ENGINES, NATIVE, driven, marked, played, short, whys


@ENGINES
def test_s01_the_onion_and_the_list_of_steps_agree(file, colour):
    with driven(f"{file}:onion{colour}") as run:
        played(run)
        names = short(run.steps)
        turn = ["A.b", "B.b", "C.b", "model", "C.a", "B.a", "A.a"]
        assert [name for name in names if name not in ("tools", "tool")] == turn * 2

        layers = run.view.trace.onion(1, "model").layers
        assert [layer.owner for layer in layers] == ["A", "B", "C"]
        walk = [layer.way_in.step for layer in layers] + [layer.way_out.step for layer in reversed(layers)]
        hooks = [i for i, name in enumerate(run.steps) if "." in name and not name.startswith("Instruction")]
        assert walk == hooks[:6]


@ENGINES
def test_s02_an_approval_that_a_jump_skips_is_told(file, colour):
    with driven(f"{file}:approval_skipped{colour}") as run:
        while run.tools_run == []:
            run.do("run.next")

        assert run.tools_run == ["pay"]
        (skipped, *_) = marked(run, "hook_skipped")
        assert "eager" in str(skipped.node)
        assert ["HumanInTheLoop" in str(key) or "HITL" in str(key) for key in skipped.keys] == [True]


@COLOURS
def test_s02_a_call_that_a_person_refused_and_that_runs_all_the_same_is_a_stop(colour):
    with driven(f"{CHAIN}:approval_overruled{colour}") as run:
        run.do("run.continue")
        assert run.phase == "waiting"
        run.do("answer.send reject:not today")

        assert (run.phase, run.view.stop.reasons) == ("stopped", ("breakpoint",))
        assert run.view.stop.detail == "pay is about to run, though a person refused the call c1"
        run.do("run.continue")
        assert run.phase == "ended"
        (call,) = run.view.trace.calls()
        assert (call.by_hand, call.executed_undecided) == (("rejected",), True)


@pytest.mark.parametrize(
    ("target", "why"),
    [
        (f"{NATIVE}:bad_jump", "'toolz', no jump, and is taken as none: tool, model, end are jumps"),
        (f"{CHAIN}:bad_jump", "'toolz' and is ignored, since it is no jump; this hook may: model, end"),
        (f"{CHAIN}:bad_jump_async", "since it is no jump; this hook may: model, end"),
    ],
    ids=["built-in", "langchain", "langchain-async"],
)
def test_s03_a_word_that_is_no_jump_is_named_with_those_that_are(target, why):
    with driven(target) as run:
        played(run)

        (ignored,) = marked(run, "jump_ignored")
        assert (ignored.detail, run.phase) == ("toolz", "ended")
        assert why in next(text for name, text in whys(run).items() if name.startswith("lost"))


@ENGINES
def test_s03_a_person_cannot_set_a_word_that_is_no_jump(file, colour):
    with driven(f"{file}:bad_jump{colour}") as run:
        while not run.node.startswith("lost"):
            run.do("run.next")
        with pytest.raises(Exception, match="needs model, tool, end"):
            run.do("jump.set toolz")


@ENGINES
def test_s04_an_undeclared_jump_is_obeyed_at_the_loop_exit_and_ignored_elsewhere(file, colour):
    with driven(f"{file}:undeclared_after{colour}") as run:
        played(run)
        assert run.tools_run == []
        (jump,) = marked(run, "jump")
        why = next(text for name, text in whys(run).items() if name.startswith("quiet"))
        assert jump.detail == "end"
        assert "undeclared" in why or "obeys any hook's jump" in why

    with driven(f"{file}:undeclared_before{colour}") as run:
        played(run)
        assert run.steps[-1] == "model"
        assert [mark.detail for mark in marked(run, "jump_ignored")] == ["end"]


def test_s05_a_sticky_jump_has_an_author_an_age_and_turns_stale():
    with driven(f"{NATIVE}:sticky") as run:
        for _ in range(8):
            run.do("run.next")
        trace = run.view.trace
        lives = [jump_life(trace, index, "jump_to") for index in range(len(trace.steps))]

        assert [life.word for life in lives] == ["", "", *["model"] * 6]
        assert lives[-1].author.endswith("again.afterModel")
        assert [life.age for life in lives[2:]] == [0, 1, 2, 3, 4, 5]
        assert [life.stale for life in lives[2:]] == [False, False, True, True, True, True]
        run.do("jump.set clear")
        run.do("run.next")
        assert run.steps[-1] == "again.afterModel"
        assert run.node == "seen.afterModel"


@COLOURS
def test_s05_in_langchain_a_jump_lives_for_one_superstep(colour):
    with driven(f"{CHAIN}:sticky{colour}") as run:
        played(run)
        trace = run.view.trace
        words = [jump_life(trace, index, "jump_to").word for index in range(len(trace.steps))]
        assert words == ["", "model", "", "", ""]


@ENGINES
def test_s06_an_early_end_still_passes_the_after_agent_hooks_and_is_foretold(file, colour):
    with driven(f"{file}:early_end{colour}") as run:
        while not run.node.startswith("stop"):
            run.do("run.next")
        run.do("run.next")
        assert run.node.startswith("sign")

        played(run)
        assert run.phase == "ended"
        assert "model" not in run.steps
        assert run.steps[-1].startswith("sign")


def test_s22_messages_that_come_twice_are_counted():
    with driven(f"{NATIVE}:rewriting") as run:
        played(run)
        (doubled,) = marked(run, "message_doubled")
        assert (doubled.detail, doubled.node) == ("2", "_AGENT_HOOK_Rewrites.afterModel")
        assert len(run.state["messages"]) == 4


@pytest.mark.parametrize(("hooks", "supersteps"), [("onion", 15), ("step_budget", 11)])
@COLOURS
def test_s23_hooks_cost_supersteps(hooks, supersteps, colour):
    with driven(f"{CHAIN}:{hooks}{colour}") as run:
        played(run)
        assert run.view.trace.steps[-1].superstep == supersteps


@COLOURS
def test_s29_a_hook_that_calls_its_runtime_something_else_is_explained(colour):
    with driven(f"{CHAIN}:misnamed{colour}") as run:
        run.do("run.continue")

        failure = run.view.failure
        assert (run.phase, run.view.stop.site.node) == ("failed", "Misnamed.before_model")
        assert "'rt'" in failure.message
        assert failure.hint == "LangChain passes a hook its state, and `runtime` by that name"


def test_s30_two_hooks_of_one_name_are_named():
    with pytest.raises(LoadError, match="agent 'a' has two hooks named 'same'"), driven(f"{NATIVE}:twice"):
        pass
