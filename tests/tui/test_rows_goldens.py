"""What each view writes in the demonstration run, cell for cell, at the widths of both home layouts."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from hookstepper.client.view import View
from hookstepper.tui.rows.breakpoints import breakpoint_lines
from hookstepper.tui.rows.calls import call_lines
from hookstepper.tui.rows.columns import Columns
from hookstepper.tui.rows.explain import explain_lines
from hookstepper.tui.rows.lines import Line, as_text, fitted
from hookstepper.tui.rows.node import node_lines
from hookstepper.tui.rows.onion import onion_lines
from hookstepper.tui.rows.output import output_lines
from hookstepper.tui.rows.route import route_lines
from hookstepper.tui.rows.row import plain, width_of
from hookstepper.tui.rows.state import state_lines
from hookstepper.tui.rows.strip import strip_row
from hookstepper.tui.rows.talk import talk_lines
from hookstepper.tui.rows.timeline import timeline_rows, timeline_titles
from hookstepper.tui.rows.timeline_window import window
from hookstepper.tui.words import use_language
from tui.support.golden import check_golden
from tui.support.recorded import Replay

WIDTHS = (52, 78)
MOMENTS: dict[str, Callable[[], View]] = {
    "start": lambda: Replay().to_step(0),
    "step11": lambda: Replay().to_step(11),
    "question": lambda: Replay().to_question(),
    "end": lambda: Replay().to_end(),
    "back15": lambda: _looked(14),
    "back19": lambda: _looked(18),
}
VIEWS: dict[str, Callable[[View, int], list[Line]]] = {
    "state": state_lines,
    "node": node_lines,
    "onion": lambda view, width: onion_lines(view, width, ring="model"),
    "executed": lambda view, width: onion_lines(view, width, ring="model", executed=True),
    "route": route_lines,
    "messages": talk_lines,
    "calls": call_lines,
    "breakpoints": breakpoint_lines,
    "output": output_lines,
    "explain": lambda view, width: explain_lines(view, None, width),
}


def _looked(step: int) -> View:
    replay = Replay()
    replay.to_end()
    return replay.look(step)


@pytest.fixture(autouse=True)
def _english_after() -> Iterator[None]:
    yield
    use_language("en")


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("name", VIEWS)
def test_a_view_writes_what_its_golden_holds(name: str, moment: str, width: int) -> None:
    """A change of any cell of any view is seen before it is shipped."""
    lines = VIEWS[name](MOMENTS[moment](), width)

    check_golden(f"{name}_{moment}_{width}", as_text(lines, width))


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("name", VIEWS)
def test_no_line_is_wider_than_its_view(name: str, moment: str) -> None:
    """At the widths of the layouts a view says all of it; at any width nothing sticks out."""
    view = MOMENTS[moment]()
    for width in WIDTHS:
        assert [line for line in VIEWS[name](view, width) if width_of(line.row) > width] == []
    for width in (8, 20, 34, 110):
        assert [line for line in fitted(VIEWS[name](view, width), width) if width_of(line.row) > width] == []


@pytest.mark.parametrize("name", ["state", "node", "onion", "route", "messages", "calls"])
def test_a_view_speaks_chinese(name: str) -> None:
    """The second language is a whole one: a view that forgets a word shows it here."""
    use_language("zh")
    replay = Replay("weather_zh")
    replay.to_end()
    lines = VIEWS[name](replay.look(18), 52)

    check_golden(f"{name}_zh_52", as_text(lines, 52))


def test_calls_are_a_table_where_there_is_room() -> None:
    """Maximised, the three forms of the arguments stand side by side."""
    check_golden("calls_end_90", as_text(call_lines(MOMENTS["end"](), 90), 90))


@pytest.mark.parametrize(("moment", "height"), [("step11", 7), ("end", 8), ("back15", 8), ("question", 8)])
def test_the_timeline_writes_what_its_golden_holds(moment: str, height: int) -> None:
    """One column a step: a shifted cell would put a step under another number."""
    view = MOMENTS[moment]()
    columns = Columns().of(view)
    rows = timeline_rows(columns, view, 118, height, window(columns, view, 118))
    titles = " | ".join(timeline_titles(view))

    check_golden(f"timeline_{moment}", "\n".join([titles, *map(plain, rows)]))


@pytest.mark.parametrize("moment", ["start", "step11", "question", "end", "back15"])
def test_the_timeline_fits_on_one_line(moment: str) -> None:
    """At 80×24 there is one line for it; what is in view must be on it."""
    view = MOMENTS[moment]()
    row = strip_row(Columns().of(view), view, 80)

    assert width_of(row) <= 80
    check_golden(f"strip_{moment}", plain(row))
