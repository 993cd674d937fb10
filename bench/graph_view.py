"""GraphView against a Static of the same canvas: one frame of a light, and a full repaint, as ratios.

    python bench/graph_view.py [--frames 60]

Both widgets run headless in one app of 200×60 cells on the graph of 200 nodes. What is counted is the
processor time from the change to the finished update of the screen.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import time
from collections.abc import Callable
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
        view.dots.start(wire.cells * 50)
        frame = await measure(pilot, view.dots.tick, frames)
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


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--frames", type=int, default=60)
    frames = parser.parse_args().frames
    idle, frame, full, text = asyncio.run(graph_view(frames))
    static_idle, change = asyncio.run(static(text, max(frames // 6, 3)))
    base = max(change - static_idle, 0.001)
    print(f"idle turn of the app   {idle:7.2f} ms   Static {static_idle:7.2f} ms")
    print(f"Static, any change     {base:7.2f} ms")
    print(f"one frame of a light   {frame - idle:7.2f} ms   {(frame - idle) / base:.3f} of it, at most 0.020")
    print(f"full repaint           {full - idle:7.2f} ms   {(full - idle) / base:.3f} of it, at most 0.100")


if __name__ == "__main__":
    main()
