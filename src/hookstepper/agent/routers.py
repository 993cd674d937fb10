"""The routers of an agent graph: they read the rules of `agent.routing` and explain themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hookstepper.agent.hooks import JumpTo
from hookstepper.agent.routing import (
    HOOK_RULES,
    JUMP_KEY,
    TOOL_RULES,
    JumpNotAllowedError,
    Places,
    Rule,
    View,
    decide,
    view_of,
)
from hookstepper.agent.tool_node import TOOL_NODE
from hookstepper.engine.actions import Decision
from hookstepper.engine.strategies import MARK_FOR_REMOVAL
from hookstepper.model.ids import NodeId


class RuleRouter:
    """A router that decides by rules.

    Args:
        source: the node behind which it stands.
        one_shot: whether it takes out the jump that it has read, valid or not.
    """

    def __init__(self, rules: Sequence[Rule], places: Places, source: NodeId, *, one_shot: bool) -> None:
        self.rules = rules
        self.places = places
        self.source = source
        self.one_shot = one_shot and rules is not TOOL_RULES

    def __call__(self, state: Mapping[str, Any], config: Any) -> Decision:  # noqa: ARG002
        """Where to go, and why."""
        return self._decide(view_of(state, self.places, allowed={}, default=self.source))

    def _decide(self, view: View) -> Decision:
        route = decide(self.rules, view)
        cleared = self.one_shot and view.raw_jump is not None
        return Decision(
            route.to[0],
            route.rule,
            route.why,
            route.rules,
            route.otherwise,
            self._skipped(view, route.rule),
            {JUMP_KEY: MARK_FOR_REMOVAL} if cleared else None,
        )

    def _skipped(self, view: View, rule: str) -> tuple[NodeId, ...]:  # noqa: ARG002
        return ()


class HookRouter(RuleRouter):
    """The router behind a hook that declares jumps.

    Args:
        hook: its name, for errors.
        allowed: where each jump leads that the edge takes.
        skips: the hooks that a jump passes over.
    """

    def __init__(
        self,
        hook: str,
        source: NodeId,
        default: NodeId,
        places: Places,
        allowed: Mapping[JumpTo, NodeId],
        *,
        skips: Callable[[JumpTo], tuple[NodeId, ...]],
        one_shot: bool,
    ) -> None:
        super().__init__(HOOK_RULES, places, source, one_shot=one_shot)
        self.hook = hook
        self.default = default
        self.allowed = allowed
        self.skips = skips

    def __call__(self, state: Mapping[str, Any], config: Any) -> Decision:  # noqa: ARG002
        """Where to go, and why.

        Raises:
            JumpNotAllowedError: the state holds a jump that this edge does not take.
        """
        view = view_of(state, self.places, allowed=self.allowed, default=self.default)
        try:
            return self._decide(view)
        except JumpNotAllowedError:
            raise self._refusal(view) from None

    def _refusal(self, view: View) -> JumpNotAllowedError:
        jump = view.jump
        assert jump is not None
        takes = ", ".join(other.value for other in self.allowed) or "no jump"
        target = self.places.of(jump) or TOOL_NODE
        return JumpNotAllowedError(
            f"after hook {self.hook!r} (node {self.source!r}) jump_to is {jump.value!r}, "
            f"which leads nowhere from here: this edge takes {takes}; "
            "an earlier hook may have left it, since nothing removes jump_to",
            upstream=f"cannot find edge mapping for id: '{self.source}' in conditional edge "
            f"with sourceId: '{target}' ",
        )

    def _skipped(self, view: View, rule: str) -> tuple[NodeId, ...]:
        if rule != "declared_jump" or view.jump is None or self.allowed.get(view.jump) == self.default:
            return ()
        return self.skips(view.jump)
