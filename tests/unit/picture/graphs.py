"""Reference graphs: the agent, the demonstration agent, teams, five tools, and seeded random ones."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise

from hookstepper.model.graph import Anchors, Edge, EdgeKind, Graph, Node, NodeKind, Ring
from hookstepper.model.ids import END, START, NodeId
from hookstepper.picture import ZOOMS, Options

WILD_LABELS = ("节点 é", "👩‍💻 dev", "🇨🇳", "x", "a\x1b[31mred\u202e", "n" * 60)


def node(name: str, kind: NodeKind = "plain", label: str = "", **more: object) -> Node:
    return Node(NodeId(name), label or name, kind, **more)  # type: ignore[arg-type]


def edge(a: str, b: str, label: str = "", kind: EdgeKind = "fixed", **more: object) -> Edge:
    return Edge(NodeId(a), NodeId(b), kind, label, **more)  # type: ignore[arg-type]


def ends() -> tuple[Node, Node]:
    return node(START, "start", "START"), node(END, "end", "END")


def agent() -> Graph:
    """Hooks around a model and a tool node, with jumps to end, to the tool and to the loop entry."""
    start, end = ends()
    hooks: list[tuple[str, NodeKind]] = [
        ("Instruction.before", "before_agent"),
        ("Log.before", "before_agent"),
        ("PII.beforeModel", "before_model"),
        ("Limit.beforeModel", "before_model"),
        ("model", "model"),
        ("Safety.afterModel", "after_model"),
        ("Edit.afterModel", "after_model"),
        ("Log.afterModel", "after_model"),
        ("tool", "tool"),
        ("Log.after", "after_agent"),
    ]
    nodes = (start, *(node(name, kind) for name, kind in hooks), end)
    path = [START, *(name for name, _ in hooks[:8])]
    edges = [edge(a, b) for a, b in pairwise(path)]
    edges += [
        edge("Log.afterModel", "tool", "tool_calls", "conditional"),
        edge("Log.afterModel", "Log.after", "done", "conditional"),
        edge("Log.after", END),
        edge("Log.afterModel", "PII.beforeModel", "retry", "conditional"),
        edge("tool", "PII.beforeModel", "continue", "conditional"),
        edge("tool", END, "return_direct", "conditional"),
        edge("Limit.beforeModel", END, "jump: limit", "jump"),
        edge("Safety.afterModel", END, "jump: unsafe", "jump"),
        edge("Safety.afterModel", "tool", "jump: tool", "jump"),
    ]
    return Graph("agent", nodes, tuple(edges))


def demo() -> Graph:
    """The demonstration agent of the debugger's screens."""
    start, end = ends()
    hooks: list[tuple[str, NodeKind]] = [
        ("InstructionAgentHook.before", "before_agent"),
        ("Audit.before", "before_agent"),
        ("Log.beforeModel", "before_model"),
        ("model", "model"),
        ("Safety.afterModel", "after_model"),
        ("Edit.afterModel", "after_model"),
        ("HITL.afterModel", "after_model"),
        ("Log.afterModel", "after_model"),
        ("Audit.after", "after_agent"),
        ("tool", "tool"),
    ]
    nodes = (start, *(node(name, kind, owner=name.split(".")[0]) for name, kind in hooks), end)
    path = [START, *(name for name, _ in hooks[:8])]
    edges = [edge(a, b) for a, b in pairwise(path)]
    edges += [
        edge("Safety.afterModel", "Audit.after", "jump end", "jump"),
        edge("Log.afterModel", "tool", "tool calls", "conditional"),
        edge("Log.afterModel", "Audit.after", "done", "conditional"),
        edge("Log.afterModel", "Log.beforeModel", "jump model", "jump"),
        edge("tool", "Log.beforeModel", "again", "conditional"),
        edge("tool", "Audit.after", "return direct", "conditional", evidence="never"),
        edge("Audit.after", END),
    ]
    anchors = Anchors(
        NodeId("InstructionAgentHook.before"),
        NodeId("Log.beforeModel"),
        NodeId("Log.afterModel"),
        NodeId("Audit.after"),
    )
    return Graph("demo", nodes, tuple(edges), anchors)


def multi() -> Graph:
    """A supervisor with two teams, each a subgraph."""
    start, end = ends()
    research, writing = NodeId("research"), NodeId("writing")
    nodes = (
        start,
        node("supervisor"),
        node("research", "subgraph", "research_team"),
        node("writing", "subgraph", "writing_team 写作组"),
        node("lead", label="team_lead", parent=research),
        node("search", "tool", "web_search", parent=research),
        node("scrape", "tool", "scrape 抓取", parent=research),
        node("sum", "model", "总结 summarise", parent=research),
        node("editor", parent=writing),
        node("outline", "model", "outline 大纲", parent=writing),
        node("draft", "model", parent=writing),
        node("review", "model", "review 审阅", parent=writing),
        node("human", label="human_approval", can_ask=True),
        end,
    )
    edges = (
        edge(START, "supervisor"),
        edge("supervisor", "lead", "research", "conditional"),
        edge("supervisor", "editor", "write", "conditional"),
        edge("supervisor", "human", "finish", "conditional"),
        edge("lead", "search", kind="conditional"),
        edge("lead", "scrape", kind="conditional"),
        edge("search", "sum"),
        edge("scrape", "sum"),
        edge("sum", "lead", "more", "conditional"),
        edge("sum", "supervisor", "report"),
        edge("editor", "outline"),
        edge("outline", "draft"),
        edge("draft", "review"),
        edge("review", "draft", "revise", "conditional"),
        edge("review", "supervisor", "done", "conditional"),
        edge("human", END, "ok", "conditional"),
        edge("human", "supervisor", "reject", "conditional"),
    )
    return Graph("multi", nodes, edges)


