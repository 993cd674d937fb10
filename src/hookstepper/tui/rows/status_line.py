"""The status line: what state, where, why, and what the keys do now."""

from __future__ import annotations

from hookstepper.client.safe_point import safe_point
from hookstepper.client.view import View
from hookstepper.model.events import Failure
from hookstepper.model.gates import Reason, Site, Stop
from hookstepper.model.ids import END, NodeId
from hookstepper.tui.keymap import main_key
from hookstepper.tui.rows.ahead import Ahead, ahead, label_of
from hookstepper.tui.rows.call import difference, held_call, path_words, recorded_call
from hookstepper.tui.rows.lines import shown, value_text
from hookstepper.tui.rows.messages import Call, call_text
from hookstepper.tui.rows.row import Role, Row, Span, cut, row
from hookstepper.tui.words import tr

BUSY_AFTER = 1.0
"""Seconds without an answer from the agent process before the line says so."""


def status_row(view: View, now: float, cells: int) -> Row:
    """One row, cut from the right to `cells`.

    Args:
        now: seconds on the clock of `view.started_at`.
    """
    state, role, parts = _said(view, now)
    if view.notice:
        parts = [shown(view.notice), *([shown(view.hint)] if view.hint else [])]
        pieces = [Span(" │ "), Span(" · ".join(parts), "warning")]
    elif view.remark:
        pieces = [Span(" │ "), Span(shown(view.remark), "strong")]
    else:
        pieces = [piece for part in parts if part for piece in (Span(" │ ", "muted"), Span(part))]
    return cut((Span(" "), Span(state, role), *pieces), cells)


def _said(view: View, now: float) -> tuple[str, Role, list[str]]:
    if view.phase == "gone":
        return _gone(view)
    if view.phase in ("running", "pausing") and _is_busy(view, now):
        return _busy(view, now)
    if view.cursor is not None:
        return _looking_back(view)
    match view.phase:
        case "loading":
            return _loading(view, now)
        case "not_loaded":
            return _not_loaded(view)
        case "ready":
            return _ready(view)
        case "running":
            return _playing(view) if view.playing else _running(view, now)
        case "pausing":
            return "… " + tr("PAUSING"), "waiting", [_pausing(view), tr("K aborts")]
        case "waiting":
            return _waiting(view)
        case "failed":
            return _failed(view)
        case "limit":
            return _limit(view)
        case "ended":
            return "✓ " + tr("ENDED"), "ok", [totals(view), tr("m next message, R again")]
        case "aborted":
            return "✗ " + tr("ABORTED"), "failed", [totals(view), tr("R starts again")]
        case _:
            return _playing(view) if view.playing else _stopped(view)


def _is_busy(view: View, now: float) -> bool:
    return view.busy_since is not None and now - view.busy_since >= BUSY_AFTER


def _seconds(since: float, now: float) -> str:
    return f"{max(0.0, now - since):.1f}"


def _loading(view: View, now: float) -> tuple[str, Role, list[str]]:
    name = shown(view.target).rsplit("/", 1)[-1]
    took = tr("importing, {s} s", s=_seconds(view.started_at, now))
    return "… " + tr("LOADING {target}", target=name), "waiting", [took, tr("q gives up")]


def _not_loaded(view: View) -> tuple[str, Role, list[str]]:
    failed = view.not_loaded.failure if view.not_loaded is not None else None
    what = _failure(failed) if failed is not None else ""
    return "✗ " + tr("NOT LOADED"), "failed", [what, tr("mend it, then R")]


def _ready(view: View) -> tuple[str, Role, list[str]]:
    if view.stop is None:
        return "■ " + tr("READY"), "current", [tr("nothing has run yet"), tr("m gives it an input")]
    where = tr("held before the first node, nothing has run")
    return "■ " + tr("READY"), "current", [where, tr("n one node, Space plays, ? keys")]


def _place(view: View) -> str:
    """`turn 2, step 11`, for the step that is being made."""
    step = view.trace.last + 2
    turn = view.trace.turn_of(view.trace.head) if view.trace.head >= 0 else 0
    return tr("turn {turn}, step {step}", turn=turn, step=step) if turn else tr("step {step}", step=step)


