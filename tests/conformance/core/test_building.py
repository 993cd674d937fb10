"""Graph-core cases 1 to 20 and 34 to 35: building, merging, routing, parallel branches, flattening."""

import pytest

from conformance.core.kit import Recorder, Way, chain, says
from hookstepper.engine import (
    APPEND,
    END,
    MARK_FOR_REMOVAL,
    START,
    Command,
    CompileConfig,
    RemoveByHash,
    RunConfig,
    StateGraph,
)
from hookstepper.model.errors import SpecError


def messages_graph() -> StateGraph:
    return StateGraph("case", {"messages": APPEND})


def test_01_empty_graph_has_no_way_in():
    with pytest.raises(SpecError) as caught:
        StateGraph().compile()

    assert caught.value.upstream == "missing Entry Point"


def test_02_edge_to_an_undefined_node_does_not_compile():
    with pytest.raises(SpecError) as caught:
        StateGraph().add_edge(START, "agent_1").compile()

    assert caught.value.upstream == "edge sourceId 'agent_1' refers to undefined node!"
    assert "agent_1" in str(caught.value)


def test_03_node_without_an_edge_fails_when_it_is_reached(way: Way):
    heard = Recorder()
    graph = messages_graph().add_node("A", says("A")).add_edge(START, "A")
    compiled = graph.compile(CompileConfig(listeners=[heard]))

    seen = way.stream(compiled, {})

    assert seen.error.upstream == "edge with sourceId: 'A' doesn't exist!"
    assert heard.of("before") == ["A"]
    assert [(row.node, row.next) for row in compiled.history()] == [(START, "A")]


def test_04_a_chain_leaves_outputs_and_a_history(way: Way):
    compiled = chain("A", "B").compile()

    seen = way.stream(compiled, {"input": "x"})

    assert seen.nodes == [START, "A", "B", END]
    assert seen.state["messages"] == ["A", "B"]
    assert [(row.node, row.next) for row in compiled.history()] == [("B", END), ("A", "B"), (START, "A")]


def test_05_append_takes_scalars_and_lists(way: Way):
    graph = messages_graph()
    graph.add_node("A", says("message1")).add_node("B", says(["message2"])).add_node("C", says("message3"))
    graph.add_edge(START, "A").add_edge("A", "B").add_edge("B", "C").add_edge("C", END)

    assert way.run(graph.compile()).state["messages"] == ["message1", "message2", "message3"]


def test_06_remove_by_hash_takes_an_element_out(way: Way):
    graph = messages_graph()
    graph.add_node("A", says("message1")).add_node("B", says(["message2"]))
    graph.add_node("C", lambda s: {"messages": RemoveByHash("message2"), "steps": len(s["messages"]) + 1})
    graph.add_edge(START, "A").add_edge("A", "B").add_edge("B", "C").add_edge("C", END)

    state = way.run(graph.compile()).state

    assert state["messages"] == ["message1"]
    assert state["steps"] == 3


def test_07_remove_by_hash_works_inside_a_list(way: Way):
    graph = messages_graph()
    graph.add_node("A", says("message1")).add_node("B", says("message2"))
    graph.add_node("C", says(["message3", RemoveByHash("message2")])).add_node("D", says("message4"))
    graph.add_edge(START, "A").add_edge("A", "B").add_edge("B", "C").add_edge("C", "D").add_edge("D", END)

    assert way.run(graph.compile()).state["messages"] == ["message1", "message3", "message4"]


def test_08_an_undeclared_key_is_replaced(way: Way):
    graph = StateGraph().add_node("A", says(1, "free")).add_node("B", says(2, "free"))
    graph.add_edge(START, "A").add_edge("A", "B").add_edge("B", END)

    assert way.run(graph.compile()).state["free"] == 2


def test_09_none_stays_and_a_removal_mark_deletes(way: Way):
    graph = StateGraph()
    graph.add_node("A", lambda s: {"x": None, "y": 1})
    graph.add_node("B", lambda s: {"y": MARK_FOR_REMOVAL, "z": []})
    graph.add_edge(START, "A").add_edge("A", "B").add_edge("B", END)

    assert way.run(graph.compile()).state == {"x": None, "z": []}


