"""A compiled LangGraph graph as plain data: what it declares, what its code implies, and what is unknown.

Reads the builder and not `get_graph()`, which draws an edge to END where targets are unknown.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from hookstepper.adapters.langgraph.known import known_words
from hookstepper.adapters.langgraph.layers import name_of
from hookstepper.adapters.langgraph.middleware import (
    Hook,
    asks_for_approval,
    hook_of,
    is_agent,
    middleware_of,
    rings_of,
    source_of,
    user_function,
)
from hookstepper.adapters.langgraph.names import THEIR_END, THEIR_START, node_id
from hookstepper.adapters.langgraph.scopes import Scope, ends_of, is_graph
from hookstepper.model.gates import Phase
from hookstepper.model.graph import Anchors, Edge, EdgeKind, Graph, Node, NodeKind, Ring, StateKey
from hookstepper.model.ids import NodeId


def describe(scopes: Mapping[str, Scope], engine: str, notes: Sequence[str] = ()) -> Graph:
    """The root graph with all its subgraphs, nested nodes named by path.

    Args:
        scopes: the root under the empty path, and its subgraphs.
        engine: what runs it, with its version.
        notes: remarks on the whole.
    """
    nodes: list[Node] = []
    edges: list[Edge] = []
    for scope in scopes.values():
        nodes += _nodes(scope, scopes)
        edges += _edges(scope)
    root = scopes[""]
    return Graph(
        name=str(getattr(root.graph, "name", "") or "graph"),
        nodes=tuple(nodes),
        edges=tuple(dict.fromkeys(edges)),
        anchors=anchors_of(root),
        keys=state_keys(root),
        engine=engine,
        notes=tuple(notes),
    )


# ------------------------------------------------------------------------------------ nodes


def _nodes(scope: Scope, scopes: Mapping[str, Scope]) -> Iterator[Node]:
    parent = NodeId(scope.path) if scope.path else None
    yield Node(node_id(THEIR_START, scope.path), "START", "start", parent=parent)
    agent = is_agent(scope)
    middleware = middleware_of(scope) if agent else ()
    for name in scope.node_names:
        path = node_id(name, scope.path)
        spec, runnable = scope.specs.get(name), scope.runnable(name)
        inner = scopes.get(path)
        hook = hook_of(scope, name, middleware) if agent else None
        kind = node_kind(scope, name, hook, inner)
        yield Node(
            id=path,
            label=name,
            kind=kind,
            owner=name_of(hook.middleware) if hook else "",
            index=hook.index if hook else None,
            jumps=hook.jumps if hook else (),
            source=source_of(_function(runnable, hook)),
            rings=_rings(kind, middleware),
            tools=_tools(runnable),
            side_effects=_side_effects(runnable),
            parent=parent,
            can_ask=_can_ask(runnable, hook, middleware),
            stops=tuple(_stops(scope.graph, name)),
            open_ended=bool(_unknown_targets(scope, name)),
            hidden=bool(getattr(spec, "is_error_handler", False)),
            note=_note(scope, name, inner, hook),
        )
    yield Node(node_id(THEIR_END, scope.path), "END", "end", parent=parent)


def node_kind(scope: Scope, name: str, hook: Hook | None = None, inner: Scope | None = None) -> NodeKind:
    """The kind of the node that LangGraph calls `name`."""
    if hook is not None:
        return hook.kind
    spec = scope.specs.get(name)
    if spec is not None and _is_tool_node(spec.runnable):
        return "tool"
    if name == "model" and is_agent(scope):
        return "model"
    if inner is not None and not inner.called:
        return "subgraph"
    function = getattr(getattr(spec, "runnable", None), "func", None)
    if name == "agent" and getattr(function, "__module__", "").startswith("langgraph.prebuilt"):
        return "model"
    return "plain"


def _is_tool_node(runnable: Any) -> bool:
    # LangChain 1.0.0 has a class of its own, with an underscore.
    return any(kind.__name__.lstrip("_") == "ToolNode" for kind in type(runnable).__mro__)


def _rings(kind: NodeKind, middleware: Sequence[Any]) -> tuple[Ring, ...]:
    return rings_of(middleware, kind) if kind in ("model", "tool") else ()


def _tools(runnable: Any) -> tuple[str, ...]:
    if not _is_tool_node(runnable):
        return ()
    return tuple(str(name) for name in getattr(runnable, "tools_by_name", {}))


def _side_effects(runnable: Any) -> tuple[str, ...]:
    """Tools that say `side_effects` in their metadata or tags; LangChain itself has no word for it."""
    tools = getattr(runnable, "tools_by_name", {}) if _is_tool_node(runnable) else {}
    return tuple(
        str(name)
        for name, one in tools.items()
        if (getattr(one, "metadata", None) or {}).get("side_effects")
        or "side_effects" in (getattr(one, "tags", None) or ())
    )


def _function(runnable: Any, hook: Hook | None) -> Callable[..., Any] | None:
    """The user's function behind a node, or None if it is a framework's own."""
    if hook is not None:
        return user_function(hook.middleware, hook.kind)
    function = getattr(runnable, "func", None) or getattr(runnable, "afunc", None)
    function = getattr(function, "func", function)
    module = str(getattr(function, "__module__", "") or "")
    return None if module.startswith(("langchain.", "langgraph.")) else function


def _can_ask(runnable: Any, hook: Hook | None, middleware: Sequence[Any]) -> bool:
    function = _function(runnable, hook)
    if hook is not None and asks_for_approval(hook.middleware, by_call=True):
        return False  # it asks from its ring, though its hooks' code could
    if hook is not None and asks_for_approval(hook.middleware, by_call=False):
        return hook.kind == "after_model"
    if _is_tool_node(runnable) and any(asks_for_approval(one, by_call=True) for one in middleware):
        return True
    return "interrupt" in _words(function)


def _stops(graph: Any, name: str) -> Iterator[Phase]:
    """Where the graph was compiled to stop; while it is debugged, the debugger holds it there instead."""
    phases: tuple[tuple[str, Phase], ...] = (
        ("interrupt_before_nodes", "enter"),
        ("interrupt_after_nodes", "exit"),
    )
    for attribute, phase in phases:
        nodes = getattr(graph, attribute, None) or ()
        if nodes == "*" or name in nodes:
            yield phase


def _words(function: Any) -> frozenset[str]:
    """Global names and attributes that a function's code refers to, nested functions included."""
    function = inspect.unwrap(getattr(function, "__func__", function)) if function is not None else None
    code = getattr(function, "__code__", None)
    found: set[str] = set()
    waiting = [code] if code is not None else []
    while waiting:
        here = waiting.pop()
        found.update(here.co_names)
        waiting += [constant for constant in here.co_consts if inspect.iscode(constant)]
    return frozenset(found)


