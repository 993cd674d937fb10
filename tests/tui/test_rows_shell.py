"""What the status line, the footer, the strips and the frames say, as plain text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from hookstepper.client.view import View
from hookstepper.model.events import CallStarted, Failure, HostGone, NodeEntered, TargetNotLoaded, TraceLine
from hookstepper.model.gates import GateKind, Site, Stop, Unfinished
from hookstepper.model.graph import SourcePlace
from hookstepper.model.ids import HostId, NodeId, StopId, TaskId
from hookstepper.trace.trace import Trace
from hookstepper.tui.edge import edge_text
from hookstepper.tui.rows import status_line
from hookstepper.tui.rows.footer_keys import footer_commands, footer_items
from hookstepper.tui.rows.load_error import load_error_rows
from hookstepper.tui.rows.picture_marks import marks_of
from hookstepper.tui.rows.row import cut, cut_text, pad_text, plain, row, spread, width_of
from hookstepper.tui.rows.status_line import advice_row, status_row
from hookstepper.tui.rows.tabs import Tab, strip, underline
from hookstepper.tui.rows.top_line import top_row
from hookstepper.tui.rows.welcome import welcome_rows
from hookstepper.tui.words import use_language
from support.replay import replay, view_at

SAFETY = NodeId("_AGENT_HOOK_Safety.afterModel")
MODEL = NodeId("_AGENT_MODEL_")


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    use_language("en")
    yield
    use_language("en")


def fresh(**facts: object) -> View:
    given: dict[str, object] = {
        "version": 1,
        "phase": "loading",
        "target": "agents/weather.py",
        "thread": "demo",
    }
    return View(trace=Trace(), **{**given, **facts})  # type: ignore[arg-type]


def said(view: View, now: float = 0.0, cells: int = 200) -> str:
    return plain(status_row(view, now, cells)).strip()


def failure() -> Failure:
    mine = TraceLine(SourcePlace("/home/you/weather.py", 72, "Edit.after_model"), "city = facts['city']")
    theirs = TraceLine(SourcePlace("/lib/python/engine.py", 9, "call"), "return body()", mine=False)
    return Failure("KeyError", "'city'", (theirs, mine))


STATES = {
    "loading": (
        lambda: fresh(started_at=0.0),
        "… LOADING weather.py │ importing, 1.4 s │ q gives up",
        "… 正在载入 weather.py │ 导入中，1.4 秒 │ q 放弃",
    ),
    "not loaded": (
        lambda: fresh(phase="not_loaded", not_loaded=TargetNotLoaded(failure())),
        "✗ NOT LOADED │ KeyError: 'city' at weather.py:72 │ mend it, then R",
        "✗ 载入失败 │ KeyError: 'city'，weather.py:72 │ 改好后按 R",
    ),
    "ready": (
        lambda: view_at(0),
        "■ READY │ held before the first node, nothing has run │ n one node, Space plays, ? keys",
        "■ 加载完成 │ 停在第一个节点之前，还没有运行 │ 空格 播放 或 n 单步，? 按键",
    ),
    "stopped": (
        lambda: view_at(11),
        "■ STOPPED before Safety.afterModel │ you stepped │ "
        "n runs it, then Edit.afterModel (Audit.after if it jumps to end)",
        "■ 停在 Safety.afterModel 之前 │ 单步到此 │ "
        "n 运行它，接着 Edit.afterModel （若跳转 end 则到 Audit.after）",
    ),
    "waiting": (
        lambda: view_at(13),
        "‖ WAITING FOR YOU │ HITL.afterModel asks about write_file │ a answers",
        "‖ 等你答复 │ HITL.afterModel 询问 write_file │ a 答复",
    ),
    "ended": (
        lambda: view_at(23),
        "✓ ENDED │ 23 steps, 3 turns, 2 tool calls │ m next message, R again",
        "✓ 运行结束 │ 23 步，3 轮，2 次工具调用 │ m 下一句  R 重来",
    ),
    "looking back": (
        lambda: replace(view_at(23), cursor=10),
        "◀ LOOKING BACK at step 11 of 23 │ model, turn 2 │ . on, G to the end, F forks here",
        "◀ 回看第 11 步，共 23 步 │ model，第 2 轮 │ . 往后  G 回到最后  F 从这里分叉",
    ),
    "looking at the input": (
        lambda: replace(view_at(23), cursor=-1),
        "◀ LOOKING BACK at the input │ . on, G to the end, F forks here",
        "◀ 回看输入 │ . 往后  G 回到最后  F 从这里分叉",
    ),
    "running": (
        lambda: running(),
        "▶ RUNNING model │ turn 2, step 11 │ 1.4 s │ p pauses",
        "▶ 运行中 model │ 第 2 轮第 11 步 │ 1.4 秒 │ p 暂停",
    ),
    "busy": (
        lambda: replace(running(), busy_since=0.0),
        "▶ RUNNING model │ the agent process does not answer (1.4 s) │ K kills it",
        "▶ 运行中 model │ 智能体进程没有回应（1.4 秒） │ K 结束它",
    ),
    "playing": (
        lambda: replace(view_at(11), playing=True),
        "▶ PLAYING │ 2 steps a second │ Space stops, ( ) speed",
        "▶ 播放中 │ 每秒 2 步 │ 空格 停  ( ) 调速",
    ),
    "pausing": (
        lambda: replace(running(), phase="pausing"),
        "… PAUSING │ stops when model is done │ K aborts",
        "… 正在暂停 │ model 完成就停 │ K 中止",
    ),
    "pausing in a model call": (
        lambda: replace(running(), phase="pausing", calling=(calling("model", "gpt"),)),
        "… PAUSING │ stops after the model call in model │ K aborts",
        "… 正在暂停 │ model 里的模型调用答完就停 │ K 中止",
    ),
    "pausing in a tool": (
        lambda: replace(running(), phase="pausing", calling=(calling("tool", "pay"),)),
        "… PAUSING │ stops after pay in model │ K aborts",
        "… 正在暂停 │ model 里的 pay 跑完就停 │ K 中止",
    ),
    "overtaken": (
        lambda: stopped(("breakpoint",), detail="breakpoint 1 (hit 1)", unfinished=LEFT),
        "■ STOPPED before model │ breakpoint 1 (hit 1) │ the step over Safety.afterModel is not finished: "
        "C finishes it │ n runs it, then Safety.afterModel",
        "■ 停在 model 之前 │ 断点 1 (hit 1) │ Safety.afterModel 的单步还没走完：C 走完它 "
        "│ n 运行它，接着 Safety.afterModel",
    ),
    "failed": (
        lambda: replace(view_at(11), phase="failed", failure=failure(), failed_at=SAFETY),
        "✗ FAILED in Safety.afterModel │ KeyError: 'city' at weather.py:72 │ a retry, skip, fork, end",
        "✗ Safety.afterModel 出错 │ KeyError: 'city'，weather.py:72 │ a 重试、跳过、分叉、结束",
    ),
    "gone": (
        lambda: replace(running(), phase="gone", gone=HostGone(HostId("h"), "signal 9", expected=False)),
        "✗ AGENT PROCESS GONE │ signal 9 in model │ 10 steps are kept, R starts again",
        "✗ 智能体进程没了 │ signal 9，在 model │ 前 10 步都在，R 重新开始",
    ),
    "breakpoint": (
        lambda: stopped(("breakpoint", "step"), detail="breakpoint 1 (hit 1)"),
        "■ STOPPED before model │ breakpoint 1 (hit 1), you stepped │ n runs it, then Safety.afterModel",
        "■ 停在 model 之前 │ 断点 1 (hit 1), 单步到此 │ n 运行它，接着 Safety.afterModel",
    ),
    "limit": (
        lambda: replace(stopped(("limit",), detail="Log → model ×333"), phase="limit"),
        "■ STOPPED by the guard, 11 steps │ Log → model ×333 │ c goes on",
        "■ 步数保护停住，11 步 │ Log → model ×333 │ c 继续",
    ),
}


LEFT = Unfinished("run.next", SAFETY)


def calling(kind: GateKind, name: str) -> CallStarted:
    return CallStarted(Site(kind, MODEL, name), TaskId("t"))


def running() -> View:
    entered = NodeEntered(Site("node", MODEL), TaskId("t"), 11)
    return replace(view_at(10), phase="running", stop=None, live=(entered,), started_at=0.0)


def stopped(reasons: tuple[str, ...], detail: str = "", unfinished: Unfinished | None = None) -> View:
    site = Site("node", MODEL)
    stop = Stop(
        StopId(9),
        9,
        "held",
        reasons,
        frozenset(),
        site=site,
        phase="enter",
        next=(MODEL,),
        detail=detail,  # type: ignore[arg-type]
        unfinished=unfinished,
    )
    return replace(view_at(11), stop=stop)


@pytest.mark.parametrize("name", STATES)
def test_status_line_says_where_why_and_what_next(name: str):
    """Every stop says where, why, what next, in that order."""
    make, english, _ = STATES[name]

    assert said(make(), 1.4) == english


@pytest.mark.parametrize("name", STATES)
def test_status_line_speaks_chinese(name: str):
    """The same facts in the order of the other language."""
    make, _, chinese = STATES[name]
    view = make()
    use_language("zh")

    assert said(view, 1.4) == chinese


@pytest.mark.parametrize("cells", [0, 1, 2, 7, 20, 40, 79, 80, 120])
def test_status_line_is_cut_from_the_right_and_never_wraps(cells: int):
    """A narrow terminal loses the end of the sentence, not the state."""
    for make, _, _ in STATES.values():
        line = status_row(make(), 1.0, cells)

        assert width_of(line) <= cells
        assert "\n" not in plain(line)


def test_a_refusal_takes_the_place_of_the_reasons():
    """What cannot be is said at once, with what can be tried."""
    view = replace(view_at(11), notice="you are looking back", hint="G goes to the live end")

    assert said(view) == "■ STOPPED before Safety.afterModel │ you are looking back · G goes to the live end"


def test_a_pending_jump_shows_until_its_node_has_run():
    """A jump by hand waits, and that it waits is seen."""
    view = view_at(11)
    assert view.stop is not None
    waiting = replace(view, stop=replace(view.stop, pending_jump="end"))

    assert "↷ end" in said(waiting)
    assert marks_of(waiting).jumps == ((SAFETY, "end"),)
    assert "edit.undo" in footer_commands(waiting)


def test_text_of_the_program_is_shown_without_what_a_terminal_obeys():
    """An exception's message cannot paint, title or clear the screen."""
    nasty = Failure("Evil", "\x1b]0;owned\x07\x1b[2J[red]x[/] \u202eback")
    line = plain(status_row(replace(view_at(11), phase="failed", failure=nasty), 0.0, 200))

    assert "\x1b" not in line
    assert "\u202e" not in line
    assert "[red]x[/]" in line


