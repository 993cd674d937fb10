"""`breakpoint()` in the program's own code lands in the debugger, through the real command."""

from __future__ import annotations

from pathlib import Path

import pytest

from e2e.conftest import Open
from hookstepper.model.gates import Stop
from hookstepper.testing import DrivenRun, drive
from support.cli import TARGETS, hookstepper

OWN = TARGETS / "own_breakpoints.py"
LANGGRAPH = TARGETS / "own_breakpoints_langgraph.py"


def stop_of(run: DrivenRun) -> Stop:
    """The stop at which the run is held by its own breakpoint."""
    run.do("run.continue")
    stop = run.view.stop
    assert stop is not None
    assert stop.reasons == ("code",)
    assert stop.posture == "held"
    return stop


def test_a_stop_tells_file_line_functions_and_locals_innermost_first() -> None:
    with drive(f"{OWN}:sync", input="hi") as run:
        stop = stop_of(run)
        lines = [frame for frame in stop.frames if frame.kind == "line"]
        sources = [frame.source for frame in lines]
        text = OWN.read_text(encoding="utf-8").splitlines()

        assert [frame.name for frame in lines] == ["deep", "deep", "deep", "sync_node"]
        assert [(frame.locals or {})["level"] for frame in lines[:3]] == [0, 1, 2]  # type: ignore[index]
        assert all(source is not None and Path(source.file) == OWN for source in sources)
        assert text[(sources[0].line or 0) - 1].strip() == "breakpoint()"  # type: ignore[union-attr]
        assert [frame.kind for frame in stop.frames[4:]] == ["node", "graph", "run"]


def test_locals_that_cannot_be_told_do_not_spoil_their_neighbours() -> None:
    with drive(f"{OWN}:sync", input="hi") as run:
        stop = stop_of(run)
        (variables,) = [frame.locals for frame in stop.frames if frame.name == "sync_node"]

        assert isinstance(variables, dict)
        assert {"secret", "endless", "megabyte", "number", "state"} <= set(variables)
        assert len(str(variables)) < 100_000
        run.do("run.continue")
        assert run.phase == "ended"
        assert run.state["sync"] == 2


@pytest.mark.parametrize(
    ("target", "node", "names"),
    [
        (f"{OWN}:sync", "first", {"level": 0}),
        (f"{OWN}:loop", "first", {"before": "awaited"}),
        (f"{OWN}:thread", "first", {"inner": "on a thread of its own"}),
        (f"{LANGGRAPH}:sync", "plain", {"doubled": 2}),
        (f"{LANGGRAPH}:fan", "left", {"doubled": 2}),
    ],
)
def test_it_stops_wherever_it_is_called_and_goes_on(target: str, node: str, names: dict[str, object]) -> None:
    with drive(target, input={"a": 1}) as run:
        stop = stop_of(run)

        assert stop.site is not None
        assert (stop.site.kind, stop.site.node) == ("line", node)
        variables = stop.frames[0].locals
        assert isinstance(variables, dict)
        assert names.items() <= variables.items()
        run.do("run.continue")
        assert run.phase == "ended"


def test_each_call_is_a_stop_in_hooks_and_tools_of_an_agent() -> None:
    with drive(f"{OWN}:agent", input="hi") as run:
        held = []
        while run.phase != "ended":
            run.do("run.continue")
            stop = run.view.stop
            held += [run.view.graph.label(stop.site.node)] if stop and stop.posture == "held" else []  # type: ignore[union-attr]

        assert held == ["count.beforeModel", "tool", "count.beforeModel"]


def test_one_can_step_on_from_it() -> None:
    with drive(f"{LANGGRAPH}:loop", input={"a": 1}) as run:
        stop_of(run)
        run.do("run.next")

        assert run.view.stop is not None
        assert run.view.stop.reasons == ("step",)
        assert run.node == "awaiting"
        assert stop_of(run).frames[0].name == "awaiting"


def test_a_run_can_be_ended_there() -> None:
    for target in (f"{OWN}:sync", f"{LANGGRAPH}:sync"):
        with drive(target, input={"a": 1}) as run:
            stop_of(run)
            run.do("run.abort")

            assert run.phase == "aborted"
            assert run.steps == []


def test_a_hook_that_the_program_sets_itself_stays() -> None:
    with drive(f"{OWN}:own_hook", input="hi") as run:
        run.do("run.continue")

        assert run.phase == "ended"
        assert run.state["hook"] == "own hook"


@pytest.mark.parametrize("variable", ["0", "os.getpid"])
def test_pythonbreakpoint_is_honoured(variable: str) -> None:
    done = hookstepper(
        "run", f"{OWN}:sync", "--headless", "--json", "--input", "hi", PYTHONBREAKPOINT=variable
    )

    assert done.code == 0
    assert done.end["status"] == "completed"
    assert done.named("stop") == []


def test_headless_tells_the_stop_and_goes_on() -> None:
    done = hookstepper("run", f"{OWN}:sync", "--headless", "--json", "--input", "hi")

    assert done.code == 0
    assert [stop["reasons"] for stop in done.named("stop")] == [["code"]]
    assert done.end["status"] == "completed"


def test_outside_of_nodes_it_is_passed_by_and_never_waits_for_a_terminal(tmp_path: Path) -> None:
    target = tmp_path / "early.py"
    target.write_text(f"{OWN.read_text(encoding='utf-8')}\nbreakpoint()\n", encoding="utf-8")

    done = hookstepper("run", f"{target}:loop", "--headless", "--json", "--input", "hi")

    assert done.end["status"] == "completed"


@pytest.mark.timeout(300)
def test_it_lands_on_the_screen(terminal: Open) -> None:
    screen = terminal("run", f"{OWN}:thread", "--input", "hi")
    screen.see_status("READY")
    screen.press("c")
    screen.see_status("STOPPED in first")
    assert "breakpoint() in the program" in screen.status
    assert "own_breakpoints.py:" in screen.status
    screen.press("c")
    screen.see_status("ENDED")
    screen.press("q")
    assert screen.closed() == 0
