"""Cases 14 to 33: who runs when, and what a jump does."""

from __future__ import annotations

import pytest

from hookstepper.agent import (
    MARK_FOR_REMOVAL,
    AgentCommand,
    AssistantMessage,
    JumpTo,
    MessagesModelHook,
    ModelCallLimitHook,
    ModelHook,
    ReturnDirectModelHook,
    SystemMessage,
    UpdatePolicy,
    UserMessage,
    before_model,
)
from support.agent_kit import (
    AA,
    AM,
    BA,
    BM,
    Counting,
    Noting,
    agent,
    answers,
    asks,
    call,
    hook,
    texts,
    thread,
)

END_IT = AgentCommand(jump_to="end")


def test_case_014_before_runs_forward_and_after_runs_backward():
    seen: list[str] = []
    hooks = []
    for name in "ABC":
        hooks.append(hook(f"{name}a", seen, BA, AA))
        hooks.append(hook(name, seen, BM, AM))

    agent(hooks=hooks).invoke("hi")

    assert seen == [
        "Aa.before", "Ba.before", "Ca.before", "A.bM", "B.bM", "C.bM",
        "C.aM", "B.aM", "A.aM", "Ca.after", "Ba.after", "Aa.after",
    ]  # fmt: skip


def test_case_015_order_places_a_hook_before_early_and_after_late():
    seen: list[str] = []
    orders = {"A": 10, "B": 0, "C": -5}

    agent(hooks=[hook(name, seen, BM, AM, order=order) for name, order in orders.items()]).invoke("hi")

    assert seen == ["C.bM", "B.bM", "A.bM", "A.aM", "B.aM", "C.aM"]


def test_case_016_agent_hooks_run_once_a_run_and_model_hooks_once_a_turn():
    seen: list[str] = []
    made = agent(
        [asks(call("1", "t")), "done"],
        hooks=[hook("X", seen, BA, AA), hook("M", seen, BM, AM)],
        tools=[Noting("t")],
    )

    made.invoke("hi")

    assert seen == ["X.before", "M.bM", "M.aM", "M.bM", "M.aM", "X.after"]


def test_case_017_both_kinds_of_model_hooks_run():
    seen: list[str] = []

    agent(hooks=[hook("P", seen, BM, AM), hook("Q", seen, BM, AM, base=MessagesModelHook)]).invoke("hi")

    assert seen == ["P.bM", "Q.bM", "Q.aM", "P.aM"]


def test_case_018_the_return_direct_hook_runs_before_default_order():
    made = agent(hooks=[hook("P", [], BM), ReturnDirectModelHook()])

    assert made.anchors.loop_entry == "_AGENT_HOOK_finish_reason_check_messages_model_hook.beforeModel"


def test_case_019_replace_puts_a_list_in_place_of_the_messages():
    def replace(messages):
        return AgentCommand([SystemMessage("s"), messages[-1]])

    made = agent(hooks=[hook("R", [], BM, base=MessagesModelHook, gives={BM: [replace]})])

    state = made.invoke([UserMessage("m1"), UserMessage("m2")])

    assert texts(state) == ["system: s", "user: m2", "assistant: ok"]


def test_case_020_append_puts_messages_behind():
    command = AgentCommand([UserMessage("x")], policy=UpdatePolicy.APPEND)
    made = agent(hooks=[hook("R", [], BM, base=MessagesModelHook, gives={BM: [command]})])

    assert texts(made.invoke("m")) == ["user: m", "user: x", "assistant: ok"]


@pytest.mark.parametrize("second", [MessagesModelHook, ModelHook])
def test_case_021_022_a_jump_to_the_end_skips_all_that_follows(second):
    seen: list[str] = []
    model = Counting(["never"])
    made = agent(
        model,
        hooks=[
            hook("H1", seen, BM, AM, base=MessagesModelHook, jumps=["end"], gives={BM: [END_IT]}),
            hook("H2", seen, BM, AM, base=second),
            hook("H3", seen, BM, AM),
        ],
    )  # fmt: skip

    made.invoke("hi")

    assert seen == ["H1.bM"]
    assert model.calls == 0


def test_case_023_a_jump_to_the_end_after_the_model_leaves_the_tools_alone():
    tool = Noting("t")
    seen: list[str] = []
    made = agent(
        [asks(call("1", "t"))],
        tools=[tool],
        hooks=[hook("J", seen, AM, jumps=["end"], gives={AM: [{"jump_to": "end"}]})],
    )

    made.invoke("hi")

    assert (tool.calls, seen) == ([], ["J.aM"])


def again(*gives, compat=None):
    tool, seen = Noting("t"), []
    model = Counting([asks(call("1", "t")), asks(call("2", "t"))], exhausted="x")
    made = agent(
        model,
        tools=[tool],
        hooks=[hook("J", seen, AM, jumps=["model", "end"], gives={AM: gives})],
        compat=compat,
    )
    return made.run("hi"), model, tool, seen


