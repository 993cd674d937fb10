"""The routing rules of an agent graph, in one table: routers, explanations and documentation read it.

Source: Spring AI Alibaba 1.1.2, ReactAgent.addHookEdge, makeModelToTools, makeToolsToModelEdge. What the
upstream rules do not have (return-direct after the tool node, a check for endless loops) is not here either.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from hookstepper.agent.hooks import JumpTo
from hookstepper.agent.messages import AssistantMessage, Message, ToolResponseMessage, messages_of
from hookstepper.model.ids import NodeId
from hookstepper.model.record import Route, RuleSeen

JUMP_KEY = "jump_to"
"""State key that carries a jump; an ordinary key, kept in checkpoints."""


class RoutingError(RuntimeError):
    """A router cannot decide. `upstream` is what the Java program says in its place."""

    def __init__(self, message: str, *, upstream: str = "") -> None:
        super().__init__(message)
        self.upstream = upstream


class JumpNotAllowedError(RoutingError):
    """A hook's edge read a jump that leads nowhere from there."""


@dataclass(frozen=True, slots=True)
class Places:
    """The nodes that jumps lead to."""

    loop_entry: NodeId
    exit: NodeId
    tool: NodeId | None
    """None if the agent has no tools."""

    def of(self, jump: JumpTo) -> NodeId | None:
        """The node that `jump` means."""
        return {JumpTo.MODEL: self.loop_entry, JumpTo.TOOL: self.tool, JumpTo.END: self.exit}[jump]


@dataclass(frozen=True, slots=True)
class View:
    """What a router looks at."""

    messages: Sequence[Message]
    raw_jump: object
    places: Places
    allowed: Mapping[JumpTo, NodeId]
    """Jumps that this edge can take, and where to; all of them at the loop exit."""
    default: NodeId

    @property
    def jump(self) -> JumpTo | None:
        """The jump in the state, None if there is none or it is no jump."""
        return JumpTo.or_none(self.raw_jump)


