"""`hookstepper.listen(agent)`: a running program lets a debugger in, and lets it go again.

The program keeps everything that is its own: it starts its runs, on its threads and loops, with its savers,
and prints to its own terminal. A client sees the run that goes on, from its first step, and can hold it.
"""

from __future__ import annotations

import atexit
import contextlib
import itertools
import os
import secrets
from contextlib import ExitStack
from pathlib import Path

from hookstepper.host.door import Door
from hookstepper.host.user_breakpoints import landing
from hookstepper.host.watching import WatchHost
from hookstepper.wire.endpoints import (
    Advert,
    Endpoint,
    advert_path,
    listen_at,
    parse_endpoint,
    runtime_folder,
    write_advert,
)


class Listening:
    """A program that listens, until `close` or its own end. Its text form is the endpoint."""

    def __init__(self, host: WatchHost, endpoint: Endpoint) -> None:
        self._host = host
        self._owner = os.getpid()
        token = secrets.token_urlsafe(32)
        sock, self._place = listen_at(endpoint)
        self._advert = advert_path(self._place, os.environ)
        write_advert(self._advert, Advert(str(self._place), self._owner, token, host.name))
        self._door = Door(sock, token, host)
        self._exits = ExitStack()
        self._exits.enter_context(landing(host.hold_at_line))
        atexit.register(self.close)

    @property
    def endpoint(self) -> str:
        """What `hookstepper attach` takes: `unix:PATH` or `tcp:127.0.0.1:PORT`."""
        return str(self._place)

    def __str__(self) -> str:
        return self.endpoint

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until somebody is attached; False if nobody came in so many seconds."""
        return self._door.attached.wait(timeout)

    @property
    def attached(self) -> bool:
        """True while somebody is attached."""
        return self._door.attached.is_set()

    def close(self) -> None:
        """Listen no more; who is attached is let go, what is held goes on, the agent is as it was before."""
        if os.getpid() != self._owner:
            return
        atexit.unregister(self.close)
        self._exits.close()
        self._host.close()
        self._door.close()
        for path in (self._advert, Path(self._place.path) if self._place.path else None):
            if path is not None:
                with contextlib.suppress(OSError):
                    path.unlink()

    def __enter__(self) -> Listening:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def listen(agent: object, endpoint: str = "", *, wait: bool = False) -> Listening:
    """Let a debugger in to watch the runs of an agent or graph, whoever starts them.

    Nothing is printed and nothing is held until somebody attaches; the steps of the newest run are recorded,
    so that whoever comes in its middle can look back. The object itself is watched: keep using it.

    Args:
        agent: an agent of `hookstepper.agent`, a compiled LangGraph graph, or a `create_agent` agent.
        endpoint: `unix:PATH` or `tcp:127.0.0.1:PORT`, port 0 for any; by default a Unix socket of this user.
        wait: True: return when somebody is attached, and hold the next run before its first node.

    Returns:
        What tells the endpoint, waits, and closes; a context manager.

    Raises:
        LoadError: the object is no agent or graph that can be debugged.
        SpecError: it cannot be watched; the message says why.
        NotPossibleError: the endpoint is taken.
        UsageError: it is no endpoint, or not on this machine.
    """
    place = parse_endpoint(endpoint) if endpoint else _default()
    host = WatchHost(agent)
    try:
        listening = Listening(host, place)
    except BaseException:
        host.close()
        raise
    if wait:
        host.hold_next()
        listening.wait()
    return listening


_NUMBERS = itertools.count(1)


def _default() -> Endpoint:
    """A name of this process in the user's own folder."""
    if not hasattr(os, "getuid"):
        return Endpoint(host="127.0.0.1")
    number = next(_NUMBERS)
    suffix = f"-{number}" if number > 1 else ""
    return Endpoint(path=str(runtime_folder(os.environ) / f"{os.getpid()}{suffix}.sock"))
