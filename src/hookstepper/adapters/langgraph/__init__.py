"""LangGraph graphs and LangChain agents, debugged unchanged; no framework is imported before it is needed."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from importlib import metadata

from hookstepper.adapters.langgraph.recording import watch_create_agent
from hookstepper.model.errors import SpecError
from hookstepper.ports.target import OpenOptions, Target
from hookstepper.ports.watching import Here, Watched, Watcher

_PACKAGES = ("langgraph", "langchain", "langchain-core", "langgraph-checkpoint")


class LangGraphAdapter:
    """Makes targets of compiled graphs, of builders that are not compiled yet, and of agents."""

    name = "langgraph"

    def prepare(self) -> None:
        """Have `create_agent` recorded when the user's module imports it, and remote tracing switched off."""
        from hookstepper.adapters.langgraph.running import silence_tracing

        silence_tracing()
        watch_create_agent()

    def claims(self, obj: object) -> bool:
        """True for a compiled graph or a StateGraph, by the module names in its type's MRO."""
        return _is_compiled(obj) or _is_builder(obj)

    def open(self, obj: object, options: OpenOptions) -> Target:
        """A target for the graph; a builder is compiled first.

        Raises:
            SpecError: the graph cannot be compiled, runs elsewhere, or the file for checkpoints is another's.
        """
        from hookstepper.adapters.langgraph.target import LangGraphTarget

        if _is_builder(obj):
            try:
                obj = obj.compile()  # type: ignore[attr-defined]
            except ValueError as error:
                raise SpecError(f"the graph cannot be compiled: {error}") from error
        if not hasattr(obj, "copy") or not hasattr(obj, "stream_channels_asis"):
            raise SpecError(f"a {type(obj).__name__} runs elsewhere", hint="open the graph itself")
        return LangGraphTarget(obj, options, f"langgraph {_version('langgraph')}".strip())

    def watch(self, obj: object, watcher: Watcher) -> Watched:
        """Watch every run of a compiled graph or an agent, in place.

        Raises:
            SpecError: it is not compiled, or runs elsewhere.
        """
        from hookstepper.adapters.langgraph.watching import LangGraphWatched

        if not _is_compiled(obj) or not hasattr(obj, "stream_channels_asis"):
            raise SpecError(
                f"a {type(obj).__name__} is not a compiled graph", hint="listen(builder.compile())"
            )
        return LangGraphWatched(obj, watcher, f"langgraph {_version('langgraph')}".strip())

    def here(self) -> Here | None:
        """The task that runs the calling code; no framework is imported to find out."""
        if "langgraph" not in sys.modules:
            return None
        from hookstepper.adapters.langgraph.watching import here

        return here()

    def argument(self, parameter: inspect.Parameter, config: Mapping[str, object]) -> object:
        """What a factory is to be given for a parameter that is LangGraph's own, None for any other."""
        from hookstepper.adapters.langgraph.runtime import factory_runtime, wants_runtime

        return factory_runtime(config) if wants_runtime(parameter) else None

    def versions(self) -> tuple[tuple[str, str], ...]:
        """The packages of the frameworks that are imported, with their versions."""
        imported = [name for name in _PACKAGES if name.replace("-", "_").partition("_")[0] in _roots()]
        return tuple((name, _version(name)) for name in imported if _version(name))


def _roots() -> set[str]:
    return {name.partition(".")[0].partition("_")[0] for name in sys.modules if name.startswith("lang")}


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def _is_compiled(obj: object) -> bool:
    return any(kind.__module__.startswith("langgraph.pregel") for kind in type(obj).__mro__)


def _is_builder(obj: object) -> bool:
    return any(
        kind.__module__ == "langgraph.graph.state" and kind.__name__ == "StateGraph"
        for kind in type(obj).__mro__
    )
