"""Which edges lead back, and on which rank each box stands.

Sources: cycle removal by depth-first search from START, so that exactly the loop edges turn; ranks by the
network simplex method of Gansner, Koutsofios, North and Vo, "A technique for drawing directed graphs" (1993).
"""

from __future__ import annotations

from hookstepper.picture.simplex import Arc, tight_ranks
from hookstepper.picture.view import Line, View


def back_lines(view: View, root: int) -> tuple[set[int], list[int]]:
    """Indexes of the lines that lead back, and the boxes in topological order of the others.

    The search starts at `root` and follows fixed lines before conditional ones, observed ones last, so
    that an edge seen in a run does not turn the picture around.
    """
    out: list[list[int]] = [[] for _ in view.boxes]
    entered = [0] * len(view.boxes)
    for index, line in enumerate(view.lines):
        out[line.source].append(index)
        entered[line.target] += 1
    for leaving in out:
        leaving.sort(key=lambda index: (view.lines[index].evidence >= 2, view.lines[index].dashed))
    state = [0] * len(view.boxes)
    back: set[int] = set()
    order: list[int] = []
    starts = sorted(range(len(view.boxes)), key=lambda box: (box != root, entered[box] > 0))
    for start in starts:
        if state[start]:
            continue
        state[start] = 1
        stack = [(start, iter(out[start]))]
        while stack:
            box, pending = stack[-1]
            for index in pending:
                target = view.lines[index].target
                if state[target] == 1 or target == root:
                    back.add(index)
                elif not state[target]:
                    state[target] = 1
                    stack.append((target, iter(out[target])))
                    break
            else:
                state[box] = 2
                order.append(box)
                stack.pop()
    order.reverse()
    return back, order


def root_of(view: View) -> int:
    """START, else the first box that nothing leads to, else the first box."""
    entered = {line.target for line in view.lines}
    boxes = range(len(view.boxes))
    for wanted in (True, False):
        for index in boxes:
            box = view.boxes[index]
            if (box.kind == "start" and box.frame is None) if wanted else index not in entered:
                return index
    return 0


def ranks_of(
    view: View, back: set[int], order: list[int], root: int, known: list[int] | None = None
) -> list[int]:
    """Rank of every box, from 0: START alone on top, every line that does not lead back goes down.

    Args:
        known: ranks of an older picture; of equally good ranks those near them are taken.
    """
    count = len(view.boxes)
    forward = [(line, index) for index, line in enumerate(view.lines) if index not in back]
    arcs = [Arc(line.source, line.target, _weight(line)) for line, _ in forward]
    entered = {line.target for line, _ in forward}
    arcs += [Arc(root, box, 0) for box in range(count) if box not in entered and box != root]
    return tight_ranks(count, arcs, order, known)


def _weight(line: Line) -> int:
    if line.evidence >= 2:
        return 0 if line.evidence == 3 else 1
    return 2 if line.dashed else 6
