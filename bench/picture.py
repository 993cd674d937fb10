"""Layout and raster against `dot -Tplain` and other packages: processor time and crossings, as ratios.

    python bench/picture.py [--repeat 5] [--seeds 3]

Without `dot` only our own numbers are printed. Crossings are counted alike for both, of pairs of lines that
share neither source nor target (splines of dot sampled at 8 points): `drawn` where they intersect,
`ranks` where two lines change sides from the middle of one rank to the middle of the next.
networkx (graph, then `dot`), grandalf and netext are measured if they are installed; none is needed.
"""

from __future__ import annotations

import argparse
import resource
import shlex
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from itertools import combinations, pairwise
from pathlib import Path
from typing import TypeVar

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from other_layouts import MOST, others

from hookstepper.model.graph import Graph
from hookstepper.picture import Layout, Options, cell_width, layout, raster
from unit.picture.graphs import agent, multi, rand

T = TypeVar("T")
Point = tuple[float, float]
Drawn = list[tuple[str, str, list[Point]]]
"""Source, target and polyline of each line."""
BUDGETS = {13: 4.0, 60: 4.0, 200: 4.0, 1000: 1.0}
"""Most time of layout and raster, in times of `dot -Tplain`."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--seeds", type=int, default=3)
    args = parser.parse_args()
    dot = shutil.which("dot")
    cases: list[tuple[str, int, list[Graph]]] = [
        ("agent", 13, [agent()]),
        ("teams", 13, [multi()]),
        ("13 nodes", 13, [rand(13, seed) for seed in range(args.seeds)]),
        ("60 nodes", 60, [rand(60, seed) for seed in range(args.seeds)]),
        ("200 nodes", 200, [rand(200, seed) for seed in range(args.seeds)]),
        ("1000 nodes", 1000, [rand(1000, 7)]),
    ]
    title = f"{'graph':<11} {'ours ms':>8} {'dot ms':>8} {'ratio':>6} {'most':>5}"
    print(f"{title}   {'drawn: ours / dot':<22} ranks: ours / dot")
    for name, size, graphs in cases:
        repeat = args.repeat if size < 1000 else 1
        row(name, size, graphs, dot, repeat)
    print()
    for package, work in others(dot).items():
        if work is None:
            print(f"{package}: not installed, not measured")
            continue
        cells = []
        for name, size, graphs in cases[2:]:
            if size <= MOST[package]:
                spent = [timed(partial(work, graph), 1)[0] for graph in graphs]
                cells.append(f"{name} {sum(spent) / len(graphs) * 1e3:.1f} ms")
            else:
                cells.append(f"{name} not tried")
        print(f"{package + (' + dot' if package == 'networkx' and dot else ''):<15}" + ", ".join(cells))


def row(name: str, size: int, graphs: list[Graph], dot: str | None, repeat: int) -> None:
    """Measure one kind of graph; times are medians, summed over the graphs."""
    ours = theirs = 0.0
    crossed = crossed_dot = between = between_dot = 0
    for graph in graphs:
        mine, plan = timed(partial(draw, graph), repeat)
        ours += mine
        crossed += crossings(drawn_by_us(plan))
        between += swaps(drawn_by_us(plan), middles_of_ours(plan))
        if dot:
            spent, text = timed(partial(run_dot, dot, graph), repeat)
            theirs += spent
            crossed_dot += crossings(drawn_by_dot(text))
            between_dot += swaps(drawn_by_dot(text), middles_of_dot(text))
    line = f"{name:<11} {ours / len(graphs) * 1e3:>8.1f}"
    if dot:
        line += f" {theirs / len(graphs) * 1e3:>8.1f} {ours / theirs:>6.2f} {BUDGETS[size]:>5.1f}"
        line += f"   {compared(crossed, crossed_dot):<22} {compared(between, between_dot)}"
    else:
        line += f"   {crossed} {between}"
    print(line)


def compared(ours: int, theirs: int) -> str:
    """Both numbers and their ratio."""
    return f"{ours} / {theirs} = " + (f"{ours / theirs:.2f}" if theirs else "-")


def timed(work: Callable[[], T], repeat: int) -> tuple[float, T]:
    """Median seconds of processor time of some runs, child processes included, and the result of the last."""
    spent = []
    results = []
    for _ in range(repeat):
        start = processor_time()
        results.append(work())
        spent.append(processor_time() - start)
    return statistics.median(spent), results[-1]


def processor_time() -> float:
    """Seconds of this process and of its finished children: a busy machine hardly changes them."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def draw(graph: Graph) -> Layout:
    """What the screen does for a new graph."""
    plan = layout(graph, Options(zoom="row"))
    raster(plan)
    return plan


def drawn_by_us(plan: Layout) -> Drawn:
    """Corner points of every line."""
    out: Drawn = []
    for wire in plan.wires:
        cells = wire.cells
        corners = [
            cell
            for index, cell in enumerate(cells)
            if index in (0, len(cells) - 1) or not is_straight(cells[index - 1], cell, cells[index + 1])
        ]
        out.append((wire.source, wire.target, [(float(x), float(y)) for x, y in corners]))
    return out


