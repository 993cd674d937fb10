"""Two branches of the built-in engine that run one after the other and meet."""

from hookstepper.agent import END, START, StateGraph

_graph = StateGraph("fan")
for _name in ("left", "right", "join"):
    _graph.add_node(_name, lambda state, name=_name: {name: 1})
_graph.add_edge(START, "left")
_graph.add_edge(START, "right")
_graph.add_edge("left", "join")
_graph.add_edge("right", "join")
_graph.add_edge("join", END)
fan = _graph.compile()
