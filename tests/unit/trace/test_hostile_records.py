"""A record of anything: whatever stands in states and messages, every question has an answer."""

from __future__ import annotations

import os
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from hookstepper.model.ids import Json
from hookstepper.trace.compare import compare
from support.trace_events import GRAPH, Script, tool_call

TAGS = ["msg", "tuple", "map", "obj", "enum", "cut", "int", "float", "timedelta", "redacted", "ref", "odd"]
FIELDS = ["v", "role", "content", "tool_calls", "responses", "id", "tool_call_id", "name", "args", "of"]
anything: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=4)
        | st.fixed_dictionaries({"$": st.sampled_from(TAGS)}, optional=dict.fromkeys(FIELDS, inner))
    ),
    max_leaves=12,
)
updates: Any = st.dictionaries(st.sampled_from(["messages", "jump_to", "n"]), anything, max_size=3)
steps: Any = st.lists(
    st.tuples(st.sampled_from([node.id for node in GRAPH.nodes]), updates, st.lists(anything, max_size=2)),
    max_size=8,
)


@settings(max_examples=1_500 if os.environ.get("HOOKSTEPPER_THOROUGH") else 100, deadline=None)
@given(updates, steps)
def test_every_question_has_an_answer(first: dict[str, Json], run: Any) -> None:
    script = Script().start(first)
    for node, update, added in run:
        state = script.now[script.branch]
        assert isinstance(state, dict)
        old = state.get("messages")
        messages = [*(old if isinstance(old, list) else []), *added]
        calls = tuple(tool_call("c", "f", item, item) for item in added)
        script.step(node, {**update, "messages": messages} if added else update, calls=calls)
    trace = script.trace

    for index in range(-1, trace.last + 2):
        trace.marks(index)
        trace.state(index)
        trace.jump(min(index, trace.last))
    trace.calls()
    trace.search("a")
    for ring in ("model", "agent", "tool"):
        trace.onion(1, ring)
    for key in ("messages", "n"):
        trace.write((key, 0), trace.last)
    assert compare(trace, trace).equal
    assert trace.misfits == ()
