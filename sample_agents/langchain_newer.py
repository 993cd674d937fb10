"""What LangChain has added or renamed since 1.0: needs a recent version.

`agent` asks about each tool call by itself, in the tool's own task: answer one, and the other waits.
`forgiving` tries a model again, and turns a tool's error into a message. `extended` writes to the state from
a ring around the model. `summing_up` replaces old messages by a summary of a second model. `searching` has
tools that look through this folder. `refusing` takes another model when the first one refuses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NotRequired

from langchain.agents import create_agent
from langchain.agents.middleware import (
    AgentMiddleware,
    AgentState,
    ExtendedModelResponse,
    FilesystemFileSearchMiddleware,
    HumanInTheLoopMiddleware,
    ModelFallbackMiddleware,
    ModelRefusalMiddleware,
    ModelRequest,
    ModelResponse,
    ModelRetryMiddleware,
    SummarizationMiddleware,
    ToolErrorMiddleware,
)
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.tools import tool
from langchain_scripted import ScriptedChat, call, calls
from langgraph.types import Command

SAMPLE_INPUT = "Water the plants."
PLANTS = 3
TRIED: Counter[int] = Counter()
"""How often a prompt of each length was sent in this process."""


@tool
def water(plant: str, litres: int) -> str:
    """Water a plant."""
    if litres > 9:
        raise ValueError(f"{litres} litres would drown the {plant}")
    return f"the {plant} got {litres} litres"


agent = create_agent(
    ScriptedChat(
        replies=[
            calls(
                call("water", "c1", plant="fern", litres=1),
                call("water", "c2", plant="cactus", litres=5),
            ),
            "All watered.",
        ]
    ),
    [water],
    middleware=[HumanInTheLoopMiddleware({"water": True}, interrupt_mode="per_call")],
    name="gardener",
)

# ------------------------------------------------------------------------------------ errors and retries


def hesitant(messages: list[BaseMessage]) -> AIMessage:
    """Answers at the second attempt, every time."""
    TRIED[len(messages)] += 1
    if TRIED[len(messages)] % 2:
        raise ConnectionError("the line is bad")
    return calls(call("water", "c1", plant="cactus", litres=10))


def told(error: Exception, request: Any) -> str | None:
    """What the model is told of an error; without a text the error would end the run."""
    return f"{request.tool_call['name']}: {error}" if isinstance(error, ValueError) else None


forgiving = create_agent(
    ScriptedChat(replies=[hesitant, "I will not water it."]),
    [water],
    middleware=[
        ModelRetryMiddleware(
            max_retries=1, retry_on=(ConnectionError,), on_failure="error", initial_delay=0.0, jitter=False
        ),
        ToolErrorMiddleware(told),
    ],
    name="forgiving",
)

# ------------------------------------------------------------------------------------ writing from a ring


class Counted(AgentState):
    """A state that knows how long the last prompt was."""

    prompt_length: NotRequired[int]


class Measure(AgentMiddleware[Counted]):
    """Measures each prompt: a ring may write to the state beside the model's messages."""

    state_schema = Counted

    def wrap_model_call(
        self, request: ModelRequest, handler: Callable[[ModelRequest], ModelResponse]
    ) -> ExtendedModelResponse:
        """Around each model call."""
        return ExtendedModelResponse(
            model_response=handler(request),
            command=Command(update={"prompt_length": len(request.messages)}),
        )


extended = create_agent(
    ScriptedChat(replies=[calls(call("water", "c1", plant="fern", litres=2)), "Done."]),
    [water],
    middleware=[Measure()],
    name="extended",
)

# ------------------------------------------------------------------------------------ summaries


def next_plant(messages: list[BaseMessage]) -> AIMessage | str:
    """Waters one plant after the other, by the last call that it sees: older ones may be summed up."""
    done = [one.tool_call_id for one in messages if isinstance(one, ToolMessage)]
    number = int(done[-1].removeprefix("plant ")) + 1 if done else 1
    if number > PLANTS:
        return "All watered."
    return calls(call("water", f"plant {number}", plant=f"fern {number}", litres=number))


def summary(messages: list[BaseMessage]) -> str:
    """What the second model makes of a conversation."""
    return f"Watered so far: {str(messages[-1].content).count('got')}."


summing_up = create_agent(
    ScriptedChat(replies=[next_plant]),
    [water],
    middleware=[
        SummarizationMiddleware(
            model=ScriptedChat(replies=[summary], model_name="shortener"),
            trigger=("messages", 5),
            keep=("messages", 2),
        )
    ],
    name="summing_up",
)

# ------------------------------------------------------------------------------------ tools of middleware

searching = create_agent(
    ScriptedChat(
        replies=[
            calls(
                call("glob_search", "c1", pattern="langchain_j*.py"),
                call("grep_search", "c2", pattern="def sign", include="*.py"),
            ),
            "That is where it is.",
        ]
    ),
    middleware=[
        FilesystemFileSearchMiddleware(root_path=str(Path(__file__).parent), use_ripgrep=False),
    ],
    name="searching",
)

# ------------------------------------------------------------------------------------ refusals

refusing = create_agent(
    ScriptedChat(
        replies=[AIMessage(content=[{"type": "refusal", "refusal": "I do not talk to plants."}])],
        model_name="proud",
    ),
    middleware=[
        ModelFallbackMiddleware(ScriptedChat(replies=["Hello, fern."], model_name="humble")),
        ModelRefusalMiddleware(),
    ],
    name="refusing",
)
