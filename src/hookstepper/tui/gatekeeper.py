"""Questions that come before a command: what would change a run while one looks back, or end a living one."""

from __future__ import annotations

from dataclasses import dataclass

from hookstepper.client.view import View
from hookstepper.model.commands import AbortRun, Command, Continue, Fork, Next, Screen
from hookstepper.model.ids import END, NodeId
from hookstepper.tui.rows.ahead import label_of
from hookstepper.tui.rows.lines import shown
from hookstepper.tui.rows.row import Row, row
from hookstepper.tui.words import tr

_MOVES = frozenset(
    {
        "next",
        "into",
        "out",
        "continue",
        "runTo",
        "superstep",
        "turn",
        "setJump",
        "setNext",
        "editState",
        "answer",
    }
)
"""Tags of the commands that would change the run."""
_ALIVE = frozenset({"running", "pausing", "stopped", "waiting"})


@dataclass(frozen=True, slots=True)
class Question:
    """What to ask before a command is carried out."""

    title: str = ""
    rows: tuple[Row, ...] = ()
    yes: str = ""
    """What the button says that carries it out."""
    command: Command | None = None
    """What is carried out after yes."""
    dialog: str = ""
    """Command id of a whole dialog to open instead."""


def question_before(command: Command, view: View) -> Question | None:
    """What to ask first, None to go ahead."""
    if isinstance(command, Fork):
        return fork_question(command, view)
    if view.cursor is not None and (getattr(command, "TAG", "") in _MOVES or _is(command, "run.play")):
        return fork_question(Fork(view.at), view)
    if view.phase == "waiting" and (isinstance(command, Next | Continue) or _is(command, "run.play")):
        return Question(dialog="answer.open")
    if view.phase == "failed" and (isinstance(command, Next | Continue) or _is(command, "run.play")):
        return Question(dialog="answer.open")
    if isinstance(command, AbortRun):
        return _abort(command, view)
    if _is(command, "run.restart") and is_alive(view):
        return Question(
            tr("Restart"),
            (row(tr("A run is alive. It ends here, and its record goes with it.")),
             row(tr("The same input runs again in a new process; breakpoints are kept."))),
            tr("Restart"),
            command,
        )  # fmt: skip
    if _is(command, "app.quit"):
        return _quit(view)
    return None


def _is(command: Command, command_id: str) -> bool:
    return isinstance(command, Screen) and command.id == command_id


def is_alive(view: View) -> bool:
    """True if there is a run that quitting would cut off."""
    return view.phase in _ALIVE or (view.phase == "ready" and view.stop is not None)


def _abort(command: AbortRun, view: View) -> Question:
    if view.busy_since is not None or view.phase == "pausing":
        return Question(
            tr("Kill the agent process"),
            (row(tr("The program has not reached a safe point. Its process is killed; the record stays.")),),
            tr("Kill"),
            Screen("run.kill"),
        )
    said = tr("This run ends here; its record stays.")
    if view.phase == "running":
        said = tr("This run ends at its next safe point. If it reaches none: p, then K kills the process.")
    return Question(tr("Abort"), (row(said),), tr("Abort"), command)


def _quit(view: View) -> Question | None:
    if not is_alive(view):
        return None
    state = tr("The program runs.") if view.phase in ("running", "pausing") else tr("A run is held.")
    if view.phase == "waiting":
        state = tr("A question is open.")
    said = row(state + " " + tr("Quitting ends the agent process."))
    return Question(tr("Quit"), (said,), tr("Quit"), Screen("app.quit-now"))


def fork_question(command: Fork, view: View) -> Question:
    """What a fork from a step means: where it starts, what runs again."""
    after = tr("the input") if command.step < 0 else _step_name(view, command.step)
    again = tuple(
        dict.fromkeys(_label(view, step.site.node) for step in view.trace.steps[command.step + 1 :])
    )
    rows = [
        row(tr("A new branch from the state after {node}. The branch of now stays as it is.", node=after)),
        row(tr("Runs again: {nodes}", nodes=", ".join(again[:8]) + (" …" if len(again) > 8 else "") or "–")),
    ]
    tools = _tools_after(view, command.step)
    if tools:
        rows.append(row(("⚠ " + tr("calls again: {tools}", tools=", ".join(tools)), "warning")))
    return Question(tr("Fork from step {n}", n=command.step + 1), tuple(rows), tr("Fork"), command)


def _step_name(view: View, step: int) -> str:
    return _label(view, view.trace.steps[step].site.node) if step <= view.trace.last else "?"


def _label(view: View, node: NodeId) -> str:
    return "END" if node == END else shown(label_of(view.graph, node))


def _tools_after(view: View, step: int) -> tuple[str, ...]:
    calls = (call for done in view.trace.steps[step + 1 :] for call in done.calls if call.kind == "tool")
    return tuple(dict.fromkeys(shown(call.name) for call in calls))
