"""An agent on LangGraph's own stores: what is saved in one process is taken up in another."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hookstepper.agent import HumanInTheLoopHook, ModelCallLimitHook, UserMessage
from support.agent_kit import AM, Noting, agent, asks, call, hook
from support.postgres import missing, postgres
from support.random_agents import SCRIPT, build, hooks
from support.two_engines import STEPS, on_ours, on_theirs

pytest.importorskip("langgraph", reason="LangGraph is not installed: the extra langgraph has it")

from langgraph.types import Command

AGENTS = 1_000 if os.environ.get("HOOKSTEPPER_THOROUGH") else 15
CONFIG = {"configurable": {"thread_id": "t"}}


@contextmanager
def sqlite_store(folder: Any) -> Iterator[Any]:
    """A function that opens the store anew, as another process would."""
    module = pytest.importorskip(
        "langgraph.checkpoint.sqlite", reason="langgraph-checkpoint-sqlite is not installed"
    )
    yield lambda: module.SqliteSaver.from_conn_string(str(folder / "store.db"))


@contextmanager
def postgres_store(folder: Any) -> Iterator[Any]:
    """The same on a PostgreSQL server of its own."""
    module = pytest.importorskip(
        "langgraph.checkpoint.postgres", reason="langgraph-checkpoint-postgres is not installed"
    )
    if missing():
        pytest.skip(missing())
    with postgres() as address:
        yield lambda: module.PostgresSaver.from_conn_string(address)


STORES = {"sqlite": sqlite_store, "postgres": postgres_store}


@pytest.fixture(params=list(STORES))
def opened(request: Any, tmp_path: Any) -> Iterator[Any]:
    with STORES[request.param](tmp_path) as store:

        @contextmanager
        def one() -> Iterator[Any]:
            with store() as saver:
                saver.setup()
                yield saver

        yield one


def asking() -> tuple[Any, Noting]:
    noting = Noting("t", "r")
    made = agent(
        [asks(call("1", "t", '{"n":1}')), "end"],
        tools=[noting],
        hooks=[hook("L", [], AM), HumanInTheLoopHook(["t"]), ModelCallLimitHook(run_limit=5)],
        instruction="be kind to {who}",
    )
    return made, noting


def test_a_question_is_answered_in_another_process(opened):
    with opened() as saver:
        graph = asking()[0].to_langgraph(checkpointer=saver, keys=["who"])
        value = {"messages": [{"role": "user", "content": "hi"}], "input": "hi", "who": "Ann"}
        assert graph.invoke(value, CONFIG)["__interrupt__"]

    made, noting = asking()
    with opened() as saver:
        graph = made.to_langgraph(checkpointer=saver, keys=["who"])
        state = graph.invoke(Command(resume={"decisions": [{"type": "approve"}]}), CONFIG)

    assert noting.calls == [{"n": 1}]
    assert [m["role"] for m in state["messages"]] == ["user", "instruction", "assistant", "tool", "assistant"]
    assert state["messages"][1]["content"] == "be kind to Ann"
    assert state["messages"][2]["tool_calls"][0]["raw"] == '{"n":1}'


def test_a_conversation_goes_on_and_the_runs_context_does_not(opened):
    for _ in range(2):
        with opened() as saver:
            made = agent(["one", "two"], hooks=[ModelCallLimitHook(run_limit=1)])
            graph = made.to_langgraph(checkpointer=saver)
            state = graph.invoke({"messages": [{"role": "user", "content": "hi"}]}, CONFIG)

    assert [m["content"] for m in state["messages"]] == ["hi", "one", "hi", "two"]


@pytest.mark.timeout(3600 if AGENTS > 100 else 120)
def test_two_engines_do_the_same_where_one_keeps_its_threads_in_a_database(opened):
    """Random agents, each on a thread of its own in the one store: order, state and end are those of ours."""
    threads = (f"agent {n}" for n in itertools.count())

    with opened() as saver:

        @settings(max_examples=AGENTS, deadline=None, suppress_health_check=[HealthCheck.too_slow])
        @given(hooks(), SCRIPT, st.booleans(), st.sampled_from(["upstream", "fixed"]))
        def check(rows: Any, script: Any, tools: bool, compat: str) -> None:
            def made() -> Any:
                return build(rows, script, tools, compat=compat, limit=STEPS + 1)

            ours = on_ours(made(), {"input": "hi", "messages": [UserMessage("hi")]})
            value = {"input": "hi", "messages": [{"role": "user", "content": "hi"}]}
            theirs = on_theirs(made(), value, saver, next(threads))

            assert theirs[0][: STEPS - 1] == ours[0][: STEPS - 1]
            assert theirs[2] == ours[2]
            if ours[2] == "completed":
                assert theirs[1] == ours[1]

        check()