def _running_node(view: View) -> str:
    names = [label_of(view.graph, entered.site.node) for entered in view.live]
    return ", ".join(shown(name) for name in names[:3]) + ("…" if len(names) > 3 else "")


def _running(view: View, now: float) -> tuple[str, Role, list[str]]:
    state = tr("RUNNING") + (" " + _running_node(view) if view.live else "")
    took = tr("{s} s", s=_seconds(view.started_at, now))
    return "▶ " + state, "next", [_place(view), took, tr("p pauses")]


def _pausing(view: View) -> str:
    """Where the pause will stop the run."""
    point = safe_point(view)
    if point is None:
        return ""
    node = shown(label_of(view.graph, point.node))
    match point.after:
        case "model":
            return tr("stops after the model call in {node}", node=node)
        case "tool":
            return tr("stops after {tool} in {node}", tool=shown(point.name, 60), node=node)
        case "node":
            return tr("stops when {node} is done", node=_running_node(view))


def _playing(view: View) -> tuple[str, Role, list[str]]:
    speed = tr("{n} steps a second", n=f"{view.speed:g}")
    return "▶ " + tr("PLAYING"), "next", [speed, tr("Space stops, ( ) speed")]


def _busy(view: View, now: float) -> tuple[str, Role, list[str]]:
    state = tr("RUNNING") + (" " + _running_node(view) if view.live else "")
    mute = tr(
        "the agent process does not answer ({s} s)",
        s=_seconds(now if view.busy_since is None else view.busy_since, now),
    )
    return "▶ " + state, "failed", [mute, tr("K kills it")]


def _gone(view: View) -> tuple[str, Role, list[str]]:
    how = shown(view.gone.how) if view.gone is not None else ""
    if view.live:
        how = tr("{how} in {node}", how=how, node=_running_node(view))
    kept = len(view.trace.steps)
    return "✗ " + tr("AGENT PROCESS GONE"), "failed", [how, tr("{n} steps are kept, R starts again", n=kept)]


def _looking_back(view: View) -> tuple[str, Role, list[str]]:
    at, last = view.at, view.trace.last
    state = tr("LOOKING BACK at step {step} of {last}", step=at + 1, last=last + 1)
    if at < 0:
        return "◀ " + tr("LOOKING BACK at the input"), "human", [tr(". on, G to the end, F forks here")]
    turn = view.trace.turn_of(at)
    name = shown(label_of(view.graph, view.trace.steps[at].site.node))
    where = tr("{node}, turn {turn}", node=name, turn=turn) if turn else name
    return "◀ " + state, "human", [where, tr(". on, G to the end, F forks here")]


def _waiting(view: View) -> tuple[str, Role, list[str]]:
    asks = view.stop.asks if view.stop is not None else ()
    if not asks:
        return "‖ " + tr("WAITING FOR YOU"), "waiting", [tr("a answers")]
    about = ", ".join(call.tool for call in asks[0].calls if call.needs_approval) or shown(asks[0].prompt)
    node = shown(label_of(view.graph, asks[0].node))
    says = (
        tr("{node} asks about {what}", node=node, what=shown(about))
        if about
        else tr("{node} asks", node=node)
    )
    more = tr("{n} questions", n=len(asks)) if len(asks) > 1 else ""
    return "‖ " + tr("WAITING FOR YOU"), "waiting", [says, more, tr("a answers")]


def _failed(view: View) -> tuple[str, Role, list[str]]:
    node = view.failed_at or (view.stop.site.node if view.stop is not None and view.stop.site else None)
    state = tr("FAILED in {node}", node=shown(label_of(view.graph, node))) if node else tr("FAILED")
    what = _failure(view.failure) if view.failure is not None else ""
    return "✗ " + state, "failed", [what, tr("a retry, skip, fork, end")]


def _failure(failure: Failure) -> str:
    place = failure.place
    if place is None or not place.file:
        return shown(failure.title)
    at = f"{shown(place.file).rsplit('/', 1)[-1]}:{place.line}"
    return tr("{what} at {place}", what=shown(failure.title), place=at)


def _limit(view: View) -> tuple[str, Role, list[str]]:
    steps = f"{len(view.trace.steps):,}"
    detail = shown(view.stop.detail) if view.stop is not None else ""
    return "■ " + tr("STOPPED by the guard, {n} steps", n=steps), "warning", [detail, tr("c goes on")]


