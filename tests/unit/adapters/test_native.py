"""Our own agents and graphs as targets of the debugger."""

from __future__ import annotations

import pytest

from hookstepper.adapters.native import NativeAdapter
from hookstepper.agent import (
    HumanInTheLoopHook,
    Interruption,
    InterruptionHook,
    MemorySaver,
    ModelResponse,
    ReactAgent,
    RunConfig,
    ScriptedModel,
    StateGraph,
    ToolCallResponse,
    ToolInterceptor,
    UserMessage,
    tool,
)
from hookstepper.agent.flow import LoopAgent, SequentialAgent
from hookstepper.agent.flow.loop import Times
from hookstepper.engine.config import CompileConfig
from hookstepper.engine.graph import END, START
from hookstepper.model.errors import AnswerError, NotPossibleError, SpecError
from hookstepper.model.gates import Site
from hookstepper.ports.probe import SilentProbe
from hookstepper.ports.target import Edit, From, OpenOptions, Resume, Start
from hookstepper.ports.verdict import PROCEED, Abort, Fail, Fulfil, Patch, Retry
from support.agent_kit import AM, BM, Counting, Noting, agent, asks, call, hook, texts


class Robot:
    """A probe that gives prepared verdicts at given gates and keeps every fact."""

    def __init__(self, **verdicts):
        self.verdicts = {
            key: list(rows) if isinstance(rows, list) else [rows] for key, rows in verdicts.items()
        }
        self.facts, self.points = [], []

    def _key(self, site, phase):
        name = site.name or site.node.removeprefix("_AGENT_HOOK_").strip("_").replace(".", "_")
        return f"{site.kind}_{name}_{phase}"

    def wants(self, site, phase):
        return bool(self.verdicts.get(self._key(site, phase)))

    def hold(self, point):
        self.points.append(point)
        return self.verdicts[self._key(point.site, point.phase)].pop(0)

    async def ahold(self, point):
        return self.hold(point)

    def emit(self, fact):
        self.facts.append(fact)

    def of(self, kind):
        return [fact for fact in self.facts if type(fact).__name__ == kind]


def opened(obj, **options):
    return NativeAdapter().open(obj, OpenOptions(**options))


def ask_agent(script=None, **options):
    poem, free = Noting("poem", "roses"), Noting("free", "air")
    script = script or [asks(call("2", "free"), call("1", "poem", '{"n": 1}')), "end"]
    made = agent(
        script, tools=[poem, free], hooks=[HumanInTheLoopHook({"poem": "confirm"})], limit=100, **options
    )
    return made, poem, free


def test_it_claims_our_own_objects_and_classes_made_from_them():
    class Mine(ReactAgent):
        pass

    adapter = NativeAdapter()
    claimed = [agent(), StateGraph(), StateGraph().add_node("a", dict).add_edge(START, "a").compile()]
    claimed += [SequentialAgent("s", [agent(name="x")]), Mine("m", ScriptedModel([]))]

    assert all(adapter.claims(obj) for obj in claimed)
    assert not any(adapter.claims(obj) for obj in (5, "x", dict, Noting("t")))


def test_a_question_is_asked_with_every_call_in_order_and_answered():
    made, poem, free = ask_agent()
    target = opened(made)

    outcome = target.run(Start("hi", "main"), SilentProbe())
    (ask,) = outcome.asks
    answer = {"decisions": [{"type": "edit", "args": {"n": 2}}]}
    done = target.run(Resume({ask.id: answer}), SilentProbe())

    assert (outcome.status, outcome.next) == ("interrupted", ("_AGENT_HOOK_HITL.afterModel",))
    assert (ask.kind, ask.node) == ("approval", "_AGENT_HOOK_HITL.afterModel")
    assert ask.allowed == ("approve", "edit", "reject")
    assert [(c.id, c.tool, c.arguments, c.needs_approval) for c in ask.calls] == [
        ("2", "free", {}, False),
        ("1", "poem", {"n": 1}, True),
    ]
    assert ask.calls[1].schema == poem.tool.schema
    assert (done.status, poem.calls, len(free.calls)) == ("completed", [{"n": 2}], 1)


