"""Cases 98 to 100, and agents as nodes: one agent inside another graph."""

from __future__ import annotations

import pytest

from hookstepper.agent import (
    APPEND,
    AgentHook,
    AssistantMessage,
    MemorySaver,
    ReactAgent,
    RunConfig,
    ScriptedModel,
    StateGraph,
    UserMessage,
)
from hookstepper.agent.flow import LlmRoutingAgent, LoopAgent, ParallelAgent, SequentialAgent
from hookstepper.agent.flow.loop import EachItem, Times, Until
from hookstepper.agent.nested import AgentToolError
from hookstepper.engine.graph import END, START
from hookstepper.model.errors import SpecError
from support.agent_kit import (
    AA,
    AM,
    BA,
    BM,
    RULES,
    Counting,
    Noting,
    agent,
    asks,
    call,
    hook,
    texts,
    thread,
)


class Configs(AgentHook):
    """Keeps the config of each run."""

    def __init__(self):
        self.seen = []

    def before_agent(self, state, config):
        self.seen.append(config)
        return {}


def test_case_098_an_agent_as_a_tool_runs_on_a_thread_of_its_own():
    configs = Configs()
    child = agent(["from the child"], hooks=[configs], name="child_agent", description="helps")
    parent = agent([asks(call("1", "child_agent", '{"input": "hello"}')), "done"], tools=[child])

    state = parent.invoke("hi", RunConfig("parent-thread", metadata={"who": "me"}))

    assert texts(state)[2] == "tool: from the child"
    assert configs.seen[0].thread_id == "parent-thread_child_agent"
    assert configs.seen[0].metadata["_AGENT_"] == "child_agent"
    assert configs.seen[0].metadata["who"] == "me"


def test_case_098_a_failing_child_tells_who_and_with_what():
    class Failing(AgentHook):
        def before_agent(self, state, config):
            raise ValueError("child boom")

    child = agent(hooks=[Failing()], name="failing_child_agent")
    parent = agent([asks(call("1", "failing_child_agent", '{"input": "hello"}')), "done"], tools=[child])

    text = texts(parent.invoke("hi", RunConfig("parent-thread")))[2]

    assert "Failed to execute agent tool 'failing_child_agent'" in text
    assert "parentThreadId=parent-thread, input=hello" in text
    assert "child boom" in text
    assert issubclass(AgentToolError, RuntimeError)


def test_an_agent_as_a_tool_gets_its_instruction_twice_upstream_and_once_in_fixed_rules():
    for compat, count in (("upstream", 2), ("fixed", 1)):
        model = Counting(["x"])
        child = agent(model, name="child", instruction="be brief", compat=compat)
        agent([asks(call("1", "child", '{"input": "q"}')), "done"], tools=[child]).invoke("hi")

        told = [m for m in model.prompts[0].messages if m.role == "instruction"]
        assert len(told) == count


def test_the_steps_of_a_child_tool_are_seen_with_their_path():
    """A debugger that stopped at the tool could not show what the child did."""

    class Sites:
        def __init__(self):
            self.seen = []

        def wants(self, site, phase):
            return False

        def emit(self, fact):
            if type(fact).__name__ in ("Committed", "CallEnded"):
                self.seen.append((type(fact).__name__, fact.site.node, fact.task.count("/")))

    child = agent(["x"], name="child")
    parent = agent([asks(call("1", "child", '{"input": "q"}')), "done"], tools=[child])
    probe = Sites()
    parent.run("hi", probe=probe)

    inside = "_AGENT_TOOL_:child:_AGENT_MODEL_"
    assert ("Committed", inside) in [row[:2] for row in probe.seen]
    assert inside in {node.id for node in parent.describe().nodes}
    assert ("CallEnded", "_AGENT_TOOL_", 1) in probe.seen


def test_an_agent_as_a_node_gives_back_its_last_new_message():
    for give_all, count in ((False, 1), (True, 3)):
        child = agent(
            [asks(call("1", "t")), "end"],
            tools=[Noting("t")],
            name="child",
            return_reasoning_contents=give_all,
        )
        graph = StateGraph("outer", {"messages": APPEND})
        graph.add_node("child", child.as_node())
        graph.add_edge(START, "child").add_edge("child", END)

        state = graph.compile().invoke({"messages": [UserMessage("hi")]})

        assert len(state["messages"]) == 1 + count


