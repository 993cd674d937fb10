"""Looks up the weather and writes it to a file: the run that every view of hookstepper is explained with.

Five hooks in this order: Audit (around the run), Log (around each model call), HITL (a person approves
write_file), Edit and Safety (after the model; the one registered last sees the raw answer first).
The model is scripted: three turns, the same each time. write_file really writes, into the folder REPORTS,
which is a new temporary one unless the environment names another.
"""

import os
import tempfile
from pathlib import Path

from hookstepper.agent import (
    APPEND,
    AgentHook,
    AssistantMessage,
    HookPosition,
    HumanInTheLoopHook,
    ModelHook,
    ReactAgent,
    ReplaceAllWith,
    ScriptedModel,
    ToolCall,
    hook_positions,
    tool,
)

REPORTS = Path(os.environ.get("HOOKSTEPPER_REPORTS") or tempfile.mkdtemp(prefix="hookstepper-"))
SAMPLE_INPUT = "Look up the weather in Beijing and write it to report.txt"
COMMANDS = ("rm ", "sudo ", "curl ")
REPORT = {"Beijing": "sunny, 25 °C"}


class Audit(AgentHook):
    """Starts the count of turns, and notes at the end how many there were."""

    def before_agent(self, state):  # noqa: ARG002
        return {"turn": 0}

    def after_agent(self, state):
        return {"log": [f"the run took {state.get('turn', 0)} turns"]}

    def key_strategies(self):
        return {"log": APPEND}


class Log(ModelHook):
    """Counts the turns and logs what the model wants."""

    def before_model(self, state):
        return {"turn": state.get("turn", 0) + 1}

    def after_model(self, state):
        wants = ", ".join(call.name for call in last_answer(state).tool_calls) or "to answer"
        return {"log": [f"turn {state.get('turn', 0)}: the model wants {wants}"]}


@hook_positions(HookPosition.AFTER_MODEL)
class Edit(ModelHook):
    """Says Finished instead of Done."""

    def after_model(self, state):
        return answer_becomes(state, last_answer(state).content.replace("Done", "Finished"))


@hook_positions(HookPosition.AFTER_MODEL)
class Safety(ModelHook):
    """Cuts lines with shell commands out of the answer; ends the run if nothing else is left of it."""

    can_jump_to = ("end",)

    def after_model(self, state):
        lines = last_answer(state).content.splitlines()
        kept = [line for line in lines if not any(command in line for command in COMMANDS)]
        update = answer_becomes(state, "\n".join(kept))
        return {**update, "jump_to": "end"} if lines and not kept else update


def last_answer(state):
    """The newest message of the model."""
    return next(m for m in reversed(state["messages"]) if isinstance(m, AssistantMessage))


def answer_becomes(state, text):
    """The update that gives the answer another text; empty if that is its text already."""
    answer = last_answer(state)
    if answer.content == text:
        return {}
    new = AssistantMessage(text, answer.tool_calls, id=answer.id)
    return {"messages": ReplaceAllWith(new if m is answer else m for m in state["messages"])}


@tool
def get_weather(city: str) -> str:
    """The weather in a city.

    Args:
        city: name of the city.
    """
    return REPORT.get(city, f"nothing is known about {city}")


@tool
def write_file(path: str, text: str) -> str:
    """Write a text to a file in the reports folder.

    Args:
        path: file name inside the folder.
        text: what to write.
    """
    target = (REPORTS / path).resolve()
    if not target.is_relative_to(REPORTS.resolve()):
        raise ValueError(f"{path} is outside of {REPORTS}")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")
    print(f"write_file: wrote {target}")
    return f"{len(text.encode())} bytes in {target}"


agent = ReactAgent(
    "weather",
    ScriptedModel(
        [
            ToolCall("c1", "get_weather", '{"city": "Beijing"}'),
            ToolCall("c2", "write_file", '{"path": "report.txt", "text": "Beijing: sunny, 25 °C"}'),
            "Done. Sunny, 25 °C, saved to report.txt.\nTo clean up, run: rm -rf ~/reports",
        ],
        per_turn=True,
    ),
    tools=[get_weather, write_file],
    hooks=[
        Audit(),
        Log(),
        HumanInTheLoopHook({"write_file": f"it writes a file into {REPORTS}"}),
        Edit(),
        Safety(),
    ],
    instruction="You are a weather assistant.",
    system_prompt=f"Reports go to {REPORTS}.",
    sample_input=SAMPLE_INPUT,
)
