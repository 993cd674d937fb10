"""Where a pause will stop a run, as far as the events so far tell."""

from hookstepper.client.safe_point import told
from hookstepper.client.taking import taken
from hookstepper.client.view import View
from hookstepper.model.events import CallStarted, NodeEntered, NodeRan, RunStarted
from hookstepper.model.gates import Site
from hookstepper.model.ids import BranchId, CheckpointId, HostId, NodeId, TaskId
from hookstepper.model.record import StepDone
from hookstepper.trace.trace import Trace

NODE, TASK = NodeId("tools"), TaskId("1")
SITE = Site("node", NODE)
BEGUN = RunStarted(1, BranchId("main"), "t", "start", {})
ENTERED = NodeEntered(SITE, TASK, 1)
DONE = StepDone(0, BranchId("main"), 1, TASK, SITE, "tool", (), None, CheckpointId("c"), HostId("h"), 1)


def said(*events):
    view = View(0, "running", "t.py", "t", Trace())
    for event in events:
        view.trace.add(event)
        view = taken(view, event, 0.0)
    return told(view)


def test_it_is_after_what_is_under_way():
    model, tool = (CallStarted(Site(kind, NODE, "pay"), TASK) for kind in ("model", "tool"))

    assert said(BEGUN) == "stops before the next node"
    assert said(BEGUN, ENTERED) == "stops after tools"
    assert said(BEGUN, ENTERED, model) == "stops after the model call in tools"
    assert said(BEGUN, ENTERED, model, tool) == "stops after the tool pay in tools"
    assert said(BEGUN, ENTERED, tool, DONE) == "stops before the next node"


def test_a_task_that_only_waits_for_others_is_not_waited_for():
    other = NodeEntered(Site("node", NodeId("slow")), TaskId("2"), 1)

    assert said(BEGUN, other, ENTERED, NodeRan(SITE, TASK, 1, {})) == "stops after slow"
