"""Rings of an agent that was made before anybody watched: found in what `create_agent` has compiled.

The compiled chain of `wrap_*` methods is a nest of closures. A walk through their cells finds the methods,
the outermost first, with the middleware objects that they are bound to; a gate is put around each by
writing it into the cell, and taken away when the target is closed. A version that compiles otherwise gives
fewer rings, or none: they are then left out, never guessed.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from types import FunctionType
from typing import Any

from hookstepper.adapters.langgraph.layers import gated
from hookstepper.adapters.langgraph.middleware import is_agent, middleware_of
from hookstepper.adapters.langgraph.recording import forget, recorded, remember
from hookstepper.adapters.langgraph.scopes import Scope
from hookstepper.model.graph import RingKind

_DEEPEST = 60
"""Closures in one another; each ring takes one or two."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a compiled graph keeps one `wrap_*` method."""

    kind: RingKind
    owner: Any
    """The middleware that it is bound to."""
    method: Callable[..., Any]
    put: Callable[[Any], None]
    """Puts another function in its place."""


def recovered(scopes: Iterable[Scope]) -> tuple[Callable[[], None], list[str]]:
    """Find the rings of agents that nobody saw being made, and put gates around them.

    Returns:
        What takes the gates away again, and remarks on what was found.
    """
    undos: list[Callable[[], None]] = []
    notes: list[str] = []
    for scope in scopes:
        if not is_agent(scope) or recorded(scope.builder) is not None:
            continue
        places = found_rings(scope)
        if not places:
            continue
        remember(scope.builder, merged(middleware_of(scope), owners_of(places)))
        undos += [place_gates(places), partial(forget, scope.builder)]
        where = f"{scope.path}: " if scope.path else ""
        notes.append(f"{where}made before hookstepper was there: its rings were found in what was compiled")

    def undo() -> None:
        while undos:
            undos.pop()()

    return undo, notes


def found_rings(scope: Scope) -> tuple[Place, ...]:
    """The methods of all rings of an agent, for each kind and colour the outermost first."""
    found: list[Place] = []
    for kind, start in _starts(scope):
        found += _walked(kind, start)
    return tuple(found)


def owners_of(places: tuple[Place, ...]) -> tuple[Any, ...]:
    """The middleware behind the rings, each once, in the order in which the rings are passed."""
    owners: list[Any] = []
    for place in places:
        if not any(place.owner is other for other in owners):
            owners.append(place.owner)
    return tuple(owners)


def place_gates(places: tuple[Place, ...]) -> Callable[[], None]:
    """Put a gate around each method; gives what takes them away again."""
    for kind in ("model", "tool"):
        of_kind = tuple(place for place in places if place.kind == kind)
        rings = {id(owner): ring for ring, owner in enumerate(owners_of(of_kind))}
        for place in of_kind:
            place.put(gated(place.method, place.owner, rings[id(place.owner)], place.kind))

    def undo() -> None:
        for place in places:
            place.put(place.method)

    return undo


def merged(hooks: tuple[Any, ...], rings: tuple[Any, ...]) -> tuple[Any, ...]:
    """Middleware with hooks and middleware with rings as one list, each kept in its order."""
    found = list(hooks)
    after = 0
    for one in rings:
        place = next((place for place, other in enumerate(found) if other is one), None)
        if place is None:
            found.insert(after, one)
            place = after
        after = place + 1
    return tuple(found)


def _starts(scope: Scope) -> Iterator[tuple[RingKind, Place | Any]]:
    model = scope.runnable("model")
    for name in ("func", "afunc"):
        yield "model", getattr(model, name, None)
    tools = scope.runnable("tools")
    for name in ("_wrap_tool_call", "_awrap_tool_call"):
        method = getattr(tools, name, None)
        if method is not None:
            yield "tool", _Attribute(tools, name, method)


@dataclass(frozen=True, slots=True)
class _Attribute:
    """A function that an object keeps under a name."""

    obj: Any
    name: str
    value: Any

    def put(self, value: Any) -> None:
        setattr(self.obj, self.name, value)


def _walked(kind: RingKind, start: Any) -> list[Place]:
    """The ring methods of one kind below `start`, in the order in which they are called."""
    found: list[Place] = []
    seen: set[int] = set()

    def visit(value: Any, put: Callable[[Any], None] | None, depth: int) -> None:
        function = getattr(value, "func", value) if not isinstance(value, FunctionType) else value
        if depth > _DEEPEST or id(value) in seen or not callable(value):
            return
        seen.add(id(value))
        owner = _owner(value, kind)
        if owner is not None:
            if put is not None:
                found.append(Place(kind, owner, value, put))
            return
        for name, cell in _cells(function):
            try:
                inner = cell.cell_contents
            except ValueError:
                continue
            if kind == "tool" or name not in ("wrap_tool_call_wrapper", "awrap_tool_call_wrapper"):
                visit(inner, partial(setattr, cell, "cell_contents"), depth + 1)

    if isinstance(start, _Attribute):
        visit(start.value, start.put, 0)
    else:
        visit(start, None, 0)
    return found


def _cells(function: Any) -> list[tuple[str, Any]]:
    """Names and cells of a closure, what is called first before what it calls."""
    code, closure = getattr(function, "__code__", None), getattr(function, "__closure__", None)
    if code is None or not closure:
        return []
    cells = list(zip(code.co_freevars, closure, strict=False))
    return sorted(cells, key=lambda one: one[0] != "outer")


def _owner(value: Any, kind: RingKind) -> Any:
    """The middleware that a ring's method is bound to, or None if it is no such method."""
    bound = inspect.unwrap(value, stop=lambda one: hasattr(one, "__self__"))
    owner = getattr(bound, "__self__", None)
    if not any(base.__name__ == "AgentMiddleware" for base in type(owner).__mro__):
        return None
    function = getattr(bound, "__func__", None)
    named = (getattr(owner, name, None) for name in (f"wrap_{kind}_call", f"awrap_{kind}_call"))
    return owner if any(getattr(one, "__func__", None) is function for one in named) else None