def fan_out() -> StateGraph:
    graph = messages_graph()
    for node in ("A", "A1", "A2", "B"):
        graph.add_node(node, says(node))
    return (
        graph.add_edge(START, "A").add_edge("A", ["A1", "A2"]).add_edge(["A1", "A2"], "B").add_edge("B", END)
    )


def test_10_a_fan_out_is_one_position(way: Way):
    heard = Recorder()
    compiled = fan_out().compile(CompileConfig(listeners=[heard]))

    seen = way.stream(compiled, {"messages": "in"})

    assert seen.nodes == [START, "A", "__PARALLEL__(A)", "B", END]
    assert seen.state["messages"] == ["in", "A", "A1", "A2", "B"]
    assert sorted(heard.of("before")) == sorted(["A", "__PARALLEL__(A)", "A1", "A2", "B"])


def test_11_a_fan_out_from_start_to_end(way: Way):
    graph = messages_graph().add_node("A", says("A")).add_node("B", says("B"))
    graph.add_edge(START, ["A", "B"]).add_edge(["A", "B"], END)

    seen = way.stream(graph.compile())

    assert seen.nodes == [START, "__PARALLEL__(__START__)", END]
    assert seen.state["messages"] == ["A", "B"]


def test_12_branches_that_do_not_meet_do_not_compile():
    graph = messages_graph()
    for node in ("A", "A1", "A2", "B", "C"):
        graph.add_node(node, says(node))
    graph.add_edge(START, "A").add_edge("A", ["A1", "A2"]).add_edge("A1", "B").add_edge("A2", "C")
    graph.add_edge(["B", "C"], END)

    with pytest.raises(SpecError) as caught:
        graph.compile()

    assert caught.value.upstream == "parallel node [A] must have only one target, but [B, C] have been found!"


def test_13_any_of_takes_the_first_branch_that_succeeds():
    import asyncio

    released = []

    async def slow(state):
        while not released:
            await asyncio.sleep(0)
        await asyncio.Event().wait()

    async def fast(state):
        released.append(True)
        return {"messages": "fast"}

    graph = messages_graph().add_node("slow", slow).add_node("fast", fast).add_node("J", says("J"))
    graph.add_edge(START, ["slow", "fast"]).add_edge(["slow", "fast"], "J").add_edge("J", END)

    state = Way("async").run(graph.compile(), {}, RunConfig().with_aggregation("any_of", "J")).state

    assert state["messages"] == ["fast", "J"]


@pytest.mark.parametrize("route", ["left", "right"])
def test_14_a_router_reads_metadata(way: Way, route):
    graph = messages_graph()
    for node in ("A", "left", "right"):
        graph.add_node(node, says(node))
    graph.add_edge(START, "A").add_edge(["left", "right"], END)
    graph.add_conditional_edges(
        "A", lambda state, config: config.metadata["route"], {"left": "left", "right": "right"}
    )

    seen = way.stream(graph.compile(), {}, RunConfig(metadata={"route": route}))

    assert seen.nodes == [START, "A", route, END]


def test_15_a_command_edge_updates_before_the_next_node(way: Way):
    graph = messages_graph().add_node("A", says("A")).add_node("B", says("B"))
    graph.add_edge(START, "A").add_edge("B", END)
    graph.add_conditional_edges("A", lambda s: Command("r", {"messages": "cmd"}), {"r": "B"})
    compiled = graph.compile()

    assert way.run(compiled).state["messages"] == ["A", "cmd", "B"]
    after_a = compiled.history()[1]
    assert (after_a.node, after_a.next, after_a.values["messages"]) == ("A", "B", ["A", "cmd"])


def test_16_a_command_node_decides_after_itself(way: Way):
    graph = messages_graph().add_node("B", says("B"))
    graph.add_command_node("R", lambda s: Command("r", {"messages": "cmd"}), {"r": "B"})
    graph.add_edge(START, "R").add_edge("B", END)
    compiled = graph.compile()

    seen = way.stream(compiled)

    assert seen.nodes == [START, "R", "B", END]
    assert seen.outputs[1].state["messages"] == ["cmd"]
    assert len(compiled.history()) == 3


