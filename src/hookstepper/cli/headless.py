"""Running without a screen: events out, answers and commands in, an exit code at the end."""

from __future__ import annotations

import contextlib
import functools
import queue
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FrameType
from typing import TextIO, TypeAlias

from hookstepper.cli import exits
from hookstepper.cli.describing import load_error, own_lines
from hookstepper.cli.dialogue import Dialogue, Said, listen
from hookstepper.cli.lines import Lines, label_of
from hookstepper.cli.script import Script, UnmetError
from hookstepper.client.conversation import Conversation
from hookstepper.client.expecting import Expectation, status_of, unmet
from hookstepper.client.link import AnyLink, Hung, Item, Link
from hookstepper.client.options import TargetOptions
from hookstepper.client.settling import Settling
from hookstepper.client.view import View
from hookstepper.model.commands import AbortRun, Answer, Continue
from hookstepper.model.errors import UsageError
from hookstepper.model.events import (
    Event,
    Failure,
    HostGone,
    NodeRan,
    Output,
    Stopped,
    TargetLoaded,
    TargetNotLoaded,
)
from hookstepper.model.gates import Stop
from hookstepper.model.ids import Json
from hookstepper.model.record import StepDone

Connect: TypeAlias = Callable[[int, TargetOptions, Callable[[Item], None]], AnyLink]
WATCH_EVERY = 0.2
"""Seconds from one look at the program's files to the next, while nothing comes."""
LAST_WORDS = 2.0
"""Seconds that the output of a process that has ended may take to arrive."""
_CODES = {
    "completed": exits.OK,
    "failed": exits.FAILED,
    "limit": exits.STEP_CAP,
    "interrupted": exits.WAITING,
}


@dataclass(frozen=True, slots=True)
class HeadlessOptions:
    """What a run without a screen does at its stops, and what is expected of it."""

    as_json: bool = False
    answers: tuple[Json, ...] = ()
    """For successive questions; the last one serves for the rest."""
    script: tuple[str, ...] | None = None
    talk: TextIO | None = None
    """Where another program writes its commands, instead of a script."""
    expect: tuple[Expectation, ...] = ()
    """Looked at when the run is over."""
    max_steps: int | None = None


def run_headless(
    options: TargetOptions, headless: HeadlessOptions, out: TextIO, talk: TextIO, connect: Connect = Link
) -> int:
    """Run a target to its end, a question without an answer, or the step cap; gives the exit code.

    Args:
        connect: makes the line to the host; by default the host is started here.

    Raises:
        HookstepperError: usage or load error; nothing ran.
    """
    lines = Lines(out, as_json=headless.as_json or headless.talk is not None)
    kind = _Talked if headless.talk is not None else _Scripted if headless.script is not None else _Runner
    items: queue.SimpleQueue[Item | Said] = queue.SimpleQueue()
    runner = kind(items, Conversation(options, items.put, connect=connect), headless, lines, talk)
    with _leaving_on_signals():
        try:
            return runner.run()
        finally:
            runner.close()


@contextlib.contextmanager
def _leaving_on_signals() -> Iterator[None]:
    """Whoever ends this process by a signal, or by closing its terminal, ends the agent process with it."""
    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    old = [(number, signal.signal(number, _as_interrupt)) for number in numbers]
    try:
        yield
    finally:
        for number, handler in old:
            signal.signal(number, handler)


def _as_interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


