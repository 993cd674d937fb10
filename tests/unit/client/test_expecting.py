"""What CI expects of a run, on the recorded weather run: each sentence, and what is said where it fails."""

from __future__ import annotations

import pytest

from hookstepper.client.expecting import expectation, unmet
from hookstepper.client.view import View
from hookstepper.model.errors import UsageError
from hookstepper.model.events import RunEnded, Stopped
from hookstepper.trace.trace import Trace
from support.trace_events import recorded


@pytest.fixture(scope="module")
def view() -> View:
    trace = Trace()
    for event in recorded():
        trace.add(event)
    ended = next(e for e in recorded() if isinstance(e, RunEnded) and e.status == "completed")
    stop = [e.stop for e in recorded() if isinstance(e, Stopped)][-1]
    return View(1, "ended", "weather.py", "main", trace, graph=trace.graph, ended=ended, stop=stop)


@pytest.mark.parametrize(
    "sentence",
    [
        "node model reached",
        "node model reached 3 times",
        "node START not reached",
        "node HITL.afterModel before tool",
        "node tool after model",
        "node _AGENT_TOOL_ reached 2 times",
        "tool write_file called",
        "tool get_weather called 1 times",
        'tool get_weather called with {"city": "Beijing"}',
        "tool write_file called if args.path == 'report.txt' and not error",
        "tool write_file called 1 time if len(args.text) > 3",
        "tool pay not called",
        "state turn == 3",
        "state len(messages) == 8 or len(messages) > 5",
        "state last(messages).role == 'assistant'",
        "status completed",
        "stop interrupt at HITL.afterModel",
        "stop entry",
        "steps == 23",
        "steps <= 100",
        "phase ended",
        "expect status completed",
    ],
)
def test_what_is_so_holds(view: View, sentence: str) -> None:
    assert unmet(expectation(sentence), view) == ""


@pytest.mark.parametrize(
    ("sentence", "seen"),
    [
        ("node model not reached", "it ran at step 3"),
        ("node model reached 2 times", "it ran 3 times"),
        ("node START reached", "ran: InstructionAgentHook.before, Audit.before"),
        ("node modle reached", "no node named modle; near: model"),
        ("node modle not reached", "no node named modle; near: model"),
        ("node tool before model", "ran: "),
        ("node tool before modle", "no node named modle"),
        ("node model", "found ended to be next"),
        ("tool get_weather not called", 'it was called with {city: "Beijing"}'),
        ("tool get_weather called 2 times", "it was called 1 times"),
        ('tool get_weather called with {"city": "Paris"}', 'city: "Beijing"'),
        ("tool write_files not called", "no tool named write_files; near: write_file"),
        ("tool pay called", "called: get_weather, write_file"),
        ("state turn == 4", "turn is 3"),
        ("state trun == 4", "there is no 'trun' here"),
        ("status failed", "found completed"),
        ("stop exception", "stops: entry, step"),
        ("stop interrupt at model", "stopped for it at HITL.afterModel"),
        ("error KeyError", "the run is completed"),
        ("steps < 5", "there are 23"),
        ("phase waiting", "found ended"),
    ],
)
def test_what_is_not_so_is_told_with_what_was_seen(view: View, sentence: str, seen: str) -> None:
    said = unmet(expectation(sentence), view)

    assert said.startswith(f"expected {sentence}, ")
    assert seen in said


@pytest.mark.parametrize(
    ("sentence", "why"),
    [
        ("", "cannot expect"),
        ("nodes model", "cannot expect"),
        ("node", "cannot expect"),
        ("tool pay", "cannot expect"),
        ("tool pay called with [1", "cannot expect"),
        ("tool pay called with {a}", "not JSON"),
        ("state import os", "import"),
        ("status done", "known: completed"),
        ("stop breakpont", "known: entry"),
        ("steps", "cannot expect"),
        ("steps many", "steps many"),
    ],
)
def test_a_sentence_that_says_nothing_is_refused_before_anything_runs(sentence: str, why: str) -> None:
    with pytest.raises(UsageError) as refused:
        expectation(sentence)

    assert why in f"{refused.value.message} {refused.value.hint}"
