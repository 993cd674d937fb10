"""What holds for every agent under the debugger: watching changes nothing, the past can be gone on from."""

from __future__ import annotations

import os
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hookstepper.adapters.native import NativeAdapter
from hookstepper.agent.messages import UserMessage
from hookstepper.ports.facts import Committed
from hookstepper.ports.probe import SilentProbe
from hookstepper.ports.target import Edit, From, OpenOptions, Start
from hookstepper.ports.verdict import PROCEED, Abort
from support.random_agents import SCRIPT, build, hooks

LIMIT = 25
FEW = settings(
    max_examples=1000 if os.environ.get("HOOKSTEPPER_THOROUGH") else 40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
AGENTS = st.tuples(hooks(), SCRIPT, st.booleans(), st.sampled_from(["upstream", "fixed"]))


class Watching:
    """Holds at every gate and lets everything pass; may leave the run at the nth enter of a node."""

    def __init__(self, abort_at: int = 0) -> None:
        self.nodes: list[str] = []
        self.states: list[dict[str, Any]] = []
        self.entered, self.abort_at = 0, abort_at

    def wants(self, site, phase):
        return True

    def hold(self, point):
        if point.site.kind == "node" and point.phase == "enter":
            self.entered += 1
            if self.entered == self.abort_at:
                return Abort()
        return PROCEED

    async def ahold(self, point):
        return self.hold(point)

    def emit(self, fact):
        if isinstance(fact, Committed):
            self.nodes.append(fact.site.node)
            self.states.append(dict(fact.state))


def target_of(parts: Any) -> Any:
    rows, script, tools, compat = parts
    return NativeAdapter().open(build(rows, script, tools, compat=compat, limit=LIMIT), OpenOptions())


def ran(target: Any, entry: Any, probe: Any) -> tuple[str, Any]:
    outcome = target.run(entry, probe)
    return outcome.status, target.state().values


@FEW
@given(AGENTS)
def test_watching_changes_nothing(parts):
    """With and without a debugger: the same end, the same state, the same number of calls."""
    watched, alone = target_of(parts), target_of(parts)
    probe = Watching()

    assert ran(watched, Start("hi", "main"), probe) == ran(alone, Start("hi", "main"), SilentProbe())
    assert watched._agent.spec.model.calls == alone._agent.spec.model.calls


@FEW
@given(AGENTS, st.integers(1, 12))
def test_a_run_left_anywhere_goes_on_as_if_it_had_not_been(parts, where):
    """Hooks that count their own visits would see a difference: here they give the same at every visit."""
    parts = (_steady(parts[0]), *parts[1:])
    whole, broken = target_of(parts), target_of(parts)
    expected, seen = Watching(), Watching(abort_at=where)
    end = ran(whole, Start("hi", "main"), expected)

    first = broken.run(Start("hi", "main"), seen)
    if first.status != "aborted":
        assert (first.status, broken.state().values) == end
        return
    assert seen.nodes == expected.nodes[: len(seen.nodes)]
    again = Watching()
    outcome = broken.run(From(first.checkpoint), again)

    if end[0] in ("completed", "failed"):
        # The limit counts iterations of one run, so a loop may go on for longer after a break.
        assert outcome.status == end[0]
        assert seen.nodes + again.nodes == expected.nodes
        assert broken.state().values == end[1]


def _steady(rows: Any) -> Any:
    return [
        (name, positions, jumps, order, {p: visits[:1] for p, visits in gives.items()}, messages)
        for name, positions, jumps, order, gives, messages in rows
    ]


@FEW
@given(AGENTS, st.integers(0, 20))
def test_every_recorded_state_can_be_read_again_and_an_empty_edit_changes_nothing(parts, which):
    target = target_of(parts)
    probe = Watching()
    target.run(Start("hi", "main"), probe)
    rows = target.history(100)[::-1]

    assert [row.node for row in rows[1:]] == probe.nodes[: len(rows) - 1]
    row = rows[which % len(rows)]
    before = target.state(row.checkpoint)
    copy = target.edit(row.checkpoint, Edit({}))
    assert (target.state(copy).values, target.state(copy).next) == (before.values, before.next)
    changed = target.edit(row.checkpoint, Edit({"messages": [UserMessage("x")]}))
    assert target.state(changed).values["messages"] == [UserMessage("x")]
    assert target.state(row.checkpoint).values == before.values


@FEW
@given(AGENTS)
def test_every_step_is_at_a_node_and_along_an_edge_of_the_graph(parts):
    """What the picture shows is what runs."""
    target = target_of(parts)
    graph = target.describe()
    ways = {(edge.source, edge.target) for edge in graph.edges if edge.evidence != "never"}
    routes: list[Any] = []

    class Routes(Watching):
        def emit(self, fact):
            super().emit(fact)
            if isinstance(fact, Committed) and fact.route is not None:
                routes.append((fact.site.node, fact.route))

    probe = Routes()
    target.run(Start("hi", "main"), probe)

    assert set(probe.nodes) <= {node.id for node in graph.nodes}
    assert all((source, route.to[0]) in ways for source, route in routes)
    assert all(route.why for _, route in routes)
    hook_nodes = {node.id for node in graph.nodes if node.owner}
    assert all(set(route.to) <= {node.id for node in graph.nodes} for _, route in routes)
    assert hook_nodes