class _Runner:
    """Answers questions with the answers given, and goes on at every other stop."""

    def __init__(
        self,
        items: queue.SimpleQueue[Item | Said],
        conversation: Conversation,
        headless: HeadlessOptions,
        lines: Lines,
        talk: TextIO,
    ) -> None:
        self._items = items
        self.conversation = conversation
        self.conversation.events = self._heard
        self._headless = headless
        self._lines = lines
        self._talk = talk
        self._answers = list(headless.answers)
        self._fresh: Stop | None = None
        self._steps = 0
        self._lost = ""
        self._hung = False
        self._ended = False
        self._processes = 1

    def run(self) -> int:
        """Take in what comes until there is an exit code."""
        self.conversation.open()
        while True:
            item = self._next()
            if not isinstance(item, Said):
                self._take(item)
            if self._view.recording_lost != self._lost:
                self._lost = self._view.recording_lost
                self._say(self._lost)
            code = self._react(item)
            if code is not None:
                return code

    def _next(self) -> Item | Said:
        """What comes next; meanwhile the program's files are watched, if they are to be."""
        while self._view.watching:
            with contextlib.suppress(queue.Empty):
                return self._items.get(timeout=WATCH_EVERY)
            self.conversation.tick()
            if self.conversation.processes != self._processes:
                self._lines.restarted(self._view.remark)
                self._fresh = None
            self._processes = self.conversation.processes
        return self._items.get()

    def close(self) -> None:
        """End the agent process, and print what it had written and nobody had read yet."""
        self.conversation.close()
        with contextlib.suppress(queue.Empty):
            while self.conversation.link is not None and not self._hung:
                item = self._items.get(timeout=LAST_WORDS)
                if not isinstance(item, Said):
                    self._take(item)

    def _take(self, item: Item) -> None:
        self._hung |= isinstance(item, Hung)
        self.conversation.receive(item)

    @property
    def _view(self) -> View:
        return self.conversation.view

    def _say(self, text: str, hint: str = "") -> None:
        self._talk.write(f"hookstepper: {text}\n" + (f"  {hint}\n" if hint else ""))
        self._talk.flush()

    def _heard(self, event: Event) -> None:
        if isinstance(event, Output):
            self._talk.write(event.text)
            self._talk.flush()
        elif not self._ended:
            self._told(event)

    def _told(self, event: Event) -> None:
        """Print an event of the run; after the end nothing more is printed of it."""
        if isinstance(event, StepDone):
            self._steps += 1
            self._lines.step(event, self._view)
        elif isinstance(event, NodeRan):
            self._lines.ran(event)
        elif isinstance(event, Stopped):
            self._fresh = event.stop
            if event.stop.posture == "held" or event.stop.asks:
                self._lines.stop(event, self._view)

    # ------------------------------------------------------------------ at each thing that came

    def _react(self, _item: Item | Said) -> int | None:
        view = self._view
        code = self._without_run()
        if code is not None:
            return code
        if view.phase == "loading":
            return None
        if view.phase == "ready" and view.stop is None and self._is_ours:
            return self._without_input() if view.input is None else None
        cap = self._headless.max_steps
        if cap is not None and self._steps >= cap and view.phase not in ("ended", "failed"):
            return self._end("limit", exits.STEP_CAP, f"{self._steps} steps, the cap of --max-steps")
        return self._go_on()

    def _without_run(self) -> int | None:
        """The exit code if nothing runs any more, or a wish was refused."""
        view = self._view
        if view.not_loaded is not None:
            raise load_error(view.not_loaded)
        if view.phase == "gone":
            how = view.gone.how if view.gone is not None else "gone"
            return self._end("failed", exits.FAILED, f"the agent process is gone: {how}")
        if view.refusal:
            self._say(self._where() + view.refusal, view.hint)
            return exits.USAGE
        return None

    @property
    def _is_ours(self) -> bool:
        """False for a program that was not started here: it begins and ends its runs itself."""
        link = self.conversation.link
        return link is None or link.can_restart

    def _where(self) -> str:
        """Where the wish stands that was refused."""
        return ""

    def _without_input(self) -> int | None:
        raise UsageError("the target suggests no input", hint="--input TEXT or --input-json JSON")

    def _go_on(self) -> int | None:
        stop, self._fresh = self._fresh, None
        if stop is None:
            return None
        if stop.posture == "resting" and not stop.asks:
            return self._at_rest(stop)
        if not stop.asks:
            if "limit" in stop.reasons and self._is_ours:
                why = f"held by the guard after {stop.detail}; --guard N allows more, --guard 0 any number"
                return self._end("limit", exits.STEP_CAP, why)
            self.conversation.act(Continue())
            return None
        if not self._answers:
            names = ", ".join(ask.node for ask in stop.asks)
            return self._end("interrupted", exits.WAITING, f"waiting for an answer to {names}")
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        by_id = isinstance(answer, dict) and {ask.id for ask in stop.asks} == set(answer)
        self.conversation.act(Answer(answer if by_id else {"": answer}))
        return None

    def _at_rest(self, stop: Stop) -> int:
        status = self._view.ended.status if self._view.ended is not None else "completed"
        code = _CODES.get(status, exits.FAILED)
        failure = self._view.failure
        if status != "failed" or failure is None:
            return self._end(status, code, stop.detail)
        node = label_of(self._view.graph, stop.site.node) if stop.site is not None else ""
        return self._end(status, code, f"{node}: {failure.title}" if node else failure.title, failure)

    def _end(self, status: str, code: int, why: str, failure: Failure | None = None) -> int:
        self._lines.end(status, self._steps, self._view)
        self._ended = True
        if why and code != exits.OK:
            trace = own_lines(failure) if failure is not None else ()
            self._say("\n".join([why, *trace]), failure.hint if failure is not None else "")
        code = self._judged(code)
        if self._view.phase in ("running", "stopped") and self._is_ours:
            self.conversation.act(AbortRun())
        return code

    def _judged(self, code: int) -> int:
        """The exit code after all expectations: how a run ends is no failure if it was to end so."""
        missed = [why for expected in self._headless.expect if (why := unmet(expected, self._view))]
        for why in missed:
            self._say(why)
        if missed:
            return exits.FAILED
        return exits.OK if any(expected.about_end for expected in self._headless.expect) else code


