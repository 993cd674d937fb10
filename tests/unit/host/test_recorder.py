"""The recorder: facts become events that a trace can rebuild every state from, subgraphs and all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hookstepper.host.recorder import RECHECK_EVERY, Recorder
from hookstepper.model.events import Event, StateChanged
from hookstepper.model.gates import Site
from hookstepper.model.ids import HostId, NodeId, TaskId
from hookstepper.ports.facts import Committed, Entered, Seeded
from hookstepper.trace.trace import Trace


class NoCodec:
    def encode(self, obj: object) -> Any:
        return None

    def decode(self, value: Any, like: object) -> object:
        raise NotImplementedError


class Recorded:
    """A recorder whose events go straight into a trace."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.trace = Trace()
        self.recorder = Recorder(HostId("h"), NoCodec(), self.take)
        self.count = 0

    def take(self, event: Event) -> None:
        self.events.append(event)
        self.trace.add(event)

    def seed(self, state: Mapping[str, object], scope: str | None = None) -> None:
        self.recorder.take(Seeded(state, "t", "start", scope=NodeId(scope) if scope else None))

    def enter(self, node: str) -> None:
        self.recorder.take(Entered(Site("node", NodeId(node)), "plain", TaskId(f"t{self.count}"), 0))

    def commit(self, node: str, state: Mapping[str, object], scope: str | None = None) -> None:
        site, task = Site("node", NodeId(node)), TaskId(f"t{self.count}")
        self.count += 1
        self.recorder.take(
            Committed(
                site, "plain", task, 0, state, {}, None, None, 1, scope=NodeId(scope) if scope else None
            )
        )

    def changed(self) -> list[StateChanged]:
        return [event for event in self.events if isinstance(event, StateChanged)]


def test_the_state_of_a_subgraph_is_known_from_its_first_step_on() -> None:
    run = Recorded()
    run.seed({"n": 1})
    run.seed({"draft": "", "n": 1}, "sub")
    run.commit("sub:write", {"draft": "x", "n": 1}, "sub")
    run.commit("sub", {"n": 2})

    assert run.trace.state(0, NodeId("sub")) == {"draft": "x", "n": 1}
    assert run.trace.state(0) == {"n": 1}
    assert run.trace.state(1) == {"n": 2}
    assert run.trace.misfits == ()


def test_a_subgraph_that_is_entered_again_begins_with_what_it_is_given() -> None:
    run = Recorded()
    run.seed({})
    run.seed({"draft": "a"}, "sub")
    run.commit("sub:write", {"draft": "b"}, "sub")
    run.seed({"draft": "c"}, "sub")
    run.commit("sub:write", {"draft": "d"}, "sub")

    assert run.trace.state(1, NodeId("sub")) == {"draft": "d"}
    assert run.trace.misfits == ()


def test_a_change_made_in_place_is_found_and_told_apart_from_the_steps() -> None:
    run = Recorded()
    items = [{"i": i} for i in range(100)]
    state = {"items": items}
    run.seed(state)
    run.commit("a", state)
    items[3]["i"] = -1
    run.recorder.recheck()

    (changed,) = run.changed()
    assert (changed.by, changed.after_step) == ("program", 0)
    assert run.trace.state(0)["items"][3] == {"i": -1}  # type: ignore[index,call-overload]
    assert [mark.kind for mark in run.trace.marks(0)] == ["wrote_nothing", "mutated"]


def test_while_a_node_runs_nothing_is_looked_for() -> None:
    run = Recorded()
    state = {"items": [{"i": i} for i in range(100)]}
    run.seed(state)
    run.enter("a")
    state["items"][3]["i"] = -1
    run.recorder.recheck()

    assert run.changed() == []


def test_a_change_made_in_place_is_found_now_and_then_without_any_stop() -> None:
    run = Recorded()
    state = {"items": [{"i": i} for i in range(100)]}
    run.seed(state)
    run.commit("a", state)
    state["items"][3]["i"] = -1
    for _ in range(RECHECK_EVERY):
        run.commit("a", state)

    assert len(run.changed()) == 1
