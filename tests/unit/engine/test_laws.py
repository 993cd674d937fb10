"""Laws of running: a run that was stopped and resumed, in any way, is the run that was not."""

import asyncio
import os

from hypothesis import given, settings
from hypothesis import strategies as st

from hookstepper.engine import APPEND, END, START, CompileConfig, MemorySaver, RunConfig, StateGraph
from hookstepper.engine.sqlite import SqliteSaver
from unit.engine.probes import TableProbe

EXAMPLES = 400 if os.environ.get("HOOKSTEPPER_THOROUGH") else 40
NODES = "ABCDE"


@st.composite
def programs(draw):
    """A graph as data: for each node where it goes by the number of steps taken, or a fan-out."""
    size = draw(st.integers(1, len(NODES)))
    names = NODES[:size]
    ways = {n: draw(st.lists(st.sampled_from([*names, END]), min_size=1, max_size=3)) for n in names}
    fans = draw(st.sets(st.sampled_from(names), max_size=1))
    first = draw(st.sampled_from(names))
    is_async = draw(st.sets(st.sampled_from(names)))
    return names, ways, fans, first, is_async


def build(program, saver, **config):
    names, ways, fans, first, is_async = program
    graph = StateGraph("random", {"log": APPEND})

    def action(name):
        def node(state):
            return {"log": name, "steps": state.value("steps", 0) + 1, name: len(state.value("log", []))}

        async def anode(state):
            await asyncio.sleep(0)
            return node(state)

        return anode if name in is_async else node

    for name in names:
        graph.add_node(name, action(name))
        if name in fans:
            graph.add_node(f"{name}1", action(f"{name}1")).add_node(f"{name}2", action(f"{name}2"))
            join = ways[name][0]
            graph.add_edge(name, [f"{name}1", f"{name}2"]).add_edge([f"{name}1", f"{name}2"], join)
        else:
            targets = ways[name]
            graph.add_conditional_edges(
                name, lambda s, targets=targets: targets[s["steps"] % len(targets)], {t: t for t in targets}
            )
    graph.add_edge(START, first)
    return graph.compile(CompileConfig(saver=saver, recursion_limit=20, **config))


T = RunConfig("t")


def stepwise(program, saver, run):
    """Run with a stop before every node, each time resumed from the checkpoint."""
    names, _, fans, _, _ = program
    stops = [*names, *(f"__PARALLEL__({name})" for name in fans)]
    graph = build(program, saver, interrupt_before=stops)
    result = run(graph, {"input": "x"}, T)
    rounds = 0
    while result.status == "interrupted" and rounds < 25:
        rounds += 1
        result = run(graph, None, T.copy(checkpoint_id=result.checkpoint))
    return result


def sync(graph, inputs, config, probe=None):
    return graph.run(inputs, config, probe=probe)


def on_loop(graph, inputs, config, probe=None):
    return asyncio.run(graph.arun(inputs, config, probe=probe))


@settings(max_examples=EXAMPLES, deadline=None)
@given(programs(), st.booleans())
def test_a_run_stopped_before_every_node_is_the_run_that_was_not(program, loop):
    run = on_loop if loop else sync
    whole = run(build(program, MemorySaver()), {"input": "x"}, T)
    parts = stepwise(program, MemorySaver(), run)

    if whole.status == "completed":
        assert parts.status == "completed"
        assert parts.state == whole.state
    else:
        assert parts.state["log"][: len(whole.state["log"])] == whole.state["log"]


@settings(max_examples=EXAMPLES, deadline=None)
@given(programs())
def test_sync_and_async_are_the_same_run(program):
    one, other = MemorySaver(), MemorySaver()
    first, second = TableProbe(), TableProbe()
    a = sync(build(program, one), {}, T, first)
    b = on_loop(build(program, other), {}, T, second)

    assert (a.status, a.state, a.next, a.failed_at) == (b.status, b.state, b.next, b.failed_at)
    assert [(s.site, s.task, s.route, s.update) for s in first.steps] == [
        (s.site, s.task, s.route, s.update) for s in second.steps
    ]
    assert first.told == second.told
    assert sorted(first.log) == sorted(second.log)
    assert history(one) == history(other)


def history(saver):
    return [(c.node_id, c.next_node_id, c.state, c.step) for c in saver.history("t")]


@settings(max_examples=EXAMPLES, deadline=None)
@given(programs())
def test_a_probe_that_only_watches_changes_nothing(program):
    one, other = MemorySaver(), MemorySaver()
    a = sync(build(program, one), {}, T)
    b = sync(build(program, other), {}, T, TableProbe())

    assert (a.status, a.state, a.next) == (b.status, b.state, b.next)
    assert history(one) == history(other)


@settings(max_examples=EXAMPLES, deadline=None)
@given(programs())
def test_going_on_from_any_checkpoint_gives_the_same_end(program):
    saver = MemorySaver()
    graph = build(program, saver)
    whole = graph.run({}, T)
    if whole.status != "completed":
        return
    for row in list(graph.history(T)):
        again = graph.run(None, T.copy(checkpoint_id=row.checkpoint))

        assert again.state == whole.state
        assert again.status == "completed"


@settings(max_examples=EXAMPLES // 4, deadline=None)
@given(programs())
def test_a_run_resumed_from_a_file_is_the_run_in_memory(tmp_path_factory, program):
    whole = build(program, MemorySaver()).run({"input": "x"}, T)
    path = tmp_path_factory.mktemp("db") / "c.db"

    def reopened(graph, inputs, config):
        graph.config.saver.close()
        graph.config.saver = SqliteSaver(path)
        return graph.run(inputs, config)

    saver = SqliteSaver(path)
    parts = stepwise(program, saver, reopened)

    if whole.status == "completed":
        assert parts.state == whole.state


@settings(max_examples=EXAMPLES, deadline=None)
@given(programs())
def test_the_facts_of_a_run_are_its_history(program):
    """Each step is told once, with the checkpoint that holds its state."""
    saver = MemorySaver()
    probe = TableProbe()
    build(program, saver).run({}, T, probe=probe)

    rows = {c.id: c for c in saver.history("t")}
    for step, state in zip(probe.steps, probe.told[1:], strict=True):
        row = rows[step.checkpoint]
        assert row.step == step.superstep
        if row.node_id == step.site.node:
            assert row.state == state
    assert [s.checkpoint for s in probe.steps] == sorted(
        (s.checkpoint for s in probe.steps), key=[c.id for c in reversed(saver.history("t"))].index
    )
