"""Two nodes side by side; the second fails if the input says so."""

from hookstepper.engine import END, START, StateGraph

graph = StateGraph("two branches")
graph.add_node("first", lambda state: {"first": "written"})


def second(state):
    if state.get("input") == "fail":
        raise RuntimeError("second failed")
    return {"second": "written"}


graph.add_node("second", second)
graph.add_node("join", lambda state: {"joined": True})
graph.add_edge(START, "first")
graph.add_edge(START, "second")
graph.add_edge("first", "join")
graph.add_edge("second", "join")
graph.add_edge("join", END)
