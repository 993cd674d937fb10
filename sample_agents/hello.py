"""The smallest run: one tool, one hook that prints, a system prompt. The model is scripted.

Run it alone with `python sample_agents/hello.py`, or step through it with
`hookstepper run sample_agents/hello.py`.
"""

from hookstepper.agent import ReactAgent, ScriptedModel, ToolCall, before_model, tool

SAMPLE_INPUT = "What is 6 times 7?"


@tool
def multiply(one: int, other: int) -> int:
    """Multiply two numbers."""
    return one * other


@before_model
def log(state):
    """Says how long the conversation is."""
    print(f"the model gets {len(state['messages'])} messages")


agent = ReactAgent(
    "hello",
    ScriptedModel([ToolCall("c1", "multiply", '{"one": 6, "other": 7}'), "It is 42."], per_turn=True),
    tools=[multiply],
    hooks=[log],
    system_prompt="You are good at sums.",
)

if __name__ == "__main__":
    print(agent.call(SAMPLE_INPUT).text)
