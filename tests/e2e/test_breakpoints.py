"""Every kind of breakpoint on the built-in engine and on LangGraph, alone and nested: set, hit, told."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from hookstepper.model.breakpoints import Breakpoint
from hookstepper.model.commands import AbortRun, SetBreakpoints, StartRun
from hookstepper.model.errors import HookstepperError
from hookstepper.model.gates import Stop
from hookstepper.model.ids import Json
from hookstepper.testing import DrivenRun, drive
from support.cli import TARGETS

THREADS = itertools.count()


@dataclass(frozen=True)
class Engine:
    """One of the targets, and what its places are called."""

    run: DrivenRun
    input: Json
    count: str
    again: str
    tools: str
    removed: str
    path: str = ""
    """Before names of nested nodes."""

    def begin(self, *lines: str) -> None:
        """A fresh run on a thread of its own, held before its first node, with these breakpoints only."""
        if self.run.phase in ("stopped", "ready", "waiting", "failed"):
            self.run.do(AbortRun())
        self.run._conversation.set_breakpoints(())
        self.run.do(StartRun(self.input, f"t{next(THREADS)}"))
        for line in lines:
            self.run.do("break.add " + self.named(line))

    def named(self, text: str) -> str:
        """A text with the names of this engine's nodes."""
        names = {"COUNT": self.count, "AGAIN": self.again, "TOOLS": self.tools, "MODEL": "model"}
        for word, name in names.items():
            text = text.replace(word, f"{self.path}{name}")
        return text.replace("REMOVED", self.removed)

    def on(self) -> Stop:
        """The next stop; questions are approved on the way, unless a breakpoint is about them."""
        run = self.run
        while True:
            run.do("answer.send approve" if run.phase == "waiting" else "run.continue")
            assert run.view.stop is not None
            if run.phase != "waiting" or "breakpoint" in run.view.stop.reasons:
                return run.view.stop

    @property
    def hits(self) -> dict[int, int]:
        """Hits by number, as the screen knows them."""
        return dict(self.run.view.hits)


USER: Json = {"messages": [{"role": "user", "content": "hi"}]}
NATIVE: Json = {"messages": [{"$": "msg", "role": "user", "content": "hi"}]}
ENGINES = {
    "built-in": (
        "stops_native.py:agent",
        "hi",
        "count.beforeModel",
        "again.afterModel",
        "tool",
        "scratch",
        "",
    ),
    "langchain": (
        *("stops_langchain.py:agent", USER, "count.before_model", "again.after_model", "tools", "messages"),
        "",
    ),
    "built-in nested": (
        *("stops_native.py:nested", NATIVE, "_AGENT_HOOK_count.beforeModel", "_AGENT_HOOK_again.afterModel"),
        *("_AGENT_TOOL_", "scratch", "team:"),
    ),
    "langgraph nested": (
        *("stops_langchain.py:nested", USER, "count.before_model", "again.after_model", "tools", "messages"),
        "team:",
    ),
}


