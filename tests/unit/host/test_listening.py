"""A program that listens: its runs are its own, and whoever attaches sees and holds them."""

from __future__ import annotations

import asyncio
import queue
import stat
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypedDict

import pytest

import hookstepper
from hookstepper.agent import MemorySaver, ReactAgent, ScriptedModel, ToolCall, tool
from hookstepper.listening import Listening
from hookstepper.model.errors import AbortedError, LoadError, NotPossibleError, SpecError, UsageError
from support.visiting import Visitor


@tool
def look(what: str) -> str:
    """Look.

    Args:
        what: it.
    """
    return what.upper()


def native() -> ReactAgent:
    """A model call, a tool call, a model call."""
    script = [[ToolCall("c1", "look", '{"what": "x"}')], "done"]
    return ReactAgent("agent", ScriptedModel(script, per_turn=True), tools=[look])


class State(TypedDict, total=False):
    a: int
    b: int


def graph_of(first: Callable[[State], Any], second: Callable[[State], Any], **options: Any) -> Any:
    from langgraph.graph import END, START, StateGraph

    builder = StateGraph(State)
    builder.add_node("first", first)
    builder.add_node("second", second)
    builder.add_edge(START, "first")
    builder.add_edge("first", "second")
    builder.add_edge("second", END)
    return builder.compile(**options)


def plain_graph(**options: Any) -> Any:
    return graph_of(lambda s: {"a": s["a"] + 1}, lambda s: {"b": s["a"] * 2}, **options)


class InBackground:
    """A call of the program on a thread of its own; its end is a fact to wait for."""

    def __init__(self, call: Callable[[], Any]) -> None:
        self._end: queue.SimpleQueue[tuple[Any, BaseException | None]] = queue.SimpleQueue()
        threading.Thread(target=self._run, args=(call,), daemon=True).start()

    def _run(self, call: Callable[[], Any]) -> None:
        try:
            self._end.put((call(), None))
        except BaseException as error:
            self._end.put((None, error))

    def result(self) -> Any:
        value, error = self._end.get(timeout=60)
        if error is not None:
            raise error
        return value


def wait_gone(listening: Listening) -> None:
    """Until the program knows that its client is gone."""
    deadline = time.monotonic() + 60
    while listening.attached:
        assert time.monotonic() < deadline


@pytest.fixture
def listen(tmp_path: Path) -> Iterator[Callable[..., Listening]]:
    opened: list[Listening] = []

    def start(agent: object, endpoint: str = "") -> Listening:
        made = hookstepper.listen(agent, endpoint or f"unix:{tmp_path}/{len(opened)}.sock")
        opened.append(made)
        return made

    yield start
    for each in opened:
        each.close()


CASES: dict[str, tuple[Callable[[], Any], Callable[[Any], Any], Any]] = {
    "agent": (native, lambda agent: agent.call("hi").text, "done"),
    "langgraph": (plain_graph, lambda graph: graph.invoke({"a": 1}), {"a": 2, "b": 4}),
}
cases = pytest.mark.parametrize("case", CASES)


@cases
def test_a_watched_object_does_what_it_does_alone(case: str, listen: Any) -> None:
    make, run, result = CASES[case]
    watched = make()
    listen(watched)

    assert run(watched) == run(make()) == result


@cases
def test_who_attaches_later_sees_the_newest_run_from_its_first_step(case: str, listen: Any) -> None:
    make, run, _ = CASES[case]
    watched = make()
    listening = listen(watched)
    run(watched)
    visitor = Visitor(listening.endpoint)
    visitor.until(lambda view: view.phase == "ended")

    assert len(visitor.nodes()) == (4 if case == "agent" else 2)
    visitor.leave()


