"""Commands that let a held run go on, and how far."""

from __future__ import annotations

from dataclasses import replace

from hookstepper.model.commands import (
    CompleteStep,
    Continue,
    Into,
    Next,
    Out,
    RunTo,
    StepLine,
    Superstep,
    Turn,
)
from hookstepper.model.errors import NotPossibleError
from hookstepper.model.graph import HOOK_KINDS, Graph
from hookstepper.model.ids import NodeId, scope_of
from hookstepper.ports.verdict import PROCEED, Point
from hookstepper.session import refusals
from hookstepper.session.course import Course
from hookstepper.session.effects import Announce, Effect
from hookstepper.session.motion import RUN, Motion

Move = Next | Into | Out | StepLine | Continue | RunTo | Superstep | Turn | CompleteStep
_NEAR = frozenset({"step", "into", "out"})
"""Kinds of motion that release one task, and that cannot pass by the end of a step that was overtaken."""


def move(course: Course, command: Move) -> tuple[Effect, ...]:
    """Release the task that the command means, or all of them.

    Raises:
        NotPossibleError: nothing is held, or the place to run to does not exist.
    """
    current = course.holding.current
    if current is None:
        raise refusals.cannot_move(course.resting, running=course.running)
    motion = _motion(course, command, current.point)
    near = motion.kind in _NEAR
    if not near or isinstance(command, CompleteStep):
        course.holding.unfinished = None
    course.holding.motion = replace(motion, begun_at=motion.begun_at or current.point.site.node)
    going = (current,) if near else course.holding.all
    if "diverged" in current.stop.reasons:
        # The call is made for real, so what the record says of later calls no longer fits.
        course.replay.end()
    releases = tuple(course.holding.release(held, PROCEED) for held in going)
    left = course.holding.current
    return (*releases, Announce(replace(left.stop, all_stopped=False))) if left is not None else releases


def pause(course: Course) -> tuple[Effect, ...]:
    """Hold the run before its next node, or before or after its next model or tool call.

    Raises:
        NotPossibleError: nothing is running.
    """
    if not course.running or course.holding.current is not None:
        raise NotPossibleError("nothing is running")
    course.holding.pausing = True
    return ()


def _motion(course: Course, command: Move, point: Point) -> Motion:
    site, superstep = point.site, point.superstep
    match command:
        case Next():
            return Motion("step", depth=site.depth, superstep=superstep)
        case Into():
            return Motion("into", superstep=superstep)
        case Out():
            return _out(course.graph, point)
        case StepLine(how):
            return Motion("step", depth=site.depth, superstep=superstep, line=how)
        case Superstep():
            return Motion("superstep", superstep=superstep)
        case Turn():
            entry = course.graph.anchors.loop_entry if course.graph is not None else None
            if entry is None:
                raise NotPossibleError("this graph has no turns", hint="only an agent has a loop entry")
            return Motion("turn", node=entry)
        case CompleteStep():
            if course.holding.unfinished is None:
                raise NotPossibleError("no step has been overtaken", hint="n steps")
            return course.holding.unfinished
        case RunTo(node):
            return Motion("to", node=course.node_named(node))
        case Continue():
            return RUN


def _out(graph: Graph | None, point: Point) -> Motion:
    """To the end of the frame: the ring or call, the chain of hooks, the subgraph; at the top one node."""
    site = point.site
    if site.kind in ("layer", "model", "tool"):
        return Motion("out", node=site.node, ring=site.ring if site.kind == "layer" else _INNERMOST)
    if site.kind in ("part", "line"):
        return Motion("step", depth=site.depth)
    node = graph.node(site.node) if graph is not None else None
    if node is not None and node.kind in HOOK_KINDS and graph is not None:
        chain = frozenset(other.id for other in graph.nodes if other.kind == node.kind)
        return Motion("out", depth=site.depth, inside=chain)
    return Motion("out", depth=max(site.depth - 1, 0), inside=_siblings(graph, site.node))


_INNERMOST = 1 << 30


def _siblings(graph: Graph | None, node_id: NodeId) -> frozenset[NodeId]:
    parent = scope_of(node_id)
    if not parent or graph is None:
        return frozenset()
    return frozenset(node.id for node in graph.nodes if node.id.startswith(f"{parent}:"))
