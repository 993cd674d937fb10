"""`hookstepper.testing`: drive a target from a test, with the same commands as the screen.

def test_payment_needs_approval():
    with drive("agent.py", input="pay the bill") as run:
        run.do("run.continue")
        assert run.phase == "waiting"
        run.do("answer.send reject:too much")
        run.do("run.continue")
        assert "pay" not in run.tools_run
"""

from __future__ import annotations

import contextlib
import os
import queue
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast

from hookstepper.client.conversation import Conversation
from hookstepper.client.link import Item
from hookstepper.client.options import TargetOptions
from hookstepper.client.view import View
from hookstepper.model.commands import Command, Screen, parse_line
from hookstepper.model.errors import LoadError, NotPossibleError
from hookstepper.model.events import Event, Noted, Resumed, RunEnded, Stopped
from hookstepper.model.ids import Json, NodeId

_ENDS_AT_A_STOP = frozenset(
    {
        "start", "next", "into", "out", "continue", "runTo", "superstep", "turn", "abort",
        "setJump", "setNext", "answer", "answerCall", "editState", "fork", "retry", "skip", "undo",
    }
)  # fmt: skip

_MOTIONS = frozenset({"next", "into", "out", "continue", "runTo", "superstep", "turn"})
"""Of these: a stop that was on its way before the run moved is an older one."""


class DrivenRun:
    """One run of a target in a process of its own; used from one thread."""

    def __init__(self, options: TargetOptions, patience: float) -> None:
        self._items: queue.SimpleQueue[Item] = queue.SimpleQueue()
        self._patience = patience
        self._stops = 0
        self._noted = False
        self._moved = True
        self._conversation = Conversation(options, self._items.put)
        self._conversation.events = self._saw

    def do(self, line: str | Command) -> DrivenRun:
        """Carry out a command and wait until the run is held or at rest again.

        Args:
            line: a command, or a line as in a script: `run.next`, `answer.send approve`.

        Raises:
            HookstepperError: the command was refused.
            TimeoutError: the run did not come to a stop in time.
        """
        command = parse_line(line) if isinstance(line, str) else line
        before = self._stops
        restarts = isinstance(command, Screen) and command.id == "run.restart"
        self._moved = isinstance(command, Screen) or command.TAG not in _MOTIONS
        self._conversation.act(command)
        self._refuse()
        if restarts or (not isinstance(command, Screen) and command.TAG in _ENDS_AT_A_STOP):
            self._pump(lambda: self._stops > before or self.view.phase in ("gone", "not_loaded"))
        return self

    @property
    def view(self) -> View:
        """All that a screen would show."""
        return self._conversation.view

    @property
    def phase(self) -> str:
        """`ready`, `stopped`, `waiting`, `failed`, `ended`, `limit`, `aborted` or `gone`."""
        return self.view.phase

    @property
    def node(self) -> str:
        """What the picture calls the node that runs next; empty if none does."""
        following = self.view.next_nodes
        return self._label(following[0]) if following else ""

    @property
    def steps(self) -> list[str]:
        """What the picture calls the nodes that have run, in order."""
        return [self._label(step.site.node) for step in self.view.trace.steps]

    @property
    def tools_run(self) -> list[str]:
        """Names of the tools that were really called, in order."""
        calls = (call for step in self.view.trace.steps for call in step.calls)
        return [call.name for call in calls if call.kind == "tool"]

    @property
    def state(self) -> dict[str, Json]:
        """The state after the last step, as typed JSON."""
        return cast("dict[str, Json]", self.view.trace.state(self.view.trace.last))

    @property
    def error(self) -> str:
        """`KeyError: 'city'` if the run failed, else empty."""
        return self.view.failure.title if self.view.failure is not None else ""

    # ------------------------------------------------------------------ inside

    def _open(self) -> None:
        self._conversation.open()
        wants_run = self._conversation.options.input is not None
        self._pump(
            lambda: self.view.not_loaded is not None or (self._stops > 0 if wants_run else self._loaded())
        )
        if self.view.not_loaded is not None:
            failure = self.view.not_loaded.failure
            raise LoadError(failure.title, hint=failure.hint)

    def _loaded(self) -> bool:
        return self.view.loaded is not None

    def _close(self) -> None:
        self._conversation.close()

    def _pump(self, done: Callable[[], bool]) -> None:
        while not done():
            try:
                self._conversation.receive(self._items.get(timeout=self._patience))
            except queue.Empty:
                raise TimeoutError(f"nothing happened for {self._patience} s; phase {self.phase}") from None
            if not self._noted:
                self._refuse()
        self._noted = False
        self._refuse()

    def _refuse(self) -> None:
        if self.view.notice:
            raise NotPossibleError(self.view.notice, hint=self.view.hint)

    def _saw(self, event: Event) -> None:
        if isinstance(event, Stopped):
            self._stops += self._moved
        elif isinstance(event, Resumed | RunEnded):
            self._moved = True
        elif isinstance(event, Noted):
            # What was refused late is followed by the stop at which everything is as before.
            self._noted = True

    def _label(self, node_id: NodeId) -> str:
        return self.view.graph.label(node_id) if self.view.graph is not None else node_id


@contextlib.contextmanager
def drive(
    target: str,
    *,
    input: Json = None,  # noqa: A002
    thread: str = "main",
    python: str | None = None,
    patience: float = 60.0,
) -> Iterator[DrivenRun]:
    """A run of `target`, held before its first node if there is an input; its process ends with the block.

    Args:
        target: as on the command line, `file.py[:attr]` and so on.
        patience: seconds without any event after which waiting is given up.

    Raises:
        LoadError: the target could not be loaded.
    """
    options = TargetOptions(
        target, Path.cwd(), input=input, thread=thread, python=python, environment=dict(os.environ)
    )
    run = DrivenRun(options, patience)
    try:
        run._open()
        yield run
    finally:
        run._close()


__all__ = ["DrivenRun", "drive"]