@cases
def test_a_run_can_be_held_stepped_and_let_go(case: str, listen: Any) -> None:
    make, run, result = CASES[case]
    watched = make()
    listening = listen(watched)
    visitor = Visitor(listening.endpoint, hold=True)
    call = InBackground(lambda: run(watched))
    visitor.until(lambda view: view.stop is not None)
    visitor.do("run.next")
    visitor.until(lambda view: view.stop is not None and view.stop.reasons == ("step",))

    assert len(visitor.nodes()) == 1
    visitor.do("run.continue")
    assert call.result() == result
    visitor.leave()


@cases
def test_a_client_that_leaves_or_vanishes_lets_the_program_go_on_and_another_may_come(
    case: str, listen: Any
) -> None:
    make, run, result = CASES[case]
    watched = make()
    listening = listen(watched)
    for go in (Visitor.leave, Visitor.vanish):
        visitor = Visitor(listening.endpoint, hold=True)
        call = InBackground(lambda: run(watched))
        visitor.until(lambda view: view.stop is not None and view.stop.posture == "held")
        go(visitor)

        assert call.result() == result
        wait_gone(listening)
    assert run(watched) == result


@cases
def test_ending_a_run_raises_in_the_program_where_it_was_started(case: str, listen: Any) -> None:
    make, run, result = CASES[case]
    watched = make()
    listening = listen(watched)
    visitor = Visitor(listening.endpoint, hold=True)
    call = InBackground(lambda: run(watched))
    visitor.until(lambda view: view.stop is not None)
    visitor.do("run.abort")

    with pytest.raises(AbortedError, match="ended in the debugger"):
        call.result()
    visitor.leave()
    assert run(watched) == result


@cases
def test_breakpoints_hold_runs_of_the_program_and_go_with_the_client(case: str, listen: Any) -> None:
    make, run, result = CASES[case]
    node = "tool" if case == "agent" else "second"
    watched = make()
    listening = listen(watched)
    visitor = Visitor(listening.endpoint)
    visitor.do(f"break.toggle {node}")
    call = InBackground(lambda: run(watched))
    view = visitor.until(lambda view: view.phase == "stopped")

    assert view.stop is not None
    assert view.stop.reasons == ("breakpoint",)
    visitor.leave()
    assert call.result() == result
    assert run(watched) == result


def test_a_pause_that_finds_no_node_any_more_holds_the_next_run(listen: Any) -> None:
    entered, go = threading.Event(), threading.Event()

    def second(state: State) -> State:
        entered.set()
        go.wait(60)
        return {"b": state["a"]}

    graph = graph_of(lambda s: {"a": s["a"] + 1}, second)
    listening = listen(graph)
    visitor = Visitor(listening.endpoint)
    last = InBackground(lambda: graph.invoke({"a": 1}))
    entered.wait(60)
    visitor.until(lambda view: view.phase == "running")
    visitor.do("run.pause")
    go.set()

    assert last.result() == {"a": 2, "b": 2}
    call = InBackground(lambda: graph.invoke({"a": 1}))
    view = visitor.until(lambda view: view.stop is not None and view.stop.posture == "held")
    assert view.stop is not None
    assert view.stop.reasons == ("pause",)
    visitor.leave()
    assert call.result() == {"a": 2, "b": 2}


def test_a_second_client_is_refused_with_a_sentence(listen: Any) -> None:
    listening = listen(native())
    visitor = Visitor(listening.endpoint)

    with pytest.raises(NotPossibleError, match="another debugger is attached"):
        Visitor(listening.endpoint)
    visitor.leave()


def test_the_runs_are_the_programs_own_to_start(listen: Any) -> None:
    listening = listen(native())
    visitor = Visitor(listening.endpoint)

    view = visitor.do("run.start hello")

    assert "the program's own" in view.notice
    visitor.leave()


def test_a_run_beside_a_watched_one_goes_on_unseen(listen: Any) -> None:
    agent = native()
    listening = listen(agent)
    visitor = Visitor(listening.endpoint, hold=True)
    call = InBackground(lambda: agent.call("hi").text)
    visitor.until(lambda view: view.stop is not None)

    assert InBackground(lambda: agent.call("hi").text).result() == "done"
    visitor.until(lambda view: any("unseen" in piece.text for piece in view.output))
    visitor.do("run.continue")
    assert call.result() == "done"
    visitor.leave()