def test_a_refusal_carries_its_reason():
    made, poem, _ = ask_agent()
    target = opened(made)
    (ask,) = target.run(Start("hi", "main"), SilentProbe()).asks

    target.run(Resume({ask.id: {"decisions": [{"type": "reject", "reason": "not today"}]}}), SilentProbe())

    assert poem.calls == []
    assert "not today" in "".join(texts(target.state().values))


@pytest.mark.parametrize(
    "answer", [None, {}, {"decisions": []}, {"decisions": [{"type": "respond"}]}, {"decisions": [3]}]
)
def test_an_answer_that_does_not_fit_is_refused_and_the_question_stays_open(answer):
    made, poem, _ = ask_agent()
    target = opened(made)
    (ask,) = target.run(Start("hi", "main"), SilentProbe()).asks

    with pytest.raises(AnswerError):
        target.run(Resume({ask.id: answer}), SilentProbe())
    done = target.run(Resume({ask.id: {"decisions": [{"type": "approve"}]}}), SilentProbe())
    assert (done.status, len(poem.calls)) == ("completed", 1)


def test_answering_when_nothing_is_asked_is_refused():
    with pytest.raises(NotPossibleError, match="no question"):
        opened(agent()).run(Resume({}), SilentProbe())


def test_the_program_is_left_as_it_was():
    saver = MemorySaver()
    made, *_ = ask_agent()
    mine = made.copy(saver=saver, compile_config=CompileConfig(saver=saver))
    target = opened(mine)

    target.run(Start("hi", "main"), SilentProbe())

    assert saver.threads() == []
    assert "not written to" in target.describe().notes[0]
    assert opened(made.copy(compile_config=None)).describe().notes == ()


def test_watching_changes_nothing():
    """The first promise of a debugger."""
    made, *_ = ask_agent(["plain"])
    alone = made.invoke("hi")
    target = opened(made)
    target.run(Start("hi", "main"), Robot())

    assert target.state().values == alone


def test_gates_come_in_order_and_facts_tell_the_calls():
    noting = Noting("t", "r")
    robot = Robot(tool_t_enter=PROCEED, model_scripted_exit=[PROCEED, PROCEED])
    opened(agent([asks(call("c1", "t", '{"a": 1}')), "x"], tools=[noting])).run(Start("hi", "main"), robot)

    ended = {fact.site.kind: fact for fact in robot.of("CallEnded")}
    assert [point.site.kind for point in robot.points] == ["model", "tool", "model"]
    assert (ended["tool"].call_id, ended["tool"].request.arguments, ended["tool"].response.result) == (
        "c1",
        '{"a": 1}',
        "r",
    )
    assert ended["model"].usage is not None
    assert [fact.site.name for fact in robot.of("LayerPassed")] == ["AssistantMessageSanitizer"] * 2
    assert [fact.usage is not None for fact in robot.of("Committed")] == [False, True, False, True]
    tasks = {fact.site.node: fact.task for fact in robot.of("Committed")}
    assert ended["tool"].task == tasks["_AGENT_TOOL_"]


def test_rings_tell_what_they_wrap_and_what_they_saw():
    class Louder(ToolInterceptor):
        def intercept_tool_call(self, request, handler):
            response = handler(request.with_(arguments='{"n": 2}'))
            return response.with_(result=f"{response.result}!")

    robot = Robot()
    made = agent([asks(call("1", "t", '{"n": 1}')), "x"], tools=[Noting("t", "r")], interceptors=[Louder()])
    opened(made).run(Start("hi", "main"), robot)

    passed = [(fact.site.name, fact.around) for fact in robot.of("LayerPassed")]
    ring = next(fact for fact in robot.of("LayerPassed") if fact.around == "tool")
    assert passed == [
        ("AssistantMessageSanitizer", "model"),
        ("Louder", "tool"),
        ("AssistantMessageSanitizer", "model"),
    ]
    assert (ring.request.arguments, ring.response.result) == ('{"n": 1}', "r!")


