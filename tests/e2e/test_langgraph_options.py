"""Options of a run that a LangGraph graph needs: a file for its checkpoints, a config, a context."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.cli import hookstepper

AGENT = """
import operator
from dataclasses import dataclass
from typing import Annotated

from langchain_core.runnables import RunnableConfig
from langgraph.graph import START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import interrupt
from typing_extensions import TypedDict


@dataclass
class Who:
    name: str


class State(TypedDict, total=False):
    n: int
    log: Annotated[list, operator.add]


def ask(state: State, runtime: Runtime[Who], config: RunnableConfig) -> dict:
    answer = interrupt("really?")
    return {"log": [runtime.context.name, config["configurable"]["city"], answer]}


graph = StateGraph(State, context_schema=Who).add_node(ask).add_edge(START, "ask")
"""


@pytest.fixture
def agent(tmp_path: Path) -> Path:
    (tmp_path / "agent.py").write_text(AGENT, encoding="utf-8")
    return tmp_path


def test_config_and_context_reach_the_graph_before_and_after_a_question(agent: Path) -> None:
    (agent / "who.json").write_text('{"name": "me"}', encoding="utf-8")
    done = hookstepper(
        *("run", "agent.py", "--headless", "--json", "--input-json", '{"n": 1}', "--answer", '"yes"'),
        *("--context", "@who.json", "--config", '{"configurable": {"city": "Bonn"}}'),
        cwd=agent,
    )

    assert done.code == 0, done.err
    assert done.end["state"] == {"n": 1, "log": ["me", "Bonn", "yes"]}


def test_a_question_of_one_process_is_answered_by_the_next(agent: Path) -> None:
    words = ("run", "agent.py", "--headless", "--json", "--input-json", '{"n": 1}', "--db", "kept.db")
    given = ("--context", '{"name": "me"}', "--config", '{"configurable": {"city": "Bonn"}}')

    asked = hookstepper(*words, *given, cwd=agent)
    done = hookstepper(*words, *given, "--answer", '"later"', cwd=agent)

    assert (asked.code, asked.end["status"]) == (3, "interrupted")
    assert done.code == 0, done.err
    assert done.end["state"] == {"n": 1, "log": ["me", "Bonn", "later"]}


@pytest.mark.parametrize(
    ("option", "value"), [("--config", "[1]"), ("--context", "{"), ("--config", "@gone")]
)
def test_a_wrong_option_is_a_usage_error_that_names_it(agent: Path, option: str, value: str) -> None:
    done = hookstepper("run", "agent.py", "--headless", "--input", "x", option, value, cwd=agent)

    assert done.code == 2
    assert option in done.err


FLOW = """
from langgraph.func import entrypoint, task

@task
def double(n: int) -> int:
    return n * 2

@entrypoint()
def flow(n: int) -> int:
    return double(n).result() + 1
"""


def test_tasks_of_the_functional_api_show_what_they_returned(tmp_path: Path) -> None:
    """They write to no state."""
    (tmp_path / "flow.py").write_text(FLOW)

    done = hookstepper("run", "flow.py", "--headless", "--input-json", "4", cwd=tmp_path)

    assert done.out.splitlines() == [
        "   0  flow:double",
        "        = 8",
        "   1  flow → END",
        "        = 9",
        "  ✓   completed, 2 steps",
    ]