def test_streams_of_the_program_give_what_they_give_alone(listen: Any) -> None:
    alone, watched = plain_graph(), plain_graph()
    listen(watched)
    modes: list[Any] = ["updates", "values", ["updates", "values"]]

    for mode in modes:
        given = list(watched.stream({"a": 1}, stream_mode=mode))
        assert given == list(alone.stream({"a": 1}, stream_mode=mode))


def test_async_runs_stay_on_the_loop_of_the_program(listen: Any) -> None:
    loops = []

    async def first(state: State) -> State:
        loops.append(asyncio.get_running_loop())
        return {"a": state["a"] + 1}

    async def main(graph: Any) -> Any:
        return asyncio.get_running_loop(), await graph.ainvoke({"a": 1})

    watched = graph_of(first, lambda s: {"b": s["a"]})
    listening = listen(watched)
    visitor = Visitor(listening.endpoint, hold=True)
    call = InBackground(lambda: asyncio.run(main(watched)))
    visitor.until(lambda view: view.stop is not None)
    visitor.do("run.continue")
    loop, state = call.result()

    assert state == {"a": 2, "b": 2}
    assert loops == [loop]
    visitor.leave()


def test_the_programs_own_saver_is_written_to_as_ever(listen: Any) -> None:
    from langgraph.checkpoint.memory import InMemorySaver

    def history(graph: Any) -> list[Any]:
        return [(state.values, state.next) for state in graph.get_state_history(config)]

    config = {"configurable": {"thread_id": "t"}}
    alone, watched = plain_graph(checkpointer=InMemorySaver()), plain_graph(checkpointer=InMemorySaver())
    listen(watched)
    for graph in (alone, watched):
        graph.invoke({"a": 1}, config)
        graph.invoke({"a": 5}, config)

    assert history(watched) == history(alone)


def test_a_question_of_the_program_is_shown_and_answered_by_the_program(listen: Any) -> None:
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.types import Command, interrupt

    def second(state: State) -> State:
        return {"b": interrupt("how many?") + state["a"]}

    config = {"configurable": {"thread_id": "t"}}
    graph = graph_of(lambda s: {"a": s["a"] + 1}, second, checkpointer=InMemorySaver())
    listening = listen(graph)
    visitor = Visitor(listening.endpoint)
    graph.invoke({"a": 1}, config)
    view = visitor.until(lambda view: view.phase == "waiting")

    assert view.stop is not None
    assert [ask.prompt for ask in view.stop.asks] == ["how many?"]
    assert "the program's own" in visitor.do('answer.send "3"').notice
    assert graph.invoke(Command(resume=3), config) == {"a": 2, "b": 5}
    visitor.until(lambda view: view.phase == "ended")
    assert visitor.nodes() == ["first", "second"]
    visitor.leave()


def test_an_exception_of_the_program_stays_the_programs_own_and_is_told(listen: Any) -> None:
    def second(state: State) -> State:
        raise KeyError("city")

    graph = graph_of(lambda s: {"a": s["a"] + 1}, second)
    listening = listen(graph)
    visitor = Visitor(listening.endpoint)

    with pytest.raises(KeyError, match="city"):
        graph.invoke({"a": 1})
    view = visitor.until(lambda view: view.phase == "failed")
    assert view.failure is not None
    assert view.failure.title == "KeyError: 'city'"
    visitor.leave()


