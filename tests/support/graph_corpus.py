"""Graphs that every drawing and every file format must survive: ordinary ones, and names that break."""

from __future__ import annotations

from itertools import pairwise

from hookstepper.model.graph import Anchors, Edge, EdgeKind, Graph, Node, NodeKind, StateKey
from hookstepper.model.ids import END, START, NodeId

NASTY_NAMES: tuple[str, ...] = (
    "end",
    "End",
    "graph",
    "subgraph",
    "style",
    "style.a",
    "class",
    "click",
    "default",
    "condition1",
    "startcondition",
    "a b",
    " padded ",
    'say "hi"',
    "it's",
    "a|b",
    "a:::b",
    "x --> y",
    "x -.-> y",
    "%% note",
    "%%{init: {}}%%",
    "PIIDetection[IP].beforeModel",
    "f(x)",
    "{json: 1}",
    "[[link]]",
    "<b>bold</b>",
    "a & b &amp; c",
    "#quot; #35;",
    "semi;colon",
    "style:#fff;",
    "back\\slash\\n",
    "`code`",
    "$x$",
    "**bold** __u__ //i// ~~s~~",
    "a--b--c",
    "a..b..c",
    "'comment",
    "/' block",
    "!include x",
    "天气查询",
    "気象。予報",
    "emoji 👩‍👩‍👧 🇨🇳",
    "café e\u0301",
    "line\nbreak",
    "tab\there",
    "\x1b[31mred\x1b[0m",
    "\x1b]0;title\x07",
    "\x00",
    "rtl \u202eabc",
    "\u2028",
    "\ud800",
    "x" * 300,
    "1",
    "1. list",
    "-",
    "_",
    ".",
    "null",
    "n_f_x",
)
"""Each is used as a node id, as a label of a node and as a label of an edge."""


def plain(
    name: str, *edges: tuple[str, str] | tuple[str, str, EdgeKind] | tuple[str, str, EdgeKind, str]
) -> Graph:
    """A graph of plain nodes, in the order in which the edges name them."""
    made = [Edge(NodeId(e[0]), NodeId(e[1]), *e[2:]) for e in edges]
    ids = dict.fromkeys(end for edge in made for end in (edge.source, edge.target))
    inner = [Node(i, i) for i in ids if i not in (START, END)]
    return Graph(name, (Node(START, "start", "start"), Node(END, "end", "end"), *inner), tuple(made))


def chain_of(names: tuple[str, ...]) -> Graph:
    """START, all names in a row with dashed ways back to the first, END; edge labels are names too."""
    hops = [(START, names[0]), *pairwise(names), (names[-1], END)]
    edges: list[tuple[str, str, EdgeKind, str]] = [(a, b, "fixed", "") for a, b in hops]
    edges += [(name, names[0], "conditional", name) for name in names[1:]]
    return plain("nasty", *edges)


def agent() -> Graph:
    """A built-in agent with hooks on all four positions, jumps, a tool node and an edge never taken."""

    def hook(owner: str, phase: str, kind: NodeKind, index: int, jumps: tuple[str, ...] = ()) -> Node:
        return Node(
            NodeId(f"_AGENT_HOOK_{owner}.{phase}"), f"{owner}.{phase}", kind, owner, index=index, jumps=jumps
        )

    nodes = (
        Node(START, "start", "start"),
        Node(END, "end", "end"),
        Node(NodeId("_AGENT_MODEL_"), "model", "model"),
        Node(NodeId("_AGENT_TOOL_"), "tool", "tool", tools=("get_weather",)),
        hook("Audit", "before", "before_agent", 0),
        hook("Audit", "after", "after_agent", 0),
        hook("Log", "beforeModel", "before_model", 1),
        hook("Log", "afterModel", "after_model", 1),
        hook("Safety", "afterModel", "after_model", 2, ("end",)),
    )
    before, after = NodeId("_AGENT_HOOK_Audit.before"), NodeId("_AGENT_HOOK_Audit.after")
    log_in, log_out = NodeId("_AGENT_HOOK_Log.beforeModel"), NodeId("_AGENT_HOOK_Log.afterModel")
    safety, model, tool = (
        NodeId("_AGENT_HOOK_Safety.afterModel"),
        NodeId("_AGENT_MODEL_"),
        NodeId("_AGENT_TOOL_"),
    )
    edges = (
        Edge(START, before),
        Edge(before, log_in),
        Edge(log_in, model),
        Edge(model, safety),
        Edge(after, END),
        Edge(safety, log_out, "conditional"),
        Edge(safety, after, "jump", "jump end"),
        Edge(log_out, tool, "conditional", "tool calls"),
        Edge(log_out, after, "conditional", "done"),
        Edge(log_out, log_in, "conditional", "again"),
        Edge(tool, log_in, "conditional", "again"),
        Edge(tool, after, "conditional", "done", "never"),
    )
    anchors = Anchors(before, log_in, log_out, after)
    keys = (StateKey("messages", "append"), StateKey("jump_to", "replace", private=True))
    return Graph("weather", nodes, edges, anchors, keys, engine="built-in engine", rules="upstream")


