"""What middleware does to the messages: hides, clears, and keeps a list beside them.

`agent` hides addresses on the way in and in the answer, and masks card numbers. `blocking` refuses to go on
when it sees one. `clearing` empties old tool results, for the model call only: the state keeps them.
`planning` gives the model a tool that writes a todo list into the state. For summaries see
`langchain_newer.py`.
"""

from __future__ import annotations

from langchain.agents import create_agent
from langchain.agents.middleware import (
    ClearToolUsesEdit,
    ContextEditingMiddleware,
    PIIMiddleware,
    TodoListMiddleware,
)
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.tools import tool
from langchain_scripted import ScriptedChat, call, calls

SAMPLE_INPUT = "Write to ada@example.org, and charge 4111 1111 1111 1111."


@tool
def read_page(number: int) -> str:
    """Read a page of the file."""
    return f"page {number}: " + "so it goes on " * 30


@tool
def send(to: str) -> str:
    """Send a letter."""
    return f"sent to {to}, copy to archive@example.org"


agent = create_agent(
    ScriptedChat(
        replies=[calls(call("send", "c1", to="the customer")), "It went to archive@example.org as well."]
    ),
    [send],
    middleware=[
        PIIMiddleware("email", strategy="redact", apply_to_output=True, apply_to_tool_results=True),
        PIIMiddleware("credit_card", strategy="mask"),
        PIIMiddleware("invoice", detector=r"INV-\d+", strategy="hash"),
    ],
    name="discreet",
)

blocking = create_agent(
    ScriptedChat(replies=["never said"]),
    [send],
    middleware=[PIIMiddleware("email", strategy="block")],
    name="blocking",
)


PAGES = 3


def reads(messages: list[BaseMessage]) -> AIMessage | str:
    """Reads page after page, by the last one that it sees: middleware may have taken older ones away."""
    seen = [one.tool_call_id for one in messages if isinstance(one, ToolMessage)]
    page = int(seen[-1].removeprefix("page ")) + 1 if seen else 1
    if page > PAGES:
        return "I have read it."
    return calls(call("read_page", f"page {page}", number=page))


clearing = create_agent(
    ScriptedChat(replies=[reads]),
    [read_page],
    middleware=[ContextEditingMiddleware(edits=[ClearToolUsesEdit(trigger=150, keep=1)])],
    name="clearing",
)

planning = create_agent(
    ScriptedChat(
        replies=[
            calls(call("write_todos", "t1", todos=[{"content": "send the letter", "status": "in_progress"}])),
            calls(call("send", "c1", to="Ada")),
            calls(call("write_todos", "t2", todos=[{"content": "send the letter", "status": "completed"}])),
            "Done.",
        ]
    ),
    [send],
    middleware=[TodoListMiddleware()],
    name="planning",
)
