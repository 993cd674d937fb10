"""Text goldens: files that hold what a screen or a view writes, cell for cell.

`HOOKSTEPPER_GOLDENS=write pytest …` writes them anew; read the difference before it is committed.
"""

from __future__ import annotations

import os
from pathlib import Path

GOLDENS = Path(__file__).parents[1] / "goldens"


def check_golden(name: str, text: str) -> None:
    """The text is what the golden of that name holds."""
    path = GOLDENS / f"{name}.txt"
    text = "\n".join(line.rstrip() for line in text.splitlines()) + "\n"
    if os.environ.get("HOOKSTEPPER_GOLDENS") == "write":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert path.is_file(), f"no golden {path.name}; HOOKSTEPPER_GOLDENS=write makes it"
    assert text == path.read_text(encoding="utf-8")