def nested() -> Graph:
    """Three levels of subgraphs, names that repeat on every level, and an edge that crosses a border."""

    def node(path: str, kind: NodeKind = "plain") -> Node:
        parent, _, name = path.rpartition(":")
        return Node(NodeId(path), name, kind, parent=NodeId(parent) if parent else None)

    paths = ("a", "team", "team:a", "team:deep", "team:deep:a", "team:deep:end", "b", "empty team")
    kinds: dict[str, NodeKind] = {"team": "subgraph", "team:deep": "subgraph", "empty team": "subgraph"}
    ends: tuple[tuple[str, NodeKind], ...] = (
        (START, "start"),
        (END, "end"),
        ("team:__START__", "start"),
        ("team:__END__", "end"),
    )
    nodes = (*(node(p, k) for p, k in ends), *(node(p, kinds.get(p, "plain")) for p in paths))
    links = (
        (START, "a"),
        ("a", "team"),
        ("team:__START__", "team:a"),
        ("team:a", "team:deep"),
        ("team:deep:a", "team:deep:end"),
        ("team:deep", "team:__END__"),
        ("team:deep:end", "b"),
        ("team", "empty team"),
        ("empty team", "b"),
        ("b", END),
    )
    edges = tuple(Edge(NodeId(a), NodeId(b)) for a, b in links)
    choice = Edge(NodeId("team:a"), NodeId("team:__END__"), "conditional", "give up")
    return Graph("nested", nodes, (*edges, choice))


def corpus() -> dict[str, Graph]:
    """All graphs by name."""
    only = plain("one", (START, "a"), ("a", END))
    return {
        "agent": agent(),
        "one": only,
        "empty": Graph("", (), ()),
        "no end": Graph("no end", (Node(START, "start", "start"),), ()),
        "choices": plain(
            "choices",
            (START, "a"),
            ("a", "b", "conditional", "go"),
            ("a", "a", "conditional", "a"),
            ("a", END, "conditional", "stop"),
            ("b", "a"),
        ),
        "choice at the start": plain(
            "start",
            (START, "a", "conditional", "x"),
            (START, "b", "conditional", "y"),
            ("a", END),
            ("b", END),
        ),
        "fan-out": plain("fan", (START, "a"), (START, "b"), ("a", "c"), ("b", "c"), ("c", END)),
        "fan-out beside a choice": plain(
            "mixed",
            (START, "a"),
            ("a", "b"),
            ("a", "c"),
            ("a", END, "jump", "jump end"),
            ("b", END),
            ("c", END),
        ),
        "self-loop": plain(
            "loop", (START, "a"), ("a", "a", "conditional", "again"), ("a", END, "conditional")
        ),
        "several ways between two nodes": plain(
            "ways", (START, "a"), ("a", END, "conditional", "done"), ("a", END, "jump", "jump end")
        ),
        "names that only edges know": Graph("", (), (Edge(START, NodeId("a")), Edge(NodeId("a"), END))),
        "nested": nested(),
        "nasty names": chain_of(NASTY_NAMES),
        "names that collide": chain_of(
            ("f(x)", "f[x]", "f x ", "n_f_x", "n_f_x_2", "condition1", "a.b", "a_b")
        ),
        "parents in a circle": Graph(
            "circle",
            (
                Node(NodeId("a"), "a", parent=NodeId("b")),
                Node(NodeId("b"), "b", parent=NodeId("a")),
                Node(NodeId("c"), "c", parent=NodeId("a")),
                Node(NodeId("d"), "d", parent=NodeId("nobody")),
            ),
            (Edge(NodeId("a"), NodeId("c")), Edge(NodeId("d"), NodeId("b"))),
        ),
    }
