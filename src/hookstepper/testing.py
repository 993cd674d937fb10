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
from hookstepper.client.settling import Settling
from hookstepper.client.view import View
from hookstepper.model.commands import Command, parse_line
from hookstepper.model.errors import LoadError, NotPossibleError
from hookstepper.model.events import Event, Stopped
from hookstepper.model.ids import Json, NodeId


class DrivenRun:
    """One run of a target in a process of its own; used from one thread."""

    def __init__(self, options: TargetOptions, patience: float) -> None:
        self._items: queue.SimpleQueue[Item] = queue.SimpleQueue()
        self._patience = patience
        self._stops = 0
        self._settling: Settling | None = None
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
        self._settling = Settling(command)
        self._conversation.act(command)
        self._pump(lambda: self._settling is None or self._settling.is_over(self._conversation))
        self._settling = None
        self._refuse()
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
        return [call.name for call in calls if call.kind == "tool" and not call.mocked]

    @property
    def state(self) -> dict[str, Json]:
        """The state at the live end, as typed JSON."""
        return cast("dict[str, Json]", self.view.trace.state(self.view.trace.head))

    @property
    def error(self) -> str:
        """`KeyError: 'city'` if the run failed, else empty."""
        return self.view.failure.title if self.view.failure is not None else ""

    # ------------------------------------------------------------------ inside

    def _open(self) -> None:
        self._conversation.open()
        wants_run = self._conversation.options.input is not None
        self._pump(
            lambda: (
                bool(self._stops or self.view.refusal or self.view.not_loaded)
                or (self.view.loaded is not None and not wants_run)
            )
        )
        if self.view.not_loaded is not None:
            failure = self.view.not_loaded.failure
            raise LoadError(failure.title, hint=failure.hint)
        self._refuse()

    def _close(self) -> None:
        self._conversation.close()

    def _pump(self, done: Callable[[], bool]) -> None:
        while not done():
            try:
                self._conversation.receive(self._items.get(timeout=self._patience))
            except queue.Empty:
                raise TimeoutError(f"nothing happened for {self._patience} s; phase {self.phase}") from None

    def _refuse(self) -> None:
        if self.view.refusal:
            raise NotPossibleError(self.view.refusal, hint=self.view.hint)

    def _saw(self, event: Event) -> None:
        self._stops += isinstance(event, Stopped)
        if self._settling is not None:
            self._settling.saw(event)

    def _label(self, node_id: NodeId) -> str:
        return self.view.graph.label(node_id) if self.view.graph is not None else node_id


@contextlib.contextmanager
def drive(
    target: str,
    *,
    input: Json = None,  # noqa: A002
    thread: str = "main",
    python: str | None = None,
    guard: int | None = None,
    patience: float = 60.0,
) -> Iterator[DrivenRun]:
    """A run of `target`, held before its first node if there is an input; its process ends with the block.

    Args:
        target: as on the command line, `file.py[:attr]` and so on.
        guard: steps of a run after which it is held, and again after as many; 0 never does; else 1,000.
        patience: seconds without any event after which waiting is given up.

    Raises:
        LoadError: the target could not be loaded.
    """
    options = TargetOptions(
        target,
        Path.cwd(),
        input=input,
        thread=thread,
        python=python,
        guard=guard,
        environment=dict(os.environ),
    )
    run = DrivenRun(options, patience)
    try:
        run._open()
        yield run
    finally:
        run._close()


__all__ = ["DrivenRun", "drive"]
