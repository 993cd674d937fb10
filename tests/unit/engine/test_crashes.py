"""A run on a file, killed at any moment and resumed until it ends: nothing lost, nothing saved done twice."""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys

import pytest

from hookstepper.engine.sqlite import SqliteSaver

ROUNDS = 300 if os.environ.get("HOOKSTEPPER_THOROUGH") else 12
STEPS = 14 * ROUNDS

PROGRAM = """
import os, sys
from hookstepper.engine import *
from hookstepper.engine.sqlite import SqliteSaver

database, effects, steps = sys.argv[1], sys.argv[2], int(sys.argv[3])
log = open(effects, "a")

def say(text):
    # One write a line: print makes two of it where output is not buffered, and a kill between them leaves
    # half a line, to which the next process would add its own.
    os.write(1, (text + "\\n").encode())

def tool(state):
    done = state.value("done", 0) + 1
    log.write(f"{done}\\n"); log.flush()
    return {"done": done, "messages": f"result {done}"}

def model(state):
    return {"messages": ["asks", "again"]}

class Told:
    def wants(self, site, phase): return False
    def emit(self, fact):
        if hasattr(fact, "update"):
            say(f"{fact.checkpoint} {fact.superstep}")

graph = StateGraph("long", {"messages": APPEND}).add_node("model", model).add_node("tool", tool)
graph.add_edge(START, "model").add_edge("model", "tool")
further = lambda s: "on" if s["done"] < steps else "out"
graph.add_conditional_edges("tool", further, {"on": "model", "out": END})

def run():
    saver = SqliteSaver(database)
    compiled = graph.compile(CompileConfig(saver=saver, recursion_limit=10**6))
    newest = saver.outline("t", 1)
    config = RunConfig("t", newest[0].id if newest else None)
    result = compiled.run({}, config, probe=Told())
    say(f"ended {result.status}")

# One process that forks, so that a round does not cost the start of an interpreter.
for _ in sys.stdin:
    child = os.fork()
    if child == 0:
        try:
            run()
        finally:
            os._exit(0)
    say(f"child {child}")
    os.waitpid(child, 0)
    say("gone")
"""


def one_round(process, count):
    """What a child says until it ends, or is killed after so many lines."""
    process.stdin.write("go\n")
    lines: list[str] = []
    child = 0
    for line in iter(process.stdout.readline, ""):
        words = line.split()
        if words[0] == "gone":
            break
        if words[0] == "child":
            child = int(words[1])
        else:
            lines.append(line.strip())
        if child and len(lines) >= count and "ended completed" not in lines:
            with contextlib.suppress(ProcessLookupError):  # it may have just ended
                os.kill(child, signal.SIGKILL)
            count = 10**6
    return lines


@pytest.mark.timeout(600)
def test_a_run_that_is_killed_again_and_again_comes_to_the_same_end(tmp_path):
    """What was reported done is there, what is there is not run again, and side effects can be counted."""
    database, effects = tmp_path / "c.db", tmp_path / "effects"
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    chance = random.Random(3)
    told: list[str] = []
    kills = 0
    with subprocess.Popen(
        [sys.executable, str(program), str(database), str(effects), str(STEPS)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
    ) as process:
        ended = False
        while not ended:
            lines = one_round(process, chance.randrange(1, 40) if kills < ROUNDS else 10**6)
            ended = "ended completed" in lines
            kills += not ended
            told += [line.split()[0] for line in lines if line != "ended completed"]
        process.stdin.close()

    saver = SqliteSaver(database)
    rows = saver.history("t")
    saver.close()
    assert kills > 0
    assert set(told) <= {r.id for r in rows}
    assert [r.step for r in reversed(rows)] == list(range(2 * STEPS + 1))
    final = rows[0].state
    assert final["done"] == STEPS
    expected = [text for n in range(1, STEPS + 1) for text in ("asks", "again", f"result {n}")]
    assert final["messages"] == expected
    ran = [json.loads(line) for line in effects.read_text().split()]
    assert sorted(set(ran)) == list(range(1, STEPS + 1))
    assert len(ran) <= STEPS + kills
