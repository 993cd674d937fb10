"""A small agent for tests: one tool that needs approval, two model turns."""

from __future__ import annotations

from hookstepper.agent import HumanInTheLoopHook, ReactAgent, ScriptedModel, ToolCall, ToolContext, tool


@tool
def write_file(path: str, text: str, context: ToolContext) -> str:
    """Write a text file."""
    context.update["written"] = [[path, text]]
    return f"{len(text)} bytes"


agent = ReactAgent(
    name="writer",
    model=ScriptedModel([ToolCall("c1", "write_file", '{"path": "a.txt", "text": "sunny"}'), "Done."]),
    tools=[write_file],
    hooks=[HumanInTheLoopHook({"write_file": "writes to the disk"})],
)
