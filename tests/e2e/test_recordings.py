"""Recordings from the command line: written, looked at without the program, compared."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from hookstepper.model.events import Event
from hookstepper.model.jsonform import from_json
from hookstepper.trace.reading import open_recording
from hookstepper.trace.trace import Trace
from support.cli import TARGETS, hookstepper, run

AGENT = "weather_like.py"


@pytest.fixture
def approved(tmp_path: Path) -> Path:
    file = tmp_path / "approved.hookstep"
    assert run(AGENT, "--answer", "approve", "--record", str(file)).code == 0
    return file


def test_a_recording_prints_the_steps_that_the_run_printed(approved: Path) -> None:
    live = run(AGENT, "--answer", "approve")

    replayed = hookstepper("replay", str(approved), "--headless", "--json")

    assert replayed.code == 0, replayed.err
    assert replayed.nodes == live.nodes
    assert replayed.end["state"] == live.end["state"]


def test_two_equal_runs_are_the_same_and_two_that_differ_name_the_first_difference(
    approved: Path, tmp_path: Path
) -> None:
    again, rejected = tmp_path / "again.hookstep", tmp_path / "rejected.hookstep"
    run(AGENT, "--answer", "approve", "--record", str(again))
    run(AGENT, "--answer", "reject:no", "--record", str(rejected))

    same = hookstepper("diff", str(approved), str(again))
    other = hookstepper("diff", str(approved), str(rejected))

    assert (same.code, same.out.startswith("the same: 6 steps")) == (0, True)
    assert other.code == 1
    assert other.out.startswith("first difference at step 2  HITL.afterModel")


def test_a_file_that_is_there_is_not_written_over(approved: Path) -> None:
    before = approved.read_bytes()

    done = run(AGENT, "--record", str(approved))

    assert done.code == 2
    assert "is there already" in done.err
    assert approved.read_bytes() == before


def test_what_is_no_recording_is_said_to_be_none(tmp_path: Path) -> None:
    foreign = tmp_path / "x.hookstep"
    foreign.write_text("not a database", encoding="utf-8")

    done = hookstepper("replay", str(foreign), "--headless")

    assert done.code == 2
    assert "Traceback" not in done.err


def test_mocks_answer_instead_of_the_model_and_the_tool(tmp_path: Path) -> None:
    script = tmp_path / "s.txt"
    script.write_text(
        'mock.add tool write_file "not really"\nrun.continue\nanswer.send approve\n',
        encoding="utf-8",
    )

    done = run(AGENT, "--script", str(script))

    assert done.code == 0, done.err
    assert "written" not in done.end["state"]
    assert "not really" in json.dumps(done.end["state"])


def test_a_fork_replays_model_and_tools_from_the_record(tmp_path: Path) -> None:
    """Side effects of the first run must not happen again."""
    script = tmp_path / "s.txt"
    script.write_text(
        "run.to HITL.afterModel\nanswer.send approve\nrun.continue\ntime.fork 0 replay\n"
        "run.continue\nanswer.send approve\nexpect phase ended\n",
        encoding="utf-8",
    )

    done = run(AGENT, "--script", str(script))

    assert done.code == 0, done.err
    by_branch: dict[str, list[str]] = {}
    for step in done.named("step"):
        by_branch.setdefault(step["branch"], []).append(step["node"])
    assert by_branch["b2"] == by_branch["main"][1:]
    recorded = [s["node"] for s in done.named("step") if "recorded" in s.get("by_hand", ())]
    assert recorded == ["_AGENT_MODEL_", "_AGENT_TOOL_", "_AGENT_MODEL_"]


STATIONS = """
from hookstepper.agent import ReactAgent, ScriptedModel, ToolCall, ToolContext, tool

@tool
def near(context: ToolContext) -> str:
    'The near station.'
    print("near is asked")
    context.update["heard"] = "near"
    return "sunny"