def test_a_jump_of_a_child_reaches_the_next_agent_upstream_and_not_in_fixed_rules():
    for compat, calls in (("upstream", 0), ("fixed", 1)):
        seen: list[str] = []
        first = agent(
            ["one"],
            hooks=[hook("J", seen, AM, gives={AM: [{"jump_to": "end"}]})],
            name="first",
            compat=compat,
        )
        model = Counting(["two"])
        second = agent(model, hooks=[hook("K", seen, BM, jumps=["end"])], name="second", compat=compat)

        SequentialAgent("flow", [first, second], compat=compat).invoke("hi")

        assert model.calls == calls


def test_a_sequence_passes_the_messages_on():
    model = Counting(["never", "two"])

    state = SequentialAgent("flow", [agent(["one"], name="a"), agent(model, name="b")]).invoke("hi")

    assert texts(state) == ["user: hi", "assistant: one", "assistant: two"]
    assert [m.content for m in model.prompts[0].messages] == ["hi", "one"]


def test_case_099_hooks_of_a_flow_have_other_ids_and_after_model_runs_forward():
    seen: list[str] = []
    flow = SequentialAgent(
        "flow",
        [agent(["x"], name="s")],
        hooks=[hook("log", seen, BA, AA), hook("P", seen, BM, AM), hook("Q", seen, BM, AM)],
    )

    flow.invoke("hi")

    assert seen == ["log.before", "P.bM", "Q.bM", "P.aM", "Q.aM", "log.after"]
    assert "log.before" in flow.graph().nodes
    assert "_AGENT_HOOK_P.beforeModel" in flow.graph().nodes


def test_jumps_are_not_read_in_a_flow():
    seen: list[str] = []
    flow = SequentialAgent(
        "flow",
        [agent(["x"], name="s")],
        hooks=[hook("J", seen, BM, jumps=["end"], gives={BM: [{"jump_to": "end"}]}), hook("K", seen, BM)],
    )

    flow.invoke("hi")

    assert seen == ["J.bM", "K.bM"]


def rounds(strategy, compat=None, hooks=(), value="hi"):
    model = Counting([f"r{n}" for n in range(9)])
    loop = LoopAgent("loop", agent(model, name="s"), strategy, compat=compat or RULES.get(), hooks=hooks)
    loop.invoke(value)
    return model.calls


def test_a_loop_goes_round_as_its_strategy_says():
    assert rounds(Times(3)) == 3
    assert rounds(Times(0)) == 0
    assert rounds(Until(lambda messages: messages[-1].content == "r1")) == 2


def test_a_loop_over_a_json_array_gives_each_item_to_the_agent():
    model = Counting(["a", "b"])

    state = LoopAgent("loop", agent(model, name="s"), EachItem()).invoke('["x", {"n": 1}]')

    assert texts(state) == [
        'user: ["x", {"n": 1}]',
        "user: x",
        "assistant: a",
        'user: {"n": 1}',
        "assistant: b",
    ]


def test_a_loop_over_no_array_ends_with_a_remark_and_malformed_json_fails():
    assert texts(LoopAgent("l", agent(name="s"), EachItem()).invoke([]))[-1].startswith("system: ")
    with pytest.raises(ValueError, match=r"Expecting|no array"):
        LoopAgent("l", agent(name="s"), EachItem()).invoke("{oops")


@pytest.mark.upstream
def test_case_099_a_loop_with_only_before_model_hooks_makes_one_round_upstream():
    before = [hook("P", [], BM)]

    assert rounds(Times(3), hooks=before) == 1
    assert rounds(Times(3), hooks=[*before, hook("X", [], BA)]) == 3
    assert rounds(Times(3), "fixed", before) == 3


def test_parallel_agents_are_merged_by_output_key():
    subs = [agent([name], name=name, output_key=name) for name in ("a", "b")]

    state = ParallelAgent("p", subs, merge="concat", merge_output_key="all").invoke("hi")

    assert state["all"] == "a\n\nb"
    assert [m.content for m in state["messages"]] == ["hi", "a", "b"]