def _note(scope: Scope, name: str, inner: Scope | None, hook: Hook | None) -> str:
    spec = scope.specs.get(name)
    said = [known_words(hook.middleware)] if hook is not None else []
    if getattr(spec, "defer", False):
        said.append("deferred")
    policies = getattr(spec, "retry_policy", None)
    if policies:
        policies = [policies] if hasattr(policies, "max_attempts") else policies
        said.append(f"up to {max(int(one.max_attempts) for one in policies)} attempts")
    if getattr(spec, "cache_policy", None):
        said.append("cached")
    if inner is not None:
        said.append("calls a graph" if inner.called else "")
        said += [_checkpoints_of(inner), _limit_of(inner)]
    return ", ".join(part for part in said if part)


def _checkpoints_of(inner: Scope) -> str:
    """Whose checkpointer a nested graph runs with."""
    saver = inner.graph.checkpointer
    if saver is False:
        return "keeps no checkpoints"
    if saver is True:
        return "inherits the checkpointer, keeps its state between calls"
    if saver is None:
        return "inherits the checkpointer"
    kind = type(saver).__name__
    # Measured: a graph that is a node itself always runs with the checkpointer of the graph around it.
    return f"{kind} of its own, for calls on a thread of their own" if inner.called else f"own {kind} unused"


def _limit_of(inner: Scope) -> str:
    """The recursion limit that a nested graph brings, where it brings one; else it is the run's."""
    limit = (getattr(inner.graph, "config", None) or {}).get("recursion_limit")
    if limit is None:
        return ""
    # Measured: a called graph's own limit wins; that of a graph that is a node gives way to the run's.
    return f"at most {limit:,} supersteps" + ("" if inner.called else " unless the run sets a limit")


# ------------------------------------------------------------------------------------ edges


def _edges(scope: Scope) -> Iterator[Edge]:
    agent = is_agent(scope)
    for source, targets in scope.fixed.items():
        for target in targets:
            yield Edge(node_id(source, scope.path), node_id(target, scope.path))
    for starts, target in scope.joins.values():
        for source in starts:
            yield Edge(node_id(source, scope.path), node_id(target, scope.path), label="waits for all")
    for source, branches in scope.branches.items():
        for branch_name, branch in branches.items():
            for label, target in (branch.ends or {}).items():
                kind, word = _branch_edge(scope, source, branch_name, str(label), target, agent)
                yield Edge(node_id(source, scope.path), node_id(target, scope.path), kind, word)
    for name in scope.node_names:
        source = node_id(name, scope.path)
        for target, label in ends_of(scope.specs.get(name)).items():
            yield Edge(source, node_id(target, scope.path), "conditional", label or "goto")
        if not scope.declared_targets(name) and not _unknown_targets(scope, name):
            yield Edge(source, node_id(THEIR_END, scope.path), "fixed", evidence="inferred")
    if scope.builder is None:
        for name in scope.node_names[:1]:
            yield Edge(node_id(THEIR_START, scope.path), node_id(name, scope.path), evidence="inferred")


