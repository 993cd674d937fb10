"""Adapters: one for each framework, found through a registry; nothing here imports a framework.

Inside the user's interpreter our own entry points do not exist, so the built-in ones are a table.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import entry_points

from hookstepper.ports.target import Adapter

BUILT_IN = {
    "native": "hookstepper.adapters.native:NativeAdapter",
    "langgraph": "hookstepper.adapters.langgraph:LangGraphAdapter",
}
"""Name to `module:attribute`; the attribute makes the adapter when it is called without arguments."""

GROUP = "hookstepper.adapters"
"""Entry point group of adapters that others bring."""


def all_adapters() -> tuple[Adapter, ...]:
    """Every adapter, the built-in ones first; a foreign one that fails to load is told and left out."""
    built_in = [_made(place) for place in BUILT_IN.values()]
    return (*built_in, *_brought(set(BUILT_IN)))


def _made(place: str) -> Adapter:
    module, _, attribute = place.partition(":")
    adapter: Adapter = getattr(import_module(module), attribute)()
    return adapter


def _brought(known: set[str]) -> Iterator[Adapter]:
    for found in entry_points(group=GROUP):
        if found.name in known:
            continue
        try:
            yield found.load()()
        except Exception as error:
            sys.stderr.write(f"hookstepper: adapter {found.name} left out: {type(error).__name__}: {error}\n")
