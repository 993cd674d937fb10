"""The app: keys become commands, questions come before what cannot be taken back, and every size works."""

from __future__ import annotations

from dataclasses import replace

import pytest
from textual.widgets import Tooltip

from hookstepper.model.commands import (
    AbortRun,
    Continue,
    Fork,
    Into,
    Next,
    Pause,
    RunTo,
    Screen,
    SetJump,
    StartRun,
)
from hookstepper.model.events import Failure, Output, TargetNotLoaded, TraceLine
from hookstepper.model.graph import SourcePlace
from hookstepper.model.ids import NodeId
from hookstepper.tui.options import Options
from hookstepper.tui.sizes import size_class
from support.driving import driven

SAFETY = NodeId("_AGENT_HOOK_Safety.afterModel")
EDIT = NodeId("_AGENT_HOOK_Edit.afterModel")


@pytest.mark.parametrize("focus", ["g", "v", "L"])
async def test_a_step_key_means_the_same_in_every_pane(focus: str):
    """n runs ▶ wherever the focus is."""
    async with driven(11) as app:
        await app.press(focus, "n")

        assert app.sent[-1] == Next()
        assert app.conversation.view.trace.last == 11


@pytest.mark.parametrize(
    ("key", "command"),
    [("s", Into()), ("f11", Into()), ("f10", Next()), ("c", Continue()), ("f5", Continue())],
)
async def test_keys_send_their_commands(key: str, command: object):
    """Letters and function keys alike."""
    async with driven(11) as app:
        await app.press(key)

        assert app.sent[-1] == command


async def test_run_to_goes_to_the_node_under_the_cursor():
    """t needs no typing: the picture's cursor says where."""
    async with driven(11) as app:
        await app.press("g", "down", "down", "t")

        assert app.sent[-1] == RunTo(EDIT)


async def test_a_breakpoint_is_set_on_the_node_under_the_cursor():
    """b marks the node, and a second b takes it away."""
    async with driven(11) as app:
        await app.press("g", "down", "b")
        assert [point.node for point in app.conversation.view.breakpoints] == [SAFETY]
        assert "● ▶ Safety.afterModel ]" in app.text

        await app.press("b")
        assert app.conversation.view.breakpoints == ()


async def test_next_at_an_open_question_opens_answer():
    """Nothing passes a question by itself."""
    for key in ("n", "c", "space", "a"):
        async with driven(13) as app:
            await app.press(key)

            assert app.dialog == "AnswerDialog"
            assert not app.sent[1:]
            await app.press("escape")
            assert app.dialog == ""
            assert "WAITING FOR YOU" in app.status


async def test_looking_back_runs_nothing_and_next_offers_a_fork():
    """Looking is not doing."""
    async with driven(11) as app:
        before = app.sent
        await app.press(",", ",", ".")
        assert app.conversation.view.cursor == 9
        assert "LOOKING BACK at step 10 of 11" in app.status
        assert app.sent == before

        await app.press("n")
        assert app.dialog == "ForkDialog"
        assert "Fork from step 10" in app.text
        await app.press("escape", "G")
        assert app.conversation.view.cursor is None
        assert app.sent == before


async def test_a_fork_that_is_confirmed_is_sent():
    """F asks first what runs again, then forks from the step in view."""
    async with driven(11) as app:
        await app.press(",", "F", "enter")

        assert app.sent[-1] == Fork(9, replay=True)


async def test_q_asks_while_a_run_is_alive_and_leaves_at_once_after_it():
    """A living run is not lost by one key."""
    async with driven(11) as app:
        await app.press("q")
        assert app.dialog == "Confirm"
        await app.press("escape")
        assert app.app.is_running
        await app.press("q", "enter")
        assert app.app.return_value == 0

    async with driven(23) as app:
        await app.press("q")
        assert app.app.return_value == 0


async def test_ctrl_c_pauses_what_runs_and_asks_when_stopped():
    """As in a shell first, as in an editor then."""
    async with driven(11) as app:
        await app.press("ctrl+c")
        assert app.dialog == "Confirm"
        await app.press("escape")
        await app.show(phase="running", stop=None)
        await app.press("ctrl+c")
        assert app.sent[-1] == Pause()


async def test_restart_and_abort_ask_first():
    """What ends a run is asked about."""
    async with driven(11) as app:
        await app.press("R")
        assert "The same input runs again in a new process" in app.text
        await app.press("escape", "K")
        assert "This run ends here" in app.text
        await app.press("enter")
        assert app.sent[-1] == AbortRun()


async def test_a_program_that_does_not_stop_can_be_killed():
    """While it pauses, K kills the process and not only the run."""
    async with driven(11) as app:
        killed: list[bool] = []
        app.conversation.kill = lambda: killed.append(True)  # type: ignore[method-assign]
        await app.show(phase="pausing", stop=None)
        await app.press("K", "enter")

        assert killed == [True]


