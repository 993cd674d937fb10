"""The onion: rings in registered order, sides in executed order, and what each layer did to the answer."""

from __future__ import annotations

from hookstepper.model.events import NodeEntered
from hookstepper.model.gates import Site
from hookstepper.model.ids import NodeId, TaskId
from hookstepper.trace.textdiff import TextChange
from hookstepper.trace.trace import Trace
from support.trace_events import Script, jump_route, message, recorded


def turn(script: Script, raw: str = "Done. Run: rm") -> Script:
    script.step("Log.before_model", {"n": 1})
    return script.step("model", append=[message("assistant", raw, f"a{script.trace.last}")])


def answered(script: Script, node: str, text: str) -> Script:
    state = script.now[script.branch]
    assert isinstance(state, dict)
    old = state["messages"]
    assert isinstance(old, list) and isinstance(old[-1], dict)
    return script.step(node, {"messages": [*old[:-1], {**old[-1], "content": text}]})


def begun() -> Script:
    return Script().start({"messages": [message("user", "hi", "u")]}).step("Audit.before_agent")


def test_rings_stand_in_registered_order_and_run_backwards_on_the_way_out() -> None:
    view = begun().trace.onion(1)

    assert [layer.owner for layer in view.layers] == ["Log", "Edit", "Safety"]
    assert [layer.way_in.place for layer in view.layers] == [1, 0, 0]
    assert [layer.way_out.place for layer in view.layers] == [3, 2, 1]


def test_a_side_says_what_it_found_and_what_it_passed_on() -> None:
    script = answered(turn(begun()), "Safety.after_model", "Done.")
    answered(script, "Edit.after_model", "Finished.").step("Log.after_model")
    log, edit, safety = script.trace.onion(1).layers

    assert script.trace.onion(1).core.raw == "Done. Run: rm"
    assert (safety.way_out.received, safety.way_out.passed_on) == ("Done. Run: rm", "Done.")
    assert safety.way_out.sees_raw is True
    assert (edit.way_out.sees_raw, edit.way_out.sees_after) == (False, ("Safety.after_model",))
    assert log.way_out.sees_after == ("Safety.after_model", "Edit.after_model")
    assert log.way_out.changes == ()
    assert safety.way_out.changes == (TextChange("keep", "Done."), TextChange("del", " Run: rm"))


def test_what_has_not_run_yet_is_waiting_and_what_runs_is_lit() -> None:
    script = turn(begun())
    script.send(NodeEntered(Site("node", NodeId("Safety.after_model")), TaskId("x"), 3))
    view = script.trace.onion(1)

    assert [layer.way_out.status for layer in view.layers] == ["waiting", "waiting", "running"]
    assert view.in_progress == "Safety.after_model"


def test_the_model_itself_is_lit_while_it_runs() -> None:
    script = begun().step("Log.before_model")
    script.send(NodeEntered(Site("node", NodeId("model")), TaskId("x"), 3))
    view = script.trace.onion(1)

    assert view.core.running
    assert view.in_progress == "model"


def test_a_hook_that_was_jumped_over_names_the_step_that_did_it() -> None:
    script = turn(begun())
    script.step(
        "Safety.after_model",
        {"jump_to": "end"},
        route=jump_route("Audit.after_agent"),
        skipped=(NodeId("Edit.after_model"), NodeId("Log.after_model")),
    )
    log, edit, _ = script.trace.onion(1).layers

    assert (log.way_out.status, log.way_out.skipped_by) == ("skipped", 3)
    assert edit.way_out.status == "skipped"


def test_once_the_turn_is_over_what_did_not_run_did_not_run() -> None:
    script = turn(begun()).step("Safety.after_model").step("Log.before_model")

    assert [layer.way_out.status for layer in script.trace.onion(1).layers] == ["not_run", "not_run", "ran"]
    assert [layer.way_out.status for layer in script.trace.onion(2).layers] == ["waiting"] * 3


def test_a_failed_hook_is_told() -> None:
    script = turn(begun()).step("Safety.after_model", error="ValueError: x")

    assert script.trace.onion(1).layers[2].way_out.status == "failed"


def test_looking_back_shows_the_onion_as_it_stood() -> None:
    script = answered(turn(begun()), "Safety.after_model", "Done.")

    assert script.trace.onion(1, upto=2).layers[2].way_out.status == "waiting"
    assert script.trace.onion(1, upto=3).layers[2].way_out.status == "ran"


def test_the_ring_of_the_agent_spans_the_whole_run() -> None:
    script = turn(begun()).step("Audit.after_agent", {"log": 1}).end()
    (audit,) = script.trace.onion(1, "agent").layers

    assert (audit.owner, audit.way_in.step, audit.way_out.step) == ("Audit", 0, 3)
    assert audit.way_out.writes == ("log",)


def test_the_demonstration_run_shows_safety_first_and_edit_after_it() -> None:
    trace = Trace()
    for event in recorded():
        trace.add(event)
    layers = {layer.owner: layer for layer in trace.onion(3).layers}

    assert list(layers) == ["Log", "HITL", "Edit", "Safety"]
    assert layers["Safety"].way_out.sees_raw is True
    assert layers["Edit"].way_out.sees_after == ("_AGENT_HOOK_Safety.afterModel",)
    assert [change.kind for change in layers["Safety"].way_out.changes] == ["keep", "del"]
    assert layers["Edit"].way_out.changes[:2] == (TextChange("del", "Done"), TextChange("add", "Finished"))
    assert trace.onion(3).core.layers[0].name == "AssistantMessageSanitizer"
