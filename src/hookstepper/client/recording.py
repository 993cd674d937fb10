"""Writing a live conversation to a file, without ever disturbing it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from hookstepper.model.errors import RecordingError
from hookstepper.model.events import Event
from hookstepper.trace.recording import RecordingWriter
from hookstepper.values.redact import PATTERNS, Redactor


class Recorder:
    """A recording that gives up on an error and says so once; the run goes on."""

    def __init__(self, path: Path, about: dict[str, str], redact: tuple[str, ...] | None = ()) -> None:
        """
        Args:
            redact: more keys whose values are kept out; None keeps out nothing.

        Raises:
            RecordingError: the file cannot be written from the start.
        """
        self._writer = RecordingWriter(
            path, about, redactor=Redactor(() if redact is None else (*PATTERNS, *redact))
        )

    def add(self, event: Event) -> str:
        """Take an event; what went wrong, in one sentence, or an empty string."""
        return self._guarded(lambda: self._writer.add(event))

    def close(self) -> str:
        """Finish the file; what went wrong, or an empty string."""
        return self._guarded(self._writer.close)

    def _guarded(self, action: Callable[[], None]) -> str:
        try:
            action()
        except RecordingError as error:
            return error.message + (f"; {error.hint}" if error.hint else "")
        return ""
