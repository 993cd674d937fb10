"""Random agents for laws: hooks of all kinds at all positions, with jumps, orders, tools and scripts."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from hookstepper.agent import (
    MARK_FOR_REMOVAL,
    AgentCommand,
    MessagesModelHook,
    ReactAgent,
    UpdatePolicy,
    UserMessage,
)
from support.agent_kit import AA, AM, BA, BM, Noting, agent, asks, call, hook

JUMPS = st.sampled_from([None, "model", "tool", "end", "END", "nonsense", MARK_FOR_REMOVAL])
POSITIONS = st.sampled_from([(BM,), (AM,), (BM, AM), (BA,), (AA,), (BA, AA)])


@st.composite
def hooks(draw: Any) -> list[Any]:
    """Descriptions of hooks, from which two equal lists of hooks can be made."""
    made = []
    for name in draw(st.lists(st.sampled_from("ABCD"), max_size=4, unique=True)):
        positions = draw(POSITIONS)
        gives = {}
        for position in positions:
            rows = draw(st.lists(st.tuples(JUMPS, st.sampled_from(["", "note", "add", "both"])), max_size=3))
            gives[position] = rows
        messages = draw(st.booleans()) and positions[0] in (BM, AM)
        jumps = draw(st.sets(st.sampled_from(["model", "end", "tool"])))
        made.append((name, positions, sorted(jumps), draw(st.sampled_from([0, 0, 1, -1])), gives, messages))
    return made


def made_from(rows: Any, tools: bool) -> list[Any]:
    hooks_made = []
    for name, positions, jumps, order, gives, messages in rows:
        base = MessagesModelHook if messages else None
        kept = [jump for jump in jumps if tools or jump != "tool"]
        updates = {p: [_update(name, row, messages) for row in visits] for p, visits in gives.items()}
        hooks_made.append(hook(name, [], *positions, base=base, jumps=kept, order=order, gives=updates))
    return hooks_made


def _update(name: str, row: Any, messages: bool) -> Any:
    jump, kind = row
    extra = [UserMessage(f"{name} adds")] if kind in ("add", "both") else []
    if messages:
        word = jump if isinstance(jump, str) and jump != "nonsense" else None
        return AgentCommand(extra or None, word, UpdatePolicy.APPEND)
    update: dict[str, Any] = {"messages": extra} if extra else {}
    if jump is not None:
        update["jump_to"] = jump
    if kind in ("note", "both"):
        update[f"note_{name}"] = [kind]
    return update


SCRIPT = st.lists(
    st.sampled_from(["text", [("1", "t")], [("1", "t"), ("2", "u")], [("3", "zz")]]), min_size=1, max_size=4
)


def script_of(rows: Any) -> list[Any]:
    return [row if isinstance(row, str) else asks(*(call(*c) for c in row)) for row in rows]


def build(rows: Any, script: Any, tools: bool, **options: Any) -> ReactAgent:
    """The agent of a description; each call makes an equal one of its own."""
    noting = [Noting("t", "r"), Noting("u", ValueError("boom"))] if tools else []
    return agent(script_of(script), hooks=made_from(rows, tools), tools=noting, **options)
