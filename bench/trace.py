"""A record of 10,000 steps: its memory, its file, and how long any state in it takes to find.

    python bench/trace.py [--steps 10000]

An agent of ten nodes adds two messages a turn, so that the conversation grows to 2,000 messages.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import tempfile
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import cast

from hookstepper.model.events import Event, RunEnded, RunStarted, TargetLoaded
from hookstepper.model.gates import Site
from hookstepper.model.graph import Anchors, Graph, Node, NodeKind
from hookstepper.model.ids import MAIN, HostId, Json, NodeId, TaskId
from hookstepper.model.jsonform import from_json, to_json
from hookstepper.model.record import Delta, Route, SetValue, Splice, StepDone
from hookstepper.trace.reading import open_recording
from hookstepper.trace.recording import RecordingWriter
from hookstepper.trace.trace import Trace

MEMORY, FILE = 30.0, 10.0
"""Budgets in MB."""
KINDS: tuple[NodeKind, ...] = (
    *("before_model",) * 4,  # type: ignore[assignment]
    "model",
    *("after_model",) * 4,
    "tool",
)
WORDS = ["the", "weather", "in", "this", "city", "is", "sunny", "with", "clouds", "and", "wind", "report"]


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--steps", type=int, default=10_000)
    steps = options.parse_args().steps
    lines = [json.dumps(to_json(event)) for event in events(steps)]
    gc.collect()
    tracemalloc.start()
    trace = taken(lines)
    gc.collect()
    memory = tracemalloc.get_traced_memory()[0] / 1e6
    tracemalloc.stop()
    print(f"{len(trace.steps):,} steps, {len(trace.state(trace.last)['messages']):,} messages")  # type: ignore[index,call-overload,arg-type]
    print(f"memory           {memory:8.1f} MB   budget {MEMORY} MB")
    with tempfile.TemporaryDirectory() as folder:
        print(f"file             {filed(Path(folder), lines):8.1f} MB   budget {FILE} MB")
    print(f"taking in a step {timed(lambda: taken(lines[:2_000])) / min(steps, 1_998) * 1e6:8.1f} µs")
    chosen = random.Random(1)
    places = [chosen.randrange(steps) for _ in range(200)]
    print(f"any state        {timed(lambda: [trace.state(at) for at in places]) / 200 * 1e3:8.2f} ms")
    trace.turns_of(trace.branch)
    print(f"turns, again     {timed(lambda: trace.turns) * 1e6:8.1f} µs")
    near = [timed(lambda at=at: trace.state(at)) for at in (10, steps - 10)]  # type: ignore[misc]
    print(f"state at the end / near the beginning  {near[1] / near[0]:.2f}")


def filed(folder: Path, lines: list[str]) -> float:
    """Size of the recording in MB; tells how long writing and opening took."""
    path = folder / "bench.hookstep"
    decoded = [event_of(line) for line in lines]
    began = time.process_time()
    with RecordingWriter(path) as writer:
        for event in decoded:
            writer.add(event)
    print(f"recording a step {(time.process_time() - began) / len(lines) * 1e6:8.1f} µs")
    began = time.process_time()
    open_recording(path)
    print(f"opening the file {time.process_time() - began:8.2f} s")
    return path.stat().st_size / 1e6


def timed(work: object) -> float:
    """Seconds of this process for one call."""
    began = time.process_time()
    work()  # type: ignore[operator]
    return time.process_time() - began


def event_of(line: str) -> Event:
    """An event as it comes off the wire."""
    return cast(Event, from_json(Event, json.loads(line)))  # type: ignore[arg-type]


def taken(lines: list[str]) -> Trace:
    """A trace of these events, each decoded anew, so that nothing is shared beforehand."""
    trace = Trace()
    for line in lines:
        trace.add(event_of(line))
    return trace


def events(steps: int) -> Iterator[Event]:
    """The whole run."""
    nodes = tuple(Node(NodeId(f"n{i}"), f"n{i}", kind) for i, kind in enumerate(KINDS))
    yield TargetLoaded(Graph("bench", nodes, (), Anchors(loop_entry=nodes[0].id)), "agent")
    yield RunStarted(1, MAIN, "t", "start", {"messages": [], "turn": 0})
    rng = random.Random(1)
    count = 0
    for index in range(steps):
        node = nodes[index % len(nodes)]
        delta: Delta = ()
        update: Json = None
        if index % len(nodes) == 0:
            turn = index // len(nodes)
            delta, update = (SetValue(("turn",), turn, turn + 1),), {"turn": turn + 1}
        elif node.kind in ("model", "tool"):
            said = message(index, rng)
            delta, update = (Splice(("messages",), count, (), (said,)),), {"messages": [said]}
            count += 1
        keys = tuple(update) if isinstance(update, dict) else ()
        yield StepDone(
            index,
            MAIN,
            index,
            TaskId(f"t{index}"),
            Site("node", node.id),
            node.kind,
            delta,
            Route((nodes[(index + 1) % len(nodes)].id,), "fixed"),
            None,
            HostId("h"),
            1_000,
            reads=("messages",),
            writes=keys,
            update=update,
        )
    yield RunEnded("completed", MAIN, None, steps)


def message(index: int, rng: random.Random) -> Json:
    """A message of the usual size, different from all others."""
    text = " ".join(rng.choice(WORDS) for _ in range(60))
    call: Json = {"id": f"c{index}", "name": "look", "args": {"city": f"city {index}"}}
    return {"$": "msg", "role": "assistant", "content": text, "id": f"m{index}", "tool_calls": [call]}


if __name__ == "__main__":
    main()