def react() -> Graph:
    """A model with five tools that all return to it, and a last step."""
    start, end = ends()
    tools = ["browser", "sql_query", "读取文件", "calculator", "search"]
    nodes = (
        start,
        node("agent", "model"),
        node("summarise", "model"),
        *(node(t, "tool") for t in tools),
        end,
    )
    edges = [edge(START, "agent"), edge("agent", "summarise", "final", "conditional")]
    edges += [edge("agent", tool, kind="conditional") for tool in tools]
    edges += [edge(tool, "agent") for tool in tools]
    edges += [edge("summarise", END), edge("agent", "agent", "think", "conditional")]
    return Graph("react", nodes, tuple(edges))


def rand(count: int, seed: int = 7, back: float = 0.10, density: float = 1.45) -> Graph:
    """A connected graph that mostly goes down, with a share of edges that lead back."""
    chance = random.Random(seed)
    kinds: list[NodeKind] = ["plain", "tool", "model", "before_model"]
    nodes = [node(f"n{i}", chance.choice(kinds), f"node_{i}") for i in range(count)]
    seen: set[tuple[int, int]] = set()
    edges: list[Edge] = []

    def add(a: int, b: int, kind: EdgeKind = "fixed") -> bool:
        if a == b or (a, b) in seen:
            return False
        seen.add((a, b))
        edges.append(edge(f"n{a}", f"n{b}", kind=kind))
        return True

    for i in range(1, count):
        add(chance.randrange(max(0, i - 8), i), i)
    total = int(count * density)
    for _ in range(50 * total):
        if len(edges) >= total or count < 3:
            break
        a = chance.randrange(0, count - 1)
        b = min(count - 1, a + 1 + int(chance.expovariate(1 / 6)))
        add(a, b, "conditional" if chance.random() < 0.25 else "fixed")
    left = int(total * back)
    for _ in range(20 * left):
        if not left or count < 4:
            break
        b = chance.randrange(0, count - 2)
        a = min(count - 1, b + 2 + int(chance.expovariate(1 / 8)))
        left -= add(a, b, "conditional")
    return Graph(f"rand{count}", tuple(nodes), tuple(edges))


def messy(seed: int) -> Graph:
    """A random graph with what breaks drawings: subgraphs, loops, wide labels, ends, parallel edges."""
    chance = random.Random(seed)
    count = chance.randrange(3, 40)
    graph = rand(count, seed, chance.choice([0, 0.1, 0.2]), chance.choice([1.1, 1.4, 1.8]))
    nodes, edges = list(graph.nodes), list(graph.edges)
    if chance.random() < 0.5:
        nodes[0] = replace(nodes[0], kind="start", label="START")
        nodes[-1] = replace(nodes[-1], kind="end", label="END")
    for index, item in enumerate(nodes):
        if chance.random() < 0.3:
            nodes[index] = replace(
                item, label=chance.choice(["节点 é", "👩‍💻 dev", "🇨🇳", "x", "a\x1b[31mred\u202e", "n" * 60])
            )
    for index, item in enumerate(edges):
        if chance.random() < 0.3:
            label = chance.choice(["yes", "no", "工具 calls", "a longer label", "✅ ok"])
            edges[index] = replace(item, label=label)
    if chance.random() < 0.2:
        edges.append(edge("n1", "n1", "self", "conditional"))
    if chance.random() < 0.2:
        edges.append(replace(edges[0], label="again", kind="jump"))
    if chance.random() < 0.4 and count > 8:
        first, size = chance.randrange(1, count // 2), chance.randrange(2, 5)
        inner = chance.random() < 0.5
        nodes += [node("c1", "subgraph", "cluster 一"), node("c2", "subgraph", "c2")]
        if inner:
            nodes[-1] = replace(nodes[-1], parent=NodeId("c1"))
        for index in range(first, min(first + 2 * size, count)):
            parent = "c1" if index < first + size else "c2"
            nodes[index] = replace(nodes[index], parent=NodeId(parent))
    if chance.random() < 0.2 and count > 10:
        nodes += [node("d1", "subgraph", "outer 外"), node("d2", "subgraph", "middle", parent=NodeId("d1"))]
        nodes.append(node("d3", "subgraph", "👩‍💻 innermost and long", parent=NodeId("d2")))
        for index in range(count - 7, count - 1):
            nodes[index] = replace(nodes[index], parent=NodeId(f"d{1 + index % 3}"))
    for index, item in enumerate(nodes[:count]):
        if chance.random() < 0.1:
            rings = (Ring("Retry 重试", "model"), Ring("Cache", "model"))
            nodes[index] = replace(item, can_ask=True, open_ended=True, rings=rings)
    for index, item in enumerate(edges):
        if chance.random() < 0.1:
            edges[index] = replace(item, evidence=chance.choice(["inferred", "observed", "never"]))
    return Graph(f"messy{seed}", tuple(nodes), tuple(edges))


def wishes(graph: Graph, seed: int) -> Options:
    """A form of a graph with some of its subgraphs closed, rings open, narrow or not."""
    chance = random.Random(seed)
    return Options(
        zoom=ZOOMS[seed % 4],
        width=chance.choice([None, 60, 100]),
        glyphs=chance.choice(["unicode", "unicode", "safe", "ascii"]),
        collapsed=frozenset(n.id for n in graph.nodes if n.kind == "subgraph" and chance.random() < 0.3),
        open_rings=frozenset(n.id for n in graph.nodes if n.rings and chance.random() < 0.5),
        show_never=chance.random() < 0.3,
    )


REFERENCE = {
    "agent": agent, "demo": demo, "multi": multi, "react": react,
    "rand60": lambda: rand(60), "rand200": lambda: rand(200),
}  # fmt: skip
