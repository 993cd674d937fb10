"""Two ways to end a run before the model has had the last word.

`direct` has a tool whose result is the answer as it is: ReturnDirectModelHook sees it before the next model
call and jumps to the end. `limited` has a ToolCallLimitHook for one tool: the message that goes over the
limit still runs whole, then the hook puts its own message there and jumps. Look at Route of the two hooks;
upstream, return_direct does nothing without the hook, with fixed rules the agent has it of itself.
"""

from hookstepper.agent import (
    AssistantMessage,
    ReactAgent,
    ReturnDirectModelHook,
    ScriptedModel,
    ToolCall,
    ToolCallLimitHook,
    tool,
)

SAMPLE_INPUT = "What does the ticket to Ghent cost?"


@tool
def search(what: str) -> str:
    """Search the timetable."""
    return f"{what}: platform 4"


@tool(return_direct=True)
def quote(to: str) -> str:
    """Give the price that the customer is shown."""
    return f"{to}: 12.40 EUR, today only"


SEARCHES = [
    ToolCall("c1", "search", '{"what": "Ghent"}'),
    AssistantMessage(
        None,
        (
            ToolCall("c2", "search", '{"what": "Ghent at noon"}'),
            ToolCall("c3", "search", '{"what": "Ghent at one"}'),
        ),
    ),
]
direct = ReactAgent(
    "direct",
    ScriptedModel([*SEARCHES, ToolCall("c4", "quote", '{"to": "Ghent"}'), "never said"], per_turn=True),
    tools=[search, quote],
    hooks=[ReturnDirectModelHook()],
)
limited = ReactAgent(
    "limited",
    ScriptedModel([*SEARCHES, "never said"], per_turn=True),
    tools=[search, quote],
    hooks=[ToolCallLimitHook("search", run_limit=2)],
)
agent = direct

if __name__ == "__main__":
    print(direct.call(SAMPLE_INPUT).text)
    print(limited.call(SAMPLE_INPUT).text)
