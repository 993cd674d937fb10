"""One long line taken out and put back where it crosses least, all its bends at once.

With everything else in place, the cheapest way of a chain through the ranks is a shortest path: the state is
the gap that it takes on a rank, the cost of a step is the number of links that cross it between two ranks.
Sifting moves one bend at a time and is stuck where only the whole chain could move.
"""

from __future__ import annotations

from operator import add

from hookstepper.picture.arrangement import Arrangement
from hookstepper.picture.scene import Chain

_CLOSED = 10**9


class Reinserter:
    """Improves an arrangement one chain at a time."""

    def __init__(self, state: Arrangement) -> None:
        self.state = state
        self.items = state.items
        self.layers = state.layers
        self.spot = state.spot
        self.flat = state.flat

    def improve(self, chain: Chain) -> bool:
        """Put a chain on its cheapest way; True if it moved."""
        ranks = sorted(chain.bends)
        bends = [chain.bends[rank].serial for rank in ranks]
        if any(self.items[bend].bias for bend in bends):
            return False
        if not self._crosses(bends):
            return False
        before = [self.spot[bend] for bend in bends]
        for rank, bend in zip(ranks, bends, strict=True):
            self._take_out(rank, bend)
        gaps = self._cheapest(chain, ranks, bends, before)
        for rank, bend, gap in zip(ranks, bends, gaps, strict=True):
            self.layers[rank].insert(gap, bend)
        moved = gaps != before
        for rank, gap, old in zip(ranks, gaps, before, strict=True):
            if gap != old:
                self.state.number(rank)
            else:
                self._number(rank, gap)
        return moved

    def _crosses(self, bends: list[int]) -> bool:
        """True if a link of the chain crosses another one, or a sideways line belongs to it."""
        spot, up, down = self.spot, self.state.up, self.state.down
        if any(self.flat[bend] for bend in bends):
            return True
        links = [(bend, other) for bend in bends for other in down[bend]]
        links += [(other, bends[0]) for other in up[bends[0]]]
        for upper, lower in links:
            at, end = spot[upper], spot[lower]
            for other in self.layers[self.items[upper].rank]:
                left = spot[other] < at
                for below in down[other]:
                    if other != upper and spot[below] != end and (spot[below] < end) != left:
                        return True
        return False

    def _take_out(self, rank: int, bend: int) -> None:
        at = self.spot[bend]
        self.layers[rank].pop(at)
        self._number(rank, at)

    def _number(self, rank: int, start: int) -> None:
        layer, spot = self.layers[rank], self.spot
        for index in range(start, len(layer)):
            spot[layer[index]] = index

    def _cheapest(self, chain: Chain, ranks: list[int], bends: list[int], before: list[int]) -> list[int]:
        costs = self._gap_costs(chain, ranks[0], bends[0])
        steps: list[tuple[list[int], list[tuple[int, ...]]]] = []
        for position in range(1, len(ranks)):
            crossing = self._between(ranks[position - 1])
            own = self._gap_costs(chain, ranks[position], bends[position])
            steps.append((costs, crossing))
            least = [min(map(add, costs, column)) for column in crossing]
            costs = list(map(add, least, own))
        gap = _least(costs, before[-1])
        way = [gap]
        # Only the way that is taken is followed back: which gap each step came from is not kept for all.
        for (reached, crossing), stay in zip(reversed(steps), reversed(before[:-1]), strict=True):
            gap = _least(list(map(add, reached, crossing[gap])), stay)
            way.append(gap)
        way.reverse()
        return way

    def _between(self, rank: int) -> list[tuple[int, ...]]:
        """`[lower gap][upper gap]` → links from a rank to the next that a line through both would cross."""
        spot = self.spot
        upper, lower = self.layers[rank], self.layers[rank + 1]
        width = len(lower) + 1
        down = self.state.down
        # The bend that was taken out still has a spot, where another item stands now, or none.
        there = [*lower, -1]
        ends_of = [[at for o in down[s] if (at := spot[o]) < width and there[at] == o] for s in upper]
        inside = [0] * width
        """Links that end left of each lower gap."""
        for ends in ends_of:
            for end in ends:
                inside[end + 1] += 1
        for gap in range(1, width):
            inside[gap] += inside[gap - 1]
        steps = [1] * width + [-1] * width
        rows = [inside]
        for ends in ends_of:
            row = rows[-1]
            for end in ends:
                row = list(map(add, row, steps[width - 1 - end : 2 * width - 1 - end]))
            rows.append(row)
        return list(zip(*rows, strict=True))

    def _gap_costs(self, chain: Chain, rank: int, bend: int) -> list[int]:
        """Cost of each gap of a rank: where the chain meets nodes above, below or beside; closed gaps."""
        layer = self.layers[rank]
        plain = chain.frame is None and self.state.is_plain[rank]
        costs = [0] * (len(layer) + 1) if plain else self._open_gaps(chain, layer)
        for other in self.state.up[bend]:
            if self.items[other].chain is not chain:
                self._add_link(costs, self.layers[rank - 1], other, layer, self.state.down)
        for other in self.state.down[bend]:
            if self.items[other].chain is not chain:
                self._add_link(costs, self.layers[rank + 1], other, layer, self.state.up)
        for node in self.flat[bend]:
            at = self.spot[node]
            for gap in range(len(layer) + 1):
                costs[gap] += at - gap if gap <= at else gap - at - 1
        return costs

    def _open_gaps(self, chain: Chain, layer: list[int]) -> list[int]:
        """0 for the gaps that lie directly inside the chain's own subgraph, else closed."""
        costs: list[int] = []
        around: list[int | None] = [None]
        left_over = sum(1 for s in layer if self.items[s].bias < 0 and self.items[s].kind != "wall")
        right_seen = False
        for serial in [-1, *layer]:
            if serial >= 0:
                item = self.items[serial]
                if item.kind == "wall" and item.bias < 0:
                    around.append(item.frame)
                elif item.kind == "wall":
                    around.pop()
                elif item.bias < 0:
                    left_over -= 1
                elif item.bias > 0:
                    right_seen = True
            is_open = around[-1] == chain.frame and not left_over and not right_seen
            costs.append(0 if is_open else _CLOSED)
        return costs

    def _add_link(
        self, costs: list[int], far: list[int], fixed: int, layer: list[int], towards: list[list[int]]
    ) -> None:
        """Crossings of a link from each gap of a rank to a fixed item of a neighbouring one."""
        at = self.spot[fixed]
        delta = [0] * (len(layer) + 1)
        base = 0
        for serial in far:
            side = self.spot[serial]
            if side == at:
                continue
            for other in towards[serial]:
                end = self.spot[other]
                if end >= len(layer) or layer[end] != other:
                    continue
                if side < at:
                    base += 1
                    delta[end + 1] -= 1
                else:
                    delta[end + 1] += 1
        running = base
        for gap in range(len(layer) + 1):
            running += delta[gap]
            costs[gap] += running


def _least(costs: list[int], stay: int) -> int:
    """The gap of least cost: the one that is taken now, else the first."""
    least = min(costs)
    return stay if costs[stay] == least else costs.index(least)