def test_parallel_agents_need_keys_of_their_own():
    subs = [agent(name=name, output_key="same") for name in ("a", "b")]

    with pytest.raises(SpecError, match="same"):
        ParallelAgent("p", subs)
    with pytest.raises(SpecError, match="2 to 10"):
        ParallelAgent("p", subs[:1])


def router(script, *names):
    model = Counting(script)
    subs = [
        agent([f"from {name}"], name=name, output_key=name, description=f"knows {name}") for name in names
    ]
    return LlmRoutingAgent("route", model, subs), model


def test_case_100_one_result_is_given_back_unchanged_without_a_model_call():
    flow, model = router(['{"agents": [{"agent": "b", "query": "q"}]}'], "a", "b")

    state = flow.invoke("hi")

    assert state["merged_result"] == AssistantMessage("from b")
    assert state["b_input"] == "q"
    assert model.calls == 1


def test_case_100_several_results_are_put_together_by_one_call():
    flow, model = router(['{"agents": [{"agent": "a"}, {"agent": "b"}]}'], "a", "b")
    model.exhausted = "together"

    state = flow.invoke("hi")

    assert model.calls == 2
    assert state["merged_result"]


def test_a_choice_that_cannot_be_used_is_asked_for_again_and_fails_in_the_end():
    flow, model = router(["nonsense", '{"agents": [{"agent": "zz"}]}', '{"agents": []}'], "a", "b")

    with pytest.raises(RuntimeError, match="'route'"):
        flow.invoke("hi")
    assert model.calls == 3


def test_messages_of_agents_side_by_side_have_names_of_their_own():
    """Changes are told by name: two messages of one name would be taken for one."""
    subs = [agent([name], name=name, output_key=name, instruction="i") for name in ("a", "b")]

    names = [m.id for m in ParallelAgent("p", subs).invoke("hi")["messages"] if m.id]

    assert len(names) == len(set(names)) == 2


def test_a_flow_may_hold_a_flow():
    inner = SequentialAgent("inner", [agent(["one"], name="a"), agent(["x", "two"], name="b")])
    outer = SequentialAgent("outer", [inner, agent(["x", "y", "three"], name="c")])

    assert texts(outer.invoke("hi")) == ["user: hi", "assistant: one", "assistant: two", "assistant: three"]
    assert "inner:a:_AGENT_MODEL_" in {node.id for node in outer.describe().nodes}


def test_every_step_of_a_flow_is_at_a_node_of_its_graph():
    """A step at an unknown place could be neither drawn nor named."""
    helper = agent(["helped"], name="helper")
    worker = agent([asks(call("1", "helper", '{"input": "q"}')), "done"], tools=[helper], name="worker")
    inner = SequentialAgent("inner", [worker])
    flow = SequentialAgent("outer", [inner])
    sites: list[str] = []

    class Watch:
        def wants(self, site, phase):
            sites.append(site.node)
            return False

        def emit(self, fact):
            pass

    flow.run("hi", probe=Watch())

    assert set(sites) <= {node.id for node in flow.describe().nodes}
    assert "inner:worker:_AGENT_TOOL_:helper:_AGENT_MODEL_" in sites


def test_an_answer_for_one_agent_makes_the_next_one_fail_upstream():
    """Reported upstream: after an approval every later agent of the flow tries to resume."""
    from dataclasses import replace

    from hookstepper.agent import HumanInTheLoopHook

    for compat, status in (("upstream", "failed"), ("fixed", "completed")):
        saver = MemorySaver()
        first = ReactAgent(
            "first",
            ScriptedModel([asks(call("1", "t")), "done"]),
            tools=[Noting("t").tool],
            hooks=[HumanInTheLoopHook(["t"])],
            saver=saver,
            compat=compat,
        )
        second = ReactAgent("second", ScriptedModel(["x", "y", "z"]), saver=saver, compat=compat)
        flow = SequentialAgent("flow", [first, second], saver=saver, compat=compat)
        asked = flow.run("hi", thread()).interruption
        assert asked is not None
        feedback = [replace(f, result="APPROVED") for f in asked.tool_feedbacks]

        result = flow.run({}, thread().resuming(asked.answered(feedback)))

        assert result.status == status, compat
