"""What a graph brings along is respected: its saver, its compiled stops, its time limits, its settings."""

from __future__ import annotations

import asyncio
import logging
import operator
import os
import threading
import typing
from typing import Annotated, Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt
from typing_extensions import TypedDict

from hookstepper.model.errors import InvalidValueError, SpecError
from hookstepper.ports.target import Edit, From, OpenOptions, Resume, Start
from hookstepper.ports.verdict import PROCEED, Abort
from support.langgraph_kit import ADAPTER, COLOURS, opened, painted, ran
from support.probe import RecordingProbe


class State(TypedDict, total=False):
    n: int
    log: Annotated[list[str], operator.add]


class Mine(typing.TypedDict):
    """Pydantic has no schema for it before Python 3.12."""

    name: str
    level: typing.Literal["low", "high"]
    tags: list[str]
    age: typing.NotRequired[int | None]
    other: set[int]


def noting(name: str) -> Any:
    def node(state: State) -> dict[str, Any]:
        return {"log": [name]}

    node.__name__ = name
    return node


def line(*names: str, colour: str = "sync") -> StateGraph:
    builder = StateGraph(State)
    before = START
    for name in names:
        builder.add_node(name, painted(noting(name), colour))
        builder.add_edge(before, name)
        before = name
    return builder


# ------------------------------------------------------------------------------------ the user's saver


def contents(saver: InMemorySaver) -> Any:
    return {
        thread: {ns: list(found) for ns, found in spaces.items()} for thread, spaces in saver.storage.items()
    }


@COLOURS
def test_a_saved_thread_is_gone_on_with_and_never_written_to(colour: str) -> None:
    mine = InMemorySaver()
    graph = line("a", "b", colour=colour).compile(checkpointer=mine)
    asyncio.run(graph.ainvoke({"n": 1}, {"configurable": {"thread_id": "t"}}))
    before = contents(mine)
    target = opened(graph, thread="t")

    assert target.state().values == {"n": 1, "log": ["a", "b"]}
    assert target.history(1)[0].node == "b"
    outcome, probe = ran(target, {"n": 2})

    assert outcome.status == "completed"
    assert target.state().values == {"n": 2, "log": ["a", "b", "a", "b"]}
    assert [step.state["log"] for step in probe.steps] == [["a", "b", "a"], ["a", "b", "a", "b"]]
    assert contents(mine) == before


@COLOURS
def test_a_question_that_was_saved_can_be_answered_here(colour: str) -> None:
    def ask(state: State) -> dict[str, Any]:
        return {"log": [interrupt("well?")]}

    mine = InMemorySaver()
    builder = line("a", colour=colour)
    builder.add_node("ask", painted(ask, colour))
    builder.add_edge("a", "ask")
    graph = builder.compile(checkpointer=mine)
    asyncio.run(graph.ainvoke({"n": 1}, {"configurable": {"thread_id": "t"}}))
    before = contents(mine)
    target = opened(graph, thread="t")
    at = target.state().checkpoint
    assert at is not None

    asked = target.run(From(at), RecordingProbe())
    done = target.run(Resume({asked.asks[0].id: "fine"}), RecordingProbe())

    assert asked.status == "interrupted"
    assert done.status == "completed"
    assert target.state().values["log"] == ["a", "fine"]
    assert contents(mine) == before


def test_an_old_checkpoint_of_a_saved_thread_can_be_edited_and_forked() -> None:
    mine = InMemorySaver()
    graph = line("a", "b").compile(checkpointer=mine)
    config = {"configurable": {"thread_id": "t"}}
    graph.invoke({"n": 1}, config)
    old = next(row for row in graph.get_state_history(config) if row.next == ("b",))
    before = contents(mine)
    target = opened(graph, thread="t")

    made = target.edit(old.config["configurable"]["checkpoint_id"], Edit({"n": 9}))
    target.run(From(made), RecordingProbe())

    assert target.state().values == {"n": 9, "log": ["a", "b"]}
    assert contents(mine) == before


# ------------------------------------------------------------------------------------ stops and limits


