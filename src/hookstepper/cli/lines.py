"""What a run without a screen prints: JSON objects, one a line, or lines for a person."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TextIO

from hookstepper.client import safe_point
from hookstepper.client.view import View
from hookstepper.model.events import HostGone, NodeRan, Stopped, TargetLoaded
from hookstepper.model.gates import Stop
from hookstepper.model.graph import Graph
from hookstepper.model.ids import END, START, Json, NodeId, TaskId
from hookstepper.model.jsonform import to_json
from hookstepper.model.record import AddKey, DeleteKey, DeltaOp, Path, SetValue, Splice, StepDone
from hookstepper.model.version import VERSION
from hookstepper.values import clean
from hookstepper.values.preview import preview
from hookstepper.values.tags import TAG

PROTOCOL = 1
"""Version of the lines of `--script -`; a larger one is not compatible."""
_WIDE = 60
"""Cells of a value in a line for a person."""


class Lines:
    """Writes events to a stream; each line is flushed, so that a reader sees it at once."""

    def __init__(self, out: TextIO, *, as_json: bool) -> None:
        self._out = out
        self._as_json = as_json
        self._ran: dict[TaskId, NodeRan] = {}

    def step(self, step: StepDone, view: View) -> None:
        """A node has run and its writes are committed."""
        if self._as_json:
            self._json("step", _step(step))
            return
        self._ran.pop(step.task, None)
        to = ", ".join(label_of(view.graph, node) for node in step.route.to) if step.route is not None else ""
        why = f" ({step.route.rule})" if step.route is not None and step.route.rule != "fixed" else ""
        self._text(
            f"{step.index:>4}  {label_of(view.graph, step.site.node)}" + (f" → {to}{why}" if to else "")
        )
        for change in step.delta:
            for line in _change(change):
                self._text(f"        {line}")
        is_state = step.update is None or (isinstance(step.update, dict) and TAG not in step.update)
        if not step.delta and not is_state:
            # A task of the functional API writes to no state; what it returned is all that there is.
            self._text(f"        = {preview(step.update, _WIDE)}")
        for done in step.by_hand:
            self._text(f"        ✎ {done}")

    def ran(self, event: NodeRan) -> None:
        """A task is over, and what it gave waits for the others of its superstep.

        For a person it is told only where the run stands or ends before the step is saved, since the step
        says the same a moment later.
        """
        if self._as_json:
            data: dict[str, Json] = {
                "node": event.site.node,
                "task": event.task,
                "superstep": event.superstep,
            }
            self._json("ran", {**data, "pending": event.update})
            return
        self._ran[event.task] = event

    def _unsaved(self, view: View) -> None:
        """What ran and is not saved yet, once."""
        for event in self._ran.values():
            self._text(
                f"  ·   {label_of(view.graph, event.site.node)} ran; its writes wait for the other tasks"
            )
            for text in _result(event.update):
                self._text(f"        {text}")
        self._ran.clear()

    def stop(self, told: Stopped, view: View) -> None:
        """A run is held, or asks."""
        stop = told.stop
        if self._as_json:
            self._json("stop", _stop(stop))
            return
        self._unsaved(view)
        where_text = label_of(view.graph, stop.site.node) if stop.site is not None else ""
        where_text += _inside(stop)
        self._text(
            f"  ■   {where_text} ({', '.join(stop.reasons)}{': ' + stop.detail if stop.detail else ''})"
        )
        if stop.unfinished is not None:
            left = stop.unfinished
            name = label_of(view.graph, left.node)
            self._text(f"        {left.command} {name} is not finished: run.complete finishes it")
        if stop.site is not None and stop.site.kind != "node" and stop.value is not None:
            for text in _result(stop.value):
                self._text(f"        {text}")
        if stop.site is not None and stop.site.kind == "line" and stop.frames and stop.frames[0].locals:
            for text in _result(stop.frames[0].locals):
                self._text(f"        {text}")
        for ask in stop.asks:
            for call in ask.calls:
                sign, note = ("‖", "") if call.needs_approval else ("·", "  (needs no answer)")
                self._text(f"        {sign} {call.id} {call.tool} {preview(call.arguments, _WIDE)}{note}")
            if not ask.calls:
                self._text(f"        ‖ {ask.id} {preview(ask.payload, _WIDE)}")

    def told(self, line: int, wish: str, result: Json, view: View) -> None:
        """What a script's question was answered with."""
        if self._as_json:
            self.reply({"id": line, "ok": True, "do": wish, "result": result}, view)
            return
        self._text(f"  ?   {wish}")
        for text in _result(result):
            self._text(f"        {text}")

    def looked(self, view: View) -> None:
        """A script has moved the cursor."""
        if self._as_json:
            return
        where = "the input"
        if view.at >= 0:
            where = f"step {view.at}  {label_of(view.graph, view.trace.steps[view.at].site.node)}"
        branch = f"  on {view.branch}" if view.branch is not None else ""
        self._text(f"  ◂   {where}{branch}" + (f"  ({view.remark})" if view.remark else ""))

    def reply(self, data: Mapping[str, Json], view: View) -> None:
        """The answer to one command of another program, with where the run stands after it."""
        stop = _stop(view.stop) if view.stop is not None else None
        place: dict[str, Json] = {
            "phase": view.phase,
            "at": view.at,
            "branch": view.branch or view.trace.branch,
        }
        more: dict[str, Json] = {"remark": view.remark} if view.remark else {}
        if view.phase == "pausing":
            more["will_stop"] = safe_point.told(view)
        self._json("reply", {**data, **more, **place, "stop": stop})

    def refused(self, error: str, hint: str) -> None:
        """Something went wrong that no command of the other program asked for."""
        self._json("error", {"error": error, "hint": hint})

    def ready(self, loaded: TargetLoaded) -> None:
        """The target is there; commands are taken from now on."""
        facts: dict[str, Json] = {
            "protocol": PROTOCOL,
            "version": VERSION,
            "attr": loaded.attr,
            "capabilities": [*sorted(loaded.capabilities)],
            "nodes": [node.id for node in loaded.graph.nodes],
            "input_schema": loaded.input_schema,
        }
        self._json("ready", facts)

    def restarted(self, why: str) -> None:
        """The program was started again by itself."""
        self._json("restarted", {"why": why})

    def gone(self, event: HostGone) -> None:
        """The agent process is no more."""
        self._json("gone", {"how": event.how})

    def end(self, status: str, steps: int, view: View) -> None:
        """The run is over, or left."""
        state = view.trace.state(view.trace.head)
        if self._as_json:
            self._json("end", {"status": status, "steps": steps, "state": state})
            return
        self._unsaved(view)
        self._text(
            f"  ✓   {status}, {steps} steps" if status == "completed" else f"  ✗   {status}, {steps} steps"
        )

    def _json(self, event: str, data: dict[str, Json]) -> None:
        self._text(json.dumps({"event": event, **data}, ensure_ascii=False, allow_nan=False))

    def _text(self, line: str) -> None:
        safe = line if self._as_json else clean(line)
        self._out.write(safe.encode("utf-8", "replace").decode("utf-8") + "\n")
        self._out.flush()