class _Scripted(_Runner):
    """Carries out a script, and ends with it."""

    _settling: Settling | None = None
    _begun = False

    @functools.cached_property
    def _script(self) -> Script:
        return Script(self._headless.script or ())

    def run(self) -> int:
        """Read the whole script first: what is no command in it is told before anything runs."""
        assert self._script is not None
        return super().run()

    def _told(self, event: Event) -> None:
        super()._told(event)
        if self._settling is not None:
            self._settling.saw(event)

    def _where(self) -> str:
        return f"script line {self._script.line}: "

    def _go_on(self) -> int | None:
        # A program that runs by itself need not stop at all, unless it was asked to.
        at_once = not self._is_ours and not self.conversation.options.hold
        self._begun |= self._fresh is not None or at_once
        try:
            while self._begun and (self._settling is None or self._settling.is_over(self.conversation)):
                if self._view.refusal:
                    return self._without_run()
                self._settling = self._script.play(self.conversation, self._lines)
                if self._settling is None:
                    return self._over()
        except UnmetError as error:
            code = self._end(status_of(self._view), exits.FAILED, error.message)
            return code or exits.FAILED
        return None

    def _over(self) -> int:
        view = self._view
        if view.stop is not None and view.stop.posture == "resting" and not view.stop.asks:
            return self._at_rest(view.stop)
        if view.phase == "waiting":
            return self._end("interrupted", exits.WAITING, "the script is over")
        return self._end("stopped", exits.OK, "")


class _Talked(_Runner):
    """Does what another program says, until it says no more."""

    _ready = False

    @functools.cached_property
    def _dialogue(self) -> Dialogue:
        return Dialogue(self.conversation, self._lines)

    def _told(self, event: Event) -> None:
        self._dialogue.saw(event)
        if isinstance(event, Stopped):
            self._fresh = event.stop
            self._lines.stop(event, self._view)
        elif isinstance(event, HostGone):
            self._lines.gone(event)
        elif isinstance(event, TargetLoaded):
            self._lines.ready(event)
        elif isinstance(event, TargetNotLoaded):
            # Only seen while files are watched: the next change may mend it.
            self._lines.refused(event.failure.title, event.failure.hint)
        else:
            super()._told(event)

    def _react(self, item: Item | Said) -> int | None:
        view = self._view
        if view.not_loaded is not None and not (view.watching and self._ready):
            raise load_error(view.not_loaded)
        if isinstance(item, Said):
            self._dialogue.heard(item)
        elif not self._ready and view.loaded is not None:
            self._begin()
        if self._ready:
            self._dialogue.go_on()
        cap = self._headless.max_steps
        if cap is not None and self._steps >= cap and view.phase not in ("ended", "failed"):
            return self._end("limit", exits.STEP_CAP, f"{self._steps} steps, the cap of --max-steps")
        return self._left() if self._dialogue.is_over else None

    def _begin(self) -> None:
        """Listen once the target stands at its beginning, or cannot begin with the input given."""
        view = self._view
        if view.input is None or self._fresh is not None or view.refusal:
            self._ready = True
            if view.refusal:
                self._lines.refused(view.refusal, view.hint)
            assert self._headless.talk is not None
            listen(self._headless.talk, self._items.put)

    def _left(self) -> int:
        status = status_of(self._view)
        code = exits.FAILED if self._dialogue.failed else _CODES.get(status, exits.OK)
        return self._end(status, code, "")
