"""With `--db` the checkpoints of a graph outlive the process, in a file of ours alone."""

from __future__ import annotations

import operator
import sqlite3
import threading
from pathlib import Path
from typing import Annotated, Any

import pytest
from langchain_core.messages import AnyMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import interrupt
from typing_extensions import TypedDict

from hookstepper.adapters.langgraph.kept import KeptFile
from hookstepper.adapters.langgraph.target import LangGraphTarget
from hookstepper.engine.sqlite import SqliteSaver
from hookstepper.model.errors import SpecError
from hookstepper.ports.target import Edit, From, Outcome, Resume
from support.langgraph_kit import COLOURS, opened, painted, ran
from support.probe import RecordingProbe


class State(TypedDict, total=False):
    n: int
    log: Annotated[list[Any], operator.add]
    pair: Any
    messages: Annotated[list[AnyMessage], add_messages]


def noting(name: str, **more: Any) -> Any:
    def node(state: State) -> dict[str, Any]:
        return {"log": [name], **more}

    node.__name__ = name
    return node


def asking(state: State) -> dict[str, Any]:
    return {"log": [interrupt("well?")]}


def line(colour: str = "sync", *, ask: bool = False, **more: Any) -> StateGraph:
    builder = StateGraph(State)
    before = START
    for name in ("a", "b", "c"):
        node = asking if ask and name == "c" else noting(name, **(more if name == "b" else {}))
        builder.add_node(name, painted(node, colour))
        builder.add_edge(before, name)
        before = name
    return builder


def again(target: LangGraphTarget, graph: Any, db: Path) -> LangGraphTarget:
    """Another process, as far as the file can tell."""
    target.close()
    return opened(graph, db=str(db), thread="t")


def gone_on(target: LangGraphTarget) -> Outcome:
    """How a run comes to rest that goes on where the thread stands."""
    at = target.state().checkpoint
    assert at is not None
    return target.run(From(at), RecordingProbe())


@COLOURS
def test_a_thread_goes_on_in_another_process(colour: str, tmp_path: Path) -> None:
    db = tmp_path / "x.db"
    target = opened(line(colour), db=str(db))
    ran(target, {"n": 1, "messages": [HumanMessage("hi", id="m1")]})
    history = target.history(20)

    other = again(target, line(colour), db)
    assert other.state().values == {"n": 1, "log": ["a", "b", "c"], "messages": [HumanMessage("hi", id="m1")]}
    assert other.history(20) == history
    outcome, probe = ran(other, {"n": 2})

    assert outcome.status == "completed"
    assert other.state().values["log"] == ["a", "b", "c", "a", "b", "c"]
    assert probe.steps[0].state["log"] == ["a", "b", "c", "a"]
    third = again(other, line(colour), db)
    assert third.state().values["n"] == 2
    assert third.state().values["log"] == ["a", "b", "c", "a", "b", "c"]


@COLOURS
def test_a_question_is_answered_in_another_process_and_siblings_keep_what_they_did(
    colour: str, tmp_path: Path
) -> None:
    db = tmp_path / "x.db"
    runs: list[str] = []

    def busy(state: State) -> dict[str, Any]:
        runs.append("busy")
        return {"log": ["busy"], "n": 7}

    def graph() -> StateGraph:
        builder = line(colour, ask=True)
        builder.add_node("busy", painted(busy, colour))
        builder.add_edge("b", "busy")
        return builder

    target = opened(graph(), db=str(db))
    ran(target, {"n": 1})
    other = again(target, graph(), db)

    asked = gone_on(other)
    done = other.run(Resume({asked.asks[0].id: "fine"}), RecordingProbe())

    assert [ask.prompt for ask in asked.asks] == ["well?"]
    assert done.status == "completed"
    assert sorted(other.state().values["log"]) == ["a", "b", "busy", "fine"]
    assert other.state().values["n"] == 7
    assert runs == ["busy"]


