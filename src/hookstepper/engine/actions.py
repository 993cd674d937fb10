"""What a node can do and what a router can say."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

from hookstepper.engine.effects import Effects, is_effectful
from hookstepper.engine.outputs import Interruption
from hookstepper.model.graph import NodeKind, Ring, SourcePlace
from hookstepper.model.ids import NodeId
from hookstepper.model.record import RuleSeen

if TYPE_CHECKING:
    from hookstepper.engine.config import RunConfig
    from hookstepper.engine.state import State


@dataclass(frozen=True, slots=True)
class Command:
    """A way on, and an update that is merged before it is taken.

    From a router, `goto` is a route key (or several, where the edge takes several). From a node it is a
    route key of the node's edge if that has one so named, else a node id.
    """

    goto: str | Sequence[str]
    update: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """A route key, and why it was chosen: for routers that explain themselves."""

    key: str | Sequence[str]
    rule: str = "router"
    """The rule that fired; a stable word."""
    why: str = ""
    rules: tuple[RuleSeen, ...] = ()
    otherwise: NodeId | None = None
    skipped: tuple[NodeId, ...] = ()
    """Nodes that this way jumps over."""
    update: Mapping[str, Any] | None = None


@runtime_checkable
class InterruptableAction(Protocol):
    """An action that may stop the run with a question. It is also callable as a node's body.

    `interrupt_after(node_id, state, update, config)` may be there too: it is asked when the body has run.
    Both may be async. They get copies of the state.
    """

    def interrupt(self, node_id: NodeId, state: State, config: RunConfig) -> Any:
        """An `Interruption`, or None to go on."""
        ...


NodeAction: TypeAlias = Callable[..., Mapping[str, Any] | Awaitable[Mapping[str, Any]] | Command | Any | None]
Router: TypeAlias = Callable[..., Any]
"""`(state)` or `(state, config)` to a route key, a `Command` or a `Decision`; sync or async."""


@dataclass(frozen=True, slots=True)
class NodeMeta:
    """What the picture and the record should know about a node; see `hookstepper.model.graph.Node`."""

    label: str = ""
    """Empty: the id."""
    owner: str = ""
    index: int | None = None
    order: int = 0
    jumps: tuple[str, ...] = ()
    source: SourcePlace | None = None
    """None: found from the action."""
    rings: tuple[Ring, ...] = ()
    tools: tuple[str, ...] = ()
    side_effects: tuple[str, ...] = ()
    can_ask: bool = False
    """Also True if the action is interruptable."""
    hidden: bool = False
    note: str = ""


class Compiled:
    """Base of compiled graphs, so that a graph can hold one as a node."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Action:
    """A node's body, looked at once when it was added."""

    fn: Any
    wants_config: bool
    is_body: bool
    """True if it is a generator of effects."""
    interrupt: Callable[..., Any] | None = None
    interrupt_after: Callable[..., Any] | None = None

    def arguments(self, state: Any, config: Any) -> tuple[Any, ...]:
        """What the function is called with."""
        return (state, config) if self.wants_config else (state,)

    def body(self, state: Any, config: Any) -> Effects[Any]:
        """The generator of effects, if it is one."""
        effects: Effects[Any] = self.fn(*self.arguments(state, config))
        return effects


def look_at(fn: Any) -> Action:
    """The action that `fn` is.

    Raises:
        TypeError: it cannot be called.
    """
    interrupt = getattr(fn, "interrupt", None)
    interrupt_after = getattr(fn, "interrupt_after", None)
    body = fn if callable(fn) else getattr(fn, "apply", None)
    if not callable(body):
        raise TypeError(f"{type(fn).__name__} cannot be called")
    return Action(
        body,
        takes_config(body),
        is_effectful(body),
        interrupt if callable(interrupt) else None,
        interrupt_after if callable(interrupt_after) else None,
    )


def takes_config(fn: Any) -> bool:
    """True if `fn` takes a second argument: one without a default, or one that is called `config`."""
    try:
        parameters = list(inspect.signature(fn).parameters.values())
    except (TypeError, ValueError):
        return False
    places = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if len(places) >= 2:
        second = places[1]
        return second.default is second.empty or second.name == "config"
    return len(places) == 1 and any(p.kind is p.VAR_POSITIONAL for p in parameters)


def source_of(fn: Any) -> SourcePlace | None:
    """Where the code of `fn` stands, or None if it has none of its own."""
    for candidate in (fn, getattr(fn, "func", None), type(fn).__dict__.get("__call__")):
        plain = inspect.unwrap(candidate) if callable(candidate) else None
        code = getattr(plain, "__code__", None)
        if code is not None:
            name = getattr(plain, "__qualname__", code.co_name)
            return SourcePlace(code.co_filename, code.co_firstlineno, name)
    return None


@dataclass(frozen=True, slots=True)
class NodeSpec:
    """A node as it was added: a callable, a graph to be flattened, or a compiled graph."""

    id: NodeId
    action: Any
    kind: NodeKind
    meta: NodeMeta
    parent: NodeId | None = None
    """The flattened subgraph that held it."""


Asked: TypeAlias = Interruption | None
