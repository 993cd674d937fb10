"""A graph of the built-in engine that was compiled to stop before one node and after another."""

from hookstepper.agent import END, START, CompileConfig, MemorySaver, StateGraph

_graph = StateGraph("stops")
for _name in ("a", "b", "c", "d"):
    _graph.add_node(_name, lambda state, name=_name: {name: 1})
for _first, _second in ((START, "a"), ("a", "b"), ("b", "c"), ("c", "d"), ("d", END)):
    _graph.add_edge(_first, _second)
stops = _graph.compile(CompileConfig(saver=MemorySaver(), interrupt_before=("b",), interrupt_after=("c",)))
