"""The engine's own work around a node can be watched piece by piece, and is not changed by that."""

import pytest

from conformance.core.kit import chain
from hookstepper.engine import (
    APPEND,
    END,
    MARK_FOR_REMOVAL,
    START,
    Interruption,
    RunConfig,
    StateGraph,
)
from hookstepper.ports.facts import Committed, Ran
from hookstepper.ports.verdict import Abort, RunAborted
from unit.engine.probes import TableProbe

T = RunConfig("t")


def watched(probe):
    """What the probe was held at: parts by name, the rest by kind."""
    return [p.site.name or f"{p.site.kind} {p.phase}" for p in probe.points]


def one(action, **keys):
    graph = StateGraph("one", keys).add_node("A", action)
    return graph.add_edge(START, "A").add_edge("A", END).compile()


def test_the_parts_of_a_step_come_in_the_order_in_which_the_engine_does_them(way):
    probe = TableProbe(parts=True)

    way.run(chain("A").compile(), {}, T, probe)

    assert watched(probe) == [
        "node enter",
        "input",
        "body",
        "node exit",
        "merge messages",
        "route exit",
        "checkpoint",
    ]


def test_a_merge_shows_what_was_there_what_came_and_what_that_makes(way):
    probe = TableProbe(parts=True)
    graph = one(lambda state: {"log": "b", "n": 2, "old": MARK_FOR_REMOVAL}, log=APPEND)

    way.run(graph, {"log": ["a"], "old": 1}, T, probe)

    seen = {p.site.name: v for p, v in zip(probe.points, probe.values, strict=True) if "merge" in p.site.name}
    assert seen == {
        "merge log": {"strategy": "append", "old": ["a"], "update": "b", "new": ["a", "b"]},
        "merge n": {"strategy": "replace", "update": 2, "new": 2},
        "merge old": {"strategy": "replace", "old": 1},
    }


def test_watching_a_merge_calls_a_strategy_no_more_often(way):
    calls = []

    def joined(old, new):
        calls.append((old, new))
        return f"{old or ''}{new}"

    graph = one(lambda state: {"text": "b"}, text=joined)
    alone = way.run(graph, {"text": "a"}, RunConfig("alone"), TableProbe())
    asked = len(calls)
    watched_run = way.run(graph, {"text": "a"}, RunConfig("watched"), TableProbe(parts=True))

    assert watched_run.state == alone.state
    assert len(calls) == 2 * asked


def test_a_node_that_may_ask_is_seen_before_it_is_asked(way):
    asked = []

    class Asks:
        def __call__(self, state):
            return {}

        def interrupt(self, node, state, config):
            asked.append(node)
            return Interruption(node)

    probe = TableProbe({"part A enter": Abort()}, parts=True)
    graph = one(Asks())

    with pytest.raises(RunAborted):
        way.run(graph, {}, T, probe)

    assert watched(probe) == ["interrupt check"]
    assert asked == []


def test_a_run_that_is_left_in_the_middle_of_a_merge_has_merged_nothing(way):
    class AtTheLastKey(TableProbe):
        def _answer(self, point):
            return Abort() if point.site.name == "merge n" else super()._answer(point)

    graph = one(lambda state: {"log": "b", "n": 2}, log=APPEND)

    with pytest.raises(RunAborted):
        way.run(graph, {"log": "a"}, T, AtTheLastKey(parts=True))

    assert graph.get_state(T).values == {"log": ["a"]}


def test_a_branch_that_is_over_is_told_before_anything_of_it_is_committed(way):
    graph = StateGraph("fan", {"log": APPEND})
    for name in ("A", "B"):
        graph.add_node(name, lambda state, name=name: {"log": name})
    graph.add_edge(START, ["A", "B"]).add_edge(["A", "B"], END)
    probe = TableProbe()

    way.run(graph.compile(), {}, T, probe)

    told = [(type(f), f.site.node, f.update) for f in probe.facts if isinstance(f, Ran | Committed)]
    assert told == [(kind, node, {"log": node}) for kind in (Ran, Committed) for node in ("A", "B")]
