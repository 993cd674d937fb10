"""A flow of agents: a researcher and a critic side by side, then a writer with an agent as a tool.

Each agent is a graph inside the graph: step into one with s, out of it with f. The two that run side by side
are two tasks of one superstep; what they wrote meets in the aggregator. The translator is an agent that
the writer calls as a tool: it runs on a thread of its own, and its steps stand inside of the tool node.
Names of nested places are paths: writer:_AGENT_MODEL_ is the model of the writer.
"""

from hookstepper.agent import ParallelAgent, ReactAgent, ScriptedModel, SequentialAgent, ToolCall, tool

SAMPLE_INPUT = "Write a line about tea."


@tool
def search(words: str) -> str:
    """Search the library."""
    return f"3 books about {words}"


researcher = ReactAgent(
    "researcher",
    ScriptedModel([ToolCall("r1", "search", '{"words": "tea"}'), "Tea is old."], per_turn=True),
    tools=[search],
    output_key="facts",
)
critic = ReactAgent("critic", ScriptedModel(["Keep it short."], per_turn=True), output_key="advice")
translator = ReactAgent(
    "translator", ScriptedModel(["Le thé est ancien."], per_turn=True), description="translates into French"
)
writer = ReactAgent(
    "writer",
    ScriptedModel(
        [
            "never used: the two before have answered already",
            "never used either",
            ToolCall("w1", "translator", '{"input": "Tea is old."}'),
            "Tea is old. Le thé est ancien.",
        ]
    ),
    tools=[translator],
)

agent = SequentialAgent(
    "team",
    [ParallelAgent("study", [researcher, critic], merge="concat", merge_output_key="notes"), writer],
    sample_input=SAMPLE_INPUT,
)

if __name__ == "__main__":
    print(agent.call(SAMPLE_INPUT).text)