def test_verdicts_at_calls_are_carried_out():
    noting = Noting("t", "real")
    robot = Robot(
        tool_t_enter=[Patch(None), Fulfil("made up"), Fail(ValueError("no")), PROCEED],
        tool_t_exit=[Patch("changed"), PROCEED, Retry(), PROCEED],
        model_scripted_enter=[PROCEED, Fulfil("answered by hand")],
    )
    calls = asks(*(call(str(n), "t", f'{{"n": {n}}}') for n in range(4)))

    class Patching(Robot):
        def hold(self, point):
            verdict = super().hold(point)
            return Patch(point.value.with_(arguments='{"n": 9}')) if verdict == Patch(None) else verdict

    robot.__class__ = Patching
    target = opened(agent([calls, "x"], tools=[noting]))
    target.run(Start("hi", "main"), robot)

    messages = target.state().values["messages"]
    assert [r.data for r in messages[2].responses] == ["changed", "made up", "Error: no", "real"]
    assert noting.calls == [{"n": 9}, {"n": 3}, {"n": 3}]
    assert messages[-1].text == "answered by hand"


def test_a_jump_by_hand_goes_into_the_update_of_the_held_hook():
    model = Counting(["never"])
    made = agent(model, hooks=[hook("S", [], BM, jumps=["end"])])

    opened(made).run(Start("hi", "main"), Robot(node_S_beforeModel_exit=Patch({"jump_to": "end"})))

    assert model.calls == 0


def test_an_aborted_run_can_go_on_from_its_last_checkpoint():
    model = Counting(["x"])
    target = opened(agent(model))

    outcome = target.run(Start("hi", "main"), Robot(node_AGENT_MODEL_enter=Abort()))
    again = target.run(From(outcome.checkpoint), SilentProbe())

    assert (outcome.status, outcome.next) == ("aborted", ("_AGENT_MODEL_",))
    assert (again.status, model.calls) == ("completed", 1)


def test_a_failure_comes_back_with_its_place():
    def boom(messages):
        raise ValueError("boom")

    outcome = opened(agent(hooks=[hook("H", [], AM, gives={AM: [boom]})])).run(
        Start("hi", "main"), SilentProbe()
    )

    assert (outcome.status, outcome.failed_at, str(outcome.error)) == (
        "failed",
        "_AGENT_HOOK_H.afterModel",
        "boom",
    )
    assert outcome.next == ("_AGENT_HOOK_H.afterModel",)


def test_a_limit_says_what_it_counts():
    looping = hook("J", [], AM, jumps=["model"], gives={AM: [{"jump_to": "model"}]})
    outcome = opened(agent(hooks=[looping], tools=[Noting("t")], limit=20)).run(
        Start("hi", "main"), SilentProbe()
    )

    assert outcome.status == "limit"
    assert "20" in outcome.detail


def test_history_edit_and_fork():
    target = opened(agent(["one", "two"]))
    target.run(Start("hi", "main"), SilentProbe())
    rows = target.history(10)
    before_model = next(row for row in rows if row.next == ("_AGENT_MODEL_",))

    edited = target.edit(before_model.checkpoint, Edit({"messages": [UserMessage("other")]}))
    target.run(From(edited), SilentProbe())

    assert [row.node for row in rows] == [
        "_AGENT_MODEL_",
        "_AGENT_HOOK_InstructionAgentHook.before",
        "__START__",
    ]
    assert texts(target.state().values) == ["user: other", "assistant: one"]
    assert texts(target.state(rows[0].checkpoint).values) == ["user: hi", "assistant: one"]


def test_an_edit_may_go_through_the_key_strategies_and_set_what_is_next():
    target = opened(agent(["one"], tools=[Noting("t")]))
    target.run(Start("hi", "main"), SilentProbe())
    last = target.history(1)[0].checkpoint

    more = target.edit(last, Edit({"messages": asks(call("1", "t"))}, "reducer", next=("_AGENT_TOOL_",)))

    assert target.state(more).next == ("_AGENT_TOOL_",)
    assert len(target.state(more).values["messages"]) == 3
    with pytest.raises(NotPossibleError):
        target.edit(last, Edit({}, next=("nowhere",)))
    with pytest.raises(NotPossibleError, match="held"):
        target.edit(last, Edit({}, jump="end"))


