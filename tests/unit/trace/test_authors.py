"""Who wrote each message and who decided last: the same however one comes to a step, near or far."""

from __future__ import annotations

from hookstepper.model.ids import NodeId
from hookstepper.model.record import Route, RuleSeen
from hookstepper.trace.authors import AuthorBook
from hookstepper.trace.books import KEPT_EVERY
from hookstepper.trace.trace import Trace
from support.trace_events import Script, message

CHOICE = Route((NodeId("tool"),), "calls", "", (RuleSeen("calls", "c", True), RuleSeen("else", "", False)))
ONLY = Route((NodeId("model"),), "always", "", (RuleSeen("always", "", True),))
FIXED = Route((NodeId("model"),), "fixed", "")


def test_authors_name_the_first_and_the_last_writer() -> None:
    """What a hook rewrites is still the model's answer, and is not only that."""
    script = Script().start({"messages": [message("user", "hi", "u")]})
    script.step("model", append=[message("assistant", "rm -rf", "a")])
    before = script.trace.state(0)
    assert isinstance(before, dict)
    edited = [before["messages"][0], message("assistant", "done", "a")]  # type: ignore[index]
    script.step("Safety", {"messages": edited})

    assert script.trace.authors("messages", -1) == ((-1, -1),)
    assert script.trace.authors("messages", 0) == ((-1, -1), (0, 0))
    assert script.trace.authors("messages", 1) == ((-1, -1), (0, 1))
    assert script.trace.authors("nothing", 1) == ()


def test_authors_far_back_in_a_long_run_are_those_of_its_steps_alone() -> None:
    """Books kept on the way give what a record that ends there gives, on a fork too."""
    script = Script().start({"messages": []})
    for number in range(2 * KEPT_EVERY + 9):
        script.step("model", append=[message("assistant", f"{number}", f"m{number}")])
    script.start(script.states[300], branch="b2", entry="from", from_step=300)
    for number in range(KEPT_EVERY):
        script.step("model", append=[message("assistant", f"fork {number}", f"f{number}")])
    trace = script.trace

    for upto in (700, 3, -1, 255, 256, 300, 301, 511, 512, 257, 600, 255, trace.last, 512):
        whole = AuthorBook("messages").follow(trace, trace.line_to(upto)).authors
        assert trace.authors("messages", upto) == tuple(whole), upto
        assert len(whole) == len(trace.line_to(upto))


def test_authors_of_a_list_that_was_moved_by_hand_are_not_guessed() -> None:
    """The steps do not tell whose messages are left."""
    script = Script().start({"messages": [message("user", "hi", "u")]})
    script.step("model", append=[message("assistant", "a", "a")])
    script.edit({"messages": []})

    assert script.trace.authors("messages", 0) == ()


def routes(*names: tuple[str, Route | None]) -> Trace:
    """A record of these nodes with their routes."""
    script = Script().start({"messages": []})
    for node, route in names:
        script.step(node, route=route)
    return script.trace


def test_the_last_decision_is_that_of_a_router_that_had_a_choice() -> None:
    """An edge that leads one way decides nothing."""
    trace = routes(("a", FIXED), ("exit", CHOICE), ("tool", ONLY), ("a", FIXED), ("b", None))

    found = [trace.decision(at) for at in range(-1, 5)]
    assert [step.site.node if step else None for step in found] == [None, None, *["exit"] * 4]


def test_the_decision_of_a_node_is_its_own_last_one() -> None:
    """One asks for a node to see its rules, even if there is only one."""
    trace = routes(("exit", CHOICE), ("tool", ONLY), ("a", FIXED), ("exit", CHOICE), ("tool", ONLY))

    def at(step: int, node: str) -> int | None:
        found = trace.decision(step, NodeId(node))
        return found.index if found is not None else None

    assert [at(step, "tool") for step in range(-1, 5)] == [None, None, 1, 1, 1, 4]
    assert [at(4, "a"), at(4, "exit"), at(2, "exit"), at(4, "nowhere")] == [None, 3, 0, None]


def test_a_fork_does_not_see_the_decisions_of_the_line_that_it_left() -> None:
    """Its last decision is the one before it began."""
    script = Script().start({"messages": []}).step("exit", route=CHOICE).step("a", route=FIXED)
    script.step("exit", route=CHOICE)
    script.start(script.states[1], branch="b2", entry="from", from_step=1)
    script.step("a", route=FIXED)
    trace = script.trace

    assert trace.last == 3
    for step in (trace.decision(3), trace.decision(3, NodeId("exit"))):
        assert step is not None and step.index == 0
