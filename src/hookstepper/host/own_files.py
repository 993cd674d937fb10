"""Which files of the user's own the program has imported: a change of one of them is a reason to restart."""

from __future__ import annotations

import sys

from hookstepper.host.failures import is_mine

MOST = 2_000
"""Files that are told at most."""


def own_files() -> list[str]:
    """Paths of the modules that are loaded now, in the order of their import; nothing is imported for it."""
    found: dict[str, None] = {}
    for module in list(sys.modules.values()):
        try:
            # Not getattr, nor vars: a lazy module would load itself.
            file = object.__getattribute__(module, "__dict__").get("__file__")
        except AttributeError:
            continue  # what programs put there need not be a module
        if isinstance(file, str) and is_mine(file):
            found[file] = None
    return list(found)[:MOST]