def test_state_that_is_not_there_is_told_and_not_raised():
    snapshot = opened(agent()).state()

    assert snapshot.values == {}
    assert snapshot.trouble


def test_prediction_of_a_jump_and_of_an_edit():
    made = agent([asks(call("1", "t")), "x"], tools=[Noting("t")], hooks=[hook("S", [], AM, jumps=["end"])])
    target = opened(made)
    target.run(Start("hi", "main"), SilentProbe())
    rows = {row.next: row.checkpoint for row in target.history(20)}
    at_hook = rows[("_AGENT_HOOK_S.afterModel",)]
    at_tool = rows[("_AGENT_TOOL_",)]

    assert target.predict(at_hook, Edit({"jump_to": "end"})).next == ("__END__",)
    assert target.predict(at_tool, None).next == ("_AGENT_TOOL_",)
    assert target.predict(at_tool, Edit({"messages": [UserMessage("x")]})).next == ("__END__",)
    assert target.predict(at_tool, Edit({}, next=("a", "b"))).next == ("a", "b")


def test_a_router_of_the_users_own_is_named_when_it_had_to_be_called():
    graph = StateGraph()
    graph.add_node("a", lambda state: {"x": 1}).add_node("b", lambda state: {})
    graph.add_edge(START, "a").add_edge("b", END)
    graph.add_conditional_edges(
        "a", lambda state: "go" if state.get("x") == 1 else "stop", {"go": "b", "stop": END}
    )
    target = opened(graph)
    target.run(Start({}, "main"), SilentProbe())
    at_a = next(row for row in target.history(9) if row.node == "a").checkpoint

    prediction = target.predict(at_a, Edit({"x": 2}))

    assert (prediction.next, prediction.called) == (("__END__",), ("a",))


def test_a_question_of_a_graph_is_answered_with_any_value():
    class Ask:
        def interrupt(self, node, state, config):
            return (
                None
                if "HUMAN_FEEDBACK" in config.metadata
                else Interruption(node=node, metadata={"message": "how many?"})
            )

        def __call__(self, state, config):
            return {"count": config.metadata["HUMAN_FEEDBACK"]}

    target = opened(StateGraph().add_node("ask", Ask()).add_edge(START, "ask").add_edge("ask", END))
    (ask,) = target.run(Start({}, "main"), SilentProbe()).asks

    done = target.run(Resume({ask.id: 3}), SilentProbe())

    assert (ask.kind, ask.prompt, ask.node) == ("input", "how many?", "ask")
    assert (done.status, target.state().values["count"]) == ("completed", 3)


def test_a_compiled_stop_is_a_question_that_any_answer_passes():
    graph = StateGraph().add_node("a", lambda state: {"a": 1}).add_node("b", lambda state: {"b": 1})
    graph.add_edge(START, "a").add_edge("a", "b").add_edge("b", END)
    target = opened(graph.compile(CompileConfig(interrupt_before=["b"])))
    (ask,) = target.run(Start({}, "main"), SilentProbe()).asks

    done = target.run(Resume({ask.id: None}), SilentProbe())

    assert "b is next" in ask.prompt
    assert (done.status, target.state().values["b"]) == ("completed", 1)


def test_a_stop_that_was_asked_for_is_answered_with_a_word():
    made = agent(["one"], hooks=[InterruptionHook()])
    target = opened(made)
    made.interrupt(RunConfig("main"))
    (ask,) = target.run(Start("hi", "main"), SilentProbe()).asks

    target.run(Resume({ask.id: "go on"}), SilentProbe())

    assert texts(target.state().values) == ["user: hi", "user: go on", "assistant: one"]


def test_hooks_can_be_run_in_another_order_without_touching_the_agent():
    seen: list[str] = []
    made = agent(hooks=[hook("A", seen, BM), hook("B", seen, BM)])
    target = opened(made)

    target.run(Start("hi", "main", hook_order=(1, 0)), SilentProbe())
    target.run(Start("hi", "other"), SilentProbe())

    assert seen == ["B.bM", "A.bM", "A.bM", "B.bM"]
    assert made.spec.hooks[0].agent is made
    with pytest.raises(SpecError, match="permutation"):
        target.run(Start("hi", "main", hook_order=(0, 0)), SilentProbe())


