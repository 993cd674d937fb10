"""What tests of the LangGraph adapter share: targets from graphs, and nodes in two colours.

Import it before langchain, so that the adapter sees `create_agent` being called.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from hookstepper.adapters.langgraph import LangGraphAdapter
from hookstepper.adapters.langgraph.target import LangGraphTarget
from hookstepper.ports.target import OpenOptions, Outcome, Start
from support.probe import RecordingProbe

ADAPTER = LangGraphAdapter()
ADAPTER.prepare()
SAMPLES = Path(__file__).parents[2] / "sample_agents"
if str(SAMPLES) not in sys.path:
    sys.path.append(str(SAMPLES))

HAS_NEWER = importlib.util.find_spec("langchain.agents.middleware.model_refusal") is not None
"""True if LangChain has what `langchain_newer.py` shows."""


def sample_files() -> list[Path]:
    """The samples that this LangChain can run, without the model that they share."""
    found = [*SAMPLES.glob("langchain_*.py"), *SAMPLES.glob("langgraph_*.py")]
    left_out = {"langchain_scripted"} | (set() if HAS_NEWER else {"langchain_newer"})
    return sorted(path for path in found if path.stem not in left_out)


COLOURS = pytest.mark.parametrize("colour", ["sync", "async"])
"""Runs a test twice: with plain functions, and with coroutine functions, which make the run asynchronous."""


def painted(function: Callable[..., Any], colour: str) -> Callable[..., Any]:
    """The function itself, or a coroutine function of the same name and signature that calls it."""
    if colour == "sync":
        return function

    async def later(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    later.__name__ = later.__qualname__ = function.__name__
    later.__annotations__ = function.__annotations__
    later.__wrapped__ = function  # type: ignore[attr-defined]
    return later


def in_a_row(schema: Any, nodes: Mapping[str, Callable[..., Any]], colour: str = "sync") -> Any:
    """A builder whose nodes follow one another, the first after START."""
    from langgraph.graph import START, StateGraph

    builder = StateGraph(schema)
    before = START
    for name, function in nodes.items():
        builder.add_node(name, painted(function, colour))
        builder.add_edge(before, name)
        before = name
    return builder


def opened(graph: Any, **options: Any) -> LangGraphTarget:
    """A target for a graph or a builder."""
    target = ADAPTER.open(graph, OpenOptions(**options))
    assert isinstance(target, LangGraphTarget)
    return target


def ran(
    target: LangGraphTarget, value: object, probe: RecordingProbe | None = None, **config: Any
) -> tuple[Outcome, RecordingProbe]:
    """The outcome of a run from the start, and what the probe saw."""
    probe = probe or RecordingProbe()
    return target.run(Start(value, "t", config), probe), probe


def ids(count: int = 10_000) -> Iterator[str]:
    """Names that differ, for what needs an id."""
    return (f"id-{number}" for number in range(count))