def _stop(stop: Stop) -> dict[str, Json]:
    data = to_json(stop)
    assert isinstance(data, dict)
    where: Json = stop.site.node if stop.site is not None else None
    return {**data, "node": where}


def _inside(stop: Stop) -> str:
    """Where in its node a task is held: ` · merge messages`, ` · after tool search`; empty before a node."""
    site = stop.site
    if site is None or stop.posture != "held" or (site.kind == "node" and stop.phase == "enter"):
        return ""
    if site.kind in ("part", "route", "line"):
        return f" · {site.name or site.kind}"
    when = "before" if stop.phase == "enter" else "after"
    name = f" {site.name}" if site.name else ""
    return f" · {when} {site.kind}{name}"


def _result(result: Json) -> list[str]:
    """An answer as lines for a person: one line an item."""
    if isinstance(result, list):
        return [preview(item, 2 * _WIDE) for item in result] or ["none"]
    if isinstance(result, dict) and TAG not in result:
        return [f"{key}: {preview(value, 2 * _WIDE)}" for key, value in result.items()] or ["nothing"]
    return [preview(result, 2 * _WIDE)]


def _step(step: StepDone) -> dict[str, Json]:
    data = to_json(step)
    assert isinstance(data, dict)
    data.pop("t", None)
    data.pop("site", None)
    route: Json = None
    if step.route is not None:
        to: Json = step.route.to[0] if len(step.route.to) == 1 else list(step.route.to)
        route = {"to": to, "rule": step.route.rule, "why": step.route.why}
        if step.route.by_hand:
            route["by_hand"] = True
    head: dict[str, Json] = {
        "index": step.index,
        "node": step.site.node,
        "kind": step.kind,
        "superstep": step.superstep,
        "task": step.task,
    }
    rest = {key: value for key, value in data.items() if key not in (*head, "route")}
    return {**head, **rest, "route": route}


def label_of(graph: Graph | None, node_id: NodeId) -> str:
    """What the picture calls a node."""
    if node_id in (START, END):
        return node_id.strip("_")
    return graph.label(node_id) if graph is not None else node_id


def _change(change: DeltaOp) -> list[str]:
    name = path_text(change.path)
    match change:
        case SetValue(old=old, new=new):
            return [f"~ {name}  {preview(old, _WIDE)} → {preview(new, _WIDE)}"]
        case AddKey(new=new):
            return [f"+ {name}  {preview(new, _WIDE)}"]
        case DeleteKey(old=old):
            return [f"- {name}  {preview(old, _WIDE)}"]
        case Splice(index=index, removed=removed, inserted=inserted):
            gone = [f"- {name}[{index + i}]  {preview(item, _WIDE)}" for i, item in enumerate(removed)]
            come = [f"+ {name}[{index + i}]  {preview(item, _WIDE)}" for i, item in enumerate(inserted)]
            return gone + come


def path_text(path: Path) -> str:
    """`messages[0].content` for a path."""
    out = ""
    for part in path:
        out += f"[{part}]" if isinstance(part, int) else f".{part}" if out else part
    return out