async def test_steps_typed_ahead_wait_for_the_step_under_way():
    """Three quick n are three steps, and a question forgets what waits."""
    async with driven(11) as app:
        stop = app.conversation.view.stop
        assert stop is not None
        app.conversation.play_to_stop = lambda *, first=False: None  # type: ignore[method-assign]
        await app.press("n", "n", "n")
        assert app.sent.count(Next()) == 1

        app.conversation.view = replace(
            app.conversation.view,
            stop=replace(stop, id=stop.id + 1),
            version=app.conversation.view.version + 1,
        )
        app.app.on_arrived()
        assert app.sent.count(Next()) == 2

        app.conversation.view = replace(
            app.conversation.view,
            stop=replace(stop, id=stop.id + 2, reasons=("breakpoint",)),
            version=app.conversation.view.version + 1,
        )
        app.app.on_arrived()
        assert app.sent.count(Next()) == 2


async def test_the_command_line_takes_the_words_of_scripts():
    """`:` and scripts share one table; a typing error is told and nothing runs."""
    async with driven(11) as app:
        await app.press(":")
        await app.type("jump end")
        await app.press("enter")
        assert app.sent[-1] == SetJump("end")

        await app.press(":")
        await app.type("nexd")
        await app.press("enter")
        assert app.sent[-1] == SetJump("end")
        await app.press("escape", "n")
        assert app.sent[-1] == Next()


async def test_keys_type_while_the_command_line_is_open():
    """A q in a word does not quit."""
    async with driven(11) as app:
        await app.press(":")
        await app.type("q n b :")

        assert app.app.main is not None
        assert app.app.main.line.value == "q n b :"
        assert len(app.sent) == 1


async def test_find_searches_the_state():
    """/ takes a text; the cursor goes to the value that holds it."""
    async with driven(11) as app:
        await app.press("1", "/")
        await app.type("sunny")
        await app.press("enter")

        assert "sunny: 1 of" in app.text


async def test_tabs_open_by_their_digits_and_the_rest_by_zero():
    """The strip shows what exists and always the current tab."""
    async with driven(11) as app:
        await app.press("3")
        assert "who         framework" in app.text
        await app.press("0")
        assert app.dialog == "MoreTabs"
        await app.press("1")
        assert app.dialog == ""
        assert "The agent has printed nothing." in app.text


async def test_without_an_input_next_message_opens_first():
    """Nothing has run, and the first thing to do is to say something."""
    async with driven(None, options=Options(welcome=True, clock=lambda: 0.0)) as app:
        assert app.dialog == "NextMessage"
        await app.press("enter")

        assert app.sent[-1] == StartRun("Look up the weather in Beijing and write it to report.txt", "demo")
        assert "This is your agent as a graph" in app.text


async def test_the_welcome_card_goes_with_the_first_step_and_comes_back_on_demand():
    """It stands over the inspector and never in the way."""
    async with driven(0, options=Options(welcome=True, clock=lambda: 0.0)) as app:
        assert "This is your agent as a graph" in app.text
        await app.press("n")
        assert "This is your agent as a graph" not in app.text
        app.app.wish(Screen("app.tour"))
        await app.settle()
        assert "This is your agent as a graph" in app.text
        await app.press("escape")
        assert "This is your agent as a graph" not in app.text


async def test_a_target_that_does_not_load_shows_the_users_own_lines():
    """The traceback is cut to what the user wrote; x shows all of it."""
    mine = TraceLine(SourcePlace("/home/you/agent.py", 3, "<module>"), "import requests")
    theirs = TraceLine(SourcePlace("/lib/importlib.py", 90, "load"), "exec(code)", mine=False)
    failure = Failure(
        "ModuleNotFoundError", "No module named 'requests'", (theirs, mine), hint="pip install it"
    )
    async with driven(None, options=Options(ask_input=False, clock=lambda: 0.0)) as app:
        await app.show(phase="not_loaded", graph=None, loaded=None, not_loaded=TargetNotLoaded(failure))
        assert "NOT LOADED" in app.status
        assert "agent.py:3" in app.text
        assert "pip install it" in app.text
        assert "importlib.py" not in app.text

        await app.press("g", "x")
        assert "importlib.py:90" in app.text


# ------------------------------------------------------------------------------------------ sizes


@pytest.mark.parametrize(
    ("size", "name"),
    [((120, 40), "home"), ((100, 30), "home"), ((99, 40), "small"), ((80, 24), "small"), ((200, 60), "wide"),
     ((40, 10), "small"), ((39, 24), "tiny"), ((120, 9), "tiny")],
)  # fmt: skip
def test_size_decides_the_layout(size: tuple[int, int], name: str):
    """One rule, at the borders too."""
    assert size_class(*size) == name


@pytest.mark.parametrize(
    ("size", "language"),
    [((20, 5), "en"), ((40, 10), "en"), ((60, 15), "zh"), ((80, 24), "zh"), ((200, 60), "en")],
)
async def test_every_size_draws_in_both_languages(size: tuple[int, int], language: str):
    """No size and no language breaks a pane, a tab or a dialog."""
    options = Options(language=language, welcome=False, clock=lambda: 0.0)  # type: ignore[arg-type]
    async with driven(13, size=size, options=options) as app:
        for key in ("1", "4", "L", "g", "z", "escape", "a", "escape", "?", "escape"):
            await app.press(key)

        assert all(len(line) <= size[0] for line in app.lines)
        assert app.dialog == ""