model = ScriptedModel([[ToolCall("c1", "near")], "Sunny."])
agent = ReactAgent("stations", model, tools=[near])
"""


def test_a_replayed_call_writes_to_the_state_what_the_real_one_wrote(tmp_path: Path) -> None:
    """A recorded answer stands for the whole call, or the branch would differ without a difference."""
    (tmp_path / "stations.py").write_text(STATIONS)
    (tmp_path / "s.txt").write_text("run.continue\ntime.fork 0 replay\nrun.continue\nexpect phase ended\n")

    words = ("--headless", "--json", "--input", "hi", "--script", "s.txt")
    done = hookstepper("run", "stations.py", *words, cwd=tmp_path)

    assert done.code == 0, done.err
    assert done.err.count("near is asked") == 1
    assert done.end["state"]["heard"] == "near"
    writes = [step["delta"] for step in done.named("step") if step["node"] == "_AGENT_TOOL_"]
    assert len(writes) == 2
    assert writes[0] == writes[1]


def test_breakpoints_of_every_kind_can_be_written_in_a_script(tmp_path: Path) -> None:
    script = tmp_path / "s.txt"
    script.write_text(
        "break.add tool_request write_file if call.args.path == 'a.txt'\n"
        "break.add state messages grows hit 2\n"
        "run.continue\nexpect node HITL.afterModel\n",
        encoding="utf-8",
    )

    done = run(AGENT, "--script", str(script))

    assert done.code == 3, done.err
    assert done.named("stop")[-1]["asks"], "the question comes before the gate"


def test_a_recording_is_asked_by_a_script_and_breakpoints_hold_on_it_afterwards(
    approved: Path, tmp_path: Path
) -> None:
    """Nobody thought of the breakpoint when the run was recorded."""
    script = tmp_path / "s.txt"
    script.write_text(
        "break.add tool write_file if tool.args.path == 'a.txt'\ntime.prev-break\ntime.steps\n"
        "time.live\ntime.writer written\nstate.show written[0]\nexpect status completed\n",
        encoding="utf-8",
    )

    done = hookstepper("replay", str(approved), "--headless", "--json", "--script", str(script))

    steps, shown = (event["result"] for event in done.named("reply"))
    assert done.code == 0, done.err
    assert [step["index"] for step in steps if step["in_view"]] == [2]
    assert shown == ["a.txt", "sunny"]
    assert done.named("reply")[1]["at"] == 3


def test_what_would_run_is_refused_on_a_recording(approved: Path, tmp_path: Path) -> None:
    script = tmp_path / "s.txt"
    script.write_text("run.next\n", encoding="utf-8")

    done = hookstepper("replay", str(approved), "--headless", "--script", str(script))

    assert (done.code, "nothing can run" in done.err) == (2, True)


def test_a_text_is_found_in_a_recording(approved: Path) -> None:
    done = hookstepper("replay", str(approved), "--find", "SUNNY", "--json")
    missed = hookstepper("replay", str(approved), "--find", "rain")

    (reply,) = done.named("reply")
    assert [hit["step"] for hit in reply["result"]] == [1, 3]
    assert missed.out.splitlines()[-1].strip() == "none"


def test_a_recording_is_exported_as_json_lines_that_make_the_same_record(
    approved: Path, tmp_path: Path
) -> None:
    file = tmp_path / "a.jsonl"

    assert hookstepper("replay", str(approved), "--export", str(file)).code == 0

    about, *lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    trace = Trace()
    for line in lines:
        trace.add(from_json(Event, line))  # type: ignore[arg-type]
    recording = open_recording(approved)
    assert about["format"] == "hookstepper"
    assert trace.steps == recording.trace.steps
    assert trace.state(trace.head) == recording.trace.state(recording.trace.head)


def test_expectations_are_checked_on_a_recording(approved: Path) -> None:
    met = hookstepper("replay", str(approved), "--headless", "--expect", "tool write_file called")
    missed = hookstepper("replay", str(approved), "--headless", "--expect", "status failed")

    assert met.code == 0
    assert (missed.code, missed.err.strip()) == (1, "hookstepper: expected status failed, found completed")


SECRETS = """
from typing import TypedDict
from langgraph.graph import START, StateGraph

class State(TypedDict, total=False):
    api_key: str
    customer: str
    said: str

builder = StateGraph(State)
builder.add_node("say", lambda state: {"said": "hello", "customer": "Ms Grey"})
builder.add_edge(START, "say")
graph = builder.compile()
"""


@pytest.mark.parametrize(
    ("options", "kept"),
    [((), ["grey"]), (("--redact", "cust*"), []), (("--no-redact",), ["grey", "sk-12345"])],
)
def test_secrets_are_kept_out_of_the_file(tmp_path: Path, options: tuple[str, ...], kept: list[str]) -> None:
    target, file = tmp_path / "secrets.py", tmp_path / "s.hookstep"
    target.write_text(SECRETS, encoding="utf-8")

    done = hookstepper(
        *("run", str(target), "--headless", "--json", "--input-json", '{"api_key": "sk-12345"}'),
        *("--record", str(file), *options),
    )
    exported = hookstepper("replay", str(file), "--export", "-").out.lower()

    assert done.code == 0, done.err
    assert done.end["state"]["api_key"] == "sk-12345", "only the file is redacted"
    assert [word for word in ("grey", "sk-12345") if word in exported] == kept


def test_on_a_full_disk_the_run_goes_on_and_what_was_written_opens(tmp_path: Path) -> None:
    """The run matters more than its record."""
    file = tmp_path / "full.hookstep"

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    done = subprocess.run(
        [sys.executable, "-m", "hookstepper", "run", str(TARGETS / "rounds.py"), "--headless", "--json",
         "--input-json", "{}", "--max-steps", "400", "--record", str(file)],
        preexec_fn=limited, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    replayed = hookstepper("replay", str(file), "--headless", "--json")

    assert done.returncode == 4, "the cap, as without the record"
    assert len(done.stdout.splitlines()) == 401
    assert done.stderr.count("recording stopped") == 1
    assert replayed.code == 0
    assert 0 < replayed.end["steps"] < 400


def test_a_second_process_does_not_write_into_the_file_of_the_first(tmp_path: Path) -> None:
    file = tmp_path / "one.hookstep"
    with subprocess.Popen(
        [sys.executable, "-m", "hookstepper", "run", str(TARGETS / AGENT), "--headless", "--input", "hi",
         "--script", "-", "--record", str(file)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as first:  # fmt: skip
        assert first.stdout is not None
        next(line for line in first.stdout if '"event": "stop"' in line)

        second = run(AGENT, "--record", str(file))
        looked = hookstepper("replay", str(file), "--headless")
        first.communicate("run.next\n")

    assert (second.code, "is there already" in second.err) == (2, True)
    assert looked.code == 0, "it can be looked at while it is written"
    assert open_recording(file).complete