@pytest.fixture(scope="module", params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    target, value, *names = ENGINES[request.param]
    if "langchain" in str(target):
        pytest.importorskip("langchain")
    with drive(str(TARGETS / str(target)), input=value) as run:
        yield Engine(run, value, *names)  # type: ignore[arg-type]


PLACES = [
    # what is set, then where it is held: node, kind of gate, phase, and what the reasons say
    ("COUNT", "COUNT", "node", "enter", "breakpoint"),
    ("node COUNT exit", "COUNT", "node", "exit", "breakpoint"),
    ("*AGAIN", "AGAIN", "node", "enter", "breakpoint"),
    ("route AGAIN", "AGAIN", "route", "exit", "breakpoint"),
    ("model", "MODEL", "model", "enter", "breakpoint"),
    ("model * exit", "MODEL", "model", "exit", "breakpoint"),
    ("tool look", "TOOLS", "tool", "enter", "breakpoint"),
    ("tool l??k exit", "TOOLS", "tool", "exit", "breakpoint"),
    ("tool pay if tool.args.amount == 5", "TOOLS", "tool", "enter", "breakpoint"),
    ("exception fails", "TOOLS", "tool", "exit", "exception"),
    ("exception * if 'no such page' in error", "TOOLS", "tool", "exit", "exception"),
    ('loop hit "== 3"', "COUNT", "node", "enter", "breakpoint"),
]


@pytest.mark.parametrize(("line", "node", "kind", "phase", "reason"), PLACES, ids=[p[0] for p in PLACES])
def test_a_breakpoint_at_a_gate_holds_there_and_is_told(
    engine: Engine, line: str, node: str, kind: str, phase: str, reason: str
) -> None:
    if line.startswith("loop") and engine.path:
        line = line.replace("loop", "loop COUNT")
    engine.begin(line)
    stop = engine.on()

    assert stop.site is not None
    place = engine.run._label(stop.site.node) if not engine.path else stop.site.node
    wanted = engine.named(node)
    if kind != "node" or not engine.path:
        assert (stop.site.kind, stop.phase) == (kind, phase)
    assert place == wanted or (node == "MODEL" and stop.site.node.endswith(("_AGENT_MODEL_", ":model")))
    assert reason in stop.reasons
    assert f"breakpoint {engine.run.view.breakpoints[0].id} (hit " in stop.detail
    assert next(iter(engine.hits.values())) >= 1


STEPS = [
    # what is set, the node whose step fulfils it, and the reason
    ("tool_request pay", "breakpoint", lambda step: _asks(step, "pay")),
    ("tool_request p* if call.args.amount == 5", "breakpoint", lambda step: _asks(step, "pay")),
    ("repeat look", "breakpoint", lambda step: _asks(step, "look")),
    ("state n if new == 3", "watch", lambda step: "n" in step.writes),
    ("state messages grows", "watch", lambda step: "messages" in step.writes),
    ("state REMOVED removed", "watch", lambda step: step.site.node.count("count") == 1),
    ("jump", "breakpoint", lambda step: "jump_to" in step.writes),
    ("jump if new == 'model'", "breakpoint", lambda step: "jump_to" in step.writes),
]


def _asks(step: object, tool: str) -> bool:
    return tool in str(getattr(step, "update", "")) and getattr(step, "kind", "") == "model"


@pytest.mark.parametrize(("line", "reason", "did"), STEPS, ids=[s[0] for s in STEPS])
def test_a_breakpoint_about_a_step_holds_before_the_node_that_follows(
    engine: Engine, line: str, reason: str, did: object
) -> None:
    engine.begin(line)
    stop = engine.on()
    trace = engine.run.view.trace

    assert reason in stop.reasons
    assert f"breakpoint {engine.run.view.breakpoints[0].id} (hit 1" in stop.detail
    assert did(trace.steps[trace.head])  # type: ignore[operator]
    assert engine.hits == {engine.run.view.breakpoints[0].id: 1}


def test_a_question_of_the_program_is_among_the_reasons(engine: Engine) -> None:
    engine.begin("interrupt")
    stop = engine.on()

    assert engine.run.phase == "waiting"
    assert stop.reasons == ("interrupt", "breakpoint")
    assert list(engine.hits.values()) == [1]


def test_hit_counts_conditions_and_once_choose_among_the_hits(engine: Engine) -> None:
    engine.begin("COUNT if n == 2", "COUNT once", 'COUNT hit ">= 3"', 'COUNT hit "% 2"')
    first = engine.run.view.breakpoints[0].id
    told = [engine.on().detail for _ in range(4)]

    assert told == [
        f"breakpoint {first + 1} (hit 1)",
        f"breakpoint {first + 3} (hit 2)",
        f"breakpoint {first} (hit 1: n == 2), breakpoint {first + 2} (hit 3)",
        f"breakpoint {first + 2} (hit 4), breakpoint {first + 3} (hit 4)",
    ]


def test_a_log_point_writes_and_does_not_stop(engine: Engine) -> None:
    engine.begin('COUNT log "turn {n}, {hits} times"', "tool pay")
    assert "breakpoint" in engine.on().reasons

    said = [piece.text for piece in engine.run.view.output if piece.stream == "debugger"]
    assert said[-2:] == ["turn 2, 3 times\n", "turn 3, 4 times\n"]
    assert engine.hits[engine.run.view.breakpoints[0].id] == 4


def test_a_condition_that_fails_says_so_and_neither_stops_nor_hangs(engine: Engine) -> None:
    engine.begin("COUNT if len(n) > 1", "tool pay")
    stop = engine.on()

    assert stop.site is not None
    assert stop.site.kind == "tool"
    number = engine.run.view.breakpoints[0].id
    assert number in dict(engine.run.view.problems)
    said = [piece.text for piece in engine.run.view.output if piece.stream == "debugger"]
    assert any(text.startswith(f"breakpoint {number} does not hold: ") for text in said)


def test_a_breakpoint_that_is_switched_off_is_passed_and_one_that_is_spent_is_gone(engine: Engine) -> None:
    engine.begin("COUNT", "tool look once", "tool pay")
    first, second, third = (b.id for b in engine.run.view.breakpoints)
    engine.run.do(f"break.enable {first}")

    assert f"breakpoint {second} (hit 1)" in engine.on().detail
    assert [b.id for b in engine.run.view.breakpoints] == [first, third]
    assert f"breakpoint {third} (hit 1" in engine.on().detail


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("modle", "no node named modle"),
        ("route nowhere*", "no node named nowhere"),
        ("loop modle", "no node named modle"),
        ("model if import os", "import os"),
        ("model hit many", "hit count 'many' is none"),
        ('model log "{"', ""),
        ("node model twice", "'twice' is not part of a breakpoint"),
    ],
)
def test_what_cannot_hold_is_refused_and_nothing_is_set(engine: Engine, line: str, why: str) -> None:
    engine.begin()
    with pytest.raises(HookstepperError) as refused:
        engine.run.do(f"break.add {line}")

    assert why in refused.value.message
    assert engine.run.view.breakpoints == ()
    if "modle" in line:
        assert "near: " in refused.value.hint
        assert "model" in refused.value.hint


def test_breakpoints_of_a_file_that_cannot_hold_are_told_and_stop_nothing(engine: Engine) -> None:
    engine.begin()
    engine.run._conversation.set_breakpoints((Breakpoint(90, node="modle"), Breakpoint(91, condition="(")))
    engine.run.do(SetBreakpoints(engine.run.view.breakpoints))
    engine.on()

    assert dict(engine.run.view.problems).keys() == {90, 91}
    assert engine.run.phase in ("ended", "failed")