# ------------------------------------------------------------------------------------------ footer


def test_footer_shows_only_keys_that_work():
    """A key that would be refused is not advertised."""
    assert footer_commands(view_at(11))[:4] == ("run.next", "run.into", "run.out", "run.continue")
    assert footer_commands(view_at(13))[0] == "answer.open"
    assert "run.next" not in footer_commands(view_at(13))
    assert footer_commands(view_at(23))[0] == "input.open"
    assert "run.next" not in footer_commands(replace(view_at(11), cursor=3))
    assert footer_commands(fresh()) == ("help.keys", "app.quit")


@pytest.mark.parametrize("cells", [10, 40, 80, 100, 120, 200])
def test_footer_fits_and_always_tells_how_to_leave(cells: int):
    """Whatever gives way, q stays."""
    for language in ("en", "zh"):
        use_language(language)  # type: ignore[arg-type]
        for make, _, _ in STATES.values():
            items = footer_items(make(), cells)

            assert items[-1][0] == "app.quit"
            assert sum(width_of(item) + 1 for _, item in items) + 1 <= cells or len(items) == 1


def test_footer_at_home_is_that_of_the_layout():
    """Exact text at 120 columns."""
    text = " ".join(plain(item) for _, item in footer_items(view_at(11), 120))

    assert text.rstrip() == (
        "n Next  s Into  f Out  c Continue  ␣ Play  , Back  b Break  J Jump  e Edit  i Explain  "
        "? Keys  ^p Commands  q Quit"
    )


