"""Route and Onion where the demonstration run has no case: jumps, skips, many rings, no hooks."""

from __future__ import annotations

from itertools import pairwise

import pytest

from hookstepper.model.events import NodeEntered
from hookstepper.model.gates import Ask, Site, Stop
from hookstepper.model.graph import Anchors, Edge, Graph, Node, Ring
from hookstepper.model.ids import END, START, AskId, Json, NodeId, StopId, TaskId
from hookstepper.model.record import LayerRecord, RuleSeen
from hookstepper.tui.rows.lines import as_text
from hookstepper.tui.rows.onion import onion_lines
from hookstepper.tui.rows.route import route_lines
from hookstepper.tui.rows.row import width_of
from tui.support.made import Made, graph_of, message, routed

WIDTH = 60


def hook(owner: str, index: int, kind: str, jumps: tuple[str, ...] = ()) -> Node:
    """One node of a hook."""
    name = f"{owner}.{'before' if kind.startswith('before') else 'after'}"
    return Node(NodeId(name), name, kind, owner, index, jumps=jumps)  # type: ignore[arg-type]


def agent(*owners: str, rings: tuple[Ring, ...] = (), jumps: tuple[str, ...] = ("end",)) -> Graph:
    """Hooks around a model: each before and after, the last one may jump to the end."""
    before = [hook(owner, n, "before_model") for n, owner in enumerate(owners)]
    after = [
        hook(owner, n, "after_model", jumps if n == len(owners) - 1 else ()) for n, owner in enumerate(owners)
    ]
    model = Node(NodeId("model"), "model", "model", rings=rings)
    chain = [Node(START, "START", "start"), *before, model, *reversed(after), Node(END, "END", "end")]
    edges = [Edge(a.id, b.id) for a, b in pairwise(chain)]
    if owners and jumps:
        edges.append(Edge(after[-1].id, END, "jump", "jump end"))
    anchors = Anchors(chain[1].id, chain[1].id, chain[-2].id, END)
    return Graph("agent", tuple(chain), tuple(edges), anchors, rules="upstream")


def answered(text: str) -> Json:
    """A state with one answer."""
    return {"messages": [message("user", "hi", id="u"), message("assistant", text, id="a")]}


def test_a_hook_that_was_jumped_over_says_who_did_it() -> None:
    """A skipped hook is the commonest surprise with jumps; its ring must not look as if it had run."""
    made = Made(agent("Log", "Safety"), {"messages": [message("user", "hi", id="u")]})
    made.step("Log.before", made.state, kind="before_model")
    made.step("Safety.before", made.state, kind="before_model")
    made.step("model", answered("bad"), kind="model")
    seen = (RuleSeen("declared_jump", "end", True, END), RuleSeen("default", "", False, NodeId("Log.after")))
    made.step(
        "Safety.after",
        {**answered("bad"), "jump_to": "end"},  # type: ignore[dict-item]
        kind="after_model",
        update={"jump_to": "end"},
        route=routed(END, rule="declared_jump", rules=seen, otherwise=NodeId("Log.after")),
        skipped=(NodeId("Log.after"),),
    )
    onion = as_text(onion_lines(made.view(phase="ended"), WIDTH), WIDTH)
    route = as_text(route_lines(made.view(phase="ended"), WIDTH), WIDTH)

    assert "⊘ skipped by Safety, jump end" in onion
    assert "⊘ skips Log.after" in route
    assert "After Safety.after, step 4 → END" in route
    assert "Without rule 1: → Log.after (rule 2)" in route
    assert "Log.after  jump_to were not set" in route
    assert "= end" in route and "set by Safety.after, step 4" in route


def test_a_jump_that_two_routers_have_read_is_stale() -> None:
    """Upstream never removes the key, so its second reader is as a rule a mistake."""
    made = Made(agent("Log", "Safety"), {"messages": []})
    rules = (RuleSeen("declared_jump", "end", True, END), RuleSeen("default", "", False, END))
    route = routed(END, rule="declared_jump", rules=rules)
    update = {"jump_to": "end"}
    made.step("Safety.after", {"messages": [], **update}, kind="after_model", update=update, route=route)
    made.step("Safety.after", made.state, kind="after_model", writes=(), route=route)

    text = as_text(route_lines(made.view(), WIDTH), WIDTH)

    assert "stale" in text
    assert "1 step ago" in text


def test_a_hook_that_saw_a_changed_answer_is_marked() -> None:
    """Whoever should see the raw answer and does not is the finding of this view."""
    made = Made(agent("Safety", "Edit", jumps=()), {"messages": []})
    made.step("Safety.before", made.state, kind="before_model")
    made.step("model", answered("Done"), kind="model")
    made.step("Edit.after", answered("Finished"), kind="after_model")
    made.step("Safety.after", answered("Finished!"), kind="after_model")
    text = as_text(onion_lines(made.view(), WIDTH, turn=1), WIDTH)

    assert "saw what Edit left" in text


