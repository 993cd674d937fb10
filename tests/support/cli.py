"""The real command in a real process, and what it printed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TARGETS = Path(__file__).resolve().parent.parent / "targets"


@dataclass(frozen=True, slots=True)
class Done:
    """What a finished command left behind."""

    code: int
    out: str
    err: str

    @property
    def events(self) -> list[dict[str, Any]]:
        """Lines of `--json`, in order."""
        return [json.loads(line) for line in self.out.splitlines()]

    def named(self, name: str) -> list[dict[str, Any]]:
        """Events of one kind."""
        return [event for event in self.events if event["event"] == name]

    @property
    def nodes(self) -> list[str]:
        """Nodes that ran, in order."""
        return [event["node"] for event in self.named("step")]

    @property
    def end(self) -> dict[str, Any]:
        """The last line, which must be the `end` event."""
        last = self.events[-1]
        assert last["event"] == "end"
        return last


def hookstepper(*words: str, cwd: Path | None = None, timeout: float = 60, **environment: str) -> Done:
    """Run `hookstepper` with these words and wait for its end."""
    done = subprocess.run(
        [sys.executable, "-m", "hookstepper", *words],
        cwd=cwd,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def run(target: str, *words: str, text: str = "hi") -> Done:
    """`hookstepper run TARGET --headless --json`, with a target of the `targets` folder."""
    return hookstepper("run", str(TARGETS / target), "--headless", "--json", "--input", text, *words)