# ------------------------------------------------------------------------------------------ the rest


def test_top_line_names_target_thread_run_rules_and_engine():
    """Who is debugged with what, on one line."""
    text = plain(top_row(view_at(11), 120))

    assert text.startswith(" hookstepper  weather.py:agent   thread demo   run 1   upstream rules")
    assert "built-in engine · Python" in text
    assert text.endswith("· en ")
    assert cell_len(text) == 120


@pytest.mark.parametrize("language", ["en", "zh"])
def test_welcome_card_fits_its_pane(language: str):
    """52 cells wide and 26 rows high at 120×40; 78 and 18 at 80×24."""
    use_language(language)  # type: ignore[arg-type]
    for cells, height in ((52, 26), (78, 18)):
        rows = welcome_rows(cells, height)

        assert len(rows) == height
        assert max(width_of(line) for line in rows) <= cells


def test_load_error_shows_the_users_own_lines():
    """The frames of libraries are left out until they are asked for."""
    error = TargetNotLoaded(failure(), ("a", "b"))
    short = "\n".join(plain(line) for line in load_error_rows(error, 60))
    whole = "\n".join(plain(line) for line in load_error_rows(error, 60, whole=True))

    assert "KeyError: 'city'" in short
    assert "weather.py:72  Edit.after_model" in short
    assert "engine.py" not in short
    assert "1 more frames" in short
    assert "engine.py:9" in whole
    assert "   a" in short