def _branch_edge(
    scope: Scope, source: str, branch: str, label: str, target: str, agent: bool
) -> tuple[EdgeKind, str]:
    """The kind and the words of one conditional edge."""
    if not agent:
        return "conditional", "" if label == target else label
    shape = anchors_of(scope)
    end = str(shape.exit or "").rpartition(":")[2] or THEIR_END
    entry = str(shape.loop_entry or "").rpartition(":")[2]
    if branch == "jump_edge":
        if target == _chain_successor(scope, source):
            return "conditional", ""
        word = "tool" if target == "tools" else "end" if target in (end, THEIR_END) else "model"
        return "jump", f"jump {word}"
    if branch == "model_to_tools":
        words = {"tools": "tool calls", end: "done", THEIR_END: "done", entry: "answered"}
        return "conditional", words.get(target, "")
    if branch == "tools_to_model":
        return "conditional", "return direct" if target != entry else ""
    return "conditional", ""


def _chain_successor(scope: Scope, name: str) -> str:
    """Where a hook with declared jumps leads without a jump: LangChain lists that target first."""
    branch = scope.branches.get(name, {}).get("jump_edge")
    return next(iter((branch.ends or {}).values()), "") if branch is not None else ""


def _unknown_targets(scope: Scope, name: str) -> list[str]:
    """What makes the targets of a node unknown: names of routers, or `Command`."""
    found = [label for label, branch in scope.branches.get(name, {}).items() if branch.ends is None]
    spec = scope.specs.get(name)
    if spec is None or is_graph(spec.runnable):
        return found
    if not ends_of(spec) and not _is_tool_node(spec.runnable):
        function = _function(spec.runnable, None)
        if "Command" in _words(function):
            found.append("Command")
    return found


# ------------------------------------------------------------------------------------ the whole


def anchors_of(scope: Scope) -> Anchors:
    """The four anchors of a `create_agent` graph; a plain graph has an entry at most.

    Source: the rules by which `create_agent` wires its graph: before hooks in registration order, after
    hooks reversed; the loop goes back to the first before_model hook; the router sits on the after_model
    hook that was registered first; the last registered after_agent hook is the way out.
    """
    if scope.anchors is None:
        scope.anchors = _anchors(scope)
    return scope.anchors


def _anchors(scope: Scope) -> Anchors:
    if not is_agent(scope):
        first = scope.fixed.get(THEIR_START) or ([] if scope.builder is not None else scope.node_names[:1])
        return Anchors(entry=node_id(first[0], scope.path) if len(first) == 1 else None)

    def named(kind: str) -> list[str]:
        return [name for name in scope.specs if name.endswith(f".{kind}")]

    def first_of(*choices: list[str]) -> NodeId:
        return node_id(next((names[0] for names in choices if names), "model"), scope.path)

    return Anchors(
        entry=first_of(named("before_agent"), named("before_model")),
        loop_entry=first_of(named("before_model")),
        loop_exit=first_of(named("after_model")),
        exit=node_id((named("after_agent") or [THEIR_END])[-1], scope.path),
    )


def state_keys(scope: Scope) -> tuple[StateKey, ...]:
    """State keys with the way in which updates reach them."""
    builder = scope.builder
    if builder is None:
        return ()
    shown = set(builder.schemas.get(getattr(builder, "output_schema", None), {}))
    return tuple(
        StateKey(name, strategy_of(channel), private=bool(shown) and name not in shown)
        for name, channel in builder.channels.items()
        if not name.startswith("__") or name == "__root__"
    )


def strategy_of(channel: Any) -> str:
    """`replace`, `append`, `one step`, or the name of the reducer."""
    kind = type(channel).__name__
    operator = getattr(channel, "operator", None) or getattr(channel, "reducer", None)
    if operator is not None:
        name = getattr(operator, "__name__", type(operator).__name__)
        # langgraph wraps add_messages so that it can take options; the wrapper keeps no useful name.
        if name in ("_add_messages", "add_messages"):
            return "add_messages"
        return {"add": "append", "concat": "append", "or_": "merge"}.get(name, name)
    return {"EphemeralValue": "one step", "Topic": "append", "UntrackedValue": "untracked"}.get(
        kind, "replace"
    )
