"""Small readers for the Mermaid and PlantUML that we and Spring AI Alibaba write.

They share no code with the writers. The text on a node is its true id, a node of a subgraph is
`outer:inner`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

Way = tuple[str, str, str, bool]
"""Source, target, label, dashed."""


@dataclass
class Drawn:
    """What a diagram file says."""

    title: str = ""
    nodes: dict[str, str] = field(default_factory=dict)
    """Name in the file to node id."""
    groups: set[str] = field(default_factory=set)
    ways: list[Way] = field(default_factory=list)

    @property
    def ids(self) -> list[str]:
        return list(self.nodes.values())

    def through_conditions(self) -> list[Way]:
        """The ways with the rhombuses taken out: node to node, as they were chosen."""
        behind = {target: source for source, target, _, _ in self.ways if _is_condition(target)}
        return [
            (behind.get(source, source), target, label, dashed)
            for source, target, label, dashed in self.ways
            if not _is_condition(target)
        ]


def _is_condition(node_id: str) -> bool:
    return node_id.startswith("\0")


def read_mermaid(text: str) -> Drawn:
    """The nodes, subgraphs and ways of a flowchart, comments left out."""
    drawn = Drawn()
    path: list[str] = []
    arrows: list[str] = []
    for line in (line.strip() for line in text.split("\n")):
        if line.startswith(("%%", "classDef", "---", "flowchart")) or not line:
            continue
        if found := re.fullmatch(r"title: (.*)", line):
            drawn.title = found[1]
        elif found := re.fullmatch(r'subgraph (\S+)(?: \["(.*)"\])?', line):
            path.append(_entities(found[2] if found[2] is not None else found[1]))
            drawn.nodes[found[1]] = ":".join(path)
            drawn.groups.add(":".join(path))
        elif line == "end":
            path.pop()
        elif found := re.fullmatch(r"(\S+?)\(\((start|stop)\)\)(?::::\S+)?", line):
            drawn.nodes[found[1]] = ":".join([*path, "__START__" if found[2] == "start" else "__END__"])
        elif found := re.fullmatch(r'(\S+)\{"check state"\}', line):
            drawn.nodes[found[1]] = f"\0{found[1]}"
        elif found := re.fullmatch(r'(.+?)\("(.*)"\)', line):
            drawn.nodes[found[1]] = ":".join([*path, _entities(found[2])])
        else:
            arrows.append(line)
    for line in arrows:
        found = re.fullmatch(r"(\S+):::\1 (-->|-\.->)(?:\|(.*)\|)? (\S+):::\4", line)
        assert found, line
        label = (found[3] or "").removeprefix('"').removesuffix('"')
        drawn.ways.append((drawn.nodes[found[1]], drawn.nodes[found[4]], _entities(label), found[2] != "-->"))
    return drawn


def read_plantuml(text: str) -> Drawn:
    """The nodes, packages and ways of a use case diagram, comments left out. Not for raw nested diagrams."""
    drawn = Drawn()
    path: list[str] = []
    arrows: list[str] = []
    for line in text.split("\n"):
        if line.startswith("'") or not line:
            continue
        if found := re.fullmatch(r'title "(.*)"', line):
            drawn.title = _codes(found[1])
        elif found := re.fullmatch(r'package "(.*?)"(?: as (.+))? \{', line):
            path.append(_codes(found[1]))
            drawn.nodes[(found[2] or found[1]).strip('"')] = ":".join(path)
            drawn.groups.add(":".join(path))
        elif line == "}":
            path.pop()
        elif found := re.fullmatch(r'circle (?:start<<input>>|stop|" "|exit) as (\S+)', line):
            end = "__START__" if found[1].startswith("__START__") else "__END__"
            drawn.nodes[found[1]] = ":".join([*path, end])
        elif found := re.fullmatch(r'hexagon "check state" as (\S+)<<Condition>>', line):
            drawn.nodes[found[1]] = f"\0{found[1]}"
        elif found := re.fullmatch(r'usecase "(.*?)"(?: as (.+))?<<Node>>', line):
            drawn.nodes[(found[2] or found[1]).strip('"')] = ":".join([*path, _codes(found[1])])
        elif ".down.>" in line or "-down->" in line:
            arrows.append(line)
    for line in arrows:
        found = re.fullmatch(r'"(.*?)" ([-.])down[-.]> "(.*?)"(?:: "(.*)")?', line)
        assert found, line
        ends = drawn.nodes[found[1]], drawn.nodes[found[3]]
        drawn.ways.append((*ends, _codes(found[4] or ""), found[2] == "."))
    return drawn


def _entities(text: str) -> str:
    return re.sub(r"#(\d+);", lambda found: chr(int(found[1])), text)


def _codes(text: str) -> str:
    return re.sub(r"<U\+([0-9A-F]+)>", lambda found: chr(int(found[1], 16)), text)
