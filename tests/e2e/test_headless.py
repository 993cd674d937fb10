"""`hookstepper run --headless` and `graph`: the public contract of the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.cli import TARGETS, hookstepper, run

AGENT = "weather_like.py"


def test_a_run_prints_steps_and_an_end_and_exits_with_zero() -> None:
    done = run(AGENT, "--answer", "approve", text="weather?")

    assert done.code == 0, done.err
    assert done.end["status"] == "completed"
    assert done.end["steps"] == len(done.named("step"))
    first = done.named("step")[0]
    assert (first["index"], first["node"], first["kind"]) == (
        0,
        "_AGENT_HOOK_InstructionAgentHook.before",
        "before_agent",
    )
    assert first["route"]["to"] == "_AGENT_MODEL_"
    assert {"superstep", "task", "delta", "checkpoint"} <= first.keys()


def test_without_an_answer_it_stops_at_the_question_and_exits_with_three() -> None:
    done = run(AGENT)

    assert done.code == 3
    assert done.end["status"] == "interrupted"
    (stop,) = done.named("stop")
    assert stop["reasons"] == ["interrupt"]
    assert [call["tool"] for call in stop["asks"][0]["calls"]] == ["write_file"]


@pytest.mark.parametrize(
    "answer", ["perhaps", '{"decisions": []}', '{"decisions":[{"type":"edit","args":{"path":1}}]}']
)
def test_a_wrong_answer_is_refused_before_it_is_sent(answer: str) -> None:
    done = run(AGENT, "--answer", answer)

    assert done.code == 2
    assert "_AGENT_TOOL_" not in (done.nodes if done.out else [])


def test_an_edited_argument_is_what_the_tool_gets_and_a_rejection_keeps_it_from_running() -> None:
    edit = {"decisions": [{"type": "edit", "args": {"path": "b.txt", "text": "edited"}}]}

    edited = run(AGENT, "--answer", json.dumps(edit))
    rejected = run(AGENT, "--answer", "reject:not today")

    assert edited.end["state"]["written"] == [["b.txt", "edited"]]
    assert rejected.code == 0
    assert "written" not in rejected.end["state"]
    assert "not today" in json.dumps(rejected.end["state"])


def test_a_breakpoint_prints_a_stop_and_the_run_goes_on() -> None:
    done = run(AGENT, "--break", "model", "--answer", "approve")

    stops = [event for event in done.named("stop") if event["reasons"] == ["breakpoint"]]
    assert done.code == 0
    assert [stop["node"] for stop in stops] == ["_AGENT_MODEL_"] * 2


def test_the_step_cap_leaves_the_run_with_its_own_code() -> None:
    done = run(AGENT, "--answer", "approve", "--max-steps", "2")

    assert done.code == 4
    assert len(done.named("step")) == 2
    assert done.end["status"] == "limit"


def test_writes_are_said_to_wait_only_where_somebody_can_see_them_wait(tmp_path: Path) -> None:
    """Of the last branch they are in the state before anything else happens."""
    script = tmp_path / "steps.txt"
    script.write_text("run.next\nrun.next\n", encoding="utf-8")
    fan = ("run", str(TARGETS / "fan_out.py"), "--headless", "--input-json", "{}")

    stepped, played = hookstepper(*fan, "--script", str(script)).out, hookstepper(*fan).out

    assert [line for line in stepped.splitlines() if "wait" in line] == [
        "  ·   left ran; its writes wait for the other tasks"
    ]
    assert "wait" not in played


LOOP = (str(TARGETS / "loop.py"), "--input-json", '{"limit": 12}')


def test_the_guard_ends_a_run_that_nobody_can_ask_about() -> None:
    """An engine without a limit would otherwise run for ever in a CI job."""
    held = hookstepper("run", *LOOP, "--headless", "--json", "--guard", "5")
    free = hookstepper("run", *LOOP, "--headless", "--json", "--guard", "0")

    assert (held.code, held.end["status"], held.end["steps"]) == (4, "limit", 5)
    assert "held by the guard after 5 steps" in held.err
    assert "--guard" in held.err
    assert (free.code, free.end["steps"]) == (0, 12)


def test_a_guard_below_zero_is_refused() -> None:
    done = hookstepper("run", *LOOP, "--headless", "--guard", "-1")

    assert done.code == 2
    assert "--guard needs a number of steps" in done.err


def test_a_script_steps_jumps_and_expects(tmp_path: Path) -> None:
    script = tmp_path / "steps.txt"
    script.write_text(
        "\n".join(
            [
                "# one node, then on to the loop exit",
                "run.next",
                "expect node model",
                "run.to HITL.afterModel",
                "expect phase waiting",
                "answer.send approve",
                "expect node HITL.afterModel",
                "jump.set end",
                "run.next",
                "expect phase ended",
            ]
        ),
        encoding="utf-8",
    )

    done = run(AGENT, "--script", str(script))

    assert done.code == 0, done.err
    assert "written" not in done.end["state"]
    assert done.nodes[-1] == "_AGENT_HOOK_HITL.afterModel"
    assert done.named("step")[-1]["by_hand"] == ["jump end"]


def test_a_script_line_that_does_not_hold_names_its_number(tmp_path: Path) -> None:
    script = tmp_path / "steps.txt"
    script.write_text("run.next\nexpect node tool\n", encoding="utf-8")

    done = run(AGENT, "--script", str(script))

    assert done.code == 1
    assert "script line 2: expected node tool, found model to be next" in done.err
    assert done.end["status"] == "stopped"


def test_an_unknown_command_in_a_script_is_refused_before_anything_runs(tmp_path: Path) -> None:
    script = tmp_path / "steps.txt"
    script.write_text("run.next\nrun.nxt\n", encoding="utf-8")

    done = run(AGENT, "--script", str(script))

    assert done.code == 2
    assert "line 2" in done.err
    assert "run.next" in done.err
    assert done.out == ""


def test_the_input_that_a_module_suggests_serves_where_none_is_given(tmp_path: Path) -> None:
    text = (TARGETS / "two_branches.py").read_text()
    (tmp_path / "suggests.py").write_text(f'{text}\nSAMPLE_INPUT = "go"\n')

    done = hookstepper("run", "suggests.py", "--headless", "--json", cwd=tmp_path)
    given = hookstepper("run", "suggests.py", "--headless", "--json", "--input", "fail", cwd=tmp_path)

    assert (done.code, done.end["state"]["second"]) == (0, "written")
    assert given.code == 1


def test_lines_for_a_person_name_nodes_as_the_picture_does() -> None:
    done = hookstepper("run", str(TARGETS / AGENT), "--headless", "--input", "hi", "--answer", "approve")

    assert done.code == 0
    assert "model → HITL.afterModel" in done.out
    assert "_AGENT_MODEL_" not in done.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("run", "none.py", "--headless", "--input", "x"), "no file"),
        (("run", str(TARGETS / AGENT) + ":nothing", "--headless", "--input", "x"), "no attribute"),
        (("run", str(TARGETS / AGENT), "--headless"), "the target suggests no input"),
        (("run", str(TARGETS / AGENT), "--headless", "--input-json", "{"), "not JSON"),
        (("run", str(TARGETS / AGENT), "--headless", "--input", "x", "--python", "/none"), "no interpreter"),
        (("run", str(TARGETS / AGENT), "--json"), "needs --headless"),
        (("run", str(TARGETS / AGENT)), "needs a terminal"),
        (("run", str(TARGETS / "faults.py"), "--headless", "--input", "x"), "several"),
        (("graph", str(TARGETS / AGENT), "--format", "jpeg"), "jpeg"),
        (("walk",), "walk"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence_and_exits_with_two(words: tuple[str, ...], said: str) -> None:
    done = hookstepper(*words)

    assert done.code == 2
    assert said in done.err
    assert "Traceback" not in done.err
    assert done.out == ""


def test_the_bare_command_names_the_demo_first() -> None:
    done = hookstepper()

    assert done.code == 0
    assert done.out.splitlines()[2].startswith("  hookstepper demo")


@pytest.mark.parametrize("form", ["text", "mermaid", "plantuml", "json"])
def test_a_graph_is_printed_in_every_form(form: str, tmp_path: Path) -> None:
    out = tmp_path / "graph"

    printed = hookstepper("graph", str(TARGETS / AGENT), "--format", form)
    written = hookstepper("graph", str(TARGETS / AGENT), "--format", form, "-o", str(out))

    assert printed.code == written.code == 0, printed.err
    assert "HITL" in printed.out
    assert out.read_text(encoding="utf-8").strip() == printed.out.strip()


def test_what_is_expected_decides_the_exit_code_and_names_what_was_seen() -> None:
    met = run(AGENT, "--answer", "approve", "--expect", "tool write_file called", "--expect", "steps == 6")
    missed = run(AGENT, "--answer", "approve", "--expect", "node tool not reached", "--expect", "steps == 6")

    assert (met.code, met.err) == (0, "")
    assert missed.code == 1
    assert missed.err == "hookstepper: expected node tool not reached, it ran at step 3\n"


def test_a_run_that_was_to_fail_or_wait_is_no_failure() -> None:
    waits = run(AGENT, "--expect", "status interrupted", "--expect", "stop interrupt at HITL.afterModel")
    still = run(AGENT, "--expect", "stop interrupt")
    done = run(AGENT, "--answer", "approve", "--expect", "status interrupted")

    assert waits.code == 0
    assert still.code == 3, "how it ends was not said"
    assert (done.code, "found completed" in done.err) == (1, True)


def test_an_expectation_that_is_none_is_refused_before_anything_runs() -> None:
    done = run(AGENT, "--expect", "node mdoel raeched it")
    unknown = run(AGENT, "--expect", "status finished")

    assert "expected node mdoel raeched it" in done.err
    assert (unknown.code, unknown.out) == (2, "")
    assert "known: completed" in unknown.err


def test_what_ran_beside_a_failure_is_told_as_unsaved_and_only_then() -> None:
    """A branch that is over matters in a superstep that failed, and is noise in one that did not."""
    failed = hookstepper("run", str(TARGETS / "two_branches.py"), "--headless", "--input", "fail")
    whole = hookstepper("run", str(TARGETS / "two_branches.py"), "--headless", "--input", "go")

    assert failed.code == 1
    assert failed.out.splitlines()[:2] == [
        "  ·   first ran; its writes wait for the other tasks",
        '        first: "written"',
    ]
    told = failed.err.splitlines()
    assert told[0] == "hookstepper: second: RuntimeError: second failed"
    assert told[1].endswith('two_branches.py", line 11, in second')
    assert told[2].strip() == 'raise RuntimeError("second failed")'
    assert whole.code == 0
    assert "wait" not in whole.out