def test_calls_can_be_answered_from_a_record():
    noting, model = Noting("t", "real"), Counting([asks(call("1", "t")), "real end"])
    target = opened(agent(model, tools=[noting]))
    target.run(Start("hi", "main"), SilentProbe())
    start = target.history(10)[-1].checkpoint
    mocks = {
        Site("tool", "_AGENT_TOOL_", "t"): [ToolCallResponse("recorded", "t", "1")],
        Site("model", "_AGENT_MODEL_", "scripted"): [ModelResponse(asks(call("1", "t")))],
    }

    target.run(From(start, mocks), SilentProbe())

    assert len(noting.calls) == 1
    assert model.calls == 3
    assert "recorded" in texts(target.state().values)[2]


def test_rules_can_be_chosen_when_it_is_opened():
    made = agent(compat="upstream")

    assert opened(made, compat="fixed").describe().rules == "fixed"
    assert made.compat == "upstream"


def test_parallel_async_tools_run_on_an_event_loop_under_the_debugger():
    import asyncio

    gate: list[asyncio.Event] = []

    @tool
    async def first() -> str:
        """Waits."""
        gate.append(asyncio.Event())
        await gate[0].wait()
        return "1"

    @tool
    async def second() -> str:
        """Lets it go on."""
        gate[0].set()
        return "2"

    made = agent(
        [asks(call("a", "first"), call("b", "second")), "x"],
        tools=[first, second],
        parallel_tool_execution=True,
    )
    target = opened(made)
    outcome = target.run(Start("hi", "main"), Robot(tool_first_enter=PROCEED))

    assert outcome.status == "completed"
    assert [r.data for r in target.state().values["messages"][2].responses] == ["1", "2"]


def test_streamed_text_is_told_piece_by_piece():
    robot = Robot()
    opened(agent(Counting(["a longer text"], stream=3))).run(Start("hi", "main"), robot)

    assert "".join(fact.text for fact in robot.of("TextStreamed")) == "a longer text"


def test_a_flow_is_opened_with_its_agents_inside():
    flow = SequentialAgent("flow", [agent(["one"], name="a"), agent(["x", "two"], name="b")])
    robot = Robot()
    target = opened(flow)
    outcome = target.run(Start("hi", "main"), robot)

    assert outcome.status == "completed"
    assert "a:_AGENT_MODEL_" in [fact.site.node for fact in robot.of("Committed")]
    assert {fact.scope for fact in robot.of("Committed")} == {None, "a", "b"}


def test_a_flow_is_opened_by_other_rules_with_all_its_agents():
    inner = LoopAgent("loop", agent(["x"], name="s"), Times(2), hooks=[hook("P", [], BM)])
    flow = SequentialAgent("flow", [inner, agent(["x"], name="b")])
    seen = {}
    for compat in ("upstream", "fixed"):
        robot = Robot()
        target = opened(flow, compat=compat)
        target.run(Start("hi", "main"), robot)
        seen[compat] = [fact.site.node for fact in robot.of("Committed")].count("loop:s")
        assert target.describe().rules == compat

    assert seen == {"upstream": 1, "fixed": 2}
    assert (flow.compat, inner.compat, inner.sub_agent.compat) == ("upstream",) * 3


def test_inputs_and_capabilities_fit_what_was_opened():
    chat = opened(agent(sample_input="hello"))
    plain = opened(StateGraph(keys={"n": max}).add_node("a", dict).add_edge(START, "a").add_edge("a", END))

    assert (chat.sample_input(), chat.input_schema()) == ("hello", None)
    assert opened(agent(), sample_input="mine").sample_input() == "mine"
    assert opened(agent(), sample_input={"messages": [UserMessage("hi")]}).sample_input() == {
        "messages": [{"$": "msg", "role": "user", "content": "hi"}]
    }
    assert plain.input_schema()["properties"].keys() == {"input", "n"}
    assert "jump_update" in chat.capabilities
    assert "jump_update" not in plain.capabilities
