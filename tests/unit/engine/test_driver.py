"""The two drivers: sync and async user code in every mixture, nested bodies, branches on threads."""

import asyncio
import contextvars
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from hookstepper.engine import (
    APPEND,
    END,
    START,
    Branches,
    Call,
    CompileConfig,
    Driver,
    Emit,
    Here,
    Pass,
    RunConfig,
    StateGraph,
    Tell,
    adrive,
    drive,
    effectful,
    gated,
)
from hookstepper.model.errors import NotPossibleError
from hookstepper.model.gates import Site
from hookstepper.ports.facts import TextStreamed
from hookstepper.ports.verdict import Abort, Patch, RunAborted
from unit.engine.probes import TableProbe

T = RunConfig("t")
MODEL = Site("model", "A", "m")


def one_node(action, **config):
    graph = StateGraph("one", {"messages": APPEND}).add_node("A", action)
    return graph.add_edge(START, "A").add_edge("A", END).compile(CompileConfig(**config))


def add(a, b):
    return a + b


async def aadd(a, b):
    await asyncio.sleep(0)
    return a + b


def body(fn):
    first = yield Call(fn, (1, 2))
    second = yield Call(fn, (first, 10))
    return second


@pytest.mark.parametrize("fn", [add, aadd])
def test_both_kinds_of_functions_work_in_both_drivers(fn):
    async def on_loop():
        return await Driver().adrive(body(fn))

    with Driver() as driver:
        assert driver.drive(body(fn)) == 13
    assert asyncio.run(on_loop()) == 13


def test_a_sync_run_uses_one_event_loop_for_all_its_async_code(way):
    """Clients that were made on a loop only work on that loop."""
    loops = []

    async def node(state):
        loops.append(asyncio.get_running_loop())
        return {}

    graph = StateGraph().add_node("A", node).add_node("B", node)
    graph.add_edge(START, "A").add_edge("A", "B")
    graph.add_conditional_edges("B", node_router(loops), {"out": END})
    way.run(graph.compile(), {}, T)

    assert len(loops) == 3
    assert len({id(loop) for loop in loops}) == 1
    if way.mode == "sync":
        assert loops[0].is_closed()


def node_router(loops):
    async def router(state):
        loops.append(asyncio.get_running_loop())
        return "out"

    return router


def test_a_context_variable_set_by_async_code_reaches_later_async_code():
    """asyncio programs keep request ids and tracing spans there."""
    which = contextvars.ContextVar("which", default="unset")
    seen = []

    async def first():
        which.set("set")

    async def second():
        seen.append(which.get())

    def both():
        yield Call(first)
        yield Call(second)

    async def on_loop():
        await Driver().adrive(both())

    asyncio.run(on_loop())

    assert seen == ["set"]


def test_an_error_of_user_code_is_raised_where_it_was_called():
    def careful():
        try:
            yield Call(add, (1, "x"))
        except TypeError:
            return "caught"

    assert drive(careful()) == "caught"


def test_a_generator_that_is_no_body_is_told_so():
    def wrong():
        yield "not an effect"

    with pytest.raises(TypeError, match="not an effect"):
        drive(wrong())


# -------------------------------------------------------------------------------------- nested bodies


def model(request):
    return (yield from gated(MODEL, request, lambda value: answer(value)))


def answer(request):
    return (yield Call(aadd if ASYNC else add, (request, "!")))


ASYNC = False


def layered(intercept):
    """A node whose model call goes through an interceptor that calls a handler."""

    @effectful
    def node(state, config):
        driver = yield Here()

        def handler(request):
            return driver.drive(model(request))

        reply = yield Call(intercept, (state.value("input"), handler))
        return {"messages": reply}

    return node


def test_a_sync_interceptor_calls_the_model_through_its_gates(way):
    calls = []

    def intercept(request, handler):
        calls.append(request)
        return handler(request + "1") + handler(request + "2")

    probe = TableProbe({"model A exit": Patch("patched")})
    result = way.run(one_node(layered(intercept)), {"input": "q"}, T, probe)

    assert calls == ["q"]
    assert result.state["messages"] == ["patchedq2!"]
    gates = [p for p in probe.points if p.site == MODEL]
    assert [(p.phase, p.value) for p in gates] == [
        ("enter", "q1"),
        ("exit", "q1!"),
        ("enter", "q2"),
        ("exit", "q2!"),
    ]
    assert {p.task for p in gates} == {"main/1:A"}


def test_an_async_interceptor_awaits_the_model(way):
    @effectful
    def node(state, config):
        async def intercept(handler):
            return await handler("q")

        reply = yield Call(intercept, (lambda request: adrive(model(request)),))
        return {"messages": reply}

    probe = TableProbe()
    result = way.run(one_node(node), {}, T, probe)

    assert result.state["messages"] == ["q!"]
    assert len([p for p in probe.points if p.site == MODEL]) == 2


