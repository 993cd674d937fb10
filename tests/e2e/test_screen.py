"""The whole thing on a real terminal: what a person does in the first ten minutes."""

from __future__ import annotations

from pathlib import Path

import pytest

from e2e.conftest import Open
from support.terminal import Terminal

pytestmark = pytest.mark.timeout(300)
EDITED = "Beijing: sunny, 25 °C today"
FIRST_TURN = ("Audit.before", "Log.beforeModel", "model", "Safety.afterModel", "Edit.afterModel")


def to_the_question(screen: Terminal) -> None:
    """Step from the start to the approval in turn 2."""
    screen.see_status("READY")
    for node in FIRST_TURN:
        screen.step(node)
    for node in ("HITL.afterModel", "Log.afterModel", "tool", "Log.beforeModel"):
        screen.step(node)
    for node in ("model", "Safety.afterModel", "Edit.afterModel"):
        screen.step(node)
    screen.press("n")
    screen.see_status("WAITING FOR YOU")


def test_start_step_edit_an_argument_jump_look_back_and_quit(terminal: Open, tmp_path: Path):
    """The tour of the whole tool; the file that the agent wrote holds what the person typed."""
    screen = terminal("demo")
    screen.see("This is your agent as a graph", "InstructionAgentHook.before")
    to_the_question(screen)
    assert not (tmp_path / "report.txt").exists()

    # Nothing passes a question by itself: n opens Answer.
    screen.press("n")
    screen.see("HITL.afterModel asks before the tools run", "write_file")
    screen.press("2")
    screen.see('"report.txt"', "Enter takes it")
    screen.press("tab", "backspace", ' today"', "enter")
    screen.see("1 of 1 decided", f'text="{EDITED[:8]}')
    screen.press("enter")
    screen.see_status("STOPPED before HITL.afterModel")
    screen.step("Log.afterModel")
    screen.step("tool")
    screen.step("Log.beforeModel")
    assert (tmp_path / "report.txt").read_text(encoding="utf-8") == EDITED

    screen.step("model")
    screen.step("Safety.afterModel")
    screen.press("J")
    screen.see("After it has run: put jump_to into what it returns", "skips Edit, HITL, Log")
    screen.press("enter")
    screen.see_status("↷ end")
    screen.step("Audit.after")

    # Looking is not doing.
    screen.press(",", ",")
    screen.see_status("LOOKING BACK at step")
    screen.press("<")
    screen.see_status("LOOKING BACK")
    screen.press("G")
    screen.see_status("STOPPED before Audit.after")
    screen.press("n")
    screen.see_status("ENDED")
    assert "20 steps, 3 turns, 2 tool calls" in screen.status

    screen.press("q")
    assert screen.closed() == 0


def test_approve_as_asked(terminal: Open, tmp_path: Path):
    """Approving runs just what the model asked."""
    screen = terminal("demo")
    screen.see_status("READY")
    screen.press("c")
    screen.see_status("WAITING FOR YOU")
    screen.press("a")
    screen.see("needs approval")
    screen.press("1")
    screen.see("1 of 1 decided")
    screen.press("enter")
    screen.wait(lambda: "ENDED" in screen.status or "STOPPED" in screen.status, "the run goes on")
    if "STOPPED" in screen.status:
        screen.press("c")
    screen.see_status("ENDED")

    assert (tmp_path / "report.txt").read_text(encoding="utf-8") == "Beijing: sunny, 25 °C"
    screen.press("q")
    assert screen.closed() == 0


def test_reject_with_a_reason(terminal: Open, tmp_path: Path):
    """A rejected call does not run, and the model is told why."""
    screen = terminal("demo")
    screen.see_status("READY")
    screen.press("c")
    screen.see_status("WAITING FOR YOU")
    screen.press("a")
    screen.see("needs approval")
    screen.press("3")
    screen.see("reason")
    screen.press("not on a Monday", "enter")
    screen.see("does not run write_file")
    screen.press("enter")
    screen.wait(lambda: "WAITING" not in screen.status, "the answer was taken")
    if "STOPPED" in screen.status:
        screen.press("c")
    screen.see_status("ENDED")

    assert not (tmp_path / "report.txt").exists()
    screen.press("1", "/", "Monday", "enter")
    screen.see("Monday: 1 of")
    screen.press("ctrl+q")
    assert screen.closed() == 0


def test_the_small_terminal_shows_one_pane_at_a_time_and_speaks_chinese(terminal: Open):
    """80×24 works, and so does the other language."""
    screen = terminal("demo", "--lang", "zh", columns=80, rows=24)
    screen.see_status("加载完成")
    screen.press("n")
    screen.see("2/2 Audit")
    screen.see_status("停在 Audit.before 之前")
    screen.press("1")
    screen.see("状态", "messages")
    screen.press("L")
    screen.see("框架侧")
    screen.press("q")
    screen.see("退出会结束智能体进程")
    screen.press("enter")
    assert screen.closed() == 0


def test_a_terminal_can_change_its_size_at_any_time(terminal: Open):
    """No size breaks the screen; a tiny one gives advice."""
    screen = terminal("demo")
    screen.see_status("READY")
    screen.resize(80, 24)
    screen.see("g Graph │ 1 State")
    screen.resize(30, 8)
    screen.see("make the terminal")
    screen.resize(120, 40)
    screen.see("Timeline", "READY")
    screen.press("ctrl+q")
    assert screen.closed() == 0


def test_breakpoints_restart_and_the_command_line(terminal: Open):
    """`:` takes the words of scripts; a breakpoint set so stops the run, also after a restart."""
    screen = terminal("demo")
    screen.see_status("READY")
    screen.press(":", "break tool", "enter")
    screen.see("●   tool")
    screen.press("c")
    screen.see_status("STOPPED before tool")
    screen.see_status("breakpoint")
    screen.press("R")
    screen.see("A run is alive")
    screen.press("enter")
    screen.see_status("READY")
    screen.press("c")
    screen.see_status("STOPPED before tool")
    screen.press("ctrl+q")
    assert screen.closed() == 0
