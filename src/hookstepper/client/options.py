"""What a conversation is about: the target, how it is started, and what it begins with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from hookstepper.model.breakpoints import Breakpoint
from hookstepper.model.ids import Json


@dataclass(frozen=True, slots=True)
class TargetOptions:
    """Given once, kept over restarts."""

    target: str
    """As the user wrote it: `file.py[:attr]`, `package.module[:attr]`, `langgraph.json[#graph]`."""
    folder: Path
    """Working directory; relative targets start here."""
    input: Json = None
    """Starts a run as soon as the target is loaded; None waits for one."""
    use_sample_input: bool = False
    """With no input: start with the one that the target suggests."""
    thread: str = "main"
    hold: bool = True
    """True: a run is held before its first node."""
    python: str | None = None
    db: str | None = None
    compat: str | None = None
    config: Mapping[str, Json] = field(default_factory=dict)
    breakpoints: tuple[Breakpoint, ...] = ()
    breakpoints_file: Path | None = None
    """File that breakpoints are read from and kept in; None keeps them for this start only."""
    record: Path | None = None
    """File to write a recording to; None writes none."""
    guard: int | None = None
    """Steps of one run after which it is held, and each time after as many more; 0 never holds it. None: as
    the host has it, 1,000 for a run that was started here."""
    redact: tuple[str, ...] | None = ()
    """More keys, as globs, whose values are kept out of the recording; None keeps out nothing at all."""
    watch: bool = False
    """True: start again when a file of the program changes."""
    environment: Mapping[str, str] | None = None
    """Environment of the agent process; None inherits ours."""


def file_of(options: TargetOptions) -> Path:
    """The file that the target names, as far as it names one; it need not be there."""
    place = options.target.split("#")[0]
    path = options.folder / place
    return path if path.exists() else options.folder / place.rsplit(":", 1)[0]