def totals(view: View) -> str:
    """How much has run, in words: steps, turns, tool calls."""
    turns = sum(turn.kind == "turn" for turn in view.trace.turns)
    calls = sum(call.kind == "tool" for step in view.trace.steps for call in step.calls)
    steps = view.trace.last + 1
    return tr(", ").join(
        (
            tr("{n} step", n=steps) if steps == 1 else tr("{n} steps", n=steps),
            tr("{n} turn", n=turns) if turns == 1 else tr("{n} turns", n=turns),
            tr("{n} tool call", n=calls) if calls == 1 else tr("{n} tool calls", n=calls),
        )
    )


def _stopped(view: View) -> tuple[str, Role, list[str]]:
    stop = view.stop
    if stop is None:
        return "■ " + tr("STOPPED"), "current", []
    if "diverged" in stop.reasons and stop.site is not None:
        return _diverged(view, stop)
    parts = [_why(stop), _unfinished(view, stop), _pending(stop), _then(view, stop)]
    if len(view.held) > 1:
        parts.insert(0, _task(view, stop))
    return "■ " + _stop_state(view, stop), "current", parts


def _diverged(view: View, stop: Stop) -> tuple[str, Role, list[str]]:
    node = stop.site.node if stop.site is not None else NodeId("")
    where = tr("at step {step}, {node}", step=view.trace.last + 2, node=shown(label_of(view.graph, node)))
    recorded = recorded_call(view)
    found = difference(recorded.request, stop.value) if recorded is not None else None
    what = path_words(found[0]) if found is not None else shown(stop.detail)
    state = "■ " + tr("DIFFERS FROM THE RECORD") + " " + where
    return state, "warning", [what, tr("a use record, call, type it")]


def part_words(name: str) -> str:
    """A part of the engine's own work on a node, in words; a merge keeps the name of its key."""
    word, _, key = name.partition(" ")
    if word == "merge" and key:
        return tr("the merge of {key}", key=shown(key, 60))
    said = {
        "interrupt check": tr("the interrupt check"),
        "input": tr("its input is made"),
        "body": tr("its body"),
        "checkpoint": tr("the checkpoint"),
    }
    return said.get(name, shown(name, 60))


def _task(view: View, stop: Stop) -> str:
    """Which of the held tasks the step keys mean: its node, and what it was given."""
    if stop.site is None:
        return ""
    node = shown(label_of(view.graph, stop.site.node))
    if stop.site.kind in ("model", "tool"):
        return tr("at {what}", what=f"{node}{tr(', ')}{_call(stop, stop.site)}")
    given = value_text(stop.value, 24) if stop.value is not None else ""
    return tr("at {what}", what=f"{node} {given}".strip())


def _call(stop: Stop, site: Site) -> str:
    """`before get_weather(city=Bonn)`: the call that is held, in one of several tasks."""
    name = tr("model call") if site.kind == "model" else shown(site.name) or tr("tool call")
    arguments = stop.value.get("args") if isinstance(stop.value, dict) else None
    what = call_text(Call("", name, arguments), 40) if isinstance(arguments, dict) else name
    return tr("before {what}", what=what) if stop.phase == "enter" else tr("after {what}", what=what)


def _stop_state(view: View, stop: Stop) -> str:
    if len(view.held) > 1:
        held = {each.task for each in view.held}
        let_go = sum(entered.task not in held for entered in view.live)
        if let_go:
            return tr("STOPPED, {n} of {count} tasks held", n=len(held), count=len(held) + let_go)
        return tr("STOPPED, {n} tasks held", n=len(view.held))
    names = ", ".join(shown(label_of(view.graph, node)) for node in stop.next)
    site = stop.site
    if site is None:
        return tr("STOPPED before {node}", node=names) if names else tr("STOPPED")
    node = shown(label_of(view.graph, site.node))
    if site.kind == "route":
        return tr("STOPPED at the decision after {node}", node=node)
    if site.kind == "line":
        return tr("STOPPED in {node}", node=node) + " " + _line_of(stop)
    if site.kind == "part":
        return tr("STOPPED in {node}, before {what}", node=node, what=part_words(site.name))
    if site.kind in ("layer", "model", "tool"):
        what = shown(site.name) or tr("tool call") if site.kind != "model" else tr("model call")
        if stop.phase == "enter":
            return tr("STOPPED in {node} before {what}", node=node, what=what)
        return tr("STOPPED in {node} after {what}", node=node, what=what)
    return (
        tr("STOPPED before {node}", node=node)
        if stop.phase != "exit"
        else tr("STOPPED after {node}", node=node)
    )


