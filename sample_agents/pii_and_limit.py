"""Personal data is taken out before the model sees it, and a limit ends a loop.

The address in the question is redacted in the state; the model asks for the same tool again and again, and
after two model calls the limit hook jumps to the end. Look at jump_to afterwards: upstream never removes it.
"""

from hookstepper.agent import ModelCallLimitHook, PIIDetectionHook, ReactAgent, ScriptedModel, ToolCall, tool

SAMPLE_INPUT = "My server 10.1.2.3 is slow and I am ann@example.com. What is wrong?"


@tool
def look_up(host: str) -> str:
    """Ask the monitoring about a host."""
    return f"nothing is known about {host}"


agent = ReactAgent(
    "careful",
    ScriptedModel([], exhausted=ToolCall("c", "look_up", '{"host": "[REDACTED_IP]"}')),
    tools=[look_up],
    hooks=[PIIDetectionHook("IP"), PIIDetectionHook("EMAIL", "MASK"), ModelCallLimitHook(run_limit=2)],
)

if __name__ == "__main__":
    for message in agent.invoke(SAMPLE_INPUT)["messages"]:
        print(f"{message.role:10} {message.content}")
