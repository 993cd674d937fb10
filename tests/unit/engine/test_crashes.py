"""A run on a file, killed at any moment and resumed until it ends: nothing lost, nothing saved done twice."""

import json
import os
import random
import signal
import subprocess
import sys

import pytest

from hookstepper.engine.sqlite import SqliteSaver

ROUNDS = 300 if os.environ.get("HOOKSTEPPER_THOROUGH") else 8
STEPS = 14 * ROUNDS

PROGRAM = """
import os, sys
from hookstepper.engine import *
from hookstepper.engine.sqlite import SqliteSaver

database, effects, steps = sys.argv[1], sys.argv[2], int(sys.argv[3])
log = open(effects, "a")

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
            print(f'{fact.checkpoint} {fact.superstep}', flush=True)

graph = StateGraph("long", {"messages": APPEND}).add_node("model", model).add_node("tool", tool)
graph.add_edge(START, "model").add_edge("model", "tool")
further = lambda s: "on" if s["done"] < steps else "out"
graph.add_conditional_edges("tool", further, {"on": "model", "out": END})
saver = SqliteSaver(database)
compiled = graph.compile(CompileConfig(saver=saver, recursion_limit=10**6))
newest = saver.outline("t", 1)
config = RunConfig("t", newest[0].id if newest else None)
result = compiled.run({}, config, probe=Told())
print("ended", result.status, flush=True)
"""


@pytest.mark.timeout(1200)
def test_a_run_that_is_killed_again_and_again_comes_to_the_same_end(tmp_path):
    """What was reported done is there, what is there is not run again, and side effects can be counted."""
    database, effects = tmp_path / "c.db", tmp_path / "effects"
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    chance = random.Random(3)
    told: list[str] = []
    kills = 0
    ended = False
    while not ended:
        process = subprocess.Popen(
            [sys.executable, str(program), str(database), str(effects), str(STEPS)],
            stdout=subprocess.PIPE,
            text=True,
        )
        lines = []
        for _ in range(chance.randrange(1, 40) if kills < ROUNDS else 10**6):
            line = process.stdout.readline()
            if not line:
                break
            lines.append(line.strip())
        if process.poll() is None and "ended completed" not in lines:
            process.send_signal(signal.SIGKILL)
            kills += 1
        lines += process.stdout.read().splitlines()
        process.wait()
        process.stdout.close()
        ended = "ended completed" in lines
        told += [line.split()[0] for line in lines if not line.startswith("ended") and " " in line]

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
