"""Tool calls from the wish to the result, decided by a person or not."""

from __future__ import annotations

from hookstepper.model.ids import Json
from hookstepper.trace.books import KEPT_EVERY
from hookstepper.trace.calls import CallBook, ToolCallLife
from hookstepper.trace.trace import Trace
from support.trace_events import Script, asks_for, message, recorded, tool_call


def only(trace: Trace) -> ToolCallLife:
    (call,) = trace.calls()
    return call


def asked(script: Script, *calls: Json) -> Script:
    return script.step("model", append=[message("assistant", "", "a", tool_calls=list(calls))])


def answer(call_id: str, text: str, **more: Json) -> Json:
    return message("tool", text, f"t-{call_id}", tool_call_id=call_id, **more)


def test_a_call_that_ran_has_its_arguments_and_its_result() -> None:
    script = asked(Script().start({"messages": []}), asks_for("c1", "look", city="Bonn"))
    assert only(script.trace).status == "proposed"
    script.step(
        "tool", append=[answer("c1", "sunny")], calls=(tool_call("c1", "look", {"city": "Bonn"}, "sunny"),)
    )
    call = only(script.trace)

    assert (call.tool, call.status, call.proposed_at, call.executed_at, call.answered_at) == (
        "look",
        "executed",
        0,
        1,
        1,
    )
    assert call.asked == call.used == {"city": "Bonn"}
    assert (call.sent, call.result, call.by_hand) == (None, "sunny", ())


def test_arguments_that_are_json_text_are_read() -> None:
    call: Json = {"id": "c1", "name": "look", "arguments": '{"city": "Bonn"}'}
    script = asked(Script().start({"messages": []}), call)

    assert only(script.trace).asked == {"city": "Bonn"}


def test_arguments_that_are_no_json_stay_as_they_are() -> None:
    script = asked(Script().start({"messages": []}), {"id": "c1", "name": "look", "arguments": "{city"})

    assert only(script.trace).asked == "{city"


def test_an_approved_call_says_so() -> None:
    script = asked(Script().start({"messages": []}), asks_for("c1", "pay", amount=1))
    script.ask("Edit.after_model", ("c1", "pay", {"amount": 1}))
    assert only(script.trace).status == "asked"
    script.start(entry="resume").step("Edit.after_model", by_hand=("approved",))
    script.step(
        "tool", append=[answer("c1", "paid")], calls=(tool_call("c1", "pay", {"amount": 1}),), by_hand=()
    )
    call = only(script.trace)

    assert (call.status, call.needs_approval, call.asked_at) == ("executed", True, 0)
    assert not call.executed_undecided


def test_edited_arguments_are_asked_sent_and_used() -> None:
    script = asked(Script().start({"messages": []}), asks_for("c1", "pay", amount=1))
    script.ask("Edit.after_model", ("c1", "pay", {"amount": 1})).start(entry="resume")
    script.step(
        "Edit.after_model",
        {"messages": [message("assistant", "", "a", tool_calls=[asks_for("c1", "pay", amount=99)])]},
    )
    script.step("tool", append=[answer("c1", "paid")], calls=(tool_call("c1", "pay", {"amount": 99}),))
    call = only(script.trace)

    assert (call.asked, call.sent, call.used) == ({"amount": 1}, {"amount": 99}, {"amount": 99})
    assert (call.by_hand, call.changed_at, call.changed_by) == (("edited",), 1, "Edit.after_model")


def test_a_hook_that_changes_arguments_is_not_taken_for_a_person() -> None:
    script = asked(Script().start({"messages": []}), asks_for("c1", "pay", amount=1))
    script.step(
        "Edit.after_model",
        {"messages": [message("assistant", "", "a", tool_calls=[asks_for("c1", "pay", amount=2)])]},
    )

    assert (only(script.trace).by_hand, only(script.trace).sent) == ((), {"amount": 2})


def test_a_rejected_call_is_answered_without_having_run() -> None:
    script = asked(Script().start({"messages": []}), asks_for("c1", "pay"))
    script.ask("Edit.after_model", ("c1", "pay", {})).start(entry="resume")
    script.step("Edit.after_model", append=[answer("c1", "rejected: no")], by_hand=("rejected",))
    call = only(script.trace)

    assert (call.status, call.by_hand, call.executed_at, call.result) == (
        "answered",
        ("rejected",),
        None,
        "rejected: no",
    )