def test_a_new_turn_does_not_pass_a_question_of_another_process_by(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """S17: the question first; who asks for the new turn again gets it."""
    db = tmp_path / "x.db"
    target = opened(line(ask=True), db=str(db))
    ran(target, {"n": 1})
    other = again(target, line(ask=True), db)

    asked, probe = ran(other, {"n": 2})
    assert asked.status == "interrupted"
    assert [ask.prompt for ask in asked.asks] == ["well?"]
    assert probe.held == []
    assert "waits for an answer" in capsys.readouterr().err
    done = other.run(Resume({asked.asks[0].id: "fine"}), RecordingProbe())

    assert done.status == "completed"
    assert other.state().values["n"] == 1
    third = again(other, line(ask=True), db)
    new, _ = ran(third, {"n": 3})
    assert (new.status, third.state().values["n"]) == ("interrupted", 3)
    new, _ = ran(third, {"n": 4})
    assert (new.status, third.state().values["n"]) == ("interrupted", 4)


def test_an_older_state_is_edited_and_forked_in_another_process(tmp_path: Path) -> None:
    db = tmp_path / "x.db"
    target = opened(line(), db=str(db))
    _, probe = ran(target, {"n": 1})
    first = probe.steps[0].checkpoint
    assert first is not None

    other = again(target, line(), db)
    made = other.edit(first, Edit({"n": 9}))
    other.run(From(made), RecordingProbe())

    assert other.state().values["n"] == 9
    assert other.state().values["log"] == ["a", "b", "c"]


def test_the_run_keeps_its_types_and_what_cannot_be_kept_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The file is beside the run, never in its way."""
    lock = threading.Lock()
    db = tmp_path / "x.db"
    target = opened(line(pair=(1, lock)), db=str(db))

    outcome, _ = ran(target, {"n": 1})

    assert outcome.status == "completed"
    assert target.state().values["pair"] == (1, lock)
    told = capsys.readouterr().err
    assert "pair is not kept in" in told
    assert told.count("pair is not kept") == 1
    other = again(target, line(), db)
    assert other.state().values["log"] == ["a", "b", "c"]
    assert "pair" not in other.state().values


def test_nested_graphs_are_kept_as_well(tmp_path: Path) -> None:
    def graph() -> StateGraph:
        builder = StateGraph(State)
        builder.add_node("team", line(ask=True).compile())
        builder.add_edge(START, "team")
        return builder

    db = tmp_path / "x.db"
    target = opened(graph(), db=str(db))
    ran(target, {"n": 1})
    other = again(target, graph(), db)

    asked = gone_on(other)
    probe = RecordingProbe()
    other.run(Resume({asked.asks[0].id: "fine"}), probe)

    assert [ask.node for ask in asked.asks] == ["team:c"]
    assert probe.nodes == ["team:c", "team"]
    assert other.state().values["log"] == ["a", "b", "fine"]


def test_the_programs_own_threads_are_gone_on_with_into_the_file(tmp_path: Path) -> None:
    mine = InMemorySaver()
    graph = line().compile(checkpointer=mine)
    graph.invoke({"n": 1}, {"configurable": {"thread_id": "t"}})
    count = len(list(mine.list(None)))
    db = tmp_path / "x.db"

    target = opened(graph, db=str(db), thread="t")
    ran(target, {"n": 2})
    other = again(target, line().compile(), db)

    assert other.state().values["log"] == ["a", "b", "c", "a", "b", "c"]
    assert len(list(mine.list(None))) == count


def foreign(path: Path) -> None:
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE mine (x)")
    db.commit()
    db.close()


@pytest.mark.parametrize(
    "make",
    [foreign, lambda path: path.write_text("no database " * 100), lambda path: SqliteSaver(path).close()],
)
def test_a_file_of_another_kind_is_refused_and_left_as_it_is(make: Any, tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    make(path)
    before = path.read_bytes()

    with pytest.raises(SpecError):
        opened(line(), db=str(path))

    assert path.read_bytes() == before


def test_a_file_that_takes_no_more_does_not_stop_the_run(tmp_path: Path) -> None:
    told: list[str] = []
    file = KeptFile(str(tmp_path / "x.db"), told.append)
    file._db.execute("DROP TABLE channel")
    checkpoint = {"id": "1", "channel_values": {"n": 1}, "channel_versions": {"n": 1}}

    for _ in range(2):
        file.put({"configurable": {"thread_id": "t"}}, checkpoint, {}, {"n": 1})

    assert len(told) == 1
    assert "takes no more checkpoints" in told[0]
    file.close()
