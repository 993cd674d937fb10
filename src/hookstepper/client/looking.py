"""Looking back: where the cursor goes; nothing runs.

The cursor walks the line of one branch. It comes to another only if somebody names a step or a branch
that is not on this line.
"""

from __future__ import annotations

from hookstepper.client.view import View
from hookstepper.model.commands import Screen, parse_path
from hookstepper.model.errors import NotPossibleError, UsageError
from hookstepper.model.ids import BranchId
from hookstepper.trace.past_breaks import places


def looked(view: View, command: Screen) -> View:
    """The view after a `time.*` command.

    Raises:
        NotPossibleError: there is no such step or branch.
        UsageError: the command's words do not fit.
    """
    match command.id:
        case "time.live":
            return view.changed(cursor=None, branch=None)
        case "time.back":
            if view.at <= -1:
                raise NotPossibleError("this is the input; there is nothing before it")
            return _at(view, view.trace.previous(view.at))
        case "time.forward":
            return _forward(view)
        case "time.prev-mark" | "time.next-mark":
            return _to_mark(view, forward=command.id == "time.next-mark")
        case "time.prev-break" | "time.next-break":
            return _to_break(view, forward=command.id == "time.next-break")
        case "time.goto":
            return _to_step(view, command)
        case "time.branch":
            return _to_branch(view, command)
        case "time.writer":
            return _to_writer(view, command)
    raise NotPossibleError(f"{command.id} is not a way to look")


def _at(view: View, step: int) -> View:
    """The step in view on the branch in view; the head of the live branch is the live end."""
    live = view.branch in (None, view.trace.branch)
    if live and step == view.trace.head:
        return view.changed(cursor=None, branch=None)
    return view.changed(cursor=step)


def _line(view: View) -> list[int]:
    return [-1, *view.trace.line(view.branch)]


def _forward(view: View) -> View:
    following = next((step for step in _line(view) if step > view.at), None)
    if following is not None:
        return _at(view, following)
    if view.branch in (None, view.trace.branch):
        return view.changed(cursor=None, branch=None)
    raise NotPossibleError(f"this is the head of branch {view.branch}", hint="time.live: to the live end")


def _to_step(view: View, command: Screen) -> View:
    word = command.args[0] if command.args else ""
    if not word.lstrip("-").isdigit():
        raise UsageError("needs a step number")
    step, last = int(word), view.trace.last
    if not -1 <= step <= last:
        raise NotPossibleError(f"there is no step {step}", hint=f"steps -1 (the input) to {last}")
    if step not in _line(view):
        return _at(view.changed(branch=_named(view, view.trace.branch_of(step))), step)
    return _at(view, step)


def _to_branch(view: View, command: Screen) -> View:
    known = {branch.id: branch for branch in view.trace.branches}
    word = BranchId(command.args[0]) if command.args else view.trace.branch
    if word not in known:
        raise NotPossibleError(f"there is no branch {word}", hint=f"branches: {', '.join(known)}")
    return _at(view.changed(branch=_named(view, word)), known[word].last)


def _named(view: View, branch: BranchId) -> BranchId | None:
    return None if branch == view.trace.branch else branch


def _to_mark(view: View, *, forward: bool) -> View:
    line = _line(view)
    steps = [s for s in line if s > view.at] if forward else [s for s in reversed(line) if s < view.at]
    for step in steps:
        if step == -1 or view.trace.marks(step):
            return _at(view, step)
    if forward:
        return _at(view, line[-1])
    raise NotPossibleError("no mark before this step")


def _to_break(view: View, *, forward: bool) -> View:
    if not any(b.enabled for b in view.places):
        raise NotPossibleError("there is no breakpoint", hint="break NODE sets one, also on a recording")
    found = places(view.trace, view.places, view.branch)
    steps = [s for s in found if s > view.at] if forward else [s for s in found if s < view.at]
    if not steps:
        raise NotPossibleError(f"no breakpoint holds {'after' if forward else 'before'} this step")
    step = min(steps) if forward else max(steps)
    return _at(view, step).changed(remark=", ".join(found[step]))


def _to_writer(view: View, command: Screen) -> View:
    if not command.args:
        raise UsageError("needs a path", hint="such as messages[0]")
    found = view.trace.write(parse_path(command.args[0]), view.at)
    if found is None:
        raise NotPossibleError(f"{command.args[0]} is not there at this step")
    if found.step < 0:
        raise NotPossibleError(f"no step wrote {command.args[0]}", hint="it came with the input")
    return _at(view, found.step)
