"""Exit codes; public contract."""

OK = 0
FAILED = 1
"""The run failed."""
USAGE = 2
"""Usage or load error, or an answer that was refused."""
WAITING = 3
"""Stopped waiting for a person."""
STEP_CAP = 4
"""The step cap, or the engine's own limit, was reached."""
INTERRUPTED = 130
