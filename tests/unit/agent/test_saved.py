"""An agent on a file of checkpoints: everything comes back, also after the process was killed."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from hookstepper.adapters.native import NativeAdapter
from hookstepper.agent import (
    AgentInstructionMessage,
    AssistantMessage,
    HumanInTheLoopHook,
    JumpTo,
    Media,
    SqliteSaver,
    SystemMessage,
    ToolCall,
    ToolResponse,
    ToolResponseMessage,
    UserMessage,
)
from hookstepper.engine.codecs import from_text, to_text
from hookstepper.model.errors import NotPossibleError
from hookstepper.ports.probe import SilentProbe
from hookstepper.ports.target import From, OpenOptions, Resume, Start
from support.agent_kit import AM, Counting, Noting, agent, asks, call, hook, texts, thread

KILLS = 150 if os.environ.get("HOOKSTEPPER_THOROUGH") else 6
TURNS = 40


@pytest.mark.parametrize(
    "value",
    [
        UserMessage("hi", [Media("image/png", "AAAA", "x")], {"a": [1]}, "u1"),
        AssistantMessage(None, (ToolCall("1", "t", "{broken"),), metadata={"m": {"n": None}}, id="a1"),
        SystemMessage("s"),
        AgentInstructionMessage("i", True, id="i1"),
        ToolResponseMessage((ToolResponse("1", "t", None),), {"finishReason": "returnDirect"}),
        JumpTo.END,
    ],
)
def test_everything_that_an_agent_keeps_comes_back_as_it_was(value):
    again = from_text(to_text(value))

    assert again == value
    assert type(again) is type(value)
    assert getattr(again, "id", "") == getattr(value, "id", "")


def asking() -> tuple[object, Noting]:
    noting = Noting("t", "r")
    made = agent(
        [asks(call("1", "t", '{"n": 1}')), "end"],
        tools=[noting],
        hooks=[hook("L", [], AM), HumanInTheLoopHook(["t"])],
    )
    return made, noting


def test_a_question_survives_the_process_that_asked_it(tmp_path):
    path = str(tmp_path / "threads.db")
    first = NativeAdapter().open(asking()[0], OpenOptions(db=path))
    checkpoint = first.run(Start("hi", "main"), SilentProbe()).checkpoint
    first.close()

    made, noting = asking()
    second = NativeAdapter().open(made, OpenOptions(db=path))
    outcome = second.run(From(checkpoint), SilentProbe())
    (ask,) = outcome.asks
    done = second.run(Resume({ask.id: {"decisions": [{"type": "approve"}]}}), SilentProbe())

    assert (outcome.status, done.status, noting.calls) == ("interrupted", "completed", [{"n": 1}])
    assert texts(second.state().values)[-1] == "assistant: end"
    second.close()
    second.close()


def test_a_conversation_goes_on_in_another_process(tmp_path):
    path = tmp_path / "threads.db"
    model = Counting(["one", "two"])
    for value in ("a", "b"):
        saver = SqliteSaver(path)
        made = agent(model).copy(compile_config=None, saver=saver)
        state = made.invoke(value, thread())
        saver.close()

    assert texts(state) == ["user: a", "assistant: one", "user: b", "assistant: two"]


CHILD = """
import os, sys
from hookstepper.agent import ReactAgent, RunConfig, ScriptedModel, SqliteSaver, ToolCall, tool
from hookstepper.agent.messages import AssistantMessage

path, log = sys.argv[1:3]
TURNS = int(sys.argv[3])
out = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

def note(text):
    os.write(out, (text + "\\n").encode())

@tool
def effect(number: int) -> str:
    "Leave a mark."
    note(f"effect {number}")
    return str(number)

def reply(prompt):
    done = sum(isinstance(m, AssistantMessage) for m in prompt.messages)
    return "end" if done == TURNS else ToolCall(f"c{done}", "effect", '{"number": %d}' % done)

class Told:
    def wants(self, site, phase): return False
    def emit(self, fact):
        if type(fact).__name__ == "Committed":
            turn = sum(isinstance(m, AssistantMessage) for m in fact.state["messages"])
            note(f"done {fact.site.node} {turn}")

saver = SqliteSaver(path)
agent = ReactAgent("a", ScriptedModel([reply] * (TURNS + 1)), tools=[effect], saver=saver)
latest = saver.get("t")
config = RunConfig("t", None if latest is None else latest.id)
print("ready", flush=True)
result = agent.compiled().run(agent.inputs_of("go") if latest is None else None, config, probe=Told())
print(result.status, len(result.state["messages"]), flush=True)
"""


def test_a_killed_agent_goes_on_without_losing_or_repeating_what_was_saved(tmp_path):
    """Tools have effects in the world: one that was reported done must not happen again."""
    database, log = tmp_path / "threads.db", tmp_path / "log"
    command = [sys.executable, "-c", CHILD, str(database), str(log), str(TURNS)]
    source = str(Path(__file__).parents[3] / "src")
    environment = {**os.environ, "PYTHONPATH": source}
    chance = random.Random(7)
    killed, ended = 0, ""
    for _ in range(KILLS * 3):
        child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        marks = len(log.read_text().splitlines()) if log.exists() else 0
        if killed < KILLS:
            target = marks + chance.randint(1, max(2, 3 * TURNS // KILLS))
            while (
                child.poll() is None and (len(log.read_text().splitlines()) if log.exists() else 0) < target
            ):
                pass
            child.kill()
            killed += 1
        rest, _ = child.communicate()
        ended = rest or ended
        if ended:
            break

    rows = [row.split() for row in log.read_text().splitlines()]
    assert ended.split() == ["completed", str(2 * TURNS + 2)]
    assert {int(row[1]) for row in rows if row[0] == "effect"} == set(range(TURNS))
    seen: set[tuple[str, str]] = set()
    for row in rows:
        if row[0] == "done":
            assert (row[1], row[2]) not in seen
            seen.add((row[1], row[2]))
        else:
            assert ("_AGENT_TOOL_", str(int(row[1]) + 1)) not in seen
    assert killed


def test_a_file_that_is_no_store_is_refused(tmp_path):
    path = tmp_path / "not.db"
    path.write_text("no database, by far: " * 50)

    with pytest.raises(NotPossibleError):
        NativeAdapter().open(agent(), OpenOptions(db=str(path)))
