"""Limits, retries and fallbacks: LangChain's middleware for what goes on too long or goes wrong.

`agent` may use its tool twice a run: what is over the limit is refused in a message, and the run ends.
`brief` may call its model twice, and ends; `strict` raises instead. `patient` has a tool that fails twice and
is tried again, in a ring, so all attempts are one task. `spare` has a model that never answers, and another
one. Watch the rings: a second attempt passes the inner rings and the call once more.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import (
    ModelCallLimitMiddleware,
    ModelFallbackMiddleware,
    ToolCallLimitMiddleware,
    ToolRetryMiddleware,
)
from langchain_core.tools import tool
from langchain_scripted import ScriptedChat, call, calls

SAMPLE_INPUT = "Find the key."
TRIED: Counter[str] = Counter()
"""How often each drawer was opened in this process."""


@tool
def look_in(drawer: str) -> str:
    """Look into a drawer."""
    return f"nothing in the {drawer} drawer"


@tool
def open_stuck(drawer: str) -> str:
    """Open a drawer that gives way at the third pull, every time."""
    TRIED[drawer] += 1
    if TRIED[drawer] % 3:
        raise OSError(f"the {drawer} drawer is stuck")
    return f"the key was in the {drawer} drawer"


def endless() -> ScriptedChat:
    """Looks on and on."""
    return ScriptedChat(
        replies=[
            calls(call("look_in", "c1", drawer="left")),
            calls(call("look_in", "c2", drawer="right")),
            calls(call("look_in", "c3", drawer="secret")),
            calls(call("look_in", "c4", drawer="other")),
        ]
    )


agent = create_agent(
    endless(),
    [look_in],
    middleware=[ToolCallLimitMiddleware(tool_name="look_in", run_limit=2, exit_behavior="end")],
    name="limited",
)

brief = create_agent(
    endless(),
    [look_in],
    middleware=[ModelCallLimitMiddleware(run_limit=2, exit_behavior="end")],
    name="brief",
)

strict = create_agent(
    endless(), [look_in], middleware=[ModelCallLimitMiddleware(run_limit=2, exit_behavior="error")]
)

patient = create_agent(
    ScriptedChat(replies=[calls(call("open_stuck", "c1", drawer="old")), "Found it."]),
    [open_stuck],
    middleware=[ToolRetryMiddleware(max_retries=2, retry_on=(OSError,), initial_delay=0.0, jitter=False)],
    name="patient",
)


def silent(messages: list[Any]) -> str:
    """Never answers."""
    raise TimeoutError(f"no answer to {len(messages)} messages")


spare = create_agent(
    ScriptedChat(replies=[silent], model_name="silent"),
    [look_in],
    middleware=[
        ModelFallbackMiddleware(ScriptedChat(replies=["Have you looked in your pocket?"], model_name="spare"))
    ],
    name="spare",
)