@pytest.mark.parametrize("called", [False, True])
def test_stops_that_are_compiled_into_nested_graphs_are_lifted_and_put_back(called: bool) -> None:
    inner = line("x", "y").compile(interrupt_before=["y"], interrupt_after=["x"])
    builder = line("a")

    def caller(state: State) -> dict[str, Any]:
        return {"log": inner.invoke({"n": 1})["log"]}

    builder.add_node("team", caller if called else inner)
    builder.add_edge("a", "team")
    target = opened(builder)

    outcome, probe = ran(target, {"n": 1})

    assert outcome.status == "completed"
    assert probe.nodes == ["a", "team:x", "team:y", "team"]
    assert inner.interrupt_before_nodes == ["y"]
    assert any("team: compiled to stop before y" in note for note in target.describe().notes)


def test_a_held_task_does_not_run_out_of_time() -> None:
    graph = line("a").compile()
    graph.step_timeout = 0.001
    held = threading.Event()

    def decide(point: Any) -> Any:
        # Longer than the limit, and not a moment more than it takes to be sure of it.
        held.wait(0.05)
        return PROCEED

    target = opened(graph)
    outcome, _ = ran(target, {"n": 1}, RecordingProbe(decide))

    assert outcome.status == "completed"
    assert graph.step_timeout == 0.001
    assert any("time limits" in note for note in target.describe().notes)


@COLOURS
def test_a_nested_graph_without_checkpoints_is_stepped_all_the_same(colour: str) -> None:
    inner = line("x", "y", colour=colour).compile(checkpointer=False)
    builder = line("a", colour=colour)
    builder.add_node("team", inner)
    builder.add_edge("a", "team")
    target = opened(builder)
    node = target.describe().node("team")  # type: ignore[arg-type]

    outcome, probe = ran(target, {"n": 1})

    assert outcome.status == "completed"
    assert probe.nodes == ["a", "team:x", "team:y", "team"]
    assert [step.update for step in probe.steps[1:3]] == [{"log": ["x"]}, {"log": ["y"]}]
    assert node is not None
    assert "no checkpoints" in node.note


def test_the_graph_object_is_left_as_it_was() -> None:
    graph = line("a", "b").compile(interrupt_before=["b"])
    before = dict(vars(graph))
    nodes = dict(graph.builder.nodes)

    target = opened(graph)
    ran(target, {"n": 1})

    assert vars(graph) == before
    assert graph.builder.nodes == nodes


# ------------------------------------------------------------------------------------ settings


def test_the_users_callbacks_and_settings_are_kept() -> None:
    from langchain_core.callbacks import BaseCallbackHandler

    class Mine(BaseCallbackHandler):
        seen: list[str]

        def __init__(self) -> None:
            self.seen = []

        def on_chain_start(self, serialized: Any, inputs: Any, **kw: Any) -> None:
            self.seen.append(str(kw.get("name")))

    bound, given = Mine(), Mine()
    settings: list[Any] = []

    def node(state: State, config: Any) -> dict[str, Any]:
        settings.append((config["configurable"]["who"], config["tags"], config["metadata"]["mark"]))
        return {"log": ["x"]}

    node.__annotations__["config"] = __import__("langchain_core.runnables", fromlist=["x"]).RunnableConfig
    builder = StateGraph(State)
    builder.add_node("node", node)
    builder.add_edge(START, "node")
    graph = builder.compile().with_config(callbacks=[bound], tags=["mine"], metadata={"mark": 1})

    ran(opened(graph), {"n": 1}, configurable={"who": "me"})
    ran(opened(graph), {"n": 1}, configurable={"who": "me"}, callbacks=[given])

    assert "node" in bound.seen
    assert "node" in given.seen
    assert settings[0][0] == "me"
    assert "mine" in settings[0][1]
    assert settings[0][2] == 1


def test_nothing_is_traced_to_a_remote_service(monkeypatch: pytest.MonkeyPatch) -> None:
    from langsmith.utils import tracing_is_enabled

    monkeypatch.setenv("LANGSMITH_TRACING", "true")
    monkeypatch.setenv("LANGCHAIN_TRACING_V2", "true")
    seen: list[Any] = []

    def node(state: State) -> dict[str, Any]:
        seen.append(tracing_is_enabled())
        return {"log": ["x"]}

    builder = StateGraph(State)
    builder.add_node("node", node)
    builder.add_edge(START, "node")

    ran(opened(builder), {"n": 1})

    assert seen == [False]
    assert os.environ["LANGSMITH_TRACING"] == "false"


