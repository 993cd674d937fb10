"""Ranks with the least total weighted length: network simplex on a spanning tree.

Source: Gansner, Koutsofios, North, Vo, "A technique for drawing directed graphs", IEEE TSE 19(3), 1993, §2.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Arc:
    """`target` stands at least one rank below `source`; each rank more costs `weight`."""

    source: int
    target: int
    weight: int


def tight_ranks(count: int, arcs: list[Arc], order: list[int], known: list[int] | None = None) -> list[int]:
    """Rank of each of `count` boxes, least rank 0, with the least sum of weight × length.

    Args:
        arcs: acyclic and connected.
        order: the boxes so that every arc goes forward where possible; used for the first ranks.
        known: least first ranks, from an older picture.

    The number of exchanges is bounded (large graphs keep a good, not the best, solution), so the result
    does not depend on the speed of the machine.
    """
    if count <= 1:
        return [0] * count
    solver = _Simplex(count, arcs, order, known)
    solver.grow_tree()
    solver.exchange(limit=60 + 4 * count if count <= 300 else 120)
    least = min(solver.rank)
    return [rank - least for rank in solver.rank]


class _Simplex:
    """A feasible ranking and a spanning tree of tight arcs."""

    def __init__(self, count: int, arcs: list[Arc], order: list[int], known: list[int] | None) -> None:
        self.count = count
        self.arcs = arcs
        self.tail = [arc.source for arc in arcs]
        self.head = [arc.target for arc in arcs]
        self.weight = [arc.weight for arc in arcs]
        self.near: list[list[int]] = [[] for _ in range(count)]
        for index, arc in enumerate(arcs):
            self.near[arc.source].append(index)
            self.near[arc.target].append(index)
        self.rank = self._longest_paths(order, list(known or [0] * count))
        self.in_tree = [False] * len(arcs)
        self.cut = [0] * len(arcs)
        self.parent = [-1] * count
        """Tree arc towards the root."""
        self.low = [0] * count
        self.lim = [0] * count
        self.tree: list[list[int]] = [[] for _ in range(count)]
        """Tree arcs at each box."""
        self.post: list[int] = []

    def _longest_paths(self, order: list[int], rank: list[int]) -> list[int]:
        waiting = [0] * self.count
        for target in self.head:
            waiting[target] += 1
        ready = [box for box in order if not waiting[box]]
        for box in ready:
            for index in self.near[box]:
                if self.tail[index] == box:
                    target = self.head[index]
                    rank[target] = max(rank[target], rank[box] + 1)
                    waiting[target] -= 1
                    if not waiting[target]:
                        ready.append(target)
        return rank

    def slack(self, index: int) -> int:
        return self.rank[self.head[index]] - self.rank[self.tail[index]] - 1

    def grow_tree(self) -> None:
        """Shift parts of the graph until tight arcs span it."""
        inside = [False] * self.count
        inside[0] = True
        reached = [0]
        self._spread(inside, reached, 0)
        while len(reached) < self.count:
            best, best_slack = -1, 0
            for index in range(len(self.arcs)):
                if inside[self.tail[index]] != inside[self.head[index]]:
                    slack = self.slack(index)
                    if best < 0 or slack < best_slack:
                        best, best_slack = index, slack
            shift = best_slack if inside[self.tail[best]] else -best_slack
            for box in reached:
                self.rank[box] += shift
            self.in_tree[best] = True
            fresh = self.head[best] if inside[self.tail[best]] else self.tail[best]
            inside[fresh] = True
            reached.append(fresh)
            self._spread(inside, reached, len(reached) - 1)
        self._number()
        self._first_cuts()

    def _spread(self, inside: list[bool], reached: list[int], at: int) -> None:
        while at < len(reached):
            box = reached[at]
            at += 1
            for index in self.near[box]:
                other = self.head[index] if self.tail[index] == box else self.tail[index]
                if not inside[other] and self.slack(index) == 0:
                    inside[other] = True
                    self.in_tree[index] = True
                    reached.append(other)

    def _number(self) -> None:
        """Postorder numbers of the whole tree: `low..lim` of a box covers exactly its subtree."""
        for index, chosen in enumerate(self.in_tree):
            if chosen:
                self.tree[self.tail[index]].append(index)
                self.tree[self.head[index]].append(index)
        self.low[0] = 1
        self.post = self._number_below(0)

    def _number_below(self, root: int) -> list[int]:
        """Number a subtree anew, from the lowest number of its root on; its boxes from the leaves up."""
        post: list[int] = []
        next_number = self.low[root]
        stack = [(root, iter(self.tree[root]))]
        while stack:
            box, pending = stack[-1]
            for index in pending:
                if index != self.parent[box]:
                    other = self.head[index] if self.tail[index] == box else self.tail[index]
                    self.parent[other] = index
                    self.low[other] = next_number
                    stack.append((other, iter(self.tree[other])))
                    break
            else:
                self.lim[box] = next_number
                next_number += 1
                post.append(box)
                stack.pop()
        return post

    def _first_cuts(self) -> None:
        """Cut values from the leaves up: each arc's, from those of the arcs below it."""
        for box in self.post:
            up = self.parent[box]
            if up < 0:
                continue
            down_end = self.tail[up] == box
            value = self.weight[up]
            for index in self.near[box]:
                if index == up:
                    continue
                same = (self.tail[index] == box) == down_end
                value += self.weight[index] if same else -self.weight[index]
                other = self.head[index] if self.tail[index] == box else self.tail[index]
                if self.in_tree[index] and self.parent[other] == index:
                    value += -self.cut[index] if same else self.cut[index]
            self.cut[up] = value

    def exchange(self, limit: int) -> None:
        """Swap a tree arc of negative cut value for the tightest arc across it, at most `limit` times."""
        start = 0
        size = len(self.arcs)
        for _ in range(limit):
            leaving = -1
            for offset in range(size):
                index = (start + offset) % size
                if self.in_tree[index] and self.cut[index] < 0:
                    leaving = index
                    start = index + 1
                    break
            if leaving < 0:
                return
            self._swap(leaving, self._entering(leaving))

    def _below(self, leaving: int) -> tuple[int, bool]:
        """The lower end of a tree arc, and whether that end is the arc's tail."""
        tail = self.tail[leaving]
        return (tail, True) if self.parent[tail] == leaving else (self.head[leaving], False)

    def _entering(self, leaving: int) -> int:
        box, tail_below = self._below(leaving)
        low, lim = self.low[box], self.lim[box]
        best, best_slack = leaving, -1
        for index in range(len(self.arcs)):
            if self.in_tree[index]:
                continue
            tail_in = low <= self.lim[self.tail[index]] <= lim
            head_in = low <= self.lim[self.head[index]] <= lim
            if tail_in in (head_in, tail_below):
                continue
            slack = self.slack(index)
            if best_slack < 0 or slack < best_slack:
                best, best_slack = index, slack
        return best

    def _swap(self, leaving: int, entering: int) -> None:
        if entering == leaving:
            self.cut[leaving] = 0
            return
        box, _ = self._below(leaving)
        slack = self.slack(entering)
        low, lim = self.low[box], self.lim[box]
        if slack:
            move = slack if self._tail_in(entering, low, lim) else -slack
            for other in range(self.count):
                if low <= self.lim[other] <= lim:
                    self.rank[other] += move
        value = self.cut[leaving]
        self.in_tree[leaving], self.in_tree[entering] = False, True
        root = self._push(self.tail[entering], self.head[entering], value, True)
        self._push(self.head[entering], self.tail[entering], value, False)
        self.cut[entering], self.cut[leaving] = -value, 0
        for index, change in ((leaving, list.remove), (entering, list.append)):
            change(self.tree[self.tail[index]], index)
            change(self.tree[self.head[index]], index)
        self._number_below(root)

    def _tail_in(self, index: int, low: int, lim: int) -> bool:
        return low <= self.lim[self.tail[index]] <= lim

    def _push(self, box: int, other: int, value: int, forward: bool) -> int:
        """Add the leaving cut value along the tree path from `box` up to the common root with `other`.

        Returns that root.
        """
        while not self.low[box] <= self.lim[other] <= self.lim[box]:
            arc = self.parent[box]
            down = forward if self.tail[arc] == box else not forward
            self.cut[arc] += value if down else -value
            box = self.head[arc] if self.tail[arc] == box else self.tail[arc]
        return box
