"""Nothing needs a network: every command runs with it cut off, and none tries to reach it."""

from __future__ import annotations

from pathlib import Path

import pytest

from e2e.conftest import Open
from support.cli import Done, hookstepper

pytestmark = pytest.mark.timeout(300)
ROOT = Path(__file__).parents[2]
CUT_OFF = ROOT / "tests" / "support" / "cut_off"


class CutOff:
    """Runs commands without a network; `tries` are the lines that the guard wrote."""

    def __init__(self, log: Path) -> None:
        self.log = log
        self.environment = {
            "PYTHONPATH": str(CUT_OFF),
            "CUT_OFF_LOG": str(log),
            # What a user has who traces to a service: it must stay off, as long as nobody asks for it.
            # All names: a test of the adapter in this very process may have set one to false.
            "LANGSMITH_TRACING": "true",
            "LANGSMITH_TRACING_V2": "true",
            "LANGSMITH_API_KEY": "none",
            "LANGCHAIN_TRACING_V2": "true",
        }

    def __call__(self, *words: str) -> Done:
        return hookstepper(*words, timeout=120, **self.environment)

    @property
    def began(self) -> int:
        """Processes under guard so far."""
        return sum(line.startswith("began") for line in self.log.read_text().splitlines())

    @property
    def tries(self) -> list[str]:
        """Tries to use the network so far."""
        return [line for line in self.log.read_text().splitlines() if line.startswith("tried")]


@pytest.fixture
def cut_off(tmp_path: Path) -> CutOff:
    return CutOff(tmp_path / "guard.log")


def test_the_guard_stops_the_agent_process_too(cut_off: CutOff, tmp_path: Path) -> None:
    """Otherwise the tests below would prove nothing."""
    target = tmp_path / "reaching.py"
    target.write_text(
        "import socket\n"
        "from langgraph.graph import START, StateGraph\n"
        "def reach(state):\n"
        "    socket.create_connection(('192.0.2.1', 80), timeout=5)\n"
        "graph = StateGraph(dict).add_node(reach).add_edge(START, 'reach').compile()\n",
        encoding="utf-8",
    )

    done = cut_off("run", f"{target}:graph", "--headless", "--input-json", "{}")

    assert done.code == 1
    assert "there is no network here" in done.out + done.err
    assert any("192.0.2.1" in line for line in cut_off.tries)
    assert cut_off.began == 2


def test_every_command_works_without_a_network(cut_off: CutOff, tmp_path: Path) -> None:
    first = str(tmp_path / "a.hookstep")
    for words in (
        ("demo", "--headless", "--answer", "approve", "--record", first),
        ("run", str(ROOT / "sample_agents" / "hello.py"), "--headless", "--input", "hi"),
        ("replay", first, "--headless"),
        ("diff", first, first),
        ("graph", str(ROOT / "sample_agents" / "weather.py")),
    ):
        done = cut_off(*words)
        assert done.code == 0, (words, done.err)

    assert cut_off.tries == []


@pytest.mark.parametrize(
    ("sample", "words"),
    [
        ("langchain_onion.py", ("--input", "hi")),
        ("langgraph_supervisor.py", ("--input-json", '{"task": "tea", "notes": [], "draft": ""}')),
    ],
)
def test_a_framework_traces_nothing_unless_asked(
    sample: str, words: tuple[str, ...], cut_off: CutOff
) -> None:
    done = cut_off("run", str(ROOT / "sample_agents" / sample), "--headless", *words)

    assert done.code == 0, done.err
    assert cut_off.tries == []


def test_the_screen_runs_without_a_network(cut_off: CutOff, terminal: Open) -> None:
    screen = terminal("demo", **cut_off.environment)
    screen.see_status("READY")
    screen.step("Audit.before")
    screen.press("ctrl+q")
    screen.closed()

    assert cut_off.began >= 2
    assert cut_off.tries == []


TRACED = """
import os, time
from langgraph.graph import START, StateGraph

def first(state):
    return {"first": True}

def waits_for_the_trace(state):
    # Traces leave on a thread of their own; a program that ends at once may take them with it.
    give_up = time.monotonic() + 60
    while "langchain.com" not in open(os.environ["CUT_OFF_LOG"]).read() and time.monotonic() < give_up:
        time.sleep(0.02)

builder = StateGraph(dict).add_node(first).add_node(waits_for_the_trace)
graph = builder.add_edge(START, "first").add_edge("first", "waits_for_the_trace").compile()
"""


def test_a_framework_traces_when_asked(cut_off: CutOff, tmp_path: Path) -> None:
    """So the silence above is the debugger's doing."""
    target = tmp_path / "traced.py"
    target.write_text(TRACED, encoding="utf-8")

    cut_off("run", str(target), "--headless", "--input-json", "{}", "--tracing")

    assert any("langchain.com" in line for line in cut_off.tries)
