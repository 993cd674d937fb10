"""Running without a screen: events out, answers and script lines in, an exit code at the end."""

from __future__ import annotations

import queue
import signal
from dataclasses import dataclass
from types import FrameType
from typing import TextIO

from hookstepper.cli import exits
from hookstepper.cli.describing import load_error
from hookstepper.cli.lines import Lines
from hookstepper.cli.script import Script
from hookstepper.client.conversation import Conversation
from hookstepper.client.link import Item
from hookstepper.client.options import TargetOptions
from hookstepper.client.view import View
from hookstepper.model.commands import AbortRun, Answer, Continue
from hookstepper.model.errors import UsageError
from hookstepper.model.events import Event, Output, Stopped
from hookstepper.model.ids import Json
from hookstepper.model.record import StepDone

_CODES = {
    "completed": exits.OK,
    "failed": exits.FAILED,
    "limit": exits.STEP_CAP,
    "interrupted": exits.WAITING,
}


@dataclass(frozen=True, slots=True)
class HeadlessOptions:
    """What a run without a screen does at its stops."""

    as_json: bool = False
    answers: tuple[Json, ...] = ()
    """For successive questions; the last one serves for the rest."""
    script: tuple[str, ...] | None = None
    max_steps: int | None = None


def run_headless(options: TargetOptions, headless: HeadlessOptions, out: TextIO, talk: TextIO) -> int:
    """Run a target to its end, a question without an answer, or the step cap; gives the exit code.

    Raises:
        HookstepperError: usage or load error; nothing ran.
    """
    runner = _Runner(options, headless, Lines(out, as_json=headless.as_json), talk)
    old = signal.signal(signal.SIGTERM, _as_interrupt)
    try:
        return runner.run()
    finally:
        signal.signal(signal.SIGTERM, old)
        runner.conversation.close()


def _as_interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


class _Runner:
    def __init__(self, options: TargetOptions, headless: HeadlessOptions, lines: Lines, talk: TextIO) -> None:
        self._items: queue.SimpleQueue[Item] = queue.SimpleQueue()
        self.conversation = Conversation(options, self._items.put)
        self.conversation.events = self._told
        self._headless = headless
        self._lines = lines
        self._talk = talk
        self._answers = list(headless.answers)
        self._script = Script(headless.script) if headless.script is not None else None
        self._fresh: Stopped | None = None
        self._steps = 0
        self._answering = False

    def run(self) -> int:
        self.conversation.open()
        while True:
            self.conversation.receive(self._items.get())
            code = self._react()
            if code is not None:
                return code

    @property
    def _view(self) -> View:
        return self.conversation.view

    def _told(self, event: Event) -> None:
        if isinstance(event, StepDone):
            self._steps += 1
            self._lines.step(event, self._view)
        elif isinstance(event, Stopped):
            self._fresh = event
            self._answering = False
        elif isinstance(event, Output):
            self._talk.write(event.text)
            self._talk.flush()

    def _react(self) -> int | None:
        view = self._view
        if view.not_loaded is not None:
            raise load_error(view.not_loaded)
        if view.phase == "gone":
            how = view.gone.how if view.gone is not None else "gone"
            return self._end("failed", exits.FAILED, f"the agent process is gone: {how}")
        if view.notice:
            return self._refused()
        if view.phase == "loading" or (view.phase == "ready" and view.stop is None):
            return self._without_input() if view.phase == "ready" and view.input is None else None
        cap = self._headless.max_steps
        if cap is not None and self._steps >= cap and view.phase not in ("ended", "failed"):
            return self._end("limit", exits.STEP_CAP, f"{self._steps} steps, the cap of --max-steps")
        stop, self._fresh = self._fresh, None
        return self._at(stop) if stop is not None else None

    def _without_input(self) -> int | None:
        raise UsageError("the target suggests no input", hint="--input TEXT or --input-json JSON")

    def _refused(self) -> int:
        notice, hint = self._view.notice, self._view.hint
        where = f"script line {self._script.line}: " if self._script is not None else ""
        self._talk.write(f"hookstepper: {where}{notice}\n" + (f"  {hint}\n" if hint else ""))
        return exits.USAGE

    def _at(self, told: Stopped) -> int | None:
        stop = told.stop
        if stop.posture == "resting" and not stop.asks:
            status = self._view.ended.status if self._view.ended is not None else "completed"
            if self._script is not None and self._script.play(self.conversation):
                # A fork, a retry or the next message: the run goes on.
                return None
            why = self._view.failure.title if self._view.failure is not None else ""
            return self._end(
                status, _CODES.get(status, exits.FAILED), why if status == "failed" else stop.detail
            )
        if self._script is not None:
            return self._scripted(told)
        self._lines.stop(told, self._view)
        if not stop.asks:
            self.conversation.act(Continue())
            return None
        if not self._answers:
            names = ", ".join(ask.node for ask in stop.asks)
            return self._end("interrupted", exits.WAITING, f"waiting for an answer to {names}")
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        by_id = isinstance(answer, dict) and {ask.id for ask in stop.asks} == set(answer)
        self.conversation.act(Answer(answer if by_id else {"": answer}))
        return None

    def _scripted(self, told: Stopped) -> int | None:
        assert self._script is not None
        self._lines.stop(told, self._view)
        if self._script.play(self.conversation):
            return None
        status = "interrupted" if told.stop.asks else "stopped"
        return self._end(status, exits.WAITING if told.stop.asks else exits.OK, "the script is over")

    def _end(self, status: str, code: int, why: str) -> int:
        self._lines.end(status, self._steps, self._view)
        if why and code != exits.OK:
            self._talk.write(f"hookstepper: {why}\n")
        if self._view.phase in ("running", "stopped"):
            self.conversation.act(AbortRun())
        return code
