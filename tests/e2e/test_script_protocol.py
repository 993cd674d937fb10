"""`--script -`: another program drives a run, one JSON reply to each command."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest

from hookstepper.trace.reading import open_recording
from support.cli import TARGETS, run

AGENT = "weather_like.py"
FAULTS = "faults.py"


class Driver:
    """A program that drives hookstepper over pipes and knows nothing of it but the protocol."""

    def __init__(self, *words: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "hookstepper", "run", *words, "--headless", "--script", "-"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ},
        )
        self._count = 0
        self.seen: list[dict[str, Any]] = []

    def __enter__(self) -> Driver:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            assert stream is not None
            with contextlib.suppress(OSError):
                stream.close()

    def send(self, line: str) -> int:
        """Write a command; its id."""
        self.write(json.dumps({"id": self._count + 1, "do": line}))
        return self._count

    def write(self, line: str) -> None:
        """Write a line as it is."""
        self._count += 1
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def until(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Read on to the object that is wanted."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            data = json.loads(line)
            self.seen.append(data)
            if wanted(data):
                return dict(data)
        raise AssertionError(f"the output ended; {self._process.stderr and self._process.stderr.read()}")

    def reply(self, number: int) -> dict[str, Any]:
        """The reply to a command; one that waits for a run may be overtaken by one that does not."""

        def wanted(data: dict[str, Any]) -> bool:
            return data["event"] == "reply" and data["id"] == number

        return next(filter(wanted, self.seen), None) or self.until(wanted)

    def do(self, line: str) -> dict[str, Any]:
        """Send a command and wait for its reply."""
        return self.reply(self.send(line))

    def until_closed(self) -> None:
        """Read what is left, so that the process can end."""
        assert self._process.stdout is not None
        self.seen += [json.loads(line) for line in self._process.stdout]

    def end(self) -> tuple[int, dict[str, Any]]:
        """Close the input; the exit code and the last object."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        last = self.until(lambda data: data["event"] == "end")
        self.until_closed()
        return self._process.wait(), last


WATCHED = """
from typing import TypedDict
from langgraph.graph import START, StateGraph
import helper

class State(TypedDict, total=False):
    said: str

builder = StateGraph(State)
builder.add_node("say", lambda state: {"said": helper.WORD})
builder.add_node("rest", lambda state: {})
builder.add_edge(START, "say")
builder.add_edge("say", "rest")
graph = builder.compile()
"""


@pytest.fixture
def driver() -> Iterator[Driver]:
    with Driver(str(TARGETS / AGENT), "--input", "hi") as driver:
        yield driver


def test_a_program_steps_asks_answers_and_leaves(driver: Driver) -> None:
    stepped = driver.do("run.next")
    assert (stepped["ok"], stepped["phase"], stepped["stop"]["reasons"]) == (True, "stopped", ["step"])
    assert driver.do("state.eval len(messages)")["result"] == 1
    asked = driver.do("run.continue")
    assert (asked["phase"], asked["stop"]["asks"][0]["calls"][0]["tool"]) == ("waiting", "write_file")
    assert driver.do("answer.send approve")["ok"]
    assert driver.do("run.continue")["phase"] == "ended"

    code, last = driver.end()

    assert (code, last["status"], last["steps"]) == (0, "completed", 6)
    assert driver.seen[0]["event"] == "ready"
    assert driver.seen[0]["protocol"] == 1


def test_what_is_refused_is_told_and_the_conversation_goes_on(driver: Driver) -> None:
    unknown = driver.do("run.nxt")
    screen = driver.do("pane.next")
    refused = driver.do("jump.set end")
    late = driver.do("answer.send approve")

    assert [r["ok"] for r in (unknown, screen, refused, late)] == [False] * 4
    assert "run.next" in unknown["hint"]
    assert "needs a screen" in screen["error"]
    assert "declares no jump" in refused["error"]
    assert driver.do("run.next")["at"] == 0
    assert driver.end()[0] == 0


@pytest.mark.parametrize("line", ["{", "[1]", '{"id": 3}', '{"do": 4}', "\x00", "é" * 3000, '{"do": ""}'])
def test_a_line_that_is_no_command_gets_a_reply_all_the_same(driver: Driver, line: str) -> None:
    driver.write(line)

    reply = driver.until(lambda data: data["event"] == "reply")

    assert not reply["ok"]
    assert reply["error"]
    assert driver.do("run.next")["ok"]


def test_a_moving_run_can_be_paused_while_its_command_is_not_answered_yet() -> None:
    with Driver(str(TARGETS / "rounds.py"), "--input-json", "{}") as driver:
        going = driver.send("run.continue")
        driver.until(lambda data: data["event"] == "step")
        paused = driver.do("run.pause")
        stopped = driver.reply(going)

        assert paused["ok"]
        # It may have stopped before the reply was written.
        assert ("will_stop" in paused) == (paused["phase"] == "pausing")
        assert (stopped["ok"], stopped["stop"]["reasons"]) == (True, ["pause"])
        assert driver.do("run.abort")["phase"] == "aborted"
        assert driver.end()[1]["status"] == "aborted"


def test_commands_that_are_written_at_once_are_carried_out_in_order(driver: Driver) -> None:
    numbers = [driver.send(line) for line in ("run.next", "run.next", "time.back", "time.live")]

    replies = [driver.reply(number) for number in numbers]

    assert [reply["at"] for reply in replies] == [0, 1, 0, 1]


