"""Cases 1 to 13 of the agent's conformance list: nodes, edges and what cannot be built."""

from __future__ import annotations

import pytest

from hookstepper.agent import (
    REPLACE,
    AssistantMessageSanitizer,
    HookPosition,
    InstructionAgentHook,
    InterruptionHook,
    MessagesModelHook,
    ModelCallLimitHook,
    ModelHook,
    ModelInterceptor,
    PIIDetectionHook,
    ReactAgent,
    ScriptedModel,
    Tool,
    ToolCallLimitHook,
    hook_positions,
)
from hookstepper.agent.hooks import jumps_of, node_name, positions_of
from hookstepper.model.errors import SpecError
from hookstepper.model.graph import HOOK_KINDS
from support.agent_kit import AA, AM, BA, BM, Noting, agent, edges, hook, short

T = Noting("t")
CASES = {
    "G0": ([], [], {"START": ["Instr.before"], "Instr.before": ["model"], "model": ["END"]}),
    "G1": (
        [],
        [T],
        {
            "START": ["Instr.before"],
            "Instr.before": ["model"],
            "model": ["END", "model", "tool"],
            "tool": ["END", "model"],
        },
    ),
    "G2": (
        [lambda: PIIDetectionHook("IP"), lambda: ModelCallLimitHook(run_limit=1)],
        [T],
        {
            "START": ["Instr.before"],
            "Instr.before": ["PIIDetection[IP].bM"],
            "PIIDetection[IP].bM": ["ModelCallLimit.bM"],
            "ModelCallLimit.bM": ["END", "model"],
            "model": ["ModelCallLimit.aM"],
            "ModelCallLimit.aM": ["END", "PIIDetection[IP].aM"],
            "PIIDetection[IP].aM": ["END", "PIIDetection[IP].bM", "tool"],
            "tool": ["END", "PIIDetection[IP].bM"],
        },
    ),
    "G3": (
        [lambda: hook("H1", [], AM), lambda: hook("H2", [], AM), lambda: hook("H3", [], AM)],
        [],
        {
            "START": ["Instr.before"],
            "Instr.before": ["model"],
            "model": ["H3.aM"],
            "H3.aM": ["H2.aM"],
            "H2.aM": ["H1.aM"],
            "H1.aM": ["END"],
        },
    ),
    "G4": (
        [lambda: hook("A", [], AM, jumps=["model"]), lambda: hook("B", [], AM)],
        [],
        {
            "START": ["Instr.before"],
            "Instr.before": ["model"],
            "model": ["B.aM"],
            "B.aM": ["A.aM"],
            "A.aM": ["END"],
        },
    ),
    "G5": (
        [lambda: hook("A", [], AM), lambda: hook("B", [], AM, jumps=["end"])],
        [],
        {
            "START": ["Instr.before"],
            "Instr.before": ["model"],
            "model": ["B.aM"],
            "B.aM": ["A.aM", "END"],
            "A.aM": ["END"],
        },
    ),
    "G6": (
        [lambda: hook("X", [], BA, AA), lambda: hook("Y", [], BA, AA, jumps=["end"])],
        [T],
        {
            "START": ["Instr.before"],
            "Instr.before": ["X.before"],
            "X.before": ["Y.before"],
            "Y.before": ["Y.after", "model"],
            "model": ["Y.after", "model", "tool"],
            "tool": ["Y.after", "model"],
            "Y.after": ["X.after", "Y.after"],
            "X.after": ["END"],
        },
    ),
    "G7": (
        [lambda: hook("R", [], BM, jumps=["model", "end"])],
        [T],
        {
            "START": ["Instr.before"],
            "Instr.before": ["R.bM"],
            "R.bM": ["END", "model"],
            "model": ["END", "R.bM", "tool"],
            "tool": ["END", "R.bM"],
        },
    ),
    "G8": (
        [
            lambda: hook("a", [], BM, AM, order=10),
            lambda: hook("b", [], BM, AM),
            lambda: hook("c", [], BM, AM, order=-5),
            lambda: hook("d", [], BM, AM),
        ],
        [T],
        {
            "START": ["Instr.before"],
            "Instr.before": ["c.bM"],
            "c.bM": ["b.bM"],
            "b.bM": ["d.bM"],
            "d.bM": ["a.bM"],
            "a.bM": ["model"],
            "model": ["a.aM"],
            "a.aM": ["d.aM"],
            "d.aM": ["b.aM"],
            "b.aM": ["c.aM"],
            "c.aM": ["END", "c.bM", "tool"],
            "tool": ["END", "c.bM"],
        },
    ),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.upstream
def test_case_001_golden_edge_lists(name: str):
    """The graph is what a person is shown: every edge of it must be the Java agent's."""
    hooks, tools, golden = CASES[name]

    made = agent(hooks=[make() for make in hooks], tools=tools)

    assert {source: sorted(targets) for source, targets in edges(made).items()} == golden


def test_case_001_the_default_target_of_a_hook_edge_comes_first():
    """The picture draws the default way as the spine."""
    made = agent(hooks=[hook("Y", [], BM, jumps=["end"])], tools=[T])

    assert edges(made)["Y.bM"] == ["model", "END"]


def test_case_002_two_hooks_of_one_name_fail_at_first_use_and_name_the_hook():
    """Upstream does not say which hook it is; ours does."""
    made = agent(hooks=[hook("H", [], BM), hook("H", [], AM)])

    with pytest.raises(SpecError, match="'H'") as failure:
        made.invoke("hi")
    assert failure.value.upstream == "Duplicate hook instances found"  # type: ignore[attr-defined]


def test_case_003_the_instruction_hook_is_there_already():
    made = agent(hooks=[InstructionAgentHook()])

    with pytest.raises(SpecError, match="InstructionAgentHook"):
        made.graph()


def test_case_004_tool_call_limits_of_different_tools_do_not_clash():
    agent(hooks=[ToolCallLimitHook("a", run_limit=1), ToolCallLimitHook("b", run_limit=1)]).graph()

    with pytest.raises(SpecError, match=r"ToolCallLimit\[all\]"):
        agent(hooks=[ToolCallLimitHook(run_limit=1), ToolCallLimitHook(run_limit=2)]).graph()


def test_case_005_a_jump_to_tools_needs_tools():
    made = agent(hooks=[hook("J", [], AM, jumps=["tool"])])

    with pytest.raises(SpecError, match=r"'J'.*_AGENT_TOOL_") as failure:
        made.compiled()
    assert "a not existent nodeId _AGENT_TOOL_!" in failure.value.upstream  # type: ignore[attr-defined]


def test_case_006_an_agent_hook_at_a_model_position_has_no_node_and_says_so():
    @hook_positions(HookPosition.BEFORE_MODEL)
    class Lost(InstructionAgentHook):
        name = "Lost"

    with pytest.raises(SpecError, match=r"'Lost'.*BEFORE_MODEL") as failure:
        agent(hooks=[Lost()]).compiled()
    assert "refers to undefined node!" in failure.value.upstream  # type: ignore[attr-defined]


class Silent(MessagesModelHook):
    """A messages hook without positions."""

    visits = 0

    def before_model(self, messages, config):
        type(self).visits += 1
        return super().before_model(messages, config)


@pytest.mark.upstream
def test_case_007_a_messages_hook_without_positions_never_runs_upstream():
    made = agent(hooks=[Silent()])

    made.invoke("hi")

    assert Silent.visits == 0
    assert "_AGENT_HOOK_Silent.beforeModel" not in made.graph().nodes


def test_case_007_in_fixed_rules_it_runs():
    made = agent(hooks=[Silent()], compat="fixed")

    assert "_AGENT_HOOK_Silent.beforeModel" in made.graph().nodes


@hook_positions(HookPosition.AFTER_MODEL)
class Marked(ModelHook):
    name = "M"


class Derived(Marked):
    name = "D"


def test_case_008_positions_are_not_inherited_upstream():
    assert positions_of(Derived()) == {HookPosition.BEFORE_MODEL, HookPosition.AFTER_MODEL}
    assert positions_of(Derived(), "fixed") == {HookPosition.AFTER_MODEL}
    assert positions_of(Marked()) == {HookPosition.AFTER_MODEL}


class Ring(ModelInterceptor):
    def __init__(self, name: str) -> None:
        self.name = name


def ring_names(made: ReactAgent) -> list[str]:
    return [ring.name for node in made.describe().nodes if node.kind == "model" for ring in node.rings]


def test_case_009_the_sanitizer_is_last_by_default_absent_when_disabled_never_twice():
    assert ring_names(agent(interceptors=[Ring("x")])) == ["x", "AssistantMessageSanitizer"]
    assert ring_names(agent(interceptors=[Ring("x")], assistant_message_sanitizer=False)) == ["x"]
    mine = AssistantMessageSanitizer()
    assert ring_names(agent(interceptors=[mine, Ring("x")])) == ["AssistantMessageSanitizer", "x"]


def test_case_010_rings_of_hooks_come_inside_and_a_name_counts_once_among_them():
    class Bringing(ModelHook):
        def __init__(self, name: str, *rings: str) -> None:
            self.name = name
            self.rings = [Ring(ring) for ring in rings]

        def model_interceptors(self):
            return self.rings

    made = agent(interceptors=[Ring("x")], hooks=[Bringing("hook1", "x", "y"), Bringing("hook2", "y", "z")])

    rings = [(r.name, r.brought_by) for n in made.describe().nodes if n.kind == "model" for r in n.rings]
    assert rings == [
        ("x", "agent"),
        ("AssistantMessageSanitizer", "agent"),
        ("y", "hook1"),
        ("z", "hook2"),
    ]


def test_case_011_a_resolver_alone_gives_its_tools():
    poem = Tool("poem", lambda: "roses")
    model = ScriptedModel(["ok"])

    made = ReactAgent("a", model, resolver={"poem": poem})

    assert [tool.name for tool in made.tools] == ["poem"]


def test_case_011_a_tool_of_a_hook_shadows_the_agents_own():
    mine, theirs = Noting("t", "mine"), Noting("t", "theirs")
    bringing = hook("H", [], BM)
    bringing.tools = lambda: [theirs.tool]  # type: ignore[method-assign]

    made = agent(hooks=[bringing], tools=[mine])

    assert made.tools == (theirs.tool,)


def test_case_011_a_name_that_nobody_resolves_is_refused():
    with pytest.raises(SpecError, match="'x'"):
        ReactAgent("a", ScriptedModel([]), tool_names=["x"], resolver={})
    with pytest.raises(SpecError, match="'x'"):
        ReactAgent("a", ScriptedModel([]), tool_names=["x"])


def test_case_012_key_strategies():
    class Override(ModelHook):
        def key_strategies(self):
            return {"messages": REPLACE}

    plain = {key.name: key.strategy for key in agent(output_key="o").describe().keys}
    overridden = {key.name: key.strategy for key in agent(hooks=[Override()]).describe().keys}

    assert plain == {"input": "replace", "o": "replace", "messages": "append"}
    assert overridden["messages"] == "replace"


def test_case_013_the_interruption_hook_is_named_and_jumps_nowhere():
    interruption = InterruptionHook()

    assert node_name(interruption, BM) == "_AGENT_HOOK_INTERRUPTION.beforeModel"
    assert jumps_of(interruption) == ()


def test_nodes_carry_what_the_picture_needs():
    """Registration index, order and jumps are what a person compares with the run."""
    made = agent(hooks=[hook("A", [], BM, AM, order=3), hook("B", [], AM, jumps=["end"])], tools=[T])

    nodes = {short(node.id): node for node in made.describe().nodes}

    assert nodes["Instr.before"].index is None
    assert (nodes["A.bM"].index, nodes["A.bM"].order, nodes["A.bM"].owner) == (0, 3, "A")
    assert nodes["B.aM"].jumps == ("end",)
    assert nodes["B.aM"].source is not None
    assert nodes["B.aM"].source.file.endswith("agent_kit.py")
    assert {node.kind for node in nodes.values() if node.owner} <= HOOK_KINDS
    assert nodes["tool"].tools == ("t",)


def test_anchors_are_the_four_places_of_the_loop():
    made = agent(hooks=[hook("X", [], BA, AA), hook("A", [], BM, AM), hook("B", [], BM, AM)], tools=[T])

    anchors = made.describe().anchors

    assert short(anchors.entry) == "Instr.before"
    assert short(anchors.loop_entry) == "A.bM"
    assert short(anchors.loop_exit) == "A.aM"
    assert short(anchors.exit) == "X.after"


def test_the_return_direct_way_out_of_the_tools_is_marked_as_never_taken():
    graph = agent(tools=[T]).describe()

    assert [short(e.target) for e in graph.edges if e.evidence == "never"] == ["END"]
