"""What of a graph is drawn: subgraphs closed, hook chains folded, parallel edges merged, never-edges out."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from itertools import pairwise

from hookstepper.model.graph import HOOK_KINDS, Edge, Graph, Node, NodeKind
from hookstepper.model.ids import NodeId
from hookstepper.picture.homes import Homes
from hookstepper.picture.options import Options, plain, say
from hookstepper.picture.width import cell_width, clean, clip

_STAGE_NAME = 8
"""Most cells of a hook's name for which a folded chain keeps room; a longer one takes the place of the kind
while its hook is at work, shortened, since room for it would stand empty all the time."""
_EVIDENCE = {"declared": 0, "inferred": 1, "observed": 2, "never": 3}


Part = tuple[str, str]
"""A text after a label, and its role word."""


@dataclass(frozen=True, slots=True)
class Box:
    """One node to be drawn; stands for several if a chain is folded or a subgraph closed."""

    id: NodeId
    kind: NodeKind
    label: str
    members: tuple[NodeId, ...]
    """Every node of the graph that it stands for; none if it is the `?` at the end of a stub."""
    frame: int | None
    """Index of the innermost open subgraph around it."""
    parts: tuple[Part, ...] = ()
    """What follows the label: anchors, badges. Never shortened."""
    stages: tuple[str, ...] = ()
    """Of a folded chain: the label while the run is at its first, second, … member."""
    lines: tuple[str, ...] = ()
    """Further rows below the label, in zoom `box`: opened rings."""
    asks: bool = False
    hidden: bool = False
    unknown: bool = False
    """True if only an edge names it."""
    loop: str | None = None
    """Label of its edges to itself; None if it has none."""

    @property
    def suffix(self) -> str:
        """The text of all parts."""
        return "".join(text for text, _ in self.parts)


@dataclass(frozen=True, slots=True)
class Line:
    """All drawn edges between two boxes, as one."""

    source: int
    target: int
    label: str
    edges: tuple[Edge, ...]
    dashed: bool
    evidence: int
    """0 declared, 1 inferred, 2 observed, 3 never."""


@dataclass(frozen=True, slots=True)
class Group:
    """One open subgraph."""

    id: NodeId
    title: str
    parent: int | None
    path: tuple[int, ...]
    """Indexes from the outermost group to this one."""


@dataclass(frozen=True, slots=True)
class View:
    """Boxes in registration order, the lines between them, open subgraphs outer ones first."""

    boxes: tuple[Box, ...]
    lines: tuple[Line, ...]
    groups: tuple[Group, ...]
    homes: dict[NodeId, NodeId]


def view_of(graph: Graph, options: Options) -> View:
    """The part of a graph that the options ask for, with all names turned into shown text."""
    homes = Homes(graph, options)
    edges = [edge for edge in graph.edges if _is_drawn(edge, options)]
    chains = _chains(homes, edges, options)
    for chain in chains:
        for member in chain:
            homes.heads[member] = chain[0]
        homes.nexts.update(pairwise(chain))
    groups, group_of = _groups(homes, options)
    members: dict[NodeId, list[NodeId]] = {}
    for node in homes.nodes.values():
        if not homes.is_open(homes.home(node.id)):
            members.setdefault(homes.home(node.id), []).append(node.id)
    # The hooks of a chain run in its order; that of their registration may be another.
    members.update((chain[0], chain) for chain in chains if chain[0] in members)
    for edge in edges:
        for end in (edge.source, edge.target):
            if end not in homes.nodes:
                members.setdefault(end, [end])
    index = {name: position for position, name in enumerate(members)}
    lines, loops = _lines(homes, graph, edges, index, options)
    boxes = tuple(
        _box(homes, graph, name, tuple(inner), loops.get(name), options) for name, inner in members.items()
    )
    boxes = tuple(_framed(box, homes, group_of) for box in boxes)
    stubs = [index for index, box in enumerate(boxes) if _is_open_ended(homes, box)]
    lines += tuple(Line(a, len(boxes) + b, "", (), True, 1) for b, a in enumerate(stubs))
    boxes += tuple(Box(NodeId(f"{boxes[a].id}⇢?"), "plain", "?", (), boxes[a].frame) for a in stubs)
    return View(boxes, lines, groups, {member: box.id for box in boxes for member in box.members})


def _is_open_ended(homes: Homes, box: Box) -> bool:
    """True if a run may go on from it to where nothing declared leads; a stub to a `?` shows that."""
    return any(homes.nodes[member].open_ended for member in box.members if member in homes.nodes)


def _is_drawn(edge: Edge, options: Options) -> bool:
    return edge.evidence != "never" or options.show_never or edge.source in options.never_of


def _chains(homes: Homes, edges: list[Edge], options: Options) -> list[list[NodeId]]:
    """Runs of two or more hooks of one kind in one graph, each handing on to the next.

    A hook hands on if it has one way to go but jumps; the jumps of all then leave the folded chain.
    """
    if options.zoom != "folded" and not options.folded:
        return []

    ways: dict[NodeId, set[NodeId]] = defaultdict(set)
    for edge in edges:
        if edge.kind != "jump" and edge.evidence != "never":
            ways[edge.source].add(edge.target)

    def may_follow(edge: Edge) -> bool:
        if edge.kind == "jump":
            return False
        a, b = homes.nodes.get(edge.source), homes.nodes.get(edge.target)
        if a is None or b is None or a is b or a.kind != b.kind or a.kind not in HOOK_KINDS:
            return False
        return a.parent == b.parent and ways[edge.source] == {edge.target}

    nexts: dict[NodeId, set[NodeId]] = defaultdict(set)
    befores: dict[NodeId, set[NodeId]] = defaultdict(set)
    for edge in edges:
        if may_follow(edge):
            nexts[edge.source].add(edge.target)
            befores[edge.target].add(edge.source)
    link = {
        a: next(iter(bs)) for a, bs in nexts.items() if len(bs) == 1 and len(befores[next(iter(bs))]) == 1
    }
    heads = [name for name in link if name not in link.values()]
    chains = []
    for head in heads:
        chain = [head]
        while chain[-1] in link:
            chain.append(link[chain[-1]])
        asked = options.zoom == "folded" or not options.folded.isdisjoint(chain)
        if asked and options.unfolded.isdisjoint(chain):
            chains.append(chain)
    return chains


def _groups(homes: Homes, options: Options) -> tuple[tuple[Group, ...], dict[NodeId, int]]:
    found = [
        name
        for name in homes.children
        if homes.is_open(name) and not any(outer in homes.closed for outer in homes.ancestors(name))
    ]
    rank = {name: position for position, name in enumerate(homes.nodes)}
    found.sort(key=lambda name: (len(homes.ancestors(name)), rank[name]))
    index = {name: position for position, name in enumerate(found)}
    groups: list[Group] = []
    for name in found:
        parent = next((index[outer] for outer in homes.ancestors(name)), None)
        path = (*(groups[parent].path if parent is not None else ()), index[name])
        groups.append(Group(name, clean(say(options.words, homes.nodes[name].label)), parent, path))
    return tuple(groups), index


def _lines(
    homes: Homes, graph: Graph, edges: list[Edge], index: dict[NodeId, int], options: Options
) -> tuple[tuple[Line, ...], dict[NodeId, str]]:
    """Merged lines, and boxes that join themselves with the label of that loop."""
    merged: dict[tuple[int, int], list[Edge]] = {}
    loops: dict[NodeId, list[Edge]] = {}
    for edge in edges:
        a, b = homes.tie(edge.source, graph, False), homes.tie(edge.target, graph, True)
        if a == b:
            if edge.source == edge.target or _turns_back(homes, edge):
                loops.setdefault(a, []).append(edge)
            continue
        merged.setdefault((index[a], index[b]), []).append(edge)
    lines = tuple(
        Line(
            a,
            b,
            _merged_label(group, options),
            tuple(group),
            all(edge.kind != "fixed" for edge in group),
            min(_EVIDENCE.get(edge.evidence, 0) for edge in group),
        )
        for (a, b), group in merged.items()
    )
    return lines, {name: _merged_label(group, options) for name, group in loops.items()}


def _turns_back(homes: Homes, edge: Edge) -> bool:
    """True for an edge inside a folded chain that does not merely hand on."""
    return edge.source in homes.heads and homes.nexts.get(edge.source) != edge.target


def _merged_label(edges: list[Edge], options: Options) -> str:
    ordered = sorted(edges, key=lambda edge: edge.kind == "jump")
    words = [clean(say(options.words, edge.label)) for edge in ordered if edge.label]
    return say(options.words, ", ").join(dict.fromkeys(words))


def _box(
    homes: Homes, graph: Graph, name: NodeId, members: tuple[NodeId, ...], loop: str | None, options: Options
) -> Box:
    node = homes.nodes.get(name)
    if node is None:
        return Box(
            name,
            "plain",
            clean(name),
            members,
            None,
            unknown=True,
            loop=loop,
            parts=_loop_part(loop, options),
        )
    words = options.words

    def sign(glyph: str) -> str:
        return " " + plain(glyph, options.glyphs)

    label = clean(node.label)
    stages: tuple[str, ...] = ()
    chain = len(members) > 1 and name in homes.heads
    if chain:
        label, stages = _chain_text(homes, node, members, options)
    parts: list[Part] = [(_anchor_text(graph, (name, *members) if chain else (name,), options), "anchor")]
    if node.hidden:
        parts.append((sign("‹") + say(words, "hidden") + sign("›").strip(), "anchor"))
    if name in homes.children and not homes.is_open(name):
        parts.append((sign("▸"), "fold"))
    if node.rings and not chain:
        names = tuple(clean(ring.name) for ring in node.rings)
        opened = name in options.open_rings
        listed = opened and options.zoom != "box"
        badge = sign("◎") + (" " + (sign("›") + " ").join(names) if listed else str(len(names)))
        parts.append((badge, "ring"))
        lines = tuple(f"{sign('◎').strip()} {ring}" for ring in names) if opened and not listed else ()
    else:
        lines = ()
    parts += _loop_part(loop, options)
    asks = any(homes.nodes[member].can_ask for member in members if member in homes.nodes)
    return Box(
        name,
        node.kind,
        label,
        members,
        None,
        tuple(part for part in parts if part[0]),
        stages,
        lines,
        asks,
        node.hidden,
        loop=loop,
    )


def _loop_part(loop: str | None, options: Options) -> tuple[Part, ...]:
    if loop is None:
        return ()
    return ((f" {plain('↻', options.glyphs)}" + (f" {loop}" if loop else ""), "anchor"),)


def _chain_text(
    homes: Homes, first: Node, members: tuple[NodeId, ...], options: Options
) -> tuple[str, tuple[str, ...]]:
    kind = say(options.words, first.kind.replace("_", " "))
    count = len(members)
    nodes = [homes.nodes[member] for member in members]
    names = [clean(node.owner or node.label.rpartition(".")[0] or node.label) for node in nodes]
    named = max(map(cell_width, names)) <= _STAGE_NAME
    label = f"{kind} {plain('×', options.glyphs)}{count}"
    if named:
        stages = [f"{kind} {position}/{count} {name}" for position, name in enumerate(names, 1)]
    else:
        room = cell_width(label)
        stages = [
            _stage(f"{position}/{count}", name, room, options) for position, name in enumerate(names, 1)
        ]
    return label, tuple(stages)


def _stage(position: str, name: str, room: int, options: Options) -> str:
    """Position and name in the cells that a folded chain has anyway."""
    full = f"{position} {name}"
    shown = clip(full, room)
    return shown if shown == full else shown[:-1] + plain("…", options.glyphs)


def _anchor_text(graph: Graph, names: tuple[NodeId, ...], options: Options) -> str:
    found = [
        word.replace("_", " ")
        for word in ("entry", "loop_entry", "loop_exit", "exit")
        if getattr(graph.anchors, word) in names
    ]
    left, right = plain("‹", options.glyphs), plain("›", options.glyphs)
    return "".join(f" {left}{say(options.words, word)}{right}" for word in found)


def _framed(box: Box, homes: Homes, group_of: dict[NodeId, int]) -> Box:
    around = next((group_of[outer] for outer in homes.ancestors(box.id) if outer in group_of), None)
    return box if around is None else replace(box, frame=around)
