"""After ordering: which lines leave and enter sideways, and which lines cannot share a lane.

A sideways run needs its row free of nodes and of other runs. A line that cannot run sideways goes through
the channel below or above; if a join there could be misread, it gets a chain of its own. So two lines
share cells only where they share a source or a target.
"""

from __future__ import annotations

from hookstepper.picture.build import cover
from hookstepper.picture.scene import Chain, Item, Scene, link


def settle(scene: Scene) -> None:
    """Fix the way in and out of every lane and back line; may add and remove bends, keeps the order."""
    _Settler(scene).run()


class _Settler:
    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.slots: dict[tuple[int, int], tuple[str, int]] = {}
        """(node, side) → direction, and the chain that leaves there or the target that is entered."""
        self.runs: dict[int, list[tuple[float, float, tuple[str, int, int]]]] = {}

    def run(self) -> None:
        scene = self.scene
        sideways = [chain for chain in scene.chains if chain.kind != "far"]
        entered = {chain.serial for chain in sideways if self._enters(chain)}
        stuck: list[int] = []
        for index, route in enumerate(scene.routes):
            if route.chain is None or route.kind == "far":
                continue
            route.side_in = route.chain.serial in entered
            source = scene.nodes[scene.view.lines[index].source]
            route.side_out = self._takes(source, route.chain.bends[source.rank], "out", route.chain.serial)
            if not route.side_out:
                stuck.append(index)
        leaving = [0] * len(scene.view.boxes)
        for index, route in enumerate(scene.routes):
            if not route.side_out:
                leaving[scene.view.lines[index].source] += 1
        for index in stuck:
            chain = scene.routes[index].chain
            assert chain is not None
            if len(chain.lines) > 1 and leaving[scene.view.lines[index].source] > 1:
                self._split(index, chain)
        for chain in sideways:
            self._trim(chain)
        for layer in scene.layers:
            scene.number(layer)

    def _enters(self, chain: Chain) -> bool:
        target = self.scene.nodes[chain.target]
        bend = chain.bends.get(target.rank)
        return bend is not None and self._takes(target, bend, "in", chain.target)

    def _takes(self, node: Item, bend: Item, use: str, claim: int) -> bool:
        """Claim the run between a node and a bend of its rank; False if something is in the way.

        All lanes into one target may share its side: each ends there. Out of one side leads one lane.
        """
        layer = self.scene.layers[node.rank]
        low, high = sorted((node.spot, bend.spot))
        if any(item.kind == "node" for item in layer[low + 1 : high]):
            return False
        side = 1 if bend.spot > node.spot else -1
        mine = (use, claim)
        if self.slots.get((node.serial, side), mine) != mine:
            return False
        span = (node.spot + 0.5, bend.spot) if side > 0 else (bend.spot, node.spot - 0.5)
        owner = (*mine, node.serial)
        runs = self.runs.setdefault(node.rank, [])
        if any(low <= span[1] and span[0] <= high and other != owner for low, high, other in runs):
            return False
        self.slots[node.serial, side] = mine
        runs.append((span[0], span[1], owner))
        return True

    def _split(self, index: int, old: Chain) -> None:
        """Give one line of a bundle a chain of its own, beside the old one."""
        scene = self.scene
        route, line = scene.routes[index], scene.view.lines[index]
        source, target = scene.nodes[line.source], scene.nodes[line.target]
        is_back = old.kind == "back"
        chain = Chain(len(scene.chains), old.kind if is_back else "far", old.target, 0, old.frame)
        scene.chains.append(chain)
        chain.lines.append(index)
        old.lines.remove(index)
        ranks = range(target.rank, source.rank + 1) if is_back else range(source.rank + 1, target.rank)
        cover(scene, chain, ranks[0], ranks[-1])
        for rank in ranks:
            layer = scene.layers[rank]
            bend = layer.pop()
            beside = old.bends.get(rank) or next(iter(old.bends.values()))
            at = layer.index(beside) if beside in layer else len(layer)
            layer.insert(at + (1 if beside.bias < 0 else 0), bend)
            bend.bias = beside.bias
            if rank - 1 in ranks:
                link(chain.bends[rank - 1], bend, 8)
        if is_back:
            chain.bends[source.rank].flat.append(source)
            chain.bends[target.rank].flat.append(target)
        else:
            link(source, chain.bends[ranks[0]], 1)
            link(chain.bends[ranks[-1]], target, 1)
        route.chain, route.kind, route.side_in = chain, chain.kind, False

    def _trim(self, chain: Chain) -> None:
        """Drop the bends that no line of the chain runs through any more."""
        scene = self.scene
        needed: set[int] = set()
        for index in chain.lines:
            line, route = scene.view.lines[index], scene.routes[index]
            source, target = scene.nodes[line.source], scene.nodes[line.target]
            if chain.kind == "back":
                needed.update(range(target.rank, source.rank + 1))
                continue
            first = source.rank if route.side_out else source.rank + 1
            needed.update(range(first, target.rank + (1 if route.side_in else 0)))
            if not route.side_out:
                link(source, chain.bends[source.rank + 1], 1)
        target = scene.nodes[chain.target]
        if chain.kind == "lane" and target.rank in chain.bends and target.rank not in needed and chain.lines:
            link(chain.bends[target.rank - 1], target, 1)
        for rank in sorted(set(chain.bends) - needed):
            self._remove(chain, rank)

    def _remove(self, chain: Chain, rank: int) -> None:
        bend = chain.bends.pop(rank)
        self.scene.layers[rank].remove(bend)
        for other, _ in bend.up:
            other.down = [entry for entry in other.down if entry[0] is not bend]
        for other, _ in bend.down:
            other.up = [entry for entry in other.up if entry[0] is not bend]
