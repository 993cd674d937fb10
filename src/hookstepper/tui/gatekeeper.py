"""Questions that come before a command: what would change a run while one looks back, or end a living one."""

from __future__ import annotations

from dataclasses import dataclass

from hookstepper.client.view import View
from hookstepper.model.commands import AbortRun, Command, Continue, Fork, Next, Screen
from hookstepper.model.errors import NotPossibleError
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
    """Command id of a whole dialog to open instead; it is about `command` if there is one."""


def question_before(command: Command, view: View, *, attached: bool = False) -> Question | None:
    """What to ask first, None to go ahead.

    Args:
        attached: the program runs by itself; leaving does not end it.

    Raises:
        NotPossibleError: the target is not there yet.
    """
    if view.phase == "loading" and (getattr(command, "TAG", "") in _MOVES or _is(command, "run.play")):
        raise NotPossibleError(tr("the target is still loading"), hint=tr("q gives up"))
    if isinstance(command, Fork):
        return fork_question(command)
    if view.cursor is not None and (getattr(command, "TAG", "") in _MOVES or _is(command, "run.play")):
        return fork_question(Fork(view.at), tr("you are looking back"))
    if view.phase == "waiting" and (isinstance(command, Next | Continue) or _is(command, "run.play")):
        return Question(dialog="answer.open")
    if view.phase == "failed" and (isinstance(command, Next | Continue) or _is(command, "run.play")):
        return Question(dialog="answer.open")
    if isinstance(command, AbortRun):
        return _abort(command, view)
    if _is(command, "run.restart") and is_alive(view):
        return Question(
            tr("Restart"),
            (row(tr("A run is alive. It ends here; its steps stay as a branch to look at.")),
             row(tr("The same input runs again in a new process; breakpoints are kept."))),
            tr("Restart"),
            command,
        )  # fmt: skip
    if _is(command, "app.quit"):
        return _quit(view, attached=attached)
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


def _quit(view: View, *, attached: bool) -> Question | None:
    if not is_alive(view):
        return None
    state = tr("The program runs.") if view.phase in ("running", "pausing") else tr("A run is held.")
    if view.phase == "waiting":
        state = tr("A question is open.")
    if attached:
        said = row(state + " " + tr("Leaving detaches: the program goes on without the debugger."))
        return Question(tr("Detach"), (said,), tr("Detach"), Screen("app.quit-now"))
    said = row(state + " " + tr("Quitting ends the agent process."))
    return Question(tr("Quit"), (said,), tr("Quit"), Screen("app.quit-now"))


def fork_question(command: Fork, why: str = "") -> Question:
    """The dialog that says what a fork means; `why` is what led to it, if it was not the wish to fork."""
    return Question(dialog="time.fork", command=command, yes=why)
