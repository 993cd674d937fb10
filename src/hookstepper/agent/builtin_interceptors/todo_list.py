"""Gives the model a list of things to do, kept in the state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hookstepper.agent.interceptors import ModelRequest
from hookstepper.agent.stepwise import RequestInterceptor
from hookstepper.agent.tools import Tool, ToolContext

GUIDANCE = (
    "For work of several steps, keep a list with write_todos: write all steps first, mark one as in_progress "
    "before you begin it and as completed as soon as it is done. Do not keep a list for a single step."
)
STATUSES = ("pending", "in_progress", "completed")
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "todos": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "content": {"type": "string", "description": "the step"},
                    "status": {"enum": list(STATUSES)},
                    "activeForm": {"type": "string", "description": "the step, as it reads while it is done"},
                },
                "required": ["content", "status"],
            },
        }
    },
    "required": ["todos"],
}


class TodoListInterceptor(RequestInterceptor):
    """Brings the tool `write_todos`, which writes the state key `todos`, and tells how to use it."""

    name = "TodoList"

    def __init__(self, guidance: str = GUIDANCE) -> None:
        self.guidance = guidance

    def changed(self, request: ModelRequest) -> ModelRequest:
        """The guidance behind the system message."""
        return request.with_system_text(self.guidance)

    def tools(self) -> Sequence[Tool]:
        """The one tool."""
        return (
            Tool(
                "write_todos",
                write_todos,
                "Replace the list of things to do.",
                SCHEMA,
                context_parameter="context",
            ),
        )


def write_todos(todos: list[dict[str, Any]], context: ToolContext) -> dict[str, object]:
    """Put the list into the state.

    Raises:
        ValueError: an entry has no content, or its status is none.
    """
    made = []
    for at, todo in enumerate(todos):
        content, status = str(todo.get("content") or "").strip(), todo.get("status", "pending")
        if not content:
            raise ValueError(f"todo {at + 1} has no content")
        if status not in STATUSES:
            raise ValueError(f"todo {at + 1}: status {status!r} is none of {', '.join(STATUSES)}")
        active = str(todo.get("activeForm") or "").strip() or content
        made.append({"content": content, "status": status, "activeForm": active})
    context.update["todos"] = made
    return {"success": True, "message": "The list is kept.", "todoCount": len(made)}