def test_the_strip_keeps_the_current_tab_where_not_all_fit():
    """The tab one is on can always be seen."""
    tabs = [Tab(f"tab.{n}", str(n), f"Word{n}") for n in range(1, 8)]
    found = strip(tabs, "tab.6", 30, gap=" ", more=Tab("tab.more", "0", "More"))

    assert "6 Word6" in plain(found.row)
    assert plain(found.row).endswith("0 More")
    assert width_of(found.row) <= 30
    for command, start, end in found.places:
        assert plain(found.row)[start:end].startswith(command.removeprefix("tab.").replace("more", "0"))


def test_the_current_tab_is_underlined_twice():
    """Colour is never the only sign."""
    tabs = [Tab("tab.state", "1", "State"), Tab("tab.node", "3", "Node")]
    found = strip(tabs, "tab.state", 20, gap=" ")

    assert plain(underline(found, "tab.state", 20)) == "═══════─────────────"


def test_marks_tell_this_turn_from_earlier_ones():
    """✓ ran in this turn, · in an earlier one, ▶ runs next, › then."""
    marks = marks_of(view_at(11))

    assert marks.current == {SAFETY}
    assert MODEL in marks.done
    assert NodeId("_AGENT_HOOK_Audit.before") in marks.done
    assert NodeId("_AGENT_TOOL_") in marks.earlier
    assert marks.next == {NodeId("_AGENT_HOOK_Edit.afterModel")}
    assert not marks.waiting


def test_marks_of_a_question_wait_at_its_node():
    """‖ stands at the node that asks."""
    marks = marks_of(view_at(13))

    assert marks.waiting == {NodeId("_AGENT_HOOK_HITL.afterModel")}
    assert SAFETY in marks.quiet


def test_marks_while_looking_back_are_those_of_that_moment():
    """The picture of the past shows what ran next then, and no question that came later."""
    then = marks_of(replace(view_at(23), cursor=10))

    assert then.current == {SAFETY}
    assert not then.waiting
    assert NodeId("_AGENT_HOOK_Audit.after") not in then.done | then.earlier


def test_replayed_conversation_runs_the_whole_record():
    """The fixture is the true run: 23 steps, and its end."""
    conversation = replay(23)

    assert conversation.view.phase == "ended"
    assert conversation.view.trace.last == 22


# --------------------------------------------------------------------------------------------- laws

TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Mn", "Me", "Cf")), max_size=40)


@given(TEXTS, st.integers(0, 30))
def test_cut_text_never_takes_more_than_its_cells(text: str, cells: int):
    """Wide characters are measured in cells, and none is cut in half."""
    assert cell_len(cut_text(text, cells)) <= cells
    assert cell_len(pad_text(text, cells)) == cells


@given(st.lists(TEXTS, max_size=4), st.integers(0, 40))
def test_cut_rows_never_take_more_than_their_cells(texts: list[str], cells: int):
    """A row that is cut says so with …, one that fits is left alone."""
    line = row(*texts)
    short = cut(line, cells)

    assert width_of(short) <= cells
    if width_of(line) <= cells:
        assert short == line
    elif cells:
        assert plain(short).endswith("…")


@given(TEXTS, TEXTS, st.integers(4, 60))
def test_spread_fills_its_cells_exactly(left: str, right: str, cells: int):
    """Two ends of a line stay at the two ends."""
    assert width_of(spread(row(left), row(right), cells)) <= cells


@given(TEXTS, TEXTS, st.integers(0, 100))
def test_edge_words_fit_the_edge(left: str, right: str, cells: int):
    """The words on a frame never push its corner away."""
    assert cell_len(edge_text(left, right, cells, "─")) <= cells


def test_advice_fits_the_smallest_terminal():
    """Under 40×10 one line of advice remains."""
    assert width_of(advice_row(20)) <= 20


def test_one_of_a_thing_is_told_in_the_singular():
    assert status_line.totals(fresh()) == "0 steps, 0 turns, 0 tool calls"
    assert status_line.totals(view_at(1)) == "1 step, 0 turns, 0 tool calls"
    assert status_line.totals(view_at(9)) == "9 steps, 1 turn, 1 tool call"
    use_language("zh")
    assert status_line.totals(view_at(9)) == "9 步，1 轮，1 次工具调用"
