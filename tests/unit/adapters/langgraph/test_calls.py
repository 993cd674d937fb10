"""Model and tool calls without a ring around them can be answered, changed, repeated and failed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from support.langgraph_kit import COLOURS, opened, painted, ran  # isort: skip - before langchain
from langchain.agents import create_agent
from langchain.agents.middleware import before_model
from langchain.tools import ToolRuntime
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import BaseTool, StructuredTool
from langchain_scripted import ScriptedChat, call, calls
from langgraph.graph import START, MessagesState, StateGraph

from hookstepper.model.gates import Site
from hookstepper.model.ids import NodeId
from hookstepper.ports.facts import CallBegan, CallEnded
from hookstepper.ports.target import From
from hookstepper.ports.verdict import PROCEED, Abort, Fail, Fulfil, Patch, Point, Retry, Verdict
from support.probe import RecordingProbe

MADE: list[str] = []
"""What really was called."""


class CountingChat(ScriptedChat):
    """Notes its calls."""

    def _generate(self, messages: Any, *args: Any, **kwargs: Any) -> Any:
        MADE.append(f"model {messages[-1].content}")
        return super()._generate(messages, *args, **kwargs)


@pytest.fixture(autouse=True)
def nothing_made() -> None:
    MADE.clear()


def pay(amount: int) -> str:
    """Pay."""
    MADE.append(f"pay {amount}")
    return f"paid {amount}"


def agent(colour: str, *, replies: Any = None) -> Any:
    model = CountingChat(replies=replies or [calls(call("pay", "c1", amount=5)), "done"])

    async def apay(amount: int) -> str:
        return pay(amount)

    tool = StructuredTool.from_function(
        None if colour == "async" else pay,
        coroutine=apay if colour == "async" else None,
        name="pay",
        description="Pay.",
    )

    def nothing(state: Any, runtime: Any) -> None:
        """A hook in the run's colour."""

    return create_agent(model, [tool], middleware=[before_model(painted(nothing, colour))])


def at(kind: str, phase: str, *verdicts: Verdict) -> RecordingProbe:
    """A probe that gives the verdicts one after another at gates of one kind."""
    left = list(verdicts)

    def decide(point: Point) -> Verdict:
        return left.pop(0) if left else PROCEED

    return RecordingProbe(decide, holds=lambda site, where: (site.kind, where) == (kind, phase))


def texts(target: Any) -> list[str]:
    return [message.content for message in target.state().values["messages"]]


@COLOURS
@pytest.mark.parametrize(
    "given",
    [
        "by hand",
        AIMessage("by hand"),
        {"content": "by hand"},
        {"role": "assistant", "content": "by hand", "tool_calls": []},
    ],
)
def test_a_model_call_is_answered_by_hand(colour: str, given: Any) -> None:
    target = opened(agent(colour))
    probe = at("model", "enter", Fulfil(given))

    outcome, _ = ran(target, "hello", probe)

    assert outcome.status == "completed"
    assert MADE == []
    assert texts(target) == ["hello", "by hand"]
    assert "fulfil" in probe.points[0].acts
    (ended,) = probe.of(CallEnded)
    assert ended.response.content == "by hand"  # type: ignore[attr-defined]
    assert len(probe.of(CallBegan)) == 1


@COLOURS
def test_a_model_call_can_be_answered_with_tool_calls(colour: str) -> None:
    target = opened(agent(colour))
    given = {"tool_calls": [{"name": "pay", "args": {"amount": 7}}]}

    ran(target, "hello", at("model", "enter", Fulfil(given), Fulfil(given)))

    assert MADE[:2] == ["pay 7", "pay 7"]
    assert texts(target) == ["hello", "", "paid 7", "", "paid 7", "done"]
    answered = [message.tool_call_id for message in target.state().values["messages"][2::2]]  # type: ignore[index]
    assert len(set(answered)) == 2, "each call has an id of its own"


@COLOURS
@pytest.mark.parametrize("given", ["free", ToolMessage("free", tool_call_id="another")])
def test_a_tool_call_is_answered_by_hand(colour: str, given: Any) -> None:
    target = opened(agent(colour))
    probe = at("tool", "enter", Fulfil(given))

    outcome, _ = ran(target, "hello", probe)

    assert outcome.status == "completed"
    assert not [made for made in MADE if made.startswith("pay")]
    answer = target.state().values["messages"][2]  # type: ignore[index]
    assert (answer.content, answer.tool_call_id, answer.name) == ("free", "c1", answer.name)
    (ended,) = [fact for fact in probe.of(CallEnded) if fact.site.kind == "tool"]
    assert (ended.call_id, ended.request) == ("c1", {"amount": 5})
    assert ended.response == answer