def test_17_start_may_lead_to_end(way: Way):
    heard = Recorder()
    graph = messages_graph().add_node("A", says("A")).add_edge("A", END)
    graph.add_conditional_edges(START, lambda s: "out", {"out": END, "in": "A"})
    compiled = graph.compile(CompileConfig(listeners=[heard]))

    assert way.stream(compiled).nodes == [START, END]
    assert heard.events == [("start", START), ("complete", END)]
    assert [(row.node, row.next) for row in compiled.history()] == [(START, END)]


def test_18_an_unmapped_route_is_an_error_that_names_both(way: Way):
    graph = messages_graph().add_node("A", says("A")).add_edge(START, "A")
    graph.add_conditional_edges("A", lambda s: "nope", {"yes": END})

    error = way.stream(graph.compile()).error

    assert error.upstream == "cannot find edge mapping for id: 'A' in conditional edge with sourceId: 'nope' "
    assert "'nope'" in str(error)
    assert "yes" in error.hint


def several(chosen: list[str], onward: dict[str, str]) -> StateGraph:
    graph = messages_graph()
    for node in ("S", "a", "b", "c", *dict.fromkeys(onward.values())):
        graph.add_node(node, says(node))
    graph.add_edge(START, "S")
    graph.add_parallel_conditional_edges("S", lambda s: chosen, {"ra": "a", "rb": "b", "rc": "c"})
    for branch, join in onward.items():
        graph.add_edge(branch, join)
    for join in dict.fromkeys(onward.values()):
        graph.add_edge(join, END)
    return graph


def test_19_only_the_chosen_branches_run(way: Way):
    heard = Recorder()
    graph = several(["ra", "rc"], {"a": "J", "b": "J", "c": "J"})

    seen = way.stream(graph.compile(CompileConfig(listeners=[heard])))

    assert seen.nodes == [START, "S", "__PARALLEL__(S)", "J", END]
    assert seen.state["messages"] == ["S", "a", "c", "J"]
    assert "b" not in heard.of("before")


def test_20_chosen_branches_that_do_not_meet_do_not_compile():
    graph = several(["ra"], {"a": "D", "b": "D", "c": "C1"})

    with pytest.raises(SpecError) as caught:
        graph.compile()

    assert "[C1, D]" in caught.value.upstream


def test_34_a_state_graph_in_a_node_is_flattened(way: Way):
    child = StateGraph("child", {"b": APPEND}).add_node("B1", says("B1")).add_node("B2", says("B2"))
    child.add_edge(START, "B1").add_edge("B1", "B2").add_edge("B2", END)
    graph = messages_graph().add_node("A", says("A")).add_node("B", child).add_node("C", says("C"))
    graph.add_edge(START, "A").add_edge("A", "B").add_edge("B", "C").add_edge("C", END)
    compiled = graph.compile()

    assert way.stream(compiled).nodes == [START, "A", "B-B1", "B-B2", "C", END]
    assert set(compiled.plan.keys) == {"input", "messages", "b"}


def nested_choice() -> StateGraph:
    child = StateGraph("child").add_node("B1", says("B1")).add_node("B2", says("B2")).add_node("C", says("C"))
    child.add_edge(START, "B1").add_edge("B1", "B2").add_edge("C", END)
    child.add_conditional_edges("B2", lambda s: "c", {"end": END, "c": "C"})
    graph = messages_graph().add_node("A", says("A")).add_node("B", child)
    graph.add_node("C1", says("C1")).add_node("C", says("C"))
    graph.add_edge(START, "A").add_edge("A", "B").add_edge("C1", "C").add_edge("C", END)
    return graph.add_conditional_edges("B", lambda s: "c1", {"c1": "C1", "c": "C"})


def test_35_a_flattened_subgraph_keeps_its_choices_and_its_way_out(way: Way):
    seen = way.stream(nested_choice().compile())

    assert seen.nodes == [START, "A", "B-B1", "B-B2", "B-C", "C1", "C", END]


def test_35_stopping_before_a_subgraph_stops_before_its_first_node(way: Way):
    compiled = nested_choice().compile(CompileConfig(interrupt_before=["B"]))

    assert way.stream(compiled).nodes == [START, "A", "[A]"]
    assert compiled.get_state().next == "B-B1"


def test_35_stopping_after_a_subgraph_does_not_compile():
    with pytest.raises(SpecError) as caught:
        nested_choice().compile(CompileConfig(interrupt_after=["B"]))

    assert caught.value.upstream.startswith("'interruption after' on subgraph is not supported yet!")
