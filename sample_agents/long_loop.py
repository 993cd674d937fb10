"""A hundred turns: the model asks for the next number until it has a hundred.

Three steps a turn, some three hundred in all: more than anybody steps through. Use it to search, to set
marks, to break at the fiftieth visit of a node, to run to a node, and to jump about in the timeline.
The picture folds what repeats; State still shows each turn's own change. Going back costs the same from
step 10 as from step 300.
"""

from hookstepper.agent import AgentHook, AssistantMessage, ReactAgent, ScriptedModel, ToolCall, tool

TURNS = 100
SAMPLE_INPUT = f"Count to {TURNS}."


@tool
def following(number: int) -> int:
    """The number that follows."""
    return number + 1


class Total(AgentHook):
    """Notes at the end how many messages there are."""

    def after_agent(self, state):
        return {"total": len(state["messages"])}


def reply(prompt):
    """The next call, or the end: counted from the answers so far, so that a fork goes on correctly."""
    done = sum(isinstance(message, AssistantMessage) for message in prompt.messages)
    if done == TURNS:
        return f"I have counted to {TURNS}."
    return ToolCall(f"c{done + 1}", "following", f'{{"number": {done}}}')


agent = ReactAgent("counter", ScriptedModel([reply] * (TURNS + 1)), tools=[following], hooks=[Total()])

if __name__ == "__main__":
    print(agent.call(SAMPLE_INPUT).text)