@pytest.mark.parametrize(("asked", "traces"), [("1", True), ("0", False), ("", False)])
def test_who_asks_for_traces_gets_them(monkeypatch: pytest.MonkeyPatch, asked: str, traces: bool) -> None:
    from langsmith.utils import get_env_var, tracing_is_enabled

    from hookstepper.adapters.langgraph.running import ALLOWED, TRACING, silence_tracing, untraced

    for name in TRACING:
        monkeypatch.setenv(name, "true")
    monkeypatch.setenv(ALLOWED, asked)
    get_env_var.cache_clear()
    try:
        silence_tracing()
        with untraced():
            assert bool(tracing_is_enabled()) == traces
        assert os.environ["LANGSMITH_TRACING"] == str(traces).lower()
    finally:
        get_env_var.cache_clear()


def test_verdicts_are_not_logged_as_errors_of_a_callback(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        ran(opened(line("a", "b")), {"n": 1}, RecordingProbe([PROCEED, Abort()]))

    assert caplog.records == []


# ------------------------------------------------------------------------------------ input


@pytest.mark.parametrize("value", [None, {"nope": 1}, "just text"])
def test_an_input_that_does_not_fit_is_refused_before_anything_runs(value: object) -> None:
    target = opened(line("a"))

    with pytest.raises(InvalidValueError):
        target.run(Start(value, "t"), RecordingProbe())

    assert target.state().checkpoint is None


def test_a_text_is_a_message_where_there_are_messages() -> None:
    from langgraph.graph import MessagesState

    builder = StateGraph(MessagesState)
    builder.add_node("n", lambda state: {"messages": [("ai", state["messages"][-1].content.upper())]})
    builder.add_edge(START, "n")
    target = opened(builder)

    ran(target, "hello")
    ran(target, {"messages": [{"$": "msg", "role": "user", "content": "again"}]})

    contents = [message.content for message in target.state().values["messages"]]  # type: ignore[attr-defined]
    assert contents == ["hello", "HELLO", "again", "AGAIN"]
    assert target.input_schema() is None


def test_the_input_schema_names_the_keys() -> None:
    schema = opened(line("a")).input_schema()

    assert isinstance(schema, dict)
    assert set(schema["properties"]) == {"n", "log"}  # type: ignore[arg-type]


def test_the_input_schema_of_an_agent_with_more_than_messages_is_one_that_a_person_can_fill() -> None:
    from langchain.agents import AgentState, create_agent
    from langchain_scripted import ScriptedChat

    class Plain(AgentState):
        pass

    class Mine(AgentState):
        user: str

    model = ScriptedChat(replies=["hi"])
    plain = opened(create_agent(model, [], state_schema=Plain)).input_schema()
    mine = opened(create_agent(model, [], state_schema=Mine)).input_schema()

    assert plain is None
    assert isinstance(mine, dict)
    assert set(mine["properties"]) == {"messages", "user"}  # type: ignore[arg-type]
    assert mine["properties"]["messages"]["type"] == ["string", "array"]  # type: ignore[index, call-overload]
    assert "$defs" not in mine
    assert mine["required"] == ["messages", "user"]


def test_types_that_pydantic_refuses_are_described_roughly() -> None:
    builder = StateGraph(Mine)
    builder.add_node("a", lambda state: {})
    builder.add_edge(START, "a")
    schema = opened(builder).input_schema()

    assert isinstance(schema, dict)
    shown = schema["properties"]
    assert isinstance(shown, dict)
    assert shown["name"]["type"] == "string"  # type: ignore[index, call-overload]
    assert shown["level"]["enum"] == ["low", "high"]  # type: ignore[index, call-overload]
    assert shown["tags"]["items"]["type"] == "string"  # type: ignore[index, call-overload]
    assert schema["required"] == ["name", "level", "tags", "other"]


def test_a_context_that_must_be_given_is_said() -> None:
    from dataclasses import dataclass

    @dataclass
    class Who:
        name: str
        age: int = 3

    builder = StateGraph(State, context_schema=Who)
    builder.add_node("a", noting("a"))
    builder.add_edge(START, "a")

    assert "its context needs name: --context gives it" in opened(builder).describe().notes
    assert not [note for note in opened(line("a")).describe().notes if "context" in note]


def test_a_builder_that_cannot_be_compiled_says_why() -> None:
    builder = StateGraph(State)
    builder.add_node("a", noting("a"))

    with pytest.raises(SpecError, match="cannot be compiled"):
        ADAPTER.open(builder, OpenOptions())


def test_nothing_of_the_framework_is_imported_to_prepare_or_to_claim() -> None:
    """The user's module may never import it; then neither do we."""
    import subprocess
    import sys

    code = (
        "import sys\n"
        "from hookstepper.adapters.langgraph import LangGraphAdapter\n"
        "adapter = LangGraphAdapter()\n"
        "adapter.prepare()\n"
        "adapter.claims(object())\n"
        "print([name for name in sys.modules if name.startswith('lang') or name == 'pydantic'])\n"
        "print(adapter.versions())\n"
    )

    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )

    assert done.stdout.split("\n")[:2] == ["[]", "()"]


