"""The Tasks tab: every task of the superstep that is under way, and what each is doing."""

from __future__ import annotations

from hookstepper.client.view import View
from hookstepper.model.events import NodeEntered, NodeRan
from hookstepper.model.gates import Stop
from hookstepper.tui.rows.facts import label
from hookstepper.tui.rows.lines import BLANK, Line, line, shown, value_text, wrap
from hookstepper.tui.rows.row import cut, row
from hookstepper.tui.words import tr


def task_lines(view: View, width: int) -> list[Line]:
    """Held tasks first, the current one on top, then those that run."""
    if view.looking_back:
        return [
            _muted(each)
            for each in wrap(tr("Tasks are those of now: G goes back to the live end."), width - 2)
        ]
    held = {stop.task for stop in view.held}
    moving = [entered for entered in view.live if entered.task not in held]
    if not view.held and not moving:
        return [_muted(each) for each in wrap(tr("No task is alive: the run is at rest."), width - 2)]
    counted = tr("{n} held, {m} let go", n=len(view.held), m=len(moving))
    lines = [
        line(" ", (tr("Tasks of superstep {n}", n=_superstep(view)), "title"), (f"  {counted}", "muted")),
        BLANK,
    ]
    for number, stop in enumerate(view.held):
        lines.append(_held(view, stop, width, current=number == 0))
    over = {ran.task: ran for ran in view.ran}
    lines += [_moving(view, entered, over.get(entered.task), width) for entered in moving]
    if len(view.held) > 1:
        said = tr(
            "n runs the one marked ▶ alone, N all of them up to their common commit, c goes on with all."
        )
        lines += [BLANK, *(_muted(each) for each in wrap(said, width - 2))]
    return lines


def _superstep(view: View) -> int:
    return view.held[0].superstep if view.held else view.live[0].superstep


def _muted(text: str) -> Line:
    return line(" ", (text, "muted"))


def _moving(view: View, entered: NodeEntered, ran: NodeRan | None, width: int) -> Line:
    """A task that was let go: it runs, or it is over and what it gave is in no state yet."""
    node = label(view, entered.site.node)
    said = tr("let go: it runs, then its writes wait for the others")
    if ran is not None:
        said = tr("ran; its writes wait for the others")
    gave = f"  {value_text(ran.update, max(8, width // 2))}" if ran is not None else ""
    spans = row(
        " ",
        ("✓", "ok") if ran is not None else ("▶", "next"),
        " ",
        (node, "name"),
        (gave, ""),
        (f"  {said}", "muted"),
    )
    return Line(cut(spans, width), f"t:{entered.task}", node=entered.site.node)


def _held(view: View, stop: Stop, width: int, *, current: bool) -> Line:
    node = label(view, stop.site.node) if stop.site is not None else "–"
    where = tr("held before it runs")
    if stop.site is not None and stop.site.kind != "node":
        where = tr("held in {what}", what=shown(stop.site.name) or stop.site.kind)
    elif stop.phase == "exit":
        where = tr("ran; its writes wait for the others")
    given = value_text(stop.value, max(8, width // 2)) if stop.value is not None else ""
    spans = row(
        " ",
        ("▶" if current else "■", "current"),
        " ",
        (node, "name"),
        (f"  {given}" if given else "", ""),
        (f"  {where}", "muted"),
    )
    at = stop.site.node if stop.site is not None else None
    return Line(cut(spans, width), f"t:{stop.task}", node=at, interest=True)