def is_straight(a: tuple[int, int], b: tuple[int, int], c: tuple[int, int]) -> bool:
    """True if three cells lie on one row or one column."""
    return a[0] == b[0] == c[0] or a[1] == b[1] == c[1]


def run_dot(dot: str, graph: Graph) -> str:
    """Plain output of dot for the same graph with nodes of the same size."""
    index = {node.id: number for number, node in enumerate(graph.nodes)}
    inner = {node.parent for node in graph.nodes}
    lines = ["digraph {", "node [shape=box, fixedsize=true];"]
    for parent in [None, *sorted(name for name in inner if name is not None)]:
        if parent is not None:
            lines.append(f"subgraph cluster_{index[parent]} {{")
        for node in graph.nodes:
            if node.parent == parent and node.id not in inner:
                width = (cell_width(node.label) + 6) / 10
                lines.append(f'n{index[node.id]} [label="", width={width}, height=0.6];')
        if parent is not None:
            lines.append("}")
    lines += [f"n{index[edge.source]} -> n{index[edge.target]};" for edge in graph.edges]
    text = "\n".join([*lines, "}"])
    return subprocess.run([dot, "-Tplain"], input=text, capture_output=True, text=True, check=True).stdout


def drawn_by_dot(text: str) -> Drawn:
    """Sampled splines of plain output."""
    out: Drawn = []
    for line in text.splitlines():
        if line.startswith("edge "):
            words = shlex.split(line)
            count = int(words[3])
            numbers = [float(word) for word in words[4 : 4 + 2 * count]]
            points = list(zip(numbers[::2], numbers[1::2], strict=True))
            out.append((words[1], words[2], sampled(points)))
    return out


def sampled(points: list[Point], steps: int = 8) -> list[Point]:
    """Points on a chain of cubic Bézier curves."""
    out = [points[0]]
    for start in range(0, len(points) - 3, 3):
        p0, p1, p2, p3 = points[start : start + 4]
        for step in range(1, steps + 1):
            t = step / steps
            weights = ((1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t * t, t**3)
            x = sum(w * p[0] for w, p in zip(weights, (p0, p1, p2, p3), strict=True))
            y = sum(w * p[1] for w, p in zip(weights, (p0, p1, p2, p3), strict=True))
            out.append((x, y))
    return out


def crossings(drawn: Drawn) -> int:
    """Properly intersecting pairs of segments of lines that share neither source nor target."""
    segments = [
        (min(a[1], b[1]), max(a[1], b[1]), min(a[0], b[0]), max(a[0], b[0]), a, b, line)
        for line, (_, _, points) in enumerate(drawn)
        for a, b in pairwise(points)
    ]
    segments.sort()
    active: list[tuple[float, float, float, float, Point, Point, int]] = []
    total = 0
    for segment in segments:
        active = [other for other in active if other[1] >= segment[0]]
        for other in active:
            apart = other[3] < segment[2] or segment[3] < other[2]
            if apart or other[6] == segment[6] or share_end(drawn[other[6]], drawn[segment[6]]):
                continue
            total += intersect(segment[4], segment[5], other[4], other[5])
        active.append(segment)
    return total


def swaps(drawn: Drawn, middles: dict[str, Point]) -> int:
    """Pairs of lines that change sides from one rank to the next, measured at the middles of the nodes."""
    rows = sorted({y for _, y in middles.values()})
    passing = [
        (source, target, [column_at([middles[source], *points, middles[target]], y) for y in rows])
        for source, target, points in drawn
        if source != target
    ]
    total = 0
    for above in range(len(rows) - 1):
        live = [
            (columns[above], columns[above + 1], source, target)
            for source, target, columns in passing
            if columns[above] is not None and columns[above + 1] is not None
        ]
        for (a, b, source, target), (c, d, other_source, other_target) in combinations(live, 2):
            if source != other_source and target != other_target:
                total += (a - c) * (b - d) < 0  # type: ignore[operator]
    return total


def column_at(points: list[Point], y: float) -> float | None:
    """Where a polyline first meets a row."""
    for (x0, y0), (x1, y1) in pairwise(points):
        if min(y0, y1) <= y <= max(y0, y1):
            return x0 if y0 == y1 else x0 + (x1 - x0) * (y - y0) / (y1 - y0)
    return None


def middles_of_ours(plan: Layout) -> dict[str, Point]:
    """Middle of every node; nodes of one rank have one row."""
    return {name: (float(p.center[0]), float(p.center[1])) for name, p in plan.places.items()}


def middles_of_dot(text: str) -> dict[str, Point]:
    """Middle of every node of plain output."""
    rows = [line.split() for line in text.splitlines() if line.startswith("node ")]
    return {words[1]: (float(words[2]), float(words[3])) for words in rows}


def share_end(a: tuple[str, str, list[Point]], b: tuple[str, str, list[Point]]) -> bool:
    """True if two lines begin or end at one node."""
    return a[0] == b[0] or a[1] == b[1]


def intersect(a: Point, b: Point, c: Point, d: Point) -> bool:
    """True if two segments cross in their insides."""

    def side(p: Point, q: Point, r: Point) -> float:
        return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])

    return side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0


if __name__ == "__main__":
    main()
