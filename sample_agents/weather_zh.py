"""The weather sample in Chinese: same hooks, tools and turns as weather.py, other words.

Hooks in this order: Audit (around the run), Log (around each model call), HITL (a person approves the
writing of the file), Edit and Safety (after the model; Safety is registered last and sees the raw answer).
Each Chinese letter takes two cells of a terminal: columns, boxes and cuts must still be right.
Run it with `hookstepper demo --lang zh` to have the interface in Chinese too.
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
SAMPLE_INPUT = "查一下北京的天气，写到 report.txt"
COMMANDS = ("rm ", "sudo ", "curl ")
REPORT = {"北京": "晴，25 °C"}


class Audit(AgentHook):
    """Starts the count of turns, and notes at the end how many there were."""

    def before_agent(self, state):  # noqa: ARG002
        return {"turn": 0}

    def after_agent(self, state):
        return {"log": [f"本次运行共 {state.get('turn', 0)} 轮"]}

    def key_strategies(self):
        return {"log": APPEND}


class Log(ModelHook):
    """Counts the turns and logs what the model wants."""

    def before_model(self, state):
        return {"turn": state.get("turn", 0) + 1}

    def after_model(self, state):
        wants = ", ".join(call.name for call in last_answer(state).tool_calls) or "直接回答"
        return {"log": [f"第 {state.get('turn', 0)} 轮：模型要 {wants}"]}


@hook_positions(HookPosition.AFTER_MODEL)
class Edit(ModelHook):
    """Puts a more formal word for done."""

    def after_model(self, state):
        return answer_becomes(state, last_answer(state).content.replace("完成了", "已完成"))


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
    """查询一个城市的天气。

    Args:
        city: 城市名。
    """
    return REPORT.get(city, f"没有{city}的天气数据")


@tool
def write_file(path: str, text: str) -> str:
    """把文字写进报告文件夹里的文件。

    Args:
        path: 文件夹内的文件名。
        text: 要写的内容。
    """
    target = (REPORTS / path).resolve()
    if not target.is_relative_to(REPORTS.resolve()):
        raise ValueError(f"{path} 不在 {REPORTS} 里")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")
    print(f"write_file：已写入 {target}")
    return f"{len(text.encode())} 字节，{target}"


agent = ReactAgent(
    "weather",
    ScriptedModel(
        [
            ToolCall("c1", "get_weather", '{"city": "北京"}'),
            ToolCall("c2", "write_file", '{"path": "report.txt", "text": "北京：晴，25 °C"}'),
            "完成了。晴，25 °C，已写入 report.txt。\n如需清理，请运行：rm -rf ~/reports",
        ],
        per_turn=True,
    ),
    tools=[get_weather, write_file],
    hooks=[
        Audit(),
        Log(),
        HumanInTheLoopHook({"write_file": f"它会在 {REPORTS} 里写文件"}),
        Edit(),
        Safety(),
    ],
    instruction="你是一名天气助手。",
    system_prompt=f"报告放在 {REPORTS}。",
    sample_input=SAMPLE_INPUT,
)