def test_a_rejected_call_that_runs_anyway_is_told() -> None:
    script = asked(Script().start({"messages": []}), asks_for("c1", "pay"))
    script.ask("Edit.after_model", ("c1", "pay", {})).start(entry="resume")
    script.step("Edit.after_model", append=[answer("c1", "rejected")], by_hand=("rejected",))
    script.step("tool", append=[answer("c1", "paid")], calls=(tool_call("c1", "pay", {}),))

    assert only(script.trace).executed_undecided


def test_a_call_that_raised_has_failed_with_its_error() -> None:
    script = asked(Script().start({"messages": []}), asks_for("c1", "look"))
    script.step(
        "tool", append=[answer("c1", "Error")], calls=(tool_call("c1", "look", {}, None, "KeyError: 'x'"),)
    )

    assert (only(script.trace).status, only(script.trace).error) == ("failed", "KeyError: 'x'")


def test_a_tool_node_that_tells_of_no_calls_is_read_from_its_messages() -> None:
    script = asked(Script().start({"messages": []}), asks_for("c1", "look"))
    script.step("tool", append=[answer("c1", "sunny", status="error")])

    assert (only(script.trace).status, only(script.trace).executed_at) == ("failed", 1)


def test_a_call_that_vanished_from_the_conversation_is_dropped() -> None:
    script = asked(Script().start({"messages": []}), asks_for("c1", "look"))
    script.step("Log.before_model", {"messages": []})

    assert only(script.trace).status == "dropped"


def test_several_answers_in_one_message_are_told_apart() -> None:
    script = asked(Script().start({"messages": []}), asks_for("c1", "look"), asks_for("c2", "pay"))
    responses: Json = [
        {"id": "c1", "name": "look", "content": "sunny"},
        {"id": "c2", "name": "pay", "data": "paid"},
    ]
    script.step("tool", append=[message("tool", "", "t", responses=responses)])

    assert [(call.id, call.result, call.status) for call in script.trace.calls()] == [
        ("c1", "sunny", "executed"),
        ("c2", "paid", "executed"),
    ]


def test_looking_back_shows_the_calls_as_they_stood() -> None:
    script = asked(Script().start({"messages": []}), asks_for("c1", "look"))
    script.step("tool", append=[answer("c1", "sunny")])

    assert [call.status for call in script.trace.calls(upto=0)] == ["proposed"]
    assert script.trace.calls(upto=-1) == ()


def test_the_calls_far_back_in_a_long_run_are_those_of_its_steps_alone() -> None:
    """Books kept on the way give what a record that ends there gives, on a fork too."""
    script = Script().start({"messages": []})
    for number in range(KEPT_EVERY):
        asked(script, asks_for(f"c{number}", "look"))
        script.step("tool", append=[answer(f"c{number}", "sunny")])
    script.start(script.states[300], branch="b2", entry="from", from_step=300)
    for number in range(KEPT_EVERY):
        asked(script, asks_for(f"d{number}", "pay"))
    trace = script.trace

    for upto in (700, 3, 255, 256, 300, 301, 511, 512, 257, 600, 255):
        assert trace.calls(upto=upto) == CallBook().follow(trace, trace.line_to(upto)).calls(), upto
    assert trace.calls(upto=600)[-1].tool == "pay" and trace.calls(upto=500)[-1].tool == "look"


def test_a_fork_follows_its_own_line() -> None:
    script = asked(Script().start({"messages": []}), asks_for("c1", "look"))
    script.step("tool", append=[answer("c1", "sunny")])
    script.start(script.states[0], branch="b2", entry="from", from_step=0)
    script.step("Edit.after_model", {"n": 1})

    assert only(script.trace).status == "proposed"
    assert script.trace.calls(script.trace.branches[0].id)[0].status == "executed"


def test_the_demonstration_run_has_its_two_calls() -> None:
    trace = Trace()
    for event in recorded():
        trace.add(event)
    first, second = trace.calls()

    assert (first.id, first.status, first.by_hand) == ("c1", "executed", ())
    assert (second.id, second.status, second.by_hand) == ("c2", "executed", ("edited",))
    assert second.asked != second.sent == second.used
