"""The one tree of errors that are ours; a failing program under debug is not one of them, it is a stop.

HookstepperError
├── UsageError          the command line or a script asked for something that cannot be
├── SpecError           a graph, an agent or a target is not well formed
│   └── LoadError       the target could not be loaded
├── InvalidValueError   a value typed by a person does not fit where it should go
├── AnswerError         an answer to a question of the program would be refused or misread
├── ConditionError      an expression is not in the condition language, or failed on this state
├── NotPossibleError    asked for at the wrong moment, or this engine cannot do it
├── AbortedError        a person ended this run in the debugger; raised where the program started it
├── WireError           the other end spoke out of turn
│   └── GoneError       the other end is gone
└── RecordingError      a recording is torn, foreign or from a later version
"""

from __future__ import annotations


class HookstepperError(Exception):
    """Base of all errors that hookstepper raises on purpose.

    The message says what and where; `hint` says what to try, and is shown on a line of its own.
    """

    code = "error"
    """Stable word for the kind of error; goes over the wire and into `--json`."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(HookstepperError):
    """The command line or a script line cannot be understood."""

    code = "usage"


class SpecError(HookstepperError):
    """A graph, an agent or a target is not well formed."""

    code = "spec"


class LoadError(SpecError):
    """The target could not be loaded; `choices` names what could be meant, if several things could."""

    code = "load"

    def __init__(self, message: str, *, hint: str = "", choices: tuple[str, ...] = ()) -> None:
        super().__init__(message, hint=hint)
        self.choices = choices


class InvalidValueError(HookstepperError):
    """A value does not fit its place; `path` leads to the part that does not."""

    code = "invalidValue"

    def __init__(self, message: str, *, path: tuple[str | int, ...] = (), hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.path = path


class AnswerError(HookstepperError):
    """An answer was refused before it was sent; nothing has changed."""

    code = "answer"


class ConditionError(HookstepperError):
    """A condition or watch could not be compiled or failed; it never stops the run by itself."""

    code = "badCondition"


class NotPossibleError(HookstepperError):
    """The thing asked for cannot be done here and now; the message says why."""

    code = "notPossible"


class AbortedError(HookstepperError):
    """A person ended a run that the program had started; it is raised where the program started it."""

    code = "aborted"


class WireError(HookstepperError):
    """The conversation between the two processes broke a rule or ended."""

    code = "wire"


class GoneError(WireError):
    """The other end has closed the wire, or does not read it any more."""

    code = "gone"


class RecordingError(HookstepperError):
    """A recording could not be read or written; the message says what could be saved."""

    code = "recording"


ERRORS: dict[str, type[HookstepperError]] = {
    kind.code: kind
    for kind in (
        HookstepperError,
        UsageError,
        SpecError,
        LoadError,
        InvalidValueError,
        AnswerError,
        ConditionError,
        NotPossibleError,
        AbortedError,
        WireError,
        GoneError,
        RecordingError,
    )
}
"""Every kind by its code, so that an error keeps its class across the wire."""
