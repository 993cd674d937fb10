"""Loads a target just far enough to describe it, and lets it go."""

from __future__ import annotations

import queue
import sys

from hookstepper.client.conversation import Conversation
from hookstepper.client.link import Item
from hookstepper.client.options import TargetOptions
from hookstepper.model.errors import LoadError
from hookstepper.model.events import Failure, TargetLoaded, TargetNotLoaded, TraceLine


def described(options: TargetOptions) -> TargetLoaded:
    """What a target told about itself when it was loaded; nothing of it ran.

    Raises:
        LoadError: it could not be loaded; the traceback, cut to the user's code, is in the hint.
    """
    items: queue.SimpleQueue[Item] = queue.SimpleQueue()
    conversation = Conversation(options, items.put)
    conversation.open()
    try:
        while True:
            conversation.receive(items.get())
            view = conversation.view
            if view.loaded is not None:
                return view.loaded
            if view.not_loaded is not None:
                raise load_error(view.not_loaded)
    finally:
        conversation.close()
        for output in conversation.view.output:
            sys.stderr.write(output.text)


def load_error(told: TargetNotLoaded) -> LoadError:
    """The error that tells of a target that could not be loaded, traceback included."""
    failure = told.failure
    trace = own_lines(failure)
    ours = failure.kind in ("LoadError", "SpecError", "UsageError")
    title = failure.message if ours else failure.title
    return LoadError("\n".join([title, *trace]), hint=failure.hint, choices=told.choices)


def own_lines(failure: Failure) -> list[str]:
    """The user's part of a traceback, outermost first, two lines an entry as Python prints them."""
    return [_line(line) for line in failure.lines if line.mine]


def _line(line: TraceLine) -> str:
    place = line.place
    return f'  File "{place.file}", line {place.line}, in {place.function}\n    {line.code.strip()}'