@COLOURS
def test_arguments_of_a_tool_call_and_its_result_can_be_changed(colour: str) -> None:
    def decide(point: Point) -> Verdict:
        if point.site.kind != "tool":
            return PROCEED
        return Patch({"amount": 6}) if point.phase == "enter" else Patch("much")

    target = opened(agent(colour))
    probe = RecordingProbe(decide, holds=lambda site, _: site.kind == "tool")

    ran(target, "hello", probe)

    assert "pay 6" in MADE
    assert texts(target)[2] == "much"
    (ended,) = [fact for fact in probe.of(CallEnded) if fact.site.kind == "tool"]
    assert (ended.request, ended.response.content) == ({"amount": 6}, "much")  # type: ignore[attr-defined]


@COLOURS
def test_a_prompt_and_an_answer_can_be_changed(colour: str) -> None:
    def decide(point: Point) -> Verdict:
        if point.phase == "enter":
            return Patch([HumanMessage("otherwise")])
        return Patch("short")

    target = opened(agent(colour, replies=["long"]))

    ran(target, "hello", RecordingProbe(decide, holds=lambda site, _: site.kind == "model"))

    assert MADE == ["model otherwise"]
    assert texts(target) == ["hello", "short"]


@COLOURS
@pytest.mark.parametrize("kind", ["model", "tool"])
def test_a_call_can_be_made_once_more(colour: str, kind: str) -> None:
    target = opened(agent(colour))
    probe = at(kind, "exit", Retry(), Retry())

    outcome, _ = ran(target, "hello", probe)

    assert outcome.status == "completed"
    assert len([made for made in MADE if made.startswith("pay" if kind == "tool" else "model hello")]) == 3
    assert [point.attempt for point in probe.points][:3] == [1, 2, 3]


@COLOURS
def test_a_failing_call_can_be_made_good(colour: str) -> None:
    """The node never learns of the failure."""

    def cut(_prompt: Any) -> str:
        raise OSError("line cut")

    target = opened(agent(colour, replies=[cut]))
    probe = at("model", "exit", Patch("made good"))

    outcome, _ = ran(target, "hello", probe)

    assert isinstance(probe.points[0].error, OSError)
    assert outcome.status == "completed"
    assert texts(target) == ["hello", "made good"]


@COLOURS
@pytest.mark.parametrize("kind", ["model", "tool"])
def test_a_call_can_be_left_and_gone_on_with(colour: str, kind: str) -> None:
    target = opened(agent(colour))

    left, _ = ran(target, "hello", at(kind, "enter", Abort()))
    assert left.checkpoint is not None
    done = target.run(From(left.checkpoint), RecordingProbe())

    assert (left.status, done.status) == ("aborted", "completed")
    assert texts(target) == ["hello", "", "paid 5", "done"]
    assert MADE.count("pay 5") == 1


@COLOURS
def test_a_failure_by_hand_is_the_tools_own_failure(colour: str) -> None:
    target = opened(agent(colour))

    outcome, _ = ran(target, "hello", at("tool", "enter", Fail(ValueError("no money"))))

    assert outcome.status == "failed"
    assert str(outcome.error) == "no money"
    assert not [made for made in MADE if made.startswith("pay")]


@COLOURS
def test_a_fork_takes_its_answers_from_the_record(colour: str) -> None:
    """S27: nothing that costs money is called again."""
    target = opened(agent(colour))
    _, probe = ran(target, "hello")
    first = probe.steps[0].checkpoint
    assert first is not None
    record: dict[Site, list[object]] = {}
    for fact in probe.of(CallEnded):
        record.setdefault(fact.site, []).append(fact.response)
    before = texts(target)
    MADE.clear()

    done = target.run(From(first, record), RecordingProbe())

    assert done.status == "completed"
    assert MADE == []
    assert texts(target) == before


