"""What every adapter promises: one body of tests, run over each of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from hookstepper.model.errors import HookstepperError
from hookstepper.model.gates import Site
from hookstepper.model.ids import END, START, CheckpointId
from hookstepper.model.jsonform import from_json, to_json
from hookstepper.ports.target import CAPABILITIES, Edit, From, OpenOptions, Outcome, Resume, Start, Target
from hookstepper.ports.verdict import PROCEED, Abort, Fail, Patch, Point
from hookstepper.values import encode
from support.contract_makers import MAKERS, Maker
from support.probe import RecordingProbe


@pytest.fixture(params=MAKERS, ids=lambda maker: maker.name)
def maker(request: pytest.FixtureRequest) -> Iterator[Maker]:
    yield request.param


def noting(name: str) -> Any:
    def body(state: Any) -> dict[str, Any]:
        return {"log": [name]}

    return body


def adding(name: str) -> Any:
    def body(state: Any) -> dict[str, Any]:
        return {"n": state["n"] + 1, "log": [f"{name}{state['n']}"]}

    return body


def opened(maker: Maker, program: object) -> Target:
    assert maker.adapter.claims(program)
    return maker.adapter.open(program, OpenOptions())


def line(maker: Maker) -> Target:
    return opened(maker, maker.line(a=adding("a"), b=adding("b"), c=adding("c")))


def started(target: Target, value: object, probe: RecordingProbe | None = None) -> Outcome:
    return target.run(Start(value, "t"), probe or RecordingProbe())


def plain(state: Any) -> dict[str, Any]:
    return {key: value for key, value in dict(state).items() if key in ("n", "log")}


# ------------------------------------------------------------------------------------ description


def test_a_graph_is_described_from_start_to_end_and_survives_json(maker: Maker) -> None:
    graph = line(maker).describe()

    assert {node.id for node in graph.nodes} == {START, END, "a", "b", "c"}
    assert {(edge.source, edge.target) for edge in graph.edges} == {
        (START, "a"),
        ("a", "b"),
        ("b", "c"),
        ("c", END),
    }
    assert from_json(type(graph), json.loads(json.dumps(to_json(graph)))) == graph


def test_capabilities_are_known_words(maker: Maker) -> None:
    assert line(maker).capabilities <= CAPABILITIES
    assert opened(maker, maker.agent([])).capabilities <= CAPABILITIES


def test_what_is_not_of_the_framework_is_not_claimed(maker: Maker) -> None:
    for stranger in (None, 5, "agent", object(), type, [], lambda: None):
        assert not maker.adapter.claims(stranger)


def test_hooks_name_their_owner_place_and_jumps(maker: Maker) -> None:
    graph = opened(maker, maker.agent([])).describe()
    hook = graph.node(maker.hook)  # type: ignore[arg-type]

    assert hook is not None
    assert (hook.kind, hook.owner, hook.jumps) == ("before_model", "Gate", ("end",))
    assert hook.index is not None
    assert hook.source is not None
    assert hook.source.file.endswith("contract_makers.py")
    assert graph.anchors.loop_entry == maker.hook


# ------------------------------------------------------------------------------------ running


def test_each_node_is_held_entered_and_committed_in_turn(maker: Maker) -> None:
    probe = RecordingProbe()

    outcome = started(line(maker), {"n": 1}, probe)

    assert outcome.status == "completed"
    assert probe.log == [f"{what} {node}" for node in "abc" for what in ("hold", "enter", "commit")]
    assert [step.superstep for step in probe.steps] == sorted({step.superstep for step in probe.steps})
    assert len({step.task for step in probe.steps}) == 3


def test_every_step_tells_state_update_route_and_checkpoint(maker: Maker) -> None:
    target, probe = line(maker), RecordingProbe()

    started(target, {"n": 1}, probe)

    assert [plain(step.state) for step in probe.steps] == [
        {"n": 2, "log": ["a1"]},
        {"n": 3, "log": ["a1", "b2"]},
        {"n": 4, "log": ["a1", "b2", "c3"]},
    ]
    assert [step.update for step in probe.steps] == [
        {"n": 2, "log": ["a1"]},
        {"n": 3, "log": ["b2"]},
        {"n": 4, "log": ["c3"]},
    ]
    assert [step.route.to for step in probe.steps if step.route] == [("b",), ("c",), (END,)]
    assert all(set(step.writes) == {"n", "log"} for step in probe.steps)
    for step in probe.steps:
        assert plain(target.state(step.checkpoint).values) == plain(step.state)


def test_a_run_is_seeded_with_what_its_first_node_sees(maker: Maker) -> None:
    seen: list[int] = []

    def look(point: Point) -> Any:
        seen.append(point.value["n"])  # type: ignore[index]
        return PROCEED

    probe = RecordingProbe(look)
    started(line(maker), {"n": 7}, probe)

    assert [seed.entry for seed in probe.seeds] == ["start"]
    assert probe.seeds[0].state["n"] == 7
    assert seen == [7, 8, 9]


def test_a_silent_probe_sees_the_same_end(maker: Maker) -> None:
    quiet = RecordingProbe(holds=lambda site, phase: False)
    loud = RecordingProbe(holds=lambda site, phase: True)
    one, two = line(maker), line(maker)

    assert started(one, {"n": 1}, quiet).status == started(two, {"n": 1}, loud).status == "completed"
    assert plain(one.state().values) == plain(two.state().values)
    assert not quiet.points


def test_a_patched_input_is_what_the_node_sees(maker: Maker) -> None:
    probe = RecordingProbe(
        lambda point: Patch({**point.value, "n": 40}) if point.site.node == "b" else PROCEED  # type: ignore[dict-item]
    )

    started(line(maker), {"n": 1}, probe)

    assert [step.update for step in probe.steps][1] == {"n": 41, "log": ["b40"]}


def test_an_aborted_run_can_be_gone_on_with(maker: Maker) -> None:
    target = line(maker)

    outcome = started(target, {"n": 1}, RecordingProbe([PROCEED, Abort()]))
    assert outcome.checkpoint is not None
    probe = RecordingProbe()
    again = target.run(From(outcome.checkpoint), probe)

    assert (outcome.status, outcome.next) == ("aborted", ("b",))
    assert again.status == "completed"
    assert probe.nodes == ["b", "c"]
    assert [seed.entry for seed in probe.seeds] == ["from"]
    assert plain(target.state().values) == {"n": 4, "log": ["a1", "b2", "c3"]}


def test_a_failure_of_the_program_is_an_outcome_and_can_be_retried(maker: Maker) -> None:
    broken = [True]

    def sometimes(state: Any) -> dict[str, Any]:
        if broken:
            raise ZeroDivisionError("by zero")
        return {"log": ["fine"]}

    target = opened(maker, maker.line(a=noting("a"), b=sometimes))

    outcome = started(target, {"n": 1})
    broken.clear()
    assert outcome.checkpoint is not None
    again = target.run(From(outcome.checkpoint), RecordingProbe())

    assert (outcome.status, outcome.failed_at, outcome.next) == ("failed", "b", ("b",))
    assert isinstance(outcome.error, ZeroDivisionError)
    assert again.status == "completed"
    assert target.state().values["log"] == ["a", "fine"]


def test_the_exit_gate_shows_the_error_before_it_leaves_the_node(maker: Maker) -> None:
    def breaks(state: Any) -> dict[str, Any]:
        raise ZeroDivisionError("by zero")

    probe = RecordingProbe(holds=lambda site, phase: site.kind == "node" and phase == "exit")
    target = opened(maker, maker.line(a=noting("a"), b=breaks))

    started(target, {"n": 1}, probe)

    assert [(point.site.node, type(point.error).__name__) for point in probe.points] == [
        ("a", "NoneType"),
        ("b", "ZeroDivisionError"),
    ]


def test_a_failure_can_be_put_in_by_hand(maker: Maker) -> None:
    target = line(maker)

    outcome = started(target, {"n": 1}, RecordingProbe([PROCEED, Fail(OSError("cut"))]))

    assert (outcome.status, outcome.failed_at) == ("failed", "b")
    assert isinstance(outcome.error, OSError)
    assert plain(target.state().values) == {"n": 2, "log": ["a1"]}


def test_acts_say_what_can_be_done_and_always_that_one_may_go_on(maker: Maker) -> None:
    probe = RecordingProbe(holds=lambda site, phase: True)

    started(opened(maker, maker.agent([])), "pay 5", probe)

    assert {point.site.kind for point in probe.points} >= {"node", "model"}
    assert all({"proceed", "abort"} <= point.acts for point in probe.points)


def test_a_second_input_goes_on_from_the_same_thread(maker: Maker) -> None:
    target = opened(maker, maker.line(a=noting("a")))

    started(target, {"n": 1})
    started(target, {"n": 2})
    target.run(Start({"n": 3}, "other"), RecordingProbe())

    assert plain(target.state().values) == {"n": 3, "log": ["a"]}
    started(target, {"n": 4})
    assert plain(target.state().values) == {"n": 4, "log": ["a", "a", "a"]}


# ------------------------------------------------------------------------------------ history


def test_history_is_newest_first_and_each_row_can_be_read(maker: Maker) -> None:
    target, probe = line(maker), RecordingProbe()

    started(target, {"n": 1}, probe)
    rows = target.history(3)

    assert [row.checkpoint for row in rows] == [step.checkpoint for step in reversed(probe.steps)]
    assert [row.node for row in rows] == ["c", "b", "a"]
    assert [target.state(row.checkpoint).values["n"] for row in rows] == [4, 3, 2]
    assert rows[1].next == ("c",)


def test_a_fork_begins_in_the_past_and_leaves_it_as_it_was(maker: Maker) -> None:
    target, first = line(maker), RecordingProbe()
    started(target, {"n": 1}, first)
    past, last = first.steps[0].checkpoint, first.steps[-1].checkpoint
    assert past is not None

    probe = RecordingProbe()
    target.run(From(target.edit(past, Edit({"n": 50}))), probe)

    assert probe.nodes == ["b", "c"]
    assert plain(target.state().values) == {"n": 52, "log": ["a1", "b50", "c51"]}
    assert plain(target.state(last).values) == {"n": 4, "log": ["a1", "b2", "c3"]}
    assert plain(target.state(past).values) == {"n": 2, "log": ["a1"]}


def test_an_edit_sets_values_raw_or_through_their_strategies(maker: Maker) -> None:
    target, probe = line(maker), RecordingProbe()
    started(target, {"n": 1}, probe)
    past = probe.steps[0].checkpoint
    assert past is not None

    raw = target.state(target.edit(past, Edit({"log": ["x"]})))
    reduced = target.state(target.edit(past, Edit({"log": ["x"]}, mode="reducer")))

    assert (raw.values["log"], raw.next) == (["x"], ("b",))
    assert (reduced.values["log"], reduced.next) == (["a1", "x"], ("b",))


def test_the_next_node_can_be_set(maker: Maker) -> None:
    target, probe = line(maker), RecordingProbe()
    started(target, {"n": 1}, probe)
    past = probe.steps[0].checkpoint
    assert past is not None

    made = target.edit(past, Edit({}, next=("c",)))  # type: ignore[arg-type]
    again = RecordingProbe()
    target.run(From(made), again)

    assert target.state(made).next == ("c",)
    assert again.nodes == ["c"]


def test_an_unknown_checkpoint_is_an_error_of_ours_and_reading_it_is_none(maker: Maker) -> None:
    target = line(maker)
    started(target, {"n": 1})
    nowhere = CheckpointId("nowhere")

    with pytest.raises(HookstepperError):
        target.edit(nowhere, Edit({"n": 1}))
    with pytest.raises(HookstepperError):
        target.run(From(nowhere), RecordingProbe())
    assert target.state(nowhere).trouble


def test_a_target_that_never_ran_can_be_read_and_closed_twice(maker: Maker) -> None:
    target = line(maker)

    assert target.state().checkpoint is None
    assert list(target.history(5)) == []
    target.close()
    target.close()


# ------------------------------------------------------------------------------------ agents


def decided(*decisions: dict[str, Any]) -> dict[str, Any]:
    return {"decisions": list(decisions)}


@pytest.mark.parametrize(
    ("decision", "paid"),
    [
        ({"type": "approve"}, [5]),
        ({"type": "edit", "args": {"amount": 7}}, [7]),
        ({"type": "reject", "reason": "no money"}, []),
    ],
)
def test_an_approval_is_asked_and_what_was_decided_is_what_runs(
    maker: Maker, decision: dict[str, Any], paid: list[int]
) -> None:
    really: list[int] = []
    target = opened(maker, maker.agent(really))

    outcome = started(target, "pay 5")
    (ask,) = outcome.asks
    assert really == []
    done = target.run(Resume({ask.id: decided(decision)}), RecordingProbe())

    assert outcome.status == "interrupted"
    assert (ask.kind, [(one.tool, one.arguments) for one in ask.calls]) == (
        "approval",
        [("pay", {"amount": 5})],
    )
    assert {"approve", "edit", "reject"} <= set(ask.allowed)
    assert ask.calls[0].needs_approval
    assert done.status == "completed"
    assert really == paid


def test_an_agents_steps_have_the_kinds_of_their_nodes(maker: Maker) -> None:
    target, probe = opened(maker, maker.agent([])), RecordingProbe()

    outcome = started(target, "pay 5", probe)
    target.run(Resume({outcome.asks[0].id: decided({"type": "approve"})}), probe)

    kinds = [step.kind for step in probe.steps]
    nodes = {node.id: node.kind for node in target.describe().nodes}
    assert kinds == [nodes[step.site.node] for step in probe.steps]
    assert [kind for kind in kinds if kind in ("model", "tool")] == ["model", "tool", "model"]
    assert maker.tool_node in [step.site.node for step in probe.steps]


def test_messages_have_one_json_form_whatever_made_them(maker: Maker) -> None:
    target = opened(maker, maker.agent([]))
    started(target, "pay 5")

    messages = encode(target.state().values["messages"], target.codec)

    assert isinstance(messages, list)
    user, *_, answer = messages
    assert isinstance(user, dict)
    assert (user["$"], user["role"], user["content"]) == ("msg", "user", "pay 5")
    assert isinstance(answer, dict)
    assert (answer["$"], answer["role"]) == ("msg", "assistant")
    (call,) = answer["tool_calls"]  # type: ignore[misc]
    assert (call["id"], call["name"]) == ("c1", "pay")


def test_an_edited_message_is_decoded_against_the_old_one(maker: Maker) -> None:
    from hookstepper.values import decode

    target = opened(maker, maker.agent([]))
    started(target, "pay 5")
    old = target.state().values["messages"][0]  # type: ignore[index]
    shown = encode(old, target.codec)
    assert isinstance(shown, dict)

    new = decode({**shown, "content": "pay 6"}, like=old, codec=target.codec)

    assert type(new) is type(old)
    assert encode(new, target.codec) == {**shown, "content": "pay 6"}


def test_a_jump_by_hand_goes_where_it_was_predicted(maker: Maker) -> None:
    target = opened(maker, maker.agent([]))
    hook = maker.hook

    if "jump_update" in target.capabilities:
        probe = RecordingProbe(
            lambda point: (
                Patch({"jump_to": "end"}) if point.phase == "exit" and point.site.node == hook else PROCEED
            ),
            holds=lambda site, phase: site.kind == "node",
        )
        started(target, "pay 5", probe)
        ran = probe.nodes[probe.nodes.index(hook) + 1 :]
    else:

        def leave(point: Point) -> Any:
            return Abort() if point.site.node == hook else PROCEED

        outcome = started(target, "pay 5", RecordingProbe(leave))
        assert outcome.checkpoint is not None
        predicted = target.predict(outcome.checkpoint, Edit({}, jump="end"))
        made = target.edit(outcome.checkpoint, Edit({}, jump="end"))
        assert tuple(node for node in predicted.next if node != END) == target.state(made).next
        probe = RecordingProbe()
        target.run(From(made), probe)
        ran = probe.nodes

    assert ran == []


def test_sites_are_equal_across_runs(maker: Maker) -> None:
    """Breakpoints and recordings are keyed by them."""

    def sites() -> set[Site]:
        probe = RecordingProbe(holds=lambda site, phase: True)
        started(opened(maker, maker.agent([])), "pay 5", probe)
        return {point.site for point in probe.points}

    assert sites() == sites()
