"""From hooks, model and tools to a state graph: nodes, anchors, edges, routers.

Source: Spring AI Alibaba 1.1.2, ReactAgent.initGraph and setupHookEdges. Node ids, order of nodes, edges and
mappings are the same; `fixed` rules differ in the places that `hookstepper.agent.compat` lists.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from hookstepper.agent.hook_nodes import WithAnswer, action_of, family_of, fitting_positions, source_of_hook
from hookstepper.agent.hooks import (
    METHODS,
    Hook,
    HookPosition,
    JumpTo,
    jumps_of,
    node_name,
    positions_of,
)
from hookstepper.agent.model_node import MODEL_NODE, ModelNode
from hookstepper.agent.routers import HookRouter, RuleRouter
from hookstepper.agent.routing import (
    HOOK_RULES,
    LOOP_EXIT_RULES,
    TOOL_RULES,
    Places,
)
from hookstepper.agent.tool_node import TOOL_NODE, ToolNode
from hookstepper.engine.actions import NodeMeta
from hookstepper.engine.errors import GraphSpecError
from hookstepper.engine.graph import StateGraph
from hookstepper.engine.strategies import APPEND, REPLACE, KeyStrategy
from hookstepper.model.graph import Anchors, EdgeKind, NodeKind, Ring, SourcePlace
from hookstepper.model.ids import END, START, NodeId

KINDS: Mapping[HookPosition, NodeKind] = {
    HookPosition.BEFORE_AGENT: "before_agent",
    HookPosition.BEFORE_MODEL: "before_model",
    HookPosition.AFTER_MODEL: "after_model",
    HookPosition.AFTER_AGENT: "after_agent",
}
AGENT_POSITIONS = (HookPosition.BEFORE_AGENT, HookPosition.AFTER_AGENT)


@dataclass(frozen=True, slots=True)
class Registered:
    """A hook and the place at which it was registered; None for one that the agent added by itself."""

    hook: Hook
    index: int | None


@dataclass(frozen=True, slots=True)
class Chains:
    """Hooks by position, in the order of sorting: before-chains run forward, after-chains backward."""

    before_agent: tuple[Registered, ...]
    before_model: tuple[Registered, ...]
    after_model: tuple[Registered, ...]
    after_agent: tuple[Registered, ...]

    def at(self, position: HookPosition) -> tuple[Registered, ...]:
        """Hooks that stand at `position`, sorted."""
        return cast("tuple[Registered, ...]", getattr(self, METHODS[position]))

    def ids(self, position: HookPosition) -> list[NodeId]:
        """Node ids at `position`, in the order in which they run."""
        ids = [NodeId(node_name(item.hook, position)) for item in self.at(position)]
        after = position in (HookPosition.AFTER_MODEL, HookPosition.AFTER_AGENT)
        return ids[::-1] if after else ids


@dataclass(frozen=True, slots=True)
class Plan:
    """All that the graph of an agent is made of."""

    name: str
    hooks: tuple[Registered, ...]
    """The effective ones: the instruction hook first."""
    model: ModelNode
    tools: ToolNode | None
    keys: Mapping[str, KeyStrategy]
    compat: str = "upstream"
    answer_key: str = ""
    """In fixed rules: the state key that holds the newest answer; empty if there is none."""

    @property
    def fixed(self) -> bool:
        """True in fixed rules."""
        return self.compat == "fixed"


def chains_of(hooks: Sequence[Registered], compat: str = "upstream") -> Chains:
    """Hooks by position: registration order, then a stable sort by `order`."""

    def at(position: HookPosition) -> tuple[Registered, ...]:
        chosen = [item for item in hooks if position in positions_of(item.hook, compat)]
        return tuple(sorted(chosen, key=lambda item: item.hook.order))

    return Chains(*(at(p) for p in KINDS))


def anchors_of(chains: Chains) -> Anchors:
    """The four nodes that give the graph its shape."""
    before_agent = chains.ids(HookPosition.BEFORE_AGENT)
    before_model = chains.ids(HookPosition.BEFORE_MODEL)
    after_model = chains.ids(HookPosition.AFTER_MODEL)
    after_agent = chains.ids(HookPosition.AFTER_AGENT)
    loop_entry = before_model[0] if before_model else MODEL_NODE
    return Anchors(
        entry=before_agent[0] if before_agent else loop_entry,
        loop_entry=loop_entry,
        loop_exit=after_model[-1] if after_model else MODEL_NODE,
        exit=after_agent[0] if after_agent else END,
    )


def key_strategies(
    hooks: Sequence[Registered], output_key: str, output_strategy: KeyStrategy | None
) -> dict[str, KeyStrategy]:
    """State keys of an agent: a later hook overrides an earlier one, and anything else."""
    keys: dict[str, KeyStrategy] = {}
    if output_key:
        keys[output_key] = output_strategy or REPLACE
    keys["messages"] = APPEND
    for item in hooks:
        keys.update(item.hook.key_strategies())
    return keys


def build_graph(plan: Plan) -> tuple[StateGraph, Anchors]:
    """The state graph of an agent, and its anchors; not compiled yet.

    Raises:
        SpecError: a hook stands where its kind has no node, or a node id is taken.
    """
    return _Builder(plan).build()


class _Builder:
    """Puts one graph together; used once."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.chains = chains_of(plan.hooks, plan.compat)
        self.anchors = anchors_of(self.chains)
        self.graph = StateGraph(plan.name, plan.keys)
        assert self.anchors.loop_entry is not None
        assert self.anchors.exit is not None
        self.places = Places(
            self.anchors.loop_entry, self.anchors.exit, TOOL_NODE if plan.tools is not None else None
        )

    def build(self) -> tuple[StateGraph, Anchors]:
        self._add_nodes()
        self.graph.add_edge(START, cast(str, self.anchors.entry))
        self._chain(HookPosition.BEFORE_AGENT, self.places.loop_entry)
        self._chain(HookPosition.BEFORE_MODEL, MODEL_NODE)
        after_model = self.chains.ids(HookPosition.AFTER_MODEL)
        if after_model:
            self.graph.add_edge(MODEL_NODE, after_model[0])
            self._chain(HookPosition.AFTER_MODEL, None)
        self._chain(HookPosition.AFTER_AGENT, END)
        self._close_loop()
        return self.graph, self.anchors

    # ----------------------------------------------------------------------------------------- nodes

    def _add_nodes(self) -> None:
        plan = self.plan
        self.graph.add_node(
            MODEL_NODE,
            plan.model,
            kind="model",
            meta=NodeMeta(label="model", rings=_rings(plan.model.layers, "model")),
        )
        if plan.tools is not None:
            meta = NodeMeta(
                label="tool",
                rings=_rings(plan.tools.layers, "tool"),
                tools=tuple(tool.name for tool in plan.tools.tools),
                side_effects=tuple(tool.name for tool in plan.tools.tools if tool.side_effects),
            )
            self.graph.add_node(TOOL_NODE, plan.tools, kind="tool", meta=meta)
        for position, kind in _IN_ORDER_OF_NODES:
            for item in self.chains.at(position):
                self._add_hook(item, position, kind)

    def _add_hook(self, item: Registered, position: HookPosition, kind: NodeKind) -> None:
        hook = item.hook
        action = action_of(hook, position)
        if action is None:
            raise GraphSpecError(
                f"hook {hook.get_name()!r} is a {family_of(hook)} and stands at {position.name}, "
                "where such a hook has no node",
                hint=f"a {family_of(hook)} stands at {' or '.join(fitting_positions(hook)) or 'no position'}",
                upstream=f"edge sourceId '{node_name(hook, position)}' refers to undefined node!",
            )
        if self.plan.answer_key:
            action = WithAnswer(action, self.plan.answer_key, self.plan.keys["messages"])
        meta = NodeMeta(
            label=hook.get_name() + position.value,
            owner=hook.get_name(),
            index=item.index,
            order=hook.order,
            jumps=tuple(jump.value for jump in jumps_of(hook)),
            source=source_of_hook(hook, position),
            can_ask=hasattr(action, "interrupt"),
        )
        self.graph.add_node(node_name(hook, position), action, kind=kind, meta=meta)

    # ----------------------------------------------------------------------------------------- edges

    def _chain(self, position: HookPosition, onward: NodeId | None) -> None:
        """Join the hooks of one position as they run; the last leads `onward`, if there is one."""
        items = list(self.chains.at(position))
        if position in (HookPosition.AFTER_MODEL, HookPosition.AFTER_AGENT):
            items.reverse()
        ids = self.chains.ids(position)
        places = list(range(len(items)))
        if position is HookPosition.AFTER_AGENT:
            # Upstream makes the way out first; diagrams number choices in this order.
            places = [*places[-1:], *places[:-1]]
        for at in places:
            default = ids[at + 1] if at + 1 < len(ids) else onward
            if default is not None:
                self._hook_edge(items[at].hook, ids[at], default, position, jumps_of(items[at].hook))

    def _close_loop(self) -> None:
        loop_exit = cast(NodeId, self.anchors.loop_exit)
        if self.plan.tools is not None:
            self._loop_exit_edge(loop_exit)
            self._tool_edge()
            return
        after_model = self.chains.after_model
        if not after_model:
            self.graph.add_edge(MODEL_NODE, self.places.exit)
            return
        # Upstream asks the wrong hook here: the one that runs first, not the one at the loop exit.
        declarer = after_model[0] if self.plan.fixed else after_model[-1]
        self._hook_edge(
            after_model[0].hook,
            loop_exit,
            self.places.exit,
            HookPosition.AFTER_MODEL,
            jumps_of(declarer.hook),
        )

    def _hook_edge(
        self, hook: Hook, source: NodeId, default: NodeId, position: HookPosition, jumps: Sequence[JumpTo]
    ) -> None:
        if not jumps:
            self.graph.add_edge(source, default)
            return
        if JumpTo.TOOL in jumps and self.plan.tools is None:
            raise GraphSpecError(
                f"hook {hook.get_name()!r} (node {source!r}) may jump to the tools, and agent "
                f"{self.plan.name!r} has none: there is no node {TOOL_NODE!r}",
                hint="give the agent a tool, or take tool out of can_jump_to",
                upstream=f"edge mapping for sourceId: {source} contains a not existent nodeId {TOOL_NODE}!",
            )
        allowed = self._allowed(source, default, position, jumps)
        mapping: dict[str, str] = {default: default}
        mapping.update((target, target) for target in allowed.values())
        labels: dict[str, str] = {}
        kinds: dict[str, EdgeKind] = {default: "conditional"}
        for jump, target in allowed.items():
            if target != default and jump in jumps:
                labels[target] = _joined(labels.get(target), f"jump {jump.value}")
                kinds[target] = "jump"
        self.graph.add_conditional_edges(
            source,
            HookRouter(
                hook.get_name(),
                source,
                default,
                self.places,
                allowed,
                skips=lambda jump: self.skipped(source, position, jump),
                one_shot=self.plan.fixed,
            ),
            mapping,
            labels=labels | {default: labels.get(default, "")},
            kinds=kinds,
            rules=[rule.word for rule in HOOK_RULES],
        )

    def _allowed(
        self, source: NodeId, default: NodeId, position: HookPosition, jumps: Sequence[JumpTo]
    ) -> dict[JumpTo, NodeId]:
        """Where each jump leads from `source`; a jump that is missing here fails the run."""
        model, leave = self.places.loop_entry, self.places.exit
        if self.plan.fixed and position is HookPosition.AFTER_AGENT:
            leave = END
        if self.plan.fixed and source == model and JumpTo.MODEL in jumps:
            model = MODEL_NODE
        allowed: dict[JumpTo, NodeId] = {}
        if JumpTo.END in jumps or leave == default:
            allowed[JumpTo.END] = leave
        if JumpTo.TOOL in jumps:
            allowed[JumpTo.TOOL] = TOOL_NODE
        if (JumpTo.MODEL in jumps and source != model) or model == default:
            allowed[JumpTo.MODEL] = model
        return allowed

    def _loop_exit_edge(self, source: NodeId) -> None:
        model, leave = self.places.loop_entry, self.places.exit
        self.graph.add_conditional_edges(
            source,
            RuleRouter(LOOP_EXIT_RULES, self.places, source, one_shot=self.plan.fixed),
            {TOOL_NODE: TOOL_NODE, leave: leave, model: model},
            labels={TOOL_NODE: "tool calls", leave: "done", model: "jump model"},
            kinds={model: "jump"},
            rules=[rule.word for rule in LOOP_EXIT_RULES],
        )

    def _tool_edge(self) -> None:
        model, leave = self.places.loop_entry, self.places.exit
        self.graph.add_conditional_edges(
            TOOL_NODE,
            RuleRouter(TOOL_RULES, self.places, TOOL_NODE, one_shot=self.plan.fixed),
            {model: model, leave: leave},
            labels={model: "again", leave: "return direct"},
            rules=[rule.word for rule in TOOL_RULES],
            never=[leave],
        )

    def skipped(self, source: NodeId, position: HookPosition, jump: JumpTo) -> tuple[NodeId, ...]:
        """Hooks that `jump`, taken after `source`, passes over."""
        chain = self.chains.ids(position)
        rest = chain[chain.index(source) + 1 :]
        if position is HookPosition.AFTER_AGENT and not self.plan.fixed:
            return ()
        if jump is JumpTo.MODEL or position not in (HookPosition.BEFORE_AGENT, HookPosition.BEFORE_MODEL):
            return tuple(rest)
        model = self.chains.ids(HookPosition.BEFORE_MODEL) if position is HookPosition.BEFORE_AGENT else []
        return (*rest, *model, *self.chains.ids(HookPosition.AFTER_MODEL))


_IN_ORDER_OF_NODES: tuple[tuple[HookPosition, NodeKind], ...] = (
    (HookPosition.BEFORE_AGENT, "before_agent"),
    (HookPosition.AFTER_AGENT, "after_agent"),
    (HookPosition.BEFORE_MODEL, "before_model"),
    (HookPosition.AFTER_MODEL, "after_model"),
)


def _rings(layers: Sequence[Any], kind: Any) -> tuple[Ring, ...]:
    return tuple(
        Ring(layer.interceptor.get_name(), kind, layer.brought_by, _source_of_ring(layer.interceptor, kind))
        for layer in layers
    )


def _source_of_ring(interceptor: Any, kind: str) -> SourcePlace | None:
    function = getattr(interceptor, "function", None)
    method = function or getattr(interceptor, "intercept_model" if kind == "model" else "intercept_tool_call")
    code = getattr(inspect.unwrap(method), "__code__", None)
    if code is None:
        return None
    return SourcePlace(code.co_filename, code.co_firstlineno, getattr(method, "__qualname__", code.co_name))


def _joined(old: str | None, new: str) -> str:
    return f"{old}, {new}" if old else new