def test_the_ring_in_progress_is_drawn_heavy() -> None:
    """While it runs one sees in which ring."""
    made = Made(agent("Log", "Safety", jumps=()), {"messages": []})
    made.step("Log.before", {"messages": [], "n": 1}, kind="before_model")
    made.add(NodeEntered(Site("node", NodeId("Safety.before")), TaskId("t"), 2))
    view = made.view(phase="running", live=tuple(made.trace.live.values()))
    lines = as_text(onion_lines(view, WIDTH, ring="model", turn=1), WIDTH).splitlines()

    assert any("┏━ 2 Safety ━" in line for line in lines)
    assert any("runs now" in line for line in lines)
    assert any("╭─ 1 Log ─" in line for line in lines)


@pytest.mark.parametrize("count", [1, 3, 6, 9, 12, 30])
@pytest.mark.parametrize("width", [40, 52, 78])
def test_any_number_of_rings_fits(count: int, width: int) -> None:
    """More hooks than there is room for become a list; none is left out."""
    owners = [f"Hook{n:02}" for n in range(count)]
    made = Made(agent(*owners, jumps=()), answered("x"))
    lines = onion_lines(made.view(phase="ready"), width, ring="model")
    text = as_text(lines, width)

    assert all(width_of(line.row) <= width for line in lines)
    assert [owner for owner in owners if owner not in text] == []


def test_interceptors_are_rings_inside_the_model() -> None:
    """A hook is a node, an interceptor is not: it is drawn inside the node, with who brought it."""
    rings = (Ring("Retry", "model", "agent"), Ring("Redact", "model", "PIIHook"))
    made = Made(agent("Log", rings=rings, jumps=()), {"messages": []})
    records = (LayerRecord("Redact", 1, "model", {}, "b"), LayerRecord("Retry", 0, "model", {}, "a"))
    made.step("Log.before", made.state, kind="before_model")
    made.step("model", answered("hi"), kind="model", layers=records)
    text = as_text(onion_lines(made.view(), WIDTH, turn=1), WIDTH)

    assert text.index("Retry") < text.index("Redact")
    assert "PIIHook" in text
    assert "changed the response" in text


def test_a_graph_without_hooks_says_what_would_be_here() -> None:
    """Never an empty pane."""
    text = as_text(onion_lines(Made().view(), WIDTH), WIDTH)

    assert "No hooks in this graph" in text


def test_a_node_with_one_way_out_says_where_it_leads() -> None:
    """Route answers also where there is nothing to decide."""
    text = as_text(route_lines(Made().view(), WIDTH, NodeId("a")), WIDTH)

    assert "a has one way out: b." in text


def test_a_router_without_a_target_map_says_so() -> None:
    """Unknown is told as unknown, and filled in when it is seen."""
    node = Node(NodeId("a"), "a", open_ended=True)
    graph = graph_of(
        node,
        Node(NodeId("b"), "b"),
        edges=(Edge(START, NodeId("a")), Edge(NodeId("a"), END, "conditional", "no")),
    )
    text = as_text(route_lines(Made(graph).view(), WIDTH, NodeId("a")), WIDTH)

    assert "may name other nodes" in text


def test_rules_of_another_engine_are_shown_in_its_own_words() -> None:
    """The view knows no list of rules: it shows what the engine recorded."""
    made = Made()
    rules = (RuleSeen("goto [x]", "b", True, NodeId("b")), RuleSeen("edge", "", False, END))
    made.step("a", {"x": 1}, route=routed("b", rule="goto [x]", rules=rules, why="a says so"))
    text = as_text(route_lines(made.view(), WIDTH), WIDTH)

    assert "1 goto [x] → b" in text
    assert "2 edge → END" in text


def test_a_route_chosen_by_hand_is_marked() -> None:
    """What a person did by hand is marked in every view that shows it."""
    made = Made()
    rules = (RuleSeen("default", "", True, END), RuleSeen("other", "", False, NodeId("b")))
    made.step("a", {"x": 1}, route=routed(END, rule="default", rules=rules, by_hand=True))

    assert "✎ by hand" in as_text(route_lines(made.view(), WIDTH), WIDTH)


def test_the_node_that_asks_waits_in_its_ring() -> None:
    """An open question shows where the run stands."""
    graph = agent("Log", "HITL", jumps=())
    made = Made(graph, {"messages": []})
    made.step("Log.before", made.state, kind="before_model")
    made.step("model", answered("x"), kind="model")
    ask = Ask(AskId("q"), "approval", NodeId("HITL.after"))
    stop = Stop(
        StopId(1), 1, "resting", ("interrupt",), frozenset(), asks=(ask,), next=(NodeId("HITL.after"),)
    )
    text = as_text(onion_lines(made.view(phase="waiting", stop=stop), WIDTH, turn=1, ring="model"), WIDTH)

    assert "‖ waits for you" in text


def test_a_router_that_tells_no_rules_still_says_why() -> None:
    """Other engines know where a run went and why, not by which list of rules."""
    edges = (
        Edge(START, NodeId("a")),
        Edge(NodeId("a"), NodeId("b"), "conditional", "tools"),
        Edge(NodeId("a"), END, "conditional", "done"),
    )
    made = Made(graph_of(Node(NodeId("a"), "a"), Node(NodeId("b"), "b"), edges=edges))
    made.step("a", {"x": 1}, route=routed("b", rule="tool_calls", why="1 tool call is pending"))
    text = as_text(route_lines(made.view(), WIDTH), WIDTH)

    assert "After a, step 1 → b" in text
    assert "1 tool call is pending" in text
    assert " ✓ tools" in text and "   done" in text
