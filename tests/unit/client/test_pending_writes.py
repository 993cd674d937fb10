"""What a parallel task gave is shown apart from the committed state until its superstep commits."""

from hookstepper.client.taking import taken
from hookstepper.client.view import View
from hookstepper.model.events import NodeEntered, NodeRan, RunStarted
from hookstepper.model.gates import Site
from hookstepper.model.ids import BranchId, CheckpointId, HostId, NodeId, TaskId
from hookstepper.model.record import StepDone
from hookstepper.trace.trace import Trace

ONE, TWO = Site("node", NodeId("one")), Site("node", NodeId("two"))
BEGUN = RunStarted(1, BranchId("main"), "t", "start", {})
ENTERED = (NodeEntered(ONE, TaskId("1"), 3), NodeEntered(TWO, TaskId("2"), 3))
RAN = NodeRan(ONE, TaskId("1"), 3, {"log": "one"})
DONE = StepDone(
    0, BranchId("main"), 3, TaskId("1"), ONE, "plain", (), None, CheckpointId("c"), HostId("h"), 1
)


def after(*events):
    view = View(0, "ready", "t.py", "t", Trace())
    for event in events:
        view.trace.add(event)
        view = taken(view, event, 0.0)
    return view


def test_a_task_that_ran_is_pending_until_it_is_committed():
    pending = after(BEGUN, *ENTERED, RAN)
    committed = after(BEGUN, *ENTERED, RAN, DONE)

    assert pending.ran == (RAN,)
    assert pending.trace.state(pending.trace.head) == {}
    assert committed.ran == ()


def test_a_new_run_has_nothing_pending():
    assert after(BEGUN, *ENTERED, RAN, BEGUN).ran == ()