def test_branches_are_a_tree_and_the_view_stays_on_its_branch(driver: Driver) -> None:
    for line in ("run.continue", "answer.send approve", "run.continue"):
        driver.do(line)
    driver.do("time.fork 1")
    before = driver.do("time.branches")["result"]
    driver.do("answer.send reject:no")
    driver.do("run.continue")

    main, fork = driver.do("time.branches")["result"]

    assert (before[1]["parent"], before[1]["from_step"], before[1]["head"]) == ("main", 1, 1)
    assert (main["steps"], main["live"]) == ([0, 1, 2, 3, 4, 5], False)
    assert (fork["steps"][0], fork["live"]) == (6, True)
    assert driver.do("time.branch main")["at"] == 5
    back = [driver.do("time.back")["at"] for _ in range(6)]
    assert back == [4, 3, 2, 1, 0, -1]
    forward = [driver.do("time.forward") for _ in range(6)]
    assert [reply["at"] for reply in forward] == [0, 1, 2, 3, 4, 5]
    assert {reply["branch"] for reply in forward} == {"main"}
    assert "head of branch main" in driver.do("time.forward")["error"]
    assert driver.do("time.live")["branch"] == "b2"
    walked = [driver.do("time.back")["at"] for _ in range(3)]
    assert walked[-1] in (1, fork["steps"][0])
    assert 5 not in walked


def test_an_expectation_that_fails_is_a_reply_and_the_exit_code(driver: Driver) -> None:
    missed = driver.do("expect node tool reached")

    assert (missed["ok"], missed["error"]) == (False, "expected node tool reached, ran: nothing")
    assert driver.do("expect node InstructionAgentHook.before")["ok"]
    assert driver.end()[0] == 1


def test_without_an_input_the_program_starts_a_run_itself() -> None:
    with Driver(str(TARGETS / AGENT)) as driver:
        ready = driver.until(lambda data: data["event"] == "ready")
        assert "_AGENT_MODEL_" in ready["nodes"]
        assert "no run is alive" in driver.do("run.next")["error"]

        assert driver.do("run.start hello")["phase"] == "ready"

        assert driver.do("state.show input")["result"] == "hello"


def test_an_agent_process_that_dies_is_told_and_can_be_started_again() -> None:
    with Driver(str(TARGETS / FAULTS) + ":exits", "--input-json", '{"x": 1}') as driver:
        gone = driver.do("run.continue")
        assert gone["phase"] == "gone"
        assert any(data["event"] == "gone" for data in driver.seen)

        assert driver.do("run.restart")["phase"] == "ready"


def test_quit_leaves_at_once(driver: Driver) -> None:
    driver.send("run.next")
    driver.send("quit")

    last = driver.until(lambda data: data["event"] == "end")

    driver.until_closed()
    assert last["status"] == "stopped"
    assert driver._process.wait() == 0


def test_a_changed_file_starts_the_program_again_and_nothing_is_lost(tmp_path: Path) -> None:
    """Breakpoints, input and cursor stay, and so does the record of what ran before."""
    agent, helper = tmp_path / "agent.py", tmp_path / "helper.py"
    agent.write_text(WATCHED, encoding="utf-8")
    helper.write_text("WORD = 'one'\n", encoding="utf-8")
    with Driver(str(agent), "--input-json", '{"said": "given"}', "--watch", "--break", "rest") as driver:
        driver.do("run.continue")
        assert driver.do("state.show said")["result"] == "one"
        assert driver.do("time.back")["at"] == -1

        helper.write_text("WORD = 'another one'\n", encoding="utf-8")

        assert "helper.py" in driver.until(lambda data: data["event"] == "restarted")["why"]
        driver.until(lambda data: data["event"] == "stop")
        assert driver.do("state.show said")["result"] == "given", "the cursor is where it was"
        driver.do("time.live")
        assert driver.do("run.continue")["stop"]["reasons"] == ["breakpoint"]
        assert driver.do("state.show said")["result"] == "another one"
        branches = driver.do("time.branches")["result"]
        assert [(b["branch"], b["steps"], b["live"]) for b in branches] == [
            ("main", [0], False),
            ("r2", [1], True),
        ]
        assert driver.do("time.goto 0")["branch"] == "main"
        assert driver.do("state.show said")["result"] == "one"
        assert "has ended" in driver.do("time.fork 0")["error"]


def test_a_file_that_is_broken_for_a_while_is_waited_for(tmp_path: Path) -> None:
    """Editors save what is half written."""
    agent = tmp_path / "agent.py"
    (tmp_path / "helper.py").write_text("WORD = 'one'\n", encoding="utf-8")
    agent.write_text(WATCHED, encoding="utf-8")
    with Driver(str(agent), "--input-json", "{}", "--watch") as driver:
        driver.do("run.next")
        agent.write_text("graph = (", encoding="utf-8")
        assert "SyntaxError" in driver.until(lambda data: data["event"] == "error")["error"]
        assert not driver.do("run.next")["ok"]

        agent.write_text(WATCHED + "# mended\n", encoding="utf-8")

        driver.until(lambda data: data["event"] == "stop")
        assert driver.do("run.next")["ok"]


def test_a_restart_keeps_the_old_branch_also_in_the_recording(tmp_path: Path) -> None:
    file = tmp_path / "r.hookstep"
    with Driver(str(TARGETS / AGENT), "--input", "hi", "--record", str(file)) as driver:
        driver.do("run.next")
        driver.do("run.next")
        driver.do("run.restart")
        driver.do("run.next")
        driver.do("time.fork 2")
        driver.do("run.next")
        assert driver.end()[0] in (0, 3)

    trace = open_recording(file).trace

    assert [(b.id, b.parent, b.steps[:2]) for b in trace.branches] == [
        ("main", None, [0, 1]),
        ("r2", "main", [2]),
        ("r2.b2", "r2", [3]),
    ]
    assert trace.misfits == ()


def test_watching_files_without_anybody_to_see_it_is_refused() -> None:
    done = run(AGENT, "--watch")

    assert (done.code, "--watch needs" in done.err) == (2, True)
