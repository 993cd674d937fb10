"""Encoding and comparing a state of 1,000 messages: against jsonpatch and against encoding it whole.

    python bench/values.py [--messages 1000] [--repeat 7]

One message is appended. The least of the repeats counts, in time of this process.
"""

from __future__ import annotations

import argparse
import copy
import time
from collections.abc import Callable
from typing import Any

from hookstepper.values import StateEncoder, apply, diff, encode

BUDGET = 1 / 50
"""Most time of a diff, in times of jsonpatch's."""


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--messages", type=int, default=1_000)
    options.add_argument("--repeat", type=int, default=7)
    given = options.parse_args()
    messages = [message(index) for index in range(given.messages)]
    old: Any = {"messages": messages}
    new: Any = {"messages": [*messages, message(given.messages)]}
    again = copy.deepcopy(new)
    delta = diff(old, new)

    times = {
        "diff, unchanged messages shared": measured(lambda: diff(old, new), given.repeat),
        "diff, all of it another copy": measured(lambda: diff(old, again), given.repeat),
        "apply": measured(lambda: apply(delta, old), given.repeat),
        "encode one step more": measured(stepping(old, new), given.repeat),
        "encode all": measured(lambda: encode(new), given.repeat),
    }
    patch = patched(old, again, given.repeat)
    for name, seconds in times.items():
        print(
            f"{name:34}{seconds * 1e6:12.1f} µs" + (f"   jsonpatch / {patch / seconds:.0f}" if patch else "")
        )
    if patch is None:
        print("jsonpatch is not installed: nothing to compare with")
        return
    print(f"{'jsonpatch':34}{patch * 1e6:12.1f} µs")
    ratio = times["diff, unchanged messages shared"] / patch
    print(f"budget: 1/{1 / BUDGET:.0f} of jsonpatch; is 1/{1 / ratio:.0f}")


def message(index: int) -> dict[str, Any]:
    """A message of the usual size."""
    call = {"id": f"c{index}", "name": "get_weather", "args": {"city": "Beijing", "days": index}}
    return {
        "role": "assistant",
        "content": f"The weather of day {index} is sunny with some clouds. " * 6,
        "id": f"m{index}",
        "tool_calls": [call],
    }


def stepping(old: Any, new: Any) -> Callable[[], object]:
    """Goes from one state to the other and back with the encoder that a host uses; half of it is a step."""
    encoder = StateEncoder()
    states = [old, new]

    def step() -> object:
        states.reverse()
        return encoder.step(states[0])

    return step


def measured(work: Callable[[], object], repeat: int) -> float:
    """Seconds of this process for one call, at best."""
    work()
    best = float("inf")
    for _ in range(repeat):
        began = time.process_time()
        count = 0
        while time.process_time() - began < 0.05:
            work()
            count += 1
        best = min(best, (time.process_time() - began) / count)
    return best


def patched(old: Any, new: Any, repeat: int) -> float | None:
    """The same by jsonpatch, if it is there."""
    try:
        import jsonpatch
    except ImportError:
        return None
    return measured(lambda: jsonpatch.make_patch(old, new), repeat)


if __name__ == "__main__":
    main()
