"""What a graph's factory may ask for beside a config: the runtime that LangGraph's server hands to it."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class FactoryRuntime:
    """Looks like `langgraph_sdk.runtime.ServerRuntime` for a run without a server and without a login."""

    access_context: str
    store: Any
    context: Any
    user: Any = None

    @property
    def execution_runtime(self) -> FactoryRuntime:
        """Itself: the graph is made to be run."""
        return self

    def ensure_user(self) -> Any:
        """Nobody has logged in.

        Raises:
            PermissionError: always, as on a server without authentication.
        """
        raise PermissionError("nobody has logged in: the graph is debugged without a server")


def wants_runtime(parameter: inspect.Parameter) -> bool:
    """True for a factory's parameter that is a runtime, by its annotation or else by its name."""
    annotation = parameter.annotation
    if annotation is inspect.Parameter.empty:
        return parameter.name == "runtime"
    return "ServerRuntime" in str(annotation)


def factory_runtime(config: Mapping[str, object]) -> FactoryRuntime:
    """The runtime for one run: a store in memory, the context of the config, no user."""
    from langgraph.store.memory import InMemoryStore

    return FactoryRuntime("threads.create_run", InMemoryStore(), config.get("context"))
