"""What a person does by hand at a stop: jump, set the next node, edit, answer, fork, retry, skip, undo."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hookstepper.model import jumps
from hookstepper.model.commands import EditState, Fork
from hookstepper.model.errors import NotPossibleError
from hookstepper.model.gates import Reason, Stop
from hookstepper.model.ids import AskId, Json, NodeId, scope_of
from hookstepper.ports.target import From, Resume
from hookstepper.ports.verdict import Fulfil
from hookstepper.session import refusals
from hookstepper.session.answers import checked, decisions
from hookstepper.session.byhand import Undoable
from hookstepper.session.course import AGAIN, Course
from hookstepper.session.effects import Amend, Announce, Effect, Run
from hookstepper.session.mocking import Typed
from hookstepper.session.motion import RUN, Motion

_NO_SKIP = "this engine cannot skip a node"
_SET_NEXT = "set the next node instead"


def jump(course: Course, word: str) -> tuple[Effect, ...]:
    """Send the run elsewhere after the held node; `clear` takes a jump out of the state.

    Raises:
        NotPossibleError: the word is not legal at this node; the message says why.
    """
    held = course.held_node()
    node = held.point.site.node
    if course.graph is None or not course.capabilities & {"jump_update", "jump_edit"}:
        raise NotPossibleError("this target takes no jumps by hand", hint=_SET_NEXT)
    for choice in jumps.choices(course.graph, node):
        if choice.word == word and not choice.offered:
            raise refusals.cannot_jump(course.graph, node, choice)
    if "jump_update" not in course.capabilities:
        if scope_of(node):
            raise NotPossibleError("this engine takes no jump by hand inside a nested graph", hint=_SET_NEXT)
        return amend(course, Amend(course.checkpoint(), "jump", jump=word))
    course.by_hand.set_jump(node, word)
    course.by_hand.undo.append(Undoable("jump.set"))
    stop = replace(held.stop, pending_jump=word)
    course.holding.amend(stop)
    return (course.acted("jump.set", f"{word} after {node}"), Announce(stop))


def set_next(course: Course, nodes: tuple[NodeId, ...]) -> tuple[Effect, ...]:
    """Make these nodes the next ones.

    Raises:
        NotPossibleError: one does not exist, or the target cannot.
    """
    if "set_next" not in course.capabilities:
        raise NotPossibleError("this target's next node cannot be set")
    known = tuple(course.node_named(node) for node in nodes)
    scope, task = course.nested()
    inside = scope and all(scope_of(node) == scope for node in known)
    return amend(course, Amend(course.checkpoint(), "next", next=known, task=task if inside else None))


def edit(course: Course, command: EditState) -> tuple[Effect, ...]:
    """Change a value of the state; the run is held where it was.

    A path that begins with the nested graph of the held node, such as `team:notes`, means that graph's state.

    Raises:
        NotPossibleError: not now, or not this target.
    """
    scope, task = course.nested()
    path = command.path
    if scope and isinstance(path[0], str) and path[0].startswith(f"{scope}:"):
        path = (path[0].removeprefix(f"{scope}:"), *path[1:])
    else:
        task = None
    return amend(course, Amend(course.checkpoint(), "edit", path, command.value, command.mode, task=task))


def amend(course: Course, change: Amend) -> tuple[Effect, ...]:
    """Change a checkpoint and go on from what that gives, held before its first node."""
    what, detail, reason = _AMENDS[change.by]
    effects = course.instead(Run(From(change.at), course.at.branch, change), (reason, detail))
    # A nested graph has its own checkpoints: going back to the root's would not take its change back.
    back = None if change.task is None else Amend(change.at, "back")
    course.by_hand.undo.append(Undoable(what, Run(From(change.at), course.at.branch, back)))
    return (course.acted(what, _amend_told(change)), *effects)


def answer(course: Course, answers: Json) -> tuple[Effect, ...]:
    """Answer the open questions: all of them, or some where the target takes them one by one.

    Raises:
        AnswerError: an answer does not fit; nothing was sent.
        NotPossibleError: no question is open.
    """
    resting = course.resting
    if resting is None or not resting.asks:
        raise NotPossibleError("no question is open")
    complete = checked(resting.asks, answers, some="answer_some" in course.capabilities)
    if course.at.checkpoint is not None:
        back = Run(From(course.at.checkpoint), course.at.branch)
        course.by_hand.undo.append(Undoable("answer.send", back))
    # Whoever was stepping is held before the node that asked; whoever ran on runs on.
    stepping = course.holding.motion.kind != "run"
    first: tuple[Reason, str] | None = ("entry", "answered") if stepping else None
    for call, decision in decisions(resting.asks, complete):
        course.holding.decided(call, decision)
    run = course.go(Resume(complete), AGAIN if stepping else RUN, first)
    return (course.acted("answer.send", _decisions_told(complete)), run)


def fork(course: Course, command: Fork) -> tuple[Effect, ...]:
    """A new branch from the state after a step.

    Raises:
        NotPossibleError: this process does not have that state, or the target cannot go back.
    """
    if "fork" not in course.capabilities:
        raise NotPossibleError("this target cannot go back to an older state")
    checkpoint = course.at.after(command.step)
    if checkpoint is None:
        raise refusals.cannot_fork(command.step, course.at)
    next_ = None if command.node is None else (course.node_named(command.node),)
    branch = command.branch or course.at.new_branch()
    change = None if next_ is None else Amend(checkpoint, "next", next=next_)
    run = Run(From(checkpoint), branch, change, command.step, command.replay)
    effects = course.instead(run, ("entry", f"forked from step {command.step}"))
    course.ask = frozenset(command.ask)
    return (course.acted("time.fork", f"{branch} from step {command.step}"), *effects)


def retry(course: Course) -> tuple[Effect, ...]:
    """Run the failed node again from the same state.

    Raises:
        NotPossibleError: no node has failed.
    """
    resting = _failed(course)
    run = course.go(From(course.checkpoint()), AGAIN)
    return (course.acted("fail.retry", ", ".join(resting.next)), run)


def skip(course: Course, value: Json) -> tuple[Effect, ...]:
    """Do not run the held or the failed node: `value` is its update.

    Raises:
        NotPossibleError: there is no such node, or the engine cannot.
    """
    if course.holding.current is None:
        return _skip_failed(course, value)
    held = course.held_node()
    if "fulfil" not in held.stop.acts:
        raise NotPossibleError(_NO_SKIP, hint=_SET_NEXT)
    course.holding.motion = Motion("step", depth=held.point.site.depth)
    course.by_hand.mark(held.point.task, "skipped")
    told = course.acted("fail.skip", held.point.site.node)
    return (told, course.holding.release(held, Fulfil(Typed(value))))


def _skip_failed(course: Course, value: Json) -> tuple[Effect, ...]:
    resting = _failed(course)
    if "fulfil" not in resting.acts:
        raise NotPossibleError(_NO_SKIP, hint=_SET_NEXT)
    for name in resting.next:
        course.by_hand.set_skip(name, value)
    run = course.go(From(course.checkpoint()), AGAIN)
    return (course.acted("fail.skip", ", ".join(resting.next)), run)


def _failed(course: Course) -> Stop:
    if course.resting is None or "exception" not in course.resting.reasons:
        raise NotPossibleError("no node has failed")
    return course.resting


def take_back(course: Course) -> tuple[Effect, ...]:
    """Take back what was last done by hand.

    Raises:
        NotPossibleError: there is nothing, since the next node has run.
    """
    if not course.by_hand.undo:
        raise NotPossibleError("there is nothing to take back", hint="only until the next node runs")
    last = course.by_hand.undo.pop()
    if last.back is None:
        held = course.held_node()
        course.by_hand.set_jump(held.point.site.node, "")
        stop = replace(held.stop, pending_jump="")
        course.holding.amend(stop)
        return (course.acted(last.what, "taken back", undone=True), Announce(stop))
    effects = course.instead(last.back, None if last.what == "answer.send" else ("entry", "taken back"))
    return (course.acted(last.what, "taken back", undone=True), *effects)


_AMENDS: Mapping[str, tuple[str, str, Reason]] = {
    "edit": ("state.edit", "edited", "entry"),
    "next": ("jump.set", "next node set", "jump"),
    "jump": ("jump.set", "jump set", "jump"),
}


def _amend_told(change: Amend) -> str:
    if change.next is not None:
        return f"next {', '.join(change.next)}"
    return change.jump if change.jump is not None else ".".join(map(str, change.path))


def _decisions_told(answers: Mapping[AskId, object]) -> str:
    told = []
    for one in answers.values():
        decisions = one.get("decisions") if isinstance(one, dict) else None
        if isinstance(decisions, list):
            told += [str(decision.get("type")) for decision in decisions if isinstance(decision, dict)]
        else:
            told.append("answered")
    return ", ".join(told)