def test_async_code_behind_sync_code_on_a_loop_is_refused_with_a_reason(monkeypatch):
    """It would have to block the loop it needs; a hang would be the worst answer."""
    monkeypatch.setitem(globals(), "ASYNC", True)
    graph = one_node(layered(lambda request, handler: handler(request)))

    ok = graph.run({"input": "q"}, T)
    result = asyncio.run(graph.arun({"input": "q"}, T))

    assert ok.state["messages"] == ["q!"]
    assert isinstance(result.error, NotPossibleError)
    assert "async" in result.error.hint


def test_an_interceptor_on_a_thread_of_its_own_uses_the_driver_it_was_given():
    def intercept(request, handler):
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(handler, request).result()

    probe = TableProbe()
    result = one_node(layered(intercept)).run({"input": "q"}, T, probe=probe)

    assert result.state["messages"] == ["q!"]
    assert {p.task for p in probe.points if p.site == MODEL} == {"main/1:A"}


def test_user_code_that_catches_everything_does_not_swallow_an_abort(way):
    def intercept(request, handler):
        try:
            return handler(request)
        except Exception:
            return "swallowed"

    with pytest.raises(RunAborted):
        way.run(one_node(layered(intercept)), {"input": "q"}, T, TableProbe({"model A enter": Abort()}))


def test_drive_works_outside_of_a_run():
    assert drive(model("q")) == "q!"
    assert asyncio.run(adrive(model("q"))) == "q!"


def test_tokens_go_to_the_probe_at_once_and_to_the_stream(way):
    @effectful
    def node(state, config):
        driver = yield Here()
        for text in ("a", "b"):
            yield Tell(TextStreamed(driver.task, text))
            yield Emit(text)
        return {"messages": "ab"}

    probe = TableProbe()
    outputs = way.stream(one_node(node), {}, T).outputs
    way.run(one_node(node), {}, T, probe)

    assert outputs[1:3] == ["a", "b"]
    assert [f.text for f in probe.facts if isinstance(f, TextStreamed)] == ["a", "b"]


def test_outputs_of_a_nested_body_reach_the_stream(way):
    def inner():
        yield Emit("deep")
        return 1

    @effectful
    def node(state, config):
        driver = yield Here()
        yield Call(lambda: driver.drive(inner()))
        return {}

    assert "deep" in way.stream(one_node(node), {}, T).outputs


def test_an_output_of_a_nested_body_is_read_while_the_body_still_runs():
    """Tokens of a model behind an async interceptor must not wait for the whole answer."""

    def inner():
        yield Emit("token")
        return 1

    async def main():
        was_read = asyncio.Event()

        @effectful
        def node(state, config):
            async def intercept():
                reply = await adrive(inner())
                await was_read.wait()
                return reply

            return {"messages": (yield Call(intercept))}

        seen = []
        async for output in one_node(node).astream({}, T):
            seen.append(output if isinstance(output, str) else output.node)
            if output == "token":
                was_read.set()
        return seen

    assert asyncio.run(main()) == [START, "token", "A", END]


def test_a_run_does_not_go_ahead_of_its_reader(way):
    ran = []

    def node(name):
        def run(state):
            ran.append(name)

        return run

    graph = StateGraph().add_node("A", node("A")).add_node("B", node("B"))
    compiled = graph.add_edge(START, "A").add_edge("A", "B").add_edge("B", END).compile()

    async def main():
        outputs = compiled.astream({}, T)
        seen = []
        async for output in outputs:
            await asyncio.sleep(0)
            seen.append((output.node, list(ran)))
        return seen

    if way.mode == "sync":
        seen = [(output.node, list(ran)) for output in compiled.stream({}, T)]
    else:
        seen = asyncio.run(main())

    assert seen == [(START, []), ("A", ["A"]), ("B", ["A", "B"]), (END, ["A", "B"])]


# -------------------------------------------------------------------------------------------- branches


def test_branches_in_a_body_belong_to_its_task(way):
    @effectful
    def node(state, config):
        ends = yield Branches([body(add), body(aadd), broken()])
        return {"messages": [ends[0].value, ends[1].value, str(ends[2].error)]}

    def broken():
        yield Pass(MODEL, "enter", None)
        raise ValueError("one of three")

    probe = TableProbe()
    result = way.run(one_node(node), {}, T, probe)

    assert result.state["messages"] == [13, 13, "one of three"]
    assert next(p for p in probe.points if p.site == MODEL).task == "main/1:A"


def meeting(count):
    """Branches that only end if all of them run at the same time."""
    barrier = threading.Barrier(count, timeout=60)
    graph = StateGraph("meet", {"messages": APPEND})
    names = [f"b{n}" for n in range(count)]
    for name in names:
        graph.add_node(name, lambda s, name=name: {"messages": [name, barrier.wait() >= 0]})
    return graph.add_edge(START, names).add_edge(names, END).compile(), names


def test_branches_run_at_once_on_the_executor_that_the_config_brings():
    graph, names = meeting(3)
    probe = TableProbe()

    with ThreadPoolExecutor(3) as pool:
        result = graph.run({}, T.with_executor(pool), probe=probe)

    assert result.state["messages"] == [item for name in names for item in (name, True)]
    assert [s.site.node for s in probe.steps] == names


