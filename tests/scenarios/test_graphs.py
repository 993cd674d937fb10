"""LangGraph graphs: ways that no drawing shows, questions, parallel tasks, failures, odd names."""

from __future__ import annotations

import pytest

from hookstepper.model.errors import HookstepperError
from scenarios.kit import CHAIN, COLOURS, GRAPH, driven, played, whys

START = {"text": "t"}


@COLOURS
def test_s07_goto_does_not_cancel_the_edge(colour):
    with driven(f"{GRAPH}:goto_and_edge{colour}", START) as run:
        assert ("a", "c") not in [(e.source, e.target) for e in run.view.graph.edges]
        played(run)

        assert sorted(run.steps) == ["a", "b", "c"]
        assert len({step.superstep for step in run.view.trace.steps[1:]}) == 1
        (edge,) = [e for e in run.view.graph.edges if (e.source, e.target) == ("a", "c")]
        assert edge.evidence == "observed"
        assert "goto" in whys(run)["a"]
        assert "edge" in whys(run)["a"]


@COLOURS
def test_s08_a_router_without_a_map_is_drawn_when_it_was_seen(colour):
    with driven(f"{GRAPH}:no_map{colour}", START) as run:
        node = run.view.graph.node("a")
        edges = [(e.source, e.target, e.evidence) for e in run.view.graph.edges if e.source == "a"]
        assert node.open_ended
        assert ("a", "x", "declared") not in edges
        played(run)
        assert ("a", "x", "observed") in [(e.source, e.target, e.evidence) for e in run.view.graph.edges]


@COLOURS
def test_s09_a_router_that_answers_what_is_not_in_its_map_is_explained(colour):
    with driven(f"{GRAPH}:no_target{colour}", START) as run:
        run.do("run.continue")
        assert (run.phase, run.error) == ("failed", "KeyError: 'maybe'")
        assert "gave 'maybe'; its map has 'yes', 'no'" in run.view.failure.hint


@COLOURS
def test_s11_both_writers_of_one_key_are_named_and_the_state_stays(colour):
    with driven(f"{GRAPH}:clash{colour}", START) as run:
        run.do("run.continue")
        assert run.phase == "failed"
        assert 'l wrote "left" and r wrote "right"; v has no reducer' in run.view.failure.hint
        assert "superstep 1" in run.view.failure.hint
        assert not run.view.trace.steps
        assert run.state.get("v") is None


@COLOURS
@pytest.mark.parametrize(("name", "questions", "bodies"), [("one_pause", 1, 2), ("two_pauses", 2, 3)])
def test_s13_a_pause_runs_the_body_again_and_says_so_before(name, questions, bodies, colour):
    with driven(f"{GRAPH}:{name}{colour}", START) as run:
        run.do("run.continue")
        for _ in range(questions):
            (ask,) = run.view.stop.asks
            assert ask.again == ("ask",)
            run.do('answer.send "yes"')
        assert run.phase == "ended"
        assert run.state["log"][-1] == f"body ran {bodies} times"


@COLOURS
def test_s14_two_questions_are_answered_one_by_one_and_never_plainly(colour):
    with driven(f"{GRAPH}:two_questions{colour}", START) as run:
        run.do("run.continue")
        first, second = run.view.stop.asks
        with pytest.raises(HookstepperError, match="2 questions are open"):
            run.do('answer.send "both"')

        run.do(f'answer.send @{first.id} "one"')
        assert (run.phase, [ask.id for ask in run.view.stop.asks]) == ("waiting", [second.id])
        run.do(f'answer.send @{second.id} "two"')
        played(run)
        assert run.phase == "ended"
        assert [text for text in run.state["log"] if not text.startswith("body")] == ["one", "two", "end"]