def test_what_the_framework_injects_into_a_tool_stays_when_arguments_are_changed() -> None:
    def look(word: str, runtime: ToolRuntime) -> str:
        """Look."""
        return f"{word} {len(runtime.state['messages'])}"

    model = ScriptedChat(replies=[calls(call("look", "c1", word="a")), "done"])
    target = opened(create_agent(model, [StructuredTool.from_function(look)]))
    probe = at("tool", "enter", Patch({"word": "b"}))

    ran(target, "hello", probe)

    assert probe.points[0].value == {"word": "a"}
    assert texts(target)[2] == "b 2"


@COLOURS
def test_a_model_that_is_streamed_by_a_node_can_be_watched_and_its_acts_say_no_more(colour: str) -> None:
    model = ScriptedChat(replies=["one two"])

    def talk(state: MessagesState) -> dict[str, Any]:
        parts = [part.content for part in model.stream(state["messages"])]
        return {"messages": [AIMessage("".join(map(str, parts)))]}

    async def atalk(state: MessagesState) -> dict[str, Any]:
        parts = [part.content async for part in model.astream(state["messages"])]
        return {"messages": [AIMessage("".join(map(str, parts)))]}

    builder = StateGraph(MessagesState)
    builder.add_node("talk", talk if colour == "sync" else atalk)
    builder.add_edge(START, "talk")
    target = opened(builder)
    probe = RecordingProbe(holds=lambda site, _: site.kind == "model")

    ran(target, "hello", probe)

    assert texts(target) == ["hello", "one two"]
    assert [point.phase for point in probe.points] == ["enter", "exit"]
    assert all(point.acts == {"proceed", "fail", "abort"} for point in probe.points)
    assert len(probe.of(CallEnded)) == 1


def test_a_model_inside_a_tool_is_held_as_the_call_of_its_own() -> None:
    inner = CountingChat(replies=["deep"])

    def think(question: str) -> str:
        """Think."""
        return str(inner.invoke(question).content)

    model = ScriptedChat(replies=[calls(call("think", "c1", question="why")), "done"])
    target = opened(create_agent(model, [StructuredTool.from_function(think)]))
    probe = RecordingProbe(
        lambda point: Fulfil("shallow") if point.value and MADE == [] and deep(point) else PROCEED,
        holds=lambda site, phase: phase == "enter" and site.kind in ("model", "tool"),
    )

    ran(target, "hello", probe)

    assert [(point.site.kind, point.site.node) for point in probe.points] == [
        ("model", "model"),
        ("tool", "tools"),
        ("model", "tools"),
        ("model", "model"),
    ]
    assert MADE == []
    assert texts(target)[2] == "shallow"


def deep(point: Point) -> bool:
    return (point.site.kind, point.site.node) == ("model", "tools")


def test_a_value_that_cannot_be_arguments_is_the_calls_failure_and_not_ours() -> None:
    target = opened(agent("sync"))

    outcome, _ = ran(target, "hello", at("tool", "enter", Patch(["no"])))

    assert outcome.status == "failed"
    assert "arguments" in str(outcome.error)


def test_a_model_does_not_speak_for_the_user() -> None:
    target = opened(agent("sync"))

    outcome, _ = ran(target, "hello", at("model", "enter", Fulfil(HumanMessage("me"))))

    assert outcome.status == "failed"
    assert "assistant" in str(outcome.error)


def test_the_classes_are_as_they_were_when_the_run_is_over() -> None:
    def methods() -> list[Callable[..., Any]]:
        return [
            BaseTool.run,
            BaseTool.arun,
            BaseChatModel.generate,
            BaseChatModel.agenerate,
            BaseChatModel._generate_with_cache,
            BaseChatModel._agenerate_with_cache,
        ]

    before = methods()
    during: list[Callable[..., Any]] = []
    target = opened(agent("sync"))

    ran(target, "hello", RecordingProbe(lambda _: during.extend(methods()) or PROCEED))
    plain = asyncio.run(agent("sync").ainvoke({"messages": [("user", "hello")]}))

    assert methods() == before
    assert not set(during) & set(before)
    assert plain["messages"][-1].content == "done"


def test_a_record_cannot_answer_a_decision() -> None:
    from hookstepper.model.errors import NotPossibleError

    target = opened(agent("sync"))
    _, probe = ran(target, "hello")
    first = probe.steps[0].checkpoint
    assert first is not None

    with pytest.raises(NotPossibleError):
        target.run(From(first, {Site("route", NodeId("model")): ["x"]}), RecordingProbe())