def test_case_024_model_again_and_then_the_end():
    result, model, tool, seen = again({"jump_to": "model"}, {"jump_to": "end"})

    assert (result.status, model.calls, len(seen), tool.calls) == ("completed", 2, 2, [])


@pytest.mark.upstream
def test_case_025_upstream_never_removes_a_jump_so_the_loop_does_not_end():
    result, model, _, _ = again({"jump_to": "model"}, {})

    assert result.status == "limit"
    assert model.calls > 10


@pytest.mark.fixed
def test_case_025_in_fixed_rules_a_jump_is_used_once():
    result, model, tool, _ = again({"jump_to": "model"}, {}, compat="fixed")

    assert result.status == "completed"
    assert model.calls == 3  # the second answer's call runs now, and a third answer ends the run
    assert len(tool.calls) == 1


@pytest.mark.parametrize(
    ("value", "obeyed"),
    [("END", True), (JumpTo.END, True), (" end ", False), ("stop", False), (5, False), ("", False)],
)
def test_case_026_what_counts_as_a_jump(value, obeyed):
    model = Counting(["ok"])
    made = agent(model, hooks=[hook("J", [], BM, jumps=["end"], gives={BM: [{"jump_to": value}]})])

    made.invoke("hi")

    assert model.calls == (0 if obeyed else 1)


def test_case_027_an_undeclared_jump_is_obeyed_later_at_the_loop_exit():
    tool, model = Noting("t"), Counting([asks(call("1", "t")), "done"])
    made = agent(model, tools=[tool], hooks=[hook("J", [], BM, gives={BM: [{"jump_to": "end"}]})])

    made.invoke("hi")

    assert (model.calls, tool.calls) == (1, [])


@pytest.mark.upstream
def test_case_028_the_first_before_hook_cannot_jump_to_itself():
    made = agent(hooks=[hook("J", [], BM, jumps=["model"], gives={BM: [{"jump_to": "model"}]})])

    result = made.run("hi")

    assert result.status == "failed"
    assert "'J'" in str(result.error)
    assert "cannot find edge mapping" in result.error.upstream  # type: ignore[union-attr]


@pytest.mark.fixed
def test_case_028_in_fixed_rules_it_goes_on_to_the_model():
    seen: list[str] = []
    made = agent(
        hooks=[
            hook("J", seen, BM, jumps=["model"], gives={BM: [{"jump_to": "model"}]}),
            hook("K", seen, BM),
        ],
        compat="fixed",
    )

    assert made.run("hi").status == "completed"
    assert seen == ["J.bM"]


def two_turns(compat):
    model = Counting(["one", "two"])
    stop = hook(
        "Stop",
        [],
        BM,
        base=MessagesModelHook,
        jumps=["end"],
        gives={BM: [AgentCommand(jump_to="end"), AgentCommand()]},
    )
    made = agent(model, hooks=[stop], saver=True, compat=compat)
    made.invoke("first", thread())
    made.invoke("second", thread())
    return model.calls


@pytest.mark.upstream
def test_case_029_a_jump_that_ended_a_turn_ends_the_next_turn_of_the_thread_too():
    """People report this as `my agent does not answer any more`."""
    assert two_turns("upstream") == 0


@pytest.mark.fixed
def test_case_029_in_fixed_rules_the_next_turn_is_free():
    assert two_turns("fixed") == 1


def exit_loop(compat):
    seen: list[str] = []
    made = agent(
        hooks=[
            hook("B", [], BA, jumps=["end"], gives={BA: [{"jump_to": "end"}]}),
            hook("X", seen, AA, jumps=["end"]),
        ],
        compat=compat,
    )
    return made.run("hi").status, len(seen)


@pytest.mark.upstream
def test_case_030_an_after_agent_hook_that_may_end_runs_for_ever_upstream():
    status, visits = exit_loop("upstream")

    assert status == "limit"
    assert visits > 10


@pytest.mark.fixed
def test_case_030_in_fixed_rules_it_runs_once():
    assert exit_loop("fixed") == ("completed", 1)


def wrong_hook_asked(compat):
    model = Counting(["one", "two"], exhausted="three")
    made = agent(
        model,
        hooks=[
            hook(
                "A",
                [],
                AM,
                jumps=["model"],
                gives={AM: [{"jump_to": "model"}, {"jump_to": MARK_FOR_REMOVAL}]},
            ),
            hook("B", [], AM),
        ],
        compat=compat,
    )
    return made.run("hi").status, model.calls


@pytest.mark.upstream
def test_case_031_without_tools_the_loop_exit_asks_the_wrong_hook_upstream():
    assert wrong_hook_asked("upstream") == ("completed", 1)


@pytest.mark.fixed
def test_case_031_in_fixed_rules_the_hooks_own_jump_counts():
    assert wrong_hook_asked("fixed") == ("completed", 2)


@pytest.mark.upstream
def test_case_031_the_other_hooks_jumps_may_even_fail_the_run():
    made = agent(
        hooks=[
            hook("A", [], AM, jumps=["model"], gives={AM: [{"jump_to": "model"}]}),
            hook("B", [], AM, jumps=["end"]),
        ]
    )

    result = made.run("hi")

    assert result.status == "failed"
    assert "'A'" in str(result.error)


