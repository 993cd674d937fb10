"""Factories of LangGraph projects: with a config, with the server's runtime, with both."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import pytest

from hookstepper.adapters.loader import load, parse_target
from hookstepper.model.errors import LoadError
from support.langgraph_kit import ADAPTER

pytest.importorskip("langgraph_sdk.runtime", reason="this SDK has no runtime for factories")
MODULE = """
    import contextlib
    from langgraph.graph import START, StateGraph
    from langgraph_sdk.runtime import ServerRuntime
    from typing_extensions import TypedDict

    class State(TypedDict, total=False):
        n: int

    def built(name):
        builder = StateGraph(State)
        builder.add_node(name, lambda state: {"n": 1})
        builder.add_edge(START, name)
        return builder

    def named(runtime):
        return built(f"named_{runtime.access_context}".replace(".", "_"))

    def typed(rt: ServerRuntime):
        assert rt.execution_runtime is rt and rt.user is None and rt.store is not None
        try:
            rt.ensure_user()
        except PermissionError:
            return built("typed").compile()

    def quoted(rt: "ServerRuntime[dict]", config):
        return built(f"{config['configurable']['who']}_{rt.context['city']}")

    def turned(config: dict, *, runtime: ServerRuntime):
        return built(f"turned_{config['configurable']['who']}")

    @contextlib.asynccontextmanager
    async def entered(runtime: ServerRuntime):
        yield built("entered").compile()

    def other(runtime: int, config):
        return built("never")
"""
CONFIG: Any = {"configurable": {"who": "me"}, "context": {"city": "Bonn"}}


@pytest.mark.parametrize(
    ("attr", "node"),
    [
        ("named", "named_threads_create_run"),
        ("typed", "typed"),
        ("quoted", "me_Bonn"),
        ("turned", "turned_me"),
        ("entered", "entered"),
    ],
)
def test_a_factory_gets_the_runtime_that_a_server_would_hand_to_it(
    tmp_path: Path, attr: str, node: str
) -> None:
    loaded = load(parse_target(f"{write(tmp_path, attr)}:{attr}", tmp_path), [ADAPTER], CONFIG)
    try:
        builder = getattr(loaded.obj, "builder", loaded.obj)
        assert list(builder.nodes) == [node]
    finally:
        loaded.close()


def test_a_parameter_that_only_has_the_name_is_no_runtime(tmp_path: Path) -> None:
    with pytest.raises(LoadError, match="neither an agent"):
        load(parse_target(f"{write(tmp_path, 'other')}:other", tmp_path), [ADAPTER], CONFIG)


def write(folder: Path, name: str) -> str:
    """A module of its own, since a module is imported under its file's stem."""
    (folder / f"factories_{name}.py").write_text(textwrap.dedent(MODULE), encoding="utf-8")
    return f"factories_{name}.py"
