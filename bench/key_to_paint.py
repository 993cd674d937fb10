"""From a key to the repainted screen: a step deep in a long run against one near its beginning, as ratios.

    python bench/key_to_paint.py [--steps 10000] [--keys 4]

The real screen, headless, 120×40, on a run of the sample's graph whose conversation grows by two messages a
turn. For each view of the inspector keys are pressed near step 10 and near the end: `n`, which makes a step,
and `,`, which looks at the one before. What counts is the processor time until nothing is left to draw; the
least of the keys, since what other processes take away can only add.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from textual.pilot import Pilot

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from hookstepper.model.events import Event, Resumed, RunStarted, StepDone, Stopped, TargetLoaded
from hookstepper.model.gates import Site, Stop
from hookstepper.model.ids import MAIN, HostId, Json, StopId, TaskId
from hookstepper.model.record import Delta, SetValue, Splice
from hookstepper.tui.app import DebuggerApp
from hookstepper.tui.options import Options
from support.replay import ReplayConversation, recorded

BUDGET = 1.2
"""How many times the work near the beginning a key deep in the run may take."""
NEAR = 10
ROUNDS = 3
VIEWS = {"state": "1", "messages": "2", "node": "3", "onion": "4", "route": "5", "calls": "6"}


def events(steps: int) -> Iterator[Event]:
    """A run of the sample's graph that turns in its loop, held before each node."""
    loaded = next(event for event in recorded() if isinstance(event, TargetLoaded))
    done = [event for event in recorded() if isinstance(event, StepDone)]
    # The second turn of the demonstration: from the loop entry to the tool node.
    setup, turn = done[:2], done[9:16]
    yield loaded
    yield RunStarted(1, MAIN, "demo", "start", {"messages": [], "turn": 0})
    messages = 0
    order = [*setup, *itertools.islice(itertools.cycle(turn), steps - len(setup))]
    for index, (step, following) in enumerate(itertools.pairwise([*order, turn[0]])):
        delta: Delta = ()
        update: Json = None
        if step.kind in ("model", "tool"):
            said = message(index, step.kind)
            delta, update = (Splice(("messages",), messages, (), (said,)),), {"messages": [said]}
            messages += 1
        elif step.kind == "before_model":
            delta, update = (SetValue(("turn",), index // 7, index // 7 + 1),), {"turn": index // 7 + 1}
        if index:
            yield Resumed(StopId(f"s{index - 1}"), "run.next")
        yield StepDone(
            index,
            MAIN,
            index,
            TaskId(f"t{index}"),
            Site("node", step.site.node),
            step.kind,
            delta,
            replace(step.route, to=(following.site.node,)) if step.route is not None else None,
            None,
            HostId("h"),
            1_000,
            reads=("messages",),
            writes=tuple(update) if isinstance(update, dict) else (),
            update=update,
        )
        held = Site("node", following.site.node)
        yield Stopped(
            Stop(
                StopId(f"s{index}"),
                index,
                "held",
                ("step",),
                frozenset({"proceed", "patch"}),
                site=held,
                phase="enter",
                task=TaskId(f"t{index + 1}"),
                superstep=index + 1,
                next=(held.node,),
            )
        )


def message(index: int, kind: str) -> Json:
    """A message of the model or of a tool, different from all others."""
    text = f"message {index}: " + "the weather in this city is sunny with clouds and wind " * 4
    if kind == "tool":
        return {
            "$": "msg",
            "role": "tool",
            "content": text,
            "id": f"m{index}",
            "tool_call_id": f"c{index - 5}",
        }
    call: Json = {"id": f"c{index}", "name": "get_weather", "args": {"city": f"city {index}"}}
    return {"$": "msg", "role": "assistant", "content": text, "id": f"m{index}", "tool_calls": [call]}


def opened(steps: int) -> ReplayConversation:
    """A conversation with that many steps to come, its target loaded."""
    conversation = ReplayConversation(events(steps))
    conversation.open()
    conversation.open = lambda: None  # type: ignore[method-assign]
    return conversation


async def press(pilot: Pilot[int], key: str) -> float:
    """Milliseconds of processor time from a key to the finished screen."""
    start = time.process_time()
    await pilot.press(key)
    for _ in range(2):
        await pilot.pause()
    return (time.process_time() - start) * 1e3


async def measured(conversation: ReplayConversation, upto: int, keys: int) -> dict[tuple[str, str], float]:
    """For each view and key the least time of all presses, from that step on."""
    app = DebuggerApp(lambda _: conversation, Options(welcome=False, ask_input=False))
    conversation.play_to_step(upto)
    least: dict[tuple[str, str], float] = {}
    async with app.run_test(size=(120, 40)) as pilot:
        for view, digit in VIEWS.items():
            await pilot.press(digit)
            await press(pilot, "n")
            least[view, "n"] = min([await press(pilot, "n") for _ in range(keys)])
            least[view, ","] = min([await press(pilot, ",") for _ in range(keys)])
            await press(pilot, "G")
    assert conversation.view.trace.last > upto
    return least


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--steps", type=int, default=10_000)
    parser.add_argument("--keys", type=int, default=4)
    words = parser.parse_args()
    room = ROUNDS * (words.keys + 2) * len(VIEWS)
    deep_run = opened(words.steps + room)
    near: dict[tuple[str, str], float] = {}
    deep: dict[tuple[str, str], float] = {}
    # By turns, so that both meet the same weather on the machine.
    for turn in range(ROUNDS):
        for found, run, upto in (
            (near, opened(NEAR + room), NEAR),
            (deep, deep_run, words.steps + turn * room // ROUNDS),
        ):
            for key, least in asyncio.run(measured(run, upto, words.keys)).items():
                found[key] = min(least, found.get(key, least))
    print(f"{'view':<10} key   step {NEAR:<6} step {words.steps:<7} ratio, at most {BUDGET}")
    for (view, key), before in near.items():
        print(
            f"{view:<10} {key}   {before:8.1f} ms {deep[view, key]:8.1f} ms   {deep[view, key] / before:.2f}"
        )


if __name__ == "__main__":
    main()