@COLOURS
def test_s18_breakpoints_hold_where_the_graph_was_compiled_to_stop(colour):
    """Stops of the graph and of a person stand in one list; each holds in each new run unless it is muted."""
    with driven(f"{GRAPH}:stops{colour}", START) as run:
        run.do("break.toggle b").do("break.enable g2")
        for _ in range(2):
            run.do("run.continue")
            assert (run.node, run.view.stop.phase, run.view.stop.reasons) == ("a", "exit", ("breakpoint",))
            assert "g1, compiled into the graph after a" in run.view.stop.detail
            run.do("run.continue")
            assert (run.node, run.view.stop.phase, run.view.stop.detail) == (
                "b",
                "enter",
                "breakpoint 1 (hit 1)",
            )
            run.do("run.continue")
            assert run.phase == "ended"
            run.do("run.restart")


@COLOURS
def test_s20_going_back_into_a_nested_graph_runs_what_was_foretold(colour):
    with driven(f"{GRAPH}:nested{colour}", START) as run:
        played(run)
        two = run.steps.index("two")
        count = len(run.steps)

        run.do(f"time.fork {two}")
        assert run.node == "three"
        played(run)

        assert run.steps[count:] == ["three", "team"]


@COLOURS
def test_s20_a_change_inside_of_a_nested_graph_is_taken_back(colour):
    with driven(f"{GRAPH}:nested{colour}", START) as run:
        run.do("run.to team:two")
        before = run.view.trace.state(run.view.trace.head, "team")
        run.do('state.edit team:log ["mine"]')
        changed = run.view.trace.state(run.view.trace.head, "team")
        assert (run.node, changed["log"]) == ("two", ["mine"])
        run.do("undo")
        assert (run.node, run.view.trace.state(run.view.trace.head, "team")) == ("two", before)
        played(run)

        assert run.steps.count("one") == run.steps.count("two") == 1
        assert "mine" not in str(run.state)


@COLOURS
def test_s24_a_failing_node_stops_with_its_input_and_ways_on(colour):
    with driven(f"{GRAPH}:fails{colour}", START) as run:
        run.do("run.continue")
        stop, failure = run.view.stop, run.view.failure
        assert (run.phase, run.error, stop.site.node) == ("failed", "LookupError: no page for t", "bad")
        assert failure.place.function == "boom"
        assert [line.place.function for line in failure.lines if line.mine][-1] == "boom"
        assert {"retry", "fulfil", "abort"} <= stop.acts
        assert run.state["log"] == ["good"]

        run.do('fail.skip {"log": ["by hand"]}')
        played(run)
        assert (run.phase, run.state["log"]) == ("ended", ["good", "by hand", "after"])


@COLOURS
def test_s28_names_in_chinese_and_with_dots_are_names(colour):
    with driven(f"{GRAPH}:names{colour}", START) as run:
        run.do("break.toggle a.b").do("run.continue")
        assert run.node == "a.b"
        run.do('state.edit 路 "停"')
        played(run)
        assert run.steps == ["计划", "a.b", "_x"]
        assert (run.state["路"], run.state["log"]) == ("停", ["计划", "a.b", "_x"])


@COLOURS
@pytest.mark.parametrize("target", ["onion", "beside"])
def test_s27_a_run_that_is_replayed_from_the_record_goes_the_same_way(target, colour):
    """Message ids are made up anew, and calls side by side come in any order: neither is a difference."""
    with driven(f"{CHAIN}:{target}{colour}") as run:
        played(run)
        state, count, first = run.state, len(run.steps), run.steps[0]
        run.do("time.fork -1 replay")
        run.do("run.continue")

        assert (run.phase, run.steps[count]) == ("ended", first)
        assert sorted(run.steps[count:]) == sorted(run.steps[:count])
        answers = [step.by_hand for step in run.view.trace.steps[count:] if step.calls]
        assert answers
        assert all("recorded" in by_hand for by_hand in answers)
        texts = [message["content"] for message in run.state["messages"]]
        assert texts == [message["content"] for message in state["messages"]]
