"""State changed by hand, time gone back in, calls answered again: on both engines, in a real process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hookstepper.client.queries import answered
from hookstepper.model.commands import Screen
from hookstepper.model.errors import NotPossibleError
from hookstepper.model.ids import Json
from hookstepper.testing import DrivenRun, drive
from support.cli import TARGETS

MORE = '[{"$": "msg", "role": "user", "content": "more"}]'
USER: Json = {"messages": [{"role": "user", "content": "hi"}]}


@pytest.fixture(params=["stops_native.py:agent", "stops_langchain.py:agent"], ids=["built-in", "langchain"])
def run(request: pytest.FixtureRequest) -> Iterator[DrivenRun]:
    if "langchain" in request.param:
        pytest.importorskip("langchain")
    value = USER if "langchain" in request.param else "hi"
    with drive(str(TARGETS / request.param), input=value) as run:
        yield run


def to_model(run: DrivenRun) -> DrivenRun:
    """Held before the first model call, with what hooks before it wrote."""
    return run.do("run.to model")


def to_end(run: DrivenRun) -> DrivenRun:
    while run.phase not in ("ended", "failed"):
        run.do("answer.send approve" if run.phase == "waiting" else "run.continue")
    return run


def texts(run: DrivenRun) -> list[str]:
    return [message["content"] for message in run.state["messages"]]  # type: ignore[index,call-overload,union-attr]


def test_an_edit_is_checked_against_what_stands_there_and_changes_nothing_if_refused(run: DrivenRun) -> None:
    before = texts(to_model(run))
    for line, why in (
        ("state.edit messages 5", "messages is a list, and cannot become a plain value"),
        ("state.edit n [1]", "n is a plain value, and cannot become a list"),
        ("state.edit nothing.here 5", "no key 'nothing'"),
        ("state.edit messages[9] 5", "there is nothing at 9"),
        ("state.merge messages[0] 5", "an update is of a whole key"),
    ):
        with pytest.raises(Exception, match=why.replace("[", r"\[")):
            run.do(line)
        assert (run.node, texts(run)) == ("model", before)


def test_an_edit_replaces_or_goes_through_the_keys_strategy_and_is_taken_back(run: DrivenRun) -> None:
    before = texts(to_model(run))

    assert texts(run.do(f"state.merge messages {MORE}")) == [*before, "more"]
    assert texts(run.do("edit.undo")) == before
    assert texts(run.do(f"state.edit messages {MORE}")) == ["more"]
    assert run.node == "model"
    run.do("state.edit n 7")
    assert run.state["n"] == 7
    assert run.do("edit.undo").state["n"] == 1
    run.do("edit.undo")
    assert texts(run) == before
    with pytest.raises(NotPossibleError, match="nothing to take back"):
        run.do("edit.undo")


def test_watches_have_their_value_at_every_stop(run: DrivenRun) -> None:
    to_model(run)
    run.do("watch.add n").do("watch.add nobody + 1")
    (first, second) = answered(run.view, Screen("watch.list"))
    assert first == {"expression": "n", "value": 1}
    assert "nobody" in second["error"]

    run.do("run.turn").do("run.next")
    assert answered(run.view, Screen("watch.list"))[0] == {"expression": "n", "value": 2}
    run.do("time.back")
    assert answered(run.view, Screen("watch.list"))[0] == {"expression": "n", "value": 1}


def test_time_goes_back_by_steps_to_breakpoints_and_to_the_writer_and_nothing_runs(run: DrivenRun) -> None:
    to_end(run)
    count, last = len(run.steps), run.view.trace.head

    run.do("time.back").do("time.back")
    assert run.view.at == last - 2
    run.do("break.add tool pay").do("time.prev-break")
    paid = run.view.at
    assert "breakpoint 1 (hit 1)" in run.view.remark
    run.do("time.writer n")
    assert run.steps[run.view.at].startswith("count")
    assert run.view.at < paid
    run.do("time.live").do("time.writer messages[1]")
    assert run.view.trace.calls()[0].proposed_at >= 0
    assert len(run.steps) == count


def test_a_live_fork_asks_before_a_tool_that_has_effects_outside(run: DrivenRun) -> None:
    """Everything else is called again without a word."""
    to_end(run)
    second_turn = run.steps.index("model") + 1

    plan = answered(run.view, Screen("time.plan", (str(second_turn),)))
    run.do(f"time.fork {second_turn}")
    while run.view.stop.site is None or run.view.stop.site.kind != "tool":
        run.do("answer.send approve" if run.phase == "waiting" else "run.continue")

    assert {"name": "pay", "times": 1, "side_effects": True} in plan["tools"]
    assert (run.view.stop.site.name, run.view.stop.reasons) == ("pay", ("breakpoint",))
    assert run.view.stop.detail == "pay would run for real"
    run.do('call.answer "not really"')
    to_end(run)
    assert [call.tool for call in run.view.trace.calls("b2") if call.mocked] == ["pay"]
    assert [branch.id for branch in run.view.trace.branches] == ["main", "b2"]


def test_a_fork_from_the_record_runs_to_the_first_difference_and_there_a_person_chooses(
    run: DrivenRun,
) -> None:
    to_end(run)
    real = len(run.tools_run)
    before = run.steps.index("model") - 1

    run.do(f"time.fork {before} replay").do(f"state.merge messages {MORE}").do("run.continue")
    assert run.view.stop.reasons == ("diverged",)
    assert run.view.stop.site.kind == "model"
    run.do("call.recorded")
    while "diverged" not in run.view.stop.reasons and run.phase not in ("ended", "failed"):
        run.do("answer.send approve" if run.phase == "waiting" else "run.continue")

    assert run.view.stop.site.kind == "model", "the tool was answered from the record; the model saw more"
    assert len(run.tools_run) == real


def test_a_restart_keeps_input_breakpoints_cursor_and_the_record(run: DrivenRun) -> None:
    to_model(run)
    given, count = run.view.input, len(run.steps)
    run.do("break.toggle model").do("watch.add n").do("time.goto 0").do("run.restart")
    view = run.view

    assert (view.input, view.watches, view.cursor) == (given, ("n",), 0)
    assert [b.node for b in view.breakpoints] == [view.graph.nodes[1].id] or view.breakpoints
    assert len(run.steps) == count
    run.do("time.live").do("run.continue")
    assert (run.node, run.view.stop.reasons) == ("model", ("breakpoint",))


def test_a_call_is_made_again_or_its_answer_replaced_after_it_was_made(run: DrivenRun) -> None:
    run.do("break.add tool look exit").do("run.continue")
    assert "retry" in run.view.stop.acts

    run.do("call.retry")
    assert [frame.name for frame in run.view.stop.frames if frame.kind == "attempt"] == ["attempt 2"]
    assert (run.view.stop.site.name, run.view.stop.phase) == ("look", "exit")
    run.do('call.answer "by hand"')
    life = run.view.trace.calls()[0]
    assert "by hand" in life.result


def test_a_mock_answers_a_call_once_says_so_and_the_next_one_is_made(run: DrivenRun) -> None:
    run.do('mock.add tool look "first only"').do('mock.add model never always "x"')
    assert [each["used"] for each in answered(run.view, Screen("mock.list"))] == [False, False]
    run.do("break.add tool look exit").do("run.continue").do("break.remove 1")
    assert [each["used"] for each in answered(run.view, Screen("mock.list"))] == [True, False]
    run.do("mock.remove 2")
    run.do("break.add tool pay").do("run.continue")
    looks = [call for call in run.view.trace.calls() if call.tool == "look"]

    assert [call.mocked for call in looks] == [True, False]
    assert "first only" in looks[0].result
    assert "found z" in looks[1].result
