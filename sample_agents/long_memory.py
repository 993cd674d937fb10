"""What keeps a long conversation short: a summary of it, and a shorter request.

SummarizationHook stands before the model and changes the state: old messages give way to a summary, the
first question and the newest messages stay. ContextEditingInterceptor is a ring around the model and changes
the request only: old results are cleared there and still stand in the state. Compare Messages (the state)
with Model call (the request): the ring works at the third turn, the hook at the fourth.
"""

from hookstepper.agent import (
    AssistantMessage,
    ChatModel,
    ChatReply,
    ContextEditingInterceptor,
    ReactAgent,
    ScriptedModel,
    SummarizationHook,
    ToolCall,
    tool,
)

SAMPLE_INPUT = "Read the three chapters and tell me what they have in common."
CHAPTERS = {1: "sea", 2: "river", 3: "lake"}


@tool
def read(chapter: int) -> str:
    """Read a chapter."""
    return f"Chapter {chapter} is about a {CHAPTERS[chapter]}. " * 8


class Reader(ChatModel):
    """Reads the next chapter of which neither the messages nor the summary tell."""

    def call(self, prompt):
        known = repr(prompt.messages)
        for chapter in CHAPTERS:
            if f"c{chapter}" not in known:
                call = ToolCall(f"c{chapter}", "read", f'{{"chapter": {chapter}}}')
                return ChatReply(AssistantMessage(None, (call,)))
        return ChatReply(AssistantMessage("All three are about water."))


agent = ReactAgent(
    "reader",
    Reader(),
    tools=[read],
    hooks=[
        SummarizationHook(
            ScriptedModel(["Read so far: c1 about a sea, c2 about a river."]),
            max_tokens_before_summary=150,
            messages_to_keep=2,
        )
    ],
    interceptors=[ContextEditingInterceptor(trigger=100, clear_at_least=50, keep=2)],
    instruction="Read one chapter at a time.",
)

if __name__ == "__main__":
    for message in agent.invoke(SAMPLE_INPUT)["messages"]:
        print(f"{message.role:10} {message.content[:100]}")
