"""Why a `create_agent` graph went where it went: its routers' rules, told from the state they read.

Source of the rules and of their order: the routers that `langchain.agents.factory` compiles.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hookstepper.adapters.langgraph.describing import anchors_of
from hookstepper.adapters.langgraph.middleware import JUMP_WORDS, Hook, hook_of
from hookstepper.adapters.langgraph.names import node_id
from hookstepper.adapters.langgraph.scopes import Scope
from hookstepper.model.ids import NodeId
from hookstepper.model.record import Route, RuleSeen

ROUTER = "model_to_tools"
"""LangChain's name of the router at the loop exit of an agent with tools."""


@dataclass(frozen=True, slots=True)
class _Rule:
    word: str
    saw: str
    to: NodeId | None
    holds: bool
    why: str


def agent_route(
    scope: Scope, name: str, sent: Sequence[str], to: tuple[NodeId, ...], state: Mapping[str, object]
) -> Route:
    """The route from a node of an agent.

    Args:
        name: LangGraph's name of the node.
        sent: targets of its Sends.
        to: where the run went.
        state: state after the superstep; `jump_to` is in it for exactly this long.
    """
    shape = anchors_of(scope)
    hook = hook_of(scope, name, ())
    jump = state.get("jump_to")
    declared = JUMP_WORDS.get(str(jump), "") in (hook.jumps if hook else ())
    if node_id(name, scope.path) == shape.loop_exit and ROUTER in scope.branches.get(name, {}):
        return _exit_route(scope, to, state, declared=declared)
    if jump and declared:
        return Route(to, "jump_to", f"jump_to is {jump!r}")
    if sent:
        return Route(to, "send", f"{len(sent)} Send to {', '.join(dict.fromkeys(sent))}, one task each")
    if name == "tools" and to[0] != shape.loop_entry:
        return Route(to, "return_direct", "every tool that ran returns directly")
    ignored = f"; jump_to is {jump!r} and is ignored, {_why_ignored(hook, jump)}" if jump else ""
    return Route(to, "fixed", f"the next place in the chain is {to[0]}{ignored}")


def _why_ignored(hook: Hook | None, jump: object) -> str:
    if JUMP_WORDS.get(str(jump)):
        return "since the hook does not declare it"
    legal = ", ".join(hook.jumps) if hook and hook.jumps else "none"
    return f"since it is no jump; this hook may: {legal}"


def _exit_route(
    scope: Scope, to: tuple[NodeId, ...], state: Mapping[str, object], *, declared: bool
) -> Route:
    """What the router at the loop exit decided, with all its rules.

    The rules are read from the state after the superstep; where they do not explain the way that was
    taken, as with a router of another version, the way is told without them.
    """
    rules = _exit_rules(scope, state, declared=declared)
    fired = next(rule for rule in rules if rule.holds)
    if fired.to != to[0]:
        return Route(to, "conditional", f"the router chose {', '.join(to)}")
    without = next((rule.to for rule in rules[1:] if rule.holds), None)
    return Route(
        to,
        fired.word,
        fired.why,
        tuple(RuleSeen(rule.word, rule.saw, rule is fired, rule.to) for rule in rules),
        without if fired is rules[0] else None,
    )


def _exit_rules(scope: Scope, state: Mapping[str, object], *, declared: bool) -> tuple[_Rule, ...]:
    """The rules in the order in which they are read; the last one always holds."""
    shape = anchors_of(scope)
    message, answers = _last_answer(state)
    calls = list(getattr(message, "tool_calls", None) or ())
    answered = {getattr(answer, "tool_call_id", None) for answer in answers}
    pending = [call for call in calls if call.get("id") not in answered]
    structured = state.get("structured_response") is not None
    jump = state.get("jump_to")
    places = {"model": shape.loop_entry, "end": shape.exit, "tools": node_id("tools", scope.path)}
    obeyed = "" if declared else ", obeyed although undeclared: this router asks no declaration"
    are = "is" if len(pending) == 1 else "are"
    return (
        _Rule(
            "jump_to",
            str(jump or "unset"),
            places.get(str(jump)),
            bool(jump),
            f"jump_to is {jump!r}{obeyed}",
        ),
        _Rule(
            "no_messages",
            "no answer" if message is None else "an answer",
            shape.exit,
            message is None,
            "there is no answer of the model",
        ),
        _Rule(
            "no_tool_calls",
            _count(calls, "call"),
            shape.exit,
            not calls,
            "the last answer asks for no tool",
        ),
        _Rule(
            "tool_calls",
            f"{_count(pending, 'call')} without an answer",
            places["tools"],
            bool(pending),
            f"{_count(pending, 'tool call')} {are} pending, one task each",
        ),
        _Rule(
            "structured_response",
            "set" if structured else "unset",
            shape.exit,
            structured,
            "the answer in the wanted form is there",
        ),
        _Rule("answered", "otherwise", shape.loop_entry, True, "all tool calls are answered already"),
    )


def _last_answer(state: Mapping[str, object]) -> tuple[Any, list[Any]]:
    """The model's last message and the tool messages after it."""
    messages = state.get("messages")
    after: list[Any] = []
    for message in reversed(messages if isinstance(messages, list) else []):
        if getattr(message, "type", "") == "ai":
            return message, after
        if getattr(message, "type", "") == "tool":
            after.append(message)
    return None, []


def _count(items: Sequence[object], what: str) -> str:
    return f"{len(items)} {what}" if len(items) == 1 else f"{len(items)} {what}s"