def test_breakpoint_in_the_program_stops_if_somebody_is_there_and_else_calls_what_was_there(
    listen: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    called = []
    monkeypatch.setattr("sys.breakpointhook", lambda: called.append("the program's own"))

    def second(state: State) -> State:
        found = state["a"] * 2
        breakpoint()
        return {"b": found}

    graph = graph_of(lambda s: {"a": s["a"] + 1}, second)
    listening = listen(graph)
    assert graph.invoke({"a": 1}) == {"a": 2, "b": 4}
    assert called == ["the program's own"]

    visitor = Visitor(listening.endpoint)
    call = InBackground(lambda: graph.invoke({"a": 1}))
    view = visitor.until(lambda view: view.phase == "stopped")
    assert view.stop is not None
    assert view.stop.reasons == ("code",)
    assert view.stop.frames[0].locals == {"state": {"a": 2}, "found": 4}
    visitor.do("run.continue")
    assert call.result() == {"a": 2, "b": 4}
    visitor.leave()
    assert called == ["the program's own"]


def test_runs_of_agents_inside_of_agents_are_part_of_the_outer_run(listen: Any) -> None:
    inner = native()

    @tool
    def ask(what: str) -> str:
        """Ask another agent.

        Args:
            what: it.
        """
        return inner.call(what).text or ""

    script = [[ToolCall("c1", "ask", '{"what": "x"}')], "outer done"]
    outer = ReactAgent("outer", ScriptedModel(script, per_turn=True), tools=[ask])
    listening = listen(outer)

    assert outer.call("hi").text == "outer done"
    visitor = Visitor(listening.endpoint)
    visitor.until(lambda view: view.phase == "ended")
    assert visitor.view.run == 1
    visitor.leave()


def test_threads_with_memory_go_on_where_they_were(listen: Any) -> None:
    from hookstepper.agent import RunConfig

    script = ["one", "two"]
    agents = [ReactAgent("a", ScriptedModel(script), saver=MemorySaver()) for _ in range(2)]
    listen(agents[0])

    said = [[agent.call("hi", RunConfig("t")).text for _ in script] for agent in agents]

    assert said[0] == said[1]


def test_closing_leaves_the_object_as_it_was_and_nothing_on_disk(tmp_path: Path) -> None:
    for made in (native(), plain_graph()):
        inside = made.compiled() if isinstance(made, ReactAgent) else made
        before = type(inside)
        with hookstepper.listen(made, f"unix:{tmp_path}/x.sock") as listening:
            assert type(inside) is not before
            assert stat.S_IMODE((tmp_path / "x.sock").stat().st_mode) == 0o600
            assert stat.S_IMODE((tmp_path / "x.sock.json").stat().st_mode) == 0o600
            assert str(listening) == f"unix:{tmp_path}/x.sock"

        assert type(inside) is before
        assert list(tmp_path.iterdir()) == []


def test_a_socket_left_by_a_killed_program_is_taken_over(tmp_path: Path) -> None:
    import socket

    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(tmp_path / "x.sock"))

    with hookstepper.listen(native(), f"unix:{tmp_path}/x.sock") as listening:
        Visitor(listening.endpoint).leave()


def test_a_place_that_is_taken_is_refused(tmp_path: Path, listen: Any) -> None:
    listen(native(), f"unix:{tmp_path}/x.sock")

    with pytest.raises(NotPossibleError, match="cannot listen"):
        hookstepper.listen(native(), f"unix:{tmp_path}/x.sock")


@pytest.mark.parametrize("endpoint", ["tcp:0.0.0.0:0", "tcp:10.0.0.1:80", "tcp:127.0.0.1:99999", "nonsense"])
def test_only_this_machine_is_listened_at(endpoint: str) -> None:
    with pytest.raises(UsageError):
        hookstepper.listen(native(), endpoint)


def test_what_is_no_agent_is_refused(tmp_path: Path) -> None:
    from langgraph.graph import StateGraph

    with pytest.raises(LoadError, match="no agent or graph"):
        hookstepper.listen(object(), f"unix:{tmp_path}/x.sock")
    with pytest.raises(SpecError, match="compiled"):
        hookstepper.listen(StateGraph(State), f"unix:{tmp_path}/x.sock")
