"""`hookstepper.debug(agent, input)`: this process becomes the host, the screen is its child.

The child takes the terminal; what this process prints meanwhile is shown in the Output view.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Mapping

from hookstepper.host.here import found, serve_here
from hookstepper.model.errors import NotPossibleError
from hookstepper.model.ids import Json


def debug(
    agent: object,
    input: Json = None,  # noqa: A002
    *,
    lang: str = "en",
    guard: int | None = None,
) -> Mapping[str, object] | None:
    """Debug an agent or graph of this program on a screen in this terminal.

    Call it on the main thread. The agent object is left as it was; user code, event loops and signal
    handlers run here as they would without the debugger.

    Args:
        agent: an agent of `hookstepper.agent`, a LangGraph graph, or a `create_agent` agent.
        input: what the first run starts with; None lets the person type it.
        lang: language of the screen, `en` or `zh`.
        guard: steps of a run after which it is held, and again after as many; 0 never does; else 1,000.

    Returns:
        The state that the last run left, or None if nothing ran.

    Raises:
        LoadError: the object cannot be debugged.
        NotPossibleError: there is no terminal.
        BaseException: what made the last run fail, if it was left failed.
    """
    if not sys.stdin.isatty() or not sys.stdout.isatty():
        raise NotPossibleError("the screen needs a terminal", hint="hookstepper.testing drives without one")
    obj = found(agent)
    ours, theirs = socket.socketpair()
    with theirs:
        wishes = json.dumps(
            {"fd": theirs.fileno(), "input": input, "name": obj.attr, "lang": lang, "guard": guard}
        )
        screen = subprocess.Popen(
            [sys.executable, "-m", "hookstepper", "_screen", wishes], pass_fds=[theirs.fileno()]
        )
    try:
        outcome, state = serve_here(obj, ours)
    finally:
        screen.wait()
    if outcome is not None and outcome.error is not None:
        raise outcome.error
    return state
