"""Looking back: where the cursor goes; nothing runs."""

from __future__ import annotations

from hookstepper.client.view import View
from hookstepper.model.commands import Screen, parse_path
from hookstepper.model.errors import NotPossibleError, UsageError


def looked(view: View, command: Screen) -> int | None:
    """The step in view after a `time.*` command; None is the live end.

    Raises:
        NotPossibleError: there is no such step.
        UsageError: the command's words do not fit.
    """
    last = view.trace.last
    match command.id:
        case "time.live":
            return None
        case "time.back":
            if view.at <= -1:
                raise NotPossibleError("this is the input; there is nothing before it")
            return view.at - 1
        case "time.forward":
            return None if view.cursor is None or view.cursor + 1 >= last else view.cursor + 1
        case "time.prev-mark" | "time.next-mark":
            return _to_mark(view, forward=command.id == "time.next-mark")
        case "time.goto":
            return _to_step(command, last)
        case "time.writer":
            return _to_writer(view, command)
    raise NotPossibleError(f"{command.id} is not a way to look")


def _to_step(command: Screen, last: int) -> int | None:
    word = command.args[0] if command.args else ""
    if not word.lstrip("-").isdigit():
        raise UsageError("needs a step number")
    step = int(word)
    if not -1 <= step <= last:
        raise NotPossibleError(f"there is no step {step}", hint=f"steps -1 (the input) to {last}")
    return None if step == last else step


def _to_mark(view: View, *, forward: bool) -> int | None:
    last = view.trace.last
    steps = range(view.at + 1, last + 1) if forward else range(view.at - 1, -2, -1)
    for step in steps:
        if step == -1 or view.trace.marks(step):
            return step
    if forward:
        return None
    raise NotPossibleError("no mark before this step")


def _to_writer(view: View, command: Screen) -> int:
    if not command.args:
        raise UsageError("needs a path", hint="such as messages[0]")
    step = view.trace.writer(parse_path(command.args[0]), view.at)
    if step is None:
        raise NotPossibleError(f"no step wrote {command.args[0]}", hint="it came with the input")
    return step