@dataclass(frozen=True, slots=True)
class Seen:
    """What a rule saw, and where it sends the run; `to` is None if it does not fire."""

    saw: str
    to: NodeId | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of a router."""

    word: str
    """Stable word, as in `RuleSeen.rule`."""
    says: str
    """The rule in one English sentence, for documentation."""
    look: Callable[[View], Seen]
    leads: Callable[[View], NodeId | None]
    """Where it leads whenever it fires; None if that depends on the value."""


# ---------------------------------------------------------------------------------- the single rules


def _jump_anywhere(view: View) -> Seen:
    jump = view.jump
    if jump is None:
        return Seen(_jump_text(view.raw_jump))
    to = view.places.of(jump)
    return Seen(jump.value, to, f"jump_to is {jump.value}, and the loop exit obeys any hook's jump")


def _no_messages(view: View) -> Seen:
    count = len(view.messages)
    if count:
        return Seen(f"{count} message{'s' if count != 1 else ''}")
    return Seen("0 messages", view.places.exit, "the state holds no messages")


def _tool_calls(view: View) -> Seen:
    last = view.messages[-1]
    if not isinstance(last, AssistantMessage):
        return Seen(f"last is {last.role}")
    if not last.tool_calls:
        return Seen("no calls")
    ids = ", ".join(call.id or call.name for call in last.tool_calls)
    names = ", ".join(call.name for call in last.tool_calls)
    return Seen(
        ids, view.places.tool, f"the model asks for {_count(len(last.tool_calls), 'tool call')}: {names}"
    )


def _no_tool_calls(view: View) -> Seen:
    last = view.messages[-1]
    if isinstance(last, AssistantMessage) and not last.tool_calls:
        return Seen("no calls", view.places.exit, "the model answered without a tool call")
    return Seen(f"last is {last.role}")


def _open_calls(view: View) -> list[str] | None:
    """Ids without an answer, if the last message answers tool calls; None if this is not such a state."""
    last = view.messages[-1]
    if not isinstance(last, ToolResponseMessage):
        return None
    if len(view.messages) < 2:
        raise RoutingError(
            "the last message is a tool response and there is no message before it",
            upstream="Less than 2 messages in state when last message is ToolResponseMessage",
        )
    before = view.messages[-2]
    if not isinstance(before, AssistantMessage) or not before.tool_calls:
        return None
    answered = {response.id for response in last.responses}
    return [call.id for call in before.tool_calls if call.id not in answered]


def _answered(view: View) -> Seen:
    open_calls = _open_calls(view)
    if open_calls is None:
        return Seen("no answered request")
    if open_calls:
        return Seen(f"{', '.join(open_calls)} open")
    return Seen("all answered", view.places.loop_entry, "every requested tool call has its response")


def _partly_answered(view: View) -> Seen:
    open_calls = _open_calls(view)
    if not open_calls:
        return Seen("none open" if open_calls is not None else "no answered request")
    ids = ", ".join(open_calls)
    return Seen(
        f"{ids} open", view.places.tool, f"{_count(len(open_calls), 'call')} without a response: {ids}"
    )


def _anything_else(view: View) -> Seen:
    last = view.messages[-1] if view.messages else None
    saw = f"last is {last.role}" if last is not None else ""
    return Seen(saw, view.places.exit, f"nothing else applies ({saw})")


def _declared_jump(view: View) -> Seen:
    jump = view.jump
    if jump is None:
        return Seen(_jump_text(view.raw_jump))
    to = view.allowed.get(jump)
    if to is None:
        raise JumpNotAllowedError(f"jump_to is {jump.value!r}, which leads nowhere from here")
    return Seen(jump.value, to, f"jump_to is {jump.value}, which this edge takes")


def _default(view: View) -> Seen:
    if view.jump is not None:
        return Seen("", view.default)
    if view.raw_jump is None:
        return Seen("", view.default, "no jump is set")
    words = ", ".join(jump.value for jump in JumpTo)
    why = f"jump_to is {_jump_text(view.raw_jump)}, and is taken as none: {words} are jumps"
    return Seen("", view.default, why)


def _again(view: View) -> Seen:
    return Seen("", view.places.loop_entry, "after its tools the agent always goes back to the loop entry")


# -------------------------------------------------------------------------------------- the routers

LOOP_EXIT_RULES: tuple[Rule, ...] = (
    Rule(
        "jump_to",
        "a valid jump_to decides, whoever set it: model, tool or end",
        _jump_anywhere,
        lambda view: None,  # noqa: ARG005
    ),
    Rule("no_messages", "no messages: the exit", _no_messages, lambda view: view.places.exit),
    Rule(
        "tool_calls", "an assistant message with tool calls: the tools", _tool_calls, lambda v: v.places.tool
    ),
    Rule("no_tool_calls", "an assistant message without: the exit", _no_tool_calls, lambda v: v.places.exit),
    Rule(
        "answered",
        "a tool response to every requested call: the loop entry",
        _answered,
        lambda view: view.places.loop_entry,
    ),
    Rule(
        "partly_answered",
        "some calls without a response: the tools",
        _partly_answered,
        lambda v: v.places.tool,
    ),
    Rule("otherwise", "anything else: the exit", _anything_else, lambda view: view.places.exit),
)
"""Read in this order at the loop exit of an agent with tools."""

HOOK_RULES: tuple[Rule, ...] = (
    Rule("declared_jump", "a jump_to that this hook declares", _declared_jump, lambda view: None),  # noqa: ARG005
    Rule("default", "else the next node", _default, lambda view: view.default),
)
"""Read after a hook that declares jumps; without a declaration jump_to is not looked at."""

TOOL_RULES: tuple[Rule, ...] = (
    Rule("default", "always the loop entry", _again, lambda view: view.places.loop_entry),
)
"""Read after the tool node. Its way to the exit exists in the graph and is never taken."""


def decide(rules: Sequence[Rule], view: View) -> Route:
    """The way that the first rule to fire names, with what every rule saw on the way there.

    Raises:
        RoutingError: a rule cannot make sense of the state.
    """
    rows: list[RuleSeen] = []
    fired: tuple[Rule, Seen] | None = None
    for rule in rules:
        if fired is not None:
            rows.append(RuleSeen(rule.word, "", False, rule.leads(view)))
            continue
        seen = rule.look(view)
        rows.append(RuleSeen(rule.word, seen.saw, seen.to is not None, seen.to or rule.leads(view)))
        if seen.to is not None:
            fired = rule, seen
    if fired is None:
        raise RoutingError("no rule of this router fires")
    rule, seen = fired
    to = seen.to
    assert to is not None
    return Route((to,), rule.word, seen.why, tuple(rows), _without(rules, rule, view))


def _without(rules: Sequence[Rule], fired: Rule, view: View) -> NodeId | None:
    """Where the rules after `fired` would have sent the run; None if there are none, or they cannot say."""
    for rule in rules[rules.index(fired) + 1 :]:
        try:
            seen = rule.look(view)
        except (RoutingError, IndexError):
            return None
        if seen.to is not None:
            return seen.to
    return None


def view_of(
    state: Mapping[str, object], places: Places, *, allowed: Mapping[JumpTo, NodeId], default: NodeId
) -> View:
    """What a router looks at in `state`."""
    return View(messages_of(state), state.get(JUMP_KEY), places, allowed, default)


def _jump_text(raw: object) -> str:
    if raw is None:
        return "not set"
    text = repr(raw) if isinstance(raw, (str, int, float, bool)) else type(raw).__name__
    return f"{text[:40]}, no jump"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' if number != 1 else ''}"