async def test_small_shows_one_pane_and_the_strip_leads_to_the_others():
    """80×24: one pane at a time, and the timeline on one line."""
    async with driven(11, size=(80, 24)) as app:
        assert app.lines[0].startswith(" g Graph │ 1 State │")
        assert "( START )" in app.text
        assert app.lines[21].startswith(" 1 2│3 4 5 6 7 8 9│10 11 12")
        await app.press("1")
        assert "( START )" not in app.text
        assert "Changed by model · step 11" in app.text
        await app.press("g")
        assert "( START )" in app.text


async def test_z_shows_a_pane_alone_and_escape_brings_the_others_back():
    """Esc leaves the maximised pane; it never ends a run."""
    async with driven(11) as app:
        await app.press("1", "z")
        assert "( START )" not in app.text
        await app.press("escape")
        assert "( START )" in app.text
        assert app.app.is_running


async def test_wide_shows_state_beside_the_chosen_tab():
    """200×60 uses the room."""
    async with driven(11, size=(200, 60)) as app:
        await app.press("4")

        assert "Changed by model · step 11" in app.text
        assert "way in" in app.text


async def test_resizing_keeps_the_pane_and_the_run():
    """A terminal that changes its size changes nothing else."""
    async with driven(11) as app:
        await app.press("4")
        for size in ((80, 24), (30, 8), (200, 60), (120, 40)):
            await app.pilot.resize_terminal(*size)
            await app.settle()

        assert "way in" in app.text
        assert "STOPPED before Safety.afterModel" in app.status


# ------------------------------------------------------------------------------------------ mouse, flood


async def test_a_click_on_the_footer_presses_the_key():
    """The footer is not only to read."""
    async with driven(11) as app:
        await app.pilot.click("#footer", offset=(2, 0))
        await app.settle()

        assert app.sent[-1] == Next()


async def test_a_click_on_a_tab_opens_it():
    """As its digit does."""
    async with driven(11) as app:
        place = app.lines[2].index("4 Onion")
        await app.pilot.click(offset=(place + 2, 2))
        await app.settle()

        assert "way in" in app.text


async def test_a_click_on_the_status_line_goes_to_the_live_end():
    """Where ▶ is."""
    async with driven(11) as app:
        await app.press(",", ",")
        await app.pilot.click("#status", offset=(5, 0))
        await app.settle()

        assert app.conversation.view.cursor is None


async def test_a_flood_of_output_is_drawn_in_batches():
    """Ten thousand lines are taken in a batch at a time; a key between them is answered."""
    async with driven(11) as app:
        drawn: list[int] = []
        show = app.app.main.show  # type: ignore[union-attr]
        app.app.main.show = lambda view: (drawn.append(view.version), show(view))  # type: ignore[method-assign, union-attr, func-returns-value]
        taken: list[object] = []
        app.conversation.receive = lambda item: (  # type: ignore[method-assign]
            taken.append(item),
            app.conversation._take(Output("stdout", "line\n")),
        )
        for number in range(1_500):
            app.app.inbox.deliver(number)  # type: ignore[arg-type]
        await app.settle()
        await app.press("1")

        assert len(taken) == 1_500
        assert len(drawn) <= 20


async def test_text_with_markup_and_escapes_is_drawn_as_it_is():
    """A refusal, a target name and output can hold anything."""
    async with driven(11) as app:
        await app.show(notice="[red]no[/red] \x1b[31m", hint="[link=x]", target="we[ird]/a[b].py")

        assert "[red]no[/red]" in app.status
        assert "a[b].py" in app.text
        assert "\x1b" not in app.text


async def test_a_node_may_be_named_like_markup():
    """Neither the picture nor the tip under the mouse reads a name as markup."""
    async with driven(11) as app:
        graph = app.conversation.view.graph
        assert graph is not None and app.app.main is not None
        nodes = tuple(
            replace(node, label="[/x] [red]") if node.kind == "model" else node for node in graph.nodes
        )
        picture = app.app.main.workspace.graph.picture
        picture._tip = lambda hit: "[/x] [red]\x1b[2J"  # type: ignore[method-assign]
        await app.show(graph=replace(graph, nodes=nodes))
        await app.pilot.hover("#picture", offset=(20, 5))
        await app.settle()

        assert "[/x] [red]" in app.text
        assert picture.tooltip is not None
        Tooltip().update(picture.tooltip)
        assert "\x1b" not in str(picture.tooltip)


async def test_leaving_ends_the_conversation_once_even_after_a_crash(monkeypatch: pytest.MonkeyPatch):
    """Whatever ends the screen, the agent process is ended."""
    from hookstepper.tui import app as module
    from support.replay import replay

    conversation = replay(11)

    class Broken(module.DebuggerApp):
        def run(self, *args: object, **kwargs: object) -> int:  # type: ignore[override]
            assert self.conversation is conversation
            raise RuntimeError("our own fault")

    monkeypatch.setattr(module, "DebuggerApp", Broken)
    with pytest.raises(RuntimeError):
        module.run_app(lambda _: conversation, Options())

    assert conversation.closed == 1