def test_async_branches_run_at_once_on_the_loop():
    arrived = []

    async def node(state):
        arrived.append(1)
        while len(arrived) < 2:
            await asyncio.sleep(0)
        return {"messages": len(arrived)}

    graph = StateGraph("meet", {"messages": APPEND}).add_node("one", node).add_node("two", node)
    graph.add_edge(START, ["one", "two"]).add_edge(["one", "two"], END)

    assert asyncio.run(graph.compile().arun({}, T)).state["messages"] == [2, 2]


@pytest.mark.parametrize("mode", ["loop", "threads", "in turn"])
def test_no_more_branches_run_at_once_than_the_limit(mode):
    running, most = [], []
    lock = threading.Lock()

    def begin():
        with lock:
            running.append(1)
            most.append(len(running))

    async def anode(state):
        begin()
        await asyncio.sleep(0)
        running.pop()

    def node(state):
        begin()
        with lock:
            running.pop()

    names = [f"b{n}" for n in range(6)]
    graph = StateGraph()
    for name in names:
        graph.add_node(name, anode if mode == "loop" else node)
    compiled = graph.add_edge(START, names).add_edge(names, END).compile()
    config = T.with_metadata(**{"__MAX_CONCURRENCY_____PARALLEL__(__START__)": 2})

    if mode == "loop":
        asyncio.run(compiled.arun({}, config))
    elif mode == "threads":
        with ThreadPoolExecutor(6) as pool:
            compiled.run({}, config.with_executor(pool))
    else:
        compiled.run({}, config)

    assert len(most) == 6
    assert max(most) <= 2


def any_of(slow, fast):
    graph = StateGraph("any", {"messages": APPEND}).add_node("slow", slow).add_node("fast", fast)
    graph.add_edge(START, ["slow", "fast"]).add_edge(["slow", "fast"], END)
    return graph.compile()


def test_any_of_on_threads_does_not_wait_for_the_others():
    release = threading.Event()

    def slow(state):
        release.wait(60)
        return {"messages": "slow"}

    with ThreadPoolExecutor(2) as pool:
        try:
            config = T.with_executor(pool).with_aggregation("any_of")
            result = any_of(slow, lambda s: {"messages": "fast"}).run({}, config)
        finally:
            release.set()

    assert result.state["messages"] == ["fast"]


def test_any_of_in_turn_begins_nothing_after_a_success():
    begun = []

    def second(state):
        begun.append(1)
        return {}

    result = any_of(lambda s: {"messages": "first"}, second).run({}, T.with_aggregation("any_of"))

    assert result.state["messages"] == ["first"]
    assert begun == []


def test_what_any_of_takes_is_merged_once(way):
    """A custom strategy would otherwise be asked twice about one value."""
    graph = StateGraph("any", {"n": lambda old, new: (old or 0) + new}).add_node("A", lambda s: {"n": 5})
    graph.add_node("one", lambda s: {"n": 1, "gone": None}).add_node("two", lambda s: {"n": 1, "gone": None})
    graph.add_edge(START, "A").add_edge("A", ["one", "two"]).add_edge(["one", "two"], END)

    assert way.run(graph.compile(), {}, T.with_aggregation("any_of")).state == {"n": 6, "gone": None}


def test_any_of_passes_over_failures_and_fails_if_all_do(way):
    def broken(state):
        raise ValueError("no")

    config = T.with_aggregation("any_of", END)
    assert way.run(any_of(broken, lambda s: {"messages": "ok"}), {}, config).state["messages"] == ["ok"]
    error = way.run(any_of(broken, broken), {}, config).error
    assert error.upstream == "ALL 2 parallel branches failed in ANY_OF strategy"


def test_a_cancelled_run_ends_its_branches():
    """A server that drops a request must not leave branches running behind it."""
    ended = []

    async def main():
        began = asyncio.Event()

        async def node(state):
            began.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.append(1)

        graph = StateGraph().add_node("one", node).add_node("two", node)
        graph.add_edge(START, ["one", "two"]).add_edge(["one", "two"], END)
        task = asyncio.create_task(graph.compile().arun({}, T))
        await began.wait()
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())

    assert ended == [1, 1]


def test_an_abort_on_a_thread_leaves_the_run():
    graph, _ = meeting(2)

    with ThreadPoolExecutor(2) as pool, pytest.raises(RunAborted):
        graph.run(
            {}, T.with_executor(pool), probe=TableProbe({"node b0 exit": Abort(), "node b1 exit": Abort()})
        )


def test_a_system_exit_of_user_code_leaves_the_run_as_it_would_without_us(way):
    def node(state):
        raise SystemExit(3)

    with pytest.raises(SystemExit):
        way.run(one_node(node), {}, T)


def test_a_body_that_yields_nothing_useful_is_told_so():
    """A bare `yield` is an easy slip."""

    def body():
        yield

    with Driver() as driver, pytest.raises(TypeError, match="not an effect: None"):
        driver.drive(body())
