"""Stops that the graph itself brings along, in one list with a person's own and the program's questions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hookstepper.client.queries import answered
from hookstepper.model.commands import Screen
from hookstepper.model.errors import NotPossibleError
from hookstepper.testing import DrivenRun, drive
from support.cli import TARGETS, hookstepper

STOPS = f"{TARGETS / 'compiled_stops.py'}:stops"
AGENT = str(TARGETS / "weather_like.py")


def listed(run: DrivenRun) -> list[tuple[str, str, str, bool]]:
    found = answered(run.view, Screen("break.list"))
    return [(each["name"], each["origin"], each["node"], each["muted"]) for each in found]


def test_a_stop_of_the_graph_rests_the_run_and_any_answer_goes_on() -> None:
    with drive(STOPS, input={}) as run:
        assert run.do("run.continue").phase == "waiting"
        assert run.view.stop.asks[0].stops == (("enter", "b"),)
        assert run.do('answer.send "go on"').phase == "waiting"
        assert run.view.stop.asks[0].stops == (("exit", "c"),)


def test_a_muted_stop_of_the_graph_is_passed_and_the_motion_goes_on_as_it_was() -> None:
    with drive(STOPS, input={}) as run:
        run.do("break.toggle d").do("break.enable g1").do("break.enable g2")
        assert listed(run) == [
            ("1", "person", "d", False),
            ("g1", "graph", "b", True),
            ("g2", "graph", "c", True),
        ]

        assert run.do("run.next").node == "b"
        assert run.do("run.next").node == "c"
        assert run.do("run.continue").view.stop.detail == "breakpoint 1 (hit 1)"
        assert run.do("run.continue").phase == "ended"
        assert run.steps == ["a", "b", "c", "d"]

        run.do("break.enable g1").do("run.restart").do("run.continue")
        assert (run.phase, run.node) == ("waiting", "b")


def test_a_person_mutes_a_stop_of_the_graph_and_cannot_remove_it() -> None:
    with drive(STOPS, input={}) as run:
        with pytest.raises(NotPossibleError, match="g1 was compiled into the graph"):
            run.do("break.remove g1")
        with pytest.raises(NotPossibleError, match="no breakpoint 7"):
            run.do("break.enable g7")


def test_a_question_of_the_program_is_listed_and_cannot_be_muted() -> None:
    """Nothing passes a question by itself."""
    with drive(AGENT, input="hi") as run:
        (place,) = answered(run.view, Screen("break.list"))
        assert (place["origin"], place["open"], place["muted"]) == ("program", False, False)
        run.do("run.continue")
        (ask, *_) = [each for each in answered(run.view, Screen("break.list")) if each["open"]]
        assert ask["name"] == run.view.stop.asks[0].id

        for name in (place["name"], ask["name"]):
            with pytest.raises(NotPossibleError, match="cannot be muted: the run waits until it is answered"):
                run.do(f"break.enable {name}")


def test_what_is_muted_is_kept_in_the_file_of_breakpoints(tmp_path: Path) -> None:
    file, script = tmp_path / "breaks.json", tmp_path / "script.txt"
    command = ("run", STOPS, "--headless", "--json", "--input-json", "{}", "--breakpoints", str(file))
    script.write_text("mute g2\nbreak.toggle d\n", encoding="utf-8")
    assert hookstepper(*command, "--script", str(script)).code == 0

    kept = json.loads(file.read_text(encoding="utf-8"))
    assert [(each.get("origin", "person"), each["node"]) for each in kept] == [
        ("person", "d"),
        ("graph", "c"),
    ]
    done = hookstepper(*command, "--answer", '"on"')
    assert [(stop["node"], stop["reasons"]) for stop in done.named("stop")] == [
        ("b", ["interrupt"]),
        ("d", ["breakpoint"]),
    ]
    assert done.code == 0