def _line_of(stop: Stop) -> str:
    """`look, agent.py:12`: the function and line of the program that is held."""
    source = next((frame.source for frame in stop.frames if frame.kind == "line"), None)
    if source is None:
        return ""
    return shown(f"{source.function}, {source.file.rpartition('/')[2]}:{source.line}".removeprefix(", "))


_REASONS: dict[Reason, str] = {
    "entry": "held at the start",
    "step": "you stepped",
    "breakpoint": "breakpoint",
    "watch": "a watched value changed",
    "pause": "you paused",
    "jump": "jump by hand",
    "exception": "an exception",
    "interrupt": "a question",
    "limit": "step limit",
    "diverged": "differs from the record",
    "exit": "the end",
    "code": "breakpoint() in the program",
}


def _why(stop: Stop) -> str:
    words = [tr(_REASONS[reason]) for reason in stop.reasons]
    if not stop.detail:
        return ", ".join(words)
    detail = shown(stop.detail)
    if stop.reasons == ("entry",):
        # A run that goes on is held again where it was: why it went on says more than that it begins.
        return tr({"answered": "you answered"}.get(detail, detail))
    # The detail belongs to the reason that has something to tell; it takes that reason's place.
    for reason, word in (("breakpoint", "breakpoint"), ("watch", "watch"), ("exception", "exception")):
        if reason in stop.reasons:
            place = stop.reasons.index(reason)
            begins = detail.startswith(word)
            words[place] += detail.removeprefix(word) if begins else f" ({detail})"
            return ", ".join(words)
    return ", ".join([*words, detail])


_OVERTAKEN = {
    "run.next": "the step over {node} is not finished",
    "run.out": "the way out of {node} is not finished",
    "run.to": "{node} is not reached yet",
    "run.turn": "{node} is not reached yet",
    "run.superstep": "the superstep from {node} on is not finished",
}
"""What is said of a step that this stop has overtaken, by the command that began it."""


def _unfinished(view: View, stop: Stop) -> str:
    left = stop.unfinished
    if left is None or left.command not in _OVERTAKEN:
        return ""
    said = tr(_OVERTAKEN[left.command], node=shown(label_of(view.graph, left.node)))
    return said + tr(": {key} finishes it", key=main_key("run.complete"))


def _pending(stop: Stop) -> str:
    match stop.pending_jump:
        case "":
            return ""
        case "clear":
            return "↷ " + tr("jump_to is cleared")
        case word:
            return f"↷ {word}"


def _then(view: View, stop: Stop) -> str:
    node = stop.next[0] if len(stop.next) == 1 else None
    site_moves = stop.site is None or (stop.site.kind == "node" and stop.phase != "exit")
    if held_call(view) is not None:
        return tr("n goes on, a answers or fails it")
    if view.graph is None or node is None or not site_moves:
        return tr("n goes on")
    if len(view.held) > 1:
        return tr("n this one, N all")
    return _ways(view, ahead(view.graph, node))


def _ways(view: View, ways: Ahead) -> str:
    def name(node: NodeId) -> str:
        return "END" if node == END else shown(label_of(view.graph, node))

    if ways.default is None and not ways.choices:
        return tr("n runs it")
    if ways.default is None:
        some = ", ".join(name(node) for node in ways.choices[:3])
        return tr("n runs it, then one of {nodes}", nodes=some)
    told = tr("n runs it, then {node}", node=name(ways.default))
    if ways.jumps:
        word, target = ways.jumps[0]
        told += " " + tr("({node} if it jumps to {word})", node=name(target), word=word)
    return told


def advice_row(cells: int) -> Row:
    """One line for a terminal that is too small for any pane."""
    return cut(row((" " + tr("make the terminal larger: 40×10 at least, 80×24 is good"), "muted")), cells)