# ------------------------------------------------------------------------------------ odd values


class Unfriendly:
    """Raises wherever it is looked at."""

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        raise RuntimeError("no repr")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no comparison")

    def __bool__(self) -> bool:
        raise RuntimeError("neither true nor false")


def odd_values() -> dict[str, Any]:
    cycle: list[Any] = []
    cycle += [cycle] * 10
    return {
        "unfriendly": Unfriendly(),
        "list of unfriendly": [Unfriendly(), Unfriendly()],
        "wide cycle": cycle,
        "dict cycle": {"self": cycle, "list": [cycle]},
        "numbers": [float("nan"), 1 << 90, complex(1, 2)],
        "text": "\x1b[31m[bold]天气🙂\ud800",
        "long": "x" * 3_000_000,
    }


@pytest.mark.parametrize("name", odd_values())
def test_any_value_passes_through_the_state_and_is_told(name: str) -> None:
    class Odd(TypedDict, total=False):
        value: Any
        log: Annotated[list[Any], operator.add]

    value = odd_values()[name]
    builder = StateGraph(Odd)
    builder.add_node("put", lambda state: {"value": value, "log": [value]})
    builder.add_node("more", lambda state: {"log": [1]})
    builder.add_edge(START, "put")
    builder.add_edge("put", "more")
    target = opened(builder)

    outcome, probe = ran(target, {"log": []})

    assert outcome.status == "completed"
    assert probe.nodes == ["put", "more"]
    assert type(target.state().values["value"]) is type(value)
    assert len(target.state().values["log"]) == 2  # type: ignore[arg-type]


def test_a_cycle_in_the_state_is_copied_as_a_cycle() -> None:
    from hookstepper.adapters.langgraph.saver import snapshot

    cycle: dict[str, Any] = {"items": [1, [2]]}
    cycle["self"] = [cycle]

    copy = snapshot(cycle)

    assert copy is not cycle
    assert copy["self"][0] is copy
    assert copy["items"] == [1, [2]]
    assert copy["items"][1] is not cycle["items"][1]


@COLOURS
@pytest.mark.parametrize("nested", [False, True])
def test_keys_that_are_saved_as_changes_are_told_whole(colour: str, nested: bool) -> None:
    """A beta of LangGraph 1.2: checkpoints hold no value for such a key."""
    delta = pytest.importorskip("langgraph.channels.delta")

    def gather(old: list[str] | None, writes: list[list[str]]) -> list[str]:
        return [*(old or []), *(item for write in writes for item in write)]

    class Delta(TypedDict, total=False):
        n: int
        log: Annotated[list[str], delta.DeltaChannel(gather)]

    Delta.__annotations__["log"] = Annotated[list[str], delta.DeltaChannel(gather)]
    builder = StateGraph(Delta)
    builder.add_node("a", painted(lambda state: {"log": ["a"]}, colour))
    builder.add_node("b", painted(lambda state: {"log": ["b"]}, colour))
    builder.add_edge(START, "a")
    builder.add_edge("a", "b")
    if nested:
        outer = StateGraph(State)
        outer.add_node("team", builder.compile())
        outer.add_edge(START, "team")
        builder = outer

    _, probe = ran(opened(builder), {"n": 1, "log": ["i"]})
    inside = [step for step in probe.steps if step.site.node != "team"]

    assert [step.state["log"] for step in inside] == [["i", "a"], ["i", "a", "b"]]
