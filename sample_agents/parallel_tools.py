"""Three async tools that run at the same time; the slowest one gives up after its own timeout.

The model asks for three things in one message, and the tool node runs the calls side by side, at most two at
once if you set max_parallel_tools. The responses stand in the order of the calls, not in that of their ends.
What took too long is a result too: the model reads that it was given up. Open Calls to see which ran when.
"""

import asyncio

from hookstepper.agent import ReactAgent, ScriptedModel, ToolCall, ToolContext, tool

SAMPLE_INPUT = "Ask all three stations."


@tool
async def near(context: ToolContext) -> str:
    """The near station."""
    await asyncio.sleep(0.02)
    context.update["heard"] = "near"
    return "sunny"


@tool
async def far() -> str:
    """The far station."""
    await asyncio.sleep(0.05)
    return "rain"


@tool(timeout=0.1)
async def broken() -> str:
    """The station that never answers."""
    await asyncio.sleep(60)
    return "never"


agent = ReactAgent(
    "stations",
    ScriptedModel(
        [[ToolCall("c1", "broken"), ToolCall("c2", "far"), ToolCall("c3", "near")], "Two of three answered."],
        per_turn=True,
    ),
    tools=[near, far, broken],
    parallel_tool_execution=True,
)

if __name__ == "__main__":
    state = asyncio.run(agent.ainvoke(SAMPLE_INPUT))
    for response in state["messages"][2].responses:
        print(f"{response.name}: {response.data}")
