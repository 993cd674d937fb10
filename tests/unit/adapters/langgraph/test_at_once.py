"""Our saver is written to at once, by whoever has something saved; other savers as ever."""

from __future__ import annotations

import operator
import threading
from typing import Annotated, Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.pregel import _executor
from typing_extensions import TypedDict

from hookstepper.adapters.langgraph.at_once import saved_at_once
from support.langgraph_kit import opened, ran
from support.probe import RecordingProbe


class State(TypedDict, total=False):
    log: Annotated[list[str], operator.add]


def line() -> StateGraph:
    builder = StateGraph(State)
    builder.add_node("a", lambda state: {"log": ["a"]})
    builder.add_node("b", lambda state: {"log": ["b"]})
    builder.add_edge(START, "a")
    builder.add_edge("a", "b")
    return builder


class Watching(InMemorySaver):
    """Notes who saves."""

    def __init__(self) -> None:
        super().__init__()
        self.threads: set[str] = set()

    def put(self, *args: Any) -> Any:
        self.threads.add(threading.current_thread().name)
        return super().put(*args)

    def put_writes(self, *args: Any, **options: Any) -> None:
        self.threads.add(threading.current_thread().name)
        super().put_writes(*args, **options)


def test_a_saver_is_written_to_by_the_runs_own_thread() -> None:
    saver, other = Watching(), Watching()
    config = {"configurable": {"thread_id": "t"}}

    with saved_at_once(saver):
        line().compile(checkpointer=saver).invoke({"log": []}, config)
        line().compile(checkpointer=other).invoke({"log": []}, config)

    assert saver.threads == {threading.current_thread().name}
    assert threading.current_thread().name not in other.threads


def test_langgraph_is_as_it_was_afterwards() -> None:
    before = _executor.BackgroundExecutor.submit
    during: list[Any] = []

    ran(opened(line()), {"log": []}, RecordingProbe(lambda _: during.append(1)))  # type: ignore[arg-type, return-value, func-returns-value]

    assert during
    assert _executor.BackgroundExecutor.submit is before


def test_a_save_that_fails_fails_the_run_as_it_would_have() -> None:
    class Full(InMemorySaver):
        def put_writes(self, *args: Any, **options: Any) -> None:
            raise OSError("disk full")

    saver = Full()
    graph = line().compile(checkpointer=saver)
    config = {"configurable": {"thread_id": "t"}}

    with pytest.raises(OSError, match="disk full"):
        graph.invoke({"log": []}, config)
    with saved_at_once(saver), pytest.raises(OSError, match="disk full"):
        graph.invoke({"log": []}, config)


def test_where_there_is_nothing_to_take_hold_of_threads_save_and_the_record_is_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _, expected = ran(opened(line()), {"log": []})
    monkeypatch.setattr(_executor, "BackgroundExecutor", object)

    _, probe = ran(opened(line()), {"log": []})

    assert probe.log == expected.log
    assert [step.state for step in probe.steps] == [step.state for step in expected.steps]
