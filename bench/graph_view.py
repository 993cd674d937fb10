"""GraphView against a Static of the same canvas; and the longest time that a large graph holds the screen up.

    python bench/graph_view.py [--frames 60]

Both widgets run headless in one app of 200×60 cells on the graph of 200 nodes. What is counted is the
processor time from the change to the finished update of the screen. The second part shows a graph of 1000
nodes and counts by how much a clock on the same event loop is late, until the whole picture is there; one
turn of the interpreter between threads (`sys.getswitchinterval`) is 5 ms of it.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from textual.app import App, ComposeResult
from textual.containers import VerticalScroll
from textual.pilot import Pilot
from textual.widgets import Static

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from hookstepper.tui.graph_view import GraphView
from unit.picture.graphs import rand

SIZE = (200, 60)


class Bench(App[None]):
    """One of the two widgets, full screen."""

    def __init__(self, widget: GraphView | Static) -> None:
        super().__init__()
        self.widget = widget

    def compose(self) -> ComposeResult:
        if isinstance(self.widget, Static):
            with VerticalScroll():
                yield self.widget
        else:
            yield self.widget


async def measure(pilot: Pilot[None], change: Callable[[], object], times: int) -> float:
    """Median milliseconds of processor time from a change to the updated screen."""
    spent = []
    for _ in range(times):
        start = time.process_time()
        change()
        await pilot.pause()
        spent.append(time.process_time() - start)
    return statistics.median(spent) * 1e3


async def graph_view(frames: int) -> tuple[float, float, float, str]:
    """Idle, one frame, full repaint, and the text drawn."""
    view = GraphView(rand(200))
    app = Bench(view)
    async with app.run_test(size=SIZE) as pilot:
        app.animation_level = "full"
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert view.plan is not None and view.canvas is not None
        visible = [wire for wire in view.plan.wires if wire.cells and wire.cells[-1][1] < SIZE[1] - 2]
        wire = max(visible, key=lambda wire: len(wire.cells))
        idle = await measure(pilot, lambda: None, frames)

        def light() -> None:
            if not view.dots.moving:
                view.dots.start(wire.cells)
            view.dots.tick()

        frame = await measure(pilot, light, frames)
        view.dots.clear()
        full = await measure(pilot, view.refresh, frames)
        return idle, frame, full, view.canvas.text()


async def static(text: str, times: int) -> tuple[float, float]:
    """Idle, and one change of a Static."""
    widget = Static(text, markup=False)
    app = Bench(widget)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        idle = await measure(pilot, lambda: None, times)
        turn = iter(range(1_000_000))
        change = await measure(pilot, lambda: widget.update(f"{text}{next(turn) % 10}"), times)
        return idle, change


@dataclass
class Opening:
    """How a large graph came into view."""

    part: float = 0.0
    """Seconds until a part was shown."""
    whole: float = 0.0
    late: list[float] = field(default_factory=list)
    """Seconds by which the clock of the event loop was late, turn by turn."""
    busy: list[float] = field(default_factory=list)
    """Seconds of processor time that the thread of the screen took in each turn."""


async def opening(nodes: int) -> Opening:
    """Show a graph and watch the event loop until all of it is there."""
    view, found = GraphView(), Opening()
    app = Bench(view)

    async def clock() -> None:
        while True:
            before, own = time.perf_counter(), time.thread_time()
            await asyncio.sleep(0.005)
            found.late.append(time.perf_counter() - before - 0.005)
            found.busy.append(time.thread_time() - own)

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        ticking = asyncio.create_task(clock())
        await asyncio.sleep(0.05)
        start = time.perf_counter()
        view.show(rand(nodes, 7))
        await asyncio.sleep(0.005)
        found.part = time.perf_counter() - start
        while view.progress is not None:
            await asyncio.sleep(0.02)
        await asyncio.sleep(0.2)
        found.whole = time.perf_counter() - start - 0.2
        ticking.cancel()
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--frames", type=int, default=60)
    frames = parser.parse_args().frames
    idle, frame, full, text = asyncio.run(graph_view(frames))
    static_idle, change = asyncio.run(static(text, max(frames // 6, 3)))
    opened = asyncio.run(opening(1000))
    base = max(change - static_idle, 0.001)
    print(f"idle turn of the app   {idle:7.2f} ms   Static {static_idle:7.2f} ms")
    print(f"Static, any change     {base:7.2f} ms")
    print(f"one frame of a light   {frame - idle:7.2f} ms   {(frame - idle) / base:.3f} of it, at most 0.020")
    print(f"full repaint           {full - idle:7.2f} ms   {(full - idle) / base:.3f} of it, at most 0.100")
    print(
        f"1000 nodes: a part after {opened.part:.2f} s, all after {opened.whole:.2f} s; the longest turn of"
    )
    print(f"  the event loop: late {max(opened.late) * 1e3:.0f} ms, own work {max(opened.busy) * 1e3:.0f} ms")
    print(f"  turns late by over 50 ms: {sum(late > 0.05 for late in opened.late)} of {len(opened.late)}")


if __name__ == "__main__":
    main()