def test_case_032_a_jump_to_the_end_skips_the_hook_that_comes_later():
    seen: list[str] = []
    hooks = [hook("A", seen, AM), hook("B", seen, AM, jumps=["end"], gives={AM: [{"jump_to": "end"}]})]

    agent(hooks=hooks).invoke("hi")

    assert seen == ["B.aM"]


def test_case_033_a_message_behind_the_calls_ends_the_run_without_them():
    tool = Noting("t")
    made = agent(
        [asks(call("1", "t"))],
        tools=[tool],
        hooks=[hook("A", [], AM, gives={AM: [{"messages": [UserMessage("x")]}]})],
    )

    assert made.run("hi").status == "completed"
    assert tool.calls == []


def test_a_jump_may_be_removed_by_a_hook_with_a_map():
    model = Counting(["one"])
    made = agent(
        model,
        hooks=[
            hook("J", [], BA, gives={BA: [{"jump_to": "end"}]}),
            hook("C", [], BM, jumps=["end"], gives={BM: [{"jump_to": MARK_FOR_REMOVAL}]}),
        ],
    )

    made.invoke("hi")

    assert model.calls == 1


def test_a_limit_with_a_saver_does_not_end_the_next_turn_of_the_java_agent_either():
    """The limit hook writes an enum, which upstream's serializer turns into a list that no router reads."""
    model = Counting([asks(call("1", "t"))], exhausted="ok")
    made = agent(model, hooks=[ModelCallLimitHook(run_limit=1)], tools=[Noting("t")], saver=True)
    first = made.invoke("a", thread())

    second = made.invoke("b", thread())

    assert first["jump_to"] is JumpTo.END
    assert model.calls == 2
    assert texts(second)[-1] == "assistant: ok"


def test_hooks_are_made_from_plain_functions_too():
    seen: list[str] = []

    @before_model
    def plain(state):
        seen.append("plain")

    @before_model(can_jump_to=["end"], order=-1)
    async def stopping(state, config):
        seen.append("stopping")
        return {"jump_to": "end", "messages": AssistantMessage("stopped")}

    state = agent(hooks=[plain, stopping]).invoke("hi")

    assert seen == ["stopping"]
    assert texts(state)[-1] == "assistant: stopped"
    assert plain.get_name() == "plain"


class Facts:
    def __init__(self):
        self.routes = {}
        self.skipped = {}

    def wants(self, site, phase):
        return False

    def emit(self, fact):
        if type(fact).__name__ == "Committed":
            self.routes.setdefault(fact.site.node, []).append(fact.route)
            self.skipped.setdefault(fact.site.node, []).append(fact.skipped)


def test_a_route_tells_what_each_rule_saw_and_where_it_would_have_gone():
    """The Route tab is this and nothing else."""
    facts = Facts()
    made = agent([asks(call("c2", "t")), "done"], tools=[Noting("t")], hooks=[hook("L", [], AM)])

    made.run("hi", probe=facts)
    first, last = facts.routes["_AGENT_HOOK_L.afterModel"]

    assert (first.to, first.rule, first.otherwise) == (("_AGENT_TOOL_",), "tool_calls", "__END__")
    assert [(row.rule, row.saw, row.fired) for row in first.rules] == [
        ("jump_to", "not set", False),
        ("no_messages", "2 messages", False),
        ("tool_calls", "c2", True),
        ("no_tool_calls", "", False),
        ("answered", "", False),
        ("partly_answered", "", False),
        ("otherwise", "", False),
    ]
    assert last.rule == "no_tool_calls"


def test_a_jump_names_the_hooks_that_it_skips():
    facts = Facts()
    made = agent(
        hooks=[
            hook("A", [], BM, AM),
            hook("J", [], BM, jumps=["end"], gives={BM: [{"jump_to": "end"}]}),
            hook("K", [], BM, AM),
        ]
    )

    made.run("hi", probe=facts)

    route = facts.routes["_AGENT_HOOK_J.beforeModel"][0]
    assert (route.rule, route.otherwise) == ("declared_jump", "_AGENT_HOOK_K.beforeModel")
    assert facts.skipped["_AGENT_HOOK_J.beforeModel"] == [
        ("_AGENT_HOOK_K.beforeModel", "_AGENT_HOOK_K.afterModel", "_AGENT_HOOK_A.afterModel")
    ]


def test_partial_answers_go_to_the_tools_and_whole_ones_to_the_loop():
    """A response put in by a hook answers its call; the tool node runs only the others."""
    tool = Noting("t")
    put_in = answers(("1", "t", "mine"))
    model = Counting([asks(call("1", "t"), call("2", "t")), "done"])
    made = agent(model, tools=[tool], hooks=[hook("P", [], AM, gives={AM: [{"messages": [put_in]}, {}]})])

    state = made.invoke("hi")

    assert len(tool.calls) == 1
    assert [(r.id, r.data) for r in state["messages"][2].responses] == [("1", "mine"), ("2", "ok")]
